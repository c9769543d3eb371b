"""From a profile to a recoding: the promise stated as a problem, and the strategy that solves it."""

from __future__ import annotations

from anonym.criteria import LDiversity, TCloseness
from anonym.errors import InternalError
from anonym.pipeline.profile import Profile
from anonym.pipeline.progress import Progress
from anonym.pipeline.recoding import GlobalRecoding, Recoding
from anonym.policy.model import Policy, Sensitive
from anonym.search.problem import Problem


def suppression_limit(policy: Policy, rows: int) -> int:
    """Rows that may be suppressed: the floor of the exact decimal share."""
    return int(policy.guarantee.suppression * rows) if policy.guarantee else 0


def state(policy: Policy, profile: Profile) -> Problem | None:
    """The policy's promise over the profile's cells, or None where there is no quasi-identifier."""
    if policy.guarantee is None or not profile.hierarchies:
        return None
    sensitive = [c.role for c in profile.columns if isinstance(c.role, Sensitive)]
    diversity: list[tuple[int, LDiversity]] = [(i, s.l) for i, s in enumerate(sensitive) if s.l is not None]
    closeness: list[tuple[int, TCloseness]] = [(i, s.t) for i, s in enumerate(sensitive) if s.t is not None]
    return Problem(
        cells=profile.cells,
        hierarchies=profile.hierarchies,
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


def solve(policy: Policy, profile: Profile, progress: Progress) -> Recoding | None:
    """Search. Raises GuaranteeError where no recoding within the limits keeps the promise."""
    problem = state(policy, profile)
    if problem is None:
        return None
    from anonym.search.global_ import solve as solve_global

    progress.stage("searching (compiling at first use)")
    solution = solve_global(problem, budget=policy.search.budget, progress=None)
    if solution.suppressed_rows > problem.limit:
        raise InternalError("the search suppressed more rows than the limit allows")
    return GlobalRecoding(problem, profile, solution, policy.unit)
