"""The global search against enumeration over plain rows, and what must not change its answer."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from naive import search as naive
from naive.search_problems import FOLD, problem_of, skewed_table, tables

from anonym.errors import GuaranteeError
from anonym.search import branch, global_
from anonym.search.budget import Budget, Meter
from anonym.search.global_ import solve
from anonym.search.judge import judge_of
from anonym.search.lattice import lattice_of
from anonym.search.problem import Problem, Solution
from anonym.search.tails import tails

EXAMPLES = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


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
@given(seed=st.integers(0, 2**32), profiles=st.booleans())
def test_no_cut_is_illegal(folder: Path, seed: int, profiles: bool) -> None:
    agree(skewed_table(seed, units=True if profiles else None), folder, profiles=profiles)


@EXAMPLES
@given(table=tables(asked=False))
def test_optimum_under_k_alone(folder: Path, table: naive.Table) -> None:
    agree(table, folder)


@EXAMPLES
@given(table=tables(), profiles=st.booleans())
def test_a_climb_and_bounds_before_change_nothing(folder: Path, table: naive.Table, profiles: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(global_, "CLIMB_NODES", 0)
        patch.setattr(global_, "FULL_NODES", 0)
        patch.setattr(global_, "KICKS", 2)
        agree(replace(table, units=table.units or profiles), folder, profiles=profiles)


@settings(EXAMPLES, max_examples=60)
@given(table=tables(asked=False))
def test_searching_ever_more_columns_ends_at_the_optimum(folder: Path, table: naive.Table) -> None:
    """And nothing is said to cost less alone than with more columns beside it."""
    expected = naive.best(table)
    problem = problem_of(table, folder)
    lattice = lattice_of(problem)
    least = tails(problem, lattice, Meter("default", None), 1.0)
    assert least == sorted(least, reverse=True)
    if expected is not None:
        found = global_.in_units(problem, lattice, least[0])
        assert found == pytest.approx(float(expected.objective), abs=1e-12)


@settings(EXAMPLES, max_examples=60)
@given(table=tables(weighted=False), objective=st.sampled_from(["discernibility", "class_size"]))
def test_optimum_of_class_sizes(folder: Path, table: naive.Table, objective: str) -> None:
    agree(table, folder, objective)


@EXAMPLES
@given(table=tables(units=True))
def test_optimum_over_unit_profiles(folder: Path, table: naive.Table) -> None:
    agree(table, folder, profiles=True)


@settings(EXAMPLES, max_examples=60)
@given(table=tables(), seed=st.integers(0, 2**16))
def test_neither_row_order_nor_names_matter(folder: Path, table: naive.Table, seed: int) -> None:
    """Rows shuffled, and the leaves of every column renumbered: same levels, same numbers."""
    first = _solved(problem_of(table, folder))
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
    second = _solved(problem_of(replace(table, rows=rows, columns=columns), folder))
    assert (first is None) == (second is None)
    if first is not None and second is not None:
        assert (first.levels, first.suppressed_rows) == (second.levels, second.suppressed_rows)
        assert first.loss == pytest.approx(second.loss, abs=1e-12)


@settings(EXAMPLES, max_examples=60)
@given(table=tables(units=False))
def test_every_row_twice_at_twice_k_changes_nothing(folder: Path, table: naive.Table) -> None:
    first = _solved(problem_of(table, folder))
    twice = replace(table, rows=[*table.rows, *table.rows], k=2 * table.k, limit=2 * table.limit)
    second = _solved(problem_of(twice, folder))
    assert (first is None) == (second is None)
    if first is not None and second is not None:
        assert first.levels == second.levels
        assert first.loss == pytest.approx(second.loss, abs=1e-12)


@settings(EXAMPLES, max_examples=60)
@given(table=tables(), nodes=st.integers(1, 12), profiles=st.booleans())
def test_bound_holds_and_solution_keeps_its_promise_on_any_budget(
    folder: Path, table: naive.Table, nodes: int, profiles: bool
) -> None:
    table = replace(table, units=table.units or profiles)
    expected = naive.best(table, profiles=profiles)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(global_, "CLIMB_NODES", 0)
        patch.setattr(global_, "FULL_NODES", 0)
        problem = problem_of(table, folder, profiles=profiles)
        solution = _solved(problem, budget=("nodes", nodes))
    if solution is None:
        return
    assert expected is not None
    assert solution.bound <= float(expected.objective) + 1e-12 <= solution.objective + 2e-12
    kept = (naive.released_by_profile if profiles else naive.released)(table, solution.levels)
    assert naive.suppressed(table, kept) == solution.suppressed_rows <= table.limit
    if solution.optimal:
        assert solution.levels == expected.levels


def _solved(problem: Problem, **options: Any) -> Solution | None:
    try:
        return solve(problem, **options)
    except GuaranteeError:
        return None


@EXAMPLES
@given(table=tables(), nodes=st.one_of(st.none(), st.integers(1, 12)), threads=st.sampled_from([2, 4]))
def test_the_solution_is_the_same_for_any_number_of_threads(
    folder: Path, table: naive.Table, nodes: int | None, threads: int
) -> None:
    problem = problem_of(table, folder)
    budget: Budget = "default" if nodes is None else ("nodes", nodes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(branch, "WORTH_A_THREAD", 0)
        found = [_outcome(problem, budget, threads) for threads in (1, threads)]
    assert found[0] == found[1]


def _outcome(problem: Problem, budget: Budget, threads: int) -> dict[str, Any] | str:
    """All that a solution says but the time it took; or why there is none."""
    try:
        solution = solve(problem, budget=budget, threads=threads)
    except GuaranteeError as refused:
        return str(refused)
    said = {name: value for name, value in vars(solution).items() if name not in ("cpu_s", "compile_s")}
    return said | {name: said[name].tolist() for name in ("kept", "dropped_units")}


def test_levels_of_a_column_are_judged_by_other_threads(folder: Path) -> None:
    problem = problem_of(skewed_table(3), folder)
    with ThreadPoolExecutor(2) as pool, pytest.MonkeyPatch.context() as patch:
        patch.setattr(branch, "WORTH_A_THREAD", 0)
        asked: list[int] = []
        own = pool.map
        patch.setattr(pool, "map", lambda judge, levels: asked.extend(levels) or own(judge, levels))
        lattice = lattice_of(problem)
        grounds = global_.grounds_of(problem)
        global_.searched(
            problem, lattice, judge_of(problem, lattice, grounds), grounds, Meter("default", None), pool=pool
        )
    assert asked


def test_t_is_cut_with_the_reference_that_may_move(folder: Path) -> None:
    """A and B are alike, and C falls apart below k: C leaves, and t = 0 holds. While C is whole, 13 rows look amiss."""
    held = [(0, 0, "a", 5), (0, 0, "b", 5), (0, 1, "a", 5), (0, 1, "b", 5), *((1, 2 + i, "c", 1) for i in range(10))]
    rows = [((first, second), 0, (value,)) for first, second, value, count in held for _ in range(count)]
    first = naive.Column([[0, 1]], [Fraction(0), Fraction(0)], 0, 0)
    second = naive.Column([list(range(12)), [12] * 12], [Fraction(0)] * 12 + [Fraction(1)], 0, 1)
    table = naive.Table(rows, [first, second], False, 5, 10, [naive.Asked(0, "equal", 0.0)])
    agree(table, folder)
    assert solve(problem_of(table, folder)).suppressed_rows == 10


def test_units_in_several_classes_do_not_add_up(folder: Path) -> None:
    """Each class has one unit of a and one of b; together u counts once, and b outweighs a."""
    rows = [((0,), "u", ("a",)), ((0,), "v", ("b",)), ((1,), "u", ("a",)), ((1,), "w", ("b",))]
    column = naive.Column([[0, 1], [2, 2]], [Fraction(0), Fraction(0), Fraction(1)], 0, 1)
    for asked in (naive.Asked(0, "entropy", 2.0, fold=FOLD), naive.Asked(0, "recursive", (1.1, 2), fold=FOLD)):
        table = naive.Table(rows, [column], True, 2, 0, [asked])
        agree(table, folder)
        assert solve(problem_of(table, folder)).levels == (0,)
