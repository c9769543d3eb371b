"""Bins of a sensitive column, found by exact fractions: values of one bin count as one for l and t."""

from __future__ import annotations

from bisect import bisect_right
from decimal import Decimal
from fractions import Fraction

import polars as pl

from anonym.errors import InternalError, type_name
from anonym.verify.facts import Bins

_FAR = 2**100  # numbers beyond share the outermost bins


def binned(values: pl.Series, bins: Bins) -> pl.Series:
    """The number of each bin, Int128, in natural order; null stays null. A float is the decimal it prints as."""
    if not values.dtype.is_numeric():
        raise InternalError(f"column {values.name}: bins of {type_name(values.dtype)} cannot be verified")
    distinct = values.unique().drop_nulls()
    numbers = [max(-_FAR, min(_FAR, _bin(value, bins))) for value in distinct.to_list()]
    table = pl.DataFrame([distinct.alias("value"), pl.Series("bin", numbers, dtype=pl.Int128)])
    rows = pl.DataFrame([values.alias("value")])
    return rows.join(table, on="value", how="left", maintain_order="left")["bin"].alias(values.name)


def _bin(value: int | float | Decimal, bins: Bins) -> int:
    kind, parameters = bins
    number = Fraction(str(value))
    if kind == "interval":
        return number // Fraction(parameters[0])
    return bisect_right([Fraction(cut) for cut in parameters], number)
