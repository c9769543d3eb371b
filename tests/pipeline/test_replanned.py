"""A new batch under an earlier plan: the same levels, nothing that the plan does not list, the promise kept anew."""

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
from anonym.errors import CallError, GuaranteeError

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def planned(policy: dict[str, Any]) -> dict[str, Any]:
    policy["guarantee"]["suppression"]["max"] = 0.1
    del policy["columns"]["dx"], policy["columns"]["plan"], policy["columns"]["id"]
    return policy | {"search": {"strategy": "global"}, "unlisted": "drop"}


def _batch(table: pl.DataFrame, extra: list[tuple[int, str]]) -> pl.DataFrame:
    more = pl.DataFrame(extra, schema={"age": pl.Int64, "zip": pl.String}, orient="row")
    return pl.concat([table.select("age", "zip"), more])


def test_levels_are_kept_and_what_is_not_listed_is_suppressed(table: pl.DataFrame, planned: dict[str, Any]) -> None:
    first = anonym.apply(planned, table)
    strangers = [(140, "9999")] * 9  # enough for a class of their own, but in no class of the plan
    second = anonym.apply(planned, _batch(table, strangers), plan=first.plan)
    assert second.evidence["search"]["levels"] == first.evidence["search"]["levels"]
    assert second.evidence["search"]["why"] == "the levels of an earlier plan"
    assert second.plan == first.plan
    labels = {name: set(first.data.collect()[name]) for name in ("age", "zip")}
    out = second.data.collect()
    assert all(set(out[name]) <= labels[name] for name in labels)
    assert second.evidence["suppression"]["rows"] >= 9
    assert min(Counter(out.iter_rows()).values()) >= 5


def test_without_the_plan_the_strangers_would_have_been_released(table: pl.DataFrame, planned: dict[str, Any]) -> None:
    out = anonym.apply(planned, _batch(table, [(140, "9999")] * 9)).data.collect()
    assert any("14" in label for label in set(out["age"]))


def test_classes_of_the_batch_need_k_themselves(table: pl.DataFrame, planned: dict[str, Any]) -> None:
    plan = anonym.apply(planned, table).plan
    with pytest.raises(GuaranteeError):
        anonym.apply(planned, table.head(12), plan=plan)


def test_the_command_takes_the_plan_beside_a_release(
    command: Run, table: pl.DataFrame, planned: dict[str, Any]
) -> None:
    table.write_parquet("in.parquet")
    Path("policy.yaml").write_text(yaml.safe_dump(planned), encoding="utf-8")
    assert command("apply", "policy.yaml", "in.parquet", "-o", "a.parquet", "--quiet")[0] == 0
    done = command("apply", "policy.yaml", "in.parquet", "-o", "b.parquet", "--plan", "a.plan.json", "--quiet")
    assert done == (0, "", "")
    before, after = (json.loads(Path(f"{name}.report.json").read_text()) for name in "ab")
    assert before["output"]["digest"] == after["output"]["digest"]
    assert Path("a.plan.json").read_bytes() == Path("b.plan.json").read_bytes()


def test_plans_that_do_not_fit_are_refused(command: Run, table: pl.DataFrame, planned: dict[str, Any]) -> None:
    table.write_parquet("in.parquet")
    Path("policy.yaml").write_text(yaml.safe_dump(planned), encoding="utf-8")
    command("apply", "policy.yaml", "in.parquet", "-o", "a.parquet", "--quiet")
    planned["guarantee"]["k"] = 4
    Path("other.yaml").write_text(yaml.safe_dump(planned), encoding="utf-8")
    for words, said in (
        (("other.yaml", "--plan", "a.plan.json"), "the plan is of another policy"),
        (("policy.yaml", "--plan", "none.json"), "cannot be read"),
        (("policy.yaml", "--plan", "in.parquet"), "cannot be read"),
        (("policy.yaml", "--plan", "a.report.json"), "not a plan"),
    ):
        status, _, error = command("apply", words[0], "in.parquet", "-o", "b.parquet", *words[1:])
        assert (status, said in error) == (2, True), error
        assert not Path("b.parquet").exists()


