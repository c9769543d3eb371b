"""Values that lie on a line (numbers, dates, times) as sortable codes, and labels as inclusive spans of codes."""

from __future__ import annotations

import calendar
import math
import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.attacks import hours

Spans = tuple[NDArray[Any], NDArray[Any], NDArray[np.bool_]]  # low, high, whether the label could be read
Span = tuple[float | int, float | int]

_LEAST, _MOST = -(2**63), 2**63 - 1
_DAY = 86_400_000_000  # microseconds
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_POINT = re.compile(rf"({_NUMBER})")
_RANGE = re.compile(rf"({_NUMBER})-({_NUMBER})")
_INTERVAL = re.compile(rf"([\[(])({_NUMBER}), ?({_NUMBER})([\])])")
_HALF = re.compile(r"(<=|>=|<|>)(.+)")
_PERIOD = re.compile(r"(\d{4})(?:(s)|-Q([1-4])|-(\d{2})(?:-(\d{2}))?)?")


@dataclass(frozen=True)
class Line:
    """How the values of one column lie on a line."""

    kind: Literal["integer", "float", "date", "moment", "clock", "length"]

    def codes(self, values: pl.Series) -> pl.Series:
        """Int64 or Float64 codes; null where there is no value, or a text that cannot be read as one."""
        if self.kind == "float":
            codes = values.cast(pl.Float64, strict=False)
            return codes.set(codes.is_nan(), None)
        if self.kind == "integer":
            return values.cast(pl.Int64, strict=False)
        if self.kind == "clock" or self.kind == "length":
            return hours.ticks(values, self.kind)
        return self._temporal(values).to_physical().cast(pl.Int64)

    def _temporal(self, values: pl.Series) -> pl.Series:
        if values.dtype == pl.String:
            values = values.str.to_date(strict=False)
        if isinstance(values.dtype, pl.Datetime):
            values = values.dt.replace_time_zone(None)  # labels are in local time
        return values.cast(pl.Date if self.kind == "date" else pl.Datetime("us"), strict=False)

    def spans(self, cells: pl.Series) -> Spans:
        """The span of each cell: a label's by what it says, a value's the value alone."""
        if cells.dtype != pl.String:
            codes = self.codes(cells)
            is_read = codes.is_not_null().to_numpy()
            codes = codes.fill_null(0)
            return codes.to_numpy(), codes.to_numpy(), is_read
        found = [None if text is None else self._span(text) for text in cells]
        low = np.array([0 if span is None else span[0] for span in found], dtype=self._type)
        high = np.array([0 if span is None else span[1] for span in found], dtype=self._type)
        return low, high, np.array([span is not None for span in found], dtype=np.bool_)

    def between(self, low: pl.Series, high: pl.Series) -> Spans:
        """Spans of two columns of inclusive ends; a null end is open, two null ends are no span."""
        is_read = (low.is_not_null() | high.is_not_null()).to_numpy()
        least, most = (-math.inf, math.inf) if self.kind == "float" else (_LEAST, _MOST)
        return self.codes(low).fill_null(least).to_numpy(), self.codes(high).fill_null(most).to_numpy(), is_read

    def widened(self, spans: Spans, tolerance: float) -> Spans:
        """Spans that go `tolerance` further at either end, or less where negative: days of dates and moments, seconds
        of times and durations.
        """
        low, high, is_read = spans
        if not tolerance:
            return spans
        if self.kind == "float":
            return low - tolerance, high + tolerance, is_read
        by = self._whole(tolerance)
        inside = (_LEAST + abs(by), _MOST - abs(by))  # an open end stays one
        return np.clip(low, *inside) - by, np.clip(high, *inside) + by, is_read

    def _whole(self, tolerance: float) -> int:
        if self.kind == "clock" or self.kind == "length":
            return hours.tolerance_of(tolerance, self.kind)
        return math.floor(tolerance * _DAY) if self.kind == "moment" else math.floor(tolerance)

    @property
    def _type(self) -> type[np.generic]:
        return np.float64 if self.kind == "float" else np.int64

    def _span(self, text: str) -> Span | None:
        if self.kind in ("integer", "float"):
            return self._numeric(text)
        if self.kind == "clock" or self.kind == "length":
            return hours.span(text, self.kind, _LEAST, _MOST)
        return self._dated(text)

    def _numeric(self, text: str) -> Span | None:
        if found := _POINT.fullmatch(text):
            return self._ends(found[1], found[1])
        if found := _RANGE.fullmatch(text):
            return self._ends(found[1], found[2])
        if found := _INTERVAL.fullmatch(text):
            return self._ends(found[2], found[3], low_open=found[1] == "(", high_open=found[4] == ")")
        if (found := _HALF.fullmatch(text)) and _POINT.fullmatch(found[2]):
            sign, end = found[1], found[2]
            if sign[0] == "<":
                return self._ends(None, end, high_open=sign == "<")
            return self._ends(end, None, low_open=sign == ">")
        return None

    def _ends(
        self, low: str | None, high: str | None, *, low_open: bool = False, high_open: bool = False
    ) -> Span | None:
        if self.kind == "float":
            return _float_end(low, -math.inf, math.inf, low_open), _float_end(high, math.inf, -math.inf, high_open)
        least = _LEAST if low is None else _above(Decimal(low), is_open=low_open)
        most = _MOST if high is None else _beneath(Decimal(high), is_open=high_open)
        return max(least, _LEAST), min(most, _MOST)

    def _dated(self, text: str) -> Span | None:
        if found := _HALF.fullmatch(text):
            period = self._dated(found[2])
            if period is None:
                return None
            low, high = period
            return {">=": (low, _MOST), ">": (high + 1, _MOST), "<=": (_LEAST, high), "<": (_LEAST, low - 1)}[found[1]]
        if found := _PERIOD.fullmatch(text):
            return self._period(found)
        return self._moment(text)

    def _period(self, found: re.Match[str]) -> Span | None:
        try:
            first, last = _days(found)
        except ValueError:
            return None
        epoch = date(1970, 1, 1)
        low, high = (first - epoch).days, (last - epoch).days
        return (low, high) if self.kind == "date" else (low * _DAY, (high + 1) * _DAY - 1)

    def _moment(self, text: str) -> Span | None:
        """A timestamp as it stands at level 0: local time, perhaps with its offset."""
        try:
            moment = datetime.fromisoformat(text).replace(tzinfo=None)
        except ValueError:
            return None
        if self.kind == "date":
            return None
        code = (moment - datetime(1970, 1, 1)) // timedelta(microseconds=1)
        return code, code


