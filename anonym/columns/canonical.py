"""One text for one value, whatever type the column has: what keyed actions hash.

| column | text |
|---|---|
| String, Categorical, Enum | as it stands: no trimming, no case folding, no Unicode normalisation |
| integers | decimal digits: 5 and the text "5" are the same value, as in a CSV and a Parquet file of one table |
| floats | whole numbers as integers (5.0 is 5: gaps turn integers into floats), others in shortest form; NaN is null |
| Decimal | without trailing zeros: 5.00 is 5 |
| Boolean | `true`, `false` |
| Date, Datetime, Time | ISO 8601, fractions only where they are not zero; with a time zone in UTC, ending in `Z` |
| Binary | the bytes as they stand |
"""

from __future__ import annotations

import polars as pl

from anonym.errors import InputError, type_name

_EXACT = 2.0**53  # beyond it a float is no longer a whole number for certain
_WHEN = "%Y-%m-%dT%H:%M:%S%.f"


def canonical_text(values: pl.Series) -> pl.Series:
    """The series as String (Binary for Binary), row by row; null stays null.

    Raises InputError for a type whose values have no one text (lists, structs, durations, objects).
    """
    dtype = values.dtype
    if dtype == pl.String or dtype == pl.Binary:
        return values
    column = pl.col(values.name)
    return values.to_frame().select(_text(column, dtype, values.name).alias(values.name)).get_column(values.name)


def _text(column: pl.Expr, dtype: pl.DataType, name: str) -> pl.Expr:
    if dtype.is_float():
        return _float_text(column if dtype == pl.Float64 else column.cast(pl.Float32))
    if isinstance(dtype, pl.Decimal):
        return _decimal_text(column, dtype)
    if isinstance(dtype, pl.Datetime):
        return _datetime_text(column, dtype)
    if dtype == pl.Time:
        return column.dt.to_string("%H:%M:%S%.f")
    if dtype.is_integer() or dtype in (pl.Boolean, pl.Date, pl.Categorical, pl.Enum, pl.Null):
        return column.cast(pl.String)
    raise InputError(
        f"column {name!r} has type {type_name(dtype)}, which has no one text to derive a token from; "
        "expected text, numbers, dates or binary: cast it before, or drop it"
    )


def _float_text(column: pl.Expr) -> pl.Expr:
    whole = (column == column.floor()) & (column.abs() <= _EXACT)
    text = pl.when(whole).then(column.cast(pl.Int64, strict=False).cast(pl.String)).otherwise(column.cast(pl.String))
    return pl.when(column.is_not_nan()).then(text)


def _decimal_text(column: pl.Expr, dtype: pl.Decimal) -> pl.Expr:
    text = column.cast(pl.String)
    return text.str.strip_chars_end("0").str.strip_chars_end(".") if dtype.scale else text


def _datetime_text(column: pl.Expr, dtype: pl.Datetime) -> pl.Expr:
    if dtype.time_zone is None:
        return column.dt.to_string(_WHEN)
    return column.dt.convert_time_zone("UTC").dt.to_string(_WHEN + "Z")
