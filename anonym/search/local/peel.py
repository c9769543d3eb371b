"""A start for labels: peel classes off the table, recoding by recoding of the lattice, cheapest first.

What is left of the table is grouped under each recoding; every group of k rows that holds becomes a class and leaves.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from anonym.hierarchy.model import Hierarchy
from anonym.search.local.jit import inner, kernel
from anonym.search.local.space import Layout, Space
from anonym.search.local.world import int64

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
Words = NDArray[np.uint64]

NODES_MOST = 100_000  # lattices above it are not enumerated
NAME, SEEN, TOTAL, OWNER = range(4)  # of a place: the last group there, its recoding, rows and class
LEFT, WHERE = range(2)  # a tuple left and its place


def recodings(layout: Layout, hierarchies: Sequence[Hierarchy], visits: int) -> Codes | None:
    """(recodings, columns of the space) levels above the finest, cheapest first; None if peeling is not for them."""
    chosen = [hierarchies[j] for j in layout.order]
    steps = [h.coarsest - h.finest + 1 for h in chosen]
    if any(column.kind in ("span", "member") for column in layout.columns) or np.prod(steps, dtype=float) > NODES_MOST:
        return None
    levels = np.stack(np.unravel_index(np.arange(int(np.prod(steps))), steps), axis=1).astype(np.int32)
    cost = np.zeros(len(levels))
    for place, (j, h) in enumerate(zip(layout.order, chosen, strict=True)):
        cost += _mean_costs(layout, place, j, h)[levels[:, place]]
    order = np.argsort(cost, kind="stable")
    picked = order[np.unique(np.linspace(0, len(order) - 1, min(visits, len(order))).astype(np.int64))]
    return np.ascontiguousarray(levels[picked])


def _mean_costs(layout: Layout, place: int, column: int, hierarchy: Hierarchy) -> NDArray[np.float64]:
    """(levels,) what a row of the table costs on average with the column at each level."""
    first = _first_leaves(layout, column)
    rows = np.bincount(layout.space.code[:, place], weights=layout.space.rows, minlength=first.size)
    costs = hierarchy.cost[hierarchy.ancestor[hierarchy.finest : hierarchy.coarsest + 1][:, first]]
    means: NDArray[np.float64] = costs @ rows * layout.columns[column].unit
    return means


def _first_leaves(layout: Layout, column: int) -> Ints:
    """(atoms,) a leaf of each atom of a column of labels."""
    return np.unique(layout.columns[column].atom, return_index=True)[1]


def signatures(layout: Layout, hierarchies: Sequence[Hierarchy], rng: np.random.Generator) -> tuple[Words, Ints]:
    """A random word for each node, laid out so that `start[column, level] + atom` is the word of the atom's node; -1
    where a column has a single node, which tells no groups apart.

    Sums of words name the groups. Should two groups share a name they become one class, which is a class as well.
    """
    words: list[Words] = []
    depth = max(h.coarsest - h.finest + 1 for h in hierarchies)
    start = np.zeros((len(layout.order), depth), np.int64)
    filled = 0
    for place, j in enumerate(layout.order):
        hierarchy, first = hierarchies[j], _first_leaves(layout, j)
        for step, row in enumerate(hierarchy.ancestor[hierarchy.finest : hierarchy.coarsest + 1]):
            node = rng.integers(0, 2**64, size=int(row.max()) + 1, dtype=np.uint64)
            words.append(node[row[first]])
            start[place, step] = filled if (row[first] != row[first[0]]).any() else -1
            filled += first.size
    return np.concatenate(words), start


def peeled(space: Space, levels: Codes, words: Words, start: Ints, k: int) -> Codes:
    """(tuples,) the class of each tuple, -1 for what is left."""
    count = space.count
    owner = np.full(count, -1, np.int32)
    places = np.full((1 << max(int(2 * count - 1).bit_length(), 4), 4), -1, np.int64)
    left, told = np.zeros((count, 2), np.int64), np.zeros((levels.shape[1], 2), np.int64)
    peel(space.code, space.rows, space.part, levels, words, start, k, places, left, told, owner)
    return owner


def chunks(owner: Ints, rows: Ints, k: int) -> tuple[Ints, Ints, Ints]:
    """Cut classes of 2 k rows or more into chunks of k, the last of up to 2 k - 1: (class, entry, rows).

    Entries come class by class; classes of a single entry stay whole, for they cost nothing and can spare rows.
    """
    first = np.flatnonzero(np.append(True, owner[1:] != owner[:-1])[: owner.size])
    entries = np.diff(np.append(first, owner.size))
    total = np.add.reduceat(rows, first) if first.size else rows
    pieces = np.where(entries == 1, 1, np.maximum(total // k, 1))
    place = np.repeat(np.arange(first.size), entries)
    before = np.cumsum(rows) - rows
    before -= before[first][place]
    low = np.minimum(before // k, pieces[place] - 1)
    high = np.minimum((before + rows - 1) // k, pieces[place] - 1)
    entry = np.repeat(np.arange(owner.size), high - low + 1)
    piece = np.arange(entry.size) - np.repeat(np.cumsum(high - low + 1) - (high - low + 1), high - low + 1) + low[entry]
    start = np.maximum(piece * k, before[entry])
    is_last = piece == high[entry]
    stop = np.where(is_last, before[entry] + rows[entry], (piece + 1) * k)
    return (np.cumsum(pieces) - pieces)[place][entry] + piece, entry, stop - start


@kernel
def peel(
    code: Codes, rows: Ints, part: Codes, levels: Codes, words: Words, start: Ints, k: int, places: Ints, left: Ints,
    told: Ints, owner: Codes,
) -> None:  # fmt: skip
    """Classes by recoding, into `owner`. `places` is a hash table: a power of two, twice the tuples."""
    held, classes, room = owner.size, 0, places.shape[0]
    for t in range(held):
        left[t, LEFT] = t
    for v in range(levels.shape[0]):
        columns = 0
        for j in range(levels.shape[1]):
            if start[j, levels[v, j]] >= 0:
                told[columns, 0] = j
                told[columns, 1] = start[j, levels[v, j]]
                columns += 1
        while room > 16 and room >= 4 * held:  # a smaller table stays in a nearer cache
            room //= 2
        for i in range(held):
            t = left[i, LEFT]
            name = np.uint64(part[t]) * np.uint64(0x9E3779B97F4A7C15)
            for j in range(columns):
                name += words[told[j, 1] + code[t, told[j, 0]]]
            at = find(places, np.uint64(room - 1), name, v)
            left[i, WHERE] = at
            places[at, TOTAL] += rows[t]
        kept = 0
        for i in range(held):
            t, at = left[i, LEFT], left[i, WHERE]
            if places[at, TOTAL] < k:
                left[kept, LEFT] = t
                kept += 1
            else:
                if places[at, OWNER] < 0:
                    places[at, OWNER] = classes
                    classes += 1
                owner[t] = places[at, OWNER]
        held = kept


@inner
def find(places: Ints, mask: np.uint64, name: np.uint64, v: int) -> int:
    """The place of the group of that name under recoding v, emptied where v finds it first."""
    at = (name ^ (name >> np.uint64(32))) & mask
    while places[at, SEEN] == v and np.uint64(places[at, NAME]) != name:
        at = (at + np.uint64(1)) & mask
    if places[at, SEEN] != v:
        places[at, NAME] = np.int64(name)
        places[at, SEEN] = v
        places[at, TOTAL] = 0
        places[at, OWNER] = -1
    return int64(at)
