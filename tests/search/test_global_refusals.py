"""What a refusal says is true, by enumeration: no recoding is within the limit, what fails is counted, and every
promise it names instead can be kept, but none a step nearer to what was asked."""

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

EXAMPLES = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


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


def nearer(table: naive.Table, promise: dict[str, Any]) -> naive.Table | None:
    """The table that asks for one step more than the promise; None if that is what it asks already."""
    criterion, value = promise["criterion"], promise["value"]
    if criterion == "suppression":
        return replace(table, limit=value - 1)
    if criterion == "k":
        return replace(table, k=value + 1) if value + 1 < table.k else None
    for i, asked in enumerate(table.asked):
        if f"s{asked.column}" == promise["column"] and name_of(asked) == criterion:
            wanted = asked.value[0] if asked.kind == "recursive" else asked.value
            step = 1 if asked.kind == "distinct" else 1e-4
            closer = round(value + step if value < wanted else value - step, 4)
            if (closer < wanted) != (value < wanted) or closer == wanted:
                return None
            changed = (closer, asked.value[1]) if asked.kind == "recursive" else closer
            return replace(table, asked=[*table.asked[:i], replace(asked, value=changed), *table.asked[i + 1 :]])
    raise AssertionError(criterion)


def name_of(asked: naive.Asked) -> str:
    if asked.kind == "recursive":
        return f"c of recursive (c, {asked.value[1]})-diversity"
    return f"{asked.kind} l" if asked.kind in naive.DIVERSITY else "t"


def short(table: naive.Table, levels: tuple[int, ...]) -> dict[tuple[str, str | None], tuple[int, int]]:
    """(classes, rows) that fail each criterion by itself, none dropped."""
    classes = naive.classes(table, levels)
    failing: dict[tuple[str, str | None], list[list[int]]] = {}
    failing["k", None] = [rows for rows in classes.values() if naive.members(table, rows) < table.k]
    for asked in table.asked:
        alone = replace(table, asked=[asked])
        far = naive.far(alone, classes)
        failing[name_of(asked), f"s{asked.column}"] = [
            rows
            for key, rows in classes.items()
            if key in far or (asked.kind in naive.DIVERSITY and not naive.is_diverse(table, rows, asked))
        ]
    return {name: (len(rows), sum(map(len, rows))) for name, rows in failing.items() if rows}


def refused_with_promises_that_hold(table: naive.Table, folder: Path, *, profiles: bool) -> None:
    problem = problem_of(table, folder, profiles=profiles)
    with pytest.raises(GuaranteeError) as error:
        solve(problem)
    found = error.value.found
    assert found["proven"]
    assert found["suppressed_rows"] > problem.limit
    assert found["failing"] or found["suppressed_rows"] == table_lost(table)
    said = {(f["criterion"], f["column"]): (f["classes"], f["rows"]) for f in found["failing"] if "classes" in f}
    counted = short(table, tuple(found["levels"].values()))
    assert said == {name: counts for name, counts in counted.items() if not profiles or name[0] != "k"}
    for promise in found["nearest"]:
        solution = solve(weaker(problem, promise))
        assert solution.suppressed_rows <= max(problem.limit, found["suppressed_rows"])
        closer = nearer(table, promise)
        assert closer is None or naive.best(closer, profiles=profiles) is None


def table_lost(table: naive.Table) -> int:
    """Rows suppressed from the start."""
    return sum(any(code in c.lost for code, c in zip(row[0], table.columns, strict=True)) for row in table.rows)


def one_of_a_kind(table: naive.Table) -> bool:
    """Whether a promise names one criterion: it says column and kind only."""
    named = [(a.column, a.kind if a.kind in naive.DIVERSITY else "t") for a in table.asked]
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
