"""Single tables with a known answer: too few rows, persons, several sensitive columns, empty tables, refusals."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from naive import search as naive
from naive.search_problems import FOLD, VALUES, problem_of

from anonym.criteria import TCloseness
from anonym.errors import GuaranteeError, InputError, InternalError
from anonym.hierarchy.model import FileHierarchy, SensitiveCounts
from anonym.search.global_ import solve
from anonym.search.ground import ground_of
from anonym.search.loss import column_losses, ncp

Row = tuple[tuple[int, ...], Hashable, tuple[Hashable, ...]]
NONE = np.empty(0, np.int32)


def column(leaves: int, *, coarsest: int = 1, lost: frozenset[int] = frozenset()) -> naive.Column:
    """The value or `*`."""
    cost = [Fraction(0)] * leaves + [Fraction(1) if leaves > 1 else Fraction(0)]
    return naive.Column([list(range(leaves)), [leaves] * leaves], cost, 0, coarsest, lost)


def rows(*groups: tuple[int, str | None, int]) -> list[Row]:
    """(leaf, sensitive value, count)."""
    return [((leaf,), 0, (value,)) for leaf, value, count in groups for _ in range(count)]


def test_fewer_rows_than_k_are_refused_or_all_suppressed() -> None:
    table = naive.Table(rows(*((i, "a", 1) for i in range(4))), [column(4)], False, 5, 0)
    with pytest.raises(GuaranteeError, match=r"k = 5.*\n.*4 of 4 rows(.|\n)*what holds instead.*k = 4") as error:
        solve(problem_of(table))
    assert error.value.found["k"] == 4
    assert {"criterion": "k", "column": None, "value": 4} in error.value.found["nearest"]
    everything = solve(problem_of(naive.Table(table.rows, table.columns, False, 5, 4)))
    assert everything.suppressed_rows == 4
    assert not everything.kept.any()
    assert everything.loss == 1.0


def test_persons_count_and_not_rows() -> None:
    """Class 0 is one person three times, class 1 three persons."""
    held: list[Row] = [((0,), "p1", ("a",))] * 3 + [((1,), f"p{i}", ("b",)) for i in range(2, 5)]
    solution = solve(problem_of(naive.Table(held, [column(2, coarsest=0)], True, 3, 3)))
    assert solution.kept.tolist() == [False, True]
    with pytest.raises(GuaranteeError):
        solve(problem_of(naive.Table(held, [column(2, coarsest=0)], True, 3, 2)))


def test_each_sensitive_column_is_asked_and_named() -> None:
    """Class 0 has three values in one column and one in the other."""
    held: list[Row] = [((0,), 0, (value, "a")) for value in "abc"] + [((1,), 0, (value, value)) for value in "abc"]
    asked = [naive.Asked(i, "distinct", 2, fold=FOLD) for i in range(2)]
    table = naive.Table(held, [column(2, coarsest=0)], False, 3, 0, asked)
    with pytest.raises(
        GuaranteeError, match=r"distinct l of column s1: 2 required, 1 reached, short in 1 classes of 3 rows"
    ):
        solve(problem_of(table))
    assert solve(problem_of(naive.Table(held, [column(2, coarsest=0)], False, 3, 0, asked[:1]))).loss == 0.0


def test_spelling_variants_are_one_value() -> None:
    held = rows((0, "A", 2), (0, "a", 1), (1, "a", 2), (1, "b", 1))
    table = naive.Table(held, [column(2)], False, 3, 0, [naive.Asked(0, "distinct", 2, fold=FOLD)])
    assert solve(problem_of(table)).levels == (1,)


def test_t_that_cannot_hold_is_refused_with_the_nearest() -> None:
    """Two pure halves lie .5 from the table."""
    asked = [naive.Asked(0, "equal", 0.1)]
    table = naive.Table(rows((0, "a", 5), (1, "b", 5)), [column(2, coarsest=0)], False, 2, 0, asked)
    with pytest.raises(GuaranteeError, match=r"t = 0\.5 of column s0"):
        solve(problem_of(table))
    assert solve(problem_of(naive.Table(table.rows, [column(2)], False, 2, 0, asked))).levels == (1,)


@pytest.mark.parametrize(
    ("asked", "nearest"),
    [
        (naive.Asked(0, "distinct", 3, fold=FOLD), "distinct l = 2 of column s0"),
        (naive.Asked(0, "entropy", 2.5, fold=FOLD), "entropy l = 2 of column s0"),
        (naive.Asked(0, "recursive", (0.5, 2), fold=FOLD), r"c of recursive \(c, 2\)-diversity = 1.0001 of column s0"),
    ],
)
def test_nearest_promise_of_l_holds(asked: naive.Asked, nearest: str) -> None:
    table = naive.Table(rows((0, "a", 4), (0, "b", 4)), [column(1)], False, 2, 0, [asked])
    with pytest.raises(GuaranteeError, match=nearest):
        solve(problem_of(table))


def test_the_nearest_suppression_holds() -> None:
    table = naive.Table(rows((0, "a", 6), (1, "a", 3), (2, "a", 2)), [column(3, coarsest=0)], False, 5, 4)
    with pytest.raises(GuaranteeError) as error:
        solve(problem_of(table))
    assert error.value.found["suppressed_rows"] == 5
    assert error.value.found["proven"]
    assert error.value.found["levels"] == {"q0": 0}
    assert error.value.found["failing"][0]["classes"] == 2
    assert solve(problem_of(naive.Table(table.rows, table.columns, False, 5, 5))).suppressed_rows == 5


def test_a_refusal_holds_no_value_of_the_data() -> None:
    values = ("VALUE-ONE", "VALUE-TWO")
    table = naive.Table(rows((0, "a", 2), (1, "b", 2)), [column(2)], False, 5, 0, [naive.Asked(0, "equal", 0.1)])
    problem = problem_of(table)
    named = SensitiveCounts(**{**vars(problem.cells.sensitive[0]), "values": pl.Series([*values, "c", "d", None])})
    object.__setattr__(problem.cells, "sensitive", (named,))
    with pytest.raises(GuaranteeError) as error:
        solve(problem)
    assert "VALUE" not in str(error.value) + repr(error.value.found)


def test_unit_profiles_that_few_share_are_refused() -> None:
    """Each tuple has three units, but every unit holds another pair of them."""
    held: list[Row] = [
        ((leaf,), f"u{unit}", ("a",)) for unit, pair in enumerate([(0, 1), (1, 2), (0, 2)]) for leaf in pair
    ]
    table = naive.Table(held, [column(3, coarsest=0)], True, 2, 0)
    assert solve(problem_of(table)).loss == 0.0
    with pytest.raises(GuaranteeError, match="k over unit profiles: 2 required, short for units of 6 rows"):
        solve(problem_of(table, profiles=True))
    freer = naive.Table(held, [column(3)], True, 2, 0)
    assert solve(problem_of(freer, profiles=True)).levels == (1,)


def test_units_of_unshared_profiles_leave_whole() -> None:
    held: list[Row] = [((0,), u, ("a",)) for u in "wxyz"] + [((1,), u, ("a",)) for u in "xyz"]
    solution = solve(problem_of(naive.Table(held, [column(2, coarsest=0)], True, 3, 1), profiles=True))
    assert solution.dropped_units.tolist() == [0]
    assert (solution.suppressed_rows, solution.kept.tolist()) == (1, [True, True])
    assert solution.loss == pytest.approx(1 / 7)


def test_profiles_need_every_unit_listed() -> None:
    table = naive.Table(rows((0, "a", 3)), [column(1)], True, 1, 0)
    problem = problem_of(table)
    object.__setattr__(problem, "profiles", True)
    with pytest.raises(InternalError):
        solve(problem)


def test_zero_rows_are_untouched() -> None:
    solution = solve(problem_of(naive.Table([], [column(2), column(3)], False, 5, 0)))
    assert (solution.levels, solution.loss, solution.suppressed_rows, solution.optimal) == ((0, 0), 0.0, 0, True)
    assert solution.kept.size == 0


def test_rows_lost_from_the_start_count_towards_the_limit() -> None:
    """Outside the cells, or in cells whose leaf is lost."""
    table = naive.Table(rows((0, "a", 5), (1, "a", 2)), [column(2, lost=frozenset({1}))], False, 2, 2)
    assert solve(problem_of(table)).suppressed_rows == 2
    with pytest.raises(GuaranteeError):
        solve(problem_of(naive.Table(table.rows, table.columns, False, 2, 1)))
    problem = problem_of(naive.Table(rows((0, "a", 5)), [column(1)], False, 2, 3))
    object.__setattr__(problem, "rows", 8)
    object.__setattr__(problem, "lost", 3)
    solution = solve(problem)
    assert (solution.suppressed_rows, solution.loss) == (3, 3 / 8)


def test_weights_steer_and_do_not_print() -> None:
    """Either column must go: the lighter one does, and the loss printed is that of both alike."""
    held: list[Row] = [((a, b), 0, ("a",)) for a in range(2) for b in range(2)]
    columns = [
        naive.Column(column(2).ancestor, column(2).cost, 0, 1, weight=weight) for weight in (Fraction(3), Fraction(1))
    ]
    solution = solve(problem_of(naive.Table(held, columns, False, 2, 0)))
    assert (solution.levels, solution.loss, solution.objective) == ((0, 1), 0.5, 0.25)


def test_ties_go_to_the_lower_levels_of_the_first_column() -> None:
    held: list[Row] = [((a, b), 0, ("a",)) for a in range(2) for b in range(2)]
    assert solve(problem_of(naive.Table(held, [column(2), column(2)], False, 2, 0))).levels == (0, 1)


def test_hierarchies_that_do_not_nest_are_an_internal_error() -> None:
    crossing = naive.Column([[0, 1, 2], [3, 3, 4], [5, 6, 6]], [Fraction(0)] * 7, 0, 2)
    with pytest.raises(InternalError, match="column q0"):
        solve(problem_of(naive.Table(rows((0, "a", 3), (1, "a", 3), (2, "a", 3)), [crossing], False, 2, 0)))


@pytest.mark.parametrize("budget", [("seconds", 0), ("tries", 1), ("nodes", 1)])
def test_the_smallest_budget_finds_something(budget: Any) -> None:
    held: list[Row] = [((a, b), 0, ("a",)) for a in range(4) for b in range(4) for _ in range(a + b)]
    solution = solve(problem_of(naive.Table(held, [column(4), column(4)], False, 5, 9)), budget=budget)
    assert not solution.optimal
    assert solution.bound <= solution.objective == 1.0
    assert "budget" in solution.why
    assert solve(problem_of(naive.Table(held, [column(4), column(4)], False, 5, 9)), budget="thorough").optimal


def test_progress_is_told() -> None:
    told: list[str] = []
    table = naive.Table(rows((0, "a", 5)), [column(1)], False, 2, 0, [naive.Asked(0, "ordered", 0.3, order=VALUES)])
    first = solve(problem_of(table), progress=told.append)
    assert told[:1] == (["compiling"] if first.compile_s else [])
    assert solve(problem_of(table)).compile_s == 0.0


def sensitive(values: list[str | None]) -> SensitiveCounts:
    size = len(values)
    return SensitiveCounts(
        "dx", pl.Series(values), np.arange(size, dtype=np.int32), NONE, NONE, np.empty(0), NONE, NONE, NONE
    )


def test_declared_order_and_tree_must_have_every_value(tmp_path: Path) -> None:
    values = sensitive(["high", "low", "mid", None])
    order = TCloseness(0.2, "ordered", order=("low", "mid", "high"))
    found = ground_of(values, order).order
    assert found is not None
    assert found.tolist() == [1, 2, 0, 3]
    with pytest.raises(InputError, match="column dx: 1 of 3 distinct values") as error:
        ground_of(values, TCloseness(0.2, "ordered", order=("low", "mid")))
    assert "high" not in str(error.value)
    path = tmp_path / "tree.csv"
    path.write_text("low,calm,*\nmid,calm,*\nhigh,*,*\n", encoding="utf-8")
    tree = ground_of(values, TCloseness(0.2, "hierarchical", hierarchy=FileHierarchy(path))).tree
    assert tree is not None
    assert tree[1, 1] == tree[1, 2]
    assert len({*tree[1].tolist()}) == 3  # the root repeated is no common ancestor below the root, and null is apart
    path.write_text("low,calm,*\nmid,calm,*\n", encoding="utf-8")
    with pytest.raises(InputError, match="column dx: 1 of 3 distinct values"):
        ground_of(values, TCloseness(0.2, "hierarchical", hierarchy=FileHierarchy(path)))


def test_loss_of_a_recoding() -> None:
    """Two classes of 3 and 4 rows, one of 1 suppressed; the second column at `*`."""
    held: list[Row] = (
        [((0, 0), 0, ("a",))] * 3 + [((1, 0), 0, ("a",))] * 2 + [((1, 1), 0, ("a",))] * 2 + [((2, 1), 0, ("a",))]
    )
    problem = problem_of(naive.Table(held, [column(3), column(2)], False, 3, 1))
    kept = np.array([True, True, True, False])
    assert column_losses(problem, (0, 1), kept).tolist() == [1 / 8, 1.0]
    assert ncp(problem, (0, 1), kept) == 9 / 16
