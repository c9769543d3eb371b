"""`anonym.apply` in Python does what the command does, by the same names."""

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
from anonym.errors import CallError, InputError

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def union(policy: dict[str, Any]) -> dict[str, Any]:
    policy["guarantee"]["suppression"]["max"] = 0.3
    return policy | {"batch": "union", "search": {"strategy": "global"}}


def test_a_batch_is_judged_with_the_files_before(command: Run, table: pl.DataFrame, union: dict[str, Any]) -> None:
    Path("policy.yaml").write_text(yaml.safe_dump(union), encoding="utf-8")
    table.tail(80).write_parquet("second.parquet")
    first = anonym.apply("policy.yaml", table.head(520))
    first.write("a.parquet")
    with pytest.raises(CallError, match="--earlier"):
        anonym.apply("policy.yaml", table.tail(80), plan=first.plan)
    found = anonym.apply("policy.yaml", table.tail(80), plan=first.plan, earlier=["a.parquet"])
    run = ("apply", "policy.yaml", "second.parquet", "-o", "b.parquet", "--quiet", "--plan", "a.plan.json")
    assert command(*run, "--earlier", "a.parquet")[0] == 0
    assert Counter(found.data.collect().iter_rows()) == Counter(pl.read_parquet("b.parquet").iter_rows())
    found.write("c.parquet")
    written, expected = (json.loads(Path(f"{name}.report.json").read_text()) for name in "cb")
    assert written["batch"] == expected["batch"]
    assert written["guarantee"] == expected["guarantee"]


@pytest.mark.parametrize("by", [("plan",), ("plan", "dx")])
def test_a_release_is_written_in_partitions(
    command: Run, table: pl.DataFrame, policy: dict[str, Any], by: tuple[str, ...]
) -> None:
    release = anonym.apply(policy, table)
    release.write("out.parquet", partition_by=by)
    Path("policy.yaml").write_text(yaml.safe_dump(policy), encoding="utf-8")
    back = pl.scan_parquet("out.parquet/**/*.parquet", hive_partitioning=True).collect()
    back = back.select(release.data.collect_schema().names())
    assert Counter(back.iter_rows()) == Counter(release.data.collect().iter_rows())
    assert command("check", "policy.yaml", "out.parquet", "--quiet")[0] == 0
    with pytest.raises(CallError, match="not released: income"):
        release.write("other.parquet", partition_by=["income"])
    with pytest.raises(CallError, match=r"whose name ends in \.parquet"):
        release.write("other.csv", partition_by=by)
    assert not list(Path().glob("other*"))


def test_options_stand_in_for_the_policy_s(table: pl.DataFrame, policy: dict[str, Any]) -> None:
    held = anonym.apply(policy, table, hold_out=0.25, seed=7)
    assert held.evidence["input"]["rows"] == 450
    assert held.evidence["environment"]["options"] == {"seed": "7", "hold_out": "0.25"}
    with pytest.raises(CallError, match="a share from 0 to below 1"):
        anonym.apply(policy, table, hold_out=1)
    with pytest.raises(InputError, match="--memory-limit is 10 MB"):
        anonym.apply(policy, table, memory_limit=10_000_000)
