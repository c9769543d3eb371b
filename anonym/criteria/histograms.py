"""Histograms of one sensitive column over equivalence classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ClassHistograms:
    """How one sensitive column's values lie in each class, sparse.

    The entries of class c are `start[c]:start[c + 1]`; `value` (entries,) holds value codes below `size`, distinct
    within a class; `weight` (entries,) is positive: rows, or weights of units.
    """

    start: NDArray[np.int64]  # (classes + 1,)
    value: NDArray[np.int32]
    weight: NDArray[np.float64]
    size: int

    @classmethod
    def of(
        cls, owner: NDArray[np.int32], value: NDArray[np.int32], weight: NDArray[np.float64], classes: int, size: int
    ) -> ClassHistograms:
        """From loose entries: the class of each entry (-1: none), its value code and its weight."""
        from anonym.criteria import kernels

        return cls(*kernels.tabulate(owner, value, weight, classes, size), size)

    @property
    def classes(self) -> int:
        return int(self.start.size - 1)

    def totals(self) -> NDArray[np.float64]:
        """The weight of each class: (classes,)."""
        from anonym.criteria import kernels

        return kernels.totals(self.start, self.weight)

    def pooled(self, keep: NDArray[np.bool_]) -> NDArray[np.float64]:
        """The weight of each value over the classes kept: (size,)."""
        from anonym.criteria import kernels

        return kernels.pooled(self.start, self.value, self.weight, keep, self.size)

    def folded(self, fold: NDArray[np.int32]) -> ClassHistograms:
        """The same with values of equal `fold` taken as one, and values of fold -1 (null) left out."""
        owner = np.repeat(np.arange(self.classes, dtype=np.int32), np.diff(self.start))
        size = int(fold.max(initial=-1)) + 1
        return ClassHistograms.of(owner, fold[self.value], self.weight, self.classes, size)
