"""Delta tables in: the rows of now and no others, whatever files lie in the folder."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from anonym.errors import InputError
from anonym.io import delta, open_paths

FRAME = pl.DataFrame({"a": range(6), "town": ["x/y", "é", None] * 2, "b": [1.5] * 6})


@pytest.fixture
def table(tmp_path: Path) -> Path:
    pytest.importorskip("deltalake", reason="Delta tables need the extra `delta`")
    place = tmp_path / "table"
    FRAME.with_columns(a=pl.lit(99, pl.Int64)).write_delta(place, delta_write_options={"partition_by": ["town"]})
    FRAME.write_delta(place, mode="overwrite")
    return place


def test_rows_that_the_table_has_removed_are_not_read(table: Path) -> None:
    source = open_paths([table])
    assert source.schema == dict(FRAME.schema)
    assert source.frame.collect().sort("a").equals(FRAME)
    assert len(source.files) == 3 < len(list(table.rglob("*.parquet")))


def test_what_is_written_later_is_not_read_and_lost_files_are_noticed(table: Path) -> None:
    source = open_paths([table])
    FRAME.write_delta(table, mode="append")
    assert source.frame.collect().height == FRAME.height
    source.refuse_change()
    source.files[0].path.unlink()
    with pytest.raises(InputError, match="changed during the run"):
        source.refuse_change()


def test_its_files_alone_and_things_beside_it_are_refused(tmp_path: Path, table: Path) -> None:
    FRAME.write_parquet(tmp_path / "other.parquet")
    for paths in ([next(table.rglob("*.parquet"))], [f"{table}/*/*.parquet"]):
        with pytest.raises(InputError, match=r"name .*/table$"):
            open_paths(paths)
    with pytest.raises(InputError, match="nothing beside it"):
        open_paths([table, tmp_path / "other.parquet"])


@pytest.mark.parametrize("name", ["my table", "tâble", "50%"])
def test_a_path_that_its_reader_escapes_is_told(table: Path, name: str) -> None:
    with pytest.raises(InputError, match="other names"):
        open_paths([table.rename(table.with_name(name))])


def test_a_damaged_log_is_refused(table: Path) -> None:
    for entry in (table / "_delta_log").glob("*.json"):
        entry.write_text("canary")
    with pytest.raises(InputError, match=r"cannot be read \(\w+\)$") as caught:
        open_paths([table])
    assert "canary" not in str(caught.value)


def test_without_the_reader_a_table_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "_delta_log").mkdir()
    FRAME.write_parquet(tmp_path / "stale.parquet")
    monkeypatch.setattr(delta, "find_spec", lambda _name: None)
    with pytest.raises(InputError, match=r"anonym\[delta\]"):
        open_paths([tmp_path])
