"""`preview`: rows before and after, for eyes only."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

from anonym.cli.preview import draw
from anonym.pipeline.previewing import Cell, Found, PreviewRow, preview_rows

NOTES = ["mail jo.canary@example.org now", "nothing here", None, "call 020 7946 0958"]


@pytest.fixture
def files(tmp_path: Path, table: pl.DataFrame, policy: dict[str, Any]) -> tuple[Path, Path]:
    policy["columns"]["note"] = {"role": "text"}
    policy["text"] = {"ner": "none"}
    (tmp_path / "policy.yaml").write_text(yaml.safe_dump(policy), encoding="utf-8")
    table.with_columns(note=pl.Series(NOTES * (table.height // 4))).write_parquet(tmp_path / "data.parquet")
    return tmp_path / "policy.yaml", tmp_path / "data.parquet"


def test_rows_before_and_after(files: tuple[Path, Path]) -> None:
    shown = preview_rows(files[0], [files[1]], 4)
    assert [row.row for row in shown] == [0, 150, 300, 450]
    cells = {cell.name: cell for cell in shown[0].cells}
    assert cells["id"].after is None
    assert cells["plan"].before == cells["plan"].after
    if not shown[0].suppressed:
        assert cells["note"].after == "mail <EMAIL_ADDRESS> now"
    (found,) = cells["note"].found
    assert (found.entity, cells["note"].before[found.start : found.end]) == ("EMAIL_ADDRESS", "jo.canary@example.org")  # type: ignore[index]


def test_more_rows_than_there_are(files: tuple[Path, Path]) -> None:
    pl.read_parquet(files[1]).head(40).write_parquet(files[1].with_name("few.parquet"))
    assert len(preview_rows(files[0], [files[1].with_name("few.parquet")], 1000)) == 40


def test_nothing_is_shown_in_a_pipe(command: Callable[..., Any], files: tuple[Path, Path]) -> None:
    for words in ((), ("--json",)):
        status, said, error = command("preview", *files, *words)
        assert (status, said) == (2, "")
        assert "terminal" in error


def test_findings_are_marked_and_nothing_steers_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    cell = Cell("note", "text", "a \x1b[31mb@c.de", "a <EMAIL_ADDRESS>", (Found(7, 13, "EMAIL_ADDRESS", "email"),))
    draw([PreviewRow(3, True, (cell, Cell("gone", "drop", None, None)))])
    said = capsys.readouterr().out
    assert "\x1b" not in said
    assert "[EMAIL_ADDRESS, email]" in said
    assert "suppressed" in said
