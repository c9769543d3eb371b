"""Linkage and uniqueness: equal to brute force, to closed forms, and to the numbers of the cases."""

from __future__ import annotations

import random
from collections import Counter
from datetime import date
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import attacks as naive

from anonym.attacks.cover import Known
from anonym.attacks.interval import clopper_pearson
from anonym.attacks.linkage import SUBSETS, Tables, linkage, looked_up, subsets
from anonym.attacks.matching import candidates, encode, expected, link, people
from anonym.attacks.outcome import AttackResult, Gate
from anonym.attacks.uniqueness import marketer, prosecutor

GATE = Gate(0.2)

# random tables of every kind of label, small enough that much coincides ---------------------------------------------

CELLS: dict[str, list[Any]] = {
    "age": ["0-4", "0-9", "5", "3", ">=8", "<=2", "*", None],
    "zip": ["11*", "112", "1**", "2**", "*", None],
    "day": ["2024-01-31", "2024-01", "2024-Q1", "2024", "2020s", ">=2024-04-01", "*", None],
    "size": ["[0, 0.5)", "[0.5, 1)", "0.5", "*", None],
}
VALUES: dict[str, list[Any]] = {
    "age": [0, 3, 5, 8, 9, None],
    "zip": ["111", "112", "121", "211", None],
    "day": [date(2024, 1, 31), date(2024, 1, 1), date(2024, 4, 1), date(2023, 5, 5), None],
    "size": [0.0, 0.3, 0.5, 0.99, None],
}
DTYPES = {"age": pl.Int64, "zip": pl.String, "day": pl.Date, "size": pl.Float64}
KINDS: dict[str, Any] = {"age": "interval", "zip": "prefix", "day": "date", "size": "interval"}
RULES = {
    "age": naive.covers_number,
    "zip": naive.covers_prefix,
    "day": naive.covers_date,
    "size": naive.covers_number,
}
NAMES = list(CELLS)


def rows_of(choices: dict[str, list[Any]], most: int) -> st.SearchStrategy[list[dict[str, Any]]]:
    return st.lists(st.fixed_dictionaries({name: st.sampled_from(of) for name, of in choices.items()}), max_size=most)


def frames(released: list[dict[str, Any]], auxiliary: list[dict[str, Any]]) -> Tables:
    cells = pl.DataFrame(released, schema=dict.fromkeys(NAMES, pl.String))
    values = pl.DataFrame(auxiliary, schema=DTYPES)
    return Tables(cells, values, tuple(Known(name, (name,), name, KINDS[name]) for name in NAMES))


@settings(max_examples=60, deadline=None)
@given(rows_of(CELLS, 9), rows_of(VALUES, 9), st.sets(st.sampled_from(range(4)), min_size=1))
def test_candidate_sets_equal_brute_force(
    released: list[dict[str, Any]], auxiliary: list[dict[str, Any]], chosen: set[int]
) -> None:
    tables, subset = frames(released, auxiliary), sorted(chosen)
    linked = link(encode(tables.released, tables.auxiliary, tables.known), subset)
    pairs = set(linked.pairs.rows())
    assert len(pairs) == linked.pairs.height
    found = [
        {j for j in range(len(auxiliary)) if (linked.released[i], linked.auxiliary[j]) in pairs}
        for i in range(len(released))
    ]
    rules = {NAMES[i]: RULES[NAMES[i]] for i in subset}
    assert found == naive.candidate_rows(released, auxiliary, rules)


@settings(max_examples=40, deadline=None)
@given(rows_of(CELLS, 9), rows_of(VALUES, 9))
def test_linkage_reports_the_worst_subset_as_brute_force_finds_it(
    released: list[dict[str, Any]], auxiliary: list[dict[str, Any]]
) -> None:
    result = linkage(frames(released, auxiliary), gate=GATE)
    scores = {}
    for size in range(1, 5):
        for names in combinations(NAMES, size):
            sets = naive.candidate_rows(released, auxiliary, {name: RULES[name] for name in names})
            scores[names] = naive.expected_correct(released, sets, names), sets
    worst = max(score for score, _ in scores.values())
    score, sets = scores[result.knows]
    assert score == worst
    assert result.correct == pytest.approx(float(worst), abs=1e-12)
    assert result.attempts == sum(bool(one) for one in sets)
    assert result.detail["pairs"] == sum(map(len, sets))
    assert result.detail["unique_match_forward"] == sum(len(one) == 1 for one in sets)
    reverse = Counter(j for one in sets for j in one)
    assert result.detail["pinned_both_ways"] == sum(len(one) == 1 and reverse[next(iter(one))] == 1 for one in sets)
    wild = result.detail["wild_card"]
    assert wild is None or result.rate is None or wild["rate"] >= result.rate - 1e-12


