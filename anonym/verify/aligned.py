"""Released rows beside their originals, a few columns at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from anonym.io import guarded
from anonym.verify.codes import Coded, taken
from anonym.verify.reading import Columns, collected

CELLS = 16_000_000  # cells held at once: a million rows of sixteen columns, ten million rows of one


@dataclass(frozen=True)
class Check:
    """One thing that was looked at. `detail` holds counts, columns and types, never a value."""

    name: str
    held: bool
    detail: str


@dataclass(frozen=True)
class Comparison:
    """What to judge from some original and some released columns, row by row the same rows."""

    original: tuple[str, ...]
    released: tuple[str, ...]
    judge: Callable[[pl.DataFrame, pl.DataFrame], Check]


@dataclass(frozen=True)
class Alignment:
    """Which input row each released row came from. `row` is in file order, without the rows that were masked.

    `counted` tells, for every row of the file, whether it is one of them; None where all are.
    """

    released: Columns  # of all rows of the file
    input: Columns
    row: pl.Series
    counted: pl.Series | None
    unit: pl.Series | None  # of the same rows as `row`

    @property
    def release(self) -> pl.LazyFrame:
        return self.released.frame

    @property
    def original(self) -> pl.LazyFrame:
        return self.input.frame

    def released_codes(self, name: str) -> Coded:
        """One released column."""
        column = self.released.coded(name)
        return column if self.counted is None else Coded(column.values, column.codes[self.counted.to_numpy()])

    def original_codes(self, names: Sequence[str]) -> Iterator[Coded]:
        """Original columns in the order of the released rows; as many are read in one pass as may be held."""
        row = None if self._is_whole else self.row.to_numpy()
        for group in self.input.passes(names):
            self.input.read(group)
            for name in group:
                column = self.input.coded(name)
                yield column if row is None else Coded(column.values, taken(column.codes, row))

    @cached_property
    def _is_whole(self) -> bool:
        """Whether every input row was released, in its place."""
        return len(self.row) == self.input.rows and bool((self.row == pl.int_range(len(self.row), eager=True)).all())

    def originals(self, columns: Sequence[str]) -> pl.DataFrame:
        """Original columns in the order of the released rows."""
        table = collected(self.original.select(list(dict.fromkeys(columns))), "reading the input again").rechunk()
        return table.select(pl.all().gather(self.row)) if columns else table

    def releases(self, columns: Sequence[str]) -> pl.DataFrame:
        table = collected(self.release.select(list(dict.fromkeys(columns))), "reading the release again")
        return table if self.counted is None or not columns else table.filter(self.counted)

    def slices(self, column: str, size: int) -> Iterator[tuple[int, pl.Series]]:
        """One released column piece by piece, each with the position of its first row in `row`."""
        start = at = 0
        with guarded("reading the release again"):
            for batch in self.release.select(column).collect_batches(chunk_size=size, maintain_order=True):
                piece = batch[column]
                if self.counted is not None:
                    piece = piece.filter(self.counted[start : start + batch.height])
                yield at, piece
                start, at = start + batch.height, at + len(piece)

    def judge(self, comparisons: Sequence[Comparison]) -> Iterator[Check]:
        """Every comparison, in order; columns are read in batches that fit the memory set aside."""
        for batch in _batches(comparisons, max(1, CELLS // max(1, len(self.row)))):
            originals = self.originals([name for one in batch for name in one.original])
            releases = self.releases([name for one in batch for name in one.released])
            for one in batch:
                yield one.judge(originals.select(one.original), releases.select(one.released))


def _batches(comparisons: Iterable[Comparison], columns: int) -> Iterator[list[Comparison]]:
    batch: list[Comparison] = []
    filled = 0
    for one in comparisons:
        width = len(one.original) + len(one.released)
        if batch and filled + width > columns:
            yield batch
            batch, filled = [], 0
        batch.append(one)
        filled += width
    if batch:
        yield batch
