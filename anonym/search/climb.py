"""A good recoding to start from: steepest descent from the coarsest recoding, then single and paired moves.

Branch and bound proves; in a large lattice it needs something good to measure against, and may run out of budget.
Classes are told apart by a 64-bit sum of random words, one a node: what is found is judged again, exactly, later.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonym.search import kernels
from anonym.search.judge import Classes, Judge, settle
from anonym.search.lattice import Lattice
from anonym.search.sizes import SizeCost

CLIMB_NODES = 30_000  # lattices below are searched in full before a start is worth finding

Move = tuple[tuple[int, int], ...]  # (axis, new level number)
Score = tuple[float, float, int]  # rows over the limit, objective, rows suppressed: less is better
ROUNDED = 1e-5  # sums of costs round


@dataclass(frozen=True)
class Place:
    """A recoding: the level number of each axis, and each entry's key and cost under it."""

    chosen: tuple[int, ...]
    key: NDArray[np.uint64]
    paid: NDArray[np.float64]
    score: Score


class Climb:
    """`step` is called once a check with the entries it read; it returns False to end the climb."""

    def __init__(
        self,
        lattice: Lattice,
        judge: Judge,
        rows: int,
        limit: int,
        step: Callable[[int], bool],
        size_cost: SizeCost | None = None,
    ) -> None:
        self.size_cost = size_cost
        self.lattice, self.judge, self.rows, self.limit, self.step = lattice, judge, rows, limit, step
        self.weight = 1.0 if size_cost is not None else sum(axis.weight for axis in lattice.axes)
        self.running = True
        entry_rows = lattice.depths[-1].rows
        self.least = [  # an axis: (levels,) what all rows pay there; suppressed ones pay no less
            axis.cost[:, codes] @ entry_rows for axis, codes in zip(lattice.axes, lattice.codes, strict=True)
        ]
        self.random = np.random.default_rng(0)
        self.words = [
            [self.random.integers(0, 2**64, width, np.uint64, endpoint=False) for width in axis.widths]
            for axis in lattice.axes
        ]

    def run(self, kicks: int) -> Place:
        """The best recoding found; it suppresses too much only if every recoding tried does.

        After the first descent the best is disturbed `kicks` times and improved again.
        """
        best = self._descended(self._coarsest())
        for _ in range(kicks):
            if not self.running or not any(best.chosen):
                break
            there = self._descended(self._kicked(best))
            if there.score <= best.score:
                best = there
        return best

    def _descended(self, place: Place) -> Place:
        """Steepest descent by refinements, then by any change of one axis, then the first better of paired moves."""
        better: Place | None = place
        while better is not None and self.running:
            place = better
            for moves in (self._refinements, self._singles, self._pairs):
                better = self._best(place, moves(place), first=moves == self._pairs)
                if better is not None:
                    break
        return place

    def _kicked(self, place: Place) -> Place:
        """A random axis finer, and others coarser at random until no more than allowed is suppressed."""
        axes = self.lattice.axes
        finer = int(self.random.choice(np.flatnonzero(place.chosen)))
        there = self._moved(place, ((finer, int(self.random.integers(place.chosen[finer]))),))
        while there.score[0] > 0 and self.running:
            free = [i for i, axis in enumerate(axes) if i != finer and there.chosen[i] + 1 < len(axis.levels)]
            if not free:
                break
            i = int(self.random.choice(free))
            there = self._moved(there, ((i, int(self.random.integers(there.chosen[i] + 1, len(axes[i].levels)))),))
        return there

    def _coarsest(self) -> Place:
        entries = self.lattice.depths[-1].count
        place = Place((), np.zeros(entries, np.uint64), np.zeros(entries), (math.inf, math.inf, 0))
        for i, axis in enumerate(self.lattice.axes):
            level = len(axis.levels) - 1
            word = self.words[i][level][axis.nodes[level]]
            key, paid = kernels.rekey(place.key, place.paid, self.lattice.codes[i], word, axis.cost[level])
            place = Place((*place.chosen, level), key, paid, place.score)
        return Place(place.chosen, place.key, place.paid, self._score(place.key, place.paid))

    def _best(self, place: Place, moves: Iterator[Move], *, first: bool) -> Place | None:
        """The best neighbour that is better than `place`, or the first such, the cheapest without suppression first.

        Suppression only adds to that: once it is above the best found the others are not looked at.
        """
        best = None
        paid = sum(float(self.least[i][level]) for i, level in enumerate(place.chosen))
        for added, move in sorted((self._least(place, move), move) for move in moves):
            goal = best or place
            if not self.running or (goal.score[0] == 0.0 and paid + added > goal.score[1] + ROUNDED):
                break
            there = self._moved(place, move)
            if there.score < goal.score:
                best = there
                if first:
                    break
        return best

    def _least(self, place: Place, move: Move) -> float:
        """What a move adds at least to what the rows of `place` pay if none is suppressed."""
        return float(sum(self.least[i][level] - self.least[i][place.chosen[i]] for i, level in move))

    def _moved(self, place: Place, move: Move) -> Place:
        chosen, key, paid = list(place.chosen), place.key, place.paid
        for i, level in move:
            axis, words = self.lattice.axes[i], self.words[i]
            change = words[level][axis.nodes[level]] - words[chosen[i]][axis.nodes[chosen[i]]]
            charge = axis.cost[level] - axis.cost[chosen[i]]
            key, paid = kernels.rekey(key, paid, self.lattice.codes[i], change, charge)
            chosen[i] = level
        return Place(tuple(chosen), key, paid, self._score(key, paid))

    def _score(self, key: NDArray[np.uint64], paid: NDArray[np.float64]) -> Score:
        depth = len(self.lattice.axes)
        entries, members = self.lattice.depths[-1], self.judge.members[-1].own
        owner, rows, count, cost = kernels.group(key, paid, entries.rows, members)
        self.judge.count_shared(depth, owner, count)
        holds = self.judge.k.holds(count)
        if self.judge.asked:
            holds = settle(self.judge, Classes(depth, owner, rows, count), holds)
        self.running &= self.step(owner.size * (1 + len(self.judge.asked)))
        kept, total = kernels.kept(rows, cost, holds)
        if self.size_cost is not None:
            total = self.size_cost.exact(rows, holds)
        gone = self.rows - kept
        return float(max(gone - self.limit, 0)), round(total + gone * self.weight, 6), gone

    def _refinements(self, place: Place) -> Iterator[Move]:
        return (((i, level - 1),) for i, level in enumerate(place.chosen) if level > 0)

    def _singles(self, place: Place) -> Iterator[Move]:
        for i, axis in enumerate(self.lattice.axes):
            yield from (((i, level),) for level in range(len(axis.levels)) if level != place.chosen[i])

    def _pairs(self, place: Place) -> Iterator[Move]:
        """One axis finer, another coarser."""
        for i, level in enumerate(place.chosen):
            for j, axis in enumerate(self.lattice.axes):
                if level > 0 and i != j and place.chosen[j] + 1 < len(axis.levels):
                    yield (i, level - 1), (j, place.chosen[j] + 1)
