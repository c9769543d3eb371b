"""A proven lower bound of the loss of any local recoding under k: the dual of facility location with lower bounds.

Give every row a price such that in each cell of a lattice that holds k rows or more the k largest prices sum to at most
k times what the cell costs a row. A class lies in one of the cells and costs no less: its m rows are priced, by the k
largest, at m times that cost at most. So the sum of all prices is below the loss of every recoding. A suppressed row
costs 1 in every column, and no price is higher. Cells that cost `most` or more hold for any prices up to `most`, so
only cheaper ones are visited, depth first, with a list at each depth of the tuples that are still cheap enough.

Prices start at each row's cheapest cell, then are raised and cut back cell by cell; a cut never breaks another cell.
Rows whose cells were not all visited, and all rows under the vocabulary `set`, are priced by what their k-th nearest
row costs, which no class of theirs costs less than (see `nearest`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonym.criteria import DistinctL, EntropyL, LDiversity, RecursiveL
from anonym.search.local.cells import UNIT, Lattice, Lists, Table, lattice_of, lists_of, table_of, tuples_of
from anonym.search.local.jit import inner, kernel
from anonym.search.local.nearest import by_nearest
from anonym.search.local.space import Layout
from anonym.search.local.world import ZERO, int64
from anonym.search.problem import Problem

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

FIRST, RISE = 0.06, 1.9  # the cost up to which cells are visited first; how it rises
GROWTH = 4.0  # times the reads of the visit before, where nothing is known yet
CAPPED = 0.001  # share of rows priced at that cost, below which it need not rise
WORTH = 0.5  # share above which raising does not pay
RAISES = (3.0, 1.3)  # times the prices so far, before a cut
LIFT = 0.02  # and so much more
ENDLESS = 1 << 62
ROOM = 30_000_000  # tuples times columns, beyond which no cells are visited: 16 bytes each
EACH, OF_PAIRS = 300, 30  # reads a tuple, at least; costs of pairs read in each read's stead, for they are quick


@dataclass(frozen=True)
class Prices:
    """`price` (tuples,) of a row each: no class that it may be in costs less; `most` is what it was limited to."""

    price: Ints
    most: int


def bound_of(problem: Problem, layout: Layout, found: Floats, reads: int) -> float:
    """At most the unweighted NCP of any recoding of the same vocabulary. `reads` limits the work: 10 ns each.

    `found` (tuples,) is what a row of each tuple costs, summed over the columns, in a class that some recoding has;
    infinite where unknown.
    """
    columns = len(problem.hierarchies)
    if not problem.rows or not columns:
        return 0.0
    rows = int(layout.space.rows.sum())
    total = _priced(problem, layout, found, max(reads, EACH * layout.space.count)) / UNIT if rows else 0.0
    return (total + (problem.rows - rows) * columns) / (problem.rows * columns)


def least_rows(problem: Problem) -> int:
    """No class that holds has fewer: k, and a row for each distinct value that l asks for."""
    return max([problem.k, *(_least(asked) for _, asked in problem.diversity)])


def _least(asked: LDiversity) -> int:
    if isinstance(asked, EntropyL):
        return math.ceil(asked.l - 1e-6)
    assert isinstance(asked, DistinctL | RecursiveL)
    return asked.l


def _priced(problem: Problem, layout: Layout, found: Floats, reads: int) -> int:
    """The sum of the prices of all rows, in UNIT."""
    k, columns = least_rows(problem), len(problem.hierarchies)
    tuples = tuples_of(layout)
    most = np.ceil(np.minimum.reduceat(found, tuples.first).clip(max=columns) * UNIT).astype(np.int64) + columns
    most = np.minimum(most, columns * UNIT)
    room = OF_PAIRS * reads
    is_label = all(column.kind in ("pair", "path") for column in layout.columns)
    if not is_label or (columns + 1) * tuples.rows.size > ROOM:
        return int(by_nearest(problem, layout, tuples, np.zeros(most.size, np.int64), most, k, room) @ tuples.rows)
    lattice = lattice_of(problem, layout, tuples)
    cheapest = priced(lattice, k, UNIT * columns, reads)
    is_capped = cheapest.price >= cheapest.most
    prices = by_nearest(problem, layout, tuples, cheapest.price, np.where(is_capped, most, 0), k, room)
    if is_capped @ tuples.rows <= WORTH * tuples.rows.sum():
        prices = np.maximum(prices, raised(lattice, k, cheapest))  # those that cost more are in no cell visited
    return int(prices @ tuples.rows)


def priced(lattice: Lattice, k: int, whole: int, reads: int) -> Prices:
    """What each row's cheapest cell costs, `whole` at most, as far as `reads` suffice."""
    lists, table = lists_of(lattice), table_of(lattice)
    best, most = np.zeros(lattice.rows.size, np.int64), 0
    ahead, read, growth = min(int(FIRST * UNIT), whole), 0, GROWTH
    while most < whole and read * growth <= reads:
        price = np.full(lattice.rows.size, ahead, np.int64)
        now = visit(lattice, lists, table, price, k, ahead, reads, False)
        if now > reads:
            break
        growth = max(now / read, 1.0) if read else GROWTH
        best, most, read, ahead = price, ahead, now, min(int(ahead * RISE), whole)
        if lattice.rows[price == most].sum() < CAPPED * lattice.rows.sum():
            break
    return Prices(best, most)


def raised(lattice: Lattice, k: int, cheapest: Prices) -> Ints:
    """Prices whose sum is larger, such that in each cell the k largest sum to at most k times its cost."""
    lists, table = lists_of(lattice), table_of(lattice)
    best = price = cheapest.price
    for factor in RAISES:
        price = np.minimum((price * factor).astype(np.int64) + int(LIFT * UNIT), cheapest.most)
        visit(lattice, lists, table, price, k, cheapest.most, ENDLESS, True)
        if price @ lattice.rows > best @ lattice.rows:
            best = price.copy()
    return best


@kernel
def visit(
    lattice: Lattice, lists: Lists, table: Table, price: Ints, k: int, most: int, reads: int, is_raised: bool
) -> int:
    """Cut the prices in every cell that costs less than `most`. What was read; more than `reads`, with prices to
    discard, if these ran out."""
    size, level, columns = lists.size, lists.level, lattice.levels.size
    read, depth = ZERO, 0
    size[0] = lattice.rows.size
    level[0] = 0
    while depth >= 0:
        if level[depth] == lattice.levels[depth]:
            depth -= 1
            continue
        read += size[depth]
        if read > reads:
            break
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
    return int64(read)


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
