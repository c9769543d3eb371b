"""Bins by exact fractions, and l and t over them."""

from __future__ import annotations

from datetime import time, timedelta
from decimal import Decimal as D
from typing import Any

import polars as pl
import pytest

from anonym.errors import InternalError
from anonym.verify.bins import binned
from anonym.verify.facts import Bins, Closeness, Facts, QuasiFact, SensitiveFact
from anonym.verify.measure import measure

FIVES: Bins = ("interval", (D(5),))
TENTHS: Bins = ("interval", (D("0.1"),))
CUTS: Bins = ("breaks", (D(10), D(20)))

CASES: dict[str, tuple[pl.Series, Bins, list[int | None]]] = {
    "integers": (pl.Series([0, 4, 5, -1, -5, None]), FIVES, [0, 0, 1, -1, -1, None]),
    "a float is what it prints as": (pl.Series([0.3, 0.29999]), TENTHS, [3, 2]),
    "decimals": (pl.Series([D("9.99"), D("10.00")]), FIVES, [1, 2]),
    "cuts": (pl.Series([9, 10, 19, 20, 999]), CUTS, [0, 1, 1, 2, 2]),
    "lengths of time": (
        pl.Series([timedelta(hours=25), timedelta(hours=-1), None], dtype=pl.Duration("ms")),
        ("interval", (D(86_400),)),
        [1, -1, None],
    ),
    "nanoseconds": (pl.Series([1_499, 1_500], dtype=pl.Duration("ns")), ("interval", (D("1.5e-6"),)), [0, 1]),
    "times of day": (
        pl.Series([time(7, 59, 59, 999_999), time(8)]),
        ("breaks", (D(8 * 3600), D(18 * 3600))),
        [0, 1],
    ),
    "far out": (pl.Series([1e300, -1e300]), FIVES, [2**100, -(2**100)]),
    "nothing": (pl.Series([None, None], dtype=pl.Int8), FIVES, [None, None]),
}


@pytest.mark.parametrize("case", CASES)
def test_each_value_has_its_bin(case: str) -> None:
    values, bins, expected = CASES[case]
    assert binned(values, bins).to_list() == expected


def test_text_has_no_bins() -> None:
    with pytest.raises(InternalError, match="bins of String"):
        binned(pl.Series(["1"]), FIVES)


def measured(pay: list[Any], bins: Bins | None) -> Any:
    frame = pl.LazyFrame({"q": ["a"] * 3 + ["b"] * 3, "pay": pay})
    fact = SensitiveFact("pay", ("distinct", 2), Closeness(1.0, "ordered"), bins)
    return measure(frame, Facts(quasi=(QuasiFact("q", ("q",)),), sensitive=(fact,), k=2))


def test_values_of_one_bin_are_one_value() -> None:
    """Three salaries of one bin have l 1, and who also knows the salary still finds one row."""
    pay = [1001, 1002, 1003, 7000, 8000, 9000]
    as_they_are, in_bins = measured(pay, None), measured(pay, ("interval", (D(5000),)))
    assert as_they_are.diversity[0].achieved == 3
    assert in_bins.diversity[0].achieved == 1
    assert in_bins.known == as_they_are.known == {"pay": 1}


def test_ordered_distances_are_between_bins() -> None:
    """Bins 0, 0, 0 against 1, 1, 1: each class is one half of the whole away from it."""
    assert measured([1, 2, 3, 7, 8, 9], FIVES).closeness[0].achieved == pytest.approx(0.5)
