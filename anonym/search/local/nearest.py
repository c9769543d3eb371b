"""What the k-th nearest row costs: a lower bound for each tuple, where the cells that it may lie in are too many.

A class of a tuple has k rows, each of which costs at least what the class of that row and the tuple alone would. So a
class costs the k-th least of these costs or more; a tuple's own rows count. The cost of a pair is a sum over columns,
read off one list a column: what a class of the tuple costs there that holds each atom too.

Tuples are sorted, those with the same values in the first columns are a *run*: together they are left out where those
columns alone cost too much.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonym.hierarchy.ends import STAR
from anonym.hierarchy.model import Hierarchy
from anonym.search.local.atoms import FAR, Atoms, places
from anonym.search.local.cells import UNIT, Codes, Ints, Tuples, levels_of
from anonym.search.local.jit import inner, kernel
from anonym.search.local.space import Layout
from anonym.search.local.world import ZERO, int64
from anonym.search.problem import Problem

Words = NDArray[np.uint32]

RUN = 32  # tuples a run holds on average, at least
SHARE = 0.02  # of all tuples, that the reads must suffice for at a read a pair; fewer are not worth the time
COLUMNS_MOST = 100  # sums of so many costs fit 32 bits; further columns are left out, at no cost


class Pairs(NamedTuple):
    """`start[column]` is the place of a column's first level in the other lists, one entry an atom. A column of trees
    has `levels`, and `first` and `last` are the atoms that a node covers; one of intervals has none, and they are its
    ends."""

    code: Words  # (columns, tuples); words, for no index is negative
    rows: Ints
    run: Ints  # (runs + 1,) where each begins
    part: Codes  # (tuples,)
    leading: Ints  # (1,) columns in which a run has the same values
    start: Ints
    atoms: Ints
    levels: Ints
    whole: Ints  # what `*` costs
    first: Codes
    last: Codes
    cost: Codes


class Scratch(NamedTuple):
    """What is known of the pairs of one tuple."""

    least: Ints  # (runs,) cost so far of each run
    live: Ints  # (runs,) runs cheap enough so far
    cost: Codes  # (tuples,)
    row: Codes  # (atoms,)
    best: Ints  # (k,) least costs, one a row


@dataclass(frozen=True)
class _Column:
    """As `Pairs`, of one column; `rank` (atoms,) is the place of each atom in the lists."""

    rank: Ints
    levels: int
    first: list[Codes]
    last: list[Codes]
    cost: list[Codes]


def by_nearest(problem: Problem, layout: Layout, tuples: Tuples, price: Ints, most: Ints, k: int, reads: int) -> Ints:
    """The prices, or what the k-th nearest row costs where that is more. No tuple's is more than `most` (tuples,), so
    those that could rise furthest come first, for as long as `reads` last."""
    if reads < max(SHARE * tuples.rows.size**2, 1):
        return price
    pairs, order = pairs_of(problem, layout, tuples)
    room = (np.maximum(most - price, 0) * tuples.rows)[order]
    chosen = np.argsort(-room, kind="stable")[: np.count_nonzero(room)]
    runs = pairs.run.size - 1
    scratch = Scratch(
        np.zeros(runs, np.int64),
        np.zeros(runs, np.int64),
        np.zeros(order.size, np.int32),
        np.zeros(int(pairs.atoms.max()), np.int32),
        np.zeros(k, np.int64),
    )
    found = np.zeros(order.size, np.int64)
    nearest(pairs, scratch, chosen, most[order], found, reads)
    higher = price.copy()
    higher[order] = np.maximum(higher[order], found)
    return higher


def pairs_of(problem: Problem, layout: Layout, tuples: Tuples) -> tuple[Pairs, Ints]:
    """The lists, and the order in which they have the tuples. Columns of few atoms come first."""
    sizes = [int(layout.columns[j].atom.max(initial=-1)) + 1 for j in layout.order]
    chosen = sorted(range(len(sizes)), key=lambda i: sizes[i])[:COLUMNS_MOST]
    owner = [layout.order[i] for i in chosen]
    columns = [_column(problem.hierarchies[j], layout.columns[j], sizes[i]) for i, j in zip(chosen, owner, strict=True)]
    code = np.stack([column.rank[tuples.code[:, i]] for i, column in zip(chosen, columns, strict=True)])
    order = np.lexsort((*code[::-1], tuples.part))
    code, part = code[:, order], tuples.part[order]
    begins, leading = _runs(code, part)
    size = np.array([sizes[i] for i in chosen], np.int64)
    width = size * np.array([len(column.first) for column in columns], np.int64)
    return Pairs(
        np.ascontiguousarray(code, np.uint32),
        tuples.rows[order],
        np.append(begins, order.size).astype(np.int64),
        part,
        np.array([leading], np.int64),
        np.cumsum(width) - width,
        size,
        np.array([column.levels for column in columns], np.int64),
        np.array([UNIT if problem.hierarchies[j].leaves > 1 else 0 for j in owner], np.int64),
        np.concatenate([each for column in columns for each in column.first]),
        np.concatenate([each for column in columns for each in column.last]),
        np.concatenate([each for column in columns for each in column.cost]),
    ), order


def _runs(code: Ints, part: Codes) -> tuple[Ints, int]:
    """Where runs begin, and in how many columns: as many as leave runs long enough."""
    fresh = np.append(True, part[1:] != part[:-1])[: part.size]
    leading = 0
    for column in code:
        finer = fresh.copy()
        finer[1:] |= column[1:] != column[:-1]
        if np.count_nonzero(finer) * RUN > part.size:
            break
        fresh, leading = finer, leading + 1
    return np.flatnonzero(fresh), leading


def _column(hierarchy: Hierarchy, column: Atoms, atoms: int) -> _Column:
    if column.kind == "span":
        return _span(hierarchy, column, atoms)
    levels = levels_of(hierarchy, column)
    order = np.lexsort([level.node for level in levels])
    rank = np.empty(atoms, np.int64)
    rank[order] = np.arange(atoms)
    first, last, costs, least = [], [], [], np.zeros(atoms, np.int32)
    for level in levels:
        node = level.node[order]
        fresh = np.append(True, node[1:] != node[:-1])
        starts = np.append(np.flatnonzero(fresh), atoms).astype(np.int32)
        own = np.cumsum(fresh) - 1
        least = np.maximum(least, np.floor(level.cost[order] * UNIT).astype(np.int32))
        first.append(starts[own])
        last.append(starts[own + 1])
        costs.append(least)
    return _Column(rank, len(levels), first, last, costs)


def _span(hierarchy: Hierarchy, column: Atoms, atoms: int) -> _Column:
    """Ends rounded so that no interval seems longer than it is."""
    place = places(hierarchy.domain)
    ends = np.zeros((atoms, 2), np.int64)
    ends[column.atom] = column.ends
    is_star, is_null = ends[:, 0] == STAR, ends[:, 0] == place.size
    low, high = np.append(place, 0.0)[ends.clip(0)].T * UNIT
    low = np.where(is_star, -FAR, np.where(is_null, 2 * FAR, np.ceil(low))).astype(np.int32)
    high = np.where(is_star, FAR, np.where(is_null, 2 * FAR, np.floor(high))).astype(np.int32)
    return _Column(np.arange(atoms), 0, [low], [high], [np.zeros(atoms, np.int32)])


@kernel
def nearest(pairs: Pairs, scratch: Scratch, chosen: Ints, most: Ints, found: Ints, reads: int) -> None:
    """What the k-th nearest row of each chosen tuple costs, `most` at most, into `found`; until `reads` run out."""
    for i in range(chosen.size):
        if reads < 0:
            break
        t = chosen[i]
        runs, read = near_runs(pairs, scratch, t, most[t])
        runs, more = near_tuples(pairs, scratch, t, most[t], runs)
        found[t] = kth(pairs, scratch, most[t], runs)
        reads -= read + more


@inner
def near_runs(pairs: Pairs, scratch: Scratch, t: int, most: int) -> tuple[int, int]:
    """The runs whose leading columns alone cost less than `most`: how many; and what was read."""
    least, live, row = scratch.least, scratch.live, scratch.row
    runs, read = ZERO, ZERO
    for r in range(pairs.run.size - 1):
        if pairs.part[pairs.run[r]] == pairs.part[t]:
            least[r] = 0
            live[runs] = r
            runs += 1
    for j in range(pairs.leading[0]):
        read += runs + fill(pairs, row, j, pairs.code[j, t])
        kept = ZERO
        for i in range(runs):
            r = live[i]
            least[r] += row[pairs.code[j, pairs.run[r]]]
            live[kept] = r
            kept += least[r] < most
        runs = kept
    return runs, read


@inner
def near_tuples(pairs: Pairs, scratch: Scratch, t: int, most: int, runs: int) -> tuple[int, int]:
    """The cost of each tuple of these runs, but for runs where all cost `most`: how many are left; what was read."""
    live, row, read = scratch.live, scratch.row, ZERO
    for i in range(runs):
        r = live[i]
        for u in range(pairs.run[r], pairs.run[r + 1]):
            scratch.cost[u] = scratch.least[r]
    for j in range(pairs.leading[0], pairs.code.shape[0]):
        read += fill(pairs, row, j, pairs.code[j, t])
        kept = ZERO
        for i in range(runs):
            r, least = live[i], most
            cost = scratch.cost[pairs.run[r] : pairs.run[r + 1]]
            code = pairs.code[j, pairs.run[r] : pairs.run[r + 1]]
            for u in range(cost.size):
                cost[u] += row[code[u]]
                least = min(least, cost[u])
            read += cost.size
            live[kept] = r
            kept += least < most
        runs = kept
    return runs, read


@inner
def fill(pairs: Pairs, row: Codes, j: int, c: int) -> int:
    """What a class of atom c costs in column j that holds each other atom too, into `row`; what was read."""
    at, atoms, read = pairs.start[j], pairs.atoms[j], ZERO
    if pairs.levels[j] == 0:
        low, high = pairs.first[at + c], pairs.last[at + c]
        for a in range(atoms):
            extent = max(high, pairs.last[at + a]) - min(low, pairs.first[at + a])
            row[a] = min(max(extent, 0), pairs.whole[j])
        read += atoms
    for level in range(pairs.levels[j]):  # coarse to fine
        base = at + atoms * (pairs.levels[j] - 1 - level)
        own = pairs.cost[base + c]
        for a in range(pairs.first[base + c], pairs.last[base + c]):
            row[a] = max(own, pairs.cost[base + a])
        read += pairs.last[base + c] - pairs.first[base + c]
    return int64(read)


@inner
def kth(pairs: Pairs, scratch: Scratch, most: int, runs: int) -> int:
    """The k-th least cost of a row in these runs."""
    best = scratch.best
    last = best.size - 1
    for i in range(best.size):
        best[i] = most
    for i in range(runs):
        r = scratch.live[i]
        for u in range(pairs.run[r], pairs.run[r + 1]):
            rows = pairs.rows[u]
            while rows > 0 and scratch.cost[u] < best[last]:
                at = last
                while at > 0 and best[at - 1] > scratch.cost[u]:
                    best[at] = best[at - 1]
                    at -= 1
                best[at] = scratch.cost[u]
                rows -= 1
    return int64(best[last])
