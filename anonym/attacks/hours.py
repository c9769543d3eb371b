"""Times of day and durations as whole numbers of ticks, and labels of theirs as inclusive spans of ticks."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Literal

import polars as pl

from anonym.hierarchy.clock import read_seconds

Kind = Literal["clock", "length"]

SECOND = {"clock": 10**9, "length": 10**6}  # ticks; finer parts of a duration are cut off
MIDNIGHT = "24:00"  # the end of a day, as a label has it

_INTERVAL = re.compile(r"([\[(])(\S+), (\S+)\)")
_HALF = re.compile(r"(<=|>=|<|>)(.+)")


def ticks(values: pl.Series, kind: Kind) -> pl.Series:
    """Int64 ticks; null where there is no value, or a text that is none."""
    if values.dtype == pl.String:
        return pl.Series([None if text is None else tick(text, kind) for text in values], dtype=pl.Int64)
    if isinstance(values.dtype, pl.Duration):
        return values.cast(pl.Duration("us"), strict=False).to_physical()
    return values.cast(pl.Time, strict=False).to_physical()


def tick(text: str, kind: Kind) -> int | None:
    written = read_seconds(text)
    if text == MIDNIGHT and kind == "clock":
        return 86_400 * SECOND[kind]
    if written is None or written.of != kind:
        return None
    return int((written.seconds * SECOND[kind]).to_integral_value(rounding="ROUND_FLOOR"))


def span(text: str, kind: Kind, least: int, most: int) -> tuple[int, int] | None:
    """First and last tick of a label; an open end is `least` or `most`. None for what is no label of the kind."""
    if (at := tick(text, kind)) is not None:
        return at, at
    if found := _INTERVAL.fullmatch(text):
        low, high = tick(found[2], kind), tick(found[3], kind)
        return None if low is None or high is None else (low + (found[1] == "("), high - 1)
    if (found := _HALF.fullmatch(text)) and (end := tick(found[2], kind)) is not None:
        return {"<": (least, end - 1), "<=": (least, end), ">": (end + 1, most), ">=": (end, most)}[found[1]]
    return None


def kind_of(cells: pl.DataType, values: pl.DataType) -> Kind | None:
    """Times of day or durations, where either side is."""
    if pl.Time in (cells, values):
        return "clock"
    return "length" if any(isinstance(dtype, pl.Duration) for dtype in (cells, values)) else None


def tolerance_of(tolerance: float, kind: Kind) -> int:
    """Seconds in ticks."""
    return int(Decimal(str(tolerance)) * SECOND[kind])
