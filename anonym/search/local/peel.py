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
LEFT, WHERE, TOTAL, OWNER, SEEN = range(5)  # tuples left, the place of each; of a place: rows, class, last recoding


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
    """A random word for each node, laid out so that `start[column, level] + atom` is the word of the atom's node.

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
            start[place, step] = filled
            filled += first.size
    return np.concatenate(words), start


def peeled(space: Space, levels: Codes, words: Words, start: Ints, k: int) -> Codes:
    """(tuples,) the class of each tuple, -1 for what is left."""
    count, slots = space.count, 1 << max(int(2 * space.count - 1).bit_length(), 4)
    owner = np.full(count, -1, np.int32)
    room = np.full((slots, 5), -1, np.int64)
    peel(space.code, space.rows, space.part, levels, words, start, k, room, np.empty(slots, np.uint64), owner)
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
    code: Codes, rows: Ints, part: Codes, levels: Codes, words: Words, start: Ints, k: int, room: Ints, names: Words,
    owner: Codes,
) -> None:  # fmt: skip
    """Classes by recoding, into `owner`. `room` and `names` are a hash table: a power of two, twice the tuples."""
    left, classes = owner.size, 0
    for t in range(left):
        room[t, LEFT] = t
    for v in range(levels.shape[0]):
        for i in range(left):
            at = find(code, part, levels, words, start, v, room[i, LEFT], names, room)
            room[i, WHERE] = at
            room[at, TOTAL] += rows[room[i, LEFT]]
        kept = 0
        for i in range(left):
            at, t = room[i, WHERE], room[i, LEFT]
            if room[at, TOTAL] < k:
                room[kept, LEFT] = t
                kept += 1
            else:
                if room[at, OWNER] < 0:
                    room[at, OWNER] = classes
                    classes += 1
                owner[t] = room[at, OWNER]
        left = kept


@inner
def find(
    code: Codes, part: Codes, levels: Codes, words: Words, start: Ints, v: int, t: int, names: Words, room: Ints
) -> int:
    """The place of tuple t's group under recoding v, emptied where v finds it first."""
    name = np.uint64(part[t]) * np.uint64(0x9E3779B97F4A7C15)
    for j in range(code.shape[1]):
        name += words[start[j, levels[v, j]] + code[t, j]]
    mask = np.uint64(names.size - 1)
    at = (name ^ (name >> np.uint64(32))) & mask
    while room[at, SEEN] == v and names[at] != name:
        at = (at + np.uint64(1)) & mask
    if room[at, SEEN] != v:
        room[at, SEEN] = v
        room[at, TOTAL] = 0
        room[at, OWNER] = -1
        names[at] = name
    return int64(at)
