"""Bins of sensitive columns in a frame."""

from __future__ import annotations

from datetime import time, timedelta
from decimal import Decimal as D

import polars as pl
import pytest

from anonym.hierarchy.bins import Bins, bin_domain, binned, bins_of
from anonym.hierarchy.encode import domain
from anonym.hierarchy.model import Breaks, Interval

CASES: dict[str, tuple[pl.Series, Bins, list[int | None], list[int | None]]] = {
    "integers": (pl.Series([12, 3, None, 4, 7]), Interval((D(5),)), [2, 0, None, 0, 1], [0, 1, 2, None]),
    "floats with NaN": (pl.Series([0.3, float("nan"), 0.25]), Interval((D("0.1"),)), [1, None, 0], [0, 1, None]),
    "cuts": (pl.Series([9, 10, 50]), Breaks(((D(10), D(20)),)), [0, 1, 2], [0, 1, 2]),
    "lengths of time": (
        pl.Series([timedelta(hours=25), timedelta(hours=-1), None, timedelta(0)], dtype=pl.Duration("ms")),
        Interval((D(86_400),), "length"),
        [2, 0, None, 1],
        [0, 1, 2, None],
    ),
    "times of day": (
        pl.Series([time(7, 59, 59, 999_999), time(8), time(22)]),
        Breaks(((D(8 * 3600), D(18 * 3600)),), "clock"),
        [0, 1, 2],
        [0, 1, 2],
    ),
    "one bin": (pl.Series([1, 2]), Interval((D(5),)), [0, 0], [0]),
    "nulls only": (pl.Series([None, None], dtype=pl.Int8), Interval((D(5),)), [None, None], [None]),
    "nothing": (pl.Series([], dtype=pl.Int8), Interval((D(5),)), [], []),
}


@pytest.mark.parametrize("case", CASES)
def test_numbers_become_numbers_of_bins(case: str) -> None:
    column, declared, expected, expected_domain = CASES[case]
    frame = column.alias("pay").to_frame().lazy().with_columns(other=pl.lit(1))
    bins = bins_of("pay", declared, domain(frame, "pay", column.dtype)["value"])
    assert bin_domain(bins).to_list() == expected_domain
    released = binned(frame, {"pay": bins}).collect()
    assert released["pay"].to_list() == expected
    assert released.schema == {"pay": pl.Int32, "other": pl.Int32}
