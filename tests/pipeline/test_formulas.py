"""`output: {formulas: keep | quote | refuse}`: what a CSV release holds, and what every verb reads of it."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

import anonym
from anonym.errors import OutputError
from anonym.report.evidence import validate

Run = Callable[..., tuple[int, str, str]]
APPLY = ("apply", "policy.yaml", "in.parquet", "-o")


@pytest.fixture
def sheet(command: Run) -> Run:
    """A table with formulas in a kept, a sensitive and a text column, and in the labels of negative numbers."""
    n = 60
    table = pl.DataFrame(
        {
            "debt": [-(i % 3) * 10 - 1 for i in range(n)],
            "code": [["=1+1", "'=1+1", "plain"][i % 3] for i in range(n)],
            "dx": [["=A1", "'=A1", " =a1", "b"][i % 4] for i in range(n)],
            "balance": [-float(i % 4) for i in range(n)],
            "note": ["-- see the file" if i % 2 else "well" for i in range(n)],
        }
    )
    table.write_parquet("in.parquet")
    write("quote")
    return command


def write(formulas: str | None, **more: Any) -> None:
    policy = {
        "anonym": 1,
        "name": "sheet",
        "columns": {
            "debt": {"role": "quasi", "hierarchy": {"interval": [10]}, "finest": 1},
            "code": {"role": "quasi"},
            "dx": {"role": "sensitive", "l": {"distinct": 2}},
            "balance": {"role": "keep"},
            "note": {"role": "text"},
        },
        "guarantee": {"k": 4, "suppression": {"max": 0}},
        "order": "keep",
        **({} if formulas is None else {"output": {"formulas": formulas}}),
        **more,
    }
    Path("policy.yaml").write_text(yaml.safe_dump(policy), encoding="utf-8")


def cells(name: str, delimiter: str = ",") -> list[dict[str, str]]:
    with open(name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def begins(rows: list[dict[str, str]], column: str) -> int:
    return sum(row[column][:1] in tuple("=+-@") for row in rows)


@pytest.mark.parametrize(("ending", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_quoted_cells_run_nowhere_and_numbers_stay_numbers(sheet: Run, ending: str, delimiter: str) -> None:
    status, said, err = sheet(*APPLY, f"q.{ending}")
    assert status == 0, err
    rows = cells(f"q.{ending}", delimiter)
    assert {column: begins(rows, column) for column in ("debt", "code", "dx", "note")} == dict.fromkeys(
        ("debt", "code", "dx", "note"), 0
    )
    assert begins(rows, "balance") == 45, "a negative number is no text"
    assert Counter(row["code"] for row in rows) == {"'=1+1": 20, "''=1+1": 20, "plain": 20}
    evidence = json.loads(Path("q.report.json").read_text())
    assert validate(evidence) == []
    count = 60 + 20 + 15 + 30  # debts (labels like -10--1), codes, dx, notes
    assert evidence["output"]["formulas"] == {"action": "quote", "cells": count}
    assert f"formulas {count} cells that a spreadsheet would run have an apostrophe before them" in said
    assert any(check["name"] == "formulas" and check["held"] for check in evidence["verification"]["checks"])


def test_classes_are_those_of_the_values(sheet: Run) -> None:
    """`=1+1` and `'=1+1` are two classes, and the digest is that of the same release in another format."""
    for name in ("q.csv", "b.parquet"):
        assert sheet(*APPLY, name, "--quiet") == (0, "", "")
    text, binary = (json.loads(Path(f"{name}.report.json").read_text()) for name in "qb")
    assert text["output"]["digest"] == binary["output"]["digest"]
    assert begins(cells("q.csv"), "code") == 0
    assert set(pl.read_parquet("b.parquet")["code"]) == {"=1+1", "'=1+1", "plain"}


def test_every_verb_takes_the_apostrophe_away(sheet: Run) -> None:
    assert sheet(*APPLY, "q.csv", "--quiet") == (0, "", "")
    assert sheet("check", "policy.yaml", "q.csv", "--quiet")[0] == 0
    assert sheet("verify", "q.report.json", "--original", "in.parquet", "--quiet") == (0, "", "")
    status, said, _ = sheet("check", "policy.yaml", "q.csv", "--json")
    assert status == 0
    assert json.loads(said)["guarantee"]["l"]["dx"]["achieved"] == 3, "` =a1` and `=A1` are one for l"
    assert sheet("rederive", "q.report.json", "in.parquet", "-o", "r.csv", "--quiet") == (0, "", "")
    assert Path("r.csv").read_bytes() == Path("q.csv").read_bytes()


def test_by_default_a_training_set_is_exact(sheet: Run) -> None:
    write(None)
    status, said, _ = sheet(*APPLY, "k.csv")
    assert status == 0
    assert begins(cells("k.csv"), "code") == 20
    assert "formulas 125 cells that a spreadsheet would run stand as they are (`output: {formulas: quote}`" in said
    assert json.loads(Path("k.report.json").read_text())["output"]["formulas"]["action"] == "keep"
    status, said, _ = sheet("explain", "policy.yaml", "in.parquet")
    assert "columns.dx: 15 rows begin as formulas do (= + - @)" in said
    assert "columns.note: 30 rows" in said
    assert "columns.balance" not in "".join(line for line in said.splitlines() if "formulas" in line)
    assert sheet(*APPLY, "k.parquet", "--force", "--quiet")[0] == 0
    assert "formulas" not in json.loads(Path("k.report.json").read_text())["output"], "Parquet has none"


def test_refused_in_csv_and_nowhere_else(sheet: Run) -> None:
    write("refuse")
    status, _, err = sheet(*APPLY, "r.csv")
    assert (status, "125 cells begin like a formula" in err) == (6, True), err
    assert not list(Path().glob("r.*"))
    assert "=1+1" not in err
    assert sheet(*APPLY, "r.parquet", "--quiet") == (0, "", "")


def test_python_writes_as_the_command_does(sheet: Run) -> None:
    assert sheet(*APPLY, "q.csv", "--quiet") == (0, "", "")
    release = anonym.apply("policy.yaml", pl.read_parquet("in.parquet"))
    assert set(release.data.collect()["code"]) == {"=1+1", "'=1+1", "plain"}
    release.write("p.csv")
    assert Path("p.csv").read_bytes() == Path("q.csv").read_bytes()
    write("refuse")
    with pytest.raises(OutputError):
        anonym.apply("policy.yaml", pl.read_parquet("in.parquet")).write("no.csv")
    assert not Path("no.csv").exists()


def test_a_column_whose_name_is_a_formula_is_refused_where_cells_would_be(sheet: Run) -> None:
    table = pl.read_parquet("in.parquet").rename({"balance": "=balance"})
    table.write_parquet("in.parquet")
    policy = yaml.safe_load(Path("policy.yaml").read_text())
    policy["columns"]["=balance"] = policy["columns"].pop("balance")
    Path("policy.yaml").write_text(yaml.safe_dump(policy), encoding="utf-8")
    status, _, err = sheet(*APPLY, "n.csv")
    assert (status, "names of 1 columns begin like formulas" in err) == (2, True), err
    assert sheet(*APPLY, "n.parquet", "--quiet") == (0, "", "")


def test_a_batch_is_judged_with_quoted_files_released_before(sheet: Run) -> None:
    columns = {"debt": {"role": "quasi", "hierarchy": {"interval": [10]}}, "code": {"role": "quasi"}}
    write("quote", batch="union", search={"strategy": "global"}, columns=columns, unlisted="drop")
    assert sheet(*APPLY, "a.csv", "--quiet") == (0, "", "")
    pl.read_parquet("in.parquet").head(9).write_parquet("new.parquet")
    words = ("apply", "policy.yaml", "new.parquet", "-o", "b.csv", "--plan", "a.plan.json", "--earlier", "a.csv")
    assert sheet(*words, "--quiet") == (0, "", "")
    joint = Counter((row["debt"], row["code"]) for name in ("a.csv", "b.csv") for row in cells(name))
    assert json.loads(Path("b.report.json").read_text())["guarantee"]["k"]["achieved"] == min(joint.values())
