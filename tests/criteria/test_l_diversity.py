"""l-diversity against exact twins, and the numbers of the textbook."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import criteria as naive

from anonym.criteria import ClassHistograms, DistinctL, EntropyL, RecursiveL
from anonym.errors import PolicyError

COUNTS = st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=6), min_size=1, max_size=6)
FOLD = np.array([0, 0, 1, 2, -1, 3], np.int32)  # values 0 and 1 are one, value 4 is null
FOLDS = dict(enumerate([0, 0, 1, 2, None, 3]))


def histograms(counts: Sequence[Sequence[float]], size: int = 6) -> ClassHistograms:
    loose = [(c, v, w) for c, row in enumerate(counts) for v, w in enumerate(row) if w]
    owner, value, weight = (np.array(column) for column in zip(*loose, strict=True)) if loose else ([], [], [])
    return ClassHistograms.of(
        np.asarray(owner, np.int32), np.asarray(value, np.int32), np.asarray(weight, float), len(counts), size
    )


def exact(row: Sequence[int]) -> dict[Any, Fraction]:
    return naive.folded({value: Fraction(count) for value, count in enumerate(row)}, FOLDS)


@settings(max_examples=300, deadline=None)
@given(counts=COUNTS, least=st.integers(1, 4))
def test_distinct(counts: list[list[int]], least: int) -> None:
    folded = histograms(counts).folded(FOLD)
    assert DistinctL(least).achieved(folded).tolist() == [len(exact(row)) for row in counts]
    assert DistinctL(least).holds(folded).tolist() == [len(exact(row)) >= least for row in counts]


@settings(max_examples=300, deadline=None)
@given(counts=COUNTS)
def test_entropy(counts: list[list[int]]) -> None:
    achieved = EntropyL(1.5).achieved(histograms(counts).folded(FOLD))
    assert achieved == pytest.approx([naive.exp_entropy(exact(row)) for row in counts])


@settings(max_examples=500, deadline=None)
@given(counts=COUNTS, c=st.sampled_from([0.1, 0.3, 0.5, 0.7, 1.0, 1.1, 2.0, 2.5]), rank=st.integers(1, 4))
def test_recursive_is_strict_and_exact(counts: list[list[int]], c: float, rank: int) -> None:
    holds = RecursiveL(c, rank).holds(histograms(counts).folded(FOLD))
    assert holds.tolist() == [naive.recursive_holds(exact(row), Fraction(str(c)), rank) for row in counts]


def test_distinct_counts_no_more_values_than_units() -> None:
    """One person with three diseases is no diversity."""
    folded = histograms([[1, 0, 1, 1], [1, 0, 1, 1]]).folded(FOLD)
    assert DistinctL(2).achieved(folded, np.array([1, 3])).tolist() == [1, 3]
    assert DistinctL(2).holds(folded, np.array([1, 3])).tolist() == [False, True]


def test_null_adds_no_diversity_and_a_class_of_nulls_fails() -> None:
    folded = histograms([[0, 0, 0, 0, 9], [3, 0, 0, 0, 9]]).folded(FOLD)
    assert DistinctL(1).achieved(folded).tolist() == [0, 1]
    assert EntropyL(1.0).achieved(folded).tolist() == [0.0, 1.0]
    assert EntropyL(1.0).holds(folded).tolist() == [False, True]
    assert RecursiveL(2.0, 1).achieved(folded).tolist() == [np.inf, 1.0]


def test_counts_fall_in_recursive_l() -> None:
    """5, 3, 2 needs c above 2.5 for l = 3, and above 1 for l = 2; 4, 3, 3 needs c above 4/3."""
    folded = histograms([[5, 0, 3, 2], [4, 0, 3, 3]]).folded(FOLD)
    assert RecursiveL(1, 3).achieved(folded) == pytest.approx([2.5, 4 / 3])
    assert RecursiveL(1, 2).achieved(folded) == pytest.approx([1.0, 4 / 6])
    assert [RecursiveL(c, 3).holds(folded).all() for c in (2, 2.5, 2.6)] == [False, False, True]


def test_recursive_takes_c_as_the_decimal_it_prints_as() -> None:
    """0.07 x 100 is a little above 7 in floating point: 7 < 7 must not hold."""
    folded = histograms([[7] * 14 + [2]], 15).folded(np.arange(15, dtype=np.int32))
    assert 0.07 * 100 > 7
    assert not RecursiveL(0.07, 1).holds(folded).any()
    assert RecursiveL(0.0701, 1).holds(folded).all()


def test_recursive_of_fractions_does_not_let_rounding_pass_equality() -> None:
    """Three thirds against one: r1 = r2, and c = 1."""
    third = [1 / 3] * 3
    loose = np.zeros(4, np.int32), np.array([0, 0, 0, 1], np.int32), np.array([*third, 1.0])
    equal = ClassHistograms.of(*loose, 1, 2)
    assert not RecursiveL(1.0, 2).holds(equal).any()
    assert RecursiveL(1.001, 2).holds(equal).all()


def test_large_counts_stay_exact() -> None:
    folded = histograms([[10**15, 0, 10**15 - 1]]).folded(FOLD)
    assert not RecursiveL(1.0000000000000002, 2).holds(folded).any()
    assert RecursiveL(1.00000000000001, 2).holds(folded).all()


@pytest.mark.parametrize(
    ("make", "path"),
    [
        (lambda: DistinctL(0), "distinct"),
        (lambda: DistinctL(2.5), "distinct"),  # type: ignore[arg-type]
        (lambda: EntropyL(0.9), "entropy"),
        (lambda: EntropyL(float("nan")), "entropy"),
        (lambda: RecursiveL(0, 2), "recursive.c"),
        (lambda: RecursiveL(float("inf"), 2), "recursive.c"),
        (lambda: RecursiveL(1.5, 0), "recursive.l"),
    ],
)
def test_refuses_what_promises_nothing(make: Any, path: str) -> None:
    with pytest.raises(PolicyError) as error:
        make()
    assert error.value.faults[0].path == path


@settings(max_examples=300, deadline=None)
@given(counts=COUNTS.filter(lambda c: len(c) > 1))
@pytest.mark.parametrize("criterion", [DistinctL(2), EntropyL(1.6), RecursiveL(1.5, 2)])
def test_monotone_as_declared(counts: list[list[int]], criterion: Any) -> None:
    """generalise: the union of classes that hold holds. subset: where the union fails, no part of it holds."""
    parts = histograms(counts).folded(FOLD)
    padded = [[row[v] if v < len(row) else 0 for v in range(6)] for row in counts]
    union = histograms([[sum(column) for column in zip(*padded, strict=True)]]).folded(FOLD)
    holds = criterion.holds(parts)
    if holds.all():
        assert "generalise" in criterion.monotone
        assert criterion.holds(union)[0]
    if "subset" in criterion.monotone and not criterion.holds(union)[0]:
        assert not holds.any()
