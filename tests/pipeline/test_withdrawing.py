"""People who withdrew: none of their rows is released, what changed is said, and no value of theirs is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

import anonym
from anonym.errors import CallError, InputError
from anonym.io import open_frame
from anonym.pipeline.applying import read_options
from anonym.pipeline.withdrawing import Withdrawn, read_units, what_changed, withdraw
from anonym.policy import Policy
from anonym.report.evidence import validate

Run = Callable[..., tuple[int, str, str]]
GONE = ["canary-00003", "canary-00010"]  # 4 and 2 rows of the table below


@pytest.fixture
def visits(table: pl.DataFrame) -> pl.DataFrame:
    """The people, some with several rows, some rows of nobody."""
    extra = [*range(3, 4), *[3, 3], *range(10, 60)]
    more = pl.concat([table, table[extra]]).with_columns(number=pl.int_range(pl.len()))
    return more.with_columns(id=pl.when(pl.col("number") > 640).then(None).otherwise("id")).drop("number")


@pytest.fixture
def by_unit(policy: dict[str, Any]) -> dict[str, Any]:
    return policy | {"unit": "id", "order": "keep"}


def _files(visits: pl.DataFrame, policy: dict[str, Any]) -> None:
    visits.write_parquet("in.parquet")
    Path("policy.yaml").write_text(yaml.safe_dump(policy, sort_keys=False), encoding="utf-8")


def test_their_rows_are_gone_and_what_changed_is_said(command: Run, visits: pl.DataFrame, by_unit: Any) -> None:
    _files(visits, by_unit)
    Path("gone.txt").write_text("\n".join([*GONE, "canary-99999", ""]), encoding="utf-8")
    run = ("apply", "policy.yaml", "in.parquet", "-o", "out.parquet")
    assert command(*run, "--quiet")[0] == 0
    status, said, err = command(*run, "--force", "--exclude-units", "gone.txt", "--verbose")
    assert status == 0
    assert "excluded 2 of 3 units (1 not in the input), 6 rows\nchanged  rows: " in said
    assert "canary" not in said + err
    evidence = json.loads(Path("out.report.json").read_text())
    assert validate(evidence) == []
    assert evidence["input"]["rows"] == visits.height - 6
    assert (evidence["input"]["excluded_units"], evidence["input"]["excluded_rows"]) == (2, 6)
    assert any(limit.startswith("2 units who withdrew were left out") for limit in evidence["limits"])
    assert all(b"canary" not in path.read_bytes() for path in Path().glob("out.*"))


def test_one_row_is_one_row() -> None:
    said = list(what_changed(Withdrawn(listed=3, units=1, rows=1), None, {}))
    assert said == ["excluded 1 of 3 units (2 not in the input), 1 row"]


def test_the_release_is_the_one_of_a_table_without_them(visits: pl.DataFrame, by_unit: dict[str, Any]) -> None:
    without = visits.filter(~pl.col("id").is_in(GONE).fill_null(False))
    expected = anonym.apply(by_unit, without)
    found = anonym.apply(by_unit, visits, exclude_units=GONE)
    assert found.data.collect().equals(expected.data.collect())
    assert found.evidence["input"]["rows"] == without.height < visits.height


@pytest.mark.parametrize("kind", ["csv", "parquet", "txt"])
def test_lists_are_read_as_the_unit_is(tmp_path: Path, visits: pl.DataFrame, by_unit: Any, kind: str) -> None:
    """Numbers in a list of text are compared as numbers, text with leading zeros as text."""
    policy = Policy.load(by_unit)
    path = tmp_path / f"gone.{kind}"
    table = pl.DataFrame({"id": ["0012", "7"], "other": [1, 2]})
    if kind == "txt":
        path.write_text("0012\n7\n")
    else:
        getattr(table, f"write_{kind}")(path)
    units = read_units(path, policy, read_options(policy))
    for ids, expected in (([7, 7, 12, 5], (2, 2, 3)), (["12", "0012", "7", "x"], (2, 2, 2))):
        source, found = withdraw(policy, open_frame(visits.head(4).with_columns(id=pl.Series(ids))), units)
        assert found is not None
        assert (found.listed, found.units, found.rows) == expected
        assert source.frame.collect().height == 4 - expected[2]


def test_what_cannot_be_is_refused(command: Run, visits: pl.DataFrame, policy: dict[str, Any], by_unit: Any) -> None:
    _files(visits.with_columns(number=pl.int_range(pl.len())), policy | {"unlisted": "drop"})
    Path("gone.txt").write_text("canary-00003", encoding="utf-8")
    run = ("apply", "policy.yaml", "in.parquet", "-o", "out.parquet", "--exclude-units")
    status, _, err = command(*run, "gone.txt")
    assert (status, "need a unit in the policy" in err) == (2, True)
    by_unit["columns"]["number"] = {"role": "drop"}
    Path("policy.yaml").write_text(yaml.safe_dump(by_unit | {"unit": "number"}), encoding="utf-8")
    status, _, err = command(*run, "gone.txt")
    assert (status, "values of type" in err, "canary" in err) == (4, True, False), err
    status, _, err = command(*run, "none.txt")
    assert (status, "a file is missing while reading the units" in err) == (4, True)
    pl.DataFrame({"who": GONE}).write_csv("gone.csv")
    status, _, err = command(*run, "gone.csv")
    assert (status, "no column number" in err) == (4, True)
    assert not list(Path().glob("out*"))


def test_verification_from_the_original_needs_the_list(command: Run, visits: pl.DataFrame, by_unit: Any) -> None:
    """The unit is not in the release, so that what counts units is computed from the original alone."""
    _files(visits, by_unit)
    pl.DataFrame({"id": GONE}).write_csv("gone.csv")
    run = ("apply", "policy.yaml", "in.parquet", "-o", "out.parquet", "--quiet", "--exclude-units", "gone.csv")
    assert command(*run)[0] == 0
    verify = ("verify", "out.report.json", "--original", "in.parquet", "--quiet")
    assert command(*verify)[0] == 2
    assert command(*verify, "--exclude-units", "gone.csv") == (0, "", "")


def test_in_python_a_unit_is_needed_too(table: pl.DataFrame, policy: dict[str, Any]) -> None:
    with pytest.raises(CallError, match="unit"):
        anonym.apply(policy, table, exclude_units=GONE)
    with pytest.raises(InputError, match="do not convert"):
        anonym.apply(policy | {"unit": "age"}, table, exclude_units=["canary"])
