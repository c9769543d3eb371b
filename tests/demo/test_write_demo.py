"""The files of the sample."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
import yaml

from anonym.demo import write_demo
from anonym.demo.tickets import SCHEMA, tickets
from anonym.demo.words import DEVICES
from anonym.errors import OutputError


def test_the_files_are_written_and_read_back(tmp_path: Path) -> None:
    files = write_demo(tmp_path / "new" / "folder", rows=200)
    table, spans = tickets(200)
    assert pl.read_parquet(files.table).equals(table)
    lines = [json.loads(line) for line in files.spans.read_text(encoding="utf-8").splitlines()]
    assert [line["row"] for line in lines] == table["notes"].is_not_null().arg_true().to_list()
    assert sum(len(line["spans"]) for line in lines) == spans["masked"].sum()
    assert sum(len(line["near_misses"]) for line in lines) == (~spans["masked"]).sum()
    assert all(line["text"] == table["notes"][line["row"]] for line in lines)


def test_the_policy_lists_the_columns_and_finds_its_hierarchy(tmp_path: Path) -> None:
    files = write_demo(tmp_path, rows=1)
    policy = yaml.safe_load(files.policy.read_text(encoding="utf-8"))
    assert set(policy["columns"]) == set(SCHEMA)
    assert (tmp_path / policy["columns"]["device"]["hierarchy"]["file"]).is_file()


def test_the_hierarchy_covers_every_device(tmp_path: Path) -> None:
    lines = [line.split(",") for line in write_demo(tmp_path, rows=1).devices.read_text().splitlines()]
    assert [line[0] for line in lines] == [model for model, _ in DEVICES]
    assert {line[-1] for line in lines} == {"*"}


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="sample cannot be written"):
        write_demo(tmp_path / "file" / "folder", rows=1)