@settings(max_examples=40, deadline=None)
@given(rows_of(CELLS, 8), rows_of(VALUES, 8), st.data())
def test_people_of_several_rows_are_whoever_fits_all_of_them(
    released: list[dict[str, Any]], auxiliary: list[dict[str, Any]], data: st.DataObject
) -> None:
    tables = frames(released, auxiliary)
    ours = data.draw(st.lists(st.sampled_from([1, 2, 3, None]), min_size=len(released), max_size=len(released)))
    theirs = data.draw(st.lists(st.sampled_from([7, 8, 9]), min_size=len(auxiliary), max_size=len(auxiliary)))
    linked = link(encode(tables.released, tables.auxiliary, tables.known), [0, 1])
    targets = people(linked.released, pl.Series(ours, dtype=pl.Int64))
    others = people(linked.auxiliary, pl.Series(theirs, dtype=pl.Int64))
    found = candidates(targets, linked.pairs.rename({"released": "target", "auxiliary": "other"}), others)
    sets = naive.candidate_rows(released, auxiliary, {name: RULES[name] for name in ("age", "zip")})
    assert sorted(found["candidates"]) == sorted(map(len, naive.candidate_people(sets, ours, theirs).values()))


@settings(max_examples=40, deadline=None)
@given(rows_of(CELLS, 8), rows_of(VALUES, 8), st.data())
def test_with_a_truth_real_links_are_counted(
    released: list[dict[str, Any]], auxiliary: list[dict[str, Any]], data: st.DataObject
) -> None:
    truth, theirs = (
        data.draw(st.lists(st.sampled_from([1, 2, 3, 4, None]), min_size=len(rows), max_size=len(rows)))
        for rows in (released, auxiliary)
    )
    plain = frames(released, auxiliary)
    tables = Tables(
        plain.released.with_columns(id=pl.Series(truth, dtype=pl.Int64)),
        plain.auxiliary.with_columns(id=pl.Series(theirs, dtype=pl.Int64)),
        plain.known[:1],
        truth="id",
    )
    result = linkage(tables, gate=GATE)
    sets = naive.candidate_rows(released, auxiliary, {"age": RULES["age"]})
    named = [one if one is not None else object() for one in truth]  # a null is nobody
    assert result.correct == pytest.approx(float(naive.truly_correct(sets, named, theirs)), abs=1e-12)
    wrong = sum(len(s) == 1 and t not in {theirs[j] for j in s} for s, t in zip(sets, named, strict=True))
    assert result.false_accepts == wrong


# closed forms --------------------------------------------------------------------------------------------------------


def invented(people: int, seed: int, ages: int = 40, zips: int = 60) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": 20 + rng.integers(0, ages, people),
            "zip": (10_000 + rng.integers(0, zips, people)).astype(str),
            "sex": rng.choice(["f", "m"], people),
        }
    )


QUASI = ("age", "zip", "sex")
RAW = tuple(Known(name, (name,), name) for name in QUASI)


def generalised(frame: pl.DataFrame, width: int = 10) -> pl.DataFrame:
    low = pl.col("age") // width * width
    return frame.with_columns(
        age=low.cast(pl.String) + "-" + (low + width - 1).cast(pl.String), zip=pl.col("zip").str.head(4) + "*"
    )


BANDS = (Known("age", ("age",), "age", "interval"), Known("zip", ("zip",), "zip", "prefix"), RAW[2])


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 30), st.integers(50, 400))
def test_the_closed_form_lies_in_the_interval_of_a_simulated_attack(seed: int, zips: int, people_: int) -> None:
    frame, rng = invented(people_, seed, ages=12, zips=zips), random.Random(seed)
    result = linkage(Tables(generalised(frame), frame, BANDS), gate=GATE)
    names = result.knows
    released = generalised(frame).select(names).rows()
    classes: dict[Any, list[int]] = {}
    for number, row in enumerate(released):
        classes.setdefault(row, []).append(number)
    hits = sum(rng.choice(classes[row]) == number for number, row in enumerate(released))  # one guess a person
    low, high = clopper_pearson(hits, people_, confidence=0.99999)
    assert low <= (result.rate or 0) <= high
    assert result.correct == pytest.approx(len(classes))  # each class of f gives f times 1 / f


