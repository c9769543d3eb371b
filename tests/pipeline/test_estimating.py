"""The estimate counts what it says it counts, grows with it, and refuses before anything is done."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import polars as pl
import pytest
import yaml

from anonym.cli.sizes import SIZE
from anonym.io import open_frame
from anonym.pipeline.estimating import estimate
from anonym.policy import Policy

Run = Callable[..., tuple[int, str, str]]


def test_rows_are_counted_and_combinations_nearly(table: pl.DataFrame, policy: dict[str, Any]) -> None:
    found = estimate(Policy.load(policy), open_frame(table))
    distinct = table.select("age", "zip").n_unique()
    assert (found.rows, found.quasi) == (600, 2)
    assert abs(found.combinations - distinct) < 0.15 * distinct


def test_more_rows_combinations_columns_and_shuffling_take_more(table: pl.DataFrame, policy: dict[str, Any]) -> None:
    many = pl.concat([table] * 2000).with_columns(age=pl.int_range(pl.len()))
    few = many.with_columns(age=pl.lit(30, pl.Int64))

    def megabytes(frame: pl.DataFrame, changed: dict[str, Any]) -> int:
        return estimate(Policy.load(policy | changed), open_frame(frame)).megabytes

    kept = {"order": "keep"}
    assert megabytes(table, kept) < megabytes(few, kept) < megabytes(many, kept) < megabytes(many, {})
    assert megabytes(few, kept | {"unit": "id"}) > megabytes(few, kept)
    noted = policy["columns"] | {"plan": {"role": "text"}}
    assert megabytes(few, kept | {"columns": noted}) > megabytes(few, kept) + 300


def test_what_would_take_more_is_refused_before_anything_is_done(command: Run, table: Any, policy: Any) -> None:
    table.write_parquet("in.parquet")
    Path("policy.yaml").write_text(yaml.safe_dump(policy), encoding="utf-8")
    run = ("apply", "policy.yaml", "in.parquet", "-o", "out.parquet", "--memory-limit")
    status, _, err = command(*run, "200MB")
    assert (status, "--memory-limit is 200 MB" in err, "600 rows" in err) == (4, True, True)
    assert not list(Path().glob("*out*"))
    status, said, _ = command(*run, "2GB")
    peak = json.loads(Path("out.report.json").read_text())["environment"]["peak_memory_mb"]
    assert (status, f"memory   {peak:,} MB at the peak; estimated before: at most about 30" in said) == (0, True), said
    assert "about 300 MB, for 600 rows" in command("explain", "policy.yaml", "in.parquet")[1]


def test_sizes_are_read_as_people_write_them() -> None:
    sizes = {"2GiB": 2**31, "2GB": 2 * 10**9, "1.5 gb": 1_500_000_000, "500MB": 5 * 10**8, "64k": 64_000, "1000": 1000}
    assert {text: SIZE.convert(text, None, None) for text in sizes} == sizes
    for text in ("much", "-1GB", "2GiX", ""):
        with pytest.raises(click.BadParameter, match="such as 500MB"):
            SIZE.convert(text, None, None)
