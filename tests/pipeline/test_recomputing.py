"""`verify` and `diff`: an untouched report holds in every number, and every change is told."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

from anonym.pipeline import made_again, told_by_files
from anonym.pipeline.recomputing import recompute
from anonym.pipeline.told_by_files import Named
from anonym.report.difference import leaves, weaker
from anonym.report.evidence import validate

Run = Callable[..., tuple[int, str, str]]
NOTHING: dict[str, Any] = {
    "guarantee": {"k": None, "l": {}, "t": {}},
    "columns": [],
    "attacks": [],
    "recall": None,
    "training": None,
}
KEY = "0123456789abcdef0123456789abcdef"


def _write(policy: dict[str, Any], name: str = "policy.yaml") -> None:
    Path(name).write_text(yaml.safe_dump(policy, sort_keys=False), encoding="utf-8")


@pytest.fixture(params=["global", "local"])
def released(
    request: pytest.FixtureRequest,
    command: Run,
    table: pl.DataFrame,
    policy: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> Run:
    monkeypatch.setenv("ANONYM_TEST_KEY", KEY)
    policy["columns"]["id"] = {"role": "identifier", "action": "pseudonym", "key": "env:ANONYM_TEST_KEY"}
    policy["columns"]["dx"] = {
        "role": "sensitive",
        "l": {"distinct": 2},
        "t": {"max": 0.7, "distance": "equal"},
    }
    policy["search"] = {"strategy": request.param}
    table.write_parquet("in.parquet")
    _write(policy)
    assert command("apply", "policy.yaml", "in.parquet", "-o", "out.parquet", "--quiet") == (0, "", "")
    return command


def _wrong() -> set[str]:
    return {line.path for line in recompute(Path("out.report.json")) if line.status == "differs"}


def test_every_number_of_an_untouched_report_holds(released: Run) -> None:
    status, said, _ = released("verify", "out.report.json", "--original", "in.parquet")
    assert status == 0
    assert "0 do not" in said
    assert "not recomputed" not in said
    alone = json.loads(released("verify", "out.report.json", "--json")[1])
    known = {line["path"] for line in alone if line["status"] == "holds"}
    assert {"guarantee.k.achieved", "guarantee.t.dx.achieved", "output.digest", "suppression.rows"} <= known
    assert {line["status"] for line in alone} == {"holds", "not recomputed", "only recorded"}
    of_run = {line["path"].split(".")[0] for line in alone if line["status"] == "only recorded"}
    assert of_run == {"environment", "input"}


def test_a_policy_may_name_its_columns_in_another_order(released: Run, policy: dict[str, Any]) -> None:
    policy["columns"] = dict(reversed(policy["columns"].items()))
    _write(policy, "turned.yaml")
    assert released("apply", "turned.yaml", "in.parquet", "-o", "out.parquet", "--quiet", "--force")[0] == 0
    assert _wrong() == set()


def test_the_report_of_no_rows_holds(command: Run, table: pl.DataFrame, policy: dict[str, Any]) -> None:
    table.clear().write_parquet("in.parquet")
    _write(policy)
    assert command("apply", "policy.yaml", "in.parquet", "-o", "out.parquet", "--quiet") == (0, "", "")
    assert command("verify", "out.report.json", "--quiet") == (0, "", "")
    assert command("verify", "out.report.json", "--quiet", "--original", "in.parquet") == (0, "", "")


def test_every_changed_number_is_told(released: Run) -> None:
    """Each number of the report in turn, but for what a run took, is made wrong."""
    report = Path("out.report.json")
    text = report.read_text()
    again = {line.path: line.found for line in recompute(report, Named(original=[Path("in.parquet")]))}
    for path, wrong in (
        (("guarantee", "k", "achieved"), 6),
        (("guarantee", "l", "dx", "achieved"), 3),
        (("classes", "count"), 1),
        (("risk", "marketer"), 0.0001),
        (("suppression", "rows"), 7000),
        (("loss", "ncp"), 0.0001),
        (("loss", "discernibility"), 1),
        (("input", "rows"), 599),
        (("input", "digest"), "0" * 64),
        (("search", "bound"), 0.5),
    ):
        changed = json.loads(text)
        part = changed
        for key in path[:-1]:
            part = part[key]
        assert part[path[-1]] != wrong
        part[path[-1]] = wrong
        report.write_text(json.dumps(changed))
        lines = {line.path: line for line in recompute(report, Named(original=[Path("in.parquet")]))}
        assert lines[".".join(path)].status == "differs", path
        assert lines[".".join(path)].found == again[".".join(path)]


def _places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if parts is None:
        yield place, value
    else:
        for key, item in parts:
            yield from _places(item, (*place, key))


def _bumped(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    return value * 0.5 + 0.125 if isinstance(value, float) else value + 1


def _once(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which finds the same each time."""
    found: list[Any] = []

    def again(*given: Any, **named: Any) -> Any:
        found[:] = found or [function(*given, **named)]
        return found[0]

    return again


