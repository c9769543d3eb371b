"""Equivalence classes and how many members they have: k over rows, units and unit profiles."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from anonym.verify.codes import Integers, tally
from anonym.verify.rows import ReleasedRows


@dataclass(frozen=True)
class Sizes:
    """The classes of a release. Members are distinct units where units are known (null units are one), else rows.

    `prosecutor_*`: the chance to single out a target known to be in the release, at worst and averaged over rows.
    `marketer`: the share of class memberships that an attacker gets right who matches everybody, suppressed rows
    counting as missed.
    """

    count: int
    k_rows: int | None
    k_units: int | None
    average: float | None
    histogram: Mapping[int, int]  # members -> classes
    rows: Mapping[int, int]  # members -> rows of those classes
    squares: int  # sum of squared class sizes in rows, over classes of k members or more: discernibility's first term
    prosecutor_max: float | None
    prosecutor_mean: float | None
    marketer: float | None
    below: tuple[int, int]  # classes with fewer than k members, and their rows

    @property
    def average_rows(self) -> float | None:
        """Rows a class, on average."""
        return sum(self.rows.values()) / self.count if self.count else None

    @property
    def uniques(self) -> int:
        """Classes of one member."""
        return self.histogram.get(1, 0)


NO_CLASSES = Sizes(0, None, None, None, {}, {}, 0, None, None, None, (0, 0))


@dataclass(frozen=True)
class Profiles:
    """Units by profile, the multiset of a unit's released tuples; `below` counts profiles of fewer than k units."""

    k: int | None
    below: tuple[int, int]


def sizes(rows: ReleasedRows, k: int | None) -> Sizes:
    if not rows.classes:
        return NO_CLASSES
    members, count = np.unique(rows.members, return_counts=True)
    held = np.bincount(rows.members, weights=rows.rows)[members]
    below = rows.members < (k or 0)
    total = int(rows.members.sum())
    return Sizes(
        count=rows.classes,
        k_rows=int(rows.rows.min()),
        k_units=None if rows.unit is None else int(members[0]),
        average=total / rows.classes,
        histogram=dict(zip(members.tolist(), count.tolist(), strict=True)),
        rows=dict(zip(members.tolist(), held.astype(np.int64).tolist(), strict=True)),
        squares=_squares(rows.rows[~below]),
        prosecutor_max=1 / int(members[0]),
        prosecutor_mean=math.fsum(held / members) / int(rows.rows.sum()),
        marketer=rows.classes / (total + rows.suppressed),
        below=(int(below.sum()), int(rows.rows[below].sum())),
    )


def _squares(sizes: Integers) -> int:
    size, count = np.unique(sizes, return_counts=True)
    return sum(n * n * times for n, times in zip(size.tolist(), count.tolist(), strict=True))


def profiles(rows: ReleasedRows, k: int | None) -> Profiles:
    """k over unit profiles. Needs units; two units share a profile when each tuple occurs equally often in both."""
    assert rows.unit is not None
    if not rows.classes:
        return Profiles(None, (0, 0))
    (unit, owner), times = tally(rows.unit, rows.owner)
    table = pl.DataFrame({"unit": unit, "class": owner, "times": times})
    units = table.group_by("unit", maintain_order=True).agg("class", "times", pl.col("times").sum().alias("rows"))
    shared = units.group_by("class", "times").agg(pl.len().alias("units"), pl.col("rows").sum())
    below = shared.filter(pl.col("units") < (k or 0))
    return Profiles(int(shared["units"].min()), (below.height, int(below["rows"].sum())))  # type: ignore[arg-type]


def known(rows: ReleasedRows, column: str) -> int | None:
    """k against an attacker who also knows `column`: the fewest members that share class and value."""
    if not rows.classes:
        return None
    return int(rows.holders(rows.column(column).codes).min())


def rare_values(rows: ReleasedRows, column: str, k: int) -> tuple[int, int, int | None]:
    """Values of `column` that fewer than `k` members hold: how many, their rows, and the fewest holders of a value."""
    value = rows.column(column).codes
    if not len(value):
        return 0, 0, None
    held = np.bincount(value)
    members = held if rows.unit is None else np.bincount(tally(value, rows.unit)[0][0])
    few = members < k
    return int(few.sum()), int(held[few].sum()), int(members.min())
