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

EXAMPLES = settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hierarchies")


def agree(table: naive.Table, folder: Path, objective: str = "loss") -> None:
    """Same optimum, same levels, same rows suppressed, or both infeasible."""
    expected = naive.best(table, objective)
    problem = problem_of(table, folder, objective=objective)
    if expected is None:
        with pytest.raises(GuaranteeError):
            solve(problem)
        return
    solution = solve(problem)
    assert solution.objective == pytest.approx(float(expected.objective), abs=1e-12)
    assert (solution.suppressed_rows, solution.levels) == (expected.suppressed, expected.levels)
    assert solution.optimal
    assert solution.bound <= solution.objective
    kept = naive.released(table, solution.levels)
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
