"""A sensitive column's values in every class, as arrays: what l and t are computed from."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.verify.bins import binned
from anonym.verify.codes import Coded, Codes, Integers, coded, run_starts, tally
from anonym.verify.facts import Bins
from anonym.verify.rows import ReleasedRows

_EXACT = 2**53

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Histogram:
    """Entries sorted by class, then value; one entry for each value that occurs in a class.

    Without units an entry weighs its rows. With units each unit of a class weighs `scale`, shared equally over its
    distinct values there; `scale` makes every share a whole number where that fits, so that sums are exact.
    """

    values: pl.Series  # (size,) distinct released values in natural order, null last
    rows: Integers  # (classes,)
    members: Integers  # (classes,) units, or rows without units
    owner: Integers  # (entries,) class
    value: Integers  # (entries,) position in `values`
    weight: Floats  # (entries,)
    holders: Integers  # (entries,) members that hold the value
    scale: float

    @property
    def classes(self) -> int:
        return len(self.rows)

    @property
    def start(self) -> Integers:
        """(classes,) the first entry of each class."""
        return np.searchsorted(self.owner, np.arange(self.classes))

    @property
    def shares(self) -> Floats:
        """(entries,) each value's share of its class."""
        return self.weight / (self.members * self.scale)[self.owner]

    @property
    def totals(self) -> Floats:
        """(size,) the weight of each value over all classes."""
        return summed(self.weight, self.value, len(self.values))


def summed(weight: Floats, group: Integers, groups: int) -> Floats:
    """Sums by group; the order of additions is that of the entries, so that a run repeats to the last bit."""
    return np.bincount(group, weights=weight, minlength=groups).astype(np.float64)


def histogram(rows: ReleasedRows, column: str, bins: Bins | None = None) -> Histogram:
    """Count `column`, or its bins, in the classes of `rows`."""
    value = rows.column(column) if bins is None else coded(binned(rows.values(column), bins))
    owner, place, weight, holders, scale = _entries(rows.owner, value, rows.unit, int(rows.members.sum()))
    return Histogram(value.values, rows.rows, rows.members, owner, place, weight, holders, scale)


def _entries(
    owner: Codes, value: Coded, unit: Codes | None, members: int
) -> tuple[Integers, Integers, Floats, Integers, float]:
    """Class, value, weight and holders of each entry, and the scale of the weights."""
    if unit is None:
        (owners, places), count = tally(owner, value.codes)
        return owners, places, count.astype(np.float64), count, 1.0
    (classes, units, places), _ = tally(owner, unit, value.codes)
    begin = run_starts(classes, units)
    values = np.diff(begin, append=len(classes))  # of each unit in each class
    (classes, places, shared), count = tally(classes, places, np.repeat(values, values))
    scale = _scale(np.flatnonzero(np.bincount(values)).tolist(), members)
    first = run_starts(classes, places)
    weight = _added(count * (scale / shared), first)
    return classes[first], places[first], weight, _added(count, first).astype(np.int64), scale


def _added(numbers: NDArray[np.generic], first: Integers) -> Floats:
    """Sums of the runs that begin at `first`."""
    return np.add.reduceat(numbers.astype(np.float64), first) if len(first) else np.empty(0)


def _scale(parts: list[int], members: int) -> float:
    """The least number that all of `parts` divide, or 1 where sums of so many members would no longer be exact."""
    least = math.lcm(*parts)
    return float(least) if least * members < _EXACT else 1.0


def distribution(value: Coded, unit: Codes | None = None) -> pl.DataFrame:
    """The distribution of one column of a whole table: `value`, `weight` (rows; or units, each weighing 1).

    `unit` is row-aligned, numbered from 0 without gaps.
    """
    everyone = np.zeros(len(value.codes), dtype=np.int8)
    members = len(everyone) if unit is None else int(unit.max(initial=0)) + (len(unit) > 0)
    _, place, weight, _, scale = _entries(everyone, value, unit, members)
    return pl.DataFrame([value.values.gather(place).alias("value"), pl.Series("weight", weight / scale)])
