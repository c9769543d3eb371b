"""What a refusal says is true: no recoding is within the limit, and every promise it names instead can be kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from naive import search as naive
from naive.search_problems import problem_of, skewed_table, tables

from anonym.criteria import DistinctL, EntropyL, RecursiveL
from anonym.errors import GuaranteeError
from anonym.search.global_ import solve
from anonym.search.problem import Problem

EXAMPLES = settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hierarchies")


def weaker(problem: Problem, promise: dict[str, Any]) -> Problem:
    """The problem that asks for the promise instead."""
    criterion, column, value = promise["criterion"], promise["column"], promise["value"]
    if criterion == "suppression":
        return replace(problem, limit=value)
    if criterion == "k":
        return replace(problem, k=value)
    kinds = {"distinct l": DistinctL, "entropy l": EntropyL}
    kind = kinds.get(criterion, RecursiveL)

    def change(asked: Any) -> Any:
        if criterion == "t":
            return replace(asked, max=value)
        return replace(asked, **({"c": value} if kind is RecursiveL else {"l": value}))

    named = [s.column for s in problem.cells.sensitive]
    hit = [i for i, (_, l) in enumerate(problem.diversity) if criterion != "t" and isinstance(l, kind)]  # noqa: E741
    hit = [i for i in hit if named[problem.diversity[i][0]] == column]
    diversity = tuple((s, change(l) if i in hit[:1] else l) for i, (s, l) in enumerate(problem.diversity))  # noqa: E741
    hit = [i for i, (s, _) in enumerate(problem.closeness) if criterion == "t" and named[s] == column]
    closeness = tuple((s, change(t) if i in hit[:1] else t) for i, (s, t) in enumerate(problem.closeness))
    return replace(problem, diversity=diversity, closeness=closeness)


def refused_with_promises_that_hold(table: naive.Table, folder: Path, *, profiles: bool) -> None:
    problem = problem_of(table, folder, profiles=profiles)
    with pytest.raises(GuaranteeError) as error:
        solve(problem)
    found = error.value.found
    assert found["proven"]
    assert found["suppressed_rows"] > problem.limit
    assert found["failing"] or found["suppressed_rows"] == table_lost(table)
    for promise in found["nearest"]:
        solution = solve(weaker(problem, promise))
        assert solution.suppressed_rows <= max(problem.limit, found["suppressed_rows"])


def table_lost(table: naive.Table) -> int:
    """Rows suppressed from the start."""
    return sum(any(code in c.lost for code, c in zip(row[0], table.columns, strict=True)) for row in table.rows)


def one_of_a_kind(table: naive.Table) -> bool:
    """Whether a promise names one criterion: it says column and kind only."""
    named = [(a.column, "t" if a.kind in ("equal", "ordered", "hierarchical") else a.kind) for a in table.asked]
    return len(named) == len(set(named))


@EXAMPLES
@given(table=tables(), profiles=st.booleans())
def test_of_any_table(folder: Path, table: naive.Table, profiles: bool) -> None:
    table = replace(table, units=table.units or profiles)
    assume(one_of_a_kind(table) and naive.best(table, profiles=profiles) is None)
    refused_with_promises_that_hold(table, folder, profiles=profiles)


@EXAMPLES
@given(seed=st.integers(0, 2**32), profiles=st.booleans())
def test_of_a_table_with_room(folder: Path, seed: int, profiles: bool) -> None:
    table = skewed_table(seed, units=True if profiles else None)
    table = replace(table, limit=max(table.limit - 1, 0), k=table.k + 1)
    assume(naive.best(table, profiles=profiles) is None)
    refused_with_promises_that_hold(table, folder, profiles=profiles)