@pytest.mark.parametrize("original", [[], [Path("in.parquet")]], ids=["alone", "original"])
@pytest.mark.parametrize("released", ["global"], indirect=True)
def test_no_changed_figure_is_called_right(
    released: Run, original: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbers and flags in turn differ; without the original, or it is said that they were not recomputed. A soak tries
    all of them, else every fourth."""
    report = Path("out.report.json")
    for module, name in ((told_by_files, "check_file"), (made_again, "make"), (made_again, "_same_rows")):
        monkeypatch.setattr(module, name, _once(getattr(module, name)))
    good = json.loads(report.read_text())
    tried = 0
    places = [place for place, value in _places(good) if isinstance(value, int | float)]
    for place in places if os.environ.get("ANONYM_SOAK") else places[1::4]:
        changed = copy.deepcopy(good)
        part = changed
        for key in place[:-1]:
            part = part[key]
        part[place[-1]] = _bumped(part[place[-1]])
        report.write_text(json.dumps(changed))
        if place[0] == "environment" or validate(changed):
            continue
        tried += 1
        lines, told = recompute(report, Named(original=original)), dict(leaves(good))
        moved = {path for path, value in leaves(changed) if told.get(path) != value}
        wrong = any(line.status == "differs" for line in lines)
        unknown = {line.status for line in lines if line.path in moved} == {"not recomputed"}
        assert wrong or (unknown and not original), place
    assert tried > 15


def test_a_changed_cell_and_a_removed_row_are_told(released: Run) -> None:
    good = pl.read_parquet("out.parquet")
    good.head(-1).write_parquet("out.parquet")
    assert {"output.rows", "output.digest", "environment.files.release"} <= _wrong()
    changed = good.with_columns(dx=pl.when(pl.int_range(pl.len()) == 0).then(pl.lit("zz")).otherwise("dx"))
    changed.write_parquet("out.parquet")
    assert {"output.digest", "environment.files.release"} <= _wrong()
    assert "output.rows" not in _wrong()
    status, _, said = released("verify", "out.report.json")
    assert status == 3
    assert "do not hold" in said


@pytest.mark.parametrize("original", [[], [Path("in.parquet")]])
def test_a_line_put_into_the_limits_or_the_verdict_is_told(released: Run, original: list[Path]) -> None:
    report = Path("out.report.json")
    changed = json.loads(report.read_text())
    changed["limits"].append("Everything is fine.")
    changed["verdict"]["reasons"].append("it is")
    report.write_text(json.dumps(changed))
    wrong = {line.path for line in recompute(report, Named(original=original)) if line.status != "holds"}
    assert {
        f"limits.{len(changed['limits']) - 1}",
        f"verdict.reasons.{len(changed['verdict']['reasons']) - 1}",
    } <= wrong


def test_items_of_one_name_are_told_apart() -> None:
    attacks = [{"name": "linkage", "rate": 0.1}, {"name": "linkage", "rate": 0.2}, {"name": "inference", "rate": 0.3}]
    found = dict(leaves({"attacks": attacks}))
    assert sorted(found.values(), key=str) == [0.1, 0.2, 0.3, "inference", "linkage", "linkage"]
    assert found["attacks.inference.rate"] == 0.3


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ({"c": 3.0, "l": 2}, {"c": 4.0, "l": 2}, ["l of dx: achieved (c 3, l 2), now (c 4, l 2)"]),
        ({"c": 3.0, "l": 2}, {"c": None, "l": 2}, ["l of dx: achieved (c 3, l 2), now (c unbounded, l 2)"]),
        ({"c": 3.0, "l": 2}, {"c": 9.0, "l": 3}, []),
        (2, 3, []),
        (3, 2, ["l of dx: achieved 3, now 2"]),
        (4.0, 2.5, ["l of dx: achieved 4, now 2.5"]),
        (3, None, ["l of dx: achieved 3, now nothing"]),
        ({"c": 3.0, "l": 2}, 4, ["l of dx: achieved (c 3, l 2), now 4"]),
    ],
)
def test_what_is_weaker_in_l(old: Any, new: Any, said: list[str]) -> None:
    assert (
        weaker(*({**NOTHING, "guarantee": {"k": None, "l": {"dx": {"achieved": one}}, "t": {}}} for one in (old, new)))
        == said
    )


def test_what_is_weaker_in_recall_and_training() -> None:
    def evidence(low: float | None, epsilon: float | None, unit: str = "person") -> dict[str, Any]:
        recall = None if low is None else {"overall": {"low": low}}
        return {**NOTHING, "recall": recall, "training": epsilon and {"unit": unit, "epsilon": epsilon}}

    assert weaker(evidence(0.9, 2.0), evidence(0.8, 3.0)) == [
        "recall: at least 0.9, now at least 0.8",
        "training: epsilon 2.0, now 3.0",
    ]
    assert weaker(evidence(0.9, None), evidence(None, 1.0)) == [
        "recall: measured, now not",
        "training: epsilon none, now 1.0",
    ]
    assert weaker(evidence(0.8, 3.0), evidence(0.9, 2.0)) == []
    assert weaker(evidence(0.8, 3.0), evidence(0.8, 3.0, "row")) == ["training: the unit was person, now row"]


def test_another_policy_is_told(released: Run, policy: dict[str, Any]) -> None:
    policy["guarantee"]["k"] = 4
    _write(policy, "other.yaml")
    status, said, error = released("verify", "out.report.json", "--policy", "other.yaml")
    assert status == 3
    assert "policy.sha256" in said
    assert "policy.sha256" in error


def test_what_is_missing_is_asked_for(released: Run) -> None:
    Path("policy.yaml").rename("policy.txt")
    status, _, said = released("verify", "out.report.json")
    assert (status, "name it with --policy" in said) == (2, True)
    Path("policy.txt").rename("policy.yaml")
    Path("out.parquet").rename("moved.parquet")
    status, _, said = released("verify", "out.report.json")
    assert (status, "name it with --release" in said) == (2, True)
    assert released("verify", "out.report.json", "--release", "moved.parquet", "--quiet") == (0, "", "")
    assert released("verify", "in.parquet")[0] == 4
    assert released("verify", "none.report.json")[0] == 4


def test_two_reports_side_by_side(released: Run, policy: dict[str, Any]) -> None:
    status, said, _ = released("diff", "out.report.json", "out.report.json", "--gate")
    assert (status, said) == (0, "nothing changed\n")
    policy["guarantee"]["k"] = 3
    policy["columns"]["zip"] = {"role": "keep", "allow_unique": "for the test"}
    _write(policy)
    assert released("apply", "policy.yaml", "in.parquet", "-o", "weak.parquet", "--quiet")[0] == 0
    status, said, error = released("diff", "out.report.json", "weak.report.json", "--gate")
    assert status == 3
    assert "weaker   k: required 5, now 3" in said
    assert "column zip is keep, before: quasi" in error
    assert "weaker   k" not in released("diff", "weak.report.json", "out.report.json")[1]
    told = json.loads(released("diff", "out.report.json", "weak.report.json", "--json")[1])
    assert told["changes"][0]["path"].startswith("guarantee")
