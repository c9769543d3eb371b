"""`auto`: what becomes of each kind of column, and what its labels may never show."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from decimal import Decimal as D
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.errors import InputError
from anonym.hierarchy.auto import concrete
from anonym.hierarchy.build import build
from anonym.hierarchy.encode import domain
from anonym.hierarchy.model import Auto, Breaks, Dates, Groups, Hierarchy, Networks, Prefix, Suppress


def auto(column: pl.Series, k: int = 5, **options: Any) -> Hierarchy:
    counts = domain(column.alias("c").to_frame().lazy(), "c", column.dtype)
    return build("c", Auto(), counts["value"], rows=counts["rows"], k=k, **options)


def repeated(values: list[Any], times: int, dtype: Any = None) -> pl.Series:
    return pl.Series(values * times, dtype=dtype)


DAY = date(2024, 1, 1)
KINDS: dict[str, tuple[pl.Series, object]] = {
    "ages": (
        repeated(list(range(18, 66)), 10),
        Breaks(
            (
                tuple(map(D, range(20, 66, 2))),
                tuple(map(D, range(20, 65, 4))),
                tuple(map(D, range(24, 65, 8))),
                tuple(map(D, (32, 48, 64))),
                (D(32), D(64)),
            )
        ),
    ),
    "a long tail keeps its open end": (
        pl.Series([0] * 950 + list(range(1, 41)) + [10**9] * 10),
        Breaks((tuple(map(D, range(2, 31, 2))), tuple(map(D, range(4, 31, 4))), (D(8), D(16), D(24)), (D(16),))),
    ),
    "tenths": (repeated([i / 10 for i in range(1, 5)], 9), Breaks(((D("0.2"), D("0.4")), (D("0.4"),)))),
    "one value only": (repeated([7], 30), Suppress()),
    "two values": (repeated([0, 1], 30), Suppress()),
    "too few for open ends": (pl.Series(range(8)), Suppress()),
    "nothing": (pl.Series([], dtype=pl.Int64), Suppress()),
    "nulls only": (pl.Series([None] * 4, dtype=pl.String), Suppress()),
    "booleans": (repeated([True, False, None], 5), Suppress()),
    "days of a year": (
        pl.Series([DAY + timedelta(days=i) for i in range(366)]),
        Dates(("month", "quarter")),
    ),
    "days of many years": (
        pl.Series([DAY + timedelta(days=97 * i) for i in range(200)]),
        Dates(("year", "decade")),
    ),
    "moments of a week": (
        pl.Series([datetime(2024, 1, 1) + timedelta(hours=7 * i) for i in range(20)]),
        Dates(("day",)),
    ),
    "postcodes": (pl.Series([f"{i:03}{j}" for i in (110, 119, 120, 350) for j in range(10)]), Prefix((3, 1))),
    "addresses": (pl.Series([f"10.0.{i}.{j}" for i in range(3) for j in range(3)]), Networks((24, 16, 8))),
    "addresses of both versions": (
        pl.Series(["10.0.0.1", "10.0.0.2", "2001:db8::1"]),
        Networks((64, 48, 32, 24, 16, 8)),
    ),
    "categories": (
        pl.Series(["a"] * 40 + ["b"] * 30 + ["c"] * 20 + ["d"] * 6 + ["e"] * 2 + ["f"]),
        Groups(
            (("a", "b", "c", "d"), ("a", "b"), ("a",)),
            ("other than top 4", "other than top 2", "other than top 1"),
        ),
    ),
    "categories that all are frequent": (
        pl.Series(["a"] * 9 + ["b"] * 8 + ["c"] * 7),
        Groups((("a",),), ("other than top 1",)),
    ),
    "a category with the label of the rest": (
        pl.Series(["a"] * 9 + ["other than top 1"] * 8 + ["c"] * 7),
        Groups((("a",),), ("(other than top 1)",)),
    ),
    "only rare categories": (pl.Series(["ann", "bob", "cy", "di"]), Suppress()),
}


@pytest.mark.parametrize("case", KINDS)
def test_each_kind_of_column_has_its_hierarchy(case: str) -> None:
    column, expected = KINDS[case]
    assert auto(column).declaration == expected


def test_infinite_numbers_are_refused() -> None:
    with pytest.raises(InputError, match="infinite"):
        auto(pl.Series([1.0, 2.0, 3.0, float("inf")]))


def test_coded_ends_and_level_limits_apply() -> None:
    hierarchy = auto(repeated(list(range(18, 66)), 10), top=D(60), finest=2, coarsest=3)
    assert (hierarchy.finest, hierarchy.coarsest) == (2, 3)
    assert hierarchy.labels.gather(hierarchy.ancestor[2].astype(np.int64)).to_list()[-6:] == [">=60"] * 6


def test_members_decide_over_rows() -> None:
    """A value of many rows and few units is rare."""
    values = pl.Series(["a", "b", "c", "d"])
    by_rows = concrete(values, pl.Series([9, 9, 9, 9]), 5)
    by_units = concrete(values, pl.Series([9, 2, 1, 1]), 5)
    assert by_rows == Groups((("a", "b"), ("a",)), ("other than top 2", "other than top 1"))
    assert by_units == Groups((("a",),), ("other than top 1",))


COLUMNS = st.one_of(
    st.lists(st.integers(-50, 2000), min_size=1, max_size=80),
    st.lists(st.floats(-1e6, 1e6, allow_nan=False), min_size=1, max_size=80),
    st.lists(st.decimals(-999, 999, places=2), min_size=1, max_size=80),
    st.lists(st.dates(date(1900, 1, 1), date(2040, 1, 1)), min_size=1, max_size=80),
    st.lists(st.sampled_from(["red", "blue", "green", "x1", "x2", "x33", "*", ""]), min_size=1, max_size=80),
    st.lists(st.text(max_size=3), min_size=1, max_size=80),
)


@settings(max_examples=120, deadline=None)
@given(values=COLUMNS, k=st.integers(1, 6), draw=st.randoms())
def test_levels_nest_cover_and_show_nobody(values: list[Any], k: int, draw: Any) -> None:
    column = pl.Series(values)
    hierarchy = auto(column, k)
    for finer, coarser in pairwise(hierarchy.ancestor):
        assert len(set(zip(finer, coarser, strict=True))) == len(set(finer))
    assert (np.diff(hierarchy.cost[hierarchy.ancestor], axis=0) >= -1e-12).all()
    shuffled = list(values)
    draw.shuffle(shuffled)
    assert auto(pl.Series(shuffled, dtype=column.dtype), k).declaration == hierarchy.declaration
    _shows_no_rare_value(column, hierarchy, k)
    if hierarchy.low is not None and hierarchy.high is not None:
        _bounds_hold(hierarchy)


def _shows_no_rare_value(column: pl.Series, hierarchy: Hierarchy, k: int) -> None:
    """Categories named above level 0 are held by k; the ends of intervals are round numbers, whatever the data."""
    if isinstance(hierarchy.declaration, Groups):
        counts = dict(column.value_counts().iter_rows())
        assert all(counts[name] >= k for kept in hierarchy.declaration.kept for name in kept)
    if isinstance(hierarchy.declaration, Breaks):
        first = hierarchy.declaration.levels[0]
        width = min((Fraction(b) - Fraction(a) for a, b in pairwise(first)), default=Fraction(first[0]) or Fraction(1))
        assert all((Fraction(cut) / width).denominator == 1 for cut in first)
        assert (
            re.fullmatch(r"[125]0*|0\.0*[125]|[48]0*", f"{D(width.numerator) / D(width.denominator):f}")
            or len(first) == 1
        )
        assert len(first) <= 25


def _bounds_hold(hierarchy: Hierarchy) -> None:
    assert hierarchy.low is not None
    assert hierarchy.high is not None
    values = hierarchy.domain.drop_nulls()
    for row in hierarchy.ancestor[:, : len(values)]:
        low, high = hierarchy.low.gather(row.astype(np.int64)), hierarchy.high.gather(row.astype(np.int64))
        assert (low.is_null() | (low <= values)).all()
        assert (high.is_null() | (values <= high)).all()
