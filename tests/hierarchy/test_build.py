"""Hierarchies over a column: tables of cases by name, and against a twin that goes value by value."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal as D
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import hierarchy as naive

from anonym.errors import InputError, PolicyError
from anonym.hierarchy.build import DAYS, build
from anonym.hierarchy.clock import Seconds
from anonym.hierarchy.labels import leaf_text, printed
from anonym.hierarchy.model import (
    Breaks,
    Dates,
    Declaration,
    FileHierarchy,
    Hierarchy,
    Identity,
    Interval,
    Prefix,
    Rounded,
    Suppress,
)

Write = Callable[[str], Path]


def interval(*widths: str) -> Interval:
    return Interval(tuple(map(D, widths)))


def label_rows(hierarchy: Hierarchy) -> list[list[str | None]]:
    return [hierarchy.labels.gather(nodes).to_list() for nodes in hierarchy.ancestor.astype(np.int64)]


def bounds(hierarchy: Hierarchy, level: int) -> list[tuple[Any, Any]]:
    assert hierarchy.low is not None
    assert hierarchy.high is not None
    nodes = hierarchy.ancestor[level].astype(np.int64)
    return list(zip(hierarchy.low.gather(nodes).to_list(), hierarchy.high.gather(nodes).to_list(), strict=True))


def costs(hierarchy: Hierarchy, level: int) -> list[float]:
    return [float(cost) for cost in hierarchy.cost[hierarchy.ancestor[level]]]


INTEGERS = pl.Series([-6, -5, 0, 4, 5, 30, 39, None], dtype=pl.Int16)
BELOW = math.nextafter
JUST = 0.05  # the float below it, times 100, is 5.0

CASES: dict[str, tuple[Declaration, pl.Series, dict[str, Any], list[list[str | None]]]] = {
    "integers in intervals": (
        interval("5", "10"),
        INTEGERS,
        {},
        [
            ["-6", "-5", "0", "4", "5", "30", "39", None],
            ["-10--6", "-5--1", "0-4", "0-4", "5-9", "30-34", "35-39", None],
            ["-10--1", "-10--1", "0-9", "0-9", "0-9", "30-39", "30-39", None],
            ["*"] * 8,
        ],
    ),
    "integers in intervals of one": (
        interval("1"),
        pl.Series([3, 4]),
        {},
        [["3", "4"], ["3", "4"], ["*", "*"]],
    ),
    "integers in intervals of a fraction keep whole ends": (
        interval("2.5"),
        pl.Series([2, 3, 4, 5]),
        {},
        [["2", "3", "4", "5"], ["0-2", "3-4", "3-4", "5-7"], ["*"] * 4],
    ),
    "a label may pass what the type can hold": (
        interval("10"),
        pl.Series([-128, 127], dtype=pl.Int8),
        {},
        [["-128", "127"], ["-130--121", "120-129"], ["*", "*"]],
    ),
    "integers beyond Int64": (
        interval("10"),
        pl.Series([2**64 - 1], dtype=pl.UInt64),
        {},
        [["18446744073709551615"], ["18446744073709551610-18446744073709551619"], ["*"]],
    ),
    "top and bottom code and cut": (
        interval("20"),
        pl.Series([3, 5, 6, 17, 88, 89, 90, 91, 104, None]),
        {"top": D(90), "bottom": D(5)},
        [
            ["<=5", "<=5", "6", "17", "88", "89", ">=90", ">=90", ">=90", None],
            ["<=5", "<=5", "6-19", "6-19", "80-89", "80-89", ">=90", ">=90", ">=90", None],
            ["*"] * 10,
        ],
    ),
    "top between two integers": (
        interval("10"),
        pl.Series([89, 90]),
        {"top": D("89.5")},
        [["89", ">=89.5"], ["80-89", ">=89.5"], ["*", "*"]],
    ),
    "top of a column that is only suppressed or as it is": (
        Suppress(),
        pl.Series([1.5, 99.0]),
        {"top": D("9.50")},
        [["1.5", ">=9.5"], ["*", "*"]],
    ),
    "floats": (
        interval("0.1", "0.2"),
        pl.Series([-0.05, 0.0, 0.3, 0.7, 3.0, 1e-7]).sort(),
        {},
        [
            ["-0.05", "0.0", "1e-7", "0.3", "0.7", "3.0"],
            ["[-0.1, 0)", "[0, 0.1)", "[0, 0.1)", "[0.3, 0.4)", "[0.7, 0.8)", "[3, 3.1)"],
            ["[-0.2, 0)", "[0, 0.2)", "[0, 0.2)", "[0.2, 0.4)", "[0.6, 0.8)", "[3, 3.2)"],
            ["*"] * 6,
        ],
    ),
    "single precision is what it prints": (
        interval("0.1"),
        pl.Series([0.3, 0.7, 16777216.0], dtype=pl.Float32),
        {},
        [["0.3", "0.7", "16777216.0"], ["[0.3, 0.4)", "[0.7, 0.8)", "[16777216, 16777216.1)"], ["*"] * 3],
    ),
    "integers at the end of Int64": (
        interval("10"),
        pl.Series([-(2**63), 2**63 - 1]),
        {},
        [
            ["-9223372036854775808", "9223372036854775807"],
            ["-9223372036854775810--9223372036854775801", "9223372036854775800-9223372036854775809"],
            ["*", "*"],
        ],
    ),
    "bottom on an edge": (
        interval("5"),
        pl.Series([5.0, 6.0]),
        {"bottom": D(5)},
        [["<=5", "6.0"], ["<=5", "(5, 10)"], ["*", "*"]],
    ),
    "floats just below an edge": (
        interval("0.01"),
        pl.Series([BELOW(JUST, 0), JUST]),
        {},
        [
            [str(BELOW(JUST, 0)), str(JUST)],
            [f"[{JUST - 0.01:.2f}, {JUST})", f"[{JUST}, {JUST + 0.01:.2f})"],
            ["*", "*"],
        ],
    ),
    "floats far beyond the width": (
        interval("5"),
        pl.Series([1e17]),
        {},
        [["1e+17"], ["[100000000000000000, 100000000000000005)"], ["*"]],
    ),
    "floats cut at both ends": (
        interval("10"),
        pl.Series([5.0, 5.5, 89.5, 90.0]),
        {"top": D(90), "bottom": D(5)},
        [["<=5", "5.5", "89.5", ">=90"], ["<=5", "(5, 10)", "[80, 90)", ">=90"], ["*"] * 4],
    ),
    "decimals": (
        interval("10"),
        pl.Series([D("9.99"), D("10.00"), D("19.99"), D("20.00")], dtype=pl.Decimal(6, 2)),
        {},
        [["9.99", "10.00", "19.99", "20.00"], ["[0, 10)", "[10, 20)", "[10, 20)", "[20, 30)"], ["*"] * 4],
    ),
    "decimals that floats cannot tell apart": (
        interval("1"),
        pl.Series([D("9007199254740992.00"), D("9007199254740993.00")], dtype=pl.Decimal(20, 2)),
        {},
        [
            ["9007199254740992.00", "9007199254740993.00"],
            ["[9007199254740992, 9007199254740993)", "[9007199254740993, 9007199254740994)"],
            ["*", "*"],
        ],
    ),
    "breaks on integers": (
        Breaks(((D(18), D(65)), (D(18),))),
        pl.Series([17, 18, 64, 65]),
        {},
        [["17", "18", "64", "65"], ["<=17", "18-64", "18-64", ">=65"], ["<=17", ">=18", ">=18", ">=18"], ["*"] * 4],
    ),
    "breaks on floats": (
        Breaks(((D("0.5"), D(1)),)),
        pl.Series([0.4, 0.5, 1.0]),
        {},
        [["0.4", "0.5", "1.0"], ["<0.5", "[0.5, 1)", ">=1"], ["*"] * 3],
    ),
    "breaks between top and bottom": (
        Breaks(((D(3),),)),
        pl.Series([1.0, 2.0, 3.0, 9.0]),
        {"top": D(9), "bottom": D(1)},
        [["<=1", "2.0", "3.0", ">=9"], ["<=1", "(1, 3)", "[3, 9)", ">=9"], ["*"] * 4],
    ),
    "rounding rounds what was rounded": (
        Rounded((1, 0, -1)),
        pl.Series([-0.46, 0.44, 0.46, 0.5, 44.5]),
        {},
        [
            ["-0.46", "0.44", "0.46", "0.5", "44.5"],
            ["-0.5", "0.4", "0.5", "0.5", "44.5"],
            ["0", "0", "1", "1", "45"],
            ["0", "0", "0", "0", "50"],
            ["*"] * 5,
        ],
    ),
    "prefixes": (
        Prefix((3, 1)),
        pl.Series(["", "11", "11234", "112é", "2", None]),
        {},
        [
            ["", "11", "11234", "112é", "2", None],
            ["*****", "11***", "112**", "112**", "2****", None],
            ["*****", "1****", "1****", "1****", "2****", None],
            ["*"] * 6,
        ],
    ),
    "prefixes count characters, not bytes": (
        Prefix((2,)),
        pl.Series(["äöü", "äöß"]).sort(),
        {},
        [["äöß", "äöü"], ["äö*", "äö*"], ["*", "*"]],
    ),
    "prefixes of whole numbers": (
        Prefix((2,)),
        pl.Series([5, 101, 109]),
        {},
        [["5", "101", "109"], ["5**", "10*", "10*"], ["*"] * 3],
    ),
    "a value that prints as the root is the root": (
        Prefix((3,)),
        pl.Series(["*", "1"]),
        {},
        [["*", "1"], ["*", "1"], ["*", "*"]],
    ),
    "and stays the root at coarser levels": (
        Prefix((1,)),
        pl.Series(["*", "11", "12"]),
        {},
        [["*", "11", "12"], ["*", "1*", "1*"], ["*"] * 3],
    ),
    "periods": (
        Dates(("day", "month", "quarter", "year", "decade")),
        pl.Series([date(987, 3, 1), date(1969, 12, 31), date(2024, 2, 29), None]),
        {},
        [
            ["0987-03-01", "1969-12-31", "2024-02-29", None],
            ["0987-03-01", "1969-12-31", "2024-02-29", None],
            ["0987-03", "1969-12", "2024-02", None],
            ["0987-Q1", "1969-Q4", "2024-Q1", None],
            ["0987", "1969", "2024", None],
            ["0980s", "1960s", "2020s", None],
            ["*"] * 4,
        ],
    ),
    "births before the day": (
        Dates(("year",)),
        pl.Series([date(1921, 2, 2), date(1936, 1, 1), date(1936, 1, 2)]),
        {"bottom": date(1936, 1, 1)},
        [["<=1936-01-01", "<=1936-01-01", "1936-01-02"], ["<=1936-01-01", "<=1936-01-01", "1936"], ["*"] * 3],
    ),
    "timestamps and a top day": (
        Dates(("month",)),
        pl.Series([datetime(2024, 1, 31, 23, 59, 59, 999_999), datetime(2024, 2, 1)]),
        {"top": date(2024, 2, 1)},
        [["2024-01-31T23:59:59.999999", ">=2024-02-01"], ["2024-01", ">=2024-02-01"], ["*", "*"]],
    ),
    "truth": (Suppress(), pl.Series([False, True, None]), {}, [["false", "true", None], ["*"] * 3]),
    "as it is": (Identity(), pl.Series(["*", "a", None]), {}, [["*", "a", None]]),
    "no rows": (interval("5"), pl.Series([], dtype=pl.Int64), {}, [[], [], []]),
    "nothing but null": (interval("5"), pl.Series([None], dtype=pl.Int64), {}, [[None], [None], ["*"]]),
}


@pytest.mark.parametrize("case", CASES)
def test_labels(case: str) -> None:
    declared, domain, options, expected = CASES[case]
    hierarchy = build("c", declared, domain, **options)
    assert label_rows(hierarchy) == expected
    assert hierarchy.leaves == len(domain)
    assert (hierarchy.finest, hierarchy.coarsest) == (0, len(expected) - 1)
    assert not hierarchy.suppressed.any()
    assert hierarchy.labels.dtype == pl.String


def test_nodes_are_numbered_through_the_levels() -> None:
    hierarchy = build("c", interval("10"), pl.Series([1, 2, 11, None]))
    assert hierarchy.ancestor.tolist() == [[0, 1, 2, 3], [4, 4, 5, 6], [7, 7, 7, 7]]
    assert hierarchy.covered.tolist() == [1, 1, 1, 1, 2, 1, 1, 4]
    assert hierarchy.cost.tolist() == [0, 0, 0, 0, 0.1, 0, 0, 1]


def test_bounds_are_nominal_and_typed() -> None:
    hierarchy = build("c", interval("10"), INTEGERS, top=D(39))
    assert bounds(hierarchy, 1)[0] == (-10, -1)
    assert bounds(hierarchy, 1)[5:] == [(30, 38), (39, None), (None, None)]
    assert bounds(hierarchy, 0)[:1] == [(-6, -6)]
    assert bounds(hierarchy, 2) == [(None, None)] * 8
    assert hierarchy.low is not None
    assert hierarchy.low.dtype == pl.Int16


BOUNDS: dict[str, tuple[Declaration, pl.Series, dict[str, Any], list[tuple[Any, Any]]]] = {
    "clipped to the type": (interval("10"), pl.Series([-128, 127], dtype=pl.Int8), {}, [(-128, -121), (120, 127)]),
    "unsigned": (interval("200"), pl.Series([0, 255], dtype=pl.UInt8), {}, [(0, 199), (200, 255)]),
    "up to the next float": (interval("10"), pl.Series([0.0, 12.5]), {}, [(0.0, BELOW(10, 0)), (10.0, BELOW(20, 0))]),
    "floats beside coded ends": (
        interval("10"),
        pl.Series([5.0, 6.0, 8.0]),
        {"top": D(8), "bottom": D(5)},
        [(None, 5.0), (BELOW(5.0, 9), BELOW(8, 0)), (8.0, None)],
    ),
    "decimals to one unit below": (
        interval("1000"),
        pl.Series([D("9.99"), D("1000.00")], dtype=pl.Decimal(6, 2)),
        {},
        [(D("0.00"), D("999.99")), (D("1000.00"), D("1999.99"))],
    ),
    "decimals clipped to their precision": (
        interval("20000"),
        pl.Series([D("9.99")], dtype=pl.Decimal(6, 2)),
        {},
        [(D("0.00"), D("9999.99"))],
    ),
    "a fraction between integers": (
        interval("10"),
        pl.Series([3, 8, 9]),
        {"top": D("8.5"), "bottom": D("3.5")},
        [(None, 3), (4, 8), (9, None)],
    ),
    "breaks are open at the ends": (Breaks(((D(1), D(3)),)), pl.Series([0, 1, 3]), {}, [(None, 0), (1, 2), (3, None)]),
    "rounding": (Rounded((-1,)), pl.Series([4, 5, 14]), {}, [(-5, 4), (5, 14), (5, 14)]),
    "months": (
        Dates(("month",)),
        pl.Series([date(2024, 2, 29), date(2024, 3, 5), date(2024, 3, 20)]),
        {"top": date(2024, 3, 20)},
        [(date(2024, 2, 1), date(2024, 2, 29)), (date(2024, 3, 1), date(2024, 3, 19)), (date(2024, 3, 20), None)],
    ),
    "milliseconds": (
        Dates(("year",)),
        pl.Series([datetime(1969, 5, 5, 12)], dtype=pl.Datetime("ms")),
        {},
        [(datetime(1969, 1, 1), datetime(1969, 12, 31, 23, 59, 59, 999_000))],
    ),
    "the rest of a bottom day": (
        Dates(("year",)),
        pl.Series([datetime(2024, 5, 5, 12), datetime(2024, 5, 6)]),
        {"bottom": date(2024, 5, 5)},
        [
            (None, datetime(2024, 5, 5, 23, 59, 59, 999_999)),
            (datetime(2024, 5, 6), datetime(2024, 12, 31, 23, 59, 59, 999_999)),
        ],
    ),
    "values as they are": (Suppress(), pl.Series([1.5, 2.5]), {}, [(None, None)] * 2),
}


@pytest.mark.parametrize("case", BOUNDS)
def test_bounds(case: str) -> None:
    declared, domain, options, expected = BOUNDS[case]
    hierarchy = build("c", declared, domain, **options)
    assert bounds(hierarchy, 1) == expected
    assert hierarchy.low is not None
    assert hierarchy.low.dtype == domain.dtype


@pytest.mark.parametrize("declared", [Prefix((1,)), Suppress(), Identity()])
def test_text_has_no_bounds(declared: Declaration) -> None:
    hierarchy = build("c", declared, pl.Series(["a", "b"]))
    assert hierarchy.low is None
    assert hierarchy.high is None


def test_whole_numbers_under_prefixes_have_no_bounds_but_cost_like_numbers() -> None:
    hierarchy = build("c", Prefix((1,)), pl.Series([10, 15, 20]))
    assert hierarchy.low is None
    assert costs(hierarchy, 1) == [0.5, 0.5, 0]


def local_times(zone: str, *naive_times: datetime) -> pl.Series:
    return pl.Series(naive_times).dt.replace_time_zone("UTC").dt.convert_time_zone(zone)


def test_periods_are_local() -> None:
    domain = local_times("Pacific/Auckland", datetime(2023, 12, 31, 10, 59), datetime(2023, 12, 31, 11))
    assert label_rows(build("c", Dates(("year",)), domain))[1] == ["2023", "2024"]


def test_an_hour_that_comes_twice_stays_two_values() -> None:
    domain = local_times("Europe/Berlin", datetime(2024, 10, 27, 0, 30), datetime(2024, 10, 27, 1, 30))
    hierarchy = build("c", Dates(("day",)), domain)
    assert label_rows(hierarchy)[0] == ["2024-10-27T02:30:00+02:00", "2024-10-27T02:30:00+01:00"]
    (first, last), _ = bounds(hierarchy, 1)
    assert (first.astimezone(UTC), last.astimezone(UTC)) == (
        datetime(2024, 10, 26, 22, tzinfo=UTC),
        datetime(2024, 10, 27, 22, 59, 59, 999_999, tzinfo=UTC),
    )


@pytest.mark.parametrize(
    ("zone", "year"),
    [
        ("Europe/Berlin", 2018),
        ("America/Sao_Paulo", 2018),  # 24:00 becomes 1:00, and 23:00
        ("America/Havana", 2018),  # 1:00 becomes 0:00
        ("America/St_Johns", 2009),  # 0:01 becomes 23:01
        ("America/Toronto", 1919),  # 23:30 becomes 0:30
        ("Asia/Kathmandu", 2018),
    ],
)
def test_every_moment_of_a_year_lies_inside_its_local_day(zone: str, year: int) -> None:
    """Where clocks skip or repeat midnight, too."""
    start, end = datetime(year, 1, 1), datetime(year + 1, 1, 1)
    domain = pl.datetime_range(start, end, "30m", time_unit="ms", time_zone="UTC", eager=True).dt.convert_time_zone(
        zone
    )
    hierarchy = build("c", Dates(("day",)), domain)
    assert label_rows(hierarchy)[1] == domain.dt.strftime("%Y-%m-%d").to_list()
    assert hierarchy.low is not None
    assert hierarchy.high is not None
    nodes = hierarchy.ancestor[1].astype(np.int64)
    assert ((hierarchy.low.gather(nodes) <= domain) & (domain <= hierarchy.high.gather(nodes))).all()
    own = hierarchy.low.to_physical(), hierarchy.high.to_physical()
    assert (own[1] - own[0]).max() < 26 * 3_600_000


LINES = "31,30-39,*\n33,30-39,*\n44,40-49,*\n"
FILE_DOMAINS = {
    "integers": pl.Series([31, 33, 44, None], dtype=pl.UInt8),
    "floats": pl.Series([31.0, 33.0, 44.0, None]),
    "decimals": pl.Series([D(31), D(33), D(44), None], dtype=pl.Decimal(8, 3)),
    "text": pl.Series(["31", "33", "44", None]),
}


@pytest.fixture
def written(tmp_path: Path) -> Write:
    def write(content: str) -> Path:
        path = tmp_path / "h.csv"
        path.write_text(content, encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize("case", FILE_DOMAINS)
def test_file_leaves_are_compared_as_printed(written: Write, case: str) -> None:
    hierarchy = build("c", FileHierarchy(written(LINES)), FILE_DOMAINS[case])
    assert label_rows(hierarchy) == [
        ["31", "33", "44", None],
        ["30-39", "30-39", "40-49", None],
        ["*"] * 4,
    ]
    assert hierarchy.low is None
    expected = 1 / 3 if case == "text" else 2 / 13
    assert costs(hierarchy, 1) == pytest.approx([expected, expected, 0, 0])


def test_uncovered_values_are_counted_never_named(written: Write) -> None:
    domain = pl.Series([31, 44, 777, 888])
    with pytest.raises(InputError) as caught:
        build("age", FileHierarchy(written(LINES)), domain, rows=pl.Series([5, 5, 2, 1]))
    message = str(caught.value)
    assert "column 'age': 2 distinct values (3 rows) not covered" in message
    assert "777" not in message
    assert caught.value.__context__ is None


def test_uncovered_values_can_be_suppressed(written: Write) -> None:
    hierarchy = build("c", FileHierarchy(written(LINES)), pl.Series([31, 99, None]), uncovered="suppress")
    assert hierarchy.suppressed.tolist() == [False, True, False]


def test_uncovered_values_can_become_the_root(written: Write) -> None:
    hierarchy = build("c", FileHierarchy(written(LINES)), pl.Series([31, 33, 99, None]), uncovered="top")
    assert label_rows(hierarchy) == [["31", "33", "*", None], ["30-39", "30-39", "*", None], ["*"] * 4]
    assert hierarchy.ancestor[0, 2] == hierarchy.ancestor[2, 0]
    assert costs(hierarchy, 0) == [0, 0, 1, 0]
    assert not hierarchy.suppressed.any()


def test_coded_values_need_no_leaf(written: Write) -> None:
    hierarchy = build("c", FileHierarchy(written(LINES)), pl.Series([31, 99]), top=D(90))
    assert label_rows(hierarchy)[1] == ["30-39", ">=90"]


def test_an_uneven_tree_costs_what_its_label_covers(written: Write) -> None:
    """`north` at level 1 reads like `north` at level 2, which covers both."""
    lines = "a,north,north,*\nb,valley,north,*\nc,coast,south,*\nd,coast,south,*\n"
    hierarchy = build("c", FileHierarchy(written(lines)), pl.Series(["a", "b", "c", "d"]))
    assert costs(hierarchy, 0) == [0] * 4
    assert costs(hierarchy, 1) == pytest.approx([1 / 3, 0, 1 / 3, 1 / 3])
    assert costs(hierarchy, 2) == pytest.approx([1 / 3] * 4)
    assert costs(hierarchy, 3) == [1] * 4


def test_an_uneven_tree_costs_the_same_beside_an_uncovered_value(written: Write) -> None:
    lines = "a,north,north,*\nb,valley,north,*\n"
    hierarchy = build("c", FileHierarchy(written(lines)), pl.Series(["a", "b", "z"]), uncovered="top")
    assert costs(hierarchy, 1) == pytest.approx([1 / 2, 0, 1])


def test_an_inner_root_is_the_root(written: Write) -> None:
    hierarchy = build("c", FileHierarchy(written("a,all,all\nb,x,all\n")), pl.Series(["a", "b"]))
    assert label_rows(hierarchy)[1] == ["*", "x"]
    assert costs(hierarchy, 1) == [1, 0]
    assert hierarchy.covered[hierarchy.ancestor[1]].tolist() == [2, 1]


@pytest.mark.parametrize("unit", ["ms", "us"])
def test_the_first_and_last_dates_with_a_year_have_labels(unit: Literal["ms", "us"]) -> None:
    days = pl.Series([-DAYS, 0, DAYS], dtype=pl.Int32).cast(pl.Date)
    for values in (days, days.cast(pl.Datetime(unit))):
        labels = label_rows(build("c", Dates(("day", "month", "quarter", "year", "decade")), values))
        assert [row[1] for row in labels[-5:-1]] == ["1970-01", "1970-Q1", "1970", "1970s"]


REFUSED: dict[str, tuple[Declaration, pl.Series, dict[str, Any], type[Exception], str]] = {
    "infinity": (interval("5"), pl.Series([1.0, float("inf")]), {}, InputError, "infinite"),
    "dates without a year": (
        Dates(("month",)),
        pl.Series([-(2**31), 0, 2**31 - 1], dtype=pl.Int32).cast(pl.Date),
        {},
        InputError,
        r"beyond the calendar's years \(2 distinct",
    ),
    "timestamps without a year": (
        Identity(),
        pl.Series([0, 96_000_000 * 86_400_000], dtype=pl.Int64).cast(pl.Datetime("ms")),
        {},
        InputError,
        r"beyond the calendar's years \(1 distinct",
    ),
    "lists": (Identity(), pl.Series([[1]]), {}, InputError, "is List.*a time of day or a duration"),
    "durations by numbers": (interval("5"), pl.Series([timedelta(1)]), {}, InputError, r"interval: \[15m, 1h\]"),
    "times by lengths": (
        Breaks(((D(60),),), "length"),
        pl.Series([time(1)]),
        {},
        InputError,
        r"needs durations: .*breaks: \[08:00",
    ),
    "durations by times of day": (
        Breaks(((D(60),),), "clock"),
        pl.Series([timedelta(1)]),
        {},
        InputError,
        r"needs times of day: .*breaks: \[1h",
    ),
    "numbers by lengths": (
        Interval((D(60),), "length"),
        pl.Series([5]),
        {},
        InputError,
        "`interval` needs times of day or durations",
    ),
    "a number as the top of times": (
        Suppress(),
        pl.Series([time(1)]),
        {"top": D(3)},
        PolicyError,
        "columns.c.top: expected a time of day",
    ),
    "a time of day as the top of durations": (
        Suppress(),
        pl.Series([timedelta(1)]),
        {"top": Seconds(D(3600), "clock")},
        PolicyError,
        "columns.c.top: expected a length of time",
    ),
    "a bottom above the top of durations": (
        Suppress(),
        pl.Series([timedelta(1)]),
        {"top": Seconds(D(60), "length"), "bottom": Seconds(D(60), "length")},
        PolicyError,
        "columns.c.bottom: expected less than `top`",
    ),
    "bytes": (Identity(), pl.Series([b"x"]), {}, InputError, "Binary"),
    "intervals of text": (interval("5"), pl.Series(["1"]), {}, InputError, "is String, but its hierarchy `interval`"),
    "intervals of dates": (interval("5"), pl.Series([date(2024, 1, 1)]), {}, InputError, "needs numbers"),
    "breaks of truth": (Breaks(((D(1),),)), pl.Series([True]), {}, InputError, "`breaks` needs numbers"),
    "rounded text": (Rounded((1,)), pl.Series(["1"]), {}, InputError, "`round` needs numbers"),
    "periods of numbers": (Dates(("year",)), pl.Series([2024]), {}, InputError, "needs dates or timestamps"),
    "prefixes of floats": (Prefix((1,)), pl.Series([1.5]), {}, InputError, "needs text or whole numbers"),
    "a top for text": (Suppress(), pl.Series(["a"]), {"top": D(1)}, PolicyError, r"columns\.c\.top: expected nothing"),
    "a number for dates": (Suppress(), pl.Series([date(1, 1, 1)]), {"bottom": D(1)}, PolicyError, "expected a date"),
    "a date for numbers": (Suppress(), pl.Series([1]), {"top": date(1, 1, 1)}, PolicyError, "expected a number"),
    "bottom above top": (Suppress(), pl.Series([1]), {"top": D(1), "bottom": D(1)}, PolicyError, "less than `top`"),
    "widths that do not nest": (interval("2", "3"), pl.Series([1, 2, 3]), {}, PolicyError, "levels that nest"),
    "a level too many": (Suppress(), pl.Series([1]), {"coarsest": 2}, PolicyError, "from 0 to 1, found 2"),
    "a negative level": (Suppress(), pl.Series([1]), {"finest": -1}, PolicyError, "from 0 to 1, found -1"),
    "no level left": (interval("5"), pl.Series([1]), {"finest": 2, "coarsest": 1}, PolicyError, "at most `coarsest`"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case: str) -> None:
    declared, domain, options, kind, words = REFUSED[case]
    with pytest.raises(kind, match=words):
        build("c", declared, domain, **options)


def test_the_penalty_of_the_smallest_floats_is_a_number() -> None:
    hierarchy = build("c", Suppress(), pl.Series([0.0, 5e-324]))
    assert costs(hierarchy, 0) == [0, 0]
    assert costs(hierarchy, 1) == [1, 1]


def test_the_penalty_of_enormous_floats_is_finite() -> None:
    hierarchy = build("c", Breaks(((D(0),),)), pl.Series([-1.7e308, -0.85e308, 0.0, 1.7e308]))
    assert costs(hierarchy, 1) == pytest.approx([0.25, 0.25, 0.5, 0.5])


def test_the_penalty_of_the_whole_of_int64_does_not_wrap() -> None:
    hierarchy = build("c", Breaks(((D(0),),)), pl.Series([-(2**63), -1, 0, 2**63 - 1]))
    assert costs(hierarchy, 1) == pytest.approx([0.5] * 4)


def test_levels_can_be_limited() -> None:
    hierarchy = build("c", interval("5", "10"), pl.Series([1]), finest=1, coarsest=2)
    assert (hierarchy.finest, hierarchy.coarsest, hierarchy.levels) == (1, 2, 4)


WIDTHS = st.lists(st.sampled_from([D(1), D(2), D(5), D(3)]), min_size=1, max_size=3).flatmap(
    lambda factors: st.sampled_from([D("0.01"), D("0.1"), D("0.25"), D(1), D(7)]).map(
        lambda unit: Interval(
            tuple(unit * int(np.prod([int(f) for f in factors[: i + 1]])) for i in range(len(factors)))
        )
    )
)
CUTS = st.lists(st.decimals(-300, 300, places=1), min_size=1, max_size=6, unique=True).map(sorted)
NUMERIC = st.one_of(
    WIDTHS,
    CUTS.map(lambda cuts: Breaks((tuple(cuts), tuple(cuts[::2])))),
    st.lists(st.integers(-2, 2), min_size=1, max_size=4, unique=True).map(lambda d: Rounded(tuple(sorted(d)[::-1]))),
    st.just(Suppress()),
    st.just(Identity()),
)
INTS = {
    pl.Int8: (-128, 127),
    pl.UInt8: (0, 255),
    pl.Int32: (-400, 400),
    pl.Int64: (-(2**63), 2**63 - 1),
    pl.UInt64: (0, 2**64 - 1),
    pl.Int128: (-(2**126), 2**126),
}
SMALL_FLOATS = st.one_of(st.integers(-40_000, 40_000).map(lambda i: i / 100), st.floats(-400, 400))
ANY_FLOATS = st.one_of(SMALL_FLOATS, st.floats(-1e18, 1e18))


@st.composite
def numeric_domains(draw: st.DrawFn) -> pl.Series:
    kind = draw(st.sampled_from([*INTS, pl.Float64, pl.Float32, pl.Decimal]))
    if kind in INTS:
        low, high = INTS[kind]
        near = st.integers(max(low, -400), min(high, 400))
        values = draw(st.lists(st.one_of(near, st.integers(low, high)), max_size=25, unique=True))
        return finished(draw, pl.Series(values, dtype=kind))
    if kind == pl.Decimal:
        values = draw(st.lists(st.decimals(-400, 400, places=3), max_size=25, unique=True))
        return finished(draw, pl.Series(values, dtype=pl.Decimal(20, 3)))
    values = draw(st.lists(ANY_FLOATS, max_size=25))
    return finished(draw, pl.Series([v + 0.0 or 0.0 for v in values], dtype=kind))


def finished(draw: st.DrawFn, values: pl.Series) -> pl.Series:
    """Sorted, distinct, null last."""
    nulls = pl.Series([None] * draw(st.integers(0, 1)), dtype=values.dtype)
    return pl.concat([values, nulls]).unique().sort(nulls_last=True)


def printer(domain: pl.Series, texts: pl.Series) -> Callable[[Any], str]:
    """How the twin prints a value: by a table, as floats of two widths are one type to it."""
    table = dict(zip(plain(domain), texts.to_list(), strict=True))
    return lambda value: table[value]


def plain(domain: pl.Series) -> list[Any]:
    """Python values; a Float32 as the double that prints the same."""
    if domain.dtype == pl.Float32:
        return [None if v is None else float(str(np.float32(v))) for v in domain.to_list()]
    return domain.to_list()


def agrees(hierarchy: Hierarchy, rows: list[list[str | None]], values: list[Any], *, is_ordered: bool) -> None:
    """Labels, nesting, numbers of originals and costs are those of the twin."""
    assert label_rows(hierarchy) == rows
    assert hierarchy.ancestor.shape == (len(rows), len(values))
    for level, (row, nodes) in enumerate(zip(rows, hierarchy.ancestor, strict=True)):
        for leaf, (label, node) in enumerate(zip(row, nodes, strict=True)):
            assert hierarchy.covered[node] == row.count(label), (level, leaf)
            expected = naive.penalty(label, row, values, is_ordered=is_ordered)
            assert hierarchy.cost[node] == pytest.approx(expected, abs=1e-12), (level, leaf)
    for finer, coarser in zip(hierarchy.ancestor, hierarchy.ancestor[1:], strict=False):
        assert len(set(zip(finer, coarser, strict=True))) == len(set(finer))
    assert (
        sorted(set(hierarchy.ancestor.ravel()))
        == list(range(len(hierarchy.labels)))[: len(set(hierarchy.ancestor.ravel()))]
    )


@settings(max_examples=300, deadline=None)
@given(
    NUMERIC,
    numeric_domains(),
    st.sampled_from([(None, None), (D(90), None), (None, D("-5.5")), (D("100.25"), D("-20"))]),
)
def test_numbers_are_generalised_as_by_the_twin(
    declared: Declaration, domain: pl.Series, ends: tuple[D | None, D | None]
) -> None:
    top, bottom = ends
    hierarchy = build("c", declared, domain, top=top, bottom=bottom)
    values = plain(domain)
    rows = naive.labels(
        declared,
        values,
        printer(domain, printed(domain)),
        is_integer=domain.dtype.is_integer(),
        top=top,
        bottom=bottom,
    )
    agrees(hierarchy, rows, domain.to_list(), is_ordered=True)
    lie_inside(hierarchy)


def lie_inside(hierarchy: Hierarchy) -> None:
    """Every original lies inside its node's bounds and in those of no other node of a level but `*`."""
    assert hierarchy.low is not None
    assert hierarchy.high is not None
    low, high = hierarchy.low, hierarchy.high
    for nodes in hierarchy.ancestor[: 1 if isinstance(hierarchy.declaration, Identity) else -1]:
        for value, own in zip(hierarchy.domain, nodes, strict=True):
            if value is None:
                assert low[int(own)] is None
                assert high[int(own)] is None
                continue
            for node in set(nodes):
                ends = low[int(node)], high[int(node)]
                inside = (ends[0] is None or ends[0] <= value) and (ends[1] is None or value <= ends[1])
                assert inside == (node == own) or hierarchy.labels[int(node)] in (None, "*")


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(
        [
            Dates(("day", "month", "quarter", "year", "decade")),
            Dates(("month", "year")),
            Dates(("decade",)),
            Suppress(),
        ]
    ),
    st.lists(st.datetimes(datetime(1880, 1, 1), datetime(2100, 1, 1)), max_size=25),
    st.sampled_from([None, "UTC", "Europe/Berlin", "America/St_Johns", "date"]),
    st.sampled_from(
        [(None, None), (date(2000, 2, 29), None), (None, date(1969, 12, 31)), (date(2001, 1, 1), date(1950, 5, 5))]
    ),
    st.booleans(),
)
def test_dates_are_generalised_as_by_the_twin(
    declared: Declaration,
    moments: list[datetime],
    zone: str | None,
    ends: tuple[date | None, date | None],
    has_null: bool,
) -> None:
    top, bottom = ends
    if zone not in (None, "date"):
        moments = [moment.replace(year=max(moment.year, 1971)) if moment.month != 2 else moment for moment in moments]
        moments = [
            moment for moment in moments if moment.year > 1970
        ]  # regular offsets, as zoneinfo and Polars have them
    domain = pl.Series([*moments, None] if has_null else moments, dtype=pl.Datetime("us"))
    if zone == "date":
        domain = domain.cast(pl.Date)
    elif zone:
        domain = domain.dt.replace_time_zone("UTC").dt.convert_time_zone(zone)
    domain = domain.unique().sort(nulls_last=True)
    hierarchy = build("c", declared, domain, top=top, bottom=bottom)
    values = domain.to_list()
    rows = naive.labels(declared, values, printer(domain, printed(domain)), top=top, bottom=bottom)
    instants = [v.astimezone(UTC) if isinstance(v, datetime) and v.tzinfo else v for v in values]
    agrees(hierarchy, rows, instants, is_ordered=True)
    lie_inside(hierarchy)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.text("ab1é*", max_size=5), max_size=20, unique=True),
    st.lists(st.integers(1, 5), min_size=1, max_size=3, unique=True),
    st.booleans(),
)
def test_prefixes_are_those_of_the_twin(texts: list[str], lengths: list[int], has_null: bool) -> None:
    texts = [text for text in texts if text != "*" and len(text) > 0]  # the root and what reads like it: cases above
    domain = pl.Series([*texts, None] if has_null else texts, dtype=pl.String).sort(nulls_last=True)
    if domain.str.len_chars().max() == 1:
        return
    declared = Prefix(tuple(sorted(lengths)[::-1]))
    rows = naive.labels(declared, domain.to_list(), str)
    agrees(build("c", declared, domain), rows, domain.to_list(), is_ordered=False)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1)), min_size=1, max_size=12), st.booleans(), st.randoms())
