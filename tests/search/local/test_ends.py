"""Every interval that the search may release can be printed, covers its rows, and tells no rare value."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal as D
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.columns.cells import interval_ends, intervals
from anonym.errors import PolicyError
from anonym.hierarchy.build import build
from anonym.hierarchy.ends import STAR
from anonym.hierarchy.model import (
    Breaks,
    Cells,
    Dates,
    Declaration,
    Hierarchy,
    Identity,
    Interval,
    Prefix,
    Rounded,
    Suppress,
)
from anonym.search.local.atoms import atoms_of
from anonym.search.local.release import _interval
from anonym.verify.covers import uncovered_rows
from anonym.verify.facts import Kind, QuasiFact

K = 3
NUMBERS = st.integers(-30, 60)
FLOATS = st.floats(-50, 50, allow_nan=False).map(lambda value: round(value, 2) + 0.0)
DECIMALS = st.decimals(-30, 60, places=1)
DAYS = st.dates(date(2019, 12, 1), date(2021, 2, 1))
TIMES = st.datetimes(datetime(2019, 12, 1), datetime(2021, 2, 1))
CODED = (None, D(-10)), (None, D(25))
CODED_DAYS = (None, date(2020, 1, 15)), (None, date(2020, 11, 3))
BREAKS = ((D(-5), D(0), D(1), D(9), D(30)), (D(0), D(9)))


@dataclass(frozen=True)
class Case:
    values: st.SearchStrategy[Any]
    dtype: pl.DataType
    declared: Declaration
    kind: Kind
    coded: tuple[tuple[Any, ...], tuple[Any, ...]] = CODED


CASES = {
    "interval": Case(NUMBERS, pl.Int64(), Interval((D(10), D(20))), "interval"),
    "interval of single numbers": Case(NUMBERS, pl.Int16(), Interval((D(1), D(5))), "interval"),
    "interval of an unsigned byte": Case(st.integers(200, 255), pl.UInt8(), Interval((D(10), D(50))), "interval"),
    "interval of floats": Case(FLOATS, pl.Float64(), Interval((D("0.5"), D(5))), "interval"),
    "interval of decimals": Case(DECIMALS, pl.Decimal(6, 1), Interval((D("2.5"), D(5))), "interval"),
    "interval of single decimals": Case(DECIMALS, pl.Decimal(6, 1), Interval((D("0.1"), D(5))), "interval"),
    "breaks": Case(NUMBERS, pl.Int64(), Breaks(BREAKS), "breaks"),
    "breaks of floats": Case(FLOATS, pl.Float32(), Breaks(BREAKS), "breaks"),
    "breaks that leave one number open": Case(NUMBERS, pl.Int64(), Breaks(((D(0), D(60)), (D(0),))), "breaks"),
    "round": Case(FLOATS, pl.Float64(), Rounded((1, 0, -1)), "round"),
    "days": Case(DAYS, pl.Date(), Dates(("day", "month", "quarter", "year")), "date", CODED_DAYS),
    "months": Case(DAYS, pl.Date(), Dates(("month", "year")), "date", CODED_DAYS),
    "days of moments": Case(TIMES, pl.Datetime("us"), Dates(("day", "month")), "date", CODED_DAYS),
    "suppress": Case(NUMBERS, pl.Int64(), Suppress(), "suppress"),
    "none": Case(NUMBERS, pl.Int64(), Identity(), "none"),
    "prefix": Case(st.integers(100, 160), pl.Int64(), Prefix((2, 1)), "prefix", ((None,), (None,))),
}


@dataclass(frozen=True)
class Drawn:
    hierarchy: Hierarchy
    held: np.ndarray[Any, np.dtype[np.int64]]
    fact: QuasiFact


@st.composite
def drawn(draw: st.DrawFn, case: Case) -> Drawn:
    values = sorted(draw(st.sets(case.values, min_size=1, max_size=14)))
    domain = pl.Series("q", [*values, *([None] if draw(st.booleans()) else [])], dtype=case.dtype)
    bottom, top = (draw(st.sampled_from(ends)) for ends in case.coded)
    levels = build("q", case.declared, domain).levels
    finest = draw(st.integers(0, levels - 1))
    coarsest = draw(st.integers(finest, levels - 1))
    hierarchy = build("q", case.declared, domain, finest=finest, coarsest=coarsest, top=top, bottom=bottom)
    held = draw(st.lists(st.integers(1, K + 1), min_size=len(domain), max_size=len(domain)))
    fact = QuasiFact("q", ("q",), "set", case.kind, top=top, bottom=bottom)
    return Drawn(hierarchy, np.array(held, np.int64), fact)


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_every_interval_of_the_search_is_printed_and_covers(name: str, data: st.DataObject) -> None:
    said = data.draw(drawn(CASES[name]))
    hierarchy, held = said.hierarchy, said.held
    none = np.empty(0, np.int32)
    table = Cells(np.arange(held.size, dtype=np.int32)[:, None], held, None, none, none, none.astype(np.int64), ())
    atoms = atoms_of(hierarchy, "set", table, 0, K, 1.0)
    caps = np.unique(atoms.cap)
    cap = data.draw(st.sampled_from(caps.tolist()))
    under = np.flatnonzero(atoms.cap == cap)
    leaf = np.array(sorted(data.draw(st.sets(st.sampled_from(under.tolist()), min_size=1))))
    if held[leaf].sum() < K:
        return
    cells = _interval(hierarchy, atoms, leaf, np.zeros(1, np.int64))
    assert cells.low is not None
    assert cells.high is not None
    try:
        released = intervals(hierarchy, cells.low, cells.high, held, K)
    except PolicyError:
        assert hierarchy.low is None
        assert hierarchy.coarsest < hierarchy.levels - 1
        return
    for value in hierarchy.domain.gather(leaf):
        original = pl.Series("q", [value], dtype=hierarchy.domain.dtype)
        assert uncovered_rows(original, released.to_frame(), said.fact) == 0
    _tells_no_rare_value(said, *interval_ends(hierarchy, cells.low, cells.high, held, K))
    if hierarchy.levels > 1 and not np.isin(hierarchy.ancestor[hierarchy.coarsest][leaf], hierarchy.ancestor[-1]).any():
        assert cells.low[0] != STAR


def _tells_no_rare_value(said: Drawn, low: pl.Series, high: pl.Series) -> None:
    hierarchy = said.hierarchy
    common = {value for value, held in zip(hierarchy.domain, said.held, strict=True) if held >= K}
    for end, bounds in ((low[0], hierarchy.low), (high[0], hierarchy.high)):
        nominal = set() if bounds is None else set(bounds.gather(np.unique(hierarchy.ancestor[1:])))
        coded = set() if bounds is None else set(bounds.gather(_coded(hierarchy)))
        assert end is None or end in common | nominal | coded


def _coded(hierarchy: Hierarchy) -> list[int]:
    """The nodes of level 0 that are more than a value."""
    assert hierarchy.low is not None
    assert hierarchy.high is not None
    nodes = np.unique(hierarchy.ancestor[0])
    return [int(node) for node in nodes if (hierarchy.low[int(node)] is None) != (hierarchy.high[int(node)] is None)]
