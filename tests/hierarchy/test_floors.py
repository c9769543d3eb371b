"""Levels to start from: dear columns last, never beyond what is allowed; and the cells merged up to them."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import numpy as np
import polars as pl
import pytest

from anonym.hierarchy import encode
from anonym.hierarchy.build import build
from anonym.hierarchy.cells import Coarser, coded_cells
from anonym.hierarchy.floors import floors
from anonym.hierarchy.model import Interval, Suppress

FRAME = pl.DataFrame({"age": [i % 100 for i in range(400)], "sex": ["f", "m"] * 200, "dx": ["a"] * 400})
AGE = build("age", Interval((Decimal(10), Decimal(50))), FRAME["age"].unique().sort())
SEX = build("sex", Suppress(), FRAME["sex"].unique().sort())
ROWS = [np.full(100, 4), np.full(2, 200)]


def test_the_cheapest_bit_goes_first() -> None:
    assert list(floors([AGE, SEX], ROWS, [False, False])) == [(1, 0), (2, 0), (3, 0), (3, 1)]


def test_levels_that_the_policy_forbids_and_fixed_columns_are_left() -> None:
    assert list(floors([replace(AGE, coarsest=2), SEX], ROWS, [False, True])) == [(1, 0), (2, 0)]
    assert next(floors([replace(AGE, finest=1), SEX], ROWS, [True, True])) == (1, 0)
    assert list(floors([AGE, SEX], ROWS, [True, True])) == []


def test_cells_are_merged_into_the_first_leaf_of_each_node() -> None:
    coarser = Coarser(20, floors([AGE, SEX], ROWS, [False, False]))
    found = coded_cells(FRAME.lazy(), [AGE, SEX], {"dx": pl.Series(["a"])}, counted=(), coarser=coarser)
    assert found.floors == (1, 0)
    assert found.cells.codes.tolist() == [[age, sex] for age in range(0, 100, 10) for sex in (0, 1)]
    assert found.cells.rows.tolist() == [20] * 20
    assert (found.cells.sensitive[0].size, len(found.cells.sensitive[0].cell)) == (1, 0)


def test_few_cells_stay() -> None:
    coarser = Coarser(200, floors([AGE, SEX], ROWS, [False, False]))
    found = coded_cells(FRAME.lazy(), [AGE, SEX], {}, coarser=coarser)
    assert (found.floors, found.cells.count) == (None, 100)


@pytest.mark.parametrize("most", [1, 4, 20, 99, 100])
def test_cells_of_several_words_are_merged_alike(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    def found() -> tuple[object, ...]:
        coarser = Coarser(most, floors([AGE, SEX], ROWS, [False, False]))
        coded = coded_cells(FRAME.lazy(), [AGE, SEX], {}, coarser=coarser)
        return coded.floors, coded.cells.codes.tolist(), coded.cells.rows.tolist()

    expected = found()
    monkeypatch.setattr(encode, "WORD_BITS", 7)  # as many as ages take: two words
    assert encode.words_of([100, 2]) == 2
    assert found() == expected
