"""A proven lower bound of the loss of any local recoding under k: the dual of facility location with lower bounds.

Give every row a price such that in each cell of a lattice that holds k rows or more the k largest prices sum to at most
k times what the cell costs a row. A class lies in one of the cells and costs no less: its m rows are priced, by the k
largest, at m times that cost at most. So the sum of all prices is below the loss of every recoding. A suppressed row
costs 1 in every column, and no price is higher. Cells that cost `most` or more hold for any prices up to `most`, so
only cheaper ones are visited, depth first, with a list at each depth of the tuples that are still cheap enough.

Prices start at each row's cheapest cell, then are raised and cut back cell by cell; a cut never breaks another cell.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from anonym.criteria import DistinctL, EntropyL, LDiversity, RecursiveL
from anonym.search.local.cells import UNIT, Lattice, Lists, Table, lattice_of, lists_of, table_of
from anonym.search.local.jit import inner, kernel
from anonym.search.local.records import Records
from anonym.search.local.space import Layout
from anonym.search.local.world import int64
from anonym.search.problem import Problem

Ints = NDArray[np.int64]

FIRST, LAST, RISE = 0.4, 0.001, 1.9  # the cost up to which cells are visited first; the least; how it rises
CAPPED = 0.001  # share of rows priced at that cost, below which it need not rise
RAISES = (3.0, 1.3, 1.15)  # times the prices so far, before a cut
LIFT = 0.02  # and so much more
ENDLESS = 1 << 62


def bound_of(problem: Problem, records: Records, layout: Layout, reads: int) -> float:
    """At most the unweighted NCP of any recoding of the same vocabulary. `reads` limits the work: 10 ns each."""
    columns = len(problem.hierarchies)
    if not problem.rows or not columns:
        return 0.0
    lost = problem.rows - records.total_rows
    total = 0.0
    if records.count:
        total = priced(lattice_of(problem, layout), least_rows(problem), UNIT * columns, reads) / UNIT
    return (total + lost * columns) / (problem.rows * columns)


def least_rows(problem: Problem) -> int:
    """No class that holds has fewer: k, and a row for each distinct value that l asks for."""
    return max([problem.k, *(_least(asked) for _, asked in problem.diversity)])


def _least(asked: LDiversity) -> int:
    if isinstance(asked, EntropyL):
        return math.ceil(asked.l - 1e-6)
    assert isinstance(asked, DistinctL | RecursiveL)
    return asked.l


def priced(lattice: Lattice, k: int, whole: int, reads: int) -> int:
    """The sum of the prices of all rows, in UNIT; a row costs `whole` at most."""
    lists, table = lists_of(lattice), table_of(lattice)
    best, most = np.zeros(lattice.rows.size, np.int64), 0
    ahead = min(int(FIRST * UNIT), whole)
    while most < whole:
        price = np.full(lattice.rows.size, ahead, np.int64)
        if not visit(lattice, lists, table, price, k, ahead, reads, False):
            if most > 0 or ahead < LAST * UNIT:
                break
            ahead //= 2
            continue
        best, most, ahead = price, ahead, min(int(ahead * RISE), whole)
        if lattice.rows[price == most].sum() < CAPPED * lattice.rows.sum():
            break
    price = best
    for factor in RAISES:
        price = np.minimum((price * factor).astype(np.int64) + int(LIFT * UNIT), most)
        visit(lattice, lists, table, price, k, most, ENDLESS, True)
        if price @ lattice.rows > best @ lattice.rows:
            best = price.copy()
    return int(best @ lattice.rows)


@kernel
def visit(
    lattice: Lattice, lists: Lists, table: Table, price: Ints, k: int, most: int, reads: int, is_raised: bool
) -> bool:
    """Cut the prices in every cell that costs less than `most`. False, with prices to discard, if `reads` ran out."""
    size, level, columns = lists.size, lists.level, lattice.levels.size
    read, depth = 0, 0
    size[0] = lattice.rows.size
    level[0] = 0
    while depth >= 0:
        if level[depth] == lattice.levels[depth]:
            depth -= 1
            continue
        read += size[depth]
        if read > reads:
            return False
        narrow(lattice, lists, depth, most)
        level[depth] += 1
        if size[depth + 1] > 0 and depth + 1 < columns:
            depth += 1
            level[depth] = 0
        elif size[depth + 1] > 0:
            read += 2 * size[columns]
            for at in range(gather(lattice, lists, table)):
                if table.total[table.used[at]] >= k:
                    cut(lattice, lists, table, table.used[at], price, k, is_raised)
    return True


@inner
def narrow(lattice: Lattice, lists: Lists, depth: int, most: int) -> None:
    """The tuples at a depth that are still cheap enough with the column there at its level."""
    base = lattice.start[depth, lists.level[depth]]
    kept = int64(0)
    for i in range(lists.size[depth]):
        t = lists.tuple[depth, i]
        at = base + lattice.code[t, depth]
        cost = lists.cost[depth, i] + lattice.cost[at]
        if cost < most:
            lists.tuple[depth + 1, kept] = t
            lists.cost[depth + 1, kept] = cost
            lists.name[depth + 1, kept] = lists.name[depth, i] + lattice.word[at]
            kept += 1
    lists.size[depth + 1] = kept


@inner
def gather(lattice: Lattice, lists: Lists, table: Table) -> int:
    """The tuples at the last depth, in chains by cell; how many cells. Should two cells share a name they are one
    cell, for which prices are cut the more."""
    last = lattice.levels.size
    mask = np.uint64(table.first.size - 1)
    table.node[0] += 1
    used = int64(0)
    for i in range(lists.size[last]):
        name = lists.name[last, i]
        at = (name ^ (name >> np.uint64(32))) & mask
        while table.seen[at] == table.node[0] and table.name[at] != name:
            at = (at + np.uint64(1)) & mask
        if table.seen[at] != table.node[0]:
            table.seen[at] = table.node[0]
            table.name[at] = name
            table.total[at] = 0
            table.first[at] = -1
            table.used[used] = at
            used += 1
        table.total[at] += lattice.rows[lists.tuple[last, i]]
        table.next[i] = table.first[at]
        table.first[at] = i
    return used


@inner
def cut(lattice: Lattice, lists: Lists, table: Table, at: int, price: Ints, k: int, is_raised: bool) -> None:
    """Lower the prices in a cell until the k largest sum to at most k times its cost: none above one level."""
    tuples, last = lists.tuple[lattice.levels.size], lists.cost[lattice.levels.size]
    least = int64(last[table.first[at]])
    above, worth, i = int64(0), int64(0), table.first[at]
    while i >= 0:
        least = min(least, int64(last[i]))
        i = table.next[i]
    i = table.first[at]
    while i >= 0:
        if price[tuples[i]] > least:
            above += lattice.rows[tuples[i]]
            worth += lattice.rows[tuples[i]] * price[tuples[i]]
        i = table.next[i]
    if above == 0:
        return
    most = least
    if is_raised and above < k:
        room = k * least - largest(lattice, tuples, table, at, price, least, k - above)
        if worth <= room:
            return
        most = water(lattice, tuples, table, at, price, least, room, above)
    i = table.first[at]
    while i >= 0:
        price[tuples[i]] = min(price[tuples[i]], most)
        i = table.next[i]


@inner
def largest(lattice: Lattice, tuples: Ints, table: Table, at: int, price: Ints, most: int, wanted: int) -> int:
    """The sum of the so many largest prices in a cell that are at most `most`."""
    below, total = int64(most) + 1, int64(0)
    while wanted > 0:
        best, rows, i = int64(-1), int64(0), table.first[at]
        while i >= 0:
            own = price[tuples[i]]
            if best < own < below:
                best, rows = own, int64(0)
            if own == best:
                rows += lattice.rows[tuples[i]]
            i = table.next[i]
        total += best * min(rows, wanted)
        wanted -= rows
        below = best
    return total


@inner
def water(lattice: Lattice, tuples: Ints, table: Table, at: int, price: Ints, least: int, room: int, above: int) -> int:
    """The level that the prices above `least` must be cut to for them to sum to `room`."""
    level = room // above
    while True:
        fixed, rows, i = int64(0), int64(0), table.first[at]
        while i >= 0:
            own = price[tuples[i]]
            if own > level:
                rows += lattice.rows[tuples[i]]
            elif own > least:
                fixed += own * lattice.rows[tuples[i]]
            i = table.next[i]
        higher = (room - fixed) // rows
        if higher <= level:
            return level
        level = higher
