"""`anonym attack` from outside: verdicts and exit statuses on a raw copy and on a release."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import yaml

Run = Callable[..., tuple[int, str, str]]


def _files(table: pl.DataFrame, policy: dict[str, Any]) -> None:
    table.write_parquet("in.parquet")
    Path("policy.yaml").write_text(yaml.safe_dump(policy, sort_keys=False), encoding="utf-8")


def test_a_raw_copy_fails_and_a_release_withstands_linkage(
    command: Run, table: pl.DataFrame, policy: dict[str, Any]
) -> None:
    _files(table, policy)
    table.drop("id").write_parquet("raw.parquet")
    status, said, err = command("attack", "policy.yaml", "raw.parquet", "--original", "in.parquet")
    assert status == 3
    assert "linkage" in err
    assert "canary" not in said + err
    assert command("apply", "policy.yaml", "in.parquet", "-o", "out.parquet", "--quiet")[0] == 0
    status, said, _ = command("attack", "policy.yaml", "out.parquet", "--original", "in.parquet", "--json")
    verdicts = {result["name"]: result["verdict"] for result in json.loads(said)}
    assert verdicts["linkage"] == "pass"
    assert status in (0, 5), "without a control, inference cannot tell"
    assert (status == 5) == bool({"inconclusive", "too_weak"} & set(verdicts.values()))


def test_a_table_that_is_not_there_is_said(command: Run, table: pl.DataFrame, policy: dict[str, Any]) -> None:
    _files(table, policy)
    assert command("attack", "policy.yaml", "none.parquet", "--original", "in.parquet")[0] == 4
