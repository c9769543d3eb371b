"""Random columns under every declaration: levels nest, coarser covers finer, and each label covers its values as
verification, which shares no code with them, reads it.
"""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal as D
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.columns.forms import release
from anonym.hierarchy.build import build
from anonym.hierarchy.encode import domain
from anonym.hierarchy.files import read_hierarchy
from anonym.hierarchy.model import (
    Auto,
    Breaks,
    Dates,
    Declaration,
    FileHierarchy,
    Hierarchy,
    Interval,
    Networks,
    Prefix,
    Rounded,
    Suppress,
)
from anonym.hierarchy.packs import pack, taxonomy
from anonym.verify.covers import uncovered_rows
from anonym.verify.facts import Kind, QuasiFact

NUMBERS = st.integers(-300, 300)
DECIMALS = st.decimals(-300, 300, places=2)
FLOATS = st.one_of(st.floats(-1e9, 1e9, allow_nan=False), st.just(float("nan")))
DAYS = st.dates(date(1900, 1, 1), date(2100, 1, 1))
WORDS = st.text("ab1 ü*", max_size=4)
ADDRESSES = st.one_of(st.ip_addresses(v=4), st.ip_addresses(v=6)).map(str)
COUNTRIES = st.sampled_from(read_hierarchy(pack("countries").path).rows["level_0"].to_list())
DIAGNOSES = st.tuples(
    st.sampled_from(read_hierarchy(pack("icd10-cm").path).rows["level_0"].to_list()), st.sampled_from(["", ".1", "9X"])
).map("".join)

ICD, ISO = taxonomy("icd10-cm"), taxonomy("countries")
KINDS: dict[str, tuple[st.SearchStrategy[Any], Declaration, Kind, tuple[object, ...]]] = {
    "interval": (NUMBERS, Interval((D(7), D(21))), "interval", (D(7), D(21))),
    "interval of floats": (FLOATS, Interval((D("0.1"), D(5))), "interval", (D("0.1"), D(5))),
    "interval of decimals": (DECIMALS, Interval((D("2.5"), D(5))), "interval", (D("2.5"), D(5))),
    "breaks": (NUMBERS, Breaks(((D(-5), D(0), D(9)), (D(0),))), "breaks", ((D(-5), D(0), D(9)), (D(0),))),
    "round": (FLOATS, Rounded((1, 0, -2)), "round", (1, 0, -2)),
    "date": (DAYS, Dates(("month", "quarter", "year", "decade")), "date", ("month", "quarter", "year", "decade")),
    "prefix": (WORDS, Prefix((2, 1)), "prefix", (2, 1)),
    "suppress": (WORDS, Suppress(), "suppress", ()),
    "ip": (ADDRESSES, Networks((48, 24, 8)), "ip", (48, 24, 8)),
    "taxonomy": (COUNTRIES, ISO, "file", (ISO.path,)),
    "taxonomy by beginnings": (DIAGNOSES, ICD, "codes", (ICD.path,)),
    "auto on numbers": (NUMBERS, Auto(), "auto", ()),
    "auto on floats": (FLOATS, Auto(), "auto", ()),
    "auto on days": (DAYS, Auto(), "auto", ()),
    "auto on words": (WORDS, Auto(), "auto", ()),
    "auto on addresses": (ADDRESSES, Auto(), "auto", ()),
    "auto on codes": (DIAGNOSES, Auto(), "auto", ()),
}


def _nests(hierarchy: Hierarchy) -> None:
    for finer, coarser in pairwise(hierarchy.ancestor):
        assert len(set(zip(finer.tolist(), coarser.tolist(), strict=True))) == len(np.unique(finer))
        assert (hierarchy.covered[coarser] >= hierarchy.covered[finer]).all()
        assert (hierarchy.cost[coarser] >= hierarchy.cost[finer] - 1e-12).all()
    assert (hierarchy.cost >= 0).all()
    assert (hierarchy.cost <= 1).all()


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_levels_nest_and_labels_cover(kind: str, data: st.DataObject) -> None:
    values, declared, word, parameters = KINDS[kind]
    column = pl.Series("q", data.draw(st.lists(st.one_of(values, st.none()), min_size=1, max_size=25)))
    if column.dtype == pl.Null:
        return
    counts = domain(column.to_frame().lazy(), "q", column.dtype)
    hierarchy = build("q", declared, counts["value"], rows=counts["rows"], k=2)
    _nests(hierarchy)
    fact = QuasiFact("q", ("q",), kind=word, parameters=parameters)
    for level in range(hierarchy.levels):  # a file of two thousand lines is read anew for each
        frame = column.to_frame().select(release(hierarchy, level))
        assert uncovered_rows(column, frame, fact) == 0
    if column[0] is not None and counts["value"].dtype != pl.Float64:  # NaN is null
        assert uncovered_rows(column.head(1), pl.DataFrame({"q": ["elsewhere"]}), fact) == 1


def test_every_declaration_is_tried() -> None:
    tried = {type(declared) for _, declared, _, _ in KINDS.values()}
    assert tried >= {Interval, Breaks, Rounded, Dates, Prefix, Suppress, Networks, FileHierarchy, Auto}
    assert isinstance(ISO.path, Path)


@pytest.mark.parametrize("zone", [None, "UTC"])
@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_timestamps_to_the_ends_of_nanoseconds_have_periods_that_hold_them(unit: Any, zone: str | None) -> None:
    """1677 and 2262 begin and end beyond; the last tick often stands for no date at all."""
    ends = pl.Series([-(2**63) + 10**9, 2**63 - 1]).cast(pl.Datetime("ns")).dt.cast_time_unit(unit)
    column = pl.concat([ends, pl.Series([datetime(1970, 1, 1), None], dtype=pl.Datetime(unit))]).alias("q")
    column = column.dt.replace_time_zone(zone)
    hierarchy = build("q", Dates(("day", "year")), domain(column.to_frame().lazy(), "q", column.dtype)["value"])
    _nests(hierarchy)
    released = column.to_frame().with_columns(release(hierarchy, 2, "bounds"), label=release(hierarchy, 2)[0])
    assert released["label"].to_list() == ["1677", "2262", "1970", None]
    values = released.drop_nulls("q")
    assert values.select((pl.col("q_low") <= pl.col("q")) & (pl.col("q") <= pl.col("q_high"))).to_series().all()
