"""Times of day and lengths of time as numbers of seconds: how a policy writes them, and how labels print them.

A time of day is `08:30` or `08:30:15.25`; a length `1h30m`, `90s`, `1.5s`, `250ms`, in units of w, d (24 hours), h,
m, s, ms, us, ns.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

import polars as pl

Of = Literal["number", "clock", "length"]

CLOCK = r"([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,9})?)?"
LENGTH = r"-?([0-9]{1,18}(\.[0-9]{1,9})?(w|d|h|m|s|ms|us|ns))+"
DAY = 86_400  # seconds
DIGITS = {"ms": 3, "us": 6, "ns": 9}  # behind the point of a second

_UNITS = (("d", DAY), ("h", 3600), ("m", 60))
_PARTS = re.compile(r"([0-9.]+)(ms|us|ns|w|d|h|m|s)")
_SIZES = {
    "w": Decimal(7 * DAY),
    "d": Decimal(DAY),
    "h": Decimal(3600),
    "m": Decimal(60),
    "s": Decimal(1),
    "ms": Decimal("1e-3"),
    "us": Decimal("1e-6"),
    "ns": Decimal("1e-9"),
}


@dataclass(frozen=True)
class Seconds:
    """A time of day since midnight, or a length of time."""

    seconds: Decimal
    of: Literal["clock", "length"]

    def __str__(self) -> str:
        """As labels print it."""
        return seconds_text(int(self.seconds.scaleb(9)), 9, self.of)


End = Decimal | date | Seconds
"""Where top or bottom coding begins."""


def kind_of(value: End) -> Literal["number", "clock", "length", "date"]:
    """What a cut or an end is written in."""
    return value.of if isinstance(value, Seconds) else "date" if isinstance(value, date) else "number"


def read_seconds(text: str) -> Seconds | None:
    """What a policy wrote; None for what is neither a time of day nor a length."""
    if re.fullmatch(CLOCK, text):
        hours, minutes, *rest = text.split(":")
        return Seconds(Decimal(int(hours) * 3600 + int(minutes) * 60) + Decimal(rest[0] if rest else 0), "clock")
    return _read_length(text) if re.fullmatch(LENGTH, text) else None


def _read_length(text: str) -> Seconds | None:
    """Units from large to small, each once; parts of a unit for seconds only."""
    parts = _PARTS.findall(text)
    places = [list(_SIZES).index(unit) for _, unit in parts]
    if places != sorted(set(places)) or any("." in number and unit != "s" for number, unit in parts):
        return None
    size = sum((Decimal(number) * _SIZES[unit] for number, unit in parts), Decimal(0))
    return Seconds(-size if text.startswith("-") else size, "length")


def measure_of(dtype: pl.DataType) -> Of | None:
    """What cuts of a column of this type are written in; None where it has no numbers."""
    if dtype == pl.Time:
        return "clock"
    if isinstance(dtype, pl.Duration):
        return "length"
    return "number" if dtype.is_numeric() else None


def digits_of_second(dtype: pl.DataType) -> int:
    """How many digits a Time or Duration column keeps of a second."""
    return DIGITS[dtype.time_unit] if isinstance(dtype, pl.Duration) and dtype.time_unit else 9


def seconds_text(numerator: int, scale: int, of: Literal["clock", "length"]) -> str:
    """numerator / 10**scale seconds in the shortest form; a time of day is at most `24:00`."""
    return _clock(numerator, scale) if of == "clock" else _length(numerator, scale)


def _clock(numerator: int, scale: int) -> str:
    whole, rest = divmod(min(numerator, DAY * 10**scale), 10**scale)
    minutes, seconds = divmod(whole, 60)
    brief = f"{minutes // 60:02}:{minutes % 60:02}"
    return brief + (f":{seconds:02}{_fraction(rest, scale)}" if seconds or rest else "")


def _length(numerator: int, scale: int) -> str:
    left, rest = divmod(abs(numerator), 10**scale)
    text = "-" if numerator < 0 else ""
    for unit, size in _UNITS:
        count, left = divmod(left, size)
        text += f"{count}{unit}" if count else ""
    return text + (f"{left}{_fraction(rest, scale)}s" if left or rest or not numerator else "")


def _fraction(rest: int, scale: int) -> str:
    digits = f"{rest:0{scale}d}".rstrip("0") if rest else ""
    return f".{digits}" if digits else ""
