"""`batch: union`: what one batch alone could not release, two together can; k, l and t hold over both, counted anew."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

from anonym.errors import PolicyError
from anonym.policy import Policy
from anonym.report.evidence import validate

Run = Callable[..., tuple[int, str, str]]
K = 5
FIRST = ("apply", "policy.yaml", "first.parquet", "-o", "a.parquet", "--quiet")
SECOND = ("apply", "policy.yaml", "second.parquet", "-o", "b.parquet", "--quiet", "--plan", "a.plan.json")
JOINTLY = (*SECOND, "--earlier", "a.parquet")


@pytest.fixture
def union(policy: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setenv("ANONYM_TEST_KEY", "0123456789abcdef0123456789abcdef")
    policy["guarantee"]["suppression"]["max"] = 0.3
    return policy | {"batch": "union", "search": {"strategy": "global"}}


def _by_unit(policy: dict[str, Any]) -> dict[str, Any]:
    token = {"role": "identifier", "action": "pseudonym", "key": "env:ANONYM_TEST_KEY", "scope": "project"}
    guarantee = policy["guarantee"] | {"linkable": "the recipient follows people over months"}
    return policy | {"unit": "id", "columns": policy["columns"] | {"id": token}, "guarantee": guarantee}


def _write(policy: dict[str, Any], first: pl.DataFrame, second: pl.DataFrame) -> None:
    Path("policy.yaml").write_text(yaml.safe_dump(policy), encoding="utf-8")
    first.write_parquet("first.parquet")
    second.write_parquet("second.parquet")


def _classes(*names: str) -> Counter[tuple[Any, ...]]:
    return Counter(row for name in names for row in pl.read_parquet(name).select("age", "zip").iter_rows())


def test_classes_that_are_small_alone_hold_together(command: Run, table: pl.DataFrame, union: Any) -> None:
    _write(union, table.head(520), table.tail(80))
    assert command(*FIRST)[0] == 0
    status, _, err = command(*SECOND)
    assert (status, "--earlier" in err) == (2, True), "a later batch is never judged alone under union"
    assert command(*JOINTLY) == (0, "", "")
    alone, joint, before = _classes("b.parquet"), _classes("a.parquet", "b.parquet"), _classes("a.parquet")
    assert min(alone.values()) < K <= min(joint.values())
    evidence = json.loads(Path("b.report.json").read_text())
    assert validate(evidence) == []
    assert evidence["guarantee"]["k"]["achieved"] == min(joint.values())
    assert evidence["classes"]["count"] == len(joint)
    assert evidence["output"]["rows"] == sum(alone.values())
    assert (evidence["batch"]["files"], evidence["batch"]["rows"]) == (1, sum(before.values()))
    assert any("released before" in limit for limit in evidence["limits"])
    assert any("nobody may have rows in two" in limit for limit in evidence["limits"])
    gone = evidence["suppression"]["rows"]
    assert gone == 80 - sum(alone.values())
    assert evidence["suppression"]["rate"] == gone / 80
    assert 0 < evidence["loss"]["ncp"] < 1


def test_every_row_that_can_be_released_is(command: Run, table: pl.DataFrame, union: Any) -> None:
    """By hand: a row of the batch stays if, and only if, its class has k rows over both."""
    _write(union | {"order": "keep"}, table.head(520), table.tail(80))
    command(*FIRST)
    assert command(*JOINTLY)[0] == 0
    levels = json.loads(Path("a.report.json").read_text())["search"]["levels"]
    everything = union | {"order": "keep", "batch": "own", "guarantee": {"k": 1, "suppression": {"max": 0}}}
    for name in ("age", "zip"):
        everything["columns"][name] |= {"finest": levels[name], "coarsest": levels[name]}
    import anonym

    labels = anonym.apply(everything, table.tail(80)).data.collect().select("age", "zip", "dx")
    sizes = _classes("a.parquet") + Counter(labels.select("age", "zip").iter_rows())
    listed = {row["name"]: set(row["nodes"]) for row in json.loads(Path("a.plan.json").read_text())["columns"]}
    expected = [
        row
        for row in labels.iter_rows(named=True)
        if sizes[row["age"], row["zip"]] >= K and row["age"] in listed["age"] and row["zip"] in listed["zip"]
    ]
    assert pl.read_parquet("b.parquet").select("age", "zip", "dx").to_dicts() == expected


def test_a_unit_counts_once_over_all_files(command: Run, table: pl.DataFrame, union: Any) -> None:
    """The batch is of people of the first: k rows of theirs more are nobody more."""
    policy = _by_unit(union)
    first = table.head(520)
    _write(policy, first, pl.concat([first.head(40), table.tail(40)]))
    assert command(*FIRST)[0] == 0
    assert command(*JOINTLY)[0] == 0
    people = defaultdict(set)
    for name in ("a.parquet", "b.parquet"):
        for age, zip_, token in pl.read_parquet(name).select("age", "zip", "id").iter_rows():
            people[age, zip_].add(token)
    evidence = json.loads(Path("b.report.json").read_text())
    assert evidence["guarantee"]["k"]["units"] == min(map(len, people.values())) >= K
    assert evidence["guarantee"]["k"]["counted"] == "units"
    assert not any("nobody may have rows in two" in limit for limit in evidence["limits"])
    assert evidence["guarantee"]["k"]["rows"] == min(_classes("a.parquet", "b.parquet").values())
    assert command("check", "policy.yaml", "b.parquet", "--earlier", "a.parquet", "--quiet") == (0, "", "")


def test_units_named_under_another_key_are_refused(
    command: Run, table: pl.DataFrame, union: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each would count twice, once under each name."""
    _write(_by_unit(union), table.head(520), table.tail(80))
    assert command(*FIRST)[0] == 0
    Path("lone.parquet").write_bytes(Path("a.parquet").read_bytes())
    status, _, err = command(*SECOND, "--earlier", "lone.parquet")
    assert (status, "its plan, lone.plan.json, is not beside it" in err) == (4, True)
    Path("lone.plan.json").write_text("no plan")
    assert command(*SECOND, "--earlier", "lone.parquet")[0] == 2
    monkeypatch.setenv("ANONYM_TEST_KEY", "fedcba9876543210fedcba9876543210")
    assert command(*FIRST[:3], "-o", "other.parquet", "--quiet")[0] == 0
    monkeypatch.setenv("ANONYM_TEST_KEY", "0123456789abcdef0123456789abcdef")
    status, _, err = command(*SECOND, "--earlier", "other.parquet")
    assert (status, "released under another key" in err) == (4, True)
    assert not Path("b.parquet").exists()