def line_of(cells: pl.DataType, values: pl.DataType, kind: str) -> Line | None:
    """The line on which both columns lie, or None for texts, truth values and the like."""
    types = (cells, values)
    if kind in ("file", "codes", "ip") or pl.Boolean in types:
        return None
    if (measured := hours.kind_of(cells, values)) is not None:
        return Line(measured)
    if any(isinstance(dtype, pl.Datetime) for dtype in types):
        return Line("moment")
    if pl.Date in types or kind == "date":
        return Line("date")
    if any(dtype.is_float() or dtype.is_decimal() for dtype in types):
        return Line("float")
    if any(dtype.is_integer() for dtype in types):
        return Line("integer" if all(dtype.is_integer() for dtype in types) or cells == pl.String else "float")
    return Line("float") if kind in ("interval", "breaks", "round") else None


def _above(end: Decimal, *, is_open: bool) -> int:
    whole = int(end.to_integral_value(rounding=ROUND_FLOOR if is_open else ROUND_CEILING))
    return whole + 1 if is_open else whole


def _beneath(end: Decimal, *, is_open: bool) -> int:
    whole = int(end.to_integral_value(rounding=ROUND_CEILING if is_open else ROUND_FLOOR))
    return whole - 1 if is_open else whole


def _float_end(end: str | None, none: float, inward: float, is_open: bool) -> float:
    if end is None:
        return none
    return math.nextafter(float(end), inward) if is_open else float(end)


def _days(found: re.Match[str]) -> tuple[date, date]:
    """First and last day of a period's label."""
    year, decade, quarter, month, day = found.groups()
    start = int(year)
    if decade:
        return date(start, 1, 1), date(start + 9, 12, 31)
    if quarter:
        last = int(quarter) * 3
        return date(start, last - 2, 1), date(start, last, calendar.monthrange(start, last)[1])
    if month is None:
        return date(start, 1, 1), date(start, 12, 31)
    if day is None:
        return date(start, int(month), 1), date(start, int(month), calendar.monthrange(start, int(month))[1])
    return date(start, int(month), int(day)), date(start, int(month), int(day))
