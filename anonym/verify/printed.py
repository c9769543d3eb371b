"""How values of each type are written, restated here: what a label of level 0 and a line of a file must say."""

from __future__ import annotations

import polars as pl


def printed(values: pl.Series) -> pl.Series:
    """Numbers in shortest form (`31`, `0.5`, `3.0`), decimals with their scale, dates and times in ISO form.

    Lists, structs and bytes have no one text: null.
    """
    if values.dtype.is_nested() or values.dtype == pl.Binary:
        return pl.repeat(None, len(values), dtype=pl.String, eager=True).alias(values.name)
    if values.dtype == pl.Date:
        return values.dt.to_string("%Y-%m-%d")
    if isinstance(values.dtype, pl.Datetime):
        return values.dt.to_string("%Y-%m-%dT%H:%M:%S%.f" + ("%:z" if values.dtype.time_zone else ""))
    return values.cast(pl.String)


def leaf_text(values: pl.Series) -> pl.Series:
    """The text under which a hierarchy file or a declared order lists a value: 31, neither 31.0 nor 31.00."""
    text = printed(values)
    if not (values.dtype.is_float() or values.dtype.is_decimal()):
        return text
    return text.str.replace(r"^(-?\d+)\.0*$", "$1").str.replace(r"^(-?\d+\.\d*[1-9])0+$", "$1")
