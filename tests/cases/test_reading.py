"""What CSV and JSON lines mean, cell by cell, and what is refused before a value of it is shown."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from cases.desk import AS_IS, SENSITIVE, Run, promise

Call = Callable[..., Run]
KEEP = {"role": "keep", "allow_unique": "for this test"}
BY_TENS = {"role": "quasi", "hierarchy": {"interval": [10]}}

AS_WRITTEN: dict[str, tuple[str, dict[str, list[str]]]] = {
    "codes with zeros": ("q,c\nx,007\nx,007\n", {"c": ["007", "007"]}),
    "codes with zeros, some without": ("q,c\nx,007\nx,7\n", {"c": ["007", "7"]}),
    "telephone numbers": ("q,c\nx,+049301\nx,+049302\n", {"c": ["+049301", "+049302"]}),
    "integers beyond 2^53": (
        "q,c\nx,9007199254740993\nx,9007199254740992\n",
        {"c": ["9007199254740993", "9007199254740992"]},
    ),
    "integers beyond 2^64": (
        "q,c\nx,99999999999999999999\nx,99999999999999999998\n",
        {"c": ["99999999999999999999", "99999999999999999998"]},
    ),
    "a byte order mark": ("\ufeffq,c\nx,a\nx,b\n", {"q": ["x", "x"]}),
    "lines that end in CR LF": ("q,c\r\nx,a\r\nx,b\r\n", {"c": ["a", "b"]}),
    "quotes, separators and ends of lines": ('q,c\nx,"a\nb"\nx,"c,""d"""\n', {"c": ["a\nb", 'c,"d"']}),
    "words that others read as null": ("q,c\n" + "NULL,a\nNA,b\nNone,c\n" * 2, {"q": ["NULL", "NA", "None"] * 2}),
    "names that differ in case": ("Q,q,c\nx,y,a\nx,y,a\n", {"Q": ["x", "x"], "q": ["y", "y"]}),
    "dates": ("q,c\n2024-01-02,a\n2024-01-02,b\n", {"q": ["2024-01-02"] * 2}),
}


@pytest.mark.parametrize(("text", "cells"), AS_WRITTEN.values(), ids=AS_WRITTEN)
@pytest.mark.parametrize("role", [KEEP, AS_IS, SENSITIVE], ids=["keep", "quasi", "sensitive"])
def test_a_csv_cell_is_released_as_it_was_written(
    run: Call, text: str, cells: dict[str, list[str]], role: dict[str, Any]
) -> None:
    Path("in.csv").write_bytes(text.encode())
    columns = {"q": AS_IS, "c": role} | ({"Q": AS_IS} if "Q" in cells else {})
    done = run("apply", promise(columns, 1, order="keep"), "in.csv", "--quiet", out="out.csv")
    assert done.status == 0, done.err
    with open("out.csv", encoding="utf-8", newline="") as file:
        released = list(csv.DictReader(file))
    assert {name: [row[name] for row in released] for name in cells} == cells
    assert run("check", promise(columns, 1), "out.csv", "--quiet").status == 0


def test_zeros_before_a_number_that_the_policy_counts_with_are_none(run: Call) -> None:
    Path("in.csv").write_text("q,c\n07,08\n09,8\n", encoding="utf-8")
    counted = BY_TENS | {"finest": 1, "coarsest": 1}
    done = run("apply", promise({"q": counted, "c": SENSITIVE | {"bins": {"interval": [10]}}}, 2), "in.csv", "--quiet")
    assert done.status == 0, done.err
    assert done.released["q"].to_list() == ["0-9"] * 2
    assert done.released["c"].to_list() == [8, 8]


REFUSED: dict[str, tuple[bytes, dict[str, Any]]] = {
    "nothing": (b"", AS_IS),
    "a mark alone": (b"\xef\xbb\xbf", AS_IS),
    "an empty header": (b"\n", AS_IS),
    "a word among numbers": (b"q\n12\n13\ncanary\n", BY_TENS),
    "decimal commas": (b'q\n"12,5"\n"canary,5"\n', BY_TENS),
    "two orders of a date": (b"q\n2024-01-02\n02.01.canary\n", {"role": "quasi", "hierarchy": {"date": ["year"]}}),
    "Latin 1": (b"q\nM\xfcnchen-canary\n", AS_IS),
    "UTF-16": ("q\ncanary\n".encode("utf-16"), AS_IS),
}


@pytest.mark.parametrize(("content", "role"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_read_for_certain_is_refused_without_a_value(
    run: Call, content: bytes, role: dict[str, Any]
) -> None:
    Path("in.csv").write_bytes(content)
    refused = run("apply", promise({"q": role}, 1), "in.csv", "--verbose")
    assert refused.status == 4, refused.err
    assert "canary" not in refused.said()


def test_a_header_alone_is_a_table_without_rows(run: Call) -> None:
    Path("in.csv").write_text("q,c\n", encoding="utf-8")
    done = run("apply", promise({"q": AS_IS, "c": SENSITIVE}, 2), "in.csv", "--quiet")
    assert done.status == 0, done.err
    assert done.released.shape == (0, 2)
    assert done.evidence["guarantee"]["k"]["achieved"] is None


def test_a_key_that_a_line_lacks_is_null(run: Call) -> None:
    lines = '{"q":"x","s":"a"}\n{"s":"b"}\n{"s":"a"}\n{"q":"x","s":"b"}\n'
    Path("in.jsonl").write_text(lines, encoding="utf-8")
    done = run("apply", promise({"q": AS_IS, "s": SENSITIVE}, 2), "in.jsonl", "--quiet")
    assert done.status == 0, done.err
    assert done.released["q"].null_count() == 2


@pytest.mark.parametrize("number", ["9007199254740993", "18446744073709551615", "99999999999999999999"])
def test_no_format_rounds_an_integer(run: Call, number: str) -> None:
    Path("in.jsonl").write_text(f'{{"q":"x","k":{number}}}\n' * 2, encoding="utf-8")
    done = run("apply", promise({"q": AS_IS, "k": {"role": "keep"}}, 2), "in.jsonl", "--quiet", out="out.jsonl")
    assert done.status in (0, 4), done.err
    assert done.status == 4 or number in Path("out.jsonl").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "content"),
    [("in.parquet", b"canary"), ("in.jsonl", b'{"q":"x"}\n{"q":"canary"\n'), ("in.arrow", b"canary")],
)
def test_a_file_of_another_format_is_refused(run: Call, name: str, content: bytes) -> None:
    Path(name).write_bytes(content)
    refused = run("apply", promise({"q": AS_IS}, 1), name, "--verbose")
    assert refused.status == 4, refused.err
    assert "canary" not in refused.said()


@pytest.mark.parametrize("cut", [4, 10, 200])
def test_a_cut_parquet_file_is_refused(run: Call, cut: int) -> None:
    pl.DataFrame({"q": ["canary"] * 100}).write_parquet("in.parquet")
    Path("in.parquet").write_bytes(Path("in.parquet").read_bytes()[:-cut])
    refused = run("apply", promise({"q": AS_IS}, 1), "in.parquet", "--verbose")
    assert refused.status == 4, refused.err
    assert "canary" not in refused.said()
