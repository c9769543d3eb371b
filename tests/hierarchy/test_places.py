"""Looking values up: every value in its place, and no stranger in anybody's."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.hierarchy import places
from anonym.hierarchy.places import FEW, finder

MANY = [f"town {i:05d}" for i in range(3 * FEW)]

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
    growing = pl.Series(sorted("x" * i for i in range(1, 2 * FEW)))
    column = pl.Series(["x", "y", None, "yy", "x" * 7])
    assert finder(growing, lengths)(column).to_list() == [0, None, None, None, 6]
    assert finder(pl.Series(MANY), lengths)(pl.Series([MANY[7], "town 0000x", None])).to_list() == [7, None, None]


def test_a_hash_that_changes_finds_nothing_wrong() -> None:
    """Hashes are never believed: random ones find no text rather than a wrong one."""
    draw = np.random.default_rng(5)
    find = finder(pl.Series(MANY), lambda texts: draw.permutation(len(MANY))[: len(texts)].astype(np.uint64))
    found = find(pl.Series(MANY)).to_list()
    assert all(at is None or at == i for i, at in enumerate(found))


def test_keys_that_share_all_slots_are_found_by_bisection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "_ODD", (np.uint64(0),) * places.TABLES)
    keys = pl.Series(sorted(int(i) for i in np.random.default_rng(1).integers(-(2**62), 2**62, 300)))
    find = finder(keys)
    assert find(keys).to_list() == list(range(300))
    assert find(keys + 1).is_null().all()


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
