"""Released rows as the checks see them: canonical values, the class of each row, units, and which rows count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from anonym.errors import InputError
from anonym.verify.codes import Coded, Codes, Integers, classes_of, coded, run_starts, tally
from anonym.verify.facts import Facts, QuasiFact
from anonym.verify.reading import Columns, canonical, collected, is_text, read_column, schema_of

MARK = "suppressed"  # the column that `action: mask` adds
STAR = "*"


@dataclass(frozen=True)
class ReleasedRows:
    """The n counted rows of a release. Two are in one class exactly when all released QI cells are equal, null too.

    Columns stay in memory as codes of one to four bytes a row, classes and units of 8 bytes each.
    """

    frame: pl.LazyFrame
    columns: Columns  # of all rows of the file
    kept: pl.Series | None  # which rows of the file are counted; None: all
    file_rows: int
    suppressed: int  # rows of the file not counted
    owner: Integers  # (n,) class of each row, numbered from 0
    unit: Codes | None  # (n,) unit of each row, numbered from 0; null units are one
    rows: Integers  # (classes,)
    members: Integers  # (classes,) distinct units, or rows where units are not known

    @property
    def classes(self) -> int:
        return len(self.rows)

    def values(self, name: str) -> pl.Series:
        """(n,) one column in canonical form."""
        values = read_column(self.frame, name)
        return values if self.kept is None else values.filter(self.kept)

    def column(self, name: str) -> Coded:
        return self.columns.coded(name) if self.kept is None else coded(self.values(name))

    def holders(self, value: Codes) -> Integers:
        """How many members hold each distinct (class, value)."""
        if self.unit is None:
            return tally(self.owner, value)[1]
        (owner, held, _), _ = tally(self.owner, value, self.unit)
        return np.diff(run_starts(owner, held), append=len(owner))


def released_rows(
    frame: pl.LazyFrame,
    facts: Facts,
    units: pl.Series | pl.LazyFrame | None = None,
    *,
    own: bool = True,
    read: Columns | None = None,
) -> ReleasedRows:
    """Find each row's class. Raises InputError for a missing column, or unit codes of another length.

    `read` are the release's columns where some have been read already.
    """
    schema = schema_of(frame)
    columns = [name for quasi in facts.quasi for name in quasi.released]
    _refuse_missing(schema, [*columns, *facts.untouched()])
    kept, file_rows = _counted(frame, schema, facts, own=own)
    read = read or Columns(frame, file_rows)
    if kept is None:
        read.read([*columns, *facts.untouched()])
    held = (read.coded(name) if kept is None else coded(read_column(frame, name).filter(kept)) for name in columns)
    owner = classes_of(held, file_rows if kept is None else int(kept.sum()))
    unit = _unit(units, kept, file_rows)
    rows = np.bincount(owner, minlength=0)
    members = rows if unit is None else np.bincount(tally(owner, unit)[0][0])
    return ReleasedRows(frame, read, kept, file_rows, file_rows - len(owner), owner, unit, rows, members)


def _refuse_missing(schema: Mapping[str, pl.DataType], names: Sequence[str]) -> None:
    missing = [name for name in dict.fromkeys(names) if name not in schema]
    if missing:
        raise InputError(
            f"the release lacks {len(missing)} column{'s' if len(missing) > 1 else ''} of the policy: "
            f"{', '.join(missing)}; it has {', '.join(schema)}. Check it under the policy that made it"
        )


def _counted(
    frame: pl.LazyFrame, schema: Mapping[str, pl.DataType], facts: Facts, *, own: bool
) -> tuple[pl.Series | None, int]:
    """Which rows are in a class, None for all, and the number of rows."""
    masked, starred = masked_rows(schema, facts), pl.lit(False) if own else all_starred(facts.quasi, schema)
    flags = frame.with_columns(masked.alias("masked"), starred.alias("starred")).select("masked", "starred")
    table = collected(flags, "reading which rows were suppressed")
    gone, stars = table["masked"], table["starred"] & ~table["masked"]
    if stars.sum() == table.height - int(gone.sum()):  # nothing else is there: then they are a class
        stars = stars.clear().extend_constant(False, table.height)
    kept = ~(gone | stars)
    return None if kept.all() else kept, table.height


def masked_rows(schema: Mapping[str, pl.DataType], facts: Facts) -> pl.Expr:
    """Rows that `action: mask` emptied: `suppressed` true and nothing else in them."""
    if schema.get(MARK) != pl.Boolean or MARK in facts.released():
        return pl.lit(False)
    others = [pl.col(name).is_null() for name in schema if name != MARK]
    return pl.col(MARK).fill_null(False) & pl.all_horizontal(others)


def all_starred(quasi: Sequence[QuasiFact], schema: Mapping[str, pl.DataType]) -> pl.Expr:
    """Rows whose every quasi-identifier is at the top."""
    tops = [_top(name, schema[name], fact) for fact in quasi for name in fact.released]
    return pl.all_horizontal(tops) if tops else pl.lit(False)


def _top(name: str, dtype: pl.DataType, fact: QuasiFact) -> pl.Expr:
    """Cells at the top: the text `*`, or a null list. A null of any other type may be a value: it is not the top."""
    if is_text(dtype):
        return pl.col(name).cast(pl.String).eq_missing(STAR)
    return pl.col(name).is_null() if fact.form == "set" else pl.lit(False)


def _unit(units: pl.Series | pl.LazyFrame | None, kept: pl.Series | None, rows: int) -> Codes | None:
    if units is None:
        return None
    series = units if isinstance(units, pl.Series) else collected(units, "reading the units").to_series()
    if len(series) != rows:
        raise InputError(f"{len(series)} unit codes for {rows} released rows: expected one for each, in file order")
    series = series.to_frame("unit").select(canonical("unit", series.dtype)).to_series()
    return coded(series if kept is None else series.filter(kept)).codes
