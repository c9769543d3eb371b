"""Linking in spite of errors: tolerances and edits against brute force, and splink where it is installed."""

from __future__ import annotations

import importlib.util
from datetime import date
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import attacks as naive

import anonym
from anonym.attacks.cover import Known, covers
from anonym.attacks.edits import distance, near
from anonym.attacks.linkage import Tables, linkage
from anonym.attacks.outcome import Gate
from anonym.errors import CallError

WORD = st.text("abc", max_size=6)


@settings(max_examples=150, deadline=None)
@given(st.lists(WORD, max_size=8), st.lists(WORD, max_size=8), st.integers(0, 2))
def test_near_texts_are_all_found(left: list[str], right: list[str], edits: int) -> None:
    found = set(near(left, right, edits).rows())
    assert found == {
        (i, j) for i, one in enumerate(left) for j, other in enumerate(right) if naive.levenshtein(one, other) <= edits
    }


@settings(max_examples=100, deadline=None)
@given(WORD, WORD)
def test_the_distance_is_levenshteins(one: str, other: str) -> None:
    exact = naive.levenshtein(one, other)
    assert distance(one, other, 9) == exact
    assert (distance(one, other, 2) <= 2) == (exact <= 2)


def test_the_textbook_distance() -> None:
    assert distance("kitten", "sitting", 5) == 3


LABELS = ["0-4", "5-9", "0-9", "3", ">=8", "<=2", "*", None]


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(LABELS), st.integers(-3, 14), st.integers(0, 3))
def test_a_tolerance_covers_what_is_near(label: str | None, value: int, tolerance: int) -> None:
    known = Known("age", ("age",), "age", "interval", tolerance=tolerance)
    found = covers(known, pl.DataFrame({"age": [label]}, schema={"age": pl.String}), pl.Series([value])).height
    shifts = range(-tolerance, tolerance + 1)
    assert found == any(naive.covers_number(label, value + shift) for shift in shifts)


def test_a_tolerance_of_a_date_is_in_days_and_of_a_coded_end_too() -> None:
    day = Known("day", ("day",), "day", "date", tolerance=2)
    cells = pl.DataFrame({"day": ["2024-01", "2024-02"]})
    values = pl.Series([date(2024, 1, 30), date(2024, 2, 4)])
    assert covers(day, cells, values).rows() == [(0, 0), (1, 0), (1, 1)]
    top = Known("age", ("age",), "age", "interval", top=90, tolerance=1)  # type: ignore[arg-type]
    ages = pl.DataFrame({"age": ["80-89", ">=90"]})
    assert set(covers(top, ages, pl.Series([88, 89, 90, 91])).rows()) == {
        (0, 0),
        (0, 1),
        (1, 1),
        (0, 2),
        (1, 2),
        (1, 3),
    }
    float_ends = Known("x", ("x",), "x", "interval", tolerance=0.25)
    assert covers(float_ends, pl.DataFrame({"x": ["[0, 1)"]}), pl.Series([-0.2, 1.2, 1.3])).rows() == [(0, 0), (0, 1)]


def test_edits_reach_prefixes_and_members_of_a_file(tmp_path: Any) -> None:
    zips = Known("zip", ("zip",), "zip", "prefix", edits=1)
    found = covers(zips, pl.DataFrame({"zip": ["112*", "9***", "1125"]}), pl.Series(["1125", "1225", "8125", "112"]))
    assert set(found.rows()) >= {(0, 0), (0, 1), (0, 3), (2, 0), (2, 1), (2, 2), (2, 3)}
    assert (1, 0) not in found.rows() or naive.levenshtein("9", "1") <= 1
    (tmp_path / "jobs.csv").write_text("nurse,health,*\nsmith,crafts,*\n")
    jobs = Known("job", ("job",), "job", "file", file=tmp_path / "jobs.csv", edits=1)
    cells = pl.DataFrame({"job": ["health", "crafts", "nurse"]})
    assert set(covers(jobs, cells, pl.Series(["nurce", "smth", "baker"])).rows()) == {(0, 0), (2, 0), (1, 1)}


NAMES = ["miller", "fischer", "weber", "schulz", "wagner", "becker", "hoffmann", "koch", "richter", "wolf", "neumann"]


def mistyped(n: int = 600) -> tuple[pl.DataFrame, pl.DataFrame]:
    """People, and what somebody else noted of them: a letter wrong in every third name, some a year off."""
    draw = np.random.default_rng(1)
    letters = lambda: "".join(draw.choice(list("bcdfghklmnprst"), 3))  # noqa: E731
    people = pl.DataFrame(
        {
            "row": range(n),
            "name": [f"{NAMES[int(draw.integers(11))]}{letters()}" for _ in range(n)],
            "age": draw.integers(18, 90, n),
            "zip": [str(code) for code in draw.integers(100, 160, n)],
        }
    )
    names = [name if i % 3 else name[:2] + "x" + name[3:] for i, name in enumerate(people["name"])]
    return people, people.with_columns(name=pl.Series(names), age=pl.col("age") + (pl.col("row") % 5 == 0))


COLUMNS = ("name", "age", "zip")


def test_tolerance_and_edits_find_people_whom_exact_linkage_misses() -> None:
    people, noted = mistyped()
    exact = Tables(people, noted, tuple(Known(name, (name,), name) for name in COLUMNS), truth="row")
    lax = tuple(Known(name, (name,), name, tolerance=1, edits=1) for name in COLUMNS)
    found = [linkage(tables, gate=Gate(0.1)) for tables in (exact, Tables(people, noted, lax, truth="row"))]
    assert (found[0].rate or 1) < 0.8
    assert (found[1].rate or 0) > 0.95


@pytest.mark.skipif(not importlib.util.find_spec("splink"), reason="splink is not installed (the extra `linkage`)")
def test_splink_links_in_spite_of_typing_errors() -> None:
    from anonym.attacks.typos import typos

    people, noted = mistyped(300)
    known = tuple(Known(name, (name,), name) for name in COLUMNS)
    fresh = mistyped(800)[0].tail(200)
    result = typos(Tables(people, noted, known, truth="row"), gate=Gate(0.1), seed=1, control=fresh, raw=people)
    assert (result.rate or 0) > 0.95
    assert result.verdict == "fail"
    assert (result.detail["positive_control"] or 0) > 0.95
    assert result.detail["control"]["false_accepts"] < 20
    twice = [pl.concat([frame, frame]).rename({"row": "who"}) for frame in (people, noted)]
    held = typos(Tables(twice[0], twice[1], known, "who", "who"), gate=Gate(0.1), seed=1, control=None, raw=twice[0])
    assert (held.targets, held.baseline) == (300, 1 / 300), "people, not rows"
    assert (held.rate or 0) > 0.95
    assert held.false_accepts is not None
    assert held.correct + held.false_accepts <= held.targets
    assert 0.95 < held.detail["positive_control"] <= 1
    assert held.detail["worst_subgroup"] is None, "no group has twenty people"
    generalised = Tables(people.cast(pl.String), noted, known)
    with pytest.raises(CallError, match="as they were"):
        typos(Tables(generalised.released, noted, known[1:]), gate=Gate(0.1), seed=1)
    asked = anonym.attack(None, people.drop("row"), auxiliary=noted, typos=True)
    assert "linkage with typing errors" in {one.name for one in asked}
