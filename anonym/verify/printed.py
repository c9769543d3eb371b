"""How values of each type are written, restated here: what a label of level 0 and a line of a file must say."""

from __future__ import annotations

import polars as pl


def printed(values: pl.Series) -> pl.Series:
    """Numbers in shortest form (`31`, `0.5`, `3.0`), decimals with their scale, dates and times in ISO form; durations
    in days, hours, minutes and seconds (`1d2h`, `-1h30m`, `1.5s`, `0s`).

    Lists, structs and bytes have no one text: null.
    """
    if values.dtype.is_nested() or values.dtype == pl.Binary:
        return pl.repeat(None, len(values), dtype=pl.String, eager=True).alias(values.name)
    if values.dtype == pl.Date:
        return values.dt.to_string("%Y-%m-%d")
    if values.dtype == pl.Time:
        return values.dt.to_string("%H:%M:%S%.f")
    if isinstance(values.dtype, pl.Duration):
        return _lengths(values)
    if isinstance(values.dtype, pl.Datetime):
        return values.dt.to_string("%Y-%m-%dT%H:%M:%S%.f" + ("%:z" if values.dtype.time_zone else ""))
    return values.cast(pl.String)


_NOTHING = pl.lit("")


def _lengths(values: pl.Series) -> pl.Series:
    """Durations in text; the last digits of a fraction of a second are left out where they are zero."""
    second = {"ms": 10**3, "us": 10**6, "ns": 10**9}[values.dtype.time_unit]  # type: ignore[attr-defined]
    ticks = pl.col("ticks")
    size = ticks.cast(pl.Int128).abs()  # the least of Int64 has no opposite in it
    seconds = size // second
    fraction = (size % second).cast(pl.String).str.zfill(len(str(second)) - 1).str.strip_chars_end("0")
    whole = [_counted(seconds // 86_400, "d"), _counted(seconds // 3600 % 24, "h"), _counted(seconds // 60 % 60, "m")]
    rest = (seconds % 60).cast(pl.String) + pl.when(fraction != "").then("." + fraction).otherwise(_NOTHING) + "s"
    has_rest = (seconds % 60 > 0) | (fraction != "") | (size == 0)
    sign = pl.when(ticks < 0).then(pl.lit("-")).otherwise(_NOTHING)
    text = pl.concat_str(sign, *whole, pl.when(has_rest).then(rest).otherwise(_NOTHING))
    table = values.to_physical().alias("ticks").to_frame()
    return table.select(pl.when(ticks.is_not_null()).then(text).alias(values.name)).to_series()


def _counted(count: pl.Expr, unit: str) -> pl.Expr:
    return pl.when(count > 0).then(count.cast(pl.String) + unit).otherwise(_NOTHING)


def leaf_text(values: pl.Series) -> pl.Series:
    """The text under which a hierarchy file or a declared order lists a value: 31, neither 31.0 nor 31.00."""
    text = printed(values)
    if not (values.dtype.is_float() or values.dtype.is_decimal()):
        return text
    return text.str.replace(r"^(-?\d+)\.0*$", "$1").str.replace(r"^(-?\d+\.\d*[1-9])0+$", "$1")
