"""The number line of a column, with edges as integers over one power of ten, so that nothing drifts.

Times of day and lengths of time are exact numbers of seconds.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.hierarchy.clock import DAY, digits_of_second
from anonym.hierarchy.labels import numbers, numerator, power, scale_of

SAFE = 2**62  # sums and products below it stay inside Int64
DIGITS = {pl.Float64: 15, pl.Float32: 6, pl.Float16: 3}  # decimals of so many digits survive the way there and back

Integers = NDArray[Any]  # int64, or Python integers (dtype object) where they could overflow


@dataclass(frozen=True)
class Spans:
    """[low, high) for each node, or (low, high) where `is_open`; without `has_low` or `has_high` that end is open wide.

    Ends are numerators over the axis' power of ten.
    """

    low: Integers
    high: Integers
    is_open: NDArray[np.bool_]
    has_low: NDArray[np.bool_]
    has_high: NDArray[np.bool_]


@dataclass(frozen=True)
class ExactAxis:
    """Integers, Decimals, times and durations: value = units / 10**scale. `units` is sorted."""

    dtype: pl.DataType
    units: Integers
    scale: int

    @property
    def factor(self) -> int:
        """Units of the axis in one unit of the column's last digit."""
        return power(self.scale - digits_of(self.dtype))

    def grid(self, width: int, shift: int) -> Integers:
        """Number i of the interval [i width - shift, (i + 1) width - shift) around each value."""
        index: Integers = (self.units + shift) // width
        return index

    def cut(self, cuts: Sequence[int]) -> NDArray[np.int64]:
        """How many of the cuts lie at or below each value."""
        return np.searchsorted(np.array(cuts, dtype=self.units.dtype), self.units, side="right")

    def below(self, edge: int) -> int:
        """How many of the values are less than the edge."""
        return int(np.searchsorted(self.units, np.array([edge], dtype=self.units.dtype), side="left")[0])

    def upto(self, edge: int) -> int:
        """How many of the values are at most the edge."""
        return int(np.searchsorted(self.units, np.array([edge], dtype=self.units.dtype), side="right")[0])

    def least_from(self, edge: int) -> pl.Series:
        """(1,) the smallest value of the column's type that is at least the edge."""
        return self._typed(np.array([-(-edge // self.factor)], dtype=object), np.ones(1, np.bool_))

    def most_upto(self, edge: int) -> pl.Series:
        """(1,) the largest value of the column's type that is at most the edge."""
        return self._typed(np.array([edge // self.factor], dtype=object), np.ones(1, np.bool_))

    def first_units(self, spans: Spans) -> Integers:
        """The least number inside each span, in units of the column's last digit."""
        closed: Integers = -(-spans.low // self.factor)
        return np.where(spans.is_open, spans.low // self.factor + 1, closed)

    def last_units(self, spans: Spans) -> Integers:
        last: Integers = (spans.high - 1) // self.factor
        return last

    def lows(self, spans: Spans) -> pl.Series:
        """The smallest value of the column's type inside each span, null for an open end."""
        return self._typed(self.first_units(spans), spans.has_low)

    def highs(self, spans: Spans) -> pl.Series:
        """The largest value of the column's type inside each span, null for an open end."""
        return self._typed(self.last_units(spans), spans.has_high)

    def _typed(self, units: Integers, is_present: NDArray[np.bool_]) -> pl.Series:
        # Clipped to what the type can hold: 120-129 of an Int8 ends at 127.
        least, most = limits(self.dtype)
        clipped = np.clip(units.astype(object), least, most)
        if isinstance(self.dtype, pl.Decimal):
            series = numbers(clipped, self.dtype.scale).cast(self.dtype)
        elif self.dtype.is_temporal():
            series = pl.Series(clipped.tolist(), dtype=pl.Int64).cast(self.dtype)
        else:
            series = pl.Series(clipped.tolist(), dtype=self.dtype)
        return _where(is_present, series)


@dataclass(frozen=True)
class FloatAxis:
    """Floats, each standing for the decimal it prints as. `values` is sorted."""

    dtype: pl.DataType
    values: NDArray[Any]
    scale: int

    @property
    def exact_below(self) -> int:
        """Below it a numerator has so few digits that comparing floats with the edge's nearest float is exact."""
        return power(next(digits for kind, digits in DIGITS.items() if self.dtype == kind))

    def grid(self, width: int, shift: int) -> Integers:
        """Number i of the interval [i width - shift, (i + 1) width - shift) around each value."""
        reach = np.abs(self.values.astype(np.float64)) * 10.0**self.scale + abs(shift) + 2 * width
        is_small = reach < self.exact_below
        if is_small.all():
            return self._grid_of_small(self.values, width, shift)
        index = np.empty(len(self.values), dtype=object)
        index[is_small] = self._grid_of_small(self.values[is_small], width, shift)
        index[~is_small] = [self._grid_of_large(value, width, shift) for value in self.values[~is_small]]
        return index

    def _grid_of_small(self, values: NDArray[Any], width: int, shift: int) -> NDArray[np.int64]:
        estimate = np.floor((values.astype(np.float64) * 10.0**self.scale + shift) / width).astype(np.int64)
        estimate -= self._nearest(estimate * width - shift) > values
        estimate += self._nearest((estimate + 1) * width - shift) <= values
        return estimate

    def _grid_of_large(self, value: Any, width: int, shift: int) -> int:
        top, bottom = Decimal(str(value)).as_integer_ratio()
        return (top * power(self.scale) + shift * bottom) // (width * bottom)

    def cut(self, cuts: Sequence[int]) -> NDArray[np.int64]:
        """How many of the cuts, as nearest floats, lie at or below each value."""
        return np.searchsorted(self._nearest(np.array(cuts, dtype=object)), self.values, side="right")

    def below(self, edge: int) -> int:
        """How many of the values are less than the edge's nearest float."""
        return int(np.searchsorted(self.values, self._nearest(np.array([edge], dtype=object)), side="left")[0])

    def upto(self, edge: int) -> int:
        """How many of the values are at most the edge's nearest float."""
        return int(np.searchsorted(self.values, self._nearest(np.array([edge], dtype=object)), side="right")[0])

    def least_from(self, edge: int) -> pl.Series:
        """(1,) the edge's nearest float."""
        return pl.Series(self._nearest(np.array([edge], dtype=object))).cast(self.dtype)

    most_upto = least_from

    def lows(self, spans: Spans) -> pl.Series:
        """The smallest float inside each span, null for an open end."""
        points = self._nearest(spans.low)
        is_outside = spans.is_open | self._prints_below(points, spans.low)
        return self._typed(np.where(is_outside, _above(points), points), spans.has_low)

    def highs(self, spans: Spans) -> pl.Series:
        """The largest float inside each span, null for an open end: no value of the data, nothing of the next span."""
        points = self._nearest(spans.high)
        is_inside = self._prints_below(points, spans.high)
        return self._typed(np.where(is_inside, points, _beneath(points)), spans.has_high)

    def _nearest(self, numerators: Integers) -> NDArray[Any]:
        if numerators.dtype == object or self.scale > 22:
            points = np.array([_ratio(int(n), power(self.scale)) for n in numerators], dtype=np.float64)
        else:
            points = numerators / 10.0**self.scale  # both exact below 2**53 and 10**22: rounded once
        return points.astype(self.values.dtype)

    def _prints_below(self, points: NDArray[Any], edges: Integers) -> NDArray[np.bool_]:
        """Where the nearest float of an edge prints as less: the edge has more digits than a float."""
        is_below = np.zeros(len(points), dtype=np.bool_)
        is_long = np.isfinite(points) & (np.abs(edges) >= self.exact_below)
        for i in np.flatnonzero(is_long):
            top, bottom = Decimal(str(points[i])).as_integer_ratio()
            is_below[i] = top * power(self.scale) < int(edges[i]) * bottom
        return is_below

    def _typed(self, points: NDArray[Any], is_present: NDArray[np.bool_]) -> pl.Series:
        return _where(is_present, pl.Series(points).cast(self.dtype))


Axis = ExactAxis | FloatAxis


def axis_of(values: pl.Series, ends: Iterable[Decimal]) -> Axis:
    """The axis of a column of numbers, times or durations (sorted, no nulls).

    `ends` (widths, cuts, top and bottom) are exact on it.
    """
    ends = list(ends)
    scale = max([digits_of(values.dtype), *map(scale_of, ends)])
    if values.dtype.is_float():
        return FloatAxis(values.dtype, values.to_numpy(), scale)
    units = unscaled(values)
    factor = power(scale - digits_of(values.dtype))
    largest = max((abs(int(u)) for u in (*units[:1], *units[-1:])), default=0)
    reach = factor * largest + sum(abs(numerator(end, scale)) for end in ends)
    return ExactAxis(values.dtype, (units if reach < SAFE else units.astype(object)) * factor, scale)


def unscaled(values: pl.Series) -> Integers:
    """Integers, Decimals, dates and timestamps without nulls as integers, in units of the column's last digit."""
    physical = values.to_physical()
    narrow = physical.cast(pl.Int64, strict=False)
    return narrow.to_numpy() if narrow.null_count() == 0 else np.array(physical.to_list(), dtype=object)


def digits_of(dtype: pl.DataType) -> int:
    if dtype.is_temporal():
        return digits_of_second(dtype)
    return dtype.scale if isinstance(dtype, pl.Decimal) else 0


def limits(dtype: pl.DataType) -> tuple[int, int]:
    """Smallest and largest number of an integer, Decimal, Time or Duration type, in units of its last digit."""
    if dtype == pl.Time:
        return 0, DAY * power(digits_of_second(dtype)) - 1
    if isinstance(dtype, pl.Duration):
        return -(1 << 63), (1 << 63) - 1
    if isinstance(dtype, pl.Decimal):
        return 1 - power(dtype.precision), power(dtype.precision) - 1
    (bits,) = (int(digits) for digits in re.findall(r"\d+", str(dtype)))
    return (0, (1 << bits) - 1) if dtype.is_unsigned_integer() else (-(1 << bits - 1), (1 << bits - 1) - 1)


def _where(is_present: NDArray[np.bool_], series: pl.Series) -> pl.Series:
    if is_present.all():
        return series
    return series.zip_with(pl.Series(is_present), pl.Series([None], dtype=series.dtype))


def _above(points: NDArray[Any]) -> NDArray[Any]:
    above: NDArray[Any] = np.nextafter(points, points.dtype.type(np.inf))
    return above


def _beneath(points: NDArray[Any]) -> NDArray[Any]:
    beneath: NDArray[Any] = np.nextafter(points, points.dtype.type(-np.inf))
    return beneath


def _ratio(top: int, bottom: int) -> float:
    try:
        return top / bottom
    except OverflowError:
        return math.inf if top > 0 else -math.inf
