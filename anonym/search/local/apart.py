"""What a class of two tuples costs, for all tuples a few places apart along an order: column by column, so that loops
have no branches and read from front to back.

A tree or a set costs what its base says, and less by `drop` for each finer node that both share: its *rungs*.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonym.search.local.jit import kernel
from anonym.search.local.price import AT, FIELDS, HEAD, MORE, SIZE
from anonym.search.local.space import Space

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
Words = NDArray[np.uint32]

APART = int(np.iinfo(np.int32).max)  # what tuples of different parts cost
TILE = 4_096  # places worked on together: what is known of them stays in a cache of a megabyte


class Sides(NamedTuple):
    """Of each tuple, along some order; words are unsigned, for no index is negative."""

    row: Words  # (pair columns, tuples) where the costs beside its atom begin
    atom: Words  # (pair columns, tuples)
    base: Codes  # (tuples,)
    node: Codes  # (rungs, tuples)
    drop: Codes  # (rungs, tuples)
    low: Codes  # (span columns, tuples)
    high: Codes
    most: Ints  # (span columns,)
    part: Codes  # (tuples,)


def sides_of(space: Space) -> Sides:
    """In the order of the space."""
    tab, code = space.tab, space.code.astype(np.int64)
    pairs, paths, spans = tab[1:HEAD].tolist()
    at, size, _ = _fields(tab)
    row, ends = at[:pairs] + code[:, :pairs] * size[:pairs], at[paths:spans] + 2 * code[:, paths:spans]
    return Sides(
        np.ascontiguousarray(row.T, np.uint32),
        np.ascontiguousarray(code[:, :pairs].T, np.uint32),
        *_rungs(space, pairs, paths, spans),
        np.ascontiguousarray(tab[ends].T),
        np.ascontiguousarray(tab[ends + 1].T),
        size[paths:spans],
        space.part,
    )


def _fields(tab: Codes) -> tuple[Ints, Ints, Ints]:
    """(columns,) AT, SIZE and MORE of each column."""
    fields = tab[HEAD : HEAD + FIELDS * int(tab[0])].reshape(-1, FIELDS).astype(np.int64)
    return fields[:, AT].copy(), fields[:, SIZE].copy(), fields[:, MORE].copy()


def _rungs(space: Space, pairs: int, paths: int, spans: int) -> tuple[Codes, Codes, Codes]:
    """(base, node, drop) of paths, from the coarsest level down, and of sets, whose only rung is the atom itself."""
    tab, (at, size, more) = space.tab, _fields(space.tab)
    base, none = np.zeros(space.count, np.int32), np.empty((0, space.count), np.int32)
    nodes, drops = [none], [none]
    for j in range(pairs, paths):
        node = tab[at[j] + space.code[:, j] * size[j] + np.arange(size[j])[::-1, None]]
        cost = tab[more[j] + node]
        base += cost[0]
        nodes.append(node[1:])
        drops.append(np.diff(cost, axis=0))
    for j in range(spans, size.size):
        base += size[j].astype(np.int32)
        nodes.append(space.code[None, :, j])
        drops.append(np.full((1, space.count), -size[j], np.int32))
    return base, np.concatenate(nodes), np.concatenate(drops)


def sides_along(sides: Sides, order: Codes) -> Sides:
    """The same in another order."""
    return Sides(
        sides.row.take(order, axis=1),
        sides.atom.take(order, axis=1),
        sides.base[order],
        sides.node.take(order, axis=1),
        sides.drop.take(order, axis=1),
        sides.low.take(order, axis=1),
        sides.high.take(order, axis=1),
        sides.most,
        sides.part[order],
    )


@kernel
def costs_apart(tab: Codes, sides: Sides, cost: Codes) -> None:
    """What a row of each tuple and of that 1, 2, ... places on cost together, into `cost` (places, tuples); a lower
    bound where an atom of a set covers several leaves."""
    for begin in range(0, cost.shape[1], TILE):
        for place in range(cost.shape[0]):
            step = place + 1
            count = max(min(TILE, cost.shape[1] - step - begin), 0)
            own, base = cost[place, begin:], sides.base[begin:]
            for i in range(count):
                own[i] = base[i]
            for j in range(sides.row.shape[0]):
                row, atom = sides.row[j, begin:], sides.atom[j, begin + step :]
                for i in range(count):
                    own[i] += tab[row[i] + atom[i]]
            for j in range(sides.node.shape[0]):
                here, there, drop = sides.node[j, begin:], sides.node[j, begin + step :], sides.drop[j, begin:]
                for i in range(count):
                    own[i] += drop[i] if here[i] == there[i] else 0
            for j in range(sides.low.shape[0]):
                here, there = sides.low[j, begin:], sides.low[j, begin + step :]
                up, far = sides.high[j, begin:], sides.high[j, begin + step :]
                for i in range(count):
                    own[i] += min(max(up[i], far[i]) - min(here[i], there[i]), sides.most[j])
            here, there = sides.part[begin:], sides.part[begin + step :]
            for i in range(count):
                own[i] = own[i] if here[i] == there[i] else APART
