"""A release changed together with the hash in its report: with the original, its rows are made again and compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from anonym.io.source import file_sha256
from anonym.pipeline import apply_files
from anonym.pipeline.recomputing import recompute
from anonym.pipeline.told_by_files import Named
from anonym.verify.contents import same_rows

REPORT = Path("out.report.json")
KEY = {"key": "env:ANONYM_TEST_KEY"}
POLICY: dict[str, Any] = {
    "anonym": 1,
    "name": "people",
    "columns": {
        "id": {"role": "identifier", "action": "pseudonym", "scope": "project", **KEY},
        "mail": {"role": "identifier", "action": "surrogate", "kind": "email", "scope": "release", **KEY},
        "age": {"role": "quasi", "hierarchy": {"interval": [5, 10, 20]}},
        "zip": {"role": "quasi", "hierarchy": {"prefix": [3, 2]}},
        "plan": {"role": "keep"},
        "note": {"role": "text"},
    },
    "text": {"ner": "none"},
    "guarantee": {"k": 5, "suppression": {"max": 0.1}},
}


@pytest.fixture(params=["keep", "shuffle"])
def released(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANONYM_TEST_KEY", "0123456789abcdef0123456789abcdef")
    monkeypatch.chdir(tmp_path)
    rows = range(400)
    pl.DataFrame(
        {
            "id": [f"person-{row}" for row in rows],
            "mail": [f"user{row}@mail.example" for row in rows],
            "age": [18 + row * 7 % 60 for row in rows],
            "zip": [f"{100 + row * 13 % 37}{row % 7}" for row in rows],
            "plan": ["free" if row % 3 else "paid" for row in rows],
            "note": [f"write {row} times to user{row}@mail.example" for row in rows],
        }
    ).write_parquet("in.parquet")
    Path("policy.yaml").write_text(yaml.safe_dump(POLICY | {"order": request.param}), encoding="utf-8")
    apply_files("policy.yaml", ["in.parquet"], Path("out.parquet"))
    REPORT.with_suffix(".html").unlink()


def forge(after: pl.DataFrame) -> None:
    """The release written anew, and its hash in the report with it."""
    after.write_parquet("out.parquet")
    evidence = json.loads(REPORT.read_text())
    evidence["environment"]["files"]["release"] = file_sha256(Path("out.parquet"))
    REPORT.write_text(json.dumps(evidence))


def wrong(*original: str) -> set[str]:
    lines = recompute(REPORT, Named(original=[Path(path) for path in original]))
    return {line.path for line in lines if line.status == "differs"}


def test_the_rows_that_the_run_makes_hold_in_any_order(released: None) -> None:
    forge(pl.read_parquet("out.parquet").sample(fraction=1.0, shuffle=True, seed=1))
    assert wrong("in.parquet") == set()


@pytest.mark.parametrize(
    ("column", "value"), [("plan", "paid"), ("note", "write to user7@mail.example"), ("plan", None)]
)
def test_a_changed_cell_is_told_with_the_original_whatever_the_report_says(
    column: str, value: str | None, released: None
) -> None:
    frame = pl.read_parquet("out.parquet")
    changed = frame[column].to_list()
    changed[changed.index("free") if column == "plan" else 0] = value
    forge(frame.with_columns(pl.Series(column, changed)))
    assert "rows" in wrong("in.parquet")
    assert "rows" not in wrong()


def test_two_tokens_exchanged_are_told_with_the_original(released: None) -> None:
    frame = pl.read_parquet("out.parquet")
    tokens = frame["id"].to_list()
    other = frame["age"].to_list().index(next(age for age in frame["age"] if age != frame["age"][0]))
    tokens[0], tokens[other] = tokens[other], tokens[0]
    forge(frame.with_columns(id=pl.Series(tokens)))
    assert wrong("in.parquet") == {"rows"}


CELLS = {"a": st.none() | st.integers(0, 3), "b": st.none() | st.sampled_from(["", "x", "y"]), "c": st.booleans()}
SCHEMA = {"a": pl.Int64, "b": pl.String, "c": pl.Boolean}
TABLES = st.lists(st.fixed_dictionaries(CELLS), max_size=6)


@given(one=TABLES, other=TABLES)
def test_the_same_rows_are_those_of_equal_sorted_lists(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> None:
    frames = [pl.DataFrame(rows, SCHEMA).lazy() for rows in (one, other)]
    equal = sorted(one, key=repr) == sorted(other, key=repr)
    assert same_rows(frames[0], frames[1], list(SCHEMA)) == equal
    assert same_rows(frames[0], frames[0].reverse(), list(SCHEMA))
    assert same_rows(frames[0], frames[1], []) == (len(one) == len(other))


def test_values_of_other_types_are_other_rows() -> None:
    one, other = (pl.DataFrame({"a": [1, 2]}, {"a": kind}).lazy() for kind in (pl.Int64, pl.Int32))
    assert not same_rows(one, other, ["a"])