def test_a_raw_copy_finds_everyone_who_is_unique() -> None:
    frame = invented(2000, 3)
    result = linkage(Tables(frame, frame, RAW), gate=GATE, raw=frame)
    sizes = Counter(frame.rows())
    assert result.detail["unique_match_forward"] == sum(count == 1 for count in sizes.values())
    assert result.detail["unique_match_forward"] == result.detail["pinned_both_ways"]
    assert result.correct == pytest.approx(len(sizes))
    assert result.detail["positive_control"] == pytest.approx(result.rate)
    assert result.verdict == "fail"


def test_fresh_people_give_no_more_than_the_baseline() -> None:
    frame, fresh = invented(3000, 4), invented(3000, 5)
    ids = Tables(
        frame.with_columns(id=pl.Series(range(3000))),
        fresh.with_columns(id=pl.Series(range(3000, 6000))),
        RAW,
        truth="id",
    )
    result = linkage(ids, gate=GATE, control=invented(3000, 6))
    assert result.correct == 0
    assert result.rate is not None
    assert result.rate <= (result.baseline or 0)
    unknown = linkage(Tables(frame, fresh, RAW), gate=GATE, control=invented(3000, 6))
    assert abs(unknown.advantage or 0) < 0.06  # without a truth the control takes the place of it
    assert unknown.false_accepts


def test_uniform_cells_give_the_analytic_share_of_unique_people() -> None:
    """d = 365 * 78 * 2 cells, n = 9,330 people: (1 - 1 / d) ** (n - 1) = 84.9 % are unique."""
    cells, n, rng = 365 * 78 * 2, 9_330, np.random.default_rng(1)
    share = (1 - 1 / cells) ** (n - 1)
    assert share == pytest.approx(0.849, abs=5e-4)
    unique = targets = 0
    for _ in range(5):
        frame = pl.DataFrame({"cell": rng.integers(0, cells, n)})
        result = prosecutor(frame, ["cell"], ["cell"], unit=None, gate=GATE, seed=None)
        unique, targets = unique + result.detail["unique"], targets + result.targets
    low, high = clopper_pearson(unique, targets, confidence=0.9999)
    assert low <= share <= high
    assert not low <= 0.83 <= high  # and the interval would tell 83 % apart


def test_k_bounds_the_risk_for_any_table_of_the_attacker() -> None:
    """A sample of one person a class is at most one right link a class, not as many as the class has rows."""
    frame = invented(4000, 7, zips=10)
    released = generalised(frame)
    smallest = min(Counter(released.rows()).values())
    assert smallest >= 20
    for size in (5, 50, 500, 4000):
        result = linkage(Tables(released, frame.head(size), BANDS), gate=GATE)
        assert (result.rate or 0) <= 1 / smallest


def test_the_control_is_looked_up_person_by_person() -> None:
    released, control = generalised(invented(500, 1)), invented(70, 2)
    outside = looked_up(Tables(released, control, BANDS), (0, 1, 2))
    sets = naive.candidate_rows(
        control.rows(named=True),
        released.rows(named=True),
        {
            "age": lambda mine, cell: naive.covers_number(cell, mine),
            "zip": lambda mine, cell: naive.covers_prefix(cell, mine),
            "sex": lambda mine, cell: mine == cell,
        },
    )
    assert list(outside["candidates"]) == list(map(len, sets))


# uniqueness ----------------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("ab*"), st.sampled_from([1, 2, None]), st.sampled_from([1, 2, 3, None])),
                min_size=1, max_size=12))  # fmt: skip
def test_prosecutor_is_the_mean_of_one_over_f_of_the_smallest_class(rows: list[tuple[Any, ...]]) -> None:
    frame = pl.DataFrame(rows, schema={"q": pl.String, "r": pl.Int64, "who": pl.Int64}, orient="row")
    plain = prosecutor(frame, ["q", "r"], ["q", "r"], unit=None, gate=GATE, seed=None)
    assert plain.correct == pytest.approx(len({row[:2] for row in rows}))
    units = prosecutor(frame, ["q", "r"], ["q", "r"], unit="who", gate=GATE, seed=None)
    members = Counter(cell[:2] for cell in set(rows))
    smallest = {who: min(members[row[:2]] for row in rows if row[2] == who) for who in {row[2] for row in rows}}
    assert units.targets == len(smallest)
    assert units.correct == pytest.approx(float(sum(Fraction(1, f) for f in smallest.values())))
    assert units.detail["highest"] == 1 / min(smallest.values())