def test_files_are_read_as_by_the_twin(parents: list[tuple[int, int]], is_number: bool, random: Any) -> None:
    """Leaf i lies under node (a, b) of level 1, which lies under b."""
    import tempfile

    lines = {str(i): [str(i), f"n{a}{b}", f"m{b}", "root"] for i, (a, b) in enumerate(parents)}
    order = list(lines.values())
    random.shuffle(order)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "h.csv"
        path.write_text("".join(";".join(line) + "\n" for line in order), encoding="utf-8")
        numbers = pl.Series(range(len(parents)))
        domain = numbers if is_number else numbers.cast(pl.String).sort()
        declared = FileHierarchy(path)
        hierarchy = build("c", declared, domain)
        rows = naive.labels(declared, domain.to_list(), str, lines=lines)
        agrees(hierarchy, rows, domain.to_list(), is_ordered=is_number)


def test_a_hundred_thousand_values_are_no_matter() -> None:
    """T34 in small: every level of a column with 100,000 values."""
    domain = pl.Series(range(100_000))
    hierarchy = build("code", interval("1", "10", "100", "1000", "10000"), domain)
    sizes = [len(np.unique(nodes)) for nodes in hierarchy.ancestor]
    assert sizes == [100_000, 100_000, 10_000, 1000, 100, 10, 1]
    assert label_rows(hierarchy)[2][99_999] == "99990-99999"


