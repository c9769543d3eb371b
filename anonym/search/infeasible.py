"""Why no recoding keeps the promise, and which promise near it holds. Counts and column names only, never a value."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonym.criteria import DistinctL, EntropyL, Ground, KAnonymity, LDiversity, RecursiveL
from anonym.errors import GuaranteeError
from anonym.search.branch import BranchAndBound
from anonym.search.incumbent import Levels
from anonym.search.judge import Asked, Classes, Judge, judge_of, settle
from anonym.search.lattice import Lattice, lattice_of
from anonym.search.problem import Problem
from anonym.search.profiles import ProfileSearch
from anonym.search.sizes import SizeCost

CHECKS = 400  # spent on looking for the recoding that suppresses least
STEP_CHECKS = 100, 2000  # spent on looking for one that keeps a promise nearer to what is asked, at least and at most
STEP_READS = 2_000_000  # of cells, in between
FINE = 10_000  # steps in which entropy, c and t are weakened: 1 / FINE
Grounds = dict[int, tuple[Ground, ...]]


@dataclass(frozen=True)
class Case:
    """A recoding: its classes, none dropped but for rows that are lost from the start, and what a judge suppresses."""

    levels: Levels
    classes: Classes
    gone: Callable[[Judge], int]


@dataclass(frozen=True)
class Promise:
    """A weaker form of one criterion, and the judge that asks for it instead."""

    criterion: str
    column: str | None
    value: float
    judge: Judge

    def __str__(self) -> str:
        return f"{self.criterion} = {self.value:g}" + ("" if self.column is None else f" of column {self.column}")


@dataclass(frozen=True)
class Weakening:
    """Weaker and weaker forms of one criterion, by its value in steps of 1 / `fine`."""

    criterion: str
    column: str | None
    asked: float
    steps: Sequence[int]  # away from what is asked, those that may do for the classes of a case
    judge: Callable[[float], Judge]
    fine: int = 1

    def at(self, step: int) -> Promise:
        value = step if self.fine == 1 else step / self.fine
        return Promise(self.criterion, self.column, value, self.judge(value))

    def nearer(self, step: int) -> Sequence[int]:
        """All steps between what is asked and `step`."""
        away = 1 if step > self.asked * self.fine else -1
        return range(away * (math.floor(away * self.asked * self.fine + 1e-6) + 1), step, away)


def refusal(problem: Problem, grounds: Grounds, *, proven: bool) -> GuaranteeError:
    """The error for a problem without a solution: `found` carries the nearest one and what it misses."""
    lattice = lattice_of(replace(problem, objective="suppression", weights=()))
    judge = judge_of(problem, lattice, grounds)
    least, coarsest = _least_suppressing(problem, lattice, judge), _coarsest(lattice)
    cases = [_case(problem, lattice, judge, chosen) for chosen in dict.fromkeys((coarsest, least))]
    cases.sort(key=lambda case: case.gone(judge))  # the coarsest first if no other suppresses less
    nearest = list(_nearest(problem, lattice, judge, cases))
    gone = cases[0].gone(judge)
    found = {
        "levels": {h.column: level for h, level in zip(problem.hierarchies, cases[0].levels, strict=True)},
        "k": int(cases[0].classes.members.min()) if len(cases[0].classes.members) else None,
        "suppressed_rows": gone,
        "limit": problem.limit,
        "failing": list(_failing(problem, judge, cases[0])),
        "nearest": [{"criterion": "suppression", "column": None, "value": gone}]
        + [{"criterion": p.criterion, "column": p.column, "value": p.value} for p in nearest],
        "proven": proven,
    }
    instead = [f"suppression of {_share(gone, problem.rows)}", *map(str, nearest)]
    return GuaranteeError(_message(problem, found, instead), found)


def _message(problem: Problem, found: dict[str, Any], instead: list[str]) -> str:
    over = " over unit profiles" if problem.profiles else ""
    asked = f"k = {problem.k}{over} with at most {_share(problem.limit, problem.rows)} suppressed"
    if problem.diversity or problem.closeness:
        asked += ", and l and t as declared"
    head = f"no recoding keeps the promise ({asked})"
    if not found["proven"]:
        head = f"no recoding that keeps the promise was found within the budget ({asked}); none is proven impossible"
    lines = [head, f"the nearest suppresses {_share(found['suppressed_rows'], problem.rows)}"]
    lines += [f"  {failure['text']}" for failure in found["failing"]]
    return "\n".join([*lines, "what holds instead: " + "; or ".join(instead)])


def _share(rows: int, of: int) -> str:
    return f"{rows:,} of {of:,} rows ({100 * rows / max(of, 1):.4g} %)"


def _least_suppressing(problem: Problem, lattice: Lattice, judge: Judge) -> Levels:
    """The level numbers of the recoding that suppresses least, as far as a short search finds it."""
    left = iter(range(CHECKS))
    search = search_of(problem, lattice, judge, problem.rows, lambda _: next(left, None) is not None)
    search.offer(_coarsest(lattice))
    search.run()
    return search.incumbent.best.chosen


def _coarsest(lattice: Lattice) -> Levels:
    return tuple(len(axis.levels) - 1 for axis in lattice.axes)


def search_of(
    problem: Problem,
    lattice: Lattice,
    judge: Judge,
    limit: int,
    step: Callable[[int], bool],
    size_cost: SizeCost | None = None,
) -> BranchAndBound | ProfileSearch:
    """The search that fits the problem: over classes, or over unit profiles."""
    if problem.profiles:
        return ProfileSearch(problem, lattice, judge, limit, step, size_cost)
    return BranchAndBound(lattice, judge, problem.rows, limit, step, size_cost)


def _case(problem: Problem, lattice: Lattice, judge: Judge, chosen: Levels) -> Case:
    everything = replace(judge, k=KAnonymity(1), asked=())
    search = BranchAndBound(lattice, everything, problem.rows, problem.rows, lambda _: True)
    owner, depth = search.owner(chosen), len(lattice.axes)
    count = int(owner.max(initial=-1)) + 1
    rows = np.bincount(owner, weights=lattice.depths[-1].rows, minlength=count).astype(np.int64)
    members = np.bincount(owner, weights=judge.members[-1].own, minlength=count).astype(np.int64)
    judge.count_shared(depth, owner, members)
    classes = Classes(depth, owner, rows, members)

    def gone(other: Judge) -> int:
        if problem.profiles:
            node = ProfileSearch(problem, lattice, other, problem.rows, lambda _: True).walk(chosen)
            return problem.rows if node is None else node.gone
        holds = settle(other, classes, other.k.holds(members))
        return problem.rows - int(rows[holds].sum())

    return Case(search.incumbent.levels(chosen), classes, gone)


def _failing(problem: Problem, judge: Judge, case: Case) -> Iterator[dict[str, Any]]:
    """What each criterion by itself says of the classes, none dropped."""
    members = case.classes.members
    if problem.profiles:
        gone = case.gone(replace(judge, asked=()))
        if gone:
            text = f"k over unit profiles: {judge.k.k} required, short for units of {gone:,} rows"
            yield {"criterion": "k", "column": None, "rows": gone, "required": judge.k.k, "text": text}
    else:
        yield from _failure(case, judge.k.holds(members), "k", None, judge.k.k, members, min)
    everything = np.ones(case.classes.count, np.bool_)
    for i, asked in enumerate(judge.asked):
        table = judge.histograms(case.classes, i)
        column = problem.cells.sensitive[asked.column].column
        for diversity in asked.diversity:
            folded = table.folded(judge.folds[i])
            achieved, holds = judge.diversity(diversity, folded, members)
            name, required, worst = _described(diversity)
            yield from _failure(case, holds, name, column, required, achieved, worst)
        for closeness, ground in asked.closeness:
            distances = ground.distances(table, table.pooled(everything))
            yield from _failure(case, closeness.holds(distances), "t", column, closeness.max, distances, max)


def _described(diversity: LDiversity) -> tuple[str, float, Callable[..., Any]]:
    if isinstance(diversity, RecursiveL):
        return f"c of recursive (c, {diversity.l})-diversity", diversity.c, max
    return ("distinct l" if isinstance(diversity, DistinctL) else "entropy l"), diversity.l, min


def _failure(
    case: Case,
    holds: NDArray[np.bool_],
    criterion: str,
    column: str | None,
    required: float,
    achieved: NDArray[Any],
    worst: Callable[..., Any],
) -> Iterator[dict[str, Any]]:
    if holds.all():
        return
    classes, rows, reached = int((~holds).sum()), int(case.classes.rows[~holds].sum()), worst(achieved.tolist())
    of = "" if column is None else f" of column {column}"
    text = f"{criterion}{of}: {required:g} required, {reached:g} reached, short in {classes:,} classes of {rows:,} rows"
    yield {
        "criterion": criterion,
        "column": column,
        "classes": classes,
        "rows": rows,
        "required": required,
        "achieved": reached if math.isfinite(reached) else None,
        "text": text,
    }


def _nearest(problem: Problem, lattice: Lattice, judge: Judge, cases: Sequence[Case]) -> Iterator[Promise]:
    """For each criterion, the nearest value of it alone that would do, where one does."""

    def fits(promise: Promise) -> bool:
        return any(case.gone(promise.judge) <= problem.limit for case in cases)

    def is_found(promise: Promise) -> bool:
        return fits(promise) or _is_possible(problem, lattice, promise.judge)

    for weaker in _weakenings(problem, judge, cases[0]):
        holding = _first(weaker, weaker.steps, fits)
        if holding is not None:
            nearer = _first(weaker, weaker.nearer(holding), is_found)
            yield weaker.at(holding if nearer is None else nearer)


def _is_possible(problem: Problem, lattice: Lattice, judge: Judge) -> bool:
    """Whether a short search finds a recoding within the limit."""
    least, most = STEP_CHECKS
    left = iter(range(min(most, max(least, STEP_READS // max(problem.cells.count, 1)))))
    search = search_of(
        problem,
        lattice,
        judge,
        problem.limit,
        lambda _: next(left, None) is not None and math.isinf(search.incumbent.best.objective),
    )
    search.run()
    return not math.isinf(search.incumbent.best.objective)


def _first(weaker: Weakening, steps: Sequence[int], holds: Callable[[Promise], bool]) -> int | None:
    """The first that holds, where all after one that holds do too; checked, as that is not certain under t."""
    low, high, found = 0, len(steps), None
    while low < high:
        middle = (low + high) // 2
        if holds(weaker.at(steps[middle])):
            high, found = middle, steps[middle]
        else:
            low = middle + 1
    return found


def _weakenings(problem: Problem, judge: Judge, case: Case) -> Iterator[Weakening]:
    """For each criterion, weaker and weaker forms of it."""
    k = judge.k.k
    yield Weakening("k", None, k, range(k - 1, 0, -1), lambda value: replace(judge, k=KAnonymity(int(value))))
    for i, asked in enumerate(judge.asked):
        column = problem.cells.sensitive[asked.column].column
        table = judge.histograms(case.classes, i)
        folded = table.folded(judge.folds[i])
        for at, diversity in enumerate(asked.diversity):
            name, value, _ = _described(diversity)
            steps = _weaker(diversity, judge.diversity(diversity, folded, case.classes.members)[0])
            fine = 1 if isinstance(diversity, DistinctL) else FINE
            yield Weakening(name, column, value, steps, partial(_with_l, judge, i, at), fine)
        for at, (closeness, ground) in enumerate(asked.closeness):
            distances = ground.distances(table, table.pooled(np.ones(case.classes.count, np.bool_)))
            steps = _steps(distances[distances > closeness.max])
            yield Weakening("t", column, closeness.max, steps, partial(_with_t, judge, i, at), FINE)


def _weaker(diversity: LDiversity, achieved: NDArray[Any]) -> Sequence[int]:
    if isinstance(diversity, DistinctL):
        return range(diversity.l - 1, 0, -1)
    if isinstance(diversity, EntropyL):
        return [-step for step in _steps(-achieved[(achieved >= 1) & (achieved < diversity.l)])]
    return _steps(achieved[np.isfinite(achieved) & (achieved >= diversity.c)] + 1 / FINE)


def _steps(values: NDArray[np.float64]) -> list[int]:
    """Distinct values from the least on, rounded up."""
    steps: list[int] = np.unique(np.ceil(values * FINE - 1e-6).astype(np.int64)).tolist()
    return steps


def _with_l(judge: Judge, i: int, at: int, value: float) -> Judge:
    asked = judge.asked[i]
    diversity = _at(asked.diversity[at], value)
    return _with(judge, i, replace(asked, diversity=(*asked.diversity[:at], diversity, *asked.diversity[at + 1 :])))


def _at(diversity: LDiversity, value: float) -> LDiversity:
    if isinstance(diversity, RecursiveL):
        return replace(diversity, c=value)
    return replace(diversity, l=value) if isinstance(diversity, EntropyL) else replace(diversity, l=int(value))


def _with_t(judge: Judge, i: int, at: int, value: float) -> Judge:
    asked = judge.asked[i]
    closeness, ground = asked.closeness[at]
    changed = (*asked.closeness[:at], (replace(closeness, max=value), ground), *asked.closeness[at + 1 :])
    return _with(judge, i, replace(asked, closeness=changed))


def _with(judge: Judge, i: int, asked: Asked) -> Judge:
    return replace(judge, asked=(*judge.asked[:i], asked, *judge.asked[i + 1 :]))
