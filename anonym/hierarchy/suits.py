"""Which types of columns a declaration reads."""

from __future__ import annotations

import polars as pl

from anonym.hierarchy.clock import measure_of
from anonym.hierarchy.model import Breaks, Dates, Declaration, FileHierarchy, Interval, Networks, Prefix, Rounded

_MEASURED = {
    "number": "numbers",
    "clock": "times of day",
    "length": "durations",
}


KEYS: dict[type, str] = {
    Interval: "interval",
    Breaks: "breaks",
    Rounded: "round",
    Dates: "date",
    Prefix: "prefix",
    Networks: "ip",
    FileHierarchy: "taxonomy",
}


def needs(declaration: Declaration) -> str | None:
    """What it reads, in words; None where any type will do that a quasi-identifier can have."""
    match declaration:
        case Interval(of="length"):
            return "times of day or durations"
        case Interval() | Rounded():
            return "numbers"
        case Breaks(of=of):
            return _MEASURED[of]
        case Dates():
            return "dates or timestamps"
        case Prefix():
            return "text or whole numbers"
        case Networks() | FileHierarchy(by_prefix=True):
            return "text"
    return None


def suits(declaration: Declaration, dtype: pl.DataType) -> bool:
    """Whether it reads columns of this type."""
    is_text, measure = isinstance(dtype, pl.String | pl.Categorical | pl.Enum), measure_of(dtype)
    return {
        None: True,
        "numbers": measure == "number",
        "times of day": measure == "clock",
        "durations": measure == "length",
        "times of day or durations": measure in ("clock", "length"),
        "dates or timestamps": isinstance(dtype, pl.Date | pl.Datetime),
        "text or whole numbers": is_text or dtype.is_integer(),
        "text": is_text,
    }[needs(declaration)]


def how(declaration: Declaration, dtype: pl.DataType) -> str:
    """What to do where a declaration does not suit a type."""
    measure = measure_of(dtype)
    if measure in ("clock", "length") and isinstance(declaration, Breaks):
        cuts = "08:00, 12:00, 18:00" if measure == "clock" else "1h, 8h, 1d"
        return f"write for such a column, as in {{breaks: [{cuts}]}}"
    if measure in ("clock", "length") and isinstance(declaration, Interval | Rounded | Dates):
        return "write for such a column, as in {interval: [15m, 1h]}"
    if isinstance(dtype, pl.Date | pl.Datetime) and isinstance(declaration, Interval | Breaks | Rounded):
        return "for such a column there are periods of the calendar, as in {date: [month, year]}"
    return "cast the column, or set input.types for CSV, or declare another hierarchy"
