"""Batches: an earlier plan meets new values, a batch is judged with those before it, and folders' names hold values."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from cases.desk import AS_IS, SENSITIVE, Run, class_sizes, nothing_released, promise

Call = Callable[..., Run]
AGE = {"role": "quasi", "hierarchy": {"interval": [10, 50]}}
TOWN = {"role": "quasi", "hierarchy": "suppress"}


def _first(run: Call, policy: dict[str, Any], table: pl.DataFrame) -> Path:
    """The plan of a first release, which stands with it under another name."""
    table.write_parquet("first.parquet")
    done = run("apply", policy, "first.parquet", "--quiet")
    assert done.status == 0, done.err
    for path in Path().glob("out.*"):
        path.rename(path.name.replace("out", "earlier"))
    return Path("earlier.plan.json")


def test_values_that_a_plan_has_not_seen_are_suppressed_and_told_nowhere(run: Call) -> None:
    """A new age within a node that the plan lists is released; a new decade, a new town and a new null are not."""
    policy = promise({"age": AGE | {"finest": 1, "coarsest": 1}, "town": TOWN | {"coarsest": 0}}, 2, 1)
    plan = _first(run, policy, pl.DataFrame({"age": [31, 32, 41, 42], "town": ["A", "A", "B", "B"]}))
    rows = [(33, "A"), (39, "A"), (55, "A"), (56, "A"), (34, "canary"), (35, "canary"), (36, None), (37, None)]
    pl.DataFrame(rows, schema=["age", "town"], orient="row").write_parquet("second.parquet")
    done = run("apply", policy, "second.parquet", "--plan", plan, "--verbose")
    assert done.status == 0, done.err
    assert done.released.sort("age").rows() == [("30-39", "A")] * 2
    assert done.evidence["suppression"]["rows"] == 6
    assert "canary" not in done.said()
    assert b"canary" not in Path("out.parquet").read_bytes()


@pytest.mark.parametrize(("limit", "status"), [(0.5, 0), (0.49, 3)])
def test_what_a_plan_does_not_list_counts_towards_the_limit(run: Call, limit: float, status: int) -> None:
    policy = promise({"town": TOWN | {"coarsest": 0}}, 2, limit)
    plan = _first(run, policy, pl.DataFrame({"town": ["A", "A"]}))
    pl.DataFrame({"town": ["A", "A", "new", "new"]}).write_parquet("second.parquet")
    assert run("apply", policy, "second.parquet", "--plan", plan, "--quiet").status == status


def test_a_batch_under_a_plan_is_not_let_through_below_k(run: Call) -> None:
    """The plan's level was enough for the first batch; the second has too few of one class: they go."""
    policy = promise({"age": AGE}, 3, 0.4)
    plan = _first(run, policy, pl.DataFrame({"age": [30, 31, 32, 40, 41, 42]}))
    pl.DataFrame({"age": [30, 30, 33, 41, 42]}).write_parquet("second.parquet")
    done = run("apply", policy, "second.parquet", "--plan", plan, "--quiet")
    assert done.status == 0, done.err
    assert min(class_sizes(done.released, ["age"])) >= 3
    assert done.evidence["suppression"]["rows"] == 5 - done.released.height


def test_a_published_plan_names_no_value_that_too_few_share(run: Call) -> None:
    table = pl.DataFrame({"town": ["A"] * 3 + ["canary-town"] + ["B"] * 3, "age": [31, 32, 33, 99, 41, 42, 43]})
    policy = promise({"town": TOWN, "age": AGE}, 3, 0.2)
    table.write_parquet("in.parquet")
    done = run("apply", policy, "in.parquet", "--quiet")
    assert done.status == 0, done.err
    plan = Path("out.plan.json").read_text(encoding="utf-8")
    assert "canary" not in plan
    assert "99" not in json.dumps([column["nodes"] for column in json.loads(plan)["columns"]])


def test_a_plan_of_another_policy_is_refused(run: Call) -> None:
    plan = _first(run, promise({"town": TOWN}, 2), pl.DataFrame({"town": ["A", "A"]}))
    refused = run("apply", promise({"town": TOWN}, 3), "first.parquet", "--plan", plan)
    assert refused.status == 2


