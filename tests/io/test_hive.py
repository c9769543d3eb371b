"""Hive partitions: what the folders say is a column, whole and typed, or is refused."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import polars as pl
import pytest

from anonym.errors import InputError
from anonym.io import open_paths
from anonym.io.hive import partition_of
from anonym.io.options import ReadOptions


def _write(root: Path, folder: str, frame: pl.DataFrame, name: str = "part.parquet") -> Path:
    place = root / folder / name
    place.parent.mkdir(parents=True, exist_ok=True)
    frame.write_ipc(place) if name.endswith(".arrow") else frame.write_parquet(place)
    return place


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_values_of_folders_are_a_column(tmp_path: Path, ending: str) -> None:
    for year in (2023, 2024):
        for town in ("A%2FB", "__HIVE_DEFAULT_PARTITION__"):
            _write(tmp_path, f"year={year}/town={town}", pl.DataFrame({"x": [1, 2]}), f"part.{ending}")
    for given in (tmp_path, str(tmp_path / "**" / f"*.{ending}")):
        frame = open_paths([given]).frame.collect()
        assert frame.schema == {"x": pl.Int64, "year": pl.Int64, "town": pl.String}
        assert sorted(frame["year"].to_list()) == [2023] * 4 + [2024] * 4
        assert frame["town"].null_count() == 4
        assert set(frame["town"].drop_nulls()) == {"A/B"}
        assert frame.height == 8


def test_types_are_those_of_all_values(tmp_path: Path) -> None:
    for day, code, zip_ in (("2024-01-31", "7", "01234"), ("2024-02-01", "x", "99999")):
        _write(tmp_path, f"day={day}/code={code}/zip={zip_}", pl.DataFrame({"x": [1]}))
    frame = open_paths([tmp_path]).frame.collect()
    assert frame.schema == {"x": pl.Int64, "day": pl.Date, "code": pl.String, "zip": pl.String}
    assert frame["day"].to_list() == [date(2024, 1, 31), date(2024, 2, 1)]
    typed = open_paths([tmp_path], ReadOptions(types={"day": "str"}, as_text=lambda _: True)).frame.collect()
    assert typed["day"].to_list() == ["2024-01-31", "2024-02-01"]


def test_the_nearest_folders_count(tmp_path: Path) -> None:
    assert partition_of(Path("/run=5/in/a=1/b=2/f.parquet")) == {"a": "1", "b": "2"}
    assert partition_of(Path("/in/f=1.parquet")) == {}
    assert partition_of(Path("/in/=1/f.parquet")) == {}
    _write(tmp_path, "run=5/in", pl.DataFrame({"x": [1]}))
    assert open_paths([tmp_path / "run=5" / "in"]).frame.collect().columns == ["x"]


def test_partitions_that_do_not_agree_are_refused(tmp_path: Path) -> None:
    _write(tmp_path, "a=1", pl.DataFrame({"x": [1]}))
    _write(tmp_path, "b=1", pl.DataFrame({"x": [1]}))
    with pytest.raises(InputError, match="same partition columns"):
        open_paths([tmp_path])
    with pytest.raises(InputError, match="same partition columns"):
        open_paths([tmp_path / "a=1", _write(tmp_path, "plain", pl.DataFrame({"x": [1]}))])


def test_a_column_in_both_places_is_refused(tmp_path: Path) -> None:
    _write(tmp_path, "x=1", pl.DataFrame({"x": [1]}))
    with pytest.raises(InputError, match="the files hold too: x"):
        open_paths([tmp_path])
    _write(tmp_path, "deep/y=1/y=2", pl.DataFrame({"x": [1]}))
    with pytest.raises(InputError, match="partition column y twice"):
        open_paths([tmp_path / "deep"])


def test_a_value_that_is_not_of_its_type_is_refused_without_being_told(tmp_path: Path) -> None:
    _write(tmp_path, "year=canary", pl.DataFrame({"x": [1]}))
    with pytest.raises(InputError) as caught:
        open_paths([tmp_path], ReadOptions(types={"year": "int"}))
    assert "canary" not in f"{caught.value}{caught.value.__cause__}"


def test_a_partition_column_is_generalised_like_any_other(tmp_path: Path) -> None:
    import anonym

    for year in range(2011, 2019):
        _write(tmp_path, f"in/year={year}", pl.DataFrame({"x": ["a", "b"]}))
    policy = {
        "anonym": 1,
        "columns": {"year": {"role": "quasi", "hierarchy": {"interval": [10]}}, "x": {"role": "keep"}},
        "guarantee": {"k": 8},
        "search": {"strategy": "global"},
    }
    import yaml

    (tmp_path / "policy.yaml").write_text(yaml.safe_dump(policy), encoding="utf-8")
    from anonym.pipeline import apply_files

    apply_files(tmp_path / "policy.yaml", [tmp_path / "in"], tmp_path / "out.parquet")
    out = pl.read_parquet(tmp_path / "out.parquet")
    assert set(out["year"]) == {"2010-2019"}
    assert out.height == 16
    with pytest.raises(InputError, match="year"):
        anonym.Policy.load({"anonym": 1, "columns": {"x": {"role": "keep"}}}).resolve(
            open_paths([tmp_path / "in"]).schema
        )
