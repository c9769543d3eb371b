"""Inference, intersection and what was left in text, against brute force."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import attacks as naive

import anonym
from anonym.attacks.cover import Known
from anonym.attacks.inference import guess, inference
from anonym.attacks.intersection import by_column, by_original, intersection
from anonym.attacks.linkage import Tables
from anonym.attacks.outcome import Gate
from anonym.attacks.residue import residue
from anonym.errors import InputError

GAIN, RISK = Gate(0.1, "advantage"), Gate(0.2)
AGE = (Known("age", ("age",), "age", "interval"),)
CELL = st.sampled_from(["0-4", "0-9", "5-9", "3", "*", None])
VALUE = st.sampled_from(["flu", "cold", "hiv", None])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(CELL, VALUE), max_size=10),
    st.lists(st.tuples(st.sampled_from([1, 3, 7, 20, None]), VALUE), max_size=10),
)
def test_guessing_the_mode_equals_brute_force(released: list[Any], people: list[Any]) -> None:
    tables = Tables(
        pl.DataFrame(released, schema={"age": pl.String, "dx": pl.String}, orient="row"),
        pl.DataFrame(people, schema={"age": pl.Int64, "dx": pl.String}, orient="row"),
        AGE,
    )
    found = guess(tables, "dx")
    sets = [{j for j, (cell, _) in enumerate(released) if naive.covers_number(cell, age)} for age, _ in people]
    right, usual = naive.guessed(sets, [dx for _, dx in released], [dx for _, dx in people])
    targets = sum(dx is not None for _, dx in people)
    assert found.counts.targets == targets
    assert found.counts.correct == pytest.approx(float(right), abs=1e-12)
    assert targets == 0 or found.baseline == pytest.approx(float(usual) / targets, abs=1e-12)


def test_a_unit_weighs_one_in_a_class_whatever_its_rows() -> None:
    released = pl.DataFrame({"who": [1, 1, 1, 2, 3], "age": ["0-9"] * 5, "dx": ["a", "a", "a", "b", "b"]})
    person = pl.DataFrame({"who": [9], "age": [5], "dx": ["b"]})
    assert guess(Tables(released, person, AGE, unit="who"), "dx").counts.correct == 1
    assert guess(Tables(released, person, AGE), "dx").counts.correct == 0


def test_people_of_several_rows_count_once() -> None:
    released = pl.DataFrame({"age": ["0-9"], "dx": ["a"]})
    people = pl.DataFrame({"who": [1, 1, 2], "age": [5, 5, 5], "dx": ["a", "b", "b"]})
    counts = guess(Tables(released, people, AGE, unit="who"), "dx").counts
    assert (counts.targets, counts.correct) == (2, 0.5)


def drawn(people: int, seed: int, bond: float) -> pl.DataFrame:
    """Ages, and an illness that follows from the age with chance `bond`."""
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 400, people)
    dx = np.where(rng.random(people) < bond, age // 100, rng.integers(0, 4, people))
    return pl.DataFrame({"age": age, "dx": dx.astype(str)})


def banded(frame: pl.DataFrame, width: int) -> pl.DataFrame:
    low = pl.col("age") // width * width
    return frame.with_columns(age=low.cast(pl.String) + "-" + (low + width - 1).cast(pl.String))


def test_correlation_is_no_advantage_and_memory_is() -> None:
    people, control = drawn(20_000, 1, 0.6), drawn(20_000, 2, 0.6)
    general = inference(Tables(banded(people, 100), people, AGE), "dx", gate=GAIN, control=control)
    assert general.rate is not None
    assert general.baseline is not None
    assert general.rate > general.baseline + 0.3  # much is inferred,
    assert abs(general.advantage or 1) < 0.03  # of strangers as well
    assert general.verdict == "pass"
    few = people.head(600)  # fewer than two for each age: the release holds what was theirs alone
    raw = inference(Tables(few, few, AGE), "dx", gate=GAIN, control=control)
    assert raw.rate == pytest.approx(raw.detail["positive_control"])
    assert (raw.advantage or 0) > 0.4
    assert raw.verdict == "fail"


def test_fresh_people_are_guessed_no_better_than_the_baseline_where_nothing_correlates() -> None:
    people, control = drawn(4000, 3, 0.0), drawn(4000, 4, 0.0)
    result = inference(Tables(people.sample(4000, seed=1, shuffle=True), people, AGE), "dx", gate=GAIN, control=control)
    assert result.control is not None
    assert result.control == pytest.approx(0.25, abs=0.03)
    assert result.low is not None
    assert result.low > result.control


# intersection --------------------------------------------------------------------------------------------------------


def shifted(frame: pl.DataFrame, by: int) -> pl.DataFrame:
    low = (pl.col("age") + by) // 10 * 10 - by
    return frame.with_columns(age="[" + low.cast(pl.String) + ", " + (low + 10).cast(pl.String) + ")")


@pytest.mark.parametrize("by", [1, 3, 5])
def test_shifted_bands_equal_brute_force_by_column_and_by_original(by: int) -> None:
    rng = np.random.default_rng(by)
    frame = pl.DataFrame({"who": range(300), "age": rng.integers(20, 90, 300), "sex": rng.choice(["f", "m"], 300)})
    first, second = shifted(frame, 0), shifted(frame, by).sample(fraction=1, shuffle=True, seed=1)
    aligned = second.sort("who")
    known = (AGE[0], Known("sex", ("sex",), "sex"))
    pairs = [list(zip(table["age"], table["sex"], strict=True)) for table in (first, aligned)]
    small = naive.under(*pairs, k=5)
    assert small > 0
    for joint in (
        by_column((first, ["age", "sex"]), (second, ["age", "sex"]), "who"),
        by_original(Tables(first, frame, known), Tables(second, frame, known)),
    ):
        result = intersection(joint, 5, ["age", "sex"], gate=RISK)
        assert (result.targets, result.correct) == (300, small)
        assert result.baseline is not None
        assert result.baseline <= (result.rate or 0)


def test_three_releases_together_equal_brute_force() -> None:
    rng = np.random.default_rng(4)
    frame = pl.DataFrame({"who": range(120), "age": rng.integers(20, 90, 120)})
    releases = [shifted(frame, by) for by in (0, 3, 6)]
    small = naive.under(*(table["age"].to_list() for table in releases), k=5)
    assert small > naive.under(*(table["age"].to_list() for table in releases[:2]), k=5)
    declared = {"anonym": 1, "columns": {"age": {"role": "quasi"}, "who": {"role": "keep"}}, "guarantee": {"k": 5}}
    released, *earlier = releases
    for told in ({"truth": "who"}, {"original": frame}):
        hidden = [table if "truth" in told else table.drop("who") for table in releases]
        found = anonym.attack(declared, hidden[0], against=hidden[1:], **told)
        joined = next(one for one in found if one.name == "intersection")
        assert (joined.targets, joined.correct, joined.detail["releases"]) == (120, small, 3)
    with pytest.raises(InputError, match="unlike ways"):
        anonym.attack(declared, released, frame, against=[earlier[0], earlier[1].drop("who")], truth="who")


def test_people_in_one_release_only_are_no_targets() -> None:
    first = pl.DataFrame({"who": [1, 2, 3, None], "age": ["0-9"] * 4})
    second = pl.DataFrame({"who": [2, 3, 4, None], "age": ["0-9", "5-9", "5-9", "5-9"]})
    result = intersection(by_column((first, ["age"]), (second, ["age"]), "who"), 2, ["age"], gate=RISK)
    assert (result.targets, result.correct) == (2, 2)


def test_the_positive_control_of_an_intersection_counts_people() -> None:
    first = pl.DataFrame({"who": [1, 2, 3], "age": ["0-9"] * 3})
    raw = pl.DataFrame({"who": [1, 1, 1, 2, 3], "age": [4, 4, 4, 5, 5]})
    joint = by_column((first, ["age"]), (first, ["age"]), "who")
    for unit, share in (("who", 1 / 3), (None, 2 / 5)):
        result = intersection(joint, 2 if unit else 3, ["age"], gate=RISK, raw=(raw, ["age"]), unit=unit)
        assert result.detail["positive_control"] == pytest.approx(share)


# text ----------------------------------------------------------------------------------------------------------------

PEOPLE = pl.DataFrame(
    {
        "id": [1, 2, 3, 4],
        "name": ["Ada Byron", "Max Mann", "Eva Roth", "Al"],
        "mail": ["ada@x.example", None, "e.roth+a@x.example", "al@x.example"],
    }
)
NOTES = pl.DataFrame(
    {
        "id": [3, 1, 2, 4, 5],
        "note": ["Call ADA BYRON.", "ada byron, ada@x.example", "Max Mannheim", "for e.roth+a@x.example: al", None],
    }
)


def test_values_left_in_notes_are_found_whole_and_counted_by_note() -> None:
    result = residue(NOTES, "note", PEOPLE, ["name", "mail"], gate=RISK)
    assert (result.targets, result.correct) == (4, 3)  # not Mannheim, and two letters are no evidence
    real = residue(NOTES, "note", PEOPLE, ["name", "mail"], gate=RISK, truth="id", control=PEOPLE.head(0))
    assert (real.correct, real.false_accepts) == (1, 2)


def test_people_are_found_by_the_best_of_their_notes() -> None:
    twins = pl.DataFrame({"name": ["Eva Roth", "Eva Roth", "Ada Byron"], "id": [1, 2, 3]})
    notes = pl.DataFrame({"who": [1, 1, 1, 2, 3], "note": ["Eva Roth", "Eva Roth, Ada Byron", "", "Eva Roth", None]})
    result = residue(notes, "note", twins, ["name"], gate=RISK, unit="who", raw=notes, control=twins)
    assert (result.targets, result.correct) == (2, 0.5 + 0.5)
    assert (result.detail["notes"], result.detail["notes_with_values"]) == (4, 3)
    assert (result.detail["positive_control"], result.control) == (0.5, 0.5)
    rows = twins.with_columns(who=pl.Series([1, 1, 3]))  # two rows of one person: nobody to choose from
    assert residue(notes, "note", rows, ["name"], gate=RISK, unit="who").correct == 2
    right = residue(notes.with_columns(id="who"), "note", twins, ["name"], gate=RISK, unit="who", truth="id")
    assert right.correct == 0.5 + 0.5


def test_a_value_of_two_people_counts_half_and_a_clean_note_nothing() -> None:
    twins = pl.DataFrame({"name": ["Eva Roth", "eva roth "]})
    assert residue(pl.DataFrame({"n": ["Eva Roth called"]}), "n", twins, ["name"], gate=RISK).correct == 0.5
    clean = residue(pl.DataFrame({"n": ["<PERSON> called"] * 200}), "n", PEOPLE, ["name"], gate=RISK, control=twins)
    assert (clean.correct, clean.control, clean.verdict) == (0, 0, "pass")


def test_notes_before_the_release_are_attacked_in_the_same_way() -> None:
    clean = NOTES.with_columns(note=pl.lit("<PERSON>"))
    for truth, right, by_name in ((None, 3 / 4, 2 / 4), ("id", 1 / 4, 1 / 4)):
        result = residue(clean, "note", PEOPLE, ["name", "mail"], gate=RISK, truth=truth, raw=NOTES)
        assert (result.rate, result.detail["positive_control"]) == (0, right)
        assert result.detail["worst_subgroup"]["rate"] == 0
        left = residue(NOTES, "note", PEOPLE, ["name", "mail"], gate=RISK, truth=truth)
        assert left.detail["worst_subgroup"] == {"column": "name", "targets": 4, "rate": by_name}


def test_the_baseline_counts_all_people_of_each_release() -> None:
    """Whoever is in one release alone still hides those who are in both there."""
    first = pl.DataFrame({"who": range(6), "age": ["30-39"] * 6})
    second = pl.DataFrame({"who": range(4, 10), "age": ["30-39"] * 6})
    result = intersection(by_column((first, ["age"]), (second, ["age"]), "who"), 5, ["age"], gate=RISK)
    assert (result.correct, result.targets, result.baseline) == (2, 2, 0.0)
