"""What the package releases, of every hierarchy, type, level and form, is read as covering what its node covers.

Two code paths that share nothing but the reader of hierarchy files: one writes labels and bounds, the other reads them.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.columns import forms
from anonym.hierarchy.build import build
from anonym.hierarchy.clock import End, Seconds
from anonym.hierarchy.encode import domain
from anonym.hierarchy.model import (
    Breaks,
    Dates,
    Declaration,
    FileHierarchy,
    Hierarchy,
    Identity,
    Interval,
    Prefix,
    Rounded,
    Suppress,
)
from anonym.verify.covers import uncovered_rows
from anonym.verify.facts import Form, Kind, QuasiFact

D = Decimal
INTEGERS = st.integers(-60, 120)
CENTS = st.integers(-6000, 12000).map(lambda n: D(n) / 100)
TENTHS = st.integers(-600, 1200).map(lambda n: n / 10)
DAYS = st.dates(date(1895, 1, 1), date(2035, 12, 31))
MOMENTS = DAYS.flatmap(
    lambda d: st.integers(0, 86_399).map(lambda s: datetime(d.year, d.month, d.day) + timedelta(seconds=s))
)
CLOCKS = st.times() | st.integers(0, 95).map(lambda n: time(n // 4, n % 4 * 15))
LENGTHS = st.timedeltas(timedelta(-3), timedelta(400)) | st.integers(-90, 90).map(lambda n: timedelta(hours=n))
ZIPS = st.text("0129", min_size=2, max_size=5)

CASES: dict[str, tuple[pl.DataType, st.SearchStrategy[Any], Kind, Declaration]] = {
    "integers by interval": (pl.Int16(), INTEGERS, "interval", Interval((D(5), D(10), D(20)))),
    "unsigned by interval": (pl.UInt8(), st.integers(0, 255), "interval", Interval((D(10), D(100)))),
    "integers by fractions": (pl.Int64(), INTEGERS, "interval", Interval((D("2.5"), D(5)))),
    "integers by breaks": (pl.Int64(), INTEGERS, "breaks", Breaks(((D(0), D(18), D(65)), (D(18),)))),
    "floats by interval": (pl.Float64(), TENTHS, "interval", Interval((D("0.1"), D("0.5"), D(10)))),
    "floats by breaks": (pl.Float64(), TENTHS, "breaks", Breaks(((D("0.3"), D(18)), (D(18),)))),
    "short floats by interval": (pl.Float32(), TENTHS, "interval", Interval((D("0.5"), D(10)))),
    "decimals by interval": (pl.Decimal(9, 2), CENTS, "interval", Interval((D("0.05"), D(10)))),
    "floats rounded": (pl.Float64(), CENTS.map(float), "round", Rounded((1, 0))),
    "decimals rounded": (pl.Decimal(9, 2), CENTS, "round", Rounded((1, 0, -1))),
    "dates": (pl.Date(), DAYS, "date", Dates(("month", "quarter", "year", "decade"))),
    "timestamps": (pl.Datetime("us"), MOMENTS, "date", Dates(("day", "month", "year"))),
    "times by interval": (pl.Time(), CLOCKS, "interval", Interval((D(900), D(7200)), "length")),
    "times by breaks": (pl.Time(), CLOCKS, "breaks", Breaks(((D(21_600), D(64_800)), (D(64_800),)), "clock")),
    "times": (pl.Time(), CLOCKS, "suppress", Suppress()),
    "durations by interval": (pl.Duration("us"), LENGTHS, "interval", Interval((D("0.5"), D(86_400)), "length")),
    "short durations by breaks": (pl.Duration("ns"), LENGTHS, "breaks", Breaks(((D(-60), D("1e-6")),), "length")),
    "durations": (pl.Duration("ms"), LENGTHS, "suppress", Suppress()),
    "prefixes": (pl.String(), ZIPS, "prefix", Prefix((4, 2))),
    "prefixes of integers": (pl.Int64(), st.integers(100, 99_999), "prefix", Prefix((4, 2))),
    "text": (pl.String(), st.text("ab*é ", max_size=3), "suppress", Suppress()),
    "flags": (pl.Boolean(), st.booleans(), "suppress", Suppress()),
    "untouched floats": (pl.Float64(), st.floats(allow_nan=True, allow_infinity=False), "none", Identity()),
}  # fmt: skip
NUMERIC = [name for name, case in CASES.items() if case[0].is_numeric() and "prefix" not in name]


def _leaves(column: pl.Series, declaration: Declaration, **ends: Any) -> Hierarchy:
    return build("q", declaration, domain(column.to_frame().lazy(), "q", column.dtype)["value"], **ends)


def _misread(column: pl.Series, hierarchy: Hierarchy, fact: QuasiFact) -> list[str]:
    """Where reading differs from the node, over every pair of a value and a released cell, at every level."""
    wrong = []
    values = hierarchy.domain.rename("q").to_frame()
    value, cell = (places.ravel() for places in np.indices((hierarchy.leaves, hierarchy.leaves)))
    for level in range(hierarchy.levels):
        released = column.to_frame().lazy().select(forms.release(hierarchy, level, fact.form)).collect()
        if uncovered_rows(column, released, fact):
            wrong.append(f"level {level}: an own cell is not covered")
        cells = values.lazy().select(forms.release(hierarchy, level, fact.form)).collect()
        nodes = hierarchy.ancestor[level]
        others = (nodes[value] != nodes[cell]) & ~_vague(cells, fact)[cell]
        if uncovered_rows(hierarchy.domain.gather(value[others]), cells[cell[others]], fact) != others.sum():
            wrong.append(f"level {level}: a cell covers a value of another node")
    return wrong


def _vague(cells: pl.DataFrame, fact: QuasiFact) -> np.ndarray:
    """Cells whose words cover more than their node: `*`, both bounds null, and labels of kinds that overlap."""
    rows = [row in ((None, None), ("*",)) or fact.kind in ("round", "prefix") for row in cells.iter_rows()]
    return np.array(rows, dtype=np.bool_)


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_labels(name: str, data: st.DataObject) -> None:
    dtype, values, kind, declaration = CASES[name]
    drawn = data.draw(st.lists(st.none() | values, min_size=1, max_size=7))
    column = pl.Series("q", drawn, dtype=dtype)
    parameters = declaration.decimals if isinstance(declaration, Rounded) else ()
    fact = QuasiFact("q", ("q",), kind=kind, parameters=parameters)
    assert _misread(column, _leaves(column, declaration), fact) == []


ENDS: dict[str, tuple[End, End]] = {
    **dict.fromkeys(NUMERIC, (D(17), D(90))),
    **{name: (D("17.5"), D(90)) for name in NUMERIC if CASES[name][0].is_float()},
    **dict.fromkeys(("dates", "timestamps"), (date(1930, 5, 5), date(2010, 1, 1))),
    **dict.fromkeys(("times by interval", "times"), (Seconds(D(3600), "clock"), Seconds(D(79_200), "clock"))),
    **dict.fromkeys(("durations by interval", "durations"), (Seconds(D(-9), "length"), Seconds(D(86_400), "length"))),
}


@pytest.mark.parametrize("form", ["label", "bounds"])
@pytest.mark.parametrize("name", ENDS)
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_coded_ends_and_bounds(name: str, form: Form, data: st.DataObject) -> None:
    dtype, values, kind, declaration = CASES[name]
    drawn = data.draw(st.lists(st.none() | values, min_size=1, max_size=7))
    column = pl.Series("q", drawn, dtype=dtype)
    bottom, top = (data.draw(st.sampled_from([None, end])) for end in ENDS[name])
    released = ("q",) if form == "label" else ("q_low", "q_high")
    parameters = declaration.decimals if isinstance(declaration, Rounded) else ()
    told = [str(end) if isinstance(end, Seconds) else end for end in (top, bottom)]
    fact = QuasiFact("q", released, form, kind, parameters, *told)
    hierarchy = _leaves(column, declaration, top=top, bottom=bottom)
    assert _misread(column, hierarchy, fact) == []


@pytest.mark.parametrize("dtype", [pl.Int64(), pl.Float64(), pl.String()])
def test_files(dtype: pl.DataType, tmp_path: Path) -> None:
    file = tmp_path / "h.csv"
    file.write_text("1,low,few,*\n2,low,few,*\n3,high,few,*\n4,four,*,*\n5,odd,many,*\n")
    column = pl.Series("q", ["1", "2", "4", "5", None, "9"]).cast(dtype)
    fact = QuasiFact("q", ("q",), kind="file", parameters=(file,), uncovered_top=True)
    hierarchy = _leaves(column, FileHierarchy(file), uncovered="top")
    assert _misread(column, hierarchy, fact) == []
    strict = QuasiFact("q", ("q",), kind="file", parameters=(file,))
    released = column.to_frame().lazy().select(forms.release(hierarchy, 0)).collect()
    assert uncovered_rows(column, released, strict) == 1
