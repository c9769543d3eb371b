"""From a profile to a recoding: the promise stated as a problem, and the strategy that solves it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import polars as pl

from anonym.criteria import LDiversity, TCloseness
from anonym.errors import Fault, GuaranteeError, InternalError, PolicyError
from anonym.hierarchy.floors import raised
from anonym.io import Source
from anonym.pipeline.local_recoding import LocalRecoding, coded_records, vocabulary
from anonym.pipeline.profile import MOST_CELLS, Profile
from anonym.pipeline.progress import Progress
from anonym.pipeline.recoding import NOTHING, GlobalRecoding, Recoding, Spent
from anonym.pipeline.replanned import PLANNED
from anonym.policy.model import Policy, Quasi, Sensitive
from anonym.search.local.records import LocalSolution
from anonym.search.problem import Problem, Solution

LOCAL_CELLS = 250_000  # beyond, a search of minutes is for those who ask for `local`
NO_GAIN = 0.98  # a global plan can be used again for the next batch: worth two percent of loss
NARROWED = "local recoding is more open to downcoding, which `strategy: global` avoids"


def suppression_limit(policy: Policy, rows: int) -> int:
    """Rows that may be suppressed: the floor of the exact decimal share."""
    return int(Fraction(policy.guarantee.suppression) * rows) if policy.guarantee else 0  # a Decimal would round it


def state(policy: Policy, profile: Profile) -> Problem | None:
    """The policy's promise over the profile's cells, or None where there is no quasi-identifier."""
    if policy.guarantee is None or not profile.hierarchies:
        return None
    sensitive = [c.role for c in profile.columns if isinstance(c.role, Sensitive)]
    diversity: list[tuple[int, LDiversity]] = [(i, s.l) for i, s in enumerate(sensitive) if s.l is not None]
    closeness: list[tuple[int, TCloseness]] = [(i, s.t) for i, s in enumerate(sensitive) if s.t is not None]
    return Problem(
        cells=profile.cells,
        hierarchies=raised(profile.hierarchies, profile.floors) if profile.floors else profile.hierarchies,
        k=policy.guarantee.k,
        limit=suppression_limit(policy, profile.rows),
        rows=profile.rows,
        lost=uncovered_rows(profile),
        diversity=tuple(diversity),
        closeness=tuple(closeness),
        weights=tuple(quasi.weight for _, quasi in profile.quasi),
        objective=policy.search.objective,
        profiles=bool(profile.linking) and policy.guarantee.linkable is None,
    )


def uncovered_rows(profile: Profile) -> int:
    """Rows with a value that its hierarchy lacks, under `uncovered: suppress`: the cells leave them out."""
    return profile.rows - profile.cells.total_rows


def solve(
    policy: Policy,
    profile: Profile,
    source: Source,
    progress: Progress,
    *,
    is_planned: bool = False,
    keeps_plan: bool = False,
) -> Recoding | None:
    """Search; `is_planned` where an earlier plan has fixed the levels, so that only classes can fail. With `keeps_plan`
    a later batch can follow local classes, too.

    Raises GuaranteeError where no recoding within the limits keeps the promise.
    """
    problem = state(policy, profile)
    if problem is None:
        return None
    wanted, why = ("global", PLANNED) if is_planned else _wanted(policy, problem, profile, keeps_plan)
    if wanted == "global":
        why = "; ".join([why, *_left_out(profile)]) if why else ""
        recoding: Recoding = GlobalRecoding(
            problem, profile, _globally(problem, profile, policy, progress), policy.unit, why
        )
    else:
        recoding = _locally(problem, profile, policy, source, progress)
    if recoding.found.suppressed_rows > problem.limit:
        raise InternalError("the search suppressed more rows than the limit allows")
    return recoding


def _wanted(policy: Policy, problem: Problem, profile: Profile, keeps_plan: bool) -> tuple[str, str]:
    """Global or local, and why where the policy leaves it open.

    Raises PolicyError where local recoding is asked for and cannot be had.
    """
    strategy, forms = policy.search.strategy, [c.form for c in policy.columns.values() if isinstance(c, Quasi)]
    against = list(_against_local(policy, problem, profile, keeps_plan))
    if strategy == "local" or (strategy == "auto" and "set" in forms):
        if against:
            raise PolicyError([Fault("search.strategy", f"local recoding cannot be had here: {against[0]}")])
        return "local", ""
    if strategy == "auto" and against:
        return "global", f"auto: global, for {against[0]}"
    return ("global", "") if strategy == "global" else ("auto", "")


def _against_local(policy: Policy, problem: Problem, profile: Profile, keeps_plan: bool) -> Iterator[str]:
    if problem.profiles:
        yield "a unit's rows can be joined in the release, and k over unit profiles needs one level a column"
    if policy.batch == "union" and not keeps_plan:
        yield "with batch: union every batch follows one plan, and --secret-plan is not there to keep a local one"
    if problem.objective != "loss":
        yield f"local recoding minimises loss, and the objective is {problem.objective}"
    if (problem.cells.count > LOCAL_CELLS or profile.raised) and policy.search.strategy == "auto":
        yield f"there are more than {LOCAL_CELLS:,} distinct combinations"


def _globally(problem: Problem, profile: Profile, policy: Policy, progress: Progress) -> Solution:
    from anonym.search.global_ import solve as solve_global

    progress.stage("searching (compiling at first use)")
    budget = "default" if policy.search.budget[0] == "tries" else policy.search.budget
    solution = solve_global(problem, budget=budget, threads=pl.thread_pool_size(), progress=progress.stage)
    if not profile.raised:
        return solution
    return replace(solution, optimal=False, bound=0.0, why="; ".join([solution.why, *_left_out(profile)]))


def _left_out(profile: Profile) -> list[str]:
    """Which finer levels were not looked at, and why."""
    names = ", ".join(profile.raised)
    return [f"with finer {names} left out, for over {MOST_CELLS:,} distinct combinations"] if names else []


def _locally(problem: Problem, profile: Profile, policy: Policy, source: Source, progress: Progress) -> Recoding:
    """The best local recoding found, or under `auto` the best global one where that loses as little."""
    from anonym.search.local.solve import solve as solve_local

    try:
        best: Solution | None = _globally(problem, profile, policy, progress)
    except GuaranteeError:
        best = None  # rows that no level for all could keep may still find a class of their own
    progress.stage("counting records", profile.rows)
    coded = coded_records(profile, source, policy.unit)
    forms = [quasi.form for _, quasi in profile.quasi]
    solution = solve_local(
        problem,
        coded.records,
        vocabulary=[vocabulary(hierarchy, form) for hierarchy, form in zip(profile.hierarchies, forms, strict=True)],
        budget="default" if policy.search.budget[0] == "nodes" else policy.search.budget,
        seed=policy.seed,
        threads=pl.thread_pool_size(),
        start=best,
        progress=progress.stage,
    )
    is_open = policy.search.strategy == "auto" and "set" not in forms
    if is_open and best is not None and solution.loss >= NO_GAIN * best.loss:
        why = f"auto: global, for {_compared(solution, best)}"
        return GlobalRecoding(problem, profile, best, policy.unit, why, _spent(solution))
    why = f"auto: local, for {_compared(solution, best)}, but {NARROWED}" if is_open else _compared(solution, best)
    return LocalRecoding(problem, profile, coded, solution, f"{why}; {solution.why}", _spent(best))


def _spent(solution: Solution | LocalSolution | None) -> Spent:
    return NOTHING if solution is None else Spent(solution.cpu_s, solution.compile_s)


def _compared(local: LocalSolution, best: Solution | None) -> str:
    if best is None:
        return f"local recoding loses {local.loss:.4f} (NCP) and no global recoding was found that keeps the promise"
    return f"local recoding loses {local.loss:.4f} (NCP) and the best global recoding {best.loss:.4f}"
