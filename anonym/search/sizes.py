"""Objectives that look at class sizes only: discernibility and average class size.

Both are a sum over rows of a cost that rises with the size n of the row's class, a suppressed row costing 1:
    discernibility  n / N               N the rows of the input: Σ n² + N x suppressed, over N²
    class_size      1 - 1 / n           rows less number of classes: the least of it is the least average size
A row's class in a recoding is no smaller than k, nor than its class with some axes at the recoding's level and the
others at their finest: that is the bound.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anonym.search import kernels
from anonym.search.lattice import Lattice, pack

Sizes = NDArray[np.int64]
Codes = NDArray[np.int32]


class SizeCost:
    """The cost of class sizes under one objective."""

    def __init__(self, lattice: Lattice, objective: str, k: int, rows: int) -> None:
        self.lattice, self.objective, self.rows = lattice, objective, max(rows, 1)
        entries = lattice.depths[-1]
        self.entry_rows = entries.rows
        self.least = np.maximum(entries.rows, k)
        self.known: dict[tuple[int, int], Sizes] = {}

    def of(self, sizes: Sizes) -> NDArray[np.float64]:
        """What a row costs in classes of these sizes."""
        return sizes / self.rows if self.objective == "discernibility" else 1.0 - 1.0 / np.maximum(sizes, 1)

    def exact(self, rows: Sizes, holds: NDArray[np.bool_]) -> float:
        """Over the classes that hold."""
        return float((rows[holds] * self.of(rows[holds])).sum())

    def at_least(self, floor: Sizes, depth: int, level: int, alive: NDArray[np.bool_], of_entry: Codes) -> float:
        """Over the entries of living prefixes, classes being no smaller than `floor` (entries,) nor than with the axis
        at `depth` at the level and all others at their finest."""
        scale = 1.0 / self.rows if self.objective == "discernibility" else 0.0
        return kernels.size_cost(alive, of_entry, self.entry_rows, floor, self._sizes(depth, level), scale)

    def raised(self, floor: Sizes, depth: int, level: int) -> Sizes:
        """The larger of both bounds."""
        return np.maximum(floor, self._sizes(depth, level))

    def _sizes(self, depth: int, level: int) -> Sizes:
        if (depth, level) not in self.known:
            self.known[depth, level] = self._counted(depth, level)
        return self.known[depth, level]

    def _counted(self, depth: int, level: int) -> Sizes:
        axes = list(enumerate(self.lattice.axes))
        nodes = [axis.nodes[level if i == depth else 0][self.lattice.codes[i]] for i, axis in axes]
        words = pack(nodes, [axis.widths[level if i == depth else 0] for i, axis in axes])
        owner = np.unique(np.stack(words), axis=1, return_inverse=True)[1].reshape(-1)
        sizes: Sizes = np.bincount(owner, weights=self.entry_rows)[owner].astype(np.int64)
        return sizes
