"""What every two columns cost together at least: it tells hopeless levels before a class is formed.

Look at two columns and forget the others. The classes of any recoding lie inside the classes that the two form at its
levels: where fewer than k members share both nodes, its rows are dropped, and a dropped row costs all of a column. So
each of the two costs no less than it does there by themselves. The columns not decided on cost at least the sum, over
them, of the cheapest level that each of the columns decided on leaves them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from anonym.search import kernels
from anonym.search.lattice import Axis, Lattice

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Codes = NDArray[np.int32]

ROOM = 1 << 16  # places of a table of two columns, at least; one an entry of the lattice where these are more
READS = 60_000_000  # entries read for all tables, wide columns first: 10 ns each
EXACT = 1 - 1e-9  # sums of costs round, and a bound must not lie above what it bounds


@dataclass(frozen=True)
class Pairs:
    """`cost[i, l, j, m]` is what axis j at level m costs at least where axis i is at level l; inf where more rows must
    be suppressed than may be, and where there is no such level. `weights` (axes,) is what a suppressed row costs.
    """

    cost: Floats  # (axes, levels, axes, levels)
    weights: Floats

    @property
    def alone(self) -> Floats:
        """(axes, levels): what each costs at least, whatever the others."""
        axes = np.arange(self.weights.size)
        return np.stack([np.diagonal(self.cost[i, :, i]) for i in axes]) if axes.size else np.empty((0, 0))

    def lower(self, chosen: Sequence[int]) -> Floats:
        """(axes, levels): what each costs at least once the first axes are at the levels chosen."""
        first = list(range(len(chosen)))
        found: Floats = self.cost[first, list(chosen)].max(axis=0) if first else self.alone
        return found

    def rest(self, lower: Floats, depth: int, gone: int) -> float:
        """What the axes from `depth` on cost at least, so many rows being dropped."""
        return float(np.maximum(lower[depth:].min(axis=1), gone * self.weights[depth:]).sum())

    def by_level(self, lower: Floats, depth: int, gone: int) -> Floats:
        """(levels,) the same with the axis at `depth` at each of its levels."""
        least = np.maximum(lower[depth:], self.cost[depth, :, depth:]).min(axis=2)
        found: Floats = np.maximum(least, gone * self.weights[depth:]).sum(axis=1)
        return found


@dataclass(frozen=True)
class Counts:
    """(1 or 2, nodes, nodes): rows, and members where these are not rows, by the nodes of two axes at a level each."""

    table: Floats

    def coarser(self, axis: int, up: Codes) -> Counts:
        """`up` is the node above each node of the axis (0 or 1)."""
        order = np.argsort(up, kind="stable")
        starts = np.searchsorted(up[order], np.arange(int(up.max(initial=-1)) + 1))
        return Counts(np.add.reduceat(np.take(self.table, order, axis + 1), starts, axis=axis + 1))

    def kept(self, k: int) -> Floats:
        """(nodes, nodes) the rows that k members share both nodes with."""
        return np.where(self.table[-1] >= k, self.table[0], 0.0)


class _Tables:
    """Counts of two axes at all their levels, as far as they have room."""

    def __init__(self, lattice: Lattice, weights: list[Ints], reads: int) -> None:
        self.axes, self.codes, self.weights = lattice.axes, lattice.codes, weights
        self.room = max(lattice.depths[-1].count, ROOM)
        self.left = reads

    def of(self, i: int, j: int) -> Iterator[tuple[int, int, Counts]]:
        """(level of axis i, level of axis j, counts), fine to coarse."""
        one, other = self.axes[i], self.axes[j]
        found, at = None, -1
        for level, width in enumerate(one.widths):
            finest = next((m for m, wide in enumerate(other.widths) if width * wide <= self.room), None)
            if finest is None:
                continue
            if found is not None and finest == at:
                found = found.coarser(0, above(one, level - 1))
            else:
                found, at = self._counted(i, level, j, finest), finest
            if found is None:
                return
            counts = found
            yield level, at, counts
            for m in range(at + 1, len(other.widths)):
                counts = counts.coarser(1, above(other, m - 1))
                yield level, m, counts

    def _counted(self, i: int, level: int, j: int, m: int) -> Counts | None:
        self.left -= self.codes[i].size
        if self.left < 0:
            return None
        one, other = self.axes[i], self.axes[j]
        tables = np.zeros((len(self.weights), one.widths[level], other.widths[m]))
        for table, weights in zip(tables, self.weights, strict=True):
            kernels.tabulate(self.codes[i], one.nodes[level], self.codes[j], other.nodes[m], weights, table)
        return Counts(tables)


def pairs_of(lattice: Lattice, members: Ints, k: int, rows: int, limit: int, reads: int) -> Pairs:
    """Of every two axes with a choice of levels, those of wide columns first, as far as `reads` of entries suffice; the
    others by themselves.

    `members` (entries,) are who counts for k, at most; `rows` those of the input.
    """
    axes, own = lattice.axes, lattice.depths[-1].rows
    weights = [own] if members is own else [own, members]
    alone = _alone(lattice, weights, k, rows, limit)
    cost = np.repeat(np.repeat(alone[None, None], len(axes), 0), alone.shape[1], 1)
    cost[~np.isfinite(alone)] = np.inf
    for i in range(len(axes)):
        cost[i, :, i] = np.where(np.eye(alone.shape[1], dtype=np.bool_), alone[i], np.inf)
    tables = _Tables(lattice, weights, reads)
    several = [i for i, axis in enumerate(axes) if len(axis.levels) > 1]
    for i, j in sorted(combinations(several, 2), key=lambda pair: -axes[pair[0]].widths[0] * axes[pair[1]].widths[0]):
        for level, m, counts in tables.of(i, j):
            kept = counts.kept(k)
            gone = rows - kept.sum()
            one, other = _cost(kept.sum(axis=1), axes[i], level, gone), _cost(kept.sum(axis=0), axes[j], m, gone)
            if gone > limit:
                one = other = np.inf
            finer = slice(0, m + 1)  # costs no less, nor does what has no table
            cost[j, finer, i, level] = np.maximum(cost[j, finer, i, level], one)
            cost[i, level, j, m] = max(cost[i, level, j, m], other)
            if gone > limit:
                cost[i, level, j, finer] = np.inf
    return Pairs(cost, np.array([axis.weight for axis in axes], np.float64))


def _alone(lattice: Lattice, weights: list[Ints], k: int, rows: int, limit: int) -> Floats:
    """(axes, levels): what each axis costs at each of its levels, all others forgotten; inf where it cannot be."""
    axes = lattice.axes
    alone = np.full((len(axes), max((len(axis.levels) for axis in axes), default=0)), np.inf)
    for i, axis in enumerate(axes):
        of_leaf = [np.bincount(lattice.codes[i], each, axis.leaves) for each in weights]
        for level, width in enumerate(axis.widths):
            of_node = [np.bincount(axis.nodes[level], each, width)[None] for each in of_leaf]
            kept = Counts(np.stack(of_node)).kept(k)[0]
            gone = rows - kept.sum()
            if gone <= limit:
                alone[i, level] = _cost(kept, axis, level, gone)
    return alone


def _cost(kept: Floats, axis: Axis, level: int, gone: float) -> float:
    """What an axis costs at a level with so many rows kept in each of its nodes, and so many gone."""
    costs = np.empty(axis.widths[level])
    costs[axis.nodes[level]] = axis.cost[level]
    return float(kept @ costs + gone * axis.weight) * EXACT


def above(axis: Axis, level: int) -> Codes:
    """The node on the next level above each node."""
    up = np.empty(axis.widths[level], np.int32)
    up[axis.nodes[level]] = axis.nodes[level + 1]
    return up
