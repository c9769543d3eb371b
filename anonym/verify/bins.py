"""Bins of a sensitive column, found by exact fractions: values of one bin count as one for l and t."""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction

import polars as pl

from anonym.errors import InternalError, type_name
from anonym.verify.facts import Bins

_FAR = 2**100  # numbers beyond share the outermost bins
_TICKS = {"ms": 10**3, "us": 10**6, "ns": 10**9}  # of a second


def binned(values: pl.Series, bins: Bins) -> pl.Series:
    """The number of each bin, Int128, in natural order; null stays null.

    A float is the decimal it prints as; times of day and durations are seconds, as the bins of such columns are.
    """
    distinct = values.unique().drop_nulls()
    numbers = [max(-_FAR, min(_FAR, _bin(number, bins))) for number in _numbers(distinct)]
    table = pl.DataFrame([distinct.alias("value"), pl.Series("bin", numbers, dtype=pl.Int128)])
    rows = pl.DataFrame([values.alias("value")])
    return rows.join(table, on="value", how="left", maintain_order="left")["bin"].alias(values.name)


def _numbers(values: pl.Series) -> list[Fraction]:
    if values.dtype.is_numeric():
        return [Fraction(str(value)) for value in values.to_list()]
    if not isinstance(values.dtype, pl.Time | pl.Duration):
        raise InternalError(f"column {values.name}: bins of {type_name(values.dtype)} cannot be verified")
    unit = values.dtype.time_unit if isinstance(values.dtype, pl.Duration) else "ns"
    return [Fraction(tick, _TICKS[unit]) for tick in values.to_physical().to_list()]


def _bin(number: Fraction, bins: Bins) -> int:
    kind, parameters = bins
    if kind == "interval":
        return number // Fraction(parameters[0])
    return bisect_right([Fraction(cut) for cut in parameters], number)
