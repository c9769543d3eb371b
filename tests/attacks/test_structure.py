"""What the structure of a release gives away: uniqueness and its drivers, downcoding, tokens, order."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import attacks as naive

from anonym.attacks.cover import Known
from anonym.attacks.downcoding import downcoding
from anonym.attacks.drivers import drivers, minimal_uniques, weight
from anonym.attacks.linkage import Tables
from anonym.attacks.minimality import dealt_out, minimality
from anonym.attacks.order import order
from anonym.attacks.outcome import Gate
from anonym.attacks.population import fitted, pitman, population_uniqueness, singletons, zayatz
from anonym.attacks.pseudonyms import pseudonyms

RISK, GAIN = Gate(0.1), Gate(0.1, "advantage")

# drivers -------------------------------------------------------------------------------------------------------------

ROWS = st.lists(st.tuples(*[st.integers(0, 2)] * 4), max_size=14)


@settings(max_examples=80, deadline=None)
@given(ROWS, st.integers(1, 4))
def test_minimal_uniques_equal_brute_force(rows: list[Any], largest: int) -> None:
    frame = pl.DataFrame(rows, schema=list("abcd"), orient="row")
    found = minimal_uniques(frame, list("abcd"), unit=None, largest=largest)
    listed = {(row, names) for names, held in found.found.items() for row in held.tolist()}
    assert listed == naive.minimal_uniques(rows, largest if found.largest else 0)


def test_a_unit_with_several_equal_rows_is_unique() -> None:
    frame = pl.DataFrame({"who": [1, 1, 2, 3], "a": ["x", "x", "y", "y"]})
    assert [len(rows) for rows in minimal_uniques(frame, ["a"], unit="who").found.values()] == [1]
    assert not minimal_uniques(frame, ["a"], unit=None).found


def test_the_column_that_singles_out_is_named() -> None:
    draw = np.random.default_rng(1)
    frame = pl.DataFrame({"id": range(400), "sex": draw.integers(0, 2, 400), "band": draw.integers(0, 3, 400)})
    result = drivers(frame, ["id", "sex", "band"], unit=None, seed=1)
    assert (result.rate, result.verdict) == (1.0, None)
    assert result.detail["contribution"] == {"id": 1.0, "sex": 0.0, "band": 0.0}
    assert result.detail["worst_subgroup"]["rate"] == 1.0
    safe = drivers(frame.select("sex", "band"), ["sex", "band"], unit=None, seed=1)
    assert safe.rate == 0.0
    assert safe.detail["contribution"] == {"sex": None, "band": None}, "a share of nothing is not measured"


def test_who_is_unique_on_more_columns_than_are_tried_is_counted() -> None:
    frame = pl.DataFrame(list(product([0, 1], repeat=6)), schema=list("abcdef"), orient="row")
    result = drivers(frame, list("abcdef"), unit=None, seed=1)
    assert (result.rate, result.detail["largest_set"], result.detail["unique_on_all"]) == (0.0, 5, 64)


def test_small_sets_weigh_more_as_published() -> None:
    assert [weight(size, 6, 3) for size in (1, 2, 3)] == [5 * 4 * 3, 4 * 3, 3]
    assert weight(4, 4, 4) == 1


# population ----------------------------------------------------------------------------------------------------------


def test_uniform_cells_have_the_share_unique_of_the_closed_form() -> None:
    cells, people = 365 * 78 * 2, 9_330
    closed = (1 - 1 / cells) ** (people - 1)
    assert closed == pytest.approx(0.849, abs=0.0005)
    draw = np.random.default_rng(2)
    frame = pl.DataFrame({"cell": draw.integers(0, cells, people)})
    result = drivers(frame, ["cell"], unit=None, seed=1)
    assert (result.low or 1) < closed < (result.high or 0)


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(st.integers(1, 6), st.integers(1, 9), min_size=1), st.integers(0, 60))
def test_zayatz_equals_its_formula_in_fractions(histogram: dict[int, int], more: int) -> None:
    people = sum(size * number for size, number in histogram.items()) + more
    assert zayatz(histogram, people) == pytest.approx(float(naive.zayatz(histogram, people)), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(("theta", "alpha"), [(20.0, 0.3), (200.0, 0.6), (2.0, 0.75)])
def test_pitmans_parameters_are_found_again(theta: float, alpha: float) -> None:
    draw = np.random.default_rng(int(theta))
    fits = [fitted(naive.pitman_partition(theta, alpha, 4_000, draw)) for _ in range(6)]
    assert np.mean([found[1] for found in fits]) == pytest.approx(alpha, abs=0.06)
    parts = [naive.pitman_partition(theta, alpha, 900, draw).get(1, 0) for _ in range(60)]
    spread = np.std(parts) / math.sqrt(len(parts))
    exact = singletons(theta, alpha, 900)
    assert abs(np.mean(parts) - exact) < 4 * spread
    assert abs(np.mean(parts) - singletons(theta, alpha + 0.15, 900)) > 4 * spread, "and rejects another alpha"


def test_a_sample_that_is_the_population_tells_its_uniques() -> None:
    histogram = {1: 40, 2: 30, 5: 10}
    assert zayatz(histogram, 150) == pytest.approx(40)
    frame = pl.DataFrame({"q": [f"{size}-{i}" for size, n in histogram.items() for i in range(n) for _ in range(size)]})
    result = population_uniqueness(frame, ["q"], ["q"], 1500, unit=None, seed=None)
    low, high = result.detail["population_unique"]["band"]
    assert 0 < low <= high < 1500
    assert result.verdict is None
    assert pitman(histogram, 1500) in (low, high)
    none = population_uniqueness(pl.DataFrame({"q": ["a", "a"]}), ["q"], ["q"], 100, unit=None, seed=None)
    assert none.detail["population_unique"]["band"] == [0.0, 0.0]


def test_uniques_of_a_population_are_people_and_not_rows() -> None:
    rows = pl.DataFrame({"who": [0] * 6 + list(range(1, 10)), "q": [f"own {i}" for i in range(6)] + ["all"] * 9})
    result = population_uniqueness(rows, ["q"], ["q"], 12, unit="who", seed=None)
    assert (result.targets, result.correct, result.detail["sample_unique"]) == (10, 1, 1)
    assert result.detail["population_unique"]["zayatz"] == pytest.approx(float(naive.zayatz({1: 1, 9: 1}, 12)))


def test_nobody_is_no_sample_of_a_population() -> None:
    nobody = pl.DataFrame({"q": []}, schema={"q": pl.String})
    detail = population_uniqueness(nobody, ["q"], ["q"], 100, unit=None, seed=None).detail
    assert (detail["population_unique"]["band"], detail["population_unique_share"]) == ([None, None], [None, None])


# downcoding ----------------------------------------------------------------------------------------------------------

AGE = (Known("age", ("age",), "age", "interval"), Known("zip", ("zip",), "zip", "prefix"))


def test_a_class_around_a_finer_one_gives_its_values_away() -> None:
    released = pl.DataFrame({"row": range(8), "age": ["30-34"] * 5 + ["30-39"] * 3, "zip": ["11*"] * 8})
    people = pl.DataFrame({"row": range(8), "age": [30, 31, 32, 33, 34, 36, 37, 38], "zip": ["111"] * 8})
    for truth in ("row", None):
        result = downcoding(Tables(released, people, AGE, truth=truth), gate=GAIN, seed=1)
        assert (result.targets, result.correct) == (8, 3)
        assert (result.detail["cells"], result.detail["cells_right"]) == (8, 3)
        assert result.detail["by_column"] == {"age": 3, "zip": 0}
        assert result.control == pytest.approx(3 * (3 / 8) / 8)
    wrong = people.with_columns(age=pl.when(pl.col("row") == 7).then(30).otherwise("age"))
    result = downcoding(Tables(released, wrong, AGE, truth="row"), gate=GAIN, seed=1)
    assert (result.correct, result.false_accepts) == (2, 1)


LABEL = st.tuples(st.sampled_from(["0-9", "0-4", "5-9", "3", "7", "*"]), st.sampled_from(["11*", "111", "112", "*"]))
PERSON = st.tuples(st.sampled_from([0, 3, 4, 7, 9]), st.sampled_from(["111", "112", "121"]))


@settings(max_examples=80, deadline=None)
@given(st.lists(LABEL, max_size=7), st.lists(PERSON, max_size=9))
def test_narrowed_cells_equal_brute_force(released: list[Any], people: list[Any]) -> None:
    tables = Tables(
        pl.DataFrame(released, schema={"age": pl.String, "zip": pl.String}, orient="row"),
        pl.DataFrame(people, schema={"age": pl.Int64, "zip": pl.String}, orient="row"),
        AGE,
    )
    result = downcoding(tables, gate=GAIN, seed=1)
    cells, narrowed, shares = naive.narrowed(released, people, (naive.covers_number, naive.covers_prefix))
    assert result.detail["cells"] == cells
    assert list(result.detail["by_column"].values()) == narrowed
    assert result.targets == len(shares)
    assert result.correct == pytest.approx(float(sum(shares)))


def test_narrowed_cells_of_a_person_count_once() -> None:
    """Four people, three of them with two narrowed cells in each of two rows: three right, not twelve."""
    fine = pl.DataFrame({"row": [0], "who": [0], "age": ["30-34"], "zip": ["11*"]})
    coarse = pl.DataFrame({"row": range(1, 7), "who": [1, 1, 2, 2, 3, 3], "age": ["30-39"] * 6, "zip": ["1**"] * 6})
    people = pl.DataFrame({"row": range(7), "age": [30, *[36, 37] * 3], "zip": ["111", *["121"] * 6]})
    more = pl.DataFrame({"row": [7], "age": [31], "zip": ["112"]})
    tables = Tables(pl.concat([fine, coarse]), pl.concat([people, more]), AGE, unit="who", truth="row")
    result = downcoding(tables, gate=GAIN, seed=1)
    assert (result.targets, result.correct, result.false_accepts) == (4, 3, 0)
    assert (result.detail["cells"], result.detail["cells_right"]) == (14, 12)


def test_global_recoding_is_not_narrowed() -> None:
    people = pl.DataFrame({"age": [i % 40 for i in range(400)], "zip": [f"1{i % 7}{i % 3}" for i in range(400)]})
    released = people.select(
        age=pl.format("{}-{}", pl.col("age") // 10 * 10, pl.col("age") // 10 * 10 + 9),
        zip=pl.col("zip").str.head(1) + "**",
    )
    result = downcoding(Tables(released, people, AGE), gate=GAIN, seed=1)
    assert (result.correct, result.targets, result.rate, result.verdict) == (0, 400, 0.0, "pass")
    assert result.detail["cells"] == 800


# minimality ----------------------------------------------------------------------------------------------------------


def test_the_two_with_hiv_of_the_paper_are_known_for_sure() -> None:
    """Wong et al. 2007, table 1: two of seven have HIV; merging was needed only if
    both are the two of the first part."""
    chances = dealt_out([2, 5], np.array([0, 0, 1, 2, 3, 4, 5]), 2, np.random.default_rng(1))
    assert chances is not None
    assert chances[0, 0] == 1.0
    assert chances[1, 0] == 0.0


def test_deals_agree_with_counting_them_all() -> None:
    values = [0, 0, 0, 1, 1, 2]
    found = dealt_out([2, 4], np.array(values), 2, np.random.default_rng(2))
    assert found is not None
    exact = naive.dealt_out([2, 4], values, 2)
    assert found == pytest.approx(np.array(exact), abs=0.05)
    assert not np.allclose(found, np.full((2, 3), [1 / 2, 1 / 3, 1 / 6]), atol=0.05), "the class alone says otherwise"


def test_minimality_finds_more_than_the_class_alone() -> None:
    parts = pl.DataFrame({"age": [30] * 2 + [35] * 5, "zip": ["111"] * 7, "dx": ["hiv"] * 2 + list("abcde")})
    released = parts.with_columns(age=pl.lit("30-39"))
    result = minimality(Tables(released, parts, AGE), "dx", 2, 2, gate=GAIN, seed=1)
    assert result.detail["classes_that_tell"] == 1
    assert result.correct == pytest.approx(2 + 5 * 1 / 5)
    assert (result.control or 0) * 7 == pytest.approx(2)
    assert result.baseline == 2 / 7
    untold = minimality(Tables(released, parts, AGE), "dx", 2, 3, gate=GAIN, seed=1)
    assert untold.correct == pytest.approx(2)


# tokens and order ----------------------------------------------------------------------------------------------------


def test_tokens_that_last_join_two_releases_and_fresh_ones_do_not() -> None:
    tokens = lambda mark, n: pl.DataFrame({"who": [f"{mark}{i}" for i in range(n)]})  # noqa: E731
    assert pseudonyms(tokens("a", 200), tokens("a", 150), "who", gate=RISK).verdict == "fail"
    fresh = pseudonyms(tokens("a", 200), tokens("b", 200), "who", gate=RISK)
    assert (fresh.correct, fresh.verdict, fresh.baseline) == (0, "pass", 0.0)
    told = [tokens("a", 100).with_columns(row=pl.int_range(100) + shift) for shift in (0, 1)]
    mixed = pseudonyms(told[0], told[1], "who", gate=RISK, truth="row")
    assert (mixed.correct, mixed.false_accepts) == (0, 100)


@pytest.mark.parametrize("truth", ["row", None])
def test_a_kept_order_finds_the_rows_and_a_shuffled_one_does_not(truth: str | None) -> None:
    draw = np.random.default_rng(5)
    people = pl.DataFrame({"age": draw.integers(0, 90, 3000), "zip": draw.integers(100, 999, 3000)})
    people = people.with_columns(pl.col("zip").cast(pl.String)).with_row_index("row")
    label = pl.format("{}-{}", pl.col("age") // 10 * 10, pl.col("age") // 10 * 10 + 9)
    released = people.with_columns(age=label, zip=pl.col("zip").str.head(1) + "**")
    kept = order(Tables(released.gather_every(2), people, AGE, truth=truth), gate=GAIN, seed=1, targets=1000)
    assert (kept.rate or 0) > 0.8
    assert kept.verdict == "fail"
    mixed = order(
        Tables(released.sample(fraction=1, shuffle=True, seed=9), people, AGE, truth=truth),
        gate=GAIN,
        seed=1,
        targets=1000,
    )
    assert mixed.verdict == "pass"


def test_an_order_finds_people_and_not_rows() -> None:
    people = pl.DataFrame({"who": [1, 1, 1, 2, 3], "age": [30, 31, 32, 40, 50], "zip": ["111"] * 5, "row": range(5)})
    released = people.with_columns(age=pl.format("{}", "age"), row=pl.Series([0, 9, 9, 3, 9]))
    result = order(Tables(released, people, AGE, unit="who", truth="row"), gate=GAIN, seed=1, targets=5)
    assert (result.targets, result.correct, result.false_accepts) == (3, 2, 1)
    assert (result.detail["rows"], result.detail["matched"]) == (5, 5)
    assert result.detail["positive_control"] == 1


def test_the_positive_control_of_an_order_is_measured() -> None:
    people = pl.DataFrame({"age": [*range(40), *[None] * 10], "zip": ["111"] * 50})
    released = people.with_columns(age=pl.lit("0-99"))
    assert order(Tables(released, people, AGE), gate=GAIN, seed=1, targets=50).detail["positive_control"] == 0.8
