"""Clopper-Pearson: known values, naive sums, and coverage that a narrower interval does not have."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive.attacks import at_least as naive_at_least

from anonym.attacks.interval import at_least, clopper_pearson, wilson


# beta quantiles as scipy.stats.beta.ppf prints them
@pytest.mark.parametrize(
    ("correct", "trials", "low", "high"),
    [
        (0, 10, 0.0, 0.3084971078187608),
        (10, 10, 0.6915028921812392, 1.0),
        (5, 10, 0.1870860284474045, 0.8129139715525955),
        (50, 50, 0.9288782635358023, 1.0),
        (2, 5, 0.0527449505263169, 0.8533672005163071),
        (1, 1, 0.025, 1.0),
    ],
)
def test_known_intervals(correct: int, trials: int, low: float, high: float) -> None:
    assert clopper_pearson(correct, trials) == pytest.approx((low, high), abs=1e-9)


@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n + 1), st.just(n))), st.integers(0, 64))
def test_the_tail_is_the_sum_of_its_terms(case: tuple[int, int], sixty_fourths: int) -> None:
    successes, trials = case
    p = Fraction(sixty_fourths, 64)
    assert at_least(successes, trials, float(p)) == pytest.approx(
        float(naive_at_least(successes, trials, p)), rel=1e-9, abs=1e-15
    )


@given(st.integers(1, 40).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_each_end_leaves_two_and_a_half_per_cent(case: tuple[int, int]) -> None:
    correct, trials = case
    low, high = clopper_pearson(correct, trials)
    if correct:
        assert float(naive_at_least(correct, trials, Fraction(low))) == pytest.approx(0.025, rel=1e-6)
    if correct < trials:
        assert 1 - float(naive_at_least(correct + 1, trials, Fraction(high))) == pytest.approx(0.025, rel=1e-6)


def test_a_million_targets_are_as_exact() -> None:
    low, high = clopper_pearson(500_000, 1_000_000)
    assert low == pytest.approx(0.5 - 1.959964 * 0.0005, abs=2e-6)
    assert high == pytest.approx(1 - low, abs=1e-9)  # symmetric
    assert 0 < clopper_pearson(1, 1_000_000)[0] < 1e-6


def test_a_fraction_of_a_success_only_widens() -> None:
    assert clopper_pearson(2.4, 9) == (clopper_pearson(2, 9)[0], clopper_pearson(3, 9)[1])
    assert clopper_pearson(2 + 1e-12, 9) == clopper_pearson(2, 9)  # the rounding of a sum is no fraction


@pytest.mark.parametrize(("correct", "trials"), [(1, 0), (-1, 5), (6, 5)])
def test_impossible_counts_are_refused(correct: int, trials: int) -> None:
    with pytest.raises(ValueError, match="expected"):
        clopper_pearson(correct, trials)


def _least_coverage(confidence: float) -> float:
    """The smallest chance, over rates, that the interval of 30 trials holds the rate: a sum, not a simulation."""
    trials, least = 30, 1.0
    intervals = [clopper_pearson(x, trials, confidence) for x in range(trials + 1)]
    for p in np.linspace(0.01, 0.99, 99):
        mass = [at_least(x, trials, p) - at_least(x + 1, trials, p) for x in range(trials + 1)]
        least = min(least, sum(m for m, (low, high) in zip(mass, intervals, strict=True) if low <= p <= high))
    return least


def test_the_interval_covers_in_95_of_100_and_an_80_per_cent_interval_does_not() -> None:
    assert _least_coverage(0.95) >= 0.95
    assert 0.80 <= _least_coverage(0.80) < 0.95


def test_the_quick_interval_is_close_to_the_exact_one() -> None:
    for correct, trials in [(0, 50), (7, 50), (50, 50), (300, 2000), (1, 2000)]:
        assert wilson(correct, trials) == pytest.approx(clopper_pearson(correct, trials), abs=1 / trials)
