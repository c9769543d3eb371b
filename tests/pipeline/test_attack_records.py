"""Attacks run later: written to a file, taken up into evidence of their own, and verified with it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

from anonym.pipeline.attack_records import read_record
from anonym.pipeline.recomputing import recompute
from anonym.pipeline.told_by_files import Named
from anonym.report.evidence import complete, dump, reopened, validate
from anonym.report.gates import gates
from anonym.report.limits import ATTACKS

Run = Callable[..., tuple[int, str, str]]
REPORT, LATER = Path("out.report.json"), Path("out.attacked.report.json")


@pytest.fixture
def attacked(command: Run, table: pl.DataFrame, policy: dict[str, Any]) -> Run:
    """A release whose attacks were run later, and taken up."""
    table.write_parquet("in.parquet")
    Path("policy.yaml").write_text(yaml.safe_dump(policy), encoding="utf-8")
    assert command("apply", "policy.yaml", "in.parquet", "-o", "out.parquet", "--quiet") == (0, "", "")
    call = ("attack", "policy.yaml", "out.parquet", "--original", "in.parquet", "-o", "attacks.json", "--quiet")
    assert command(*call)[0] in (0, 3, 5)
    assert command("report", REPORT, "--attacks", "attacks.json", "--quiet") == (0, "", "")
    return command


def _wrong(**named: Any) -> set[str]:
    return {line.path for line in recompute(LATER, Named(**named)) if line.status == "differs"}


def test_later_attacks_are_in_evidence_of_their_own_and_the_first_stays_as_it_was(attacked: Run) -> None:
    before, after = json.loads(REPORT.read_text()), json.loads(LATER.read_text())
    assert validate(after) == []
    assert "later" not in before
    assert ATTACKS in before["limits"]
    assert ATTACKS not in after["limits"]
    [run] = after["later"]
    record = read_record(Path("attacks.json"))
    assert run["attacks"] == record["attacks"]
    assert {one["name"] for one in run["attacks"]} >= {"uniqueness (prosecutor)", "linkage"}
    assert run["rows"] == {"original": 600}
    assert run["release"] == after["environment"]["files"]["release"]
    same = {key for key in before if before[key] == after[key]}
    assert set(before) - same <= {"limits", "environment", "verdict"}
    page = LATER.with_suffix(".html").read_text()
    assert "Run later on the released file" in page
    assert "original of 600 rows" in page
    assert [gate.name for gate in gates(after) if gate.rule == "attack"] == [one["name"] for one in run["attacks"]]


def test_an_untouched_report_with_later_attacks_holds(attacked: Run) -> None:
    lines = {line.path: line.status for line in recompute(LATER, Named(original=[Path("in.parquet")]))}
    assert "differs" not in lines.values()
    assert {lines[path] for path in lines if path.startswith(("later", "environment.files", "page"))} == {"holds"}
    assert attacked("verify", LATER, "--quiet", "--original", "in.parquet") == (0, "", "")


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("attacks", 0, "correct"), 0),
        (("attacks", 0, "targets"), 7),
        (("attacks", 0, "rate"), 0.001),
        (("attacks", 0, "verdict"), None),
        (("attacks", 0, "name"), "linkage of nobody"),
        (("rows", "original"), 1),
        (("options", "targets"), "1"),
        (("release",), "0" * 64),
        (("policy",), "0" * 64),
    ],
    ids=lambda one: ".".join(map(str, one)) if isinstance(one, tuple) else "",
)
def test_a_changed_figure_of_a_later_attack_is_told(attacked: Run, place: tuple[Any, ...], value: Any) -> None:
    changed = json.loads(LATER.read_text())
    part = changed["later"][0]
    for key in place[:-1]:
        part = part[key]
    assert part[place[-1]] != value
    part[place[-1]] = value
    LATER.write_text(json.dumps(changed))
    assert any(path.startswith("later.0") for path in _wrong())


def test_a_removed_attack_is_told_and_so_is_an_invented_one(attacked: Run) -> None:
    text = LATER.read_text()
    changed = json.loads(text)
    gone = changed["later"][0]["attacks"].pop(0)
    LATER.write_text(json.dumps(changed))
    assert f"later.0.attacks.{gone['name']}.rate" in _wrong()
    changed = json.loads(text)
    changed["later"][0]["attacks"].append(gone | {"name": "an attack that was never run"})
    LATER.write_text(json.dumps(changed))
    assert "later.0.attacks.an attack that was never run.targets" in _wrong()


def test_another_release_or_results_file_is_told(attacked: Run) -> None:
    pl.read_parquet("out.parquet").reverse().write_parquet("out.parquet")
    assert {"later.0.release", "environment.files.release"} <= _wrong()


def test_results_that_are_not_at_hand_are_asked_for(attacked: Run) -> None:
    Path("attacks.json").rename("moved")
    status, said, _ = attacked("verify", LATER)
    assert status == 0
    assert "without --attacks" in said
    assert attacked("verify", LATER, "--quiet", "--attacks", "moved") == (0, "", "")
    changed = json.loads(Path("moved").read_text())
    changed["attacks"][0]["correct"] = 0.0
    Path("moved").write_text(json.dumps(changed))
    assert "without --attacks" in attacked("verify", LATER, "--attacks", "moved")[1]  # by its hash another file


def test_a_failing_later_attack_is_the_verdict(attacked: Run) -> None:
    facts = reopened(json.loads(LATER.read_text()))
    one = facts["later"][0]["attacks"][0]
    one |= {"verdict": "fail", "rate": 0.5, "detail": {"gate": {"limit": 0.2, "measure": "rate"}}}
    verdict = complete(facts)["verdict"]
    assert verdict["holds"] is False
    assert f"attack {one['name']}: success 50 %, over its limit of 20 %" in verdict["reasons"]
    one |= {"advantage": 0.5, "detail": {"gate": {"limit": 0.1, "measure": "advantage"}}}
    [reason] = complete(facts)["verdict"]["reasons"]
    assert reason == f"attack {one['name']}: advantage 0.5 over the control, beyond its limit of 0.1"


def test_what_does_not_belong_together_is_refused(attacked: Run, policy: dict[str, Any]) -> None:
    record = Path("attacks.json").read_text()
    for key, said in (("release", "another file than the release"), ("policy", "another policy")):
        Path("strange.json").write_text(json.dumps(json.loads(record) | {key: "0" * 64}))
        status, _, error = attacked("report", REPORT, "--attacks", "strange.json", "--force")
        assert (status, said in error) == (2, True)
    twice = ("report", REPORT, "--attacks", "attacks.json", "--attacks", "attacks.json", "--force")
    assert "name each file once" in attacked(*twice)[2]
    assert attacked("report", REPORT, "--attacks", "policy.yaml", "--force")[0] == 4
    Path("strange.json").write_text("{}")
    assert attacked("report", REPORT, "--attacks", "strange.json", "--force")[0] == 4


def test_nothing_is_replaced_unasked_and_the_evidence_given_never(attacked: Run) -> None:
    text = REPORT.read_text()
    assert attacked("report", REPORT, "--attacks", "attacks.json")[0] == 2
    assert attacked("attack", "policy.yaml", "out.parquet", "-o", "attacks.json")[0] == 2
    status, _, error = attacked("report", REPORT, "--attacks", "attacks.json", "-o", "out.report.html", "--force")
    assert (status, "would replace the one it is made of" in error) == (2, True)
    assert REPORT.read_text() == text
    assert "uniqueness" in attacked("report", REPORT, "--attacks", "attacks.json", "--format", "markdown")[1]


def test_what_was_said_of_a_file_alone_stays_said(attacked: Run) -> None:
    """Reopened and completed again, evidence is as before: also reasons and limits that do not follow from figures."""
    for text in (REPORT.read_text(), LATER.read_text()):
        assert dump(complete(reopened(json.loads(text)))) == text
    pl.read_parquet("out.parquet").with_columns(id=pl.lit("x")).write_parquet("left.parquet")
    status, text, _ = attacked("check", "policy.yaml", "left.parquet", "--json")
    found = json.loads(text)
    assert status == 3
    again = complete(reopened({key: part for key, part in found.items() if key != "holds"}))
    assert again["verdict"]["reasons"] == found["verdict"]["reasons"]
    assert again["limits"] == found["limits"]
