"""A file's columns as integer codes: one pass for several columns, a few bytes a row held."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import polars as pl

from anonym.io import guarded
from anonym.verify.codes import LARGE, Coded, coded

if TYPE_CHECKING:
    from anonym.verify.learning import Learner

HELD = 64_000_000  # codes held at once while several columns are read in one pass
BATCH = 1 << 18  # rows


def collected(frame: pl.LazyFrame, doing: str) -> pl.DataFrame:
    """Collect; an engine's error is re-raised as InputError without the values it prints."""
    with guarded(doing):
        return frame.collect()


def schema_of(frame: pl.LazyFrame) -> Mapping[str, pl.DataType]:
    with guarded("reading the release's schema"):
        return frame.collect_schema()


def is_text(dtype: pl.DataType) -> bool:
    return dtype == pl.String or isinstance(dtype, pl.Categorical | pl.Enum)


def canonical(name: str, dtype: pl.DataType) -> pl.Expr:
    """The column with NaN as null, -0.0 as 0.0 and dictionary values as String; nulls stay a value of their own."""
    column = pl.col(name)
    if dtype.is_float():
        return pl.when(column == 0).then(pl.lit(0, dtype)).when(column.is_not_nan()).then(column).alias(name)
    return column.cast(pl.String) if isinstance(dtype, pl.Categorical | pl.Enum) else column


def read_column(frame: pl.LazyFrame, name: str) -> pl.Series:
    """One column in canonical form."""
    value = canonical(name, schema_of(frame)[name]).alias(name)
    return collected(frame.select(value), f"reading column {name}")[name]


class Columns:
    """The columns of a file as codes, each read once."""

    def __init__(self, frame: pl.LazyFrame, rows: int) -> None:
        self.frame, self.rows = frame, rows
        self._read: dict[str, Coded] = {}

    def coded(self, name: str) -> Coded:
        self.read([name])
        return self._read[name]

    def read(self, names: Sequence[str]) -> None:
        """Read what has not been read, in as few passes as fit the memory set aside."""
        new = [name for name in dict.fromkeys(names) if name not in self._read]
        for group in self.passes(new):
            self._read |= read_codes(self.frame, group, is_large=self.rows >= LARGE)

    def passes(self, names: Sequence[str]) -> list[Sequence[str]]:
        """The columns in groups that may be held at once."""
        size = max(1, HELD // max(1, self.rows))
        return [names[at : at + size] for at in range(0, len(names), size)]

    def forget(self, name: str) -> None:
        self._read.pop(name, None)

    def is_read(self, name: str) -> bool:
        return name in self._read


def read_codes(frame: pl.LazyFrame, names: Sequence[str], *, is_large: bool) -> dict[str, Coded]:
    """Columns in canonical form as codes. Of a large table all are learnt in one pass, but for those of many values or
    of types that are no number or text: they are read one by one, as a small table's are.
    """
    learnt = _learnt(frame, names) if is_large else {}
    return {name: learnt[name] if name in learnt else coded(read_column(frame, name)) for name in names}


def _learnt(frame: pl.LazyFrame, names: Sequence[str]) -> dict[str, Coded]:
    schema = schema_of(frame)
    floats = [name for name in names if schema[name].is_float()]  # of these the values learnt are made canonical
    others = [canonical(name, schema[name]).alias(name) for name in names if name not in floats]
    plain = frame.select(*floats, *others)
    kinds = {name: _learner(dtype) for name, dtype in schema_of(plain).items()}
    learners = {name: kind for name, kind in kinds.items() if kind is not None}
    for batch in _batches(plain.select(pl.col(list(learners)).to_physical())):
        if not learners:
            break
        learners = {name: learner for name, learner in learners.items() if learner.add(batch[name])}
    return {name: learner.coded() for name, learner in learners.items()}


def _learner(dtype: pl.DataType) -> Learner | None:
    """None for types that are coded as a whole."""
    from anonym.verify.learning import Numbers, Texts

    if dtype == pl.String:
        return Texts(dtype)
    is_wide = dtype in (pl.Int128, pl.UInt128) or dtype.is_decimal()
    return Numbers(dtype) if dtype.is_temporal() or (dtype.is_numeric() and not is_wide) else None


def _batches(frame: pl.LazyFrame) -> Iterator[pl.DataFrame]:
    with guarded("reading columns"):
        yield from frame.collect_batches(chunk_size=BATCH, maintain_order=True)
