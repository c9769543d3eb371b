"""How values print: as labels at level 0, as leaves of a hierarchy file, as ends of an interval."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl
from numpy.typing import NDArray

from anonym.hierarchy.clock import Of, digits_of_second, seconds_text


def printed(values: pl.Series) -> pl.Series:
    """The level 0 label of each value, String: `31`, `0.5`, `3.0`, `10.00` (a Decimal's own scale), `2024-01-31`,
    `2024-01-31T09:30:00+01:00` (local time with its offset, so that a repeated hour stays two values), `09:30:00`,
    `1h30m`, `true`.
    """
    if values.dtype == pl.Date:
        return values.dt.strftime("%Y-%m-%d")
    if isinstance(values.dtype, pl.Datetime):
        offset = "%:z" if values.dtype.time_zone else ""
        return values.dt.strftime("%Y-%m-%dT%H:%M:%S%.f" + offset)
    if values.dtype == pl.Time:
        return values.dt.strftime("%H:%M:%S%.f")  # a cast would drop the fraction
    if isinstance(values.dtype, pl.Duration):
        ticks, digits = values.to_physical().to_list(), digits_of_second(values.dtype)
        texts = [None if tick is None else seconds_text(tick, digits, "length") for tick in ticks]
        return pl.Series(values.name, texts, dtype=pl.String)
    return values.cast(pl.String)


def leaf_text(values: pl.Series) -> pl.Series:
    """The text under which a hierarchy file lists each value: as printed, but numbers without idle zeros.

    A float or Decimal column's 31 is listed as `31`, neither `31.0` nor `31.00`; 0.50 as `0.5`.
    """
    text = printed(values)
    if values.dtype.is_decimal() or values.dtype.is_float():
        is_plain = text.str.contains(".", literal=True) & ~text.str.contains("e", literal=True)
        bare = text.str.strip_chars_end("0").str.strip_chars_end(".")
        return bare.zip_with(is_plain, text)
    return text


def number(numerator: int, scale: int) -> str:
    """The shortest exact decimal text of numerator / 10**scale."""
    if scale == 0:
        return str(numerator)
    whole, rest = divmod(abs(numerator), power(scale))
    tail = f"{rest:0{scale}d}".rstrip("0")
    return f"{'-' if numerator < 0 else ''}{whole}{'.' if tail else ''}{tail}"


def numbers(numerators: NDArray[Any], scale: int) -> pl.Series:
    """As `number`, for an array of integers (int64 or Python's)."""
    if numerators.dtype == object or scale > 18:
        return pl.Series([number(int(n), scale) for n in numerators], dtype=pl.String)
    values = pl.Series(numerators)
    if scale == 0:
        return values.cast(pl.String)
    whole, rest = values.abs() // power(scale), values.abs() % power(scale)
    tail = "." + rest.cast(pl.String).str.zfill(scale).str.strip_chars_end("0")
    sign = pl.Series(["-"]).zip_with(values < 0, pl.Series([""]))
    return sign + whole.cast(pl.String) + tail.str.strip_chars_end(".")


def edges(numerators: NDArray[Any], scale: int, of: Of) -> pl.Series:
    """The ends of intervals, numerators over 10**scale: numbers, times of day or lengths of time."""
    if of == "number":
        return numbers(numerators, scale)
    return pl.Series([seconds_text(int(end), scale, of) for end in numerators], dtype=pl.String)


def edge(value: Decimal | date, of: Of | None) -> str:
    """One end, as in `>=90`."""
    if isinstance(value, date):
        return str(value)
    top, scale = numerator(value, scale_of(value)), scale_of(value)
    return number(top, scale) if of is None or of == "number" else seconds_text(top, scale, of)


def power(digits: int) -> int:
    """10**digits."""
    return int(10**digits)


def numerator(value: Decimal, scale: int) -> int:
    """value * 10**scale, exactly; `scale` must be at least `scale_of(value)`."""
    top, bottom = value.as_integer_ratio()
    return top * power(scale) // bottom


def scale_of(value: Decimal) -> int:
    """How many digits the value has behind the point."""
    exponent = value.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0
