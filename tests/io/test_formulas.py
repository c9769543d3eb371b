"""Formulas of CSV files: which texts are some, and that quoting them can be undone and makes no two texts one."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.errors import CallError
from anonym.io.formulas import is_formula, quoted, refuse_names, texts_of, unquoted
from anonym.pipeline.write import sink_quoted

CASES = {
    "sum": ("=1+1", True, "'=1+1"),
    "command": ('=cmd|"/c calc"!A1', True, '\'=cmd|"/c calc"!A1'),
    "plus": ("+49 30 1234", True, "'+49 30 1234"),
    "minus as text": ("-5", True, "'-5"),
    "at": ("@SUM(A1)", True, "'@SUM(A1)"),
    "tab": ("\t=1", True, "'\t=1"),
    "carriage return": ("\r=1", True, "'\r=1"),
    "line feed": ("\n=1", True, "'\n=1"),
    "NUL": ("\x00=1", True, "'\x00=1"),
    "full width equals": ("\uff1d1+1", True, "'\uff1d1+1"),
    "full width plus": ("\uff0b1", True, "'\uff0b1"),
    "full width minus": ("\uff0d1", True, "'\uff0d1"),
    "full width at": ("\uff20A1", True, "'\uff20A1"),
    "quoted already": ("'=1+1", False, "''=1+1"),
    "quoted twice": ("''=1+1", False, "'''=1+1"),
    "apostrophe": ("'tis", False, "'tis"),
    "apostrophe alone": ("'", False, "'"),
    "sign inside": ("a=1", False, "a=1"),
    "sign on a later line": ("a\n=1", False, "a\n=1"),
    "dash of typography": ("\u2013 5", False, "\u2013 5"),
    "blank first": (" =1", False, " =1"),
    "empty": ("", False, ""),
    "nothing": (None, None, None),
}


@pytest.mark.parametrize(("text", "runs", "written"), CASES.values(), ids=CASES)
def test_a_text_and_what_is_written(text: str | None, runs: bool | None, written: str | None) -> None:
    frame = pl.DataFrame({"text": [text]}, schema={"text": pl.String})
    found = frame.select(is_formula("text").alias("runs"), quoted("text").alias("written"))
    assert found.row(0) == (runs, written)
    assert pl.DataFrame({"text": [written]}, schema={"text": pl.String}).select(unquoted("text")).item() == text


TEXTS = st.lists(st.text(st.sampled_from("'=+-@\t\r\n\x00\uff1da;\",é "), max_size=5))


@given(TEXTS)
def test_quoting_is_undone_and_leaves_no_formula(texts: list[str]) -> None:
    frame = pl.DataFrame({"text": texts}, schema={"text": pl.String})
    written = frame.select(quoted("text"))
    assert not written.select(is_formula("text").any()).item()
    assert written.select(unquoted("text")).equals(frame)
    assert written["text"].n_unique() == frame["text"].n_unique()
    assert all(after in (before, "'" + before) for before, after in zip(texts, written["text"], strict=True))


def test_numbers_are_no_texts() -> None:
    schema = {"n": pl.Int64(), "f": pl.Float64(), "d": pl.Date(), "s": pl.String(), "b": pl.Boolean()}
    assert texts_of(schema) == ["s"]


def test_a_name_that_is_a_formula_is_refused() -> None:
    refuse_names({"a=1": pl.String()})
    with pytest.raises(CallError, match="names of 1 columns begin like formulas"):
        refuse_names({"=1+1": pl.Int64(), "a": pl.String()})


@settings(deadline=None)  # the first call starts the engine
@given(TEXTS)
def test_no_cell_begins_inside_a_text_at_another_separator(texts: list[str]) -> None:
    """As a spreadsheet that splits at semicolons reads what is written with commas."""
    with TemporaryDirectory() as folder:
        place = Path(folder) / "out.csv"
        sink_quoted(pl.LazyFrame({"text": texts}, schema={"text": pl.String}), place)
        lines = place.read_bytes().decode()
    for row in csv.reader(io.StringIO(lines, newline=""), delimiter=";"):
        assert len(row) <= 1
