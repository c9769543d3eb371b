"""Looking ahead from a node: what each axis not decided on must cost, tried alone and by k alone.

The cost of a recoding is a sum over axes, and a row that one axis alone makes fail is dropped in the end: an axis costs
at least the least that any of its levels costs alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from anonym.search import kernels
from anonym.search.judge import Judge
from anonym.search.lattice import Lattice

Floats = NDArray[np.float64]
Pairs = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True)
class Outlook:
    """What is known of the axes not decided on: levels still in the running, and the least each axis can cost."""

    allowed: tuple[NDArray[np.bool_], ...]  # an axis: (levels,)
    floor: Floats  # (axes,) over all input rows, suppressed ones included
    is_known: bool = True

    @classmethod
    def open(cls, lattice: Lattice) -> Outlook:
        """Nothing is known yet."""
        allowed = tuple(np.ones(len(axis.levels), np.bool_) for axis in lattice.axes)
        return cls(allowed, np.zeros(len(lattice.axes)), is_known=False)


class NodeView(Protocol):
    """What a node of the search tree shows (see `branch.Node`)."""

    @property
    def depth(self) -> int: ...
    @property
    def order(self) -> NDArray[np.int32]: ...
    @property
    def start(self) -> NDArray[np.int64]: ...
    @property
    def paid(self) -> Floats: ...
    @property
    def drop(self) -> float: ...  # what a suppressed row costs on the axes decided on


@dataclass(frozen=True)
class Alone:
    """One axis decided on besides those of a node, at each of its levels: (levels,)."""

    gone: Floats  # rows suppressed
    part: Floats  # what the axis costs over all input rows
    decided: Floats  # what the axes of the node cost


class Scout:
    """Looks ahead within one search; the tables it reads are built on first use."""

    def __init__(self, lattice: Lattice, judge: Judge, rows: int, limit: int, weights: Floats) -> None:
        self.lattice, self.judge, self.rows, self.limit, self.weights = lattice, judge, rows, limit, weights
        self.reads = 0
        self._pairs: dict[tuple[int, int], Pairs] = {}

    def look(self, node: NodeView, known: Outlook, most: float) -> Outlook | None:
        """The outlook of a node, given that of the node above it; `most` is the objective that is still of interest.

        None if some axis has no level left.
        """
        undecided = range(node.depth, len(self.lattice.axes))
        allowed, floor = [mask.copy() for mask in known.allowed], known.floor.copy()
        alone = {i: self._alone(node, i, allowed[i]) for i in undecided}
        for i, axis in alone.items():
            allowed[i] &= axis.gone <= self.limit
            floor[i] = max(floor[i], _least(axis.part, allowed[i]))
        for i, axis in alone.items():
            others = np.maximum(floor[node.depth :], np.outer(axis.gone, self.weights[node.depth :]))
            others[:, i - node.depth] = axis.part
            allowed[i] &= axis.decided + others.sum(axis=1) <= most
            floor[i] = max(floor[i], _least(axis.part, allowed[i]))
        return Outlook(tuple(allowed), floor) if all(allowed[i].any() for i in undecided) else None

    def _alone(self, node: NodeView, i: int, allowed: NDArray[np.bool_]) -> Alone:
        axis = self.lattice.axes[i]
        keeps, paying, costing, reads = kernels.look(
            node.order, node.start, *self._pairs_of(node.depth, i), axis.nodes, axis.cost, node.paid, allowed,
            self.judge.k.k,
        )  # fmt: skip
        self.reads += reads
        gone = (self.rows - keeps).astype(np.float64)
        return Alone(gone, costing + axis.weight * gone, paying + node.drop * gone)

    def _pairs_of(self, depth: int, i: int) -> Pairs:
        """Distinct (prefix of the depth, leaf of axis i), with their rows and the most members that they can have."""
        if (depth, i) not in self._pairs:
            prefixes, entries, members = self.lattice.depths[depth], self.lattice.depths[-1], self.judge.members[-1]
            most = members.own.copy()
            np.add.at(most, members.shared_prefix, 1)
            self._pairs[depth, i] = kernels.project(
                prefixes.of_entry,
                self.lattice.codes[i],
                entries.rows,
                most,
                prefixes.count,
                self.lattice.axes[i].leaves,
            )
        return self._pairs[depth, i]


def _least(part: Floats, allowed: NDArray[np.bool_]) -> float:
    return float(part[allowed].min(initial=np.inf))
