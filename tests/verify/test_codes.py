"""Codes and counts against dictionaries, also where tuples do not fit into one number."""

from __future__ import annotations

from collections import Counter
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.verify import codes
from anonym.verify.codes import Classes, coded, run_starts, tally

columns = st.integers(1, 3).flatmap(
    lambda width: st.lists(st.lists(st.integers(0, 5), min_size=width, max_size=width), min_size=0, max_size=40)
)


@settings(max_examples=100, deadline=None)
@given(rows=columns, word=st.sampled_from([2**62, 7]), large=st.sampled_from([0, 300_000]))
def test_tally_counts_tuples(rows: list[list[int]], word: int, large: int) -> None:
    width = len(rows[0]) if rows else 1
    arrays = [np.array([row[i] for row in rows], dtype=np.int64) for i in range(width)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(codes, "WORD", word)  # 7: the path for tuples that need more than one number
        patch.setattr(codes, "LARGE", large)  # 0: loops that are compiled
        found, counts = tally(*arrays)
    expected = sorted(Counter(map(tuple, rows)).items())
    assert list(zip(zip(*(c.tolist() for c in found), strict=True), counts.tolist(), strict=True)) == expected
    assert len(run_starts(*found)) == len(expected)


@settings(max_examples=100, deadline=None)
@given(rows=columns, word=st.sampled_from([2**62, 7]))
def test_classes_are_equal_where_all_columns_are(rows: list[list[int]], word: int) -> None:
    classes = Classes(len(rows))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(codes, "WORD", word)
        for i in range(len(rows[0]) if rows else 1):
            classes.split(coded(pl.Series([row[i] for row in rows], dtype=pl.Int64)))
        classes.number()
    numbers = {row: n for n, row in enumerate(sorted(set(map(tuple, rows))))}
    assert classes.owner.tolist() == [numbers[tuple(row)] for row in rows]
    assert classes.count == len(numbers)


@pytest.mark.parametrize(
    "values",
    [
        ["b", None, "a", "b"],
        [2.5, None, -1.0, 2.5],
        [True, None, False, True],
        [date(2024, 1, 2), None, date(1950, 1, 1)],
        [Decimal("1.10"), None, Decimal("-3.00")],
        [2**63 - 1, -(2**63), None],
        [None, None],
        [],
    ],
)
def test_codes_are_positions_in_the_sorted_values(values: list[Any]) -> None:
    found = coded(pl.Series(values))
    assert [found.values[int(code)] for code in found.codes] == values
    present = sorted({v for v in values if v is not None})
    assert found.values.to_list() == present + [None] * (None in values)
