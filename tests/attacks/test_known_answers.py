"""Every attack where its answer is known: on a raw copy it meets its closed form and finds everybody who is unique, on
people who were never released it finds no more than guessing does."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest
from naive.events import ratings

import anonym
from anonym.attacks.interval import clopper_pearson
from anonym.attacks.outcome import AttackResult

PEOPLE, K = 400, 3
QUASI = ("age", "town")
POLICY: dict[str, Any] = {
    "anonym": 1,
    "unit": "token",
    "columns": {
        "age": {"role": "quasi"},
        "town": {"role": "quasi"},
        "dx": {"role": "sensitive", "l": {"distinct": 2}},
        "token": {"role": "identifier"},
        "name": {"role": "identifier"},
        "note": {"role": "text"},
    },
    "guarantee": {"k": K, "suppression": {"max": 0.1}},
}


def people(seed: int) -> pl.DataFrame:
    """Independent columns: who shares age and town says nothing of the illness."""
    draw = np.random.default_rng(seed)
    name = [f"person-{seed}-{i:03d}" for i in range(PEOPLE)]
    return pl.DataFrame(
        {
            "age": draw.integers(20, 50, PEOPLE),
            "town": draw.choice([f"town{i}" for i in range(12)], PEOPLE),
            "dx": draw.choice(list("abcd"), PEOPLE),
            "token": [f"t{seed}-{i}" for i in range(PEOPLE)],
            "name": name,
            "note": [f"seen: {one}." for one in name],
        }
    )


def by_name(results: list[AttackResult]) -> dict[str, AttackResult]:
    return {result.name: result for result in results}


@pytest.fixture(scope="module")
def copied() -> dict[str, AttackResult]:
    table = people(1)
    released = table.drop("name")
    return by_name(anonym.attack(POLICY, released, table, table, people(2), None, released, population=PEOPLE))


def closed_forms(table: pl.DataFrame) -> dict[str, float]:
    """What each attack finds on a raw copy of `table`."""
    sizes = Counter(table.select(QUASI).rows())
    values = Counter(table.select(*QUASI, "dx").rows())
    guessed = sum(max(n for value, n in values.items() if value[:2] == of) for of in sizes)
    unique = sum(n == 1 for n in sizes.values())
    return {
        "uniqueness (prosecutor)": len(sizes),  # f people of a class are right 1 / f of the time each
        "uniqueness (marketer)": len(sizes),
        "linkage": len(sizes),
        "inference of dx": guessed,
        "membership by distance": PEOPLE / 2,  # the half that is judged
        "copies of training rows": PEOPLE,
        "near-copies of training rows": PEOPLE,
        "intersection": sum(n for n in sizes.values() if n < K),
        "drivers of uniqueness": unique,
        "population uniqueness": unique,
        "downcoding": 0,  # there is no label to narrow
        "minimality of dx": guessed,  # no class has two parts
        "row order": PEOPLE,
        "identifiers left in note": PEOPLE,
        "pseudonyms of token": PEOPLE,
    }


def test_every_attack_meets_its_closed_form_on_a_raw_copy(copied: dict[str, AttackResult]) -> None:
    expected = closed_forms(people(1))
    assert copied.keys() == expected.keys(), "an attack without a known answer"
    assert {name: one.correct for name, one in copied.items()} == pytest.approx(expected)


def test_everybody_who_is_unique_is_found_on_a_raw_copy(copied: dict[str, AttackResult]) -> None:
    sizes = Counter(people(1).select(QUASI).rows())
    unique = sum(n == 1 for n in sizes.values())
    assert unique > PEOPLE / 5
    found = {
        "uniqueness (prosecutor)": "unique",
        "uniqueness (marketer)": "population_unique",
        "linkage": "unique_match_forward",
        "drivers of uniqueness": "unique_on_all",
        "population uniqueness": "sample_unique",
    }
    assert {name: copied[name].detail[part] for name, part in found.items()} == dict.fromkeys(found, unique)
    assert copied["population uniqueness"].detail["population_unique"]["zayatz"] == pytest.approx(unique)


def test_fresh_people_are_found_no_better_than_by_guessing() -> None:
    """A release of some, attacked with the table of others: what a truth tells is 0, the rest no advantage."""
    released, others = people(3), people(4)
    found = by_name(anonym.attack(POLICY, released, others, others, people(5), "token"))
    joined = by_name(anonym.attack(POLICY, released, against=people(6)))
    told = ("linkage", "row order", "identifiers left in note", "downcoding")
    assert {name: found[name].correct for name in told} == dict.fromkeys(told, 0)
    assert joined["pseudonyms of token"].correct == joined["intersection"].targets == 0
    chance = ("inference of dx", "membership by distance", "copies of training rows", "near-copies of training rows")
    for name in chance:
        one = found[name]
        low, high = clopper_pearson(one.correct, one.targets, 0.999)
        least, most = clopper_pearson(one.detail["control"]["correct"], one.detail["control"]["targets"], 0.999)
        assert low <= most, name
        assert least <= high, name
    guessed = found["minimality of dx"]
    assert guessed.correct == pytest.approx(guessed.detail["control"]["correct"])
    by_class = found["uniqueness (prosecutor)"]
    assert by_class.control is not None, "strangers who fit a class are counted beside"
    assert by_class.false_accepts


def test_events_of_fresh_people_are_nobodys() -> None:
    columns = {"item": "item", "value": "rating", "date": "day"}
    policy = {"anonym": 1, "unit": "person", "columns": {"person": {"role": "identifier"}, "*": {"role": "keep"}}}
    events = ratings(600, 200, seed=1, median=20)
    sides = [events.filter(pl.col("person") % 2 == rest) for rest in range(2)]
    raw, fresh = (anonym.attack(policy, sides[0], other, events=columns) for other in sides)
    copied, found = by_name(raw)["scoreboard of events"], by_name(fresh)["scoreboard of events"]
    assert (copied.rate or 0) > 0.9
    assert copied.rate == copied.detail["positive_control"]
    assert (found.correct, found.verdict) == (0, "too_weak")


def test_what_is_null_has_its_reason(copied: dict[str, AttackResult]) -> None:
    parts = ("false_accepts", "baseline", "control")
    alone = by_name(anonym.attack(POLICY, people(1), population=9 * PEOPLE))
    for one in (*copied.values(), *alone.values()):
        missing = {part for part in parts if getattr(one, part) is None}
        missing |= {part for part in ("positive_control", "worst_subgroup") if one.detail[part] is None}
        assert one.detail["not_measured"].keys() == missing, one.name
        assert one.advantage is not None or "control" in missing or one.control == 1
    for name in ("linkage", "uniqueness (prosecutor)", "uniqueness (marketer)", "identifiers left in note"):
        assert not copied[name].detail["not_measured"], name
