"""A good recoding of a table with many cells: coarser tables of few cells are searched in its stead.

Recodings that keep k have few classes, so most of what many cells tell is lost in each of them. First all columns begin
at coarser levels, the cheapest for what they merge (`hierarchy.floors`). Then the best recoding found is opened: two
columns may be a level finer, and all of them coarser, as long as something better is found. What comes out is judged
again over all cells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from anonym.hierarchy.floors import Floors, cost_and_entropy, floors, raised
from anonym.hierarchy.model import Cells, Hierarchy, SensitiveCounts
from anonym.search import kernels
from anonym.search.budget import Meter
from anonym.search.incumbent import Best, Levels
from anonym.search.problem import Problem

Codes = NDArray[np.int32]
Ints = NDArray[np.int64]

LARGE = 200_000  # cells of a table for which a good recoding is sought among coarser ones
ROOM = 100_000  # cells of the first of these
MERGE = 3  # prefixes that are read in the time it takes to merge a cell
ROUNDED = 1 - 1e-9  # sums of costs round

Search = Callable[[Problem, Levels, Meter], Best]  # the best of a table, which may know one; levels by column


def best_of_coarser(problem: Problem, search: Search, meter: Meter) -> Best:
    """The best recoding found before the meter is spent; without levels if there is none."""
    tables = CoarserTables(problem, meter)
    first = tables.first()
    best, goes_on = search(first, (), meter) if first is not None else Best(), True
    while goes_on and best.levels:
        goes_on = False
        for levels in tables.opened(best.levels):
            if meter.used() >= 1.0:
                return best
            table = tables.at(levels, LARGE)
            found = search(table, best.levels, meter) if table is not None else Best()
            if found.objective < best.objective * ROUNDED:
                best, goes_on = found, True
                break
    return best


class CoarserTables:
    """Tables of one problem with coarser levels the finest allowed, and cells that agree there made one.

    Cells are told apart by 64-bit sums of random words, one a node.
    """

    def __init__(self, problem: Problem, meter: Meter) -> None:
        self.problem, self.meter = problem, meter
        random = np.random.default_rng(0)
        self.codes = np.array(problem.cells.codes, np.int32, order="C")
        self.words = [
            random.integers(0, 2**64, int(hierarchy.ancestor.max(initial=0)) + 1, np.uint64)
            for hierarchy in problem.hierarchies
        ]
        self.starts = np.cumsum([0, *(hierarchy.leaves for hierarchy in problem.hierarchies)])[:-1].astype(np.int64)
        self.rows = [
            np.bincount(codes, problem.cells.rows, hierarchy.leaves).astype(np.int64)
            for codes, hierarchy in zip(self.codes.T, problem.hierarchies, strict=True)
        ]

    def first(self) -> Problem | None:
        """The finest of the levels in `hierarchy.floors` that leaves no more than ROOM cells; the coarsest if none, and
        None if that leaves more than LARGE: nothing is gained by it."""
        hierarchies = self.problem.hierarchies
        levels = [tuple(h.finest for h in hierarchies), *floors(hierarchies, self.rows, [False] * len(hierarchies))]
        low, high, table = 0, len(levels) - 1, None
        while low < high:
            middle = (low + high) // 2
            there = self.at(levels[middle], min(ROOM, LARGE))
            if there is not None:
                high, table = middle, there
            else:
                low = middle + 1
        return table or self.at(levels[high], LARGE)

    def opened(self, levels: Levels) -> Iterator[Floors]:
        """The levels with two columns a level finer (or the one that can be), those first that save most for a bit."""
        gains: dict[int, NDArray[np.float64]] = {}  # of a column: the cost that it saves, the bits that it adds
        for j, (hierarchy, level, rows) in enumerate(zip(self.problem.hierarchies, levels, self.rows, strict=True)):
            if level > hierarchy.finest:
                finer, coarser = (cost_and_entropy(hierarchy, at, rows) for at in (level - 1, level))
                gains[j] = np.array([coarser[0] - finer[0], finer[1] - coarser[1]])

        def worth(columns: tuple[int, ...]) -> float:
            saved, bits = np.sum([gains[j] for j in columns], axis=0)
            return float(saved / max(bits, 1e-12))

        several = combinations(gains, min(2, len(gains))) if gains else ()
        for columns in sorted(several, key=worth, reverse=True):
            yield tuple(level - (j in columns) for j, level in enumerate(levels))

    def at(self, levels: Floors, most: int) -> Problem | None:
        """The table with these levels the finest; None if it has more than `most` cells."""
        cells = self.problem.cells
        self.meter.prepare(MERGE * cells.count)
        words = [word[h.ancestor[level]] for h, level, word in zip(self._hierarchies, levels, self.words, strict=True)]
        owner, first, rows = kernels.regroup(self.codes, self.starts, np.concatenate(words), cells.rows, most)
        if first.size > most:
            return None
        return replace(
            self.problem, cells=_merged(cells, owner, first, rows), hierarchies=raised(self._hierarchies, levels)
        )

    @property
    def _hierarchies(self) -> Sequence[Hierarchy]:
        return self.problem.hierarchies


def _merged(cells: Cells, owner: Codes, first: Ints, rows: Ints) -> Cells:
    """Cells of the same owner become one; each unit in several of them is still told."""

    def moved(counts: SensitiveCounts) -> SensitiveCounts:
        return replace(counts, cell=owner[counts.cell], shared_cell=owner[counts.shared_cell])

    return replace(
        cells,
        codes=np.ascontiguousarray(cells.codes[first]),
        rows=rows,
        units=None if cells.units is None else np.bincount(owner, cells.units, rows.size).astype(np.int64),
        shared_cell=owner[cells.shared_cell],
        sensitive=tuple(moved(counts) for counts in cells.sensitive),
    )
