"""What a released label says, read by a grammar of its own: which values of a number line or calendar it covers.

A reading is an inclusive range on the column's line (`codes`): whole numbers for integers, decimals (in units of the
last digit), dates (days), timestamps (ticks of local time), times of day and durations (ticks), floats for floats. None
is an open end.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from datetime import date
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl

from anonym.verify.facts import QuasiFact

Reading = tuple[Any, Any]

_NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?"
_EXACT = re.compile(rf"({_NUMBER})")
_INTEGERS = re.compile(r"(-?\d+)-(-?\d+)")
_INTERVAL = re.compile(rf"([\[(])({_NUMBER}), ({_NUMBER})([\])])")
_BEYOND = re.compile(r"(>=|>|<=|<)(.+)")
_PERIOD = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?|-Q([1-4])|(s))?")
_TIMES = re.compile(r"([\[(])([-:.0-9dhms]+), ([-:.0-9dhms]+)\)")
_CLOCK = re.compile(r"(\d\d):(\d\d)(?::(\d\d(?:\.\d{1,9})?))?")
_LENGTH = re.compile(r"-?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d{1,9})?)s)?")
_TICKS = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}  # of a day
_FAR = 2**120  # beyond every value of an integer or decimal column, inside Int128


def has_line(dtype: pl.DataType) -> bool:
    """Whether values of this type lie on a line, so that labels are ranges."""
    return dtype.is_numeric() or dtype in (pl.Date, pl.Time) or isinstance(dtype, pl.Datetime | pl.Duration)


def codes(values: pl.Series) -> pl.Series:
    """The values on their line: Int128, or the float type itself. Nulls stay."""
    if values.dtype.is_float():
        return values
    if isinstance(values.dtype, pl.Datetime):
        values = values.dt.replace_time_zone(None)
    return values.to_physical().cast(pl.Int128)


def readings(labels: pl.Series, dtype: pl.DataType, fact: QuasiFact) -> pl.DataFrame:
    """`label`, `low`, `high`, `read` for distinct labels; `read` is false where the grammar knows no such label."""
    read = reader(dtype, fact)
    found = [read(label) for label in labels.to_list()]
    line = dtype if dtype.is_float() else pl.Int128()
    return pl.DataFrame(
        [
            labels.alias("label"),
            pl.Series("low", [reading[0] if reading else None for reading in found], dtype=line),
            pl.Series("high", [reading[1] if reading else None for reading in found], dtype=line),
            pl.Series("read", [reading is not None for reading in found], dtype=pl.Boolean),
        ]
    )


def reader(dtype: pl.DataType, fact: QuasiFact) -> Callable[[str], Reading | None]:
    """A function from a label to its reading, None where it is not understood."""
    if dtype == pl.Time or isinstance(dtype, pl.Duration):
        return lambda label: _read_ticks(label, dtype)
    if not dtype.is_numeric():
        return lambda label: _read_period(label, dtype)
    rounded = tuple(int(str(d)) for d in fact.parameters) if fact.kind == "round" else ()
    return lambda label: _read_number(label, dtype, rounded)


def _read_number(label: str, dtype: pl.DataType, rounded: Sequence[int]) -> Reading | None:
    if found := _EXACT.fullmatch(label):
        value = Fraction(found[1])
        reach = _reach(value, rounded)
        return _low(value - reach, dtype), _high(value + reach, dtype)
    if found := _INTEGERS.fullmatch(label):
        return _low(Fraction(found[1]), dtype), _high(Fraction(found[2]), dtype)
    if found := _INTERVAL.fullmatch(label):
        low, high = Fraction(found[2]), Fraction(found[3])
        return _low(low, dtype, found[1] == "("), _high(high, dtype, found[4] == ")")
    if (found := _BEYOND.fullmatch(label)) and (bound := _EXACT.fullmatch(found[2])):
        value = Fraction(bound[1])
        is_open = len(found[1]) == 1
        return (_low(value, dtype, is_open), None) if found[1][0] == ">" else (None, _high(value, dtype, is_open))
    return None


def _reach(value: Fraction, rounded: Sequence[int]) -> Fraction:
    """How far from a rounded label its numbers may lie: every level rounds the one before, half a unit each time."""
    reach = widest = Fraction(0)
    for decimals in rounded:
        unit = Fraction(10) ** -decimals
        reach += unit / 2
        if value % unit == 0:
            widest = reach
    return widest


def _low(value: Fraction, dtype: pl.DataType, is_open: bool = False) -> Any:
    """The least code that is not below `value` (above it, if open)."""
    if dtype.is_float():
        return _nearest(value, dtype, upward=True, is_open=is_open)
    scaled = _scaled(value, dtype)
    return _inside(math.floor(scaled) + 1 if is_open else math.ceil(scaled))


def _high(value: Fraction, dtype: pl.DataType, is_open: bool = False) -> Any:
    """The largest code that is not above `value` (below it, if open)."""
    if dtype.is_float():
        return _nearest(value, dtype, upward=False, is_open=is_open)
    scaled = _scaled(value, dtype)
    return _inside(math.ceil(scaled) - 1 if is_open else math.floor(scaled))


def _scaled(value: Fraction, dtype: pl.DataType) -> Fraction:
    return value * 10**dtype.scale if isinstance(dtype, pl.Decimal) else value


def _inside(code: int) -> int:
    return max(-_FAR, min(_FAR, code))


def _nearest(value: Fraction, dtype: pl.DataType, *, upward: bool, is_open: bool) -> float:
    """The float next to `value` on its inner side; a float is the decimal it prints as: 0.3 lies in [0.3, 0.4)."""
    try:
        point = np.float32(float(value)) if dtype == pl.Float32 else np.float64(float(value))
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    if not np.isfinite(point):
        return float(point)
    prints = Fraction(str(point))
    outside = (prints < value if upward else prints > value) or (is_open and prints == value)
    return float(np.nextafter(point, type(point)(math.inf if upward else -math.inf)) if outside else point)


def _read_ticks(label: str, dtype: pl.DataType) -> Reading | None:
    """`08:30:00`, `[08:00, 09:00)`, `(08:30, 09:00)`, `>=22:00`, or of durations `1h30m`, `[1h, 2h)`, `<8h`."""
    if (whole := _ticks(label, dtype)) is not None:
        return whole, whole
    if found := _TIMES.fullmatch(label):
        first, beyond = _ticks(found[2], dtype), _ticks(found[3], dtype)
        return None if first is None or beyond is None else (first + (found[1] == "("), beyond - 1)
    if (found := _BEYOND.fullmatch(label)) and (bound := _ticks(found[2], dtype)) is not None:
        ranges = {">=": (bound, None), ">": (bound + 1, None), "<=": (None, bound), "<": (None, bound - 1)}
        return ranges[found[1]]
    return None


def _ticks(text: str, dtype: pl.DataType) -> int | None:
    """What is written, as a number of the column's ticks; None for another text, or one finer than a tick."""
    is_length = isinstance(dtype, pl.Duration)
    found = (_LENGTH if is_length else _CLOCK).fullmatch(text)
    if not found or not any(found.groups()):
        return None
    second = _TICKS[dtype.time_unit or "us"] // 86_400 if isinstance(dtype, pl.Duration) else 10**9
    days, *rest = found.groups() if is_length else (None, *found.groups())
    size = sum((Fraction(part or 0) * unit for part, unit in zip((days, *rest), (86_400, 3600, 60, 1), strict=True)), 0)
    ticks = Fraction(size) * second
    return None if ticks.denominator > 1 else int(-ticks if text.startswith("-") else ticks)


