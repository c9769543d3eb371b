"""Nearest neighbours on mixed types: exactly brute force, and what membership and copies make of them."""

from __future__ import annotations

import math
from datetime import date
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import attacks as naive

from anonym.attacks.copies import comparable, copies
from anonym.attacks.cover import Known
from anonym.attacks.linkage import Tables
from anonym.attacks.membership import membership
from anonym.attacks.neighbours import encoded, nearest_to
from anonym.attacks.outcome import Gate

ROW = st.tuples(
    st.one_of(st.none(), st.integers(0, 6)),
    st.one_of(st.none(), st.floats(0, 3, width=16)),
    st.sampled_from(["a", "b", "c", None]),
    st.sampled_from([True, False, None]),
    st.one_of(st.none(), st.dates(date(2024, 1, 1), date(2024, 1, 9))),
)
SCHEMA = {"n": pl.Int64, "x": pl.Float64, "c": pl.String, "b": pl.Boolean, "d": pl.Date}
KNOWN = tuple(Known(name, (name,), name) for name in SCHEMA)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(ROW, max_size=25), st.lists(ROW, min_size=1, max_size=8), st.sets(st.sampled_from(range(5)), min_size=1)
)
def test_pairs_of_plain_tables_equal_brute_force(rows: list[Any], targets: list[Any], chosen: set[int]) -> None:
    left, right = (pl.DataFrame(part, schema=SCHEMA, orient="row") for part in (rows, targets))
    known = tuple(KNOWN[i] for i in sorted(chosen))
    found = nearest_to(left, right, known, left)
    spreads = [naive.spread([row[i] for row in rows]) for i in sorted(chosen)]
    picked = [[tuple(row[i] for i in sorted(chosen)) for row in part] for part in (rows, targets)]
    for t, target in enumerate(picked[1]):
        distances = sorted(naive.gower(row, target, spreads) for row in picked[0])
        best, second = ([*distances, math.inf, math.inf])[:2]
        assert found.distance[t] == pytest.approx(best, abs=1e-12)
        assert found.second[t] == pytest.approx(second, abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000))
def test_blocking_loses_nothing_bit_by_bit(seed: int) -> None:
    draw = np.random.default_rng(seed)
    rows, targets = (table(draw, n) for n in (300, 20))
    found = nearest_to(rows, targets, MIXED, rows)
    space = encoded(rows, targets, MIXED, rows)
    for t in range(targets.height):
        best, second, ties = naive.nearest(space, t)
        assert (found.distance[t], found.second[t], found.ties[t]) == (best, second, ties)


def table(draw: np.random.Generator, n: int) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "age": draw.integers(0, 60, n),
            "pay": np.round(draw.lognormal(3, 1, n), 1),
            "job": draw.choice(list("abcdefgh"), n),
            "sex": draw.choice(["f", "m"], n),
        }
    )


MIXED = tuple(Known(name, (name,), name) for name in ("age", "pay", "job", "sex"))


def test_generalised_cells_are_as_far_as_their_nearest_end() -> None:
    released = pl.DataFrame({"age": ["30-39", "50-59"], "zip": ["11*", "22*"]})
    people = pl.DataFrame({"age": [35, 45, 20, 35], "zip": ["112", "113", "229", "330"]})
    known = (Known("age", ("age",), "age", "interval"), Known("zip", ("zip",), "zip", "prefix"))
    found = nearest_to(released, people, known, people)
    assert found.distance.tolist() == pytest.approx([0, 6 / 25 / 2, 1 / 2, 1 / 2])
    stars = nearest_to(pl.DataFrame({"age": ["*"], "zip": ["*"]}), people, known, people)
    assert stars.distance.tolist() == [0, 0, 0, 0]


GAIN = Gate(0.1, "advantage")


def test_members_of_a_raw_copy_are_all_found_and_fresh_people_are_not() -> None:
    draw = np.random.default_rng(3)
    people, fresh, other = (table(draw, 8000) for _ in range(3))
    result = membership(Tables(people, people, MIXED), fresh, gate=GAIN, seed=1, raw=people)
    assert (result.rate, result.verdict, result.detail["positive_control"]) == (1.0, "fail", 1.0)
    assert (result.control or 0) < 0.1
    assert result.targets == 4000
    nothing = membership(Tables(other, people, MIXED), fresh, gate=GAIN, seed=1, raw=people)
    assert nothing.verdict == "pass"
    assert nothing.advantage is not None
    assert abs(nothing.advantage) < 0.08


def test_copies_are_told_from_coincidence() -> None:
    draw = np.random.default_rng(4)
    training, fresh, synthetic = (table(draw, 3000) for _ in range(3))
    names = ["age", "pay", "job", "sex"]
    exact, near = copies(synthetic, training, fresh, names, gate=GAIN, seed=1, targets=3000)
    assert (exact.verdict, near.verdict) == ("pass", "pass")
    assert near.control == pytest.approx(0.05, abs=0.015)
    assert near.detail["ceiling"] == 1.0
    stolen = pl.concat([training.head(900), synthetic.head(2100)])
    exact, near = copies(stolen, training, fresh, names, gate=GAIN, seed=1, targets=3000)
    assert exact.verdict == near.verdict == "fail"
    assert exact.advantage == pytest.approx(0.3, abs=0.01)
    blurred = training.with_columns(pl.col("pay") * 1.001)
    exact, near = copies(blurred, training, fresh, names, gate=GAIN, seed=1, targets=3000)
    assert exact.verdict == "pass"
    assert near.verdict == "fail"


def test_a_copy_of_rows_that_are_alike_singles_nobody_out() -> None:
    alike = pl.DataFrame({"job": ["a", "b"] * 20})
    [exact] = copies(alike, alike, None, ["job"], gate=GAIN, seed=1, targets=50)
    assert (exact.rate, exact.detail["median_distance_ratio"]) == (1.0, 1.0)
    [alone] = copies(alike.head(2), alike.head(2), None, ["job"], gate=GAIN, seed=1, targets=50)
    assert alone.detail["median_distance_ratio"] == 0.0


def test_only_tables_of_the_same_kind_can_hold_copies() -> None:
    raw = pl.DataFrame({"age": [31], "zip": ["112"]})
    assert comparable(raw, raw, ["age", "zip"])
    assert not comparable(raw.with_columns(age=pl.lit("30-39")), raw, ["age", "zip"])
    assert not comparable(raw.with_columns(zip=pl.lit("11*")), raw, ["age", "zip"])
    assert not comparable(raw, raw, [])


def test_a_release_that_covers_everybody_tells_no_members() -> None:
    draw = np.random.default_rng(6)
    people, fresh = table(draw, 3000), table(draw, 3000)
    released = people.with_columns(age=pl.lit("0-59"), pay=pl.lit("*"), job=pl.lit("*"), sex=pl.lit("*"))
    known = (Known("age", ("age",), "age", "interval"), *(Known(n, (n,), n, "suppress") for n in ("pay", "job", "sex")))
    result = membership(Tables(released, people, known), fresh, gate=GAIN, seed=1)
    assert (result.rate, result.control, result.advantage, result.verdict) == (0.0, 0.0, 0.0, "pass")
