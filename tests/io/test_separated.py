"""A CSV file is read as Python's reader reads it, or not at all, whatever columns are asked for."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from anonym.errors import InputError
from anonym.io import open_paths
from anonym.io.source import ReadOptions


def _field(text: str, quoted: bool) -> str:
    return '"' + text.replace('"', '""') + '"' if quoted else text


FIELDS = st.builds(_field, st.text('ab,"\n\r ', max_size=4), st.booleans())
ROWS = st.lists(st.lists(FIELDS, min_size=1, max_size=3).map(",".join), max_size=5)


@settings(max_examples=150, deadline=None)
@given(width=st.integers(1, 3), body=ROWS.map("\n".join), end=st.sampled_from(["", "\n"]))
@example(width=2, body="a,b\na,b,c", end="\n")
@example(width=2, body='a",b\n"c,d', end="\n")
@example(width=2, body=',a"\n"\n",a"', end="\n")
@example(width=1, body="\n\n", end="\n")
@example(width=1, body='""', end="")
def test_fields_stay_in_their_columns(width: int, body: str, end: str) -> None:
    names = ["x", "y", "z"][:width]
    text = ",".join(names) + "\n" + body + (end if body else "")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "in.csv"
        path.write_bytes(text.encode())
        try:
            frame = open_paths([path], ReadOptions(as_text=lambda _name: True)).frame
        except InputError:
            return
        expected = [row or [""] for row in csv.reader(io.StringIO(text, newline="\n"), strict=True)][1:]
        for i, name in enumerate(names):
            found = frame.select(name).collect()[name].fill_null("").to_list()
            # Python's reader drops every carriage return before a line's end, Polars the last one.
            assert [value.rstrip("\r") for value in found] == [row[i].rstrip("\r") for row in expected]


@settings(max_examples=50, deadline=None)
@given(rows=st.lists(st.tuples(*[st.text(st.characters(codec="utf-8"), max_size=5)] * 2), max_size=5))
def test_what_a_csv_writer_writes_is_never_refused(rows: list[tuple[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "in.csv"
        with open(path, "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("x", "y"), *rows])
        frame = open_paths([path], ReadOptions(as_text=lambda _name: True)).frame.collect()
        assert frame.fill_null("").rows() == rows
