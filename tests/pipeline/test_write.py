"""Writing: every row once, in an order nobody can predict, with an alignment that tells where each came from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq
import pytest

from anonym.errors import OutputError
from anonym.io import PrivateFolder
from anonym.pipeline import write
from anonym.pipeline.progress import Progress
from anonym.pipeline.write import ROW, UNIT, write_release

ROWS = 1000


class Counter(Progress):
    def __init__(self) -> None:
        self.rows = 0

    def advance(self, rows: int) -> None:
        self.rows += rows


def _lazy(rows: int = ROWS) -> pl.LazyFrame:
    frame = pl.LazyFrame({"value": range(rows), "text": [f"t{i}" for i in range(rows)]})
    return frame.with_row_index(ROW).with_columns(pl.col("value").mod(7).alias(UNIT))


@pytest.mark.parametrize("in_memory", [2_000_000, 64], ids=["at once", "through buckets"])
@pytest.mark.parametrize("order", ["keep", "shuffle"])
def test_every_row_is_written_once_and_aligned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: str, in_memory: int
) -> None:
    monkeypatch.setattr(write, "IN_MEMORY", in_memory)
    progress = Counter()
    with PrivateFolder() as private:
        done = write_release(
            _lazy(), tmp_path / "out.parquet", order=order, rows=ROWS, private=private, progress=progress
        )
        assert not list(private.path.rglob("*.parquet")), "the shuffle's buckets are gone"
    released = pl.read_parquet(tmp_path / "out.parquet")
    assert released.columns == ["value", "text"]
    assert done.rows == released.height == progress.rows == ROWS
    assert released["value"].to_list() == done.alignment[ROW].to_list()
    assert (released["value"] % 7).to_list() == done.alignment[UNIT].to_list()
    assert released["text"].to_list() == [f"t{i}" for i in released["value"]]
    assert (released["value"].to_list() == list(range(ROWS))) is (order == "keep")
    assert sorted(released["value"]) == list(range(ROWS))


def test_no_more_rows_wait_for_their_buckets_than_may(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bucket's rows wait in memory until they are a row group."""
    monkeypatch.setattr(write, "WAITING", 100)
    groups: list[int] = []
    read = pl.read_parquet

    def noted(place: Path, **options: Any) -> pl.DataFrame:
        found = pq.ParquetFile(place).metadata
        groups.extend(found.row_group(number).num_rows for number in range(found.num_row_groups))
        return read(place, **options)

    monkeypatch.setattr(pl, "read_parquet", noted)
    with PrivateFolder() as private:
        batches = list(write._through_buckets(_lazy(1000), 20, private))
    assert len(batches) == 20
    assert sum(groups) == sum(batch.height for batch in batches) == 1000
    assert max(groups) <= 100 / 20


def _places_of_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, in_memory: int) -> list[int]:
    monkeypatch.setattr(write, "IN_MEMORY", in_memory)
    places = []
    with PrivateFolder() as private:
        for _ in range(400):
            done = write_release(
                _lazy(8), tmp_path / "out.parquet", order="shuffle", rows=8, private=private, progress=Progress()
            )
            places.append(done.alignment[ROW].to_list().index(0))
    return places


def _chi_square(places: list[int]) -> float:
    expected = len(places) / 8
    return sum((places.count(place) - expected) ** 2 / expected for place in range(8))


LIMIT = 29.88  # the 0.9999 quantile of chi square with 7 degrees of freedom


@pytest.mark.parametrize("in_memory", [2_000_000, 4], ids=["at once", "through buckets"])
def test_every_place_is_equally_likely(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_memory: int) -> None:
    assert _chi_square(_places_of_first(monkeypatch, tmp_path, in_memory)) < LIMIT


def test_the_test_of_places_rejects_a_shuffle_inside_halves() -> None:
    assert _chi_square([place % 4 for place in range(400)]) > LIMIT


def test_a_full_disk_is_an_output_error() -> None:
    with PrivateFolder() as private:
        place = private.path / "full.csv"
        place.symlink_to("/dev/full")
        with pytest.raises(OutputError, match="No space left"):
            write_release(_lazy(), place, order="keep", rows=ROWS, private=private, progress=Progress())
