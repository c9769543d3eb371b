"""Codes kept by the pass that counts them, against codes looked up again."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.errors import InputError
from anonym.hierarchy.build import build
from anonym.hierarchy.cells import coded_cells
from anonym.hierarchy.encode import domain, leaf_code
from anonym.hierarchy.model import Hierarchy, Identity
from anonym.hierarchy.row_codes import RowCodes, WordsKept
from anonym.io import guarded

Row = tuple[int | None, str | None]
COLUMNS = {"a": pl.Int16(), "b": pl.String()}
table = st.lists(st.tuples(st.sampled_from([None, -3, 0, 7]), st.sampled_from([None, "", "x", "é"])), max_size=20)


def hierarchies(frame: pl.LazyFrame) -> list[Hierarchy]:
    return [build(name, Identity(), domain(frame, name, dtype)["value"]) for name, dtype in COLUMNS.items()]


@settings(max_examples=40, deadline=None)
@given(drawn=table, size=st.integers(1, 7), kept=st.lists(st.booleans(), min_size=20, max_size=20))
def test_kept_codes_are_those_looked_up(
    drawn: list[tuple[int | None, str | None]], size: int, kept: list[bool]
) -> None:
    whole = pl.DataFrame(drawn, schema=COLUMNS, orient="row")
    frame = pl.concat([whole[:size], whole[size:]], rechunk=False).lazy()
    made = hierarchies(frame)
    found = coded_cells(frame, made, {}, rows=whole.height).row_codes
    assert found is not None
    rows = frame.with_row_index("row").filter(pl.Series(kept[: whole.height], dtype=pl.Boolean))
    expected = rows.select(leaf_code(h.domain, h.column).alias(f"code {h.column}") for h in made).collect()
    names = [f"code {name}" for name in COLUMNS]
    assert found.onto(rows, "row", names).select(names).collect().equals(expected)


def test_nothing_is_kept_where_tuples_take_more_than_a_word_or_are_those_of_units() -> None:
    frame = pl.LazyFrame({"a": [1, 2], "b": ["x", "y"]}, schema=COLUMNS)
    made = hierarchies(frame)
    assert coded_cells(frame, made, {}, "b", rows=2).row_codes is None
    assert coded_cells(frame, made, {}).row_codes is None
    wide = [build(f"{i}", Identity(), domain(frame, "a", COLUMNS["a"])["value"]) for i in range(65)]
    many = frame.select(pl.col("a").alias(f"{i}") for i in range(65))
    assert coded_cells(many, wide, {}, rows=2).row_codes is None


@pytest.mark.parametrize("rows", [1, 3])
def test_an_input_of_other_rows_is_refused(rows: int) -> None:
    frame = pl.LazyFrame({"a": [1, 2], "b": ["x", "y"]}, schema=COLUMNS)
    with pytest.raises(InputError, match="the input changed between two passes"), guarded("counting"):
        coded_cells(frame, hierarchies(frame), {}, rows=rows)


def test_rows_beyond_those_counted_are_refused() -> None:
    kept = WordsKept(2)
    kept.add(np.zeros(2, np.uint64))
    codes = RowCodes(kept.all(), (2,))
    longer = pl.LazyFrame({"a": [1, 2, 3]}).with_row_index("row")
    with pytest.raises(InputError, match="it had 2 rows"), guarded("applying"):
        codes.onto(longer, "row", ["code"]).collect()
