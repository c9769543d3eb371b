"""The intruder pack from outside: what is in it, and how claims are scored."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

Run = Callable[..., tuple[int, str, str]]
RELEASE = ("attack", "policy.yaml", "out.parquet")


@pytest.fixture
def released(command: Run, table: pl.DataFrame, policy: dict[str, Any]) -> pl.DataFrame:
    """A release whose column `number` says who is who, as only a test would have it."""
    numbered = table.with_row_index("number")
    policy["columns"]["number"] = {"role": "keep", "allow_unique": "to judge claims by"}
    numbered.write_parquet("in.parquet")
    Path("policy.yaml").write_text(yaml.safe_dump(policy, sort_keys=False), encoding="utf-8")
    assert command("apply", "policy.yaml", "in.parquet", "-o", "out.parquet", "--quiet")[0] == 0
    return pl.read_parquet("out.parquet")


def claim(rows: list[int], who: list[str], right: list[str | None]) -> None:
    lines = {"row": rows, "who": who, "sure": [80] * len(rows), "how": ["a register"] * len(rows), "right": right}
    pl.DataFrame(lines).write_csv("pack/claims.csv")


def test_the_pack_holds_released_rows_and_nothing_else(command: Run, released: pl.DataFrame) -> None:
    assert command(*RELEASE, "--intruder-pack", "pack", "--rows", 40)[0] == 0
    assert sorted(path.name for path in Path("pack").iterdir()) == [
        "README.txt", "claims.csv", "columns.csv", "pack.json", "sample.csv",
    ]  # fmt: skip
    sample = pl.read_csv("pack/sample.csv", infer_schema=False)
    assert sample.height == 40
    assert {path.stat().st_mode & 0o777 for path in Path("pack").iterdir()} == {0o600}, "claims name people"
    assert Path("pack").stat().st_mode & 0o777 == 0o700
    rows = released.select(pl.all().cast(pl.String))
    for line in sample.iter_rows(named=True):
        assert rows.row(int(line.pop("row")) - 1, named=True) == line
    assert "canary" not in "".join(path.read_text() for path in Path("pack").iterdir())
    assert set(pl.read_csv("pack/columns.csv")["column"]) == set(released.columns)
    assert command(*RELEASE, "--intruder-pack", "pack")[0] == 2, "what is there is not replaced"
    assert command(*RELEASE, "--intruder-pack", "other", "--rows", 40)[0] == 0
    assert Path("other/sample.csv").read_bytes() == Path("pack/sample.csv").read_bytes(), "drawn by the seed"


def test_claims_are_judged_by_the_original_or_by_a_referee(
    command: Run, released: pl.DataFrame, table: pl.DataFrame
) -> None:
    assert command(*RELEASE, "--intruder-pack", "pack", "--rows", 100, "--quiet")[0] == 0
    rows = json.loads(Path("pack/pack.json").read_text())["rows"]
    names = [table["id"][released["number"][row - 1]] for row in rows[:4]]
    claim([*rows[:4], rows[0], rows[5], rows[6]], [*names[:2], names[2].upper(), "x", "y", "z", ""], [None] * 7)
    score = (*RELEASE, "--score", "pack", "--json")
    status, said, _ = command(*score, "--original", "in.parquet", "--truth", "number")
    [found] = json.loads(said)
    assert (found["targets"], found["correct"], found["false_accepts"]) == (100, 3, 2)
    assert found["detail"]["claims"] == 6
    assert (found["baseline"], found["control"], found["detail"]["positive_control"]) == (None, None, None)
    assert (status, found["verdict"]) == (0, "pass")
    status, _, err = command(*score)
    assert status == 4
    assert "6 claims" in err
    claim(rows[:60], ["someone"] * 60, ["yes"] * 40 + ["No"] * 20)
    status, said, _ = command(*score)
    assert status == 3
    assert json.loads(said)[0]["correct"] == 40


def test_claims_on_other_rows_or_releases_are_refused(command: Run, released: pl.DataFrame) -> None:
    assert command(*RELEASE, "--intruder-pack", "pack", "--rows", 5, "--quiet")[0] == 0
    rows = json.loads(Path("pack/pack.json").read_text())["rows"]
    other = next(row for row in range(1, 100) if row not in rows)
    claim([other], ["someone"], ["yes"])
    assert command(*RELEASE, "--score", "pack")[0] == 4
    claim([], [], [])
    assert command(*RELEASE, "--score", "pack")[0] == 5, "nobody in five is no evidence for one in five"
    released.head(50).write_parquet("out.parquet")
    status, _, err = command(*RELEASE, "--score", "pack")
    assert status == 4
    assert "another release" in err
    assert command(*RELEASE, "--score", "nowhere")[0] == 4
