"""Shifted dates: one secret number of days a unit, and nothing else changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.columns import shift
from anonym.columns.keys import Key, Keyring, SecretKey
from anonym.columns.shift import Shift, moved
from anonym.errors import InputError

KEY = Key("env:SAMPLE_KEY")
RING = Keyring({KEY: SecretKey(b"0123456789abcdef0123456789abcdef")}, salt=b"s" * 32)
YEAR = Shift(365, KEY)
NEW_YORK = ZoneInfo("America/New_York")


def shifted(frame: pl.DataFrame, action: Shift = YEAR, column: str = "at", ring: Keyring = RING) -> pl.Series:
    expressions = shift.release(column, frame.schema[column], action, "unit", frame.schema["unit"], ring)
    return frame.lazy().select(expressions).collect()[column]


def by(days: int, values: Sequence[Any], dtype: Any = None) -> list[Any]:
    series = pl.Series("at", values, dtype=dtype)
    return moved(series, pl.Series([days] * len(series), dtype=pl.Int32), "at").to_list()


units = st.sampled_from(["a", "b", None])
dates = st.none() | st.dates(date(1900, 1, 1), date(2100, 1, 1))
rows = st.lists(st.tuples(units, dates), min_size=1, max_size=20)


@settings(deadline=None)  # the first call compiles
@given(rows, st.integers(1, 400))
def test_dates_move_by_one_number_of_days_a_unit(table: list[tuple[str | None, date | None]], days: int) -> None:
    frame = pl.DataFrame(table, schema={"unit": pl.String, "at": pl.Date}, orient="row")
    result = shifted(frame, Shift(days, KEY)).to_list()
    offsets: dict[str | None, set[int]] = {}
    for (unit, before), after in zip(table, result, strict=True):
        assert (before is None) == (after is None)
        if before is not None and after is not None:
            offsets.setdefault(unit, set()).add((after - before).days)
    assert all(len(of_unit) == 1 for of_unit in offsets.values())
    assert all(1 <= offset <= days for of_unit in offsets.values() for offset in of_unit)


moments = st.datetimes(datetime(1990, 1, 1), datetime(2035, 1, 1))


@settings(deadline=None)  # the first call compiles
@given(moments, st.integers(1, 400), st.sampled_from(["America/New_York", "Europe/Paris", "Australia/Lord_Howe"]))
def test_local_time_and_calendar_days_are_kept_across_daylight_saving(moment: datetime, days: int, zone: str) -> None:
    before = moment.replace(tzinfo=ZoneInfo(zone))
    exists = before.astimezone(ZoneInfo("UTC")).astimezone(ZoneInfo(zone)).replace(tzinfo=None) == moment
    if not exists:
        return
    [after] = by(days, [before], pl.Datetime("us", zone))
    wall = moment + timedelta(days=days)
    expected = wall.replace(tzinfo=ZoneInfo(zone)).astimezone(ZoneInfo("UTC")).astimezone(ZoneInfo(zone))
    assert after == expected
    assert after.date() == wall.date()


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_a_time_in_the_spring_gap_moves_by_the_gap_and_keeps_its_day(unit: Any) -> None:
    at = [datetime(2025, 3, 8, 2, 30, tzinfo=NEW_YORK), None, datetime(2025, 3, 1, tzinfo=NEW_YORK)]
    column = pl.Series("at", at, dtype=pl.Datetime(unit, "America/New_York"))
    later = moved(column, pl.Series([1, 1, 1], dtype=pl.Int32), "at")
    assert later.dtype == column.dtype
    assert later.to_list() == [
        datetime(2025, 3, 9, 3, 30, tzinfo=NEW_YORK),
        None,
        datetime(2025, 3, 2, tzinfo=NEW_YORK),
    ]


def test_of_a_time_that_occurs_twice_the_first_is_taken() -> None:
    [after] = by(1, [datetime(2025, 11, 1, 1, 30, tzinfo=NEW_YORK)], pl.Datetime("us", "America/New_York"))
    assert after.utcoffset() == timedelta(hours=-4)


def test_a_day_that_a_zone_skipped_whole() -> None:
    apia = ZoneInfo("Pacific/Apia")
    [after] = by(1, [datetime(2011, 12, 29, 10, tzinfo=apia)], pl.Datetime("us", "Pacific/Apia"))
    assert after == datetime(2011, 12, 31, 10, tzinfo=apia)


def test_the_case_of_the_three_people(bench_data: Any) -> None:
    """Across new year, the start of daylight saving and a leap day."""
    path = bench_data.parent / "cases" / "files" / "t08_date_shift.parquet"
    if not path.is_file():
        pytest.skip("the case files are not beside the benchmark data")
    frame = pl.read_parquet(path).rename({"pid": "unit", "ts": "at"})
    result = shifted(frame)
    assert result.dtype == frame["at"].dtype == pl.Datetime("us", "America/New_York")
    both = frame.with_columns(after=result)
    both = both.with_columns(days=pl.col("after").dt.date().diff().over("unit").dt.total_days())
    assert both.drop_nulls("days")["days"].to_list() == [5, 1, 1, 2]
    others = both.filter(pl.col("unit") != "p2")
    assert others["at"].dt.time().equals(others["after"].dt.time(), check_names=False)
    offsets = both.select((pl.col("after").dt.date() - pl.col("at").dt.date()).dt.total_days().alias("o"), "unit")
    assert offsets["o"].min() >= 1
    assert offsets["o"].n_unique() > 1


TYPES = [
    (date(2024, 2, 28), pl.Date()),
    (datetime(2024, 2, 28, 7), pl.Datetime("ms")),
    (datetime(2024, 2, 28, 7), pl.Datetime("us")),
    (datetime(2024, 2, 28, 7), pl.Datetime("ns")),
    (datetime(2024, 2, 28, 7), pl.Datetime("ns", "UTC")),
    ("2024-02-28", pl.String()),
]


@pytest.mark.parametrize(("value", "dtype"), TYPES, ids=[str(dtype) for _, dtype in TYPES])
def test_the_type_stays_and_so_does_null(value: Any, dtype: pl.DataType) -> None:
    frame = pl.DataFrame({"unit": ["a", "a", None], "at": pl.Series([value, None, value], dtype=dtype)})
    result = shifted(frame)
    assert {"at": result.dtype} == shift.released_schema("at", dtype)
    assert result.is_null().to_list() == [False, True, False]
    assert shifted(frame.clear()).dtype == dtype


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("2024-02-28", "2024-03-01"),
        ("2023-12-31 23:59", "2024-01-02 23:59"),
        ("2023-12-31T23:59:01.5Z", "2024-01-02T23:59:01.5Z"),
        ("2023-12-31T23:59+02:00", "2024-01-02T23:59+02:00"),
    ],
)
def test_text_keeps_what_follows_the_date(before: str, after: str) -> None:
    assert by(2, [before]) == [after]


@pytest.mark.parametrize("text", ["31/12/2024", "2024-13-01", "", "soon", "2024-1-5"])
def test_text_that_is_no_iso_date_is_refused_without_showing_it(text: str) -> None:
    with pytest.raises(InputError, match="'at' is text and 1 of its values") as caught:
        by(2, ["2024-02-28", text, None])
    assert not text or text not in str(caught.value)


def test_dates_at_the_end_of_their_type_are_refused() -> None:
    with pytest.raises(InputError, match="too near to the end"):
        by(300, [datetime(2262, 1, 1)], pl.Datetime("ns"))
    assert by(300, [datetime(2262, 1, 1)], pl.Datetime("us")) == [datetime(2262, 10, 28)]


def test_nanoseconds_are_kept() -> None:
    at = pl.Series("at", [1_700_000_000_123_456_789], dtype=pl.Int64).cast(pl.Datetime("ns", "Europe/Paris"))
    later = moved(at, pl.Series([3], dtype=pl.Int32), "at")
    assert (later - at).to_physical().to_list() == [3 * 86_400 * 10**9]


def test_other_types_are_refused() -> None:
    with pytest.raises(InputError, match="cannot be shifted"):
        shift.release("at", pl.Int64(), YEAR, "unit", pl.String(), RING)


def offsets(action: Shift, ring: Keyring = RING, unit: str = "unit") -> list[int]:
    offset = action.offset(unit, ring)
    return [offset(f"p{i}".encode()) for i in range(200)]


def test_an_offset_depends_on_key_scope_release_unit_and_its_column() -> None:
    later = replace(RING, salt=b"t" * 32)
    project = replace(YEAR, scope="project")
    assert offsets(YEAR) == offsets(YEAR)
    assert offsets(YEAR) != offsets(YEAR, later)
    assert offsets(project) == offsets(project, later) != offsets(YEAR)
    assert offsets(YEAR) != offsets(YEAR, unit="other")
    assert offsets(YEAR) != offsets(YEAR, replace(RING, keys={KEY: SecretKey(b"x" * 32)}))


def test_without_a_key_each_release_has_offsets_of_its_own() -> None:
    keyless, ring = Shift(365), Keyring(salt=b"s" * 32)
    assert offsets(keyless, ring) == offsets(keyless, ring)
    assert offsets(keyless, ring) != offsets(keyless, Keyring())
    assert offsets(keyless, RING) != offsets(YEAR, RING)


def test_a_shift_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one day"):
        Shift(0, KEY)
    with pytest.raises(ValueError, match="needs a key"):
        Shift(5, scope="project")


def test_columns_of_one_table_move_together() -> None:
    frame = pl.DataFrame({"unit": ["a"], "at": [date(2024, 1, 1)], "left": [datetime(2024, 1, 9, 5)]})
    assert shifted(frame, column="left")[0].date() - shifted(frame)[0] == timedelta(days=8)


def test_every_offset_from_one_to_days_occurs_evenly() -> None:
    """Chi-squared over ten offsets: right odds pass, a missing tenth offset does not (df 9, 99.99 % at 33.7)."""
    offset = Shift(10, KEY).offset("unit", RING)
    n = 5000
    counts = [0] * 11
    for i in range(n):
        counts[offset(str(i).encode())] += 1
    assert counts[0] == 0
    assert sum((c - n / 10) ** 2 / (n / 10) for c in counts[1:]) < 33.7
    assert sum((c - n / 9) ** 2 / (n / 9) for c in counts[2:]) > 33.7 or counts[1] > 0


def test_integer_units_are_as_their_text() -> None:
    frame = pl.DataFrame({"unit": [7, 8, None], "at": [date(2024, 1, 1)] * 3})
    assert shifted(frame).equals(shifted(frame.cast({"unit": pl.String})))