def test_l_and_t_hold_over_both(command: Run, table: pl.DataFrame, union: Any) -> None:
    union["columns"]["dx"] |= {"l": {"distinct": 2}, "t": {"max": 0.45, "distance": "equal"}}
    union["guarantee"]["suppression"]["max"] = 0.6
    _write(union, table.head(500), table.tail(100))
    assert command(*FIRST)[0] == 0
    assert command(*JOINTLY)[0] == 0
    both = pl.concat([pl.read_parquet("a.parquet"), pl.read_parquet("b.parquet")])
    total = Counter(both["dx"])
    distances, distinct = [], []
    for _, part in both.group_by("age", "zip"):
        here = Counter(part["dx"])
        distances.append(sum(abs(here[dx] / part.height - total[dx] / both.height) for dx in total) / 2)
        distinct.append(len(here))
    guarantee = json.loads(Path("b.report.json").read_text())["guarantee"]
    assert guarantee["t"]["dx"]["achieved"] == pytest.approx(max(distances), abs=1e-8)
    assert guarantee["t"]["dx"]["achieved"] <= 0.45
    assert guarantee["l"]["dx"]["achieved"] == min(distinct) >= 2


def test_verbs_that_read_a_release_read_it_with_those_before(command: Run, table: pl.DataFrame, union: Any) -> None:
    _write(union, table.head(520), table.tail(80))
    command(*FIRST)
    command(*JOINTLY)
    assert command("check", "policy.yaml", "b.parquet", "--quiet")[0] == 3
    status, said, _ = command("check", "policy.yaml", "b.parquet", "--earlier", "a.parquet", "--json")
    evidence, reported = json.loads(said), json.loads(Path("b.report.json").read_text())
    assert (status, evidence["batch"]) == (0, reported["batch"])
    assert "together with 1 file released before" in evidence["verdict"]["sentence"]
    verify = ("verify", "b.report.json", "--original", "second.parquet", "--quiet")
    assert "--earlier" in command(*verify)[2]
    assert command(*verify, "--earlier", "a.parquet") == (0, "", "")
    rebuilt = ("rederive", "b.report.json", "second.parquet", "-o", "c.parquet", "--quiet")
    assert "--earlier" in command(*rebuilt)[2]
    assert command(*rebuilt, "--earlier", "a.parquet") == (0, "", "")
    table.head(300).write_parquet("first.parquet")
    assert command("apply", "policy.yaml", "first.parquet", "-o", "d.parquet", "--quiet")[0] == 0
    status, _, err = command(*verify, "--earlier", "d.parquet")
    assert (status, "together with 1 file released" in err) == (2, True), "not the earlier file of the report"
    status, _, err = command("verify", "d.report.json", "--earlier", "a.parquet")
    assert (status, "was judged alone" in err) == (2, True)