def _union(units: bool) -> dict[str, Any]:
    columns: dict[str, Any] = {"town": TOWN | {"coarsest": 0}, "s": SENSITIVE}
    if units:
        token = {"role": "identifier", "action": "pseudonym", "key": "env:ANONYM_KEY", "scope": "project"}
        return promise({"u": token, **columns}, 3, 0.5, unit="u", batch="union")
    return promise(columns, 3, 0.5, batch="union")


def test_one_row_joins_the_class_that_an_earlier_batch_began(run: Call) -> None:
    policy = _union(False)
    plan = _first(run, policy, pl.DataFrame({"town": ["A"] * 3 + ["B"] * 3, "s": list("abcabc")}))
    pl.DataFrame({"town": ["A", "B", "new"], "s": list("abc")}).write_parquet("second.parquet")
    done = run("apply", policy, "second.parquet", "--plan", plan, "--earlier", "earlier.parquet", "--quiet")
    assert done.status == 0, done.err
    assert sorted(done.released["town"]) == ["A", "B"]
    assert done.evidence["guarantee"]["k"]["achieved"] == 4
    assert done.evidence["batch"]["rows"] == 6
    assert run("check", policy, "out.parquet", "--earlier", "earlier.parquet", "--quiet").status == 0
    assert run("check", policy, "out.parquet", "--quiet").status == 3