def test_marketer_is_the_sum_of_f_over_population() -> None:
    population = invented(3000, 8)
    sample = population.head(600)
    result = marketer(Tables(sample, population, RAW), gate=GATE, seed=None)
    whole, part = Counter(population.rows()), Counter(sample.rows())
    assert result.correct == pytest.approx(sum(f / whole[row] for row, f in part.items()))
    assert result.detail["journalist_highest"] == 1 / min(whole[row] for row in part)
    assert result.detail["outside_population"] == 0


# the rest ------------------------------------------------------------------------------------------------------------


def test_every_subset_of_six_columns_and_a_bound_beyond() -> None:
    assert sorted(subsets(3)) == [(0,), (0, 1), (0, 1, 2), (0, 2), (1,), (1, 2), (2,)]
    assert len(set(subsets(6))) == 63
    tried = list(subsets(9))
    assert len(set(tried)) == SUBSETS
    assert tried[0] == tuple(range(9))
    assert {(i,) for i in range(9)} <= set(tried)


def test_one_right_column_links_more_than_all_with_an_error() -> None:
    released = pl.DataFrame({"a": ["u", "v", "w"], "b": ["1", "2", "3"]})
    auxiliary = pl.DataFrame({"a": ["u", "v", "w"], "b": ["9", "9", "9"]})  # b is wrong throughout
    result = linkage(Tables(released, auxiliary, tuple(Known(n, (n,), n) for n in "ab")), gate=GATE)
    assert result.knows == ("a",)
    assert result.rate == 1


def test_the_worst_subgroup_is_named_by_its_column_only() -> None:
    frame = pl.DataFrame({"sex": ["f"] * 30 + ["m"] * 30, "zip": [str(i) for i in range(30)] + ["x"] * 30})
    result = linkage(Tables(frame, frame, tuple(Known(n, (n,), n) for n in ("sex", "zip"))), gate=GATE)
    assert result.detail["worst_subgroup"] == {"column": "sex", "targets": 30, "rate": 1.0}


def test_an_empty_release_gives_nulls() -> None:
    frame = invented(5, 1)
    result = linkage(Tables(frame.clear(), frame, RAW), gate=GATE, control=frame, raw=frame)
    assert isinstance(result, AttackResult)
    assert (result.targets, result.rate, result.low, result.verdict) == (0, None, None, "inconclusive")


def test_the_positive_control_allows_the_attackers_errors_too() -> None:
    raw = pl.DataFrame({"age": range(0, 200, 10)})
    noted = raw.with_columns(pl.col("age") + 2)
    for off, found in ((0.0, 0.0), (2.0, 1.0)):
        known = (Known("age", ("age",), "age", "interval", tolerance=off),)
        assert linkage(Tables(raw, noted, known), gate=None, raw=raw).detail["positive_control"] == found


def test_a_wild_card_on_nobody_has_no_rate() -> None:
    nobody, noted = pl.DataFrame({"sex": []}, schema={"sex": pl.String}), pl.DataFrame({"sex": ["f", None]})
    found = linkage(Tables(nobody, noted, (Known("sex", ("sex",), "sex"),)), gate=None)
    assert found.detail["wild_card"] == {"attempts_more": 0, "rate": None}


def test_expected_counts_each_candidate_once() -> None:
    found = pl.DataFrame({"candidates": [1, 1, 1, 2, 0], "sharing": [3, 3, 3, 1, 1]})
    assert expected(found) == pytest.approx(1.5)
    assert expected(found, is_known=True) == pytest.approx(3.5)


def test_the_control_is_looked_up_under_its_own_names() -> None:
    """Who was held out has the original's names; the attacker's table calls its columns otherwise."""
    released, control = invented(300, 1), invented(80, 2)
    theirs = tuple(Known(name, (name,), f"their {name}") for name in QUASI)
    renamed = released.rename({one.name: one.auxiliary for one in theirs})
    found = linkage(Tables(released, renamed, theirs), gate=GATE, control=control)
    same = linkage(Tables(released, released, RAW), gate=GATE, control=control)
    assert found.control == same.control
    assert found.control is not None
    known = marketer(Tables(released, renamed, theirs), gate=GATE, seed=None, control=control, raw=released)
    assert (known.control, known.false_accepts) == (found.control, found.false_accepts)
    assert known.detail["positive_control"] == pytest.approx(known.rate)