def _read_period(label: str, dtype: pl.DataType) -> Reading | None:
    beyond = _BEYOND.fullmatch(label)
    days = _period(beyond[2] if beyond else label)
    if days is None:
        return None
    ticks = _TICKS[dtype.time_unit] if isinstance(dtype, pl.Datetime) else 1
    first, last = days[0] * ticks, (days[1] + 1) * ticks - 1
    sign = beyond[1] if beyond else ""
    return {">=": (first, None), ">": (last + 1, None), "<=": (None, last), "<": (None, first - 1)}.get(
        sign, (first, last)
    )


def _period(text: str) -> tuple[int, int] | None:
    """First and last day, from 1970, of `2024`, `2020s`, `2024-Q1`, `2024-01` or `2024-01-31`."""
    found = _PERIOD.fullmatch(text)
    if not found:
        return None
    year, month, day, quarter, decade = found.groups()
    if day:
        return _day(text)
    if (month and not 1 <= int(month) <= 12) or (decade and year[-1] != "0"):
        return None
    start = int(year) * 12 + (int(month) - 1 if month else 3 * (int(quarter) - 1) if quarter else 0)
    months = 1 if month else 3 if quarter else 120 if decade else 12
    return _first_day(start), _first_day(start + months) - 1


def _day(text: str) -> tuple[int, int] | None:
    try:
        number = date.fromisoformat(text).toordinal() - date(1970, 1, 1).toordinal()
    except ValueError:
        return None
    return number, number


def _first_day(months: int) -> int:
    """The first day, from 1970, of a month counted from year 0."""
    return int(np.datetime64(months - 1970 * 12, "M").astype("datetime64[D]").astype(np.int64))
