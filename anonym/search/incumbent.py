"""The best recoding found so far, and the order in which recodings are preferred."""

from __future__ import annotations

import math
from dataclasses import dataclass

from anonym.search.lattice import Lattice

Levels = tuple[int, ...]


@dataclass(frozen=True)
class Best:
    """The best recoding found: its objective, ties broken by fewer suppressed rows, then by lower levels."""

    objective: float = math.inf
    gone: int = 0
    levels: Levels = ()  # by column of the problem
    chosen: Levels = ()


class Incumbent:
    """The best recoding of one search. Objectives within `tie` of each other are equal: sums round."""

    def __init__(self, lattice: Lattice, tie: float) -> None:
        self.lattice, self.tie = lattice, tie
        self.best = Best()

    def levels(self, chosen: Levels) -> Levels:
        """Levels by column of the problem, axes not decided on at their finest."""
        levels = [0] * len(self.lattice.axes)
        for i, axis in enumerate(self.lattice.axes):
            levels[axis.column] = axis.levels[chosen[i] if i < len(chosen) else 0]
        return tuple(levels)

    def beats(self, bound: float, gone: int, chosen: Levels) -> bool:
        """Whether nothing below a node of this bound, and this many suppressed rows, can come before the best found."""
        if abs(bound - self.best.objective) > self.tie:
            return bound > self.best.objective
        return (gone, self.levels(chosen)) >= (self.best.gone, self.best.levels)

    def take(self, objective: float, gone: int, chosen: Levels) -> None:
        """Take a complete recoding as the best, if it is."""
        if not self.beats(objective, gone, chosen):
            self.best = Best(objective, gone, self.levels(chosen), chosen)
