"""What a released cell covers: a table of every form, and the naive reading of labels."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from anonym.attacks.cover import Known, covers


def covered(known: Known, cells: pl.DataFrame | pl.Series, values: pl.Series) -> list[list[Any]]:
    """For each cell the values it covers."""
    table = cells.to_frame() if isinstance(cells, pl.Series) else cells
    pairs = covers(known, table, values)
    assert not pairs.is_duplicated().any()
    return [sorted(values[v] for v in pairs.filter(pl.col("cell") == i)["value"] if values[v] is not None)
            for i in range(table.height)]  # fmt: skip


AGE = Known("age", ("age",), "age", "interval")


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("30-39", [30, 35, 39]),
        ("[30, 40)", [30, 35, 39]),
        ("(30, 40)", [35, 39]),
        ("[30, 40]", [30, 35, 39, 40]),
        (">=40", [40, 90]),
        (">40", [90]),
        ("<=-5", [-5]),
        ("<30", [-5, 29]),
        ("-10--5", [-5]),
        ("35", [35]),
        ("35.0", [35]),
        ("*", [-5, 29, 30, 35, 39, 40, 90]),
        ("no label", []),
        (None, []),
    ],
)
def test_labels_of_integers(label: str | None, expected: list[int]) -> None:
    values = pl.Series([90, 29, 30, None, 39, 40, 35, -5], dtype=pl.Int64)
    assert covered(AGE, pl.Series([label], dtype=pl.String), values) == [expected]


TIMES = pl.Series([time(8), time(8, 29, 59, 999_999), time(8, 30), None, time(23, 59)])
LENGTHS = pl.Series([timedelta(hours=-1), timedelta(0), timedelta(minutes=90), None, timedelta(days=2)])
HOURS = {
    "08:00:00": (TIMES, [0]),
    "[08:00, 08:30)": (TIMES, [0, 1]),
    "(08:00, 08:30)": (TIMES, [1]),
    "[22:00, 24:00)": (TIMES, [4]),
    ">=08:30": (TIMES, [2, 4]),
    "<08:30": (TIMES, [0, 1]),
    "1h30m": (LENGTHS, [2]),
    "[0s, 1h30m)": (LENGTHS, [1]),
    "<=1h30m": (LENGTHS, [0, 1, 2]),
    ">1h30m": (LENGTHS, [4]),
    "[1, 2)": (LENGTHS, []),
    "*": (LENGTHS, [0, 1, 2, 4]),
}


@pytest.mark.parametrize("label", HOURS)
def test_labels_of_times_and_durations(label: str) -> None:
    values, places = HOURS[label]
    expected = sorted(values.gather(places).to_list())
    assert covered(Known("at", ("at",), "at", "interval"), pl.Series([label]), values) == [expected]


def test_texts_of_an_auxiliary_table_are_read_as_times() -> None:
    values = pl.Series(["08:15", "8:15", "08:45:10", None])
    known = Known("at", ("at",), "at", "interval")
    cells = pl.Series([time(8, 15), time(8, 45, 10)])
    assert covered(known, cells, values) == [["08:15"], ["08:45:10"]]


@pytest.mark.parametrize(("seconds", "found"), [(0.0, []), (59.0, []), (60.0, [time(8, 30)])])
def test_a_tolerance_of_times_is_in_seconds(seconds: float, found: list[time]) -> None:
    known = Known("at", ("at",), "at", "interval", tolerance=seconds)
    assert covered(known, pl.Series(["[08:31, 08:32)"]), pl.Series([time(8, 30)])) == [found]


def test_star_says_nothing_so_a_null_fits_it_and_null_fits_nothing_else() -> None:
    values = pl.Series([None, 1], dtype=pl.Int64)
    pairs = covers(AGE, pl.DataFrame({"age": ["*", None, "0-9"]}), values)
    assert sorted(pairs.rows()) == [(0, 0), (0, 1), (2, 1)]


def test_floats_are_the_decimals_they_print_as() -> None:
    values = pl.Series([0.1, 0.3, 0.30000000000000004, 0.4])
    assert covered(AGE, pl.Series(["[0.1, 0.3)", "[0.3, 0.4)", "0.3"]), values) == [
        [0.1],
        [0.3, 0.30000000000000004],
        [0.3],
    ]


def test_decimals_and_text_numbers() -> None:
    values = pl.Series([Decimal("1.50"), Decimal("2.00")])
    assert covered(AGE, pl.Series(["[1, 2)", "2"]), values) == [[Decimal("1.50")], [Decimal("2.00")]]
    assert covered(AGE, pl.Series(["30-39"]), pl.Series(["31", "40", "x", None])) == [["31"]]


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("2024-02-29", [2]),
        ("2024-02", [1, 2]),
        ("2024-Q1", [1, 2, 3]),
        ("2024", [1, 2, 3, 4]),
        ("2020s", [0, 1, 2, 3, 4]),
        (">=2024-03-31", [3, 4]),
        ("<=2024-02-01", [0, 1]),
        ("2024-13", []),
        ("*", [0, 1, 2, 3, 4]),
    ],
)
@pytest.mark.parametrize("dtype", [pl.Date, pl.Datetime("us"), pl.Datetime("ms", "Europe/Berlin"), pl.String])
def test_labels_of_dates(label: str, expected: list[int], dtype: Any) -> None:
    days = pl.Series([date(2023, 12, 31), date(2024, 2, 1), date(2024, 2, 29), date(2024, 3, 31), date(2024, 4, 1)])
    values = days
    if dtype == pl.String:
        values = days.cast(pl.String)
    elif dtype != pl.Date:
        values = days.cast(pl.Datetime("us")).dt.replace_time_zone(dtype.time_zone).cast(dtype)
    pairs = covers(Known("d", ("d",), "d", "date"), pl.DataFrame({"d": [label]}), values)
    assert sorted(pairs["value"]) == expected


def test_moments_of_level_zero() -> None:
    values = pl.Series([datetime(2024, 1, 1, 9, 30), datetime(2024, 1, 1, 9, 30, 0, 1)])
    assert covered(Known("d", ("d",), "d", "date"), pl.Series(["2024-01-01T09:30:00"]), values) == [[values[0]]]


def test_prefixes_only_where_the_policy_says_prefix() -> None:
    zips, values = pl.Series(["112**", "11234", "11*"]), pl.Series(["11234", "11299", "11111", "22222", "112**"])
    prefix = Known("zip", ("zip",), "zip", "prefix")
    assert covered(prefix, zips, values)[0] == ["112**", "11234", "11299"]
    assert covered(prefix, zips, values)[2] == ["11111", "112**", "11234", "11299"]
    assert covered(Known("zip", ("zip",), "zip"), zips, values) == [["112**"], ["11234"], []]


def test_file_hierarchies_by_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "school.csv"
    path.write_text("1st;primary;*\n2nd;primary;*\nBA;higher;*\n31;higher;*\n")
    known = Known("school", ("school",), "school", "file", file=path)
    cells = pl.Series(["primary", "higher", "BA", "*", None])
    values = pl.Series(["1st", "BA", "unlisted"])
    assert covered(known, cells, values) == [["1st"], ["BA"], ["BA"], ["1st", "BA", "unlisted"], []]
    assert covered(known, pl.Series(["higher", "31"]), pl.Series([31.0, 1.5])) == [[31.0], [31.0]]


def test_rounded_numbers_reach_as_far_as_every_level_rounds() -> None:
    known = Known("x", ("x",), "x", "round", decimals=(1, 0))
    values = pl.Series([0.46, 0.44, 1.0, 12.0])
    assert covered(known, pl.Series(["1", "0", "0.5", "0.46", ">=12"]), values) == [
        [0.46, 1.0],  # 0.46 is 0.5, then 1
        [0.44],
        [0.46],
        [0.46],
        [12.0],
    ]


def test_beyond_a_coded_end_only_the_coded_label_fits() -> None:
    known = Known("d", ("d",), "d", "date", top=date(2024, 7, 1))
    values = pl.Series([date(2024, 6, 30), date(2024, 7, 1)])
    cells = pl.Series(["2024", ">=2024-07-01", "*"])
    assert covered(known, cells, values) == [[values[0]], [values[1]], [values[0], values[1]]]


def test_bounds_are_inclusive_and_open_where_one_is_null() -> None:
    cells = pl.DataFrame({"age_low": [30, None, 90, None], "age_high": [39, 5, None, None]})
    values = pl.Series([5, 30, 39, 95, None])
    known = Known("age", ("age_low", "age_high"), "age", "interval")
    assert covered(known, cells, values) == [[30, 39], [5], [95], [5, 30, 39, 95]]


def test_sets_are_ranges_of_numbers_and_members_of_categories() -> None:
    known = Known("c", ("c",), "c")
    ranges = pl.Series([[1, 3], [None], None], dtype=pl.List(pl.Int64))
    assert covered(known, ranges, pl.Series([0, 1, 2, 3, None])) == [[1, 2, 3], [], [0, 1, 2, 3]]
    members = pl.Series([["a", "c"], [None], None], dtype=pl.List(pl.String))
    assert covered(known, members, pl.Series(["a", "b", "c", None])) == [["a", "c"], [], ["a", "b", "c"]]


def test_values_that_were_not_generalised_match_as_values() -> None:
    assert covered(Known("n", ("n",), "n"), pl.Series([1, 2]), pl.Series([1.0, 1.5])) == [[1.0], []]
    assert covered(Known("b", ("b",), "b"), pl.Series(["true", "false"]), pl.Series([True])) == [[True], []]
    days = pl.Series([date(2024, 1, 1), date(2024, 1, 2)])
    assert covered(Known("d", ("d",), "d"), days, days.head(1)) == [[days[0]], []]


def test_normalised_columns_match_by_what_the_policy_made_equal() -> None:
    known = Known("city", ("city",), "city", normalise=("trim", "casefold"))
    assert covered(known, pl.Series(["ulm"]), pl.Series([" Ulm", "Bonn"])) == [[" Ulm"]]
