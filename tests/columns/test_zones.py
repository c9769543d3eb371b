"""Moving on a zone's wall clock, against the engine's own conversions and against Python's."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.columns.shift import _moved_one_by_one, moved
from anonym.columns.zones import DAY, YEARS_1_TO_9999, _clock, _offsets, moved_by_days

ZONES = [
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",  # half an hour forward
    "Pacific/Apia",  # skipped a day
    "Pacific/Kwajalein",  # skipped another
    "Africa/Casablanca",  # forward and back around a month
    "Africa/Freetown",  # two changes four days apart
    "Asia/Kathmandu",
    "Europe/London",  # an hour forward from 1968 to 1971
    "Etc/GMT+5",
]


def moments_of(zone: str, unit: Any, seconds: np.ndarray[Any, Any]) -> pl.Series:
    return pl.Series("at", seconds * 1000).cast(pl.Datetime("ms", zone)).dt.cast_time_unit(unit)


def around_changes(zone: str) -> np.ndarray[Any, Any]:
    """UTC seconds within a day and a half of every change of the zone in the usual years, at its second and beside."""
    starts = _clock(zone, -25_567, 47_482).starts[1:]
    away = np.array([-129_600, -86_400, -3600, -1800, -1, 0, 1, 1799, 3599, 3600, 86_399, 86_400])
    return (starts[:, None] + away).ravel() if len(starts) else np.arange(0, 10**9, 10**7)


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("days", [1, 2, 29, 180])
def test_moments_around_every_change_move_as_by_the_engine(zone: str, days: int) -> None:
    seconds = np.concatenate([around_changes(zone), around_changes(zone) - days * DAY])
    at = moments_of(zone, "us", seconds)
    by = pl.Series([days] * len(at), dtype=pl.Int32)
    later = moved_by_days(at, by, zone)
    assert later is not None
    assert later.equals(_moved_one_by_one(at, by, zone))


@settings(deadline=None)  # the first call compiles
@given(
    st.sampled_from(ZONES),
    st.sampled_from(["ms", "us", "ns"]),
    st.lists(st.tuples(st.integers(-(2**31), 2**32), st.integers(1, 5000)), min_size=1, max_size=20),
)
def test_any_moments_move_as_by_the_engine(zone: str, unit: Any, rows: list[tuple[int, int]]) -> None:
    at = moments_of(zone, unit, np.array([second for second, _ in rows]))
    by = pl.Series([days for _, days in rows], dtype=pl.Int32)
    assert moved(at, by, "at").equals(_moved_one_by_one(at, by, zone))


@given(st.sampled_from(ZONES), st.datetimes(datetime(1980, 1, 1), datetime(2035, 1, 1)))
def test_offsets_are_those_of_the_zone_database(zone: str, moment: datetime) -> None:
    """Python reads another copy of it."""
    utc = moment.replace(microsecond=0, tzinfo=ZoneInfo("UTC"))
    expected = utc.astimezone(ZoneInfo(zone)).utcoffset()
    assert timedelta(seconds=int(_offsets(np.array([int(utc.timestamp())]), zone)[0])) == expected


@pytest.mark.parametrize("zone", ZONES)
def test_no_two_changes_lie_within_a_day(zone: str) -> None:
    """What segments by day rest on; looked for hour by hour, where the clock itself looks day by day."""
    hours = np.arange(-25_567 * 24, 25_000 * 24, dtype=np.int64) * 3600
    changes = hours[1:][np.diff(_offsets(hours, zone)) != 0]
    assert len(changes) == len([s for s in _clock(zone, -25_567, 47_482).starts[1:] if s <= hours[-1]])
    assert not len(changes) or int(np.diff(changes, prepend=-(10**12)).min()) > 2 * DAY


def test_years_before_1900_and_after_2100_have_a_clock_too() -> None:
    for year in (2, 1583, 1850, 2150, 2300, 9990):
        at = pl.Series("at", [datetime(year, 3, 9, 2, 30)]).dt.replace_time_zone("America/New_York")
        by = pl.Series([200], dtype=pl.Int32)
        later = moved_by_days(at, by, "America/New_York")
        assert later is not None
        assert later.equals(_moved_one_by_one(at, by, "America/New_York"))


def test_years_beyond_9999_are_moved_value_by_value() -> None:
    far = pl.Series("at", [(YEARS_1_TO_9999[1] + 400) * DAY * 1000, None]).cast(pl.Datetime("ms", "Europe/Berlin"))
    by = pl.Series([3, 3], dtype=pl.Int32)
    assert moved_by_days(far.drop_nulls(), by.head(1), "Europe/Berlin") is None
    later = moved(far, by, "at")
    assert (later.to_physical() - far.to_physical()).to_list() == [3 * DAY * 1000, None]


def test_nothing_moves_where_there_are_only_nulls_or_no_rows() -> None:
    zoned = pl.Datetime("us", "Europe/Berlin")
    for values in ([], [None, None]):
        by = pl.Series([3] * len(values), dtype=pl.Int32)
        assert moved(pl.Series("at", values, dtype=zoned), by, "at").equals(pl.Series("at", values, dtype=zoned))
