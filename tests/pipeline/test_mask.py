"""`suppression: {action: mask}`: an empty row stays in the place of every row that is suppressed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

import anonym
from anonym.errors import InputError

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def masking(policy: dict[str, Any]) -> dict[str, Any]:
    policy["guarantee"]["suppression"] = {"max": 0.5, "action": "mask"}
    policy["search"] = {"strategy": "global"}
    policy["columns"]["age"]["coarsest"] = 2
    policy["columns"]["zip"]["coarsest"] = 1
    policy["columns"]["id"] = {"role": "identifier", "action": "redact"}
    policy["columns"]["plan"] = {"role": "keep", "allow_unique": "two plans only"}
    policy["guarantee"]["k"] = 3
    return policy


@pytest.mark.parametrize("ending", [".parquet", ".csv", ".jsonl", ".arrow"])
def test_every_row_stays_and_the_file_can_be_checked(
    command: Run, table: pl.DataFrame, masking: dict[str, Any], ending: str
) -> None:
    table.write_parquet("in.parquet")
    Path("policy.yaml").write_text(yaml.safe_dump(masking), encoding="utf-8")
    status, _, err = command("apply", "policy.yaml", "in.parquet", "-o", f"out{ending}")
    assert (status, err if status else "") == (0, "")
    status, _, _ = command("check", "policy.yaml", f"out{ending}", "--quiet")
    assert status == 0
    evidence = json.loads(Path("out.report.json").read_text())
    assert evidence["suppression"]["action"] == "mask"
    assert evidence["suppression"]["rows"] > 0


@pytest.mark.parametrize("strategy", ["global", "local"])
@pytest.mark.parametrize("form", ["label", "representative"])
def test_masked_rows_are_empty_and_the_others_hold(
    table: pl.DataFrame, masking: dict[str, Any], strategy: str, form: str
) -> None:
    masking["columns"]["age"]["form"] = form
    masking["search"] = {"strategy": strategy, "budget": {"nodes" if strategy == "global" else "tries": 2}}
    release = anonym.apply({**masking, "order": "keep"}, table)
    data = release.data.collect()
    assert data.height == table.height
    assert data.schema["suppressed"] == pl.Boolean
    empty, kept = data.filter("suppressed").drop("suppressed"), data.filter(~pl.col("suppressed"))
    assert empty.height == release.evidence["suppression"]["rows"]
    assert all(value is None for row in empty.iter_rows() for value in row)
    assert min(Counter(kept.select("age", "zip").iter_rows()).values()) >= 3
    in_place = table.filter(~data["suppressed"])
    assert kept["dx"].to_list() == in_place["dx"].to_list()
    assert anonym.check(masking, data).holds


def test_units_are_masked_whole(table: pl.DataFrame, masking: dict[str, Any]) -> None:
    rows = pl.concat([table, table.head(200)])
    masking |= {"unit": "id"}
    masking["columns"]["id"] = {"role": "identifier"}
    release = anonym.apply(masking, rows)
    assert release.data.collect().height == rows.height
    assert release.evidence["guarantee"]["k"]["units"] >= 3


def test_uncovered_rows_are_masked_too(table: pl.DataFrame, masking: dict[str, Any]) -> None:
    masking["columns"]["zip"] = {"role": "quasi", "hierarchy": {"taxonomy": "us-zip3"}, "uncovered": "suppress"}
    odd = table.with_columns(zip=pl.when(pl.int_range(pl.len()) < 7).then(pl.lit("?")).otherwise("zip"))
    release = anonym.apply({**masking, "order": "keep"}, odd)
    assert release.data.collect()["suppressed"].head(7).all()
    assert release.evidence["suppression"]["uncovered"] == 7


def test_a_dropped_row_is_gone_where_a_masked_one_stays(table: pl.DataFrame, masking: dict[str, Any]) -> None:
    masked = anonym.apply(masking, table)
    masking["guarantee"]["suppression"]["action"] = "drop"
    dropped = anonym.apply(masking, table)
    assert "suppressed" not in dropped.data.collect_schema()
    assert dropped.evidence["suppression"]["rows"] == masked.evidence["suppression"]["rows"]
    assert dropped.data.collect().height == table.height - dropped.evidence["suppression"]["rows"]


def test_a_column_of_that_name_is_refused(table: pl.DataFrame, masking: dict[str, Any]) -> None:
    masking["columns"]["suppressed"] = {"role": "drop"}
    with pytest.raises(InputError, match="action mask would write a column of this name"):
        anonym.apply(masking, table.with_columns(suppressed=pl.lit("x")))


def test_a_written_release_is_verified_again(tmp_path: Path, table: pl.DataFrame, masking: dict[str, Any]) -> None:
    release = anonym.apply(masking, table)
    place = release.write(tmp_path / "out.parquet")
    assert pl.read_parquet(place).height == table.height
