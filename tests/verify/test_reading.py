"""Columns as codes, learnt batch by batch, against positions in the sorted distinct values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.verify import learning, reading
from anonym.verify.codes import Coded
from anonym.verify.reading import Columns, read_codes

NAN = float("nan")
VALUES: dict[str, tuple[pl.DataType, list[Any]]] = {
    "text": (pl.String(), ["", "a", "\x00", "*", "á" * 6, "twelve bytes", "thirteen byte", "thirteen words"]),
    "range": (pl.String(), ["0-9", "1000000-1999999", "2000000-2999999"]),
    "category": (pl.Categorical(), ["b", "a"]),
    "small": (pl.Int8(), [-128, -1, 0, 127]),
    "large": (pl.UInt64(), [0, 2**63, 2**64 - 1]),
    "float": (pl.Float64(), [0.0, -0.0, NAN, 1.5, -1.5, float("inf")]),
    "single": (pl.Float32(), [0.0, -0.0, NAN, 0.1]),
    "day": (pl.Date(), [date(1969, 12, 31), date(1970, 1, 1), date(2024, 2, 29)]),
    "moment": (pl.Datetime("us", "Europe/Berlin"), [datetime(2024, 10, 27, h, tzinfo=UTC) for h in (0, 1, 2)]),
    "clock": (pl.Time(), [time(0), time(23, 59, 59, 999999)]),
    "span": (pl.Duration("ms"), [timedelta(0), timedelta(days=-1)]),
    "truth": (pl.Boolean(), [True, False]),
    "money": (pl.Decimal(38, 2), [Decimal("0.01"), Decimal("-1.00"), Decimal(10**30)]),
}


def expected(column: pl.Series) -> list[Any]:
    """NaN is null, -0.0 is 0.0."""
    values = column.cast(pl.String).to_list() if isinstance(column.dtype, pl.Categorical) else column.to_list()
    return [None if value != value else value + 0.0 if isinstance(value, float) else value for value in values]


@settings(max_examples=40, deadline=None)
@given(
    drawn=st.lists(st.tuples(*(st.none() | st.sampled_from(values) for _, values in VALUES.values())), max_size=12),
    batch=st.sampled_from([2, 5, 100]),
    few=st.sampled_from([2, 50_000]),
    is_large=st.booleans(),
    has_views=st.booleans(),
    odd=st.sampled_from([0, None]),
)
def test_codes_are_positions_in_the_sorted_values(
    drawn: list[tuple[Any, ...]], batch: int, few: int, is_large: bool, has_views: bool, odd: int | None
) -> None:
    frame = pl.DataFrame(drawn, schema={name: dtype for name, (dtype, _) in VALUES.items()}, orient="row")
    parts = pl.concat([frame[at : at + batch] for at in range(0, max(frame.height, 1), batch)], rechunk=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learning, "FEW", few)  # 2: most columns are coded as a whole
        if odd is not None:
            patch.setattr(learning, "_ODD", np.full(2, odd, np.uint64))  # 0: every value shares its slot with another
        if not has_views:
            patch.setattr(learning, "words", lambda _texts: None)
        found = read_codes(parts.lazy(), list(VALUES), is_large=is_large)
    for name, column in found.items():
        assert [column.values[int(code)] for code in column.codes] == expected(frame[name])
        present = column.values.drop_nulls()
        assert present.n_unique() == len(present) == len(column.values) - column.values.null_count()
        assert column.values.equals(column.values.sort(nulls_last=True), null_equal=True)
        assert column.size == len(set(map(repr, expected(frame[name]))))


def test_columns_are_read_once_in_passes_that_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "HELD", 20)
    read: list[list[str]] = []

    def noted(frame: pl.LazyFrame, names: Sequence[str], *, is_large: bool) -> dict[str, Coded]:
        read.append(list(names))
        return read_codes(frame, names, is_large=is_large)

    monkeypatch.setattr(reading, "read_codes", noted)
    columns = Columns(pl.LazyFrame({name: range(10) for name in "abc"}), 10)
    columns.read(["a", "b", "c", "a"])
    assert columns.coded("c").size == 10
    assert read == [["a", "b"], ["c"]]
    columns.forget("a")
    columns.coded("a")
    assert read[2:] == [["a"]]


@pytest.mark.parametrize("values", [learning.FEW, learning.FEW + 1, learning.NONE + 2])
def test_a_batch_of_more_values_than_codes_is_read_as_a_whole(values: int) -> None:
    numbers = pl.DataFrame({"number": range(values)}).with_columns(text=pl.col("number").cast(pl.String))
    found = read_codes(numbers.lazy(), numbers.columns, is_large=True)
    assert [column.size for column in found.values()] == [values, values]
    assert found["number"].codes.tolist() == list(range(values))


def test_no_more_is_read_to_learn_once_no_column_has_few_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "FEW", 2)
    read: list[int] = []

    def pieces(frame: pl.LazyFrame) -> Iterator[pl.DataFrame]:
        for piece in frame.collect().iter_slices(4):
            read.append(piece.height)
            yield piece

    monkeypatch.setattr(reading, "_batches", pieces)
    assert read_codes(pl.LazyFrame({"a": range(40)}), ["a"], is_large=True)["a"].codes.tolist() == list(range(40))
    assert len(read) == 2
