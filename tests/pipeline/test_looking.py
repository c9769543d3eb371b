"""`anonym explain POLICY DATA`: notes with counts, and no value of the data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

Run = Callable[..., tuple[int, str, str]]

POLICY: dict[str, Any] = {
    "anonym": 1,
    "columns": {
        "email": {"role": "identifier"},
        "age": {"role": "quasi", "hierarchy": {"interval": [5, 10]}, "top": 88},
        "zip": {"role": "quasi", "hierarchy": {"taxonomy": "us-zip3"}, "finest": 2},
        "ip": {"role": "quasi", "hierarchy": {"ip": [24, 16]}},
        "town": {"role": "quasi", "hierarchy": "auto"},
        "customer": {"role": "keep"},
        "pay": {"role": "sensitive", "bins": {"interval": [500]}, "l": {"distinct": 2}},
    },
    "guarantee": {"k": 3, "suppression": {"max": 0.1, "action": "mask"}},
}


def table(rows: int = 60) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "email": [f"canary{i}@example.com" for i in range(rows)],
            "age": [20 + i % 40 for i in range(rows)],
            "zip": ["canary-zip" if i == 0 else "60614" for i in range(rows)],
            "ip": ["canary-ip" if i < 2 else f"10.0.0.{i}" for i in range(rows)],
            "town": [f"town-{i % 7}" for i in range(rows)],
            "customer": [f"canary-{i}" for i in range(rows)],
            "pay": [1000 + i for i in range(rows)],
        }
    )


@pytest.fixture
def said(command: Run) -> str:
    table().write_parquet("in.parquet")
    Path("policy.yaml").write_text(yaml.safe_dump(POLICY), encoding="utf-8")
    status, out, err = command("explain", "policy.yaml", "in.parquet")
    assert (status, err) == (0, "")
    return out


SAID = {
    "an idle top": "columns.age: top 88 bites nobody: no value lies there",
    "a crooked top": "columns.age: top 88 lies inside an interval of level 1, which it cuts short",
    "values of one row": "columns.age: 20 of its 40 values are held by one row only, 40 by fewer than k",
    "values that a taxonomy lacks": "  zip: 1 distinct values in 1 rows",
    "values that are no address": "  ip: 1 distinct values in 2 rows",
    "a kept column that identifies": "columns.customer: 60 of its 60 values occur with one value of the identifier",
    "the levels of a taxonomy": "1: first three digits, 2: first three digits where more than 20,000 people live",
    "what a taxonomy is": "taxonomy us-zip3: US ZIP codes by their first three digits, small areas as 000",
    "what it reads": "reads ZIP codes of five digits, also with four more, as text",
    "what becomes of others": "a value that the taxonomy us-zip3 lacks: the run stops (status 4)",
    "the levels of networks": "1: the network of 24 bits, 2: the network of 16 bits",
    "what auto is": "levels: drawn up from the data, then `*`",
    "bins": "l and t count values of one bin as one: widths of 500",
    "masking": "at most 10 % of the input rows are left empty to get there",
}


@pytest.mark.parametrize("case", SAID)
def test_it_says(said: str, case: str) -> None:
    assert SAID[case] in said


def test_no_value_is_told(said: str) -> None:
    assert "canary" not in said


def test_without_data_it_says_the_same_of_the_policy(command: Run) -> None:
    Path("policy.yaml").write_text(yaml.safe_dump(POLICY), encoding="utf-8")
    status, out, _ = command("explain", "policy.yaml")
    assert status == 0
    assert "bites" not in out
    assert SAID["what auto is"] in out
