"""The scoreboard: its kernel against plain loops, and who is found among invented raters."""

from __future__ import annotations

import math
from datetime import timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.events import ratings

from anonym.attacks.outcome import AttackResult, Gate
from anonym.attacks.scoreboard import Events, Knowledge, scoreboard
from anonym.attacks.scoreboard_kernel import scores

COLUMNS = Events("person", "item", "rating", "day")
EVENT = st.tuples(
    st.integers(0, 4),
    st.one_of(st.just(math.nan), st.integers(1, 5)),
    st.one_of(st.just(math.nan), st.integers(0, 900)),
)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.lists(EVENT, max_size=8), min_size=1, max_size=4), st.lists(EVENT, max_size=6))
def test_scores_equal_plain_loops(people: list[list[Any]], known: list[Any]) -> None:
    rows = sorted((item, who, value, day) for who, events in enumerate(people) for item, value, day in events)
    items = np.array([row[0] for row in rows], np.int64)
    start = np.searchsorted(items, np.arange(6)).astype(np.int64)
    weight = np.array([1.0, 0.5, 2.0, 1.5, 0.7])
    columns = [np.array([row[i] for row in rows], dtype) for i, dtype in ((1, np.int64), (2, float), (3, float))]
    aux = [np.array([event[i] for event in known], dtype) for i, dtype in ((0, np.int64), (1, float), (2, float))]
    who, apart = scores(start, *columns, weight, len(people), np.array([0, len(known)]), *aux, 1.5, 30.0)
    board = [
        sum(
            weight[i] * max([like(v, d, value, day) for item, v, d in events if item == i], default=0)
            for i, value, day in known
        )
        for events in people
    ]
    best, second = sorted([*board, 0.0])[::-1][:2]
    spread = float(np.std(board))
    if best == 0:
        assert who[0] == -1
    elif best - second > 1e-9:
        assert who[0] == int(np.argmax(board))
    if spread > 1e-6:
        assert apart[0] == pytest.approx((best - second) / spread, rel=1e-6, abs=1e-6)


def like(value: float, day: float, other: float, then: float) -> float:
    off = 0.0 if math.isnan(day) or math.isnan(then) else abs(day - then) / 30
    if off > 10:
        return 0.0
    off += 0.0 if math.isnan(value) or math.isnan(other) else abs(value - other) / 1.5
    return math.exp(-off)


@pytest.fixture(scope="module")
def raters() -> tuple[pl.DataFrame, pl.DataFrame]:
    """20,000 people who are released, and 2,000 who are not."""
    events = ratings(22_000, 4_000, seed=7)
    return events.filter(pl.col("person") < 20_000), events.filter(pl.col("person") >= 20_000)


def attack(released: pl.DataFrame, original: pl.DataFrame, control: pl.DataFrame | None, **more: Any) -> AttackResult:
    return scoreboard(released, original, COLUMNS, gate=Gate(0.1), seed=1, targets=600, control=control, **more)


def test_eight_rough_ratings_two_of_them_wrong_identify_nearly_everyone(
    raters: tuple[pl.DataFrame, pl.DataFrame],
) -> None:
    released, control = raters
    result = attack(released, released, control)
    assert result.detail["persons"] == 20_000
    assert result.detail["knowledge"] == {"events": 8, "wrong": 2, "value_off": 1.0, "days_off": 14}
    assert (result.rate or 0) >= 0.95
    assert result.detail["false_accept_rate"] <= 0.01
    assert (result.control or 0) <= 0.01
    assert result.verdict == "fail"


def test_people_behind_tokens_are_told_by_a_truth(raters: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    original = raters[0].filter(pl.col("person") < 1500).with_columns(row=pl.int_range(pl.len()) * 0 + pl.col("person"))
    released = original.with_columns(person=pl.format("token-{}", (pl.col("person") * 977) % 1500))
    assert (attack(released, original, None, truth="row").rate or 0) > 0.95
    shuffled = original.with_columns(pl.col("row").shuffle(seed=2).alias("row"))
    assert (attack(shuffled, original, None, truth="row").rate or 0) < 0.01


def test_a_release_without_dates_and_rare_items_is_harder(raters: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    released, control = (side.filter(pl.col("person") % 10 == 0) for side in raters)
    whole = attack(released, released, control)
    blurred = released.filter(pl.col("item") < 60).with_columns(rating=pl.lit(3), day=pl.lit(None, pl.Date))
    result = attack(blurred, released, control)
    assert (result.rate or 0) < 0.2 < (whole.rate or 0)
    assert result.detail["positive_control"] > 0.5


def test_nobody_knows_more_events_than_there_are() -> None:
    few = ratings(50, 40, seed=1).group_by("person").head(3)
    result = attack(few, few, None)
    assert (result.targets, result.verdict) == (0, "inconclusive")
    assert attack(few, few, None, knowledge=Knowledge(events=2, wrong=0)).targets > 0


def test_times_count_as_their_day() -> None:
    events = ratings(300, 200, seed=3, median=15)
    late = events.with_columns(day=pl.col("day").cast(pl.Datetime("ms")) + timedelta(hours=3))
    assert attack(late, events, None).rate == pytest.approx(attack(events, events, None).rate, abs=0.03)
