"""Hierarchies: their declarations, and what they become over the values of one column."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.hierarchy.clock import Of

DateUnit = Literal["day", "month", "quarter", "year", "decade"]


@dataclass(frozen=True)
class Interval:
    """Half-open intervals of nested widths, anchored at 0: level i has width `widths[i - 1]`.

    Widths that are lengths of time are in seconds; times of day are anchored at midnight.
    """

    widths: tuple[Decimal, ...]
    of: Literal["number", "length"] = "number"


@dataclass(frozen=True)
class Breaks:
    """Half-open intervals with declared cuts: level i uses the cuts `levels[i - 1]`, a subset of those before.

    Cuts that are times of day or lengths of time are in seconds.
    """

    levels: tuple[tuple[Decimal, ...], ...]
    of: Of = "number"


@dataclass(frozen=True)
class Prefix:
    """The first `lengths[i - 1]` characters at level i, the rest as `*` up to the longest value's length."""

    lengths: tuple[int, ...]


@dataclass(frozen=True)
class Dates:
    """Calendar periods, finest first."""

    units: tuple[DateUnit, ...]


@dataclass(frozen=True)
class Rounded:
    """Numbers rounded to `decimals[i - 1]` decimals at level i."""

    decimals: tuple[int, ...]


@dataclass(frozen=True)
class FileHierarchy:
    """A table of leaf, parent, ..., root: one leaf a line, the same length every line (DESIGN: hierarchy files).

    With `taxonomy` it is the shipped table of that name. With `by_prefix` its first column holds the beginnings of
    codes: level 0 is the value as it is, level 1 the longest listed beginning of it, and so on.
    """

    path: Path
    taxonomy: str | None = None
    by_prefix: bool = False


@dataclass(frozen=True)
class Networks:
    """IP addresses by the first `lengths[i - 1]` bits at level i; lengths above 32 leave version 4 whole."""

    lengths: tuple[int, ...]


@dataclass(frozen=True)
class Groups:
    """Frequent categories as they are, the others as one: `kept[i - 1]` are those that level i still tells apart.

    Never declared: `auto` becomes it. `other[i - 1]` labels the rest; no category has that label.
    """

    kept: tuple[tuple[str, ...], ...]
    other: tuple[str, ...]


@dataclass(frozen=True)
class Auto:
    """From the data: what it becomes depends on the column's type, values and how many members hold each."""


@dataclass(frozen=True)
class Suppress:
    """The value, or `*`."""


@dataclass(frozen=True)
class Identity:
    """Level 0 only: the value as it is."""


Declaration = (
    Interval | Breaks | Prefix | Dates | Rounded | FileHierarchy | Networks | Groups | Suppress | Identity | Auto
)


@dataclass(frozen=True)
class Hierarchy:
    """One quasi-identifier's hierarchy over the values observed in the table.

    n leaves are the sorted distinct original values (null, where observed, is the last leaf). Nodes are numbered
    through all levels; level 0 comes first.
    """

    column: str
    declaration: Declaration  # never Auto: what that became
    domain: pl.Series  # n distinct originals in canonical form, sorted, null last
    ancestor: NDArray[np.int32]  # (levels, n): the node of each leaf at each level
    labels: pl.Series  # (nodes,) String: what form `label` releases; null for the null node
    low: pl.Series | None  # (nodes,) column's own type; inclusive bounds for numbers and dates, else None
    high: pl.Series | None
    covered: NDArray[np.int64]  # (nodes,) distinct originals under the node
    cost: NDArray[np.float64]  # (nodes,) normalised certainty penalty of a cell released as this node
    finest: int
    coarsest: int
    suppressed: NDArray[np.bool_]  # (n,) leaves whose rows must be suppressed (`uncovered: suppress`)

    @property
    def levels(self) -> int:
        return int(self.ancestor.shape[0])

    @property
    def leaves(self) -> int:
        return int(self.ancestor.shape[1])


@dataclass(frozen=True)
class SensitiveCounts:
    """How a sensitive column's values lie in the cells.

    Without a unit `weight` counts rows and the `shared_*` arrays are empty. With a unit, `weight` is the weight of
    the units that lie in one cell only (each unit weighs 1, shared equally over its distinct values there), and the
    units that lie in several cells are listed as distinct (unit, cell, value) triples, sorted by unit, cell, value.
    """

    column: str
    values: pl.Series  # (size,) distinct values, sorted in natural order, null last
    fold: NDArray[np.int32]  # (size,) class of equal values for l (trim, casefold, NFKC); -1 for null
    cell: NDArray[np.int32]  # (entries,) sorted by cell, value
    value: NDArray[np.int32]
    weight: NDArray[np.float64]
    shared_unit: NDArray[np.int32]
    shared_cell: NDArray[np.int32]
    shared_value: NDArray[np.int32]

    @property
    def size(self) -> int:
        return len(self.values)


@dataclass(frozen=True)
class Cells:
    """Distinct quasi-identifier tuples with their weights, sorted by code tuple: nothing depends on row order."""

    codes: NDArray[np.int32]  # (cells, quasi-identifiers): leaf codes
    rows: NDArray[np.int64]  # (cells,)
    units: NDArray[np.int64] | None  # (cells,) units that lie in this cell only; None without a unit
    shared_unit: NDArray[np.int32]  # (pairs,) units in several cells, numbered from 0, sorted by unit then cell
    shared_cell: NDArray[np.int32]
    shared_rows: NDArray[np.int64]  # (pairs,) rows of that unit in that cell
    sensitive: tuple[SensitiveCounts, ...]

    @property
    def count(self) -> int:
        return int(self.codes.shape[0])

    @property
    def total_rows(self) -> int:
        return int(self.rows.sum())
