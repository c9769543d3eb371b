"""Global recoding: one level per quasi-identifier for the whole table, and whole classes suppressed up to a limit."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import nullcontext

import numpy as np
from numpy.typing import NDArray

from anonym.criteria import Ground
from anonym.errors import InternalError
from anonym.search.branch import BranchAndBound
from anonym.search.budget import Budget, Meter, Progress
from anonym.search.climb import CLIMB_NODES, Climb
from anonym.search.coarser import LARGE, best_of_coarser
from anonym.search.ground import ground_of
from anonym.search.incumbent import Best, Levels
from anonym.search.infeasible import refusal, search_of
from anonym.search.judge import Judge, judge_of
from anonym.search.lattice import Lattice, lattice_of, node_costs
from anonym.search.loss import ncp
from anonym.search.pairs import READS, pairs_of
from anonym.search.problem import Problem, Solution
from anonym.search.profiles import ProfileSearch
from anonym.search.rehearsal import rehearse
from anonym.search.sizes import SizeCost
from anonym.search.tails import BUILD, tails

FULL_NODES = 2_000_000  # lattices above are not expected to be searched in full: the start is worth more
KICKS = 60  # disturbances of the start there, as far as the budget goes
DEAR = 3.0  # times a read counts in tables that fit no cache
READS_LARGE = 12_000_000  # entries read there for what pairs of columns cost
COARSER, CLIMB, TAILS, BRANCH = 0.4, 0.4, 0.9, 0.85  # shares of the budget spent when each has ended
LAID = 50  # prefixes that are read in the time it takes to lay out a cell
EACH = 0.5  # of what is left of it, for each coarser table

Grounds = dict[int, tuple[Ground, ...]]
Search = BranchAndBound | ProfileSearch


def solve(
    problem: Problem, *, budget: Budget = "default", threads: int = 1, progress: Progress | None = None
) -> Solution:
    """The recoding of least `problem.objective` that keeps every promise.

    Ties go to fewer suppressed rows, then to the lexicographically lowest levels. Past the budget: the best found, with
    a proven bound and `optimal` False. `progress` is told in words what is being done. The solution is the same for any
    number of threads (but for a budget of seconds): they judge the levels of one column side by side.

    Raises GuaranteeError if no recoding keeps the promise (or none was found within the budget); its `found` holds the
    nearest one. InputError if a sensitive value is missing from a declared order or a hierarchy file.
    """
    _refuse_unlisted_units(problem)
    grounds = grounds_of(problem)
    compile_s = rehearse(problem, progress)
    began = time.process_time()
    meter = Meter(budget, progress)
    lattice = lattice_of(problem)
    meter.prepare(LAID * problem.cells.count)
    with ThreadPoolExecutor(threads) if threads > 1 else nullcontext() as pool:
        search = searched(problem, lattice, judge_of(problem, lattice, grounds), grounds, meter, pool=pool)
    best, is_proven = search.incumbent.best, math.isinf(search.open)
    if math.isinf(best.objective):
        raise refusal(problem, grounds, proven=is_proven)
    objective = in_units(problem, lattice, best.objective)
    rows, dropped_units = _released(problem, search)
    return Solution(
        strategy="global",
        levels=best.levels,
        kept=rows > 0,
        suppressed_rows=best.gone,
        loss=ncp(problem, best.levels, rows > 0, rows),
        objective=objective,
        bound=objective if is_proven else in_units(problem, lattice, search.bound),
        optimal=is_proven,
        checks=meter.checks,
        cpu_s=time.process_time() - began,
        compile_s=compile_s,
        why=_why(lattice, meter, is_proven),
        dropped_units=dropped_units,
    )


def _refuse_unlisted_units(problem: Problem) -> None:
    units = problem.cells.units
    if problem.profiles and (units is None or units.any()):
        raise InternalError("k over unit profiles needs every unit listed in the cells")


def grounds_of(problem: Problem) -> Grounds:
    """The ground distances of each sensitive column, in the order of `problem.closeness`."""
    found: Grounds = {}
    for column, closeness in problem.closeness:
        found[column] = (*found.get(column, ()), ground_of(problem.cells.sensitive[column], closeness))
    return found


def searched(
    problem: Problem,
    lattice: Lattice,
    judge: Judge,
    grounds: Grounds,
    meter: Meter,
    known: Levels = (),
    pool: Executor | None = None,
) -> Search:
    """The search when it has ended. `known` are levels by column to begin with."""
    cost = None
    if problem.objective in ("discernibility", "class_size"):
        cost = SizeCost(lattice, problem.objective, problem.k, problem.rows)
    is_large = problem.cells.count > LARGE
    is_wide = lattice.nodes > FULL_NODES
    step = meter.part(1.0 if is_wide else BRANCH, DEAR if is_large else 1.0)
    search = search_of(problem, lattice, judge, problem.limit, step, cost)
    if isinstance(search, BranchAndBound):
        search.pool = pool
    if search.root() is None:
        return search  # nothing is possible
    search.offer(tuple(len(axis.levels) - 1 for axis in lattice.axes))  # something to return, however small the budget
    if known:
        search.offer(lattice.numbers(known))
    _begin(search, problem, grounds, meter)
    if is_wide and cost is None:
        search.tails = tails(problem, lattice, meter, TAILS)
    search.run()
    if not math.isinf(search.open) and cost is None:
        least = search.tails if is_wide else tails(problem, lattice, meter, 1.0)
        search.open = max(search.open, least[0])
    return search


def _begin(search: Search, problem: Problem, grounds: Grounds, meter: Meter) -> None:
    """Give the search a good recoding to begin with, and what pairs of columns cost."""
    lattice, judge = search.lattice, search.judge
    is_large = problem.cells.count > LARGE
    if is_large and not problem.profiles:
        best = best_of_coarser(problem, _search_of_coarser(grounds), meter.within(COARSER))
        if best.levels:
            search.offer(lattice.numbers(best.levels))
    if isinstance(search, BranchAndBound) and search.size_cost is None:
        reads = READS_LARGE if is_large else READS
        search.pairs = pairs_of(lattice, judge.at_most(), problem.k, problem.rows, problem.limit, reads)
    if lattice.nodes > CLIMB_NODES and (problem.profiles or not is_large):
        climb = Climb(lattice, judge, problem.rows, problem.limit, meter.part(CLIMB), search.size_cost)
        search.offer(climb.run(KICKS if lattice.nodes > FULL_NODES else 0).chosen)


def _search_of_coarser(grounds: Grounds) -> Callable[[Problem, Levels, Meter], Best]:
    """The search of a coarser table, in a part of what is left."""

    def search(problem: Problem, known: Levels, meter: Meter) -> Best:
        meter.prepare(BUILD * problem.cells.count)
        lattice = lattice_of(problem)
        part = meter.within(meter.used() + EACH * (1 - meter.used()))
        return searched(problem, lattice, judge_of(problem, lattice, grounds), grounds, part, known).incumbent.best

    return search


def _released(problem: Problem, search: Search) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """(cells,) the rows released of each cell under the best recoding, and the units suppressed as a whole."""
    cells, entry = problem.cells, search.lattice.entry
    if isinstance(search, BranchAndBound):
        owner = np.append(search.owner(search.best.chosen), np.int32(-1))
        return np.where(owner[entry] >= 0, cells.rows, 0), np.empty(0, np.int32)
    dropped = search.dropped(search.incumbent.best.chosen)
    stays = ~np.isin(cells.shared_unit, dropped) & (entry[cells.shared_cell] >= 0)
    rows = np.bincount(cells.shared_cell[stays], weights=cells.shared_rows[stays], minlength=cells.count)
    return rows.astype(np.int64), dropped


def in_units(problem: Problem, lattice: Lattice, total: float) -> float:
    """A total cost as the objective prints it.

    loss and entropy: the weighted mean over rows and columns, 0 untouched and 1 nothing left. discernibility: over the
    square of the rows. class_size: input rows a class.
    """
    rows, weight = problem.rows, sum(axis.weight for axis in lattice.axes)
    if problem.objective == "discernibility":
        return total / max(rows, 1)
    if problem.objective == "class_size":
        return rows / max(rows - total, 1.0)
    least = _untouched(problem, lattice) if problem.objective == "entropy" else 0.0
    most = rows * weight
    return (total - least) / (most - least) if most > least else 0.0


def _untouched(problem: Problem, lattice: Lattice) -> float:
    """What all rows cost with every column at level 0, suppressed ones too, on the scale of entropy."""
    total = 0.0
    for axis in lattice.axes:
        hierarchy = problem.hierarchies[axis.column]
        costs = node_costs(problem, axis.column)[hierarchy.ancestor[0]]
        total += axis.weight * float((problem.cells.rows * costs[problem.cells.codes[:, axis.column]]).sum())
    return total


def _why(lattice: Lattice, meter: Meter, is_proven: bool) -> str:
    if is_proven:
        return f"best of all {lattice.nodes:,} recodings, proven in {meter.checks:,} checks"
    return f"best found of {lattice.nodes:,} recodings; the budget ended after {meter.checks:,} checks"
