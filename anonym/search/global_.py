"""Global recoding: one level per quasi-identifier for the whole table, and whole classes suppressed up to a limit."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from anonym.criteria import Ground
from anonym.errors import InternalError
from anonym.search.branch import BranchAndBound
from anonym.search.budget import Budget, Meter, Progress
from anonym.search.climb import CLIMB_NODES, Climb
from anonym.search.ground import ground_of
from anonym.search.infeasible import refusal, search_of
from anonym.search.judge import Judge, judge_of
from anonym.search.lattice import Lattice, lattice_of, node_costs
from anonym.search.loss import ncp
from anonym.search.problem import Problem, Solution
from anonym.search.profiles import ProfileSearch
from anonym.search.rehearsal import rehearse
from anonym.search.sizes import SizeCost

FULL_NODES = 2_000_000  # lattices above are not expected to be searched in full: the start is worth more
KICKS = 40  # disturbances of the start there
CLIMB, BRANCH = 0.3, 0.85  # shares of the budget spent when the climb, and branch and bound, must have ended
PART_NODES = 4_000  # recodings in each part of the lattice that a bound is put together from

Grounds = dict[int, tuple[Ground, ...]]


def solve(problem: Problem, *, budget: Budget = "default", progress: Progress | None = None) -> Solution:
    """The recoding of least `problem.objective` that keeps every promise.

    Ties go to fewer suppressed rows, then to the lexicographically lowest levels. Past the budget: the best found, with
    a proven bound and `optimal` False. `progress` is told in words what is being done.

    Raises GuaranteeError if no recoding keeps the promise (or none was found within the budget); its `found` holds the
    nearest one. InputError if a sensitive value is missing from a declared order or a hierarchy file.
    """
    _refuse_unlisted_units(problem)
    grounds = grounds_of(problem)
    compile_s = rehearse(problem, progress)
    began = time.process_time()
    meter = Meter(budget, progress)
    lattice = lattice_of(problem)
    search = searched(problem, lattice, judge_of(problem, lattice, grounds), meter)
    best, is_proven = search.incumbent.best, math.isinf(search.open)
    if math.isinf(best.objective):
        raise refusal(problem, grounds, proven=is_proven)
    bound = search.bound if is_proven else max(search.bound, _bound_by_parts(problem, lattice, meter))
    objective = in_units(problem, lattice, best.objective)
    rows, dropped_units = _released(problem, search)
    return Solution(
        strategy="global",
        levels=best.levels,
        kept=rows > 0,
        suppressed_rows=best.gone,
        loss=ncp(problem, best.levels, rows > 0, rows),
        objective=objective,
        bound=objective if is_proven else min(objective, in_units(problem, lattice, bound)),
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


def searched(problem: Problem, lattice: Lattice, judge: Judge, meter: Meter) -> BranchAndBound | ProfileSearch:
    """The search when it has ended."""
    cost = None
    if problem.objective in ("discernibility", "class_size"):
        cost = SizeCost(lattice, problem.objective, problem.k, problem.rows)
    search = search_of(problem, lattice, judge, problem.limit, meter.part(BRANCH), cost)
    if search.root() is None:
        return search  # nothing is possible
    search.offer(tuple(len(axis.levels) - 1 for axis in lattice.axes))  # something to return, however small the budget
    if lattice.nodes > CLIMB_NODES:
        climb = Climb(lattice, judge, problem.rows, problem.limit, meter.part(CLIMB), cost)
        search.offer(climb.run(KICKS if lattice.nodes > FULL_NODES else 0).chosen)
    search.run()
    return search


def _released(problem: Problem, search: BranchAndBound | ProfileSearch) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """(cells,) the rows released of each cell under the best recoding, and the units suppressed as a whole."""
    cells, entry = problem.cells, search.lattice.entry
    if isinstance(search, BranchAndBound):
        owner = np.append(search.owner(search.best.chosen), np.int32(-1))
        return np.where(owner[entry] >= 0, cells.rows, 0), np.empty(0, np.int32)
    dropped = search.dropped(search.incumbent.best.chosen)
    stays = ~np.isin(cells.shared_unit, dropped) & (entry[cells.shared_cell] >= 0)
    rows = np.bincount(cells.shared_cell[stays], weights=cells.shared_rows[stays], minlength=cells.count)
    return rows.astype(np.int64), dropped


def _bound_by_parts(problem: Problem, lattice: Lattice, meter: Meter) -> float:
    """The sum of the least costs of disjoint groups of columns, each searched alone under k.

    What a recoding costs on a group is no less than the group's own optimum: with every other column at its coarsest
    its classes only grow and no more rows need be dropped.
    """
    if problem.objective not in ("loss", "entropy"):
        return 0.0
    total = 0.0
    parts = _parts(lattice)
    ends = np.linspace(BRANCH, 1.0, len(parts) + 1)[1:].tolist()
    for i, columns in enumerate(parts):
        part = replace(
            problem,
            cells=replace(problem.cells, codes=np.ascontiguousarray(problem.cells.codes[:, columns])),
            hierarchies=tuple(problem.hierarchies[column] for column in columns),
            weights=tuple(problem.weights[column] for column in columns) if problem.weights else (),
            diversity=(),
            closeness=(),
        )
        smaller = lattice_of(part)
        search = BranchAndBound(smaller, judge_of(part, smaller, {}), part.rows, part.limit, meter.part(ends[i]))
        search.run()
        total += search.bound
    return total


def _parts(lattice: Lattice) -> list[list[int]]:
    """Columns in groups of at most PART_NODES recodings, those of most levels together."""
    parts: list[list[int]] = [[]]
    nodes = 1
    for axis in reversed(lattice.axes):
        nodes *= len(axis.levels)
        if nodes > PART_NODES and parts[-1]:
            parts.append([])
            nodes = len(axis.levels)
        parts[-1].append(axis.column)
    return parts


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
