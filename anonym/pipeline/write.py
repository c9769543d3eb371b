"""Writing released rows: shuffled under secure randomness or in input order, with a secret row-aligned companion."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from polars.io.plugins import register_io_source

from anonym.errors import CallError, InputError, InternalError, OutputError
from anonym.io import PrivateFolder, guarded
from anonym.io.formats import kind_of
from anonym.io.formulas import Formulas, is_formula, quoted, refuse_names, texts_of
from anonym.io.hive import MOST
from anonym.io.partitions import place_of
from anonym.io.separated import separator_of
from anonym.pipeline.progress import Progress
from anonym.report.figures import plural

ROW = "\x00row"  # input row number; a NUL cannot be in a column name of any format we read
UNIT = "\x00unit"
IN_MEMORY = 500_000  # rows shuffled at once; above, random buckets of about half as many go through the disk
WAITING = 1_000_000  # rows that wait for the row groups of all buckets; half as many: a quarter more CPU at 10M rows


@dataclass(frozen=True)
class Written:
    """What was written, and the alignment: for each released row, in file order, its input row and unit.

    `formulas` counts the cells of a CSV file that a spreadsheet would run, quoted or not; None in other formats.
    """

    rows: int
    alignment: pl.DataFrame
    formulas: int | None = None


class _Tee:
    """An iterator of released batches that keeps what tells where each row came from, and what else it is told to."""

    def __init__(
        self,
        batches: Iterator[pl.DataFrame],
        hidden: list[str],
        progress: Progress,
        keys: Sequence[str] = (),
        texts: Sequence[str] = (),
    ) -> None:
        self._batches, self._hidden, self._progress, self._keys = batches, hidden, progress, keys
        self._texts = texts
        self.kept: list[pl.DataFrame] = []
        self.formulas = 0  # in the columns `texts`

    def __iter__(self) -> Iterator[pl.DataFrame]:
        for batch in self._batches:
            self.kept.append(batch.select(*self._hidden, *self._keys).rechunk())
            self._progress.advance(batch.height)
            if self._texts:
                self.formulas += sum(batch.select(is_formula(name).sum() for name in self._texts).row(0))
            yield batch.drop(self._hidden)


def write_release(
    released: pl.LazyFrame,
    part: Path,
    *,
    order: str,
    rows: int,
    private: PrivateFolder,
    progress: Progress,
    partition_by: Sequence[str] = (),
    formulas: Formulas = "keep",
) -> Written:
    """Write `released` (with its hidden columns ROW and UNIT, where there) to `part`, without them.

    With `partition_by`, `part` is a folder, and gets a file for each combination of those columns' values. `rows` is
    about how many rows there will be. In CSV, text that a spreadsheet would run is treated as `formulas` says. Raises
    OutputError where the disk (or `formulas`) refuses, InputError where reading fails. The shuffle draws from the
    operating system's generator, never from a seed.
    """
    with guarded("reading the input"):
        schema = dict(released.collect_schema())
    hidden = [name for name in (ROW, UNIT) if name in schema]
    batches = _in_order(released) if order == "keep" else _shuffled(released, rows, private)
    visible = {name: dtype for name, dtype in schema.items() if name not in hidden}
    is_csv = kind_of(part) == "csv"
    if is_csv and formulas != "keep":
        refuse_names(visible)
    tee = _Tee(batches, hidden, progress, partition_by, texts_of(visible) if is_csv else ())
    with guarded("applying the plan and writing the release", OutputError):
        if partition_by:
            _sink_partitions(_lazily(tee, visible), part, partition_by)
        elif is_csv and formulas == "quote":
            sink_quoted(_lazily(tee, visible), part)
        else:
            sink(_lazily(tee, visible), part)
    if tee.formulas and formulas == "refuse":
        raise OutputError(
            f"{plural(tee.formulas, 'cell')} begin like a formula, which output.formulas: refuse keeps out of CSV: say "
            "quote, or write to a .parquet file"
        )
    names = [*hidden, *partition_by]
    kept = pl.concat(tee.kept) if tee.kept else pl.DataFrame(schema={name: schema[name] for name in names})
    if partition_by:
        kept = _as_read(kept, partition_by).select(hidden)
    return Written(kept.height, kept, tee.formulas if is_csv else None)


def _lazily(batches: _Tee, schema: dict[str, pl.DataType]) -> pl.LazyFrame:
    def source(
        columns: list[str] | None, predicate: pl.Expr | None, limit: int | None, _size: int | None
    ) -> Iterator[pl.DataFrame]:
        if columns is not None or predicate is not None or limit is not None:
            raise InternalError("the release is written whole, yet the engine asked for a part of it")
        yield from batches

    return register_io_source(source, schema=schema)


def sink_quoted(frame: pl.LazyFrame, part: Path) -> None:
    """Write a frame to `part`, a CSV file, its formulas quoted, in the frame's order.

    All that is no number stands in quotes: who splits the file at another separator than ours gets no cell that begins
    in the middle of a text.
    """
    frame = frame.with_columns(map(quoted, texts_of(frame.collect_schema())))
    frame.sink_csv(part, separator=separator_of(part), quote_style="non_numeric")


def sink(frame: pl.LazyFrame, part: Path) -> None:
    """Write a frame to `part` in the format of its ending, in the frame's order."""
    sinks: dict[str, Callable[[Path], object]] = {
        ".parquet": frame.sink_parquet,
        ".pq": frame.sink_parquet,
        ".csv": frame.sink_csv,
        ".tsv": lambda path: frame.sink_csv(path, separator="\t"),
        ".jsonl": frame.sink_ndjson,
        ".ndjson": frame.sink_ndjson,
        ".arrow": frame.sink_ipc,
        ".ipc": frame.sink_ipc,
        ".feather": frame.sink_ipc,
    }
    sinks[part.suffix.lower()](part)


