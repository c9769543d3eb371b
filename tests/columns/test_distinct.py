"""Replacement by distinct value: as plain mapping, whatever the batches and the hashes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime, time
from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.columns.canonical import canonical_text
from anonym.columns.distinct import DistinctReplacement, Hashes, derived


class Upper:
    """A replacement that counts what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, text: pl.Series) -> pl.Series:
        self.asked += text.to_list()
        return pl.Series("upper", [value.upper() for value in text.to_list()], dtype=pl.String)


def colliding(text: pl.Series) -> Hashes:
    """Three different hashes for all there is."""
    return text.hash().to_numpy() % np.uint64(3)


texts = st.lists(st.none() | st.text("abcd", max_size=3), max_size=40)


@settings(deadline=None)
@given(st.lists(texts, max_size=6), st.sampled_from([0, 3, 1000]))
def test_batches_are_mapped_as_one_by_one(batches: list[list[str | None]], limit: int) -> None:
    replacement = DistinctReplacement(Upper(), limit=limit)
    for batch in batches:
        result = replacement(pl.Series("x", batch, dtype=pl.String))
        assert result.name == "x"
        assert result.to_list() == [None if v is None else v.upper() for v in batch]


@settings(deadline=None)
@given(st.lists(texts, max_size=6))
def test_texts_that_share_a_hash_are_kept_apart(batches: list[list[str | None]]) -> None:
    replacement = DistinctReplacement(Upper(), hashes=colliding)
    for batch in batches:
        result = replacement(pl.Series("x", batch, dtype=pl.String))
        assert result.to_list() == [None if v is None else v.upper() for v in batch]


WHOLE = [
    pl.Int8(),
    pl.UInt64(),
    pl.Int128(),
    pl.Date(),
    pl.Datetime("us", "Europe/Paris"),
    pl.Time(),
    pl.Duration("ms"),
]
ticks = st.lists(st.none() | st.sampled_from([0, 1, 60, 127]), max_size=20)


@settings(deadline=None)
@given(st.lists(ticks, max_size=6), st.sampled_from(WHOLE), st.sampled_from([0, 2, 1000]))
def test_numbers_and_times_are_mapped_by_their_bits(
    batches: list[list[int | None]], dtype: pl.DataType, limit: int
) -> None:
    """0 has the bits that null is stored with."""
    replacement = DistinctReplacement(lambda fresh: -fresh.to_physical().cast(pl.Int64), limit=limit)
    for batch in batches:
        values = pl.Series("x", batch, dtype=pl.Int64).cast(pl.Int128 if dtype == pl.Int128 else pl.Int64).cast(dtype)
        result = replacement(values)
        assert result.name == "x"
        assert result.to_list() == [None if v is None else -v for v in batch]


def test_days_of_many_years_are_found_in_no_time() -> None:
    """Numbers at equal distances would crowd a table that took their last bits: 36,500 midnights in microseconds."""
    days = pl.Series("x", [86_400_000_000 * day for day in range(36_500)])
    replacement = DistinctReplacement(lambda fresh: fresh // 86_400_000_000)
    assert replacement(days).to_list() == list(range(36_500))
    slots, known = replacement._slots, replacement._known
    taken = np.flatnonzero(slots >= 0)
    assert known == len(taken) == 36_500
    gaps = np.flatnonzero(np.diff(taken) > 1)
    assert int(np.diff(gaps, prepend=-1).max()) < 60, "no long row of slots without a free one"


def test_each_distinct_value_is_asked_once() -> None:
    upper = Upper()
    replacement = DistinctReplacement(upper)
    for start in range(0, 30_000, 10_000):
        replacement(pl.Series("x", [f"v{(start + i) % 7001}" for i in range(10_000)]))
    assert len(upper.asked) == len(set(upper.asked)) == 7001


def test_beyond_the_limit_values_are_forgotten_and_asked_again() -> None:
    upper = Upper()
    replacement = DistinctReplacement(upper, limit=2)
    for _ in range(2):
        replacement(pl.Series("x", ["a", "b", "c", "d"]))
    assert upper.asked == ["a", "b", "c", "d"] * 2


def test_binary_values_are_mapped_too() -> None:
    def first_byte(values: pl.Series) -> pl.Series:
        return pl.Series([v[:1].hex() for v in values.to_list()], dtype=pl.String)

    assert DistinctReplacement(first_byte)(pl.Series("x", [b"\xff1", None, b"\xff2"])).to_list() == ["ff", None, "ff"]


@pytest.mark.parametrize("hashes", [lambda text: text.hash().to_numpy(), colliding])
def test_threads_share_one_table(hashes: object) -> None:
    replacement = DistinctReplacement(Upper(), hashes=hashes)  # type: ignore[arg-type]
    batches = [pl.Series("x", [f"v{(seed * 31 + i) % 97}" for i in range(500)]) for seed in range(40)]
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(replacement, batches))
    assert all(r.equals(b.str.to_uppercase()) for r, b in zip(results, batches, strict=True))


COLUMNS = {
    "integers": pl.Series([5, None, 5, -(2**63)]),
    "huge integers": pl.Series([2**100, None, 5], dtype=pl.Int128),
    "floats": pl.Series([5.0, 0.5, -0.0, 0.0, float("nan"), None]),
    "decimals": pl.Series([Decimal("5.00"), Decimal("0.50"), None]),
    "flags": pl.Series([True, None, False]),
    "dates": pl.Series([date(2024, 1, 31), None]),
    "times": pl.Series([time(9, 30), time(9, 30, 0, 5), None]),
    "zoned timestamps": pl.Series([datetime(2024, 7, 1), None], dtype=pl.Datetime("us", "Europe/Paris")),
    "categories": pl.Series(["b", "a", None], dtype=pl.Categorical),
    "an enum": pl.Series(["b", "a", None], dtype=pl.Enum(["b", "a", "c"])),
    "nulls": pl.Series([None, None]),
    "no rows": pl.Series([], dtype=pl.Int64),
}


@pytest.mark.parametrize("case", COLUMNS)
def test_what_is_derived_follows_from_the_canonical_text(case: str) -> None:
    column = COLUMNS[case].alias("x")
    known = derived(lambda text: text.decode() + "!", pl.String())
    for batch in (column, column.reverse(), column.slice(1)):
        expected = [None if text is None else text + "!" for text in canonical_text(batch).to_list()]
        assert known(batch).to_list() == expected


def test_categories_are_their_texts_in_every_batch() -> None:
    known = derived(lambda text: text.decode(), pl.String())
    for words in (["b", "a"], ["a", "c"], ["c", "b"]):
        assert known(pl.Series("x", words, dtype=pl.Categorical)).to_list() == words