def test_local_plans_and_changed_hierarchies_are_refused(
    table: pl.DataFrame, planned: dict[str, Any], tmp_path: Path
) -> None:
    local = planned | {"search": {"strategy": "local"}}
    plan = anonym.apply(local, table).plan
    with pytest.raises(CallError, match="a plan of local recoding cannot be applied again"):
        anonym.apply(local, table, plan=plan)
    file = tmp_path / "zips.csv"
    file.write_text("".join(f"{zip_},{zip_[:2]},*\n" for zip_ in sorted(set(table["zip"]))), encoding="utf-8")
    planned["columns"]["zip"]["hierarchy"] = {"file": str(file)}
    plan = anonym.apply(planned, table).plan
    file.write_text(file.read_text(encoding="utf-8").replace(",10,", ",11,"), encoding="utf-8")
    with pytest.raises(CallError, match="column zip: its hierarchy is not the one of the plan"):
        anonym.apply(planned, table, plan=plan)


SPOILT: dict[str, Callable[[dict[str, Any]], Any]] = {
    "a level that is text": lambda plan: plan["columns"][0].update(level="1"),
    "a level that is a truth": lambda plan: plan["columns"][0].update(level=True),
    "a name that is a number": lambda plan: plan["columns"][0].update(name=7),
    "a column twice": lambda plan: plan["columns"].append(plan["columns"][0]),
    "nodes that are text": lambda plan: plan["columns"][0].update(nodes=3),
    "a node that is a number": lambda plan: plan["columns"][0].update(nodes=[3]),
    "keys that are a list": lambda plan: plan.update(keys=[]),
    "a key that is a number": lambda plan: plan.update(keys={"id": 5}),
    "a strategy that is none": lambda plan: plan.update(strategy=None),
    "a key more": lambda plan: plan.update(more=1),
    "a key less": lambda plan: plan.pop("policy"),
}


@pytest.mark.parametrize("how", SPOILT)
def test_plans_changed_by_hand_are_refused(
    command: Run, table: pl.DataFrame, planned: dict[str, Any], how: str
) -> None:
    table.write_parquet("in.parquet")
    Path("policy.yaml").write_text(yaml.safe_dump(planned), encoding="utf-8")
    command("apply", "policy.yaml", "in.parquet", "-o", "a.parquet", "--quiet")
    plan = json.loads(Path("a.plan.json").read_text(encoding="utf-8"))
    SPOILT[how](plan)
    Path("a.plan.json").write_text(json.dumps(plan), encoding="utf-8")
    status, _, error = command("apply", "policy.yaml", "in.parquet", "-o", "b.parquet", "--plan", "a.plan.json")
    assert (status, "not a plan of version anonym.plan/1: it was cut off or changed by hand" in error) == (2, True), (
        error
    )
    assert not Path("b.parquet").exists()


def test_files_of_endless_brackets_are_no_plan_no_report_and_no_ledger(command: Run) -> None:
    """JSON that nests deeper than Python's reader can go."""
    Path("deep.json").write_text("[" * 200_000, encoding="utf-8")
    Path("policy.yaml").write_text("anonym: 1\ncolumns: {age: {role: quasi}}\nguarantee: {k: 2}\n", encoding="utf-8")
    pl.DataFrame({"age": [1, 1]}).write_parquet("in.parquet")
    for words, expected in (
        (("apply", "policy.yaml", "in.parquet", "-o", "a.parquet", "--plan", "deep.json"), 2),
        (("verify", "deep.json"), 4),
        (("report", "deep.json"), 4),
        (("rederive", "deep.json", "in.parquet", "-o", "a.parquet"), 4),
        (("diff", "deep.json", "deep.json"), 4),
        (("recall", "policy.yaml", "deep.json"), 4),
    ):
        status, _, error = command(*words)
        assert (status, "internal error" in error) == (expected, False), (words, error)
