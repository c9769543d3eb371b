"""Exact integer codes for values, and counting of code tuples: sorted, never hashed, so that a run repeats exactly.

A million 64-bit numbers sort in 0.06 s, where grouping them in the engine takes 0.5 s.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

Integers = NDArray[np.int64]

ENUM_MOST = 50_000
WORD = 2**62  # a packed tuple must stay below


@dataclass(frozen=True)
class Coded:
    """A column as positions in its sorted distinct values; null, where there is one, comes last."""

    values: pl.Series  # (size,)
    codes: Integers  # (rows,)

    @property
    def size(self) -> int:
        return len(self.values)


def ordered_values(values: pl.Series) -> pl.Series:
    """The distinct values in natural order, null last."""
    return values.unique().sort(nulls_last=True)


def coded(column: pl.Series) -> Coded:
    """Text of few values goes through an Enum of them: 22 ms a million rows, where the join takes 60."""
    values = ordered_values(column)
    if column.dtype == pl.String and len(values) <= ENUM_MOST:
        codes = column.cast(pl.Enum(values.drop_nulls())).to_physical().fill_null(len(values) - values.null_count())
        return Coded(values, codes.cast(pl.Int64).to_numpy())
    places = pl.DataFrame([values.alias("value")]).with_row_index("code")
    rows = pl.DataFrame([column.alias("value")])
    found = rows.join(places, on="value", how="left", nulls_equal=True, maintain_order="left")["code"]
    return Coded(values, found.cast(pl.Int64).to_numpy())


def tally(*columns: Integers) -> tuple[tuple[Integers, ...], Integers]:
    """The distinct tuples of equally long code columns in lexicographic order, and how often each occurs."""
    sizes = [int(column.max(initial=0)) + 1 for column in columns]
    if math.prod(sizes) < WORD:
        packed, _ = _packed(columns, sizes)
        packed.sort()
        first = np.flatnonzero(_changes(packed))
        return _unpacked(packed[first], sizes), np.diff(first, append=len(packed))
    order = np.lexsort(columns[::-1])
    ordered = [column[order] for column in columns]
    first = np.flatnonzero(np.logical_or.reduce([_changes(column) for column in ordered]))
    return tuple(column[first] for column in ordered), np.diff(first, append=len(order))


def _packed(columns: tuple[Integers, ...], sizes: list[int]) -> tuple[Integers, int]:
    packed = columns[0].copy()
    for column, size in zip(columns[1:], sizes[1:], strict=True):
        packed *= size
        packed += column
    return packed, math.prod(sizes)


def _unpacked(packed: Integers, sizes: list[int]) -> tuple[Integers, ...]:
    columns = []
    for size in reversed(sizes[1:]):
        packed, column = np.divmod(packed, size)
        columns.append(column)
    return (packed, *reversed(columns))


def _changes(column: Integers) -> NDArray[np.bool_]:
    """Where an element differs from the one before; the first always does."""
    changes = np.ones(len(column), dtype=np.bool_)
    np.not_equal(column[1:], column[:-1], out=changes[1:])
    return changes


def run_starts(*columns: Integers) -> Integers:
    """Where a new tuple begins in columns that are sorted."""
    return np.flatnonzero(np.logical_or.reduce([_changes(column) for column in columns]))


class Classes:
    """Row classes under a growing tuple of columns: equal numbers exactly where all columns so far are equal."""

    def __init__(self, rows: int) -> None:
        self.owner: Integers = np.zeros(rows, dtype=np.int64)
        self.count = 1

    def split(self, column: Coded) -> None:
        if self.count * column.size >= WORD:
            self.number()
        self.owner = self.owner * column.size + column.codes
        self.count *= max(1, column.size)

    def number(self) -> Integers:
        """Number the classes from 0 without gaps, in the order of their tuples; returns their numbers of before."""
        if self.count <= 4 * len(self.owner):
            is_present = np.bincount(self.owner, minlength=self.count) > 0
            before: Integers = np.flatnonzero(is_present)
            self.owner = (np.cumsum(is_present) - 1)[self.owner]
        else:
            before, self.owner = np.unique(self.owner, return_inverse=True)
        self.count = len(before)
        return before