def _sink_partitions(frame: pl.LazyFrame, part: Path, columns: Sequence[str]) -> None:
    """One Parquet file for each combination of values, the rows of each in the frame's order."""
    frame.sink_parquet(
        pl.PartitionBy(
            part,
            key=list(columns),
            include_key=False,
            approximate_bytes_per_file=None,
            file_path_provider=lambda asked: place_of(asked.partition_keys.row(0, named=True)),
        ),
        mkdir=True,
    )


def _as_read(kept: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Lines in the order in which the partitions are read, file after file. Raises CallError for too many of them."""
    found = kept.select(columns).unique()
    if found.height > MOST:
        raise CallError(f"{found.height:,} partitions: more than {MOST:,} cannot be read; name columns of fewer values")
    places = sorted((Path(place_of(row)), number) for number, row in enumerate(found.iter_rows(named=True)))
    rank = pl.Series("\x00place", [number for _, number in places], dtype=pl.UInt32).arg_sort()
    ranked = found.with_columns(rank.alias("\x00place"))
    return kept.join(ranked, on=list(columns), how="left", nulls_equal=True, maintain_order="left").sort(
        "\x00place", maintain_order=True
    )


def _in_order(released: pl.LazyFrame) -> Iterator[pl.DataFrame]:
    with guarded("reading the input", InputError):
        yield from released.collect_batches(maintain_order=True)


def _shuffled(released: pl.LazyFrame, rows: int, private: PrivateFolder) -> Iterator[pl.DataFrame]:
    if rows <= IN_MEMORY:
        with guarded("reading the input", InputError):
            frame = released.collect(engine="streaming")
        yield _permute(frame)
        return
    yield from _through_buckets(released, -(-2 * rows // IN_MEMORY), private)


def _through_buckets(released: pl.LazyFrame, buckets: int, private: PrivateFolder) -> Iterator[pl.DataFrame]:
    """Every row draws a bucket, every bucket is permuted: a uniform shuffle in two passes."""
    bucket, folder = "\x00bucket", Path(tempfile.mkdtemp(prefix="buckets-", dir=private.path))
    draw = pl.first().map_batches(
        lambda column: pl.Series(bucket, _random_words(len(column)) % np.uint64(buckets)).cast(pl.UInt32),
        return_dtype=pl.UInt32,
        is_elementwise=True,
    )
    with guarded("writing the shuffle's buckets", OutputError):
        released.with_columns(draw.alias(bucket)).sink_parquet(
            pl.PartitionBy(
                folder,
                key=bucket,
                include_key=False,
                approximate_bytes_per_file=None,
                file_path_provider=lambda asked: f"{asked.partition_keys.item(0, 0)}.parquet",
            ),
            compression="lz4",
            statistics=False,
            row_group_size=max(1, WAITING // buckets),
        )
    for place in sorted(folder.rglob("*.parquet")):
        with guarded("reading the shuffle's buckets", OutputError):
            frame = pl.read_parquet(place, hive_partitioning=False)
        place.unlink()
        yield _permute(frame)


def _permute(frame: pl.DataFrame) -> pl.DataFrame:
    """In the order of random words, each with its row's number in its last bits: sorted in a fifth of an argsort."""
    bits = np.uint64(frame.height.bit_length())
    words = _random_words(frame.height) >> bits << bits | np.arange(frame.height, dtype=np.uint64)
    words.sort()
    return frame.rechunk()[(words & ((np.uint64(1) << bits) - np.uint64(1))).astype(np.int64)]


def _random_words(n: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.frombuffer(os.urandom(8 * n), dtype=np.uint64)
