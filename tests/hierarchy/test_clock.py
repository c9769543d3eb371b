"""Times of day and durations: how they are written, read, grouped and bounded."""

from __future__ import annotations

from datetime import time, timedelta
from decimal import Decimal as D
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonym.hierarchy.build import build
from anonym.hierarchy.clock import Seconds, read_seconds, seconds_text
from anonym.hierarchy.labels import printed
from anonym.hierarchy.model import Auto, Breaks, Declaration, Hierarchy, Interval, Suppress

WRITTEN = {
    "08:30": (D(30_600), "clock", "08:30"),
    "00:00": (D(0), "clock", "00:00"),
    "23:59:59.999999999": (D("86399.999999999"), "clock", "23:59:59.999999999"),
    "08:30:00": (D(30_600), "clock", "08:30"),
    "15m": (D(900), "length", "15m"),
    "90m": (D(5400), "length", "1h30m"),
    "1h30m": (D(5400), "length", "1h30m"),
    "2w": (D(1_209_600), "length", "14d"),
    "1d2h3m4.5s": (D("93784.5"), "length", "1d2h3m4.5s"),
    "250ms": (D("0.25"), "length", "0.25s"),
    "5us": (D("0.000005"), "length", "0.000005s"),
    "7ns": (D("0.000000007"), "length", "0.000000007s"),
    "-1h": (D(-3600), "length", "-1h"),
    "0s": (D(0), "length", "0s"),
}


@pytest.mark.parametrize("text", WRITTEN)
def test_what_a_policy_writes_is_read_and_printed(text: str) -> None:
    seconds, of, shown = WRITTEN[text]
    found = read_seconds(text)
    assert found == Seconds(seconds, of)  # type: ignore[arg-type]
    assert str(found) == shown


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-",
        "8:30",
        "24:00",
        "08:60",
        "08:30:60",
        "1",
        "1.5h",
        "h",
        "1m1h",
        "1h 30m",
        "15M",
        "1y",
        "PT1H",
        "--1h",
        "1e3s",
    ],
)
def test_other_texts_are_neither(text: str) -> None:
    assert read_seconds(text) is None


@given(st.integers(-(10**19), 10**19))
def test_lengths_are_read_as_they_are_printed(nanoseconds: int) -> None:
    found = read_seconds(seconds_text(nanoseconds, 9, "length"))
    assert found == Seconds(D(nanoseconds).scaleb(-9), "length")


@given(st.integers(0, 86_400 * 10**9 - 1))
def test_times_of_day_are_read_as_they_are_printed(nanoseconds: int) -> None:
    found = read_seconds(seconds_text(nanoseconds, 9, "clock"))
    assert found == Seconds(D(nanoseconds).scaleb(-9), "clock")


def labels(hierarchy: Hierarchy, level: int) -> list[str | None]:
    return hierarchy.labels.gather(hierarchy.ancestor[level].astype(np.int64)).to_list()


TIMES = pl.Series([time(0), time(8, 29, 59, 999_999), time(8, 30), time(23, 59), None])
STAYS = pl.Series([timedelta(-1), timedelta(0), timedelta(hours=7), timedelta(days=1, hours=2), None])
LEVELS: dict[str, tuple[Declaration, pl.Series, dict[str, Any], int, list[str | None]]] = {
    "times as they are": (Suppress(), TIMES, {}, 0, ["00:00:00", "08:29:59.999999", "08:30:00", "23:59:00", None]),
    "lengths as they are": (Suppress(), STAYS, {}, 0, ["-1d", "0s", "7h", "1d2h", None]),
    "half hours": (
        Interval((D(1800), D(3600)), "length"),
        TIMES,
        {},
        1,
        ["[00:00, 00:30)", "[08:00, 08:30)", "[08:30, 09:00)", "[23:30, 24:00)", None],
    ),
    "hours": (
        Interval((D(1800), D(3600)), "length"),
        TIMES,
        {},
        2,
        ["[00:00, 01:00)", "[08:00, 09:00)", "[08:00, 09:00)", "[23:00, 24:00)", None],
    ),
    "a width that leaves a rest of the day": (
        Interval((D(7 * 3600),), "length"),
        TIMES,
        {},
        1,
        ["[00:00, 07:00)", "[07:00, 14:00)", "[07:00, 14:00)", "[21:00, 24:00)", None],
    ),
    "shifts of a day": (
        Breaks(((D(6 * 3600), D(14 * 3600), D(22 * 3600)), (D(14 * 3600),)), "clock"),
        TIMES,
        {},
        1,
        ["<06:00", "[06:00, 14:00)", "[06:00, 14:00)", ">=22:00", None],
    ),
    "stays by days": (
        Interval((D(86_400),), "length"),
        STAYS,
        {},
        1,
        ["[-1d, 0s)", "[0s, 1d)", "[0s, 1d)", "[1d, 2d)", None],
    ),
    "stays by cuts": (
        Breaks(((D(8 * 3600), D(86_400)),), "length"),
        STAYS,
        {},
        1,
        ["<8h", "<8h", "<8h", ">=1d", None],
    ),
    "coded ends of times": (
        Interval((D(3600),), "length"),
        TIMES,
        {"bottom": Seconds(D(3600), "clock"), "top": Seconds(D(22 * 3600), "clock")},
        1,
        ["<=01:00", "[08:00, 09:00)", "[08:00, 09:00)", ">=22:00", None],
    ),
    "a coded end of lengths": (
        Suppress(),
        STAYS,
        {"top": Seconds(D(7 * 3600), "length")},
        0,
        ["-1d", "0s", ">=7h", ">=7h", None],
    ),
}


