"""A release beyond a threshold of its policy, or without the figure for one, is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

from anonym.policy.explain import explain
from anonym.policy.model import Policy

Run = Callable[..., tuple[int, str, str]]


@pytest.mark.parametrize(
    ("limits", "status", "said"),
    [
        ({"loss": 0.9, "k_if_known": 1, "highest_risk": 0.2}, 0, ""),
        ({"loss": 0.01}, 3, "thresholds that do not hold: loss (NCP): 0."),
        ({"attacks": {"membership": {"advantage": 0.1}}}, 5, "advantage of membership over the control: not measured"),
    ],
)
def test_a_release_beyond_a_threshold_is_refused(
    command: Run, table: pl.DataFrame, policy: dict[str, Any], limits: dict[str, Any], status: int, said: str
) -> None:
    table.write_parquet("in.parquet")
    Path("policy.yaml").write_text(yaml.safe_dump(policy | {"thresholds": limits}), encoding="utf-8")
    found, _, error = command("apply", "policy.yaml", "in.parquet", "-o", "out.parquet", "--quiet")
    assert found == status, error
    assert said in error
    report = json.loads(Path("out.report.json" if status == 0 else "out.rejected.report.json").read_text())
    assert Path("out.parquet").exists() == (status == 0)
    assert report["verdict"]["holds"] is (status == 0)
    assert {part["holds"] for part in report["thresholds"].values()} == {{0: True, 3: False, 5: None}[status]}
    if status == 0:
        status, told, _ = command("verify", "out.report.json", "--json")
        lines = {line["path"]: line["status"] for line in json.loads(told)}
        assert (status, lines["thresholds.k_if_known.found"]) == (0, "holds")


@pytest.mark.parametrize(
    ("limits", "status"),
    [({"loss": 0.9, "k_if_known": 1, "mean_risk": 0.2}, 0), ({"attacks": {"membership": {"rate": 0.1}}}, 5)],
)
def test_without_rows_there_is_nothing_to_measure_of_them(
    command: Run, table: pl.DataFrame, policy: dict[str, Any], limits: dict[str, Any], status: int
) -> None:
    table.clear().write_parquet("in.parquet")
    Path("policy.yaml").write_text(yaml.safe_dump(policy | {"thresholds": limits}), encoding="utf-8")
    assert command("apply", "policy.yaml", "in.parquet", "-o", "out.parquet", "--quiet")[0] == status
    report = json.loads(Path("out.report.json" if status == 0 else "out.rejected.report.json").read_text())
    assert {part["holds"] for part in report["thresholds"].values()} == {None}


def test_thresholds_are_explained_in_words(policy: dict[str, Any]) -> None:
    limits = {"loss": 0.4, "k_if_known": 3, "attacks": {"uniqueness": {"rate": 0.05}}}
    said = explain(Policy.load(policy | {"thresholds": limits}))
    assert "loss 0.4: the largest mean loss (NCP)" in said
    assert "k_if_known 3: k for an attacker who knows a keep or sensitive column too, at least" in said
    assert "attacks.uniqueness.rate 0.05: the highest acceptable upper end of their success" in said
