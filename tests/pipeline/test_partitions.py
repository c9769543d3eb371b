"""A release of many files is the release of one file: verified as a whole, put in place at once, replaced at once."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

from anonym.errors import CallError, OutputError
from anonym.io import Target, partitions

Run = Callable[..., tuple[int, str, str]]
ODD = ["../../up", "é x=%2F", None, "", "__.parquet", "free"]
APPLY = ("apply", "policy.yaml", "in.parquet", "-o", "out.parquet", "--quiet")


@pytest.fixture
def odd(command: Run, table: pl.DataFrame, policy: dict[str, Any]) -> Run:
    """A kept column whose values would lead out of the folder if they were not escaped, and one of numbers."""
    table = table.with_columns(plan=pl.Series(ODD * 100), year=pl.Series([2020, None, -3] * 200, dtype=pl.Int32))
    table.write_parquet("in.parquet")
    policy["columns"]["year"] = {"role": "keep"}
    policy["unit"] = "id"
    Path("policy.yaml").write_text(yaml.safe_dump(policy | {"search": {"strategy": "global"}}), encoding="utf-8")
    assert command(*APPLY, "--force", "-o", "one.parquet")[0] == 0
    return command


def _rows(frame: pl.DataFrame) -> Counter[tuple[Any, ...]]:
    return Counter(frame.select("age", "zip", "dx", "plan", "year").iter_rows())


@pytest.mark.parametrize("columns", [["plan"], ["year", "plan"], ["zip"]], ids="-".join)
def test_it_holds_the_same_rows_and_passes_every_check(odd: Run, columns: list[str]) -> None:
    words = [word for column in columns for word in ("--partition-by", column)]
    assert odd(*APPLY, *words) == (0, "", "")
    assert sorted(path.name for path in Path().iterdir() if path.name.startswith(("out", "."))) == [
        "out.parquet", "out.plan.json", "out.report.html", "out.report.json",
    ]  # fmt: skip
    schema = pl.read_parquet_schema("one.parquet")
    found = partitions.read_partitions(Path("out.parquet"), schema).collect()
    assert found.schema == schema
    assert _rows(found) == _rows(pl.read_parquet("one.parquet"))
    for file in Path("out.parquet").rglob(partitions.FILE):
        assert file.parent.relative_to("out.parquet").as_posix().count("/") == len(columns) - 1
        assert not set(columns) & set(pl.read_parquet_schema(file))
        assert b"canary" not in file.read_bytes()
    assert odd("check", "policy.yaml", "out.parquet", "--quiet") == (0, "", "")
    one, other = (json.loads(Path(f"{name}.report.json").read_text()) for name in ("one", "out"))
    assert one["output"] == other["output"]
    assert odd("verify", "out.report.json", "--original", "in.parquet", "--quiet") == (0, "", "")
    assert "nothing was done" in odd(*APPLY[:-1], *words, "--force")[1]


def test_readers_find_the_values_in_the_names(odd: Run) -> None:
    assert odd(*APPLY, "--partition-by", "plan")[0] == 0
    names = {path.name for path in Path("out.parquet").iterdir()}
    assert names == {
        "plan=..%2F..%2Fup", "plan=%C3%A9%20x%3D%252F", "plan=__HIVE_DEFAULT_PARTITION__", "plan=",
        "plan=__.parquet", "plan=free",
    }  # fmt: skip
    hive = pl.scan_parquet("out.parquet/**/*.parquet", hive_partitioning=True).select("plan").unique().collect()
    assert set(hive["plan"]) == set(ODD)


def test_a_changed_partition_is_noticed(odd: Run) -> None:
    assert odd(*APPLY, "--partition-by", "plan")[0] == 0
    Path("out.parquet/plan=free").rename("out.parquet/plan=paid")
    assert odd("verify", "out.report.json", "--quiet")[0] == 3
    assert odd(*APPLY, "--partition-by", "plan", "--force")[0] == 0
    assert Path("out.parquet/plan=free").is_dir()
    assert not Path("out.parquet/plan=paid").exists()


def test_what_cannot_be_is_refused(odd: Run) -> None:
    for words, said in (
        (("--partition-by", "id"), "not released: id"),
        (("--partition-by", "plan", "--partition-by", "plan"), "once"),
        (("--partition-by", "plan", "-o", "folder"), "a release ends in"),
        (("--partition-by", "plan", "-o", "folder.csv"), "ends in .parquet"),
        (("--partition-by", "plan", "-o", "one.parquet", "--force"), "is no folder"),
    ):
        status, _, err = odd(*APPLY, *words)
        assert (status, said in err) == (2, True), err
    assert not Path("out.parquet").exists()


def test_folders_that_hold_anything_else_are_not_replaced(odd: Run) -> None:
    place = Path("out.parquet/plan=free")
    place.mkdir(parents=True)
    (place / "thesis.docx").touch()
    status, _, err = odd(*APPLY, "--partition-by", "plan", "--force")
    assert (status, "holds 1 files that are no partitions" in err) == (2, True)
    assert (place / "thesis.docx").exists()
    assert odd(*APPLY, "--force")[0] == 2
    place.rename("plan=free")
    Path("in.parquet").rename("out.parquet/in.parquet")
    status, _, err = odd(
        "apply", "policy.yaml", "out.parquet/in.parquet", *APPLY[3:], "--partition-by", "plan", "--force"
    )
    assert (status, "one of the inputs" in err) == (2, True)


def test_more_partitions_than_can_be_read_are_refused(odd: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anonym.pipeline.write.MOST", 5)
    status, _, err = odd(*APPLY, "--partition-by", "plan")
    assert (status, "6 partitions: more than 5" in err) == (2, True)
    assert not Path("out.parquet").exists()


def _release(folder: Path, name: str, force: bool = False) -> None:
    with Target(folder / "out.parquet", force=force, folder=True) as target:
        (target.part / f"p={name}").mkdir()
        (target.part / f"p={name}" / partitions.FILE).write_text(name)
        assert target.part.stat().st_mode & 0o777 == 0o700
        target.publish({})


def test_a_folder_is_replaced_in_one_step_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _release(tmp_path, "old")
    _release(tmp_path, "new", force=True)
    assert [path.name for path in tmp_path.rglob("*")] == ["out.parquet", "p=new", partitions.FILE]

    def unable(_part: Path, _final: Path) -> None:
        raise OSError(22, "Invalid argument")

    monkeypatch.setattr(partitions, "exchange", unable)
    with pytest.raises(OutputError, match="cannot replace a folder in one step"):
        _release(tmp_path, "newer", force=True)
    assert [path.name for path in tmp_path.rglob("*")] == ["out.parquet", "p=new", partitions.FILE]


def test_a_killed_run_leaves_a_folder_that_goes(tmp_path: Path) -> None:
    from anonym.io.leftovers import sweep

    with Target(tmp_path / "out.parquet", folder=True) as target:
        assert sweep(tmp_path, dry_run=False).live == (target.path,)
    if (child := os.fork()) == 0:
        killed = Target(tmp_path / "out.parquet", folder=True).__enter__()
        (killed.part / "p=1").mkdir()
        (killed.part / "p=1" / partitions.FILE).write_bytes(b"12345")
        os._exit(0)  # without leaving the context, as a killed process does
    os.waitpid(child, 0)
    assert sweep(tmp_path, dry_run=True).found == {target.part: 5}
    _release(tmp_path, "new")
    assert [path.name for path in tmp_path.rglob("*")] == ["out.parquet", "p=new", partitions.FILE]


def test_a_folder_is_refused_as_a_file(tmp_path: Path) -> None:
    _release(tmp_path, "old")
    with pytest.raises(CallError, match="is a folder"), Target(tmp_path / "out.parquet", force=True):
        pass