def test_the_same_unit_in_two_batches_is_one(run: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three units are promised: two of the first batch and one of them again are two, a third unit makes three."""
    monkeypatch.setenv("ANONYM_KEY", "k" * 40)
    policy = _union(True)
    policy["guarantee"]["linkable"] = "for this test"
    first = pl.DataFrame({"u": ["a", "b", "c", "d", "e", "f"], "town": ["A"] * 3 + ["B"] * 3, "s": list("abcabc")})
    plan = _first(run, policy, first)
    pl.DataFrame({"u": ["a", "a", "g"], "town": ["A", "A", "B"], "s": list("abc")}).write_parquet("second.parquet")
    done = run("apply", policy, "second.parquet", "--plan", plan, "--earlier", "earlier.parquet", "--quiet")
    assert done.status == 0, done.err
    k = done.evidence["guarantee"]["k"]
    assert (k["rows"], k["units"]) == (4, 3)


@pytest.mark.parametrize("earlier", [[], ["second.parquet"]], ids=["none named", "one of another policy"])
def test_a_union_without_its_earlier_files_is_refused(run: Call, earlier: list[str]) -> None:
    policy = _union(False)
    plan = _first(run, policy, pl.DataFrame({"town": ["A"] * 3, "s": list("abc")}))
    pl.DataFrame({"town": ["A"], "other": ["a"]}).write_parquet("second.parquet")
    pl.DataFrame({"town": ["A"], "s": ["a"]}).write_parquet("third.parquet")
    words = [word for path in earlier for word in ("--earlier", path)]
    refused = run("apply", policy, "third.parquet", "--plan", plan, *words)
    assert refused.status in (2, 4), refused.err
    assert not Path("out.parquet").exists()


def _hive(values: list[str], rows: int = 3) -> Path:
    for value in values:
        folder = Path("in") / f"town={value}"
        folder.mkdir(parents=True)
        pl.DataFrame({"age": [31] * rows, "s": list("abcdefgh")[:rows]}).write_parquet(folder / "part.parquet")
    return Path("in")


def test_a_folders_value_is_generalised_like_any_other_and_named_nowhere(run: Call) -> None:
    folder = _hive(["canary", "A"], 2)
    policy = promise({"town": TOWN, "age": AGE | {"coarsest": 0}, "s": SENSITIVE}, 3)
    done = run("apply", policy, folder, "--verbose")
    assert done.status == 0, done.err
    assert done.released["town"].to_list() == ["*"] * 4
    assert "canary" not in done.said()
    assert b"canary" not in Path("out.parquet").read_bytes()


def test_an_identifier_in_a_folders_name_is_dropped(run: Call) -> None:
    folder = _hive(["canary-1", "canary-2"])
    policy = promise({"town": {"role": "identifier"}, "age": AGE, "s": SENSITIVE}, 3)
    done = run("apply", policy, folder, "--verbose")
    assert done.status == 0, done.err
    assert done.released.columns == ["age", "s"]
    assert "canary" not in done.said()


@pytest.mark.parametrize(
    ("name", "value"),
    [("__HIVE_DEFAULT_PARTITION__", None), ("S%C3%A3o%20Paulo", "São Paulo"), ("a%2Fb", "a/b"), ("007", "007")],
)
def test_what_a_folders_name_says(run: Call, name: str, value: str | None) -> None:
    folder = _hive([name])
    policy = promise({"town": TOWN | {"coarsest": 0}, "age": AGE, "s": SENSITIVE}, 3)
    done = run("apply", policy, folder, "--quiet")
    assert done.status == 0, done.err
    assert set(done.released["town"]) == {value}


def test_an_unlisted_partition_column_is_a_column_of_the_input(run: Call) -> None:
    folder = _hive(["canary"])
    refused = run("apply", promise({"age": AGE, "s": SENSITIVE}, 3), folder)
    assert refused.status == 4
    assert "town" in refused.err
    assert "canary" not in refused.said()
    nothing_released(refused, beside=("in",))


def test_batches_of_a_plan_release_a_value_alike(run: Call) -> None:
    """What was 30-39 in the first batch is 30-39 in the second, though it alone would have been released as it is."""
    policy = promise({"age": AGE, "s": SENSITIVE}, 3)
    plan = _first(run, policy, pl.DataFrame({"age": [31, 32, 33], "s": list("abc")}))
    pl.DataFrame({"age": [31] * 5, "s": list("abcde")}).write_parquet("second.parquet")
    done = run("apply", policy, "second.parquet", "--plan", plan, "--quiet")
    assert done.status == 0, done.err
    assert set(done.released["age"]) == {"30-39"}


@pytest.mark.parametrize(
    ("codes", "released"),
    [
        (["11201", "11202", "11299-1234", "94110"], ["112**"] * 3),  # one code as long as none before
        (["112", "1129", "94110", "94111"], ["112**", "112**", "941**", "941**"]),
        (["11201", "11202", None, None], ["112**", "112**"]),
        (["11201", "11202", "941", "9"], ["112**", "112**"]),
    ],
)
def test_prefixes_of_a_batch_read_as_in_the_plan_however_long_its_codes_are(
    run: Call, codes: list[str | None], released: list[str]
) -> None:
    codes_of = {"role": "quasi", "hierarchy": {"prefix": [3]}, "finest": 1, "coarsest": 1}
    policy = promise({"code": codes_of}, 2, 0.5)
    plan = _first(run, policy, pl.DataFrame({"code": ["11201", "11202", "94110", "94111"]}))
    pl.DataFrame({"code": codes}).write_parquet("second.parquet")
    done = run("apply", policy, "second.parquet", "--plan", plan, "--quiet")
    assert done.status == 0, done.err
    assert sorted(done.released["code"]) == released
    assert run("verify", Path("out.report.json"), "--original", "second.parquet", "--quiet").status == 0


def test_two_columns_of_one_name_are_refused_in_every_format(run: Call) -> None:
    """JSON lines included, where the later of two equal keys would win unseen."""
    Path("in.csv").write_text("ssn,q,ssn\n1,x,canary\n1,x,canary\n", encoding="utf-8")
    Path("in.jsonl").write_text('{"ssn": 1, "q": "x", "ssn": "canary"}\n' * 2, encoding="utf-8")
    policy = promise({"ssn": {"role": "identifier"}, "q": AS_IS}, 2)
    for name in ("in.csv", "in.jsonl"):
        refused = run("apply", policy, name, "--verbose")
        assert refused.status == 4, name
        assert "ssn" in refused.err
        assert "canary" not in refused.said()
