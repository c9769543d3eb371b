"""Compiling ahead: a search over a few invented cells runs every kernel that the real one needs."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import numpy as np
import polars as pl

from anonym.criteria import DistinctL, EntropyL, Ground, LDiversity, RecursiveL, TCloseness
from anonym.hierarchy.model import Cells, SensitiveCounts
from anonym.search.branch import BranchAndBound
from anonym.search.budget import Meter, Progress
from anonym.search.climb import CLIMB_NODES, Climb
from anonym.search.coarser import LARGE, CoarserTables
from anonym.search.invented import binary
from anonym.search.judge import judge_of
from anonym.search.lattice import lattice_of
from anonym.search.pairs import READS, pairs_of
from anonym.search.problem import Problem
from anonym.search.profiles import ProfileSearch

NONE = np.empty(0, np.int32)
GROUNDS = {
    "equal": Ground("equal", 2),
    "ordered": Ground("ordered", 2, order=np.arange(2, dtype=np.int32)),
    "hierarchical": Ground("hierarchical", 2, tree=np.arange(2, dtype=np.int32).reshape(1, 2)),
}
DIVERSITY: dict[type[LDiversity], LDiversity] = {
    DistinctL: DistinctL(1),
    EntropyL: EntropyL(1.5),
    RecursiveL: RecursiveL(1.5, 2),
}
_done: set[tuple[object, ...]] = set()


def rehearse(problem: Problem, progress: Progress | None) -> float:
    """Compile what the problem needs and this process has not compiled yet; the CPU seconds that it took."""
    kinds = {type(diversity) for _, diversity in problem.diversity}
    distances = {closeness.distance for _, closeness in problem.closeness}
    is_climbed = math.prod(h.coarsest - h.finest + 1 for h in problem.hierarchies) > CLIMB_NODES
    is_large, has_units = problem.cells.count > LARGE, problem.cells.units is not None
    part = (has_units, problem.profiles, is_climbed, is_large, frozenset(kinds), frozenset(distances))
    if part in _done:
        return 0.0
    if progress is not None:
        progress("compiling")
    began = time.process_time()
    closeness = tuple(TCloseness(0.5) for _ in distances)
    tiny = replace(
        _tiny(with_units=has_units),
        diversity=tuple((0, DIVERSITY[kind]) for kind in DIVERSITY if kind in kinds),
        closeness=tuple((0, each) for each in closeness),
    )
    lattice = lattice_of(tiny)
    judge = judge_of(tiny, lattice, {0: tuple(GROUNDS[distance] for distance in sorted(distances))})
    search = BranchAndBound(lattice, judge, tiny.rows, tiny.limit, lambda _: True)
    search.pairs = pairs_of(lattice, judge.at_most(), tiny.k, tiny.rows, tiny.limit, READS)
    search.run()
    if is_large:
        CoarserTables(tiny, Meter("default", None)).first()
    if is_climbed:
        Climb(lattice, judge, tiny.rows, tiny.limit, lambda _: True).run(kicks=0)
    if problem.profiles:
        ProfileSearch(tiny, lattice, judge, tiny.limit, lambda _: True).run()
    _done.add(part)
    return time.process_time() - began


def _tiny(*, with_units: bool) -> Problem:
    codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.int32)
    rows = np.array([5, 1, 3, 3], np.int64)
    cell, value = np.arange(8, dtype=np.int32) // 2, np.arange(8, dtype=np.int32) % 2
    shared = np.array([0, 0], np.int32) if with_units else NONE
    places = np.array([0, 1], np.int32) if with_units else NONE
    column = SensitiveCounts(
        "", pl.Series([0, 1]), np.arange(2, dtype=np.int32), cell, value, np.ones(8), shared, places, places
    )
    units = rows.copy() if with_units else None
    cells = Cells(codes, rows, units, shared, places, shared.astype(np.int64), (column,))
    return Problem(cells, (binary(), binary()), 2, 12, 12)
