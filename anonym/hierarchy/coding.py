"""Top and bottom coding: which leaves it takes, and what is left for the declaration."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl

from anonym.errors import Fault, PolicyError, type_name
from anonym.hierarchy import periods
from anonym.hierarchy.axis import axis_of
from anonym.hierarchy.clock import End, Seconds, kind_of, measure_of
from anonym.hierarchy.labels import numerator
from anonym.hierarchy.steps import Window


def coded_window(column: str, values: pl.Series, bottom: End | None, top: End | None) -> Window:
    dtype = values.dtype
    kind = measure_of(dtype) or ("date" if dtype.is_temporal() else None)
    faults = [
        Fault(f"columns.{column}.{key}", f"expected {_WORDS[kind]} for a column of type {type_name(dtype)}")
        for key, end in (("bottom", bottom), ("top", top))
        if end is not None and kind_of(end) != kind
    ]
    first, last = _plain(bottom), _plain(top)
    if not faults and first is not None and last is not None and not first < last:  # type: ignore[operator]
        faults = [Fault(f"columns.{column}.bottom", "expected less than `top`")]
    if faults:
        raise PolicyError(faults)
    coded: Callable[[pl.Series, Any, Any], Window] = _coded_dates if kind == "date" else _coded_numbers
    return coded(values, first, last)


_WORDS = {
    None: "nothing",
    "number": "a number",
    "date": "a date",
    "clock": "a time of day, such as 22:00,",
    "length": "a length of time, such as 90m,",
}


def _plain(end: End | None) -> Decimal | date | None:
    """Times and lengths in seconds."""
    return end.seconds if isinstance(end, Seconds) else end


def _coded_numbers(values: pl.Series, bottom: Decimal | None, top: Decimal | None) -> Window:
    """Numbers (of seconds) up to `bottom` and from `top` on."""
    ends = [end for end in (bottom, top) if end is not None]
    if not ends:
        return Window(0, len(values), None, None, values.clear(), values.clear())
    axis = axis_of(values, ends)
    at = {end: numerator(end, axis.scale) for end in ends}
    begin = 0 if bottom is None else axis.upto(at[bottom])
    end = len(values) if top is None else axis.below(at[top])
    high = values.clear() if bottom is None else axis.most_upto(at[bottom])
    low = values.clear() if top is None else axis.least_from(at[top])
    return Window(begin, end, bottom, top, high, low)


def _coded_dates(values: pl.Series, bottom: date | None, top: date | None) -> Window:
    """Dates up to the end of the day `bottom` and from the start of the day `top` on."""
    high = low = values.clear()
    begin, end = 0, len(values)
    if bottom is not None:
        high = periods.ends(pl.Series([bottom], dtype=pl.Date), values.dtype)
        begin = int((values <= high[0]).sum())
    if top is not None:
        low = periods.starts(pl.Series([top], dtype=pl.Date), values.dtype)
        end = int((values < low[0]).sum())
    return Window(begin, end, bottom, top, high, low)
