"""Structs of the input declared flat: every field is a column, in the release and where it is verified."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

import anonym
from anonym.errors import InputError, PolicyError

Run = Callable[..., tuple[int, str, str]]

POLICY: dict[str, Any] = {
    "anonym": 1,
    "input": {"flatten": ["address"]},
    "columns": {
        "id": {"role": "identifier"},
        "address.city": {"role": "quasi", "hierarchy": "suppress"},
        "address.zip": {"role": "quasi", "hierarchy": {"prefix": [3]}},
        "address.geo.lat": {"role": "quasi", "hierarchy": {"round": [0]}, "form": "bounds"},
        "address.tags": {"role": "drop"},
        "dx": {"role": "sensitive", "l": {"distinct": 2}},
    },
    "guarantee": {"k": 4, "suppression": {"max": 0.1}},
}


def table(rows: int = 60) -> pl.DataFrame:
    addresses = [
        None
        if i % 10 == 9
        else {"city": "ab"[i % 2], "zip": f"1011{i % 5}", "geo": {"lat": 50 + i % 4 / 10}, "tags": ["x"]}
        for i in range(rows)
    ]
    return pl.DataFrame(
        {"id": [f"canary-{i}" for i in range(rows)], "address": addresses, "dx": list("fgh") * (rows // 3)}
    )


RELEASED = {
    "address.city": pl.String(),
    "address.zip": pl.String(),
    "address.geo.lat_low": pl.Float64(),
    "address.geo.lat_high": pl.Float64(),
    "dx": pl.String(),
}


def write(frame: pl.DataFrame, name: str) -> None:
    {"parquet": frame.write_parquet, "jsonl": frame.write_ndjson, "arrow": frame.write_ipc}[name.rpartition(".")[2]](
        name
    )


@pytest.mark.parametrize("name", ["in.parquet", "in.jsonl", "in.arrow"])
def test_fields_are_released_checked_and_verified(command: Run, name: str) -> None:
    Path("policy.yaml").write_text(yaml.safe_dump(POLICY), encoding="utf-8")
    write(table(), name)
    assert command("apply", "policy.yaml", name, "-o", "out.parquet", "--quiet") == (0, "", "")
    released = pl.read_parquet("out.parquet")
    assert dict(released.schema) == RELEASED
    assert released["address.city"].null_count() == 6
    assert command("check", "policy.yaml", "out.parquet", "--quiet")[0] == 0
    assert command("verify", "out.report.json", "--original", name, "--quiet")[0] == 0


def test_a_field_of_another_input_is_noticed(command: Run) -> None:
    Path("policy.yaml").write_text(yaml.safe_dump(POLICY), encoding="utf-8")
    write(table(), "in.parquet")
    moved = pl.col("address").struct.with_fields(pl.field("zip").str.replace("101", "909"))
    write(table().with_columns(moved), "other.parquet")
    assert command("apply", "policy.yaml", "in.parquet", "-o", "out.parquet", "--quiet")[0] == 0
    status, out, _ = command("verify", "out.report.json", "--original", "other.parquet")
    assert status != 0
    assert "address.zip" in out


def test_frames_are_flattened_too_and_attacked_as_such() -> None:
    release = anonym.apply(POLICY, table())
    assert dict(release.data.collect_schema()) == RELEASED
    results = anonym.attack(POLICY, release.data, original=table())
    linked = next(result for result in results if result.name.startswith("linkage"))
    assert linked.knows
    assert anonym.check(POLICY, release.data).holds


REFUSED: dict[str, tuple[dict[str, Any], pl.DataFrame, str]] = {
    "a struct that is not declared flat": (
        {"columns": {"address": {"role": "quasi"}}, "input": {}},
        table().select("address"),
        r"Struct.*; list it under input.flatten, which makes columns of its fields \(address.city, address.zip",
    ),
    "no struct": (
        {"columns": {"a.b": {"role": "keep"}}, "input": {"flatten": ["a"]}},
        pl.DataFrame({"a": [1], "a.b": [1]}),
        "input.flatten names a, which is Int64 and has no fields",
    ),
    "no such column": (
        {"columns": {"b": {"role": "keep"}}, "input": {"flatten": ["a"]}},
        pl.DataFrame({"b": [1]}),
        "input.flatten names a, which the input lacks",
    ),
    "a name that is there already": (
        {"columns": {"a.b": {"role": "keep"}}, "input": {"flatten": ["a"]}},
        pl.DataFrame({"a": [{"b": 1}], "a.b": [1]}),
        "flattening gives two columns the name a.b",
    ),
    "a field that the policy does not list": (
        {"columns": {"a.b": {"role": "keep"}}, "input": {"flatten": ["a"]}},
        pl.DataFrame({"a": [{"b": 1, "c": 2}]}),
        "1 column of the input is not listed in the policy: a.c",
    ),
    "a list within": (
        {"columns": {"a.b": {"role": "quasi"}}, "input": {"flatten": ["a"]}},
        pl.DataFrame({"a": [{"b": [1]}]}),
        "role quasi cannot be of type List.*; unnest or cast it first",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_fit_is_refused(case: str) -> None:
    parts, frame, words = REFUSED[case]
    with pytest.raises(InputError, match=words):
        anonym.apply({"anonym": 1, "guarantee": {"k": 1}, **parts}, frame)


def test_a_struct_is_flat_or_a_column_and_not_both() -> None:
    with pytest.raises(PolicyError) as caught:
        anonym.Policy.load({"anonym": 1, "input": {"flatten": ["a"]}, "columns": {"a": {"role": "keep"}}})
    assert [(fault.path, "list its fields" in fault.expected) for fault in caught.value.faults] == [("columns.a", True)]


def test_a_glob_speaks_for_all_fields_and_explain_says_what_is_flat(command: Run) -> None:
    policy = {
        "anonym": 1,
        "input": {"flatten": ["address"]},
        "columns": {"address.*": {"role": "drop"}},
        "unlisted": "drop",
    }
    Path("policy.yaml").write_text(json.dumps(policy), encoding="utf-8")
    write(table(), "in.parquet")
    status, out, _ = command("explain", "policy.yaml", "in.parquet")
    assert status == 0
    assert "Every field of address is a column of its own." in out
    assert "address.geo.lat (by address.*): not released" in out
