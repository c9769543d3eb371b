"""What a guess is made from: the distinct values of each column, how many hold them, and what shape they have."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from anonym.hierarchy import encode
from anonym.hierarchy.labels import leaf_text
from anonym.io import guarded

SAMPLE = 2_000
"""Distinct values looked at one by one."""

UNCOUNTABLE = (pl.List, pl.Array, pl.Struct, pl.Object, pl.Binary)


@dataclass(frozen=True)
class Facts:
    """One column. `domain` is DataFrame[value, rows] in canonical form, sorted, null last; empty for nested types."""

    name: str
    dtype: pl.DataType
    rows: int
    domain: pl.DataFrame

    @cached_property
    def known(self) -> pl.DataFrame:
        """The domain without null."""
        return self.domain.drop_nulls("value")

    @cached_property
    def distinct(self) -> int:
        return self.known.height

    @cached_property
    def filled(self) -> int:
        """Rows that are not null."""
        return int(self.known["rows"].sum())

    @cached_property
    def uniqueness(self) -> float:
        """Distinct values per filled row: 1 where no value repeats."""
        return self.distinct / self.filled if self.filled else 0.0

    @cached_property
    def rarest(self) -> int:
        """Rows of the value that the fewest have, null included."""
        return int(self.domain["rows"].min() or 0)  # type: ignore[arg-type]

    @cached_property
    def commonest(self) -> float:
        """The share of rows that have the most frequent value."""
        return int(self.domain["rows"].max() or 0) / self.rows if self.rows else 0.0  # type: ignore[arg-type]

    @cached_property
    def sample(self) -> list[str]:
        """Up to SAMPLE distinct values as text, spread evenly over their sorted order."""
        step = max(1, -(-self.distinct // SAMPLE))
        return [text for text in leaf_text(self.known["value"].gather_every(step)) if text is not None]

    def share(self, pattern: re.Pattern[str]) -> float:
        """The share of sampled values that match as a whole."""
        found = sum(pattern.fullmatch(text.strip()) is not None for text in self.sample)
        return found / len(self.sample) if self.sample else 0.0

    def holding(self, pattern: re.Pattern[str]) -> float:
        """The share of sampled values that hold a match."""
        found = sum(pattern.search(text) is not None for text in self.sample)
        return found / len(self.sample) if self.sample else 0.0

    @cached_property
    def words(self) -> float:
        """Mean number of blank-separated words."""
        return sum(len(text.split()) for text in self.sample) / max(len(self.sample), 1)

    @cached_property
    def length(self) -> float:
        """Mean number of characters."""
        return sum(map(len, self.sample)) / max(len(self.sample), 1)

    @property
    def is_text(self) -> bool:
        return isinstance(self.dtype, pl.String | pl.Categorical | pl.Enum)

    @property
    def is_number(self) -> bool:
        return self.dtype.is_numeric()

    @property
    def is_date(self) -> bool:
        return isinstance(self.dtype, pl.Date | pl.Datetime)

    @cached_property
    def is_whole(self) -> bool:
        """A number without a fraction in any value."""
        if not self.is_number:
            return False
        values = self.known["value"]
        return self.dtype.is_integer() or bool((values == values.round(0)).all())

    @cached_property
    def is_flag(self) -> bool:
        return self.dtype == pl.Boolean or self.distinct <= 2

    @property
    def is_coded(self) -> bool:
        """What a category can be: text, or whole numbers that stand for something."""
        return self.is_text or (self.is_whole and not self.is_flag) or self.is_flag

    @cached_property
    def low(self) -> float:
        return float(self.known["value"].min())  # type: ignore[arg-type]

    @cached_property
    def high(self) -> float:
        return float(self.known["value"].max())  # type: ignore[arg-type]


def profile_columns(frame: pl.LazyFrame, schema: Mapping[str, pl.DataType]) -> list[Facts]:
    """The facts of every column, in order: one streaming pass a column. Raises InputError where reading fails."""
    with guarded("counting rows"):
        rows = int(frame.select(pl.len()).collect().item())
    return [_facts(frame, name, dtype, rows) for name, dtype in schema.items()]


def _facts(frame: pl.LazyFrame, name: str, dtype: pl.DataType, rows: int) -> Facts:
    if isinstance(dtype, UNCOUNTABLE):
        return Facts(name, dtype, rows, pl.DataFrame(schema={"value": pl.String, "rows": pl.Int64}))
    with guarded(f"reading the values of column {name}"):
        return Facts(name, dtype, rows, encode.domain(frame, name, dtype))
