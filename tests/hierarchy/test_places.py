"""Looking values up: every value in its place, and no stranger in anybody's."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.hierarchy.places import finder
from anonym.hierarchy.slots import enter, find, free_slots

MANY = [f"town {i:05d}" for i in range(3000)]

# values, and what is none of them
COLUMNS: dict[str, tuple[pl.Series, pl.Series]] = {
    "few texts": (pl.Series(["a", "b", "ü"]), pl.Series(["", "A", "c"])),
    "many texts": (pl.Series(MANY), pl.Series(["town 1", "town 00000 ", ""])),
    "small integers": (pl.Series([-128, 0, 127], dtype=pl.Int8), pl.Series([1, -1], dtype=pl.Int8)),
    "compact integers": (pl.Series([-5, 0, 1000]), pl.Series([-6, 1, 1001, 2**63 - 1, -(2**63)])),
    "far integers": (pl.Series([-(2**63), 0, 2**63 - 1]), pl.Series([1, -1, 2**62])),
    "integers without sign": (
        pl.Series([2**63, 2**64 - 2, 2**64 - 1], dtype=pl.UInt64),
        pl.Series([0, 2**63 - 1, 2**64 - 3], dtype=pl.UInt64),
    ),
    "compact integers without sign": (
        pl.Series([2**64 - 3, 2**64 - 1], dtype=pl.UInt64),
        pl.Series([0, 2**64 - 2, 2**63], dtype=pl.UInt64),
    ),
    "floats": (pl.Series([-1e300, 0.0, 0.1, 1e300]), pl.Series([0.2, -0.1, 1e-300])),
    "single floats": (pl.Series([0.1, 0.5], dtype=pl.Float32), pl.Series([0.2, 0.0], dtype=pl.Float32)),
    "dates": (pl.Series([date(1900, 1, 1), date(2100, 1, 1)]), pl.Series([date(1970, 1, 1), date(1, 1, 1)])),
    "timestamps": (pl.Series([datetime(1900, 1, 1), datetime(2100, 1, 1)]), pl.Series([datetime(1970, 1, 1)])),
    "times": (pl.Series([time(0), time(23, 59, 59, 999_999)]), pl.Series([time(12), time(0, 0, 0, 1)])),
    "lengths": (pl.Series([timedelta(-3), timedelta(microseconds=1)]), pl.Series([timedelta(0), timedelta(9)])),
}


@pytest.mark.parametrize("case", COLUMNS)
def test_every_value_is_found_and_no_stranger_is(case: str) -> None:
    values, strangers = COLUMNS[case]
    find = finder(values)
    backwards = pl.concat([values.reverse(), pl.Series([None], dtype=values.dtype)])
    assert find(backwards).to_list() == [*reversed(range(len(values))), None]
    assert find(strangers).to_list() == [None] * len(strangers)
    assert find(values.clear()).to_list() == []
    assert find(values).dtype == pl.Int32


def test_nothing_is_found_among_no_values() -> None:
    assert finder(pl.Series([], dtype=pl.String))(pl.Series(["a", None])).to_list() == [None, None]


def test_texts_of_one_hash_are_told_apart() -> None:
    """A hash that takes strangers for known texts, and one that takes known texts for one another."""
    lengths = lambda texts: texts.str.len_bytes().fill_null(0).cast(pl.UInt64).to_numpy()  # noqa: E731
    growing = pl.Series(sorted("x" * i for i in range(1, 2000)))
    column = pl.Series(["x", "y", None, "yy", "x" * 7])
    assert finder(growing, lengths)(column).to_list() == [0, None, None, None, 6]
    assert finder(pl.Series(MANY), lengths)(pl.Series([MANY[7], "town 0000x", None])).to_list() == [7, None, None]


def test_a_hash_that_changes_finds_nothing_wrong() -> None:
    """Hashes are never believed: random ones find no text rather than a wrong one."""
    draw = np.random.default_rng(5)
    find = finder(pl.Series(MANY), lambda texts: draw.permutation(len(MANY))[: len(texts)].astype(np.uint64))
    found = find(pl.Series(MANY)).to_list()
    assert all(at is None or at == i for i, at in enumerate(found))


STRIDES = [1, 2**11, 2**32, 2**44, 1000, 60 * 10**9, 86_400 * 10**3, 86_400 * 10**6, 86_400 * 10**9, 0x9E3779B97F4A7C15]


@pytest.mark.parametrize("stride", STRIDES)
def test_numbers_at_equal_distances_do_not_crowd(stride: int) -> None:
    """Four slots a key: on the way to a random key's slot lies another one in eight times; ten would be a crowd."""
    keys = np.arange(1000, dtype=np.uint64) * np.uint64(stride)
    slots, known = free_slots(len(keys), 4), np.empty_like(keys)
    enter(keys, slots, known, 0, np.empty(1000, np.uint32), np.empty(1000, np.int64))
    taken = np.flatnonzero(slots >= 0)
    runs = np.diff(np.flatnonzero(np.diff(np.append(taken, taken[-1] + 2)) > 1), prepend=-1)
    assert int(runs.max()) <= 10
    places = np.empty(1000, np.int32)
    find(keys, slots, known, places)
    assert places.tolist() == list(range(1000))


def test_slots_that_are_full_but_for_one_still_end_every_search() -> None:
    slots, keys = free_slots(3, 1), np.arange(3, dtype=np.uint64)
    assert len(slots) == 4
    enter(keys, slots, np.empty_like(keys), 0, np.empty(3, np.uint32), np.empty(3, np.int64))
    places = np.empty(50, np.int32)
    find(np.arange(50, dtype=np.uint64), slots, keys, places)
    assert places.tolist() == [0, 1, 2, *[3] * 47]


@settings(deadline=None)
@given(
    st.one_of(
        st.sets(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=200),
        st.sets(st.integers(-(2**19), 2**19), min_size=1, max_size=200),
        st.sets(st.text("ab\0ü", max_size=6), min_size=1, max_size=60),
    ),
    st.data(),
)
def test_places_are_those_of_a_dictionary(keys: set[Any], data: st.DataObject) -> None:
    values = pl.Series(sorted(keys, key=lambda key: key.encode() if isinstance(key, str) else key))
    known = {value: place for place, value in enumerate(values.to_list())}
    one = st.sampled_from(values.to_list()) | (st.text("ab\0ü", max_size=6) if "" in keys else st.none())
    column = data.draw(st.lists(st.none() | one, max_size=50))
    found = finder(values)(pl.Series(column, dtype=values.dtype)).to_list()
    assert found == [known.get(value) for value in column]
