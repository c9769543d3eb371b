"""A lost release is rebuilt from its report, policy, plan and input, and anything else is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

Run = Callable[..., tuple[int, str, str]]
REDERIVE = ("rederive", "a.report.json", "in.parquet", "-o", "b.parquet")


STRATEGIES = pytest.mark.parametrize("lost", ["global", "local"], indirect=True)


@pytest.fixture
def lost(request: pytest.FixtureRequest, command: Run, table: pl.DataFrame, policy: dict[str, Any]) -> Run:
    """A release by another seed than the policy's, whose file is gone."""
    policy["search"] = {"strategy": getattr(request, "param", "global")}
    table.write_parquet("in.parquet")
    Path("policy.yaml").write_text(yaml.safe_dump(policy), encoding="utf-8")
    assert command("apply", "policy.yaml", "in.parquet", "-o", "a.parquet", "--seed", "11", "--quiet")[0] == 0
    Path("a.parquet").rename("lost.parquet")
    return command


@STRATEGIES
def test_it_is_the_same(lost: Run) -> None:
    status, said, _ = lost(*REDERIVE)
    assert status == 0
    assert said.endswith(
        "the same classes and number of rows as in the report; columns outside the classes are not in its digest\n"
    )
    assert sorted(pl.read_parquet("b.parquet").iter_rows()) == sorted(pl.read_parquet("lost.parquet").iter_rows())
    one, other = (json.loads(Path(f"{name}.report.json").read_text()) for name in "ab")
    assert one["output"] == other["output"]
    assert lost("verify", "b.report.json", "--original", "in.parquet", "--quiet") == (0, "", "")
    assert one["environment"]["options"] == other["environment"]["options"] == {"seed": "11", "hold_out": "0"}


def test_another_input_is_refused_and_nothing_released(lost: Run, table: pl.DataFrame) -> None:
    table.with_columns(age=pl.when(pl.int_range(pl.len()) < 40).then(41).otherwise("age")).write_parquet("in.parquet")
    status, _, err = lost(*REDERIVE)
    assert (status, "not the release of the report" in err, "another input" in err) == (4, True, True), err
    assert not list(Path().glob("b.*"))


def test_another_version_is_named(lost: Run, table: pl.DataFrame) -> None:
    report = json.loads(Path("a.report.json").read_text())
    report["environment"]["versions"]["polars"] = "1.0.0"
    report["output"]["digest"] = "0" * 64
    Path("a.report.json").write_text(json.dumps(report))
    status, _, err = lost(*REDERIVE)
    assert (status, "(polars 1.0.0, now" in err) == (4, True), err


def test_another_policy_and_a_lost_plan_are_refused(lost: Run) -> None:
    Path("a.plan.json").unlink()
    assert lost(*REDERIVE, "--quiet")[0] == 2
    changed = yaml.safe_load(Path("policy.yaml").read_text()) | {"seed": 5}
    Path("policy.yaml").write_text(yaml.safe_dump(changed), encoding="utf-8")
    assert "name it with --policy" in lost(*REDERIVE)[2]
    assert "not the policy of the report" in lost(*REDERIVE, "--policy", "policy.yaml")[2]