def test_what_cannot_be_united_is_refused(command: Run, table: pl.DataFrame, union: Any) -> None:
    _write(union, table.head(520), table.tail(80))
    command(*FIRST)
    status, _, err = command(*FIRST[:3], "-o", "b.parquet", "--earlier", "a.parquet")
    assert (status, "--plan" in err) == (2, True)
    Path("copy.parquet").write_bytes(Path("a.parquet").read_bytes())
    status, _, err = command(*JOINTLY, "--earlier", "copy.parquet")
    assert (status, "name each once" in err) == (2, True), "its rows would count double"
    assert "name each once" in command("check", "policy.yaml", "a.parquet", "--earlier", "copy.parquet")[2]
    for other in (pl.col("*").exclude("plan"), (pl.col("*"), pl.lit("canary").alias("more"))):
        pl.read_parquet("a.parquet").select(other).write_parquet("other.parquet")
        status, _, err = command(*SECOND, "--earlier", "other.parquet")
        assert (status, "has other columns" in err) == (4, True)
        status, _, err = command("check", "policy.yaml", "a.parquet", "--earlier", "other.parquet")
        assert (status, "has other columns" in err) == (4, True)
    strange = pl.read_parquet("a.parquet").with_columns(age=pl.lit("canary"))
    strange.write_parquet("other.parquet")
    status, _, err = command(*SECOND, "--earlier", "other.parquet")
    assert (status, "labels in column age that the plan does not list" in err, "canary" in err) == (4, True, False)
    status, _, err = command(*JOINTLY, "-o", "a.parquet", "--force")
    assert (status, "one of the inputs" in err) == (2, True)
    _write(union | {"batch": "own"}, table.head(520), table.tail(80))
    status, _, err = command(*FIRST[:3], "-o", "b.parquet", "--earlier", "a.parquet")
    assert (status, "batch: union" in err) == (2, True)
    assert not Path("b.parquet").exists()


def _with(policy: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    *above, last = path.split(".")
    part = policy
    for key in above:
        part = part.setdefault(key, {})
    part[last] = value
    return policy


@pytest.mark.parametrize(
    ("path", "value", "fault"),
    [
        ("columns.age.form", "bounds", "columns.age.form: expected label"),
        ("columns.dx", {"role": "sensitive", "bins": {"interval": [5]}}, "columns.dx.bins: not with batch: union"),
        ("unit", "id", "unit: with batch: union a unit is counted once"),
        ("unit", "id", "guarantee.linkable: required with batch: union"),
    ],
)
def test_policies_that_no_union_can_keep_are_refused(union: Any, path: str, value: Any, fault: str) -> None:
    with pytest.raises(PolicyError, match=fault):
        Policy.load(_with(union, path, value))
    assert Policy.load(_by_unit(union) if path == "unit" else union | {"batch": "own"})
