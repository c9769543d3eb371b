"""The global search against enumeration over plain rows, and what must not change its answer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from naive import search as naive
from naive.search_problems import problem_of, tables

from anonym.errors import GuaranteeError
from anonym.search import branch, global_
from anonym.search.global_ import solve
from anonym.search.problem import Solution

EXAMPLES = settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hierarchies")


def agree(table: naive.Table, folder: Path, objective: str = "loss", *, profiles: bool = False) -> None:
    """Same optimum, same levels, same rows suppressed, or both infeasible."""
    expected = naive.best(table, objective, profiles=profiles)
    problem = problem_of(table, folder, objective=objective, profiles=profiles)
    if expected is None:
        with pytest.raises(GuaranteeError):
            solve(problem)
        return
    solution = solve(problem)
    assert solution.objective == pytest.approx(float(expected.objective), abs=1e-12)
    assert (solution.suppressed_rows, solution.levels) == (expected.suppressed, expected.levels)
    assert solution.optimal
    assert solution.bound <= solution.objective
    kept = (naive.released_by_profile if profiles else naive.released)(table, solution.levels)
    assert solution.loss == pytest.approx(float(naive.loss(table, solution.levels, kept, weighted=False)), abs=1e-12)
    codes = {codes for rows in kept.values() for codes in (table.rows[i][0] for i in rows)}
    assert [tuple(c) in codes for c in problem.cells.codes.tolist()] == solution.kept.tolist()


@EXAMPLES
@given(table=tables())
def test_optimum_is_that_of_enumeration(folder: Path, table: naive.Table) -> None:
    agree(table, folder)


@EXAMPLES
@given(table=tables(asked=False))
def test_optimum_under_k_alone(folder: Path, table: naive.Table) -> None:
    agree(table, folder)


@EXAMPLES
@given(table=tables())
def test_looking_ahead_and_climbing_change_nothing(folder: Path, table: naive.Table) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(branch, "LOOK_NODES", 0)
        patch.setattr(branch, "LOOK_AXES", 1)
        patch.setattr(global_, "CLIMB_NODES", 0)
        agree(table, folder)


@settings(EXAMPLES, max_examples=100)
@given(table=tables(weighted=False), objective=st.sampled_from(["discernibility", "class_size"]))
def test_optimum_of_class_sizes(folder: Path, table: naive.Table, objective: str) -> None:
    agree(table, folder, objective)


@settings(EXAMPLES, max_examples=200)
@given(table=tables(units=True))
def test_optimum_over_unit_profiles(folder: Path, table: naive.Table) -> None:
    agree(table, folder, profiles=True)


@settings(EXAMPLES, max_examples=100)
@given(table=tables(), seed=st.integers(0, 2**16))
def test_neither_row_order_nor_names_matter(folder: Path, table: naive.Table, seed: int) -> None:
    """Rows shuffled, and the leaves of every column renumbered: same levels, same numbers."""
    first = _solved(table, folder)
    random = np.random.default_rng(seed)
    orders = [random.permutation(len(column.ancestor[0])) for column in table.columns]
    rows = [
        (tuple(int(order[code]) for order, code in zip(orders, codes, strict=True)), unit, values)
        for codes, unit, values in (table.rows[i] for i in random.permutation(len(table.rows)))
    ]
    columns = [
        replace(
            column,
            ancestor=[[level[i] for i in np.argsort(order)] for level in column.ancestor],
            lost=frozenset(int(order[leaf]) for leaf in column.lost),
        )
        for column, order in zip(table.columns, orders, strict=True)
    ]
    second = _solved(replace(table, rows=rows, columns=columns), folder)
    assert (first is None) == (second is None)
    if first is not None and second is not None:
        assert (first.levels, first.suppressed_rows) == (second.levels, second.suppressed_rows)
        assert first.loss == pytest.approx(second.loss, abs=1e-12)


@settings(EXAMPLES, max_examples=100)
@given(table=tables(units=False))
def test_every_row_twice_at_twice_k_changes_nothing(folder: Path, table: naive.Table) -> None:
    first = _solved(table, folder)
    twice = replace(table, rows=[*table.rows, *table.rows], k=2 * table.k, limit=2 * table.limit)
    second = _solved(twice, folder)
    assert (first is None) == (second is None)
    if first is not None and second is not None:
        assert first.levels == second.levels
        assert first.loss == pytest.approx(second.loss, abs=1e-12)


@settings(EXAMPLES, max_examples=100)
@given(table=tables(), nodes=st.integers(1, 12), profiles=st.booleans())
def test_bound_holds_and_solution_keeps_its_promise_on_any_budget(
    folder: Path, table: naive.Table, nodes: int, profiles: bool
) -> None:
    table = replace(table, units=table.units or profiles)
    expected = naive.best(table, profiles=profiles)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(global_, "CLIMB_NODES", 0)
        patch.setattr(global_, "FULL_NODES", 0)
        try:
            solution = solve(problem_of(table, folder, profiles=profiles), budget=("nodes", nodes))
        except GuaranteeError as error:
            assert expected is None or error.found["proven"] is False
            return
    assert expected is not None
    assert solution.bound <= float(expected.objective) + 1e-12 <= solution.objective + 2e-12
    kept = (naive.released_by_profile if profiles else naive.released)(table, solution.levels)
    assert naive.suppressed(table, kept) == solution.suppressed_rows <= table.limit
    if solution.optimal:
        assert solution.levels == expected.levels


def _solved(table: naive.Table, folder: Path) -> Solution | None:
    try:
        return solve(problem_of(table, folder))
    except GuaranteeError:
        return None
