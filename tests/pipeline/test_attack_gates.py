"""Attacks as gates of `apply`: what stops a release, what is held out, and where the results stand."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

import anonym
from anonym.errors import GuaranteeError, InputError
from anonym.io import PrivateFolder, open_frame
from anonym.pipeline.holding_out import hold_out
from anonym.policy import Policy

Run = Callable[..., tuple[int, str, str]]


def _files(table: pl.DataFrame, policy: dict[str, Any], attacks: dict[str, Any]) -> None:
    table.write_parquet("in.parquet")
    table.select(pl.col("age").alias("years"), "zip").write_parquet("voters.parquet")
    Path("policy.yaml").write_text(yaml.safe_dump(policy | {"attacks": attacks}, sort_keys=False), encoding="utf-8")


def linkage(risk: float, match: dict[str, Any] | None = None) -> dict[str, Any]:
    match = match or {"age": "years", "zip": "zip"}
    return {"linkage": {"auxiliary": "voters.parquet", "match": match, "max_risk": risk}}


def evidence(name: str) -> dict[str, Any]:
    return dict(json.loads(Path(name).read_text(encoding="utf-8")))


def attack_of(found: dict[str, Any], name: str) -> dict[str, Any]:
    return next(one for one in found["attacks"] if one["name"].startswith(name))


def test_a_release_that_withstands_its_attacks_says_so(command: Run, table: pl.DataFrame, policy: Any) -> None:
    _files(table, policy, linkage(0.2))
    status, _, err = command("apply", "policy.yaml", "in.parquet", "-o", "out.parquet", "--quiet")
    assert (status, err) == (0, "")
    found = evidence("out.report.json")
    linked = attack_of(found, "linkage")
    assert linked["verdict"] == "pass"
    assert linked["detail"]["gate"] == {"limit": 0.2, "measure": "rate"}
    assert linked["detail"]["positive_control"] > linked["rate"]
    assert linked["detail"]["worst_subgroup"]["rate"] >= linked["rate"]
    assert attack_of(found, "inference of dx")["verdict"] is None, "no limit is set on inference"
    assert linked["seed"] == 0
    assert "linkage" in Path("out.report.html").read_text(encoding="utf-8")


def test_an_attack_over_its_limit_stops_the_release(command: Run, table: pl.DataFrame, policy: Any) -> None:
    policy["guarantee"]["k"] = 2
    _files(table, policy, linkage(0.001))
    status, _, err = command("apply", "policy.yaml", "in.parquet", "-o", "out.parquet")
    assert status == 3
    assert "linkage" in err
    assert not Path("out.parquet").exists()
    found = evidence("out.rejected.report.json")
    assert attack_of(found, "linkage")["verdict"] == "fail"
    assert found["verdict"]["holds"] is False
    assert "canary" not in json.dumps(found)


def test_without_a_control_inference_cannot_pass(command: Run, table: pl.DataFrame, policy: Any) -> None:
    _files(table, policy, {"inference": {"max_advantage": 0.1}})
    status, _, err = command("apply", "policy.yaml", "in.parquet", "-o", "out.parquet")
    assert status == 5
    assert "inference of dx" in err
    assert not Path("out.parquet").exists()
    found = evidence("out.rejected.report.json")
    assert attack_of(found, "inference")["verdict"] == "inconclusive"
    assert attack_of(found, "inference")["control"] is None


def test_people_held_out_are_the_control_and_never_released(command: Run, table: pl.DataFrame, policy: Any) -> None:
    policy["columns"]["id"] = {"role": "keep", "allow_unique": "to see who is released"}
    _files(table, policy, {"inference": {"max_advantage": 0.9}})
    words = ("apply", "policy.yaml", "in.parquet", "-o", "out.parquet", "--quiet", "--hold-out", "0.25")
    status, _, err = command(*words, "--keep-hold-out", "held.parquet")
    assert (status, err) == (0, "")
    held, released = pl.read_parquet("held.parquet"), pl.read_parquet("out.parquet")
    assert held.schema == table.schema
    assert held.height == 150
    assert not set(held["id"]) & set(released["id"])
    assert Path("held.parquet").stat().st_mode & 0o777 == 0o600
    found = evidence("out.report.json")
    assert (found["input"]["rows"], found["input"]["held_out_rows"], found["input"]["held_out_units"]) == (
        450,
        150,
        None,
    )
    inferred = attack_of(found, "inference")
    assert inferred["detail"]["control"]["targets"] == 150
    assert inferred["verdict"] == "pass"
    assert attack_of(found, "linkage")["verdict"] is None
    assert command(*words, "--keep-hold-out", "held.parquet", "--force")[0] == 0
    assert held.equals(pl.read_parquet("held.parquet")), "drawn by the seed"


def test_a_kept_hold_out_replaces_nothing_and_must_hold_someone(command: Run, table: Any, policy: Any) -> None:
    _files(table, policy, {})
    Path("held.parquet").write_bytes(b"precious")
    words = ("apply", "policy.yaml", "in.parquet", "-o", "out.parquet", "--keep-hold-out")
    assert command(*words, "held.parquet")[0] == 2
    assert Path("held.parquet").read_bytes() == b"precious"
    assert command(*words, "other.parquet")[0] == 2, "nobody is held out"
    assert not Path("out.parquet").exists()
    assert command(*words, "held.csv")[0] == 2
    for share in ("1", "-0.1", "much"):
        assert command(*words[:5], "--hold-out", share)[0] == 2


@pytest.mark.parametrize(("rows", "share"), [(600, "0.1"), (7, "0.5"), (600, "0.333")])
def test_units_are_held_out_whole(rows: int, share: str, table: pl.DataFrame, policy: Any) -> None:
    frame = table.head(rows).with_columns(who=pl.int_range(pl.len()) % 5 * pl.when(pl.col("age") > 20).then(1))
    policy["columns"]["who"] = {"role": "identifier"}
    loaded = Policy.load(policy | {"unit": "who", "attacks": {"hold_out": float(share)}})
    with PrivateFolder() as private:
        if float(share) * frame["who"].drop_nulls().n_unique() < 1:
            with pytest.raises(InputError, match="nobody"):
                hold_out(loaded, open_frame(frame), private)
            return
        held = hold_out(loaded, open_frame(frame.lazy()), private)
        control, rest = held.control(), held.source.frame.collect()
        assert control is not None
        assert held.file is not None
        assert held.file.stat().st_mode & 0o777 == 0o600
        again = hold_out(loaded, open_frame(frame.reverse()), _Other(private)).control()
    assert control.height + rest.height == frame.height == held.rows + rest.height
    assert not set(control["who"]) & set(rest["who"])
    assert control["who"].null_count() == 0
    assert control["who"].n_unique() == held.units == int(float(share) * frame["who"].drop_nulls().n_unique())
    assert again is not None
    assert set(again["id"]) == set(control["id"]), "the draw does not depend on the order of rows"
    assert rest.equals(frame.filter(pl.col("id").is_in(rest["id"].implode()))), "order is kept"


class _Other(PrivateFolder):
    """The same folder under other names, for a second hold-out in one test."""

    def __init__(self, folder: PrivateFolder) -> None:
        self.path = folder.path

    def file(self, name: str) -> Path:
        return super().file("again-" + name)


def test_match_may_be_off_and_must_be_released(command: Run, table: pl.DataFrame, policy: Any) -> None:
    _files(
        table, policy, linkage(0.2, {"age": {"column": "years", "tolerance": 1}, "zip": {"column": "zip", "edits": 1}})
    )
    assert command("apply", "policy.yaml", "in.parquet", "-o", "out.parquet", "--quiet")[0] == 0
    exact = linkage(0.2)
    _files(table, policy, exact)
    assert command("apply", "policy.yaml", "in.parquet", "-o", "exact.parquet", "--quiet")[0] == 0
    pairs = [
        attack_of(evidence(name), "linkage")["detail"]["pairs"] for name in ("out.report.json", "exact.report.json")
    ]
    assert pairs[0] > pairs[1]
    _files(table, policy, linkage(0.2, {"age": "birth"}))
    status, _, err = command("apply", "policy.yaml", "in.parquet", "-o", "third.parquet")
    assert status == 4
    assert "birth" in err


def test_results_survive_writing_a_release_from_python(table: pl.DataFrame, policy: Any, tmp_path: Path) -> None:
    gated = Policy.load(policy | {"attacks": {"inference": {"max_advantage": 0.9}, "hold_out": 0.2}})
    release = anonym.apply(gated, table)
    release.write(tmp_path / "out.parquet")
    found = evidence(str(tmp_path / "out.report.json"))
    assert found["attacks"] == release.evidence["attacks"]
    assert attack_of(found, "inference")["verdict"] == "pass"
    telling = policy | {"guarantee": {"k": 1}, "attacks": {"inference": {"max_advantage": 0.0}, "hold_out": 0.5}}
    with pytest.raises(GuaranteeError) as caught:
        anonym.apply(telling, table.with_columns(dx=pl.format("{} in {}", "age", "zip")))
    assert attack_of(caught.value.evidence, "inference")["verdict"] == "fail"


def test_evidence_of_attacks_repeats_though_the_rows_are_shuffled(table: pl.DataFrame, policy: Any) -> None:
    policy["columns"]["dx"] = {"role": "sensitive", "l": {"distinct": 2}}
    loaded = Policy.load(policy | {"attacks": {"inference": {"max_advantage": 0.9}, "hold_out": 0.2}})
    runs = [anonym.apply(loaded, table) for _ in range(2)]
    assert not runs[0].data.collect().equals(runs[1].data.collect())
    assert runs[0].evidence["attacks"] == runs[1].evidence["attacks"]
    names = {attack["name"] for attack in runs[0].evidence["attacks"]}
    assert {"downcoding", "minimality of dx", "membership by distance"} <= names
    kept = anonym.apply(Policy.load(loaded.raw | {"order": "keep"}), table).evidence["attacks"]
    assert next(one for one in kept if one["name"] == "row order")["advantage"] > 0.5


def test_a_control_may_come_from_a_file(command: Run, table: pl.DataFrame, policy: Any) -> None:
    _files(table, policy, {"inference": {"max_advantage": 0.9}})
    people(300, seed=9).write_parquet("others.parquet")
    words = ("apply", "policy.yaml", "in.parquet", "-o", "out.parquet", "--control", "others.parquet", "--quiet")
    assert command(*words)[0] == 0
    found = evidence("out.report.json")
    assert (found["input"]["rows"], attack_of(found, "inference")["detail"]["control"]["targets"]) == (600, 300)
    assert "held_out_rows" not in found["input"]
    assert "worst group, by" in Path("out.report.html").read_text(encoding="utf-8")
    assert command(*words, "--hold-out", "0.1", "--force")[0] == 2
    _files(table, policy, {"inference": {"max_advantage": 0.9}, "control": "others.parquet"})
    assert command("apply", "policy.yaml", "in.parquet", "-o", "named.parquet", "--quiet")[0] == 0
    assert evidence("named.report.json")["attacks"] == found["attacks"]
    loaded = Policy.load(policy | {"attacks": {"inference": {"max_advantage": 0.9}}})
    assert anonym.apply(loaded, table, control=people(300, seed=9)).evidence["attacks"] == found["attacks"]


def people(n: int, seed: int) -> pl.DataFrame:
    draw = random.Random(seed)
    return pl.DataFrame(
        {
            "age": [draw.randint(18, 90) for _ in range(n)],
            "zip": [f"{draw.randint(100, 139)}{draw.randint(0, 9)}" for _ in range(n)],
            "dx": [draw.choice("aaabbcd") for _ in range(n)],
        }
    )


def test_a_gate_that_nothing_was_tried_for_is_no_pass(command: Run, table: pl.DataFrame, policy: Any) -> None:
    columns = {"id": {"role": "identifier"}, "dx": {"role": "sensitive"}, "plan": {"role": "drop"}}
    bare = {"anonym": 1, "columns": columns | {name: {"role": "drop"} for name in ("age", "zip")}}
    _files(table, bare, {"inference": {"max_advantage": 0.9}, "hold_out": 0.2})
    status, _, err = command("apply", "policy.yaml", "in.parquet", "-o", "out.parquet")
    assert status == 5
    assert "nothing was tried" in err
    assert not Path("out.parquet").exists()