PRINTED = {
    "integers": (pl.Series([-3, 31]), ["-3", "31"], ["-3", "31"]),
    "floats": (
        pl.Series([0.5, 3.0, 100.0, 1e22, 1.5e-7]),
        ["0.5", "3.0", "100.0", "1e+22", "1.5e-7"],
        ["0.5", "3", "100", "1e+22", "1.5e-7"],
    ),
    "decimals": (pl.Series([D("10.00"), D("0.50")]), ["10.00", "0.50"], ["10", "0.5"]),
    "dates": (pl.Series([date(2024, 1, 31)]), ["2024-01-31"], ["2024-01-31"]),
    "timestamps": (pl.Series([datetime(2024, 1, 31, 9, 5)]), ["2024-01-31T09:05:00"], ["2024-01-31T09:05:00"]),
    "truth": (pl.Series([True]), ["true"], ["true"]),
    "text with an idle zero": (pl.Series(["1.0"]), ["1.0"], ["1.0"]),
}


@pytest.mark.parametrize("case", PRINTED)
def test_values_print(case: str) -> None:
    values, labels, leaves = PRINTED[case]
    assert printed(values).to_list() == labels
    assert leaf_text(values).to_list() == leaves


def test_time_zones_print_their_offset() -> None:
    moment = datetime(2024, 7, 1, 12, tzinfo=ZoneInfo("Europe/Berlin"))
    values = pl.Series([moment], dtype=pl.Datetime("us", "Europe/Berlin"))
    assert printed(values).to_list() == ["2024-07-01T12:00:00+02:00"]