@pytest.mark.parametrize("case", LEVELS)
def test_labels(case: str) -> None:
    declared, domain, options, level, expected = LEVELS[case]
    assert labels(build("c", declared, domain, **options), level) == expected


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_bounds_of_durations_have_their_type_and_end_a_tick_before_the_next(unit: Any) -> None:
    hierarchy = build("c", Interval((D(3600),), "length"), STAYS.cast(pl.Duration(unit)))
    assert hierarchy.low is not None
    assert hierarchy.high is not None
    node = int(hierarchy.ancestor[1][2])
    assert hierarchy.low.dtype == hierarchy.high.dtype == pl.Duration(unit)
    assert hierarchy.low[node] == timedelta(hours=7)
    ticks = {"ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    assert hierarchy.high.to_physical()[node] == 8 * 3600 * ticks - 1


def test_bounds_of_times_stay_within_the_day() -> None:
    hierarchy = build("c", Interval((D(7 * 3600),), "length"), TIMES)
    assert hierarchy.low is not None
    assert hierarchy.high is not None
    node = int(hierarchy.ancestor[1][3])
    assert hierarchy.low[node] == time(21)
    assert hierarchy.high.to_physical()[node] == 86_400 * 10**9 - 1


def test_bounds_of_durations_stay_within_their_type() -> None:
    ends = pl.Series([-(2**63), 2**63 - 1]).cast(pl.Duration("us"))
    hierarchy = build("c", Interval((D(7 * 86_400),), "length"), ends)
    assert hierarchy.low is not None
    assert hierarchy.high is not None
    nodes = hierarchy.ancestor[1].astype(np.int64)
    assert hierarchy.low.gather(nodes).to_physical()[0] == -(2**63)
    assert hierarchy.high.gather(nodes).to_physical()[1] == 2**63 - 1
    assert hierarchy.cost[hierarchy.ancestor[2]].tolist() == [1, 1]


def test_a_fraction_of_a_second_is_a_value_of_its_own() -> None:
    column = pl.Series([time(9), time(9, 0, 0, 5)])
    assert printed(column).to_list() == ["09:00:00", "09:00:00.000005"]


AUTO = {
    "minutes of a day": (pl.Series([time(i // 60, i % 60) for i in range(0, 1440, 10)]), "[04:00, 05:00)"),
    "stays of days": (pl.Series([timedelta(hours=i) for i in range(500)]), "[1d, 2d)"),
    "milliseconds": (pl.Series([timedelta(milliseconds=i) for i in range(200)]), "[0.05s, 0.06s)"),
}


@pytest.mark.parametrize("case", AUTO)
def test_auto_cuts_at_round_times(case: str) -> None:
    column, label = AUTO[case]
    hierarchy = build("c", Auto(), column)
    assert isinstance(hierarchy.declaration, Breaks)
    assert hierarchy.declaration.of in ("clock", "length")
    assert label in labels(hierarchy, 1)
