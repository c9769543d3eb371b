"""Kinds of values that tell a role, whatever the column is called."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

import polars as pl
import pytest

from anonym.policy.infer import Draft, Reading, draft, guess, profile_columns
from anonym.policy.infer.concepts import CONCEPTS
from anonym.policy.infer.facts import Facts

DRAW = random.Random(5)


def facts(name: str, values: Sequence[Any]) -> Facts:
    data = pl.DataFrame({name: pl.Series(values, strict=False)})
    return profile_columns(data.lazy(), dict(data.schema))[0]


def many(options: str, n: int = 200) -> list[str]:
    return [DRAW.choice(options.split()) for _ in range(n)]


def each(form: str, low: int, high: int, n: int = 200) -> list[str]:
    return [form.format(DRAW.randint(low, high)) for _ in range(n)]


PROSE = json.dumps({"note": "the tap in the kitchen has been dripping since we moved in last winter and nobody came"})

CASES: dict[str, tuple[str, Sequence[Any], str, str]] = {
    "times of day": ("x", [f"{i % 24:02d}:{i % 60:02d}" for i in range(200)], "quasi", "clock"),
    "French times": ("x", [f"{i % 24}h{i % 60:02d}" for i in range(200)], "quasi", "clock"),
    "hours of a day": ("x", [i % 24 for i in range(200)], "quasi", "date"),
    "days in one number": ("x", [20240101 + i % 28 for i in range(200)], "quasi", "date"),
    "birth in one number": ("DOB", [19600101 + 10_000 * (i % 40) for i in range(200)], "quasi", "birth"),
    "days with a month's name": ("x", [f"{i % 28 + 1:02d}MAR{i % 60 + 40}" for i in range(200)], "quasi", "date"),
    "log times": ("x", [f"0{i % 9 + 1}/Mar/2025:10:00:{i % 60:02d} +0000" for i in range(200)], "quasi", "date"),
    "days and times in one number": ("x", [20240101103000 + i for i in range(28)] * 9, "quasi", "date"),
    "times with dashes": ("x", [f"2024-06-{i % 28 + 1:02d}-10-{i % 60:02d}" for i in range(200)], "quasi", "date"),
    "times of C": ("x", [f"Mon Mar {i % 28 + 1:2d} 10:00:{i % 60:02d} 2025" for i in range(200)], "quasi", "date"),
    "quarters": ("x", [f"Q{i % 4 + 1} {2015 + i % 9}" for i in range(200)], "quasi", "date"),
    "years of what has a number": ("year_of_plate", [1990 + i % 30 for i in range(200)], "quasi", "year"),
    "days that are a length": ("days_supply", [30, 60, 90, 14] * 50, "keep", "quantity"),
    "a length of sessions": ("session_len", [60 + 7 * i for i in range(200)], "sensitive", "usage"),
    "names of users": ("remote_user", each("mueller{}", 1, 10**5), "identifier", "person_id"),
    "counts of users": ("active_users", [500 + 3 * (i % 90) for i in range(200)], "quasi", "unknown"),
    "genres of films": ("genre", many("drama comedy horror romance thriller"), "keep", "offer"),
    "genders in French": ("genre", many("homme femme"), "quasi", "sex"),
    "status that is a person's": ("mrtl_sts_cd", many("S M D W"), "quasi", "marital"),
    "colours of skin": ("skin_color", many("a b c"), "quasi", "ethnicity"),
    "amounts with decimal commas": ("Bruttolohn", each("{},50", 1000, 9000), "sensitive", "money"),
    "addresses of a few pages": ("referer", many("https://a.example/ https://b.example/ -"), "quasi", "unknown"),
    "Unix nanoseconds": ("exec_ts", [(1_735_689_600 + i) * 10**9 for i in range(200)], "quasi", "date"),
    "a number named so": ("file_no", [1_735_689_600 + i for i in range(200)], "identifier", "record_id"),
    "amounts with a sign": ("x", each("${},000", 1, 900), "sensitive", "money"),
    "amounts of Europe": ("Gehaltszahlung", each("{}.100,50", 1, 900), "sensitive", "money"),
    "handles": ("x", each("@u{}", 1, 10**6), "identifier", "username"),
    "house numbers": ("x", each("{} Smith Corners Apt. 4", 1, 10**5), "identifier", "address"),
    "a code of persons": ("adj_id", each("ADJ{}", 10, 90), "identifier", "record_id"),
    "diagnoses": ("x", many("E11.9 I10 J45 F32.1"), "sensitive", "health"),
    "codes of one letter": ("x", many("B01 B02 B03 B04"), "quasi", "unknown"),
    "drugs": ("x", many("N02BE01 A10BA02 C09AA05 J01CA04"), "sensitive", "health"),
    "genotypes": ("rs7412", many("CC CT TT"), "sensitive", "health"),
    "stages": ("x", many("I IIA IIB IV"), "sensitive", "health"),
    "answers": ("x", many("Y N"), "sensitive", "answer"),
    "answers that are countries": ("x", many("NO SI"), "sensitive", "answer"),
    "two kinds": ("x", many("D C"), "quasi", "unknown"),
    "a flag at a place": ("hospital_flag", many("Y N"), "sensitive", "answer"),
    "counts": ("number_of_reviews", [i % 9 for i in range(200)], "sensitive", "usage"),
    "counts of people at home": ("number_of_children", [i % 4 for i in range(200)], "quasi", "household"),
    "amounts of several sizes": ("x", [80 + 8 * (i % 100) for i in range(200)], "sensitive", "amount"),
    "counts from nothing": ("x", [i % 9 for i in range(200)], "sensitive", "amount"),
    "what can be an age, of babies too": ("x", [i % 95 for i in range(200)], "quasi", "unknown"),
    "what can be an age": ("x", [18 + i % 70 for i in range(200)], "quasi", "unknown"),
    "postcodes that hardly repeat": ("x", [f"{1000 + i} A{chr(65 + i % 26)}" for i in range(200)], "quasi", "postcode"),
    "domains": (
        "x",
        [f"{n}.{t}" for n in ["smith", "miller", "jones", "brown"] for t in ["com", "net", "org", "eu", "fr"]] * 8,
        "quasi",
        "unknown",
    ),
    "eating places": (
        "x",
        [f"{n}'s Diner {i}" for i in range(15) for n in ("Smith", "Miller")] * 6,
        "quasi",
        "unknown",
    ),
    "JSON": ("x", [json.dumps({"a": i}) for i in range(200)], "drop", "nested"),
    "JSON with sentences": ("x", [PROSE.replace("tap", f"tap {i}") for i in range(200)], "text", "text"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_kind_of_values(case: str) -> None:
    name, values, role, concept = CASES[case]
    found = guess(facts(name, values))
    assert (found.role, found.concept) == (role, concept), found


def test_codes_that_hardly_repeat_are_no_places() -> None:
    assert not CONCEPTS["place"].fits(facts("loc", [f"QX{i}" for i in range(200)]))
    assert CONCEPTS["place"].fits(facts("loc", [f"QX{i % 30}" for i in range(200)]))


@pytest.mark.parametrize("name", ["item_owner", "aantal_kamers_x", "channel_xq"])
def test_a_qualifying_word_keeps_nothing(name: str) -> None:
    assert guess(facts(name, [f"v{i % 7}" for i in range(200)])).role != "keep"
    assert guess(facts(name, [3 + i % 7 for i in range(200)])).role != "keep"


def test_temperatures_among_diagnoses_are_of_a_body() -> None:
    def role(other: dict[str, list[Any]]) -> str:
        data = pl.DataFrame({"temp": [36.0 + i % 30 / 10 for i in range(200)], **other})
        found = draft(profile_columns(data.lazy(), dict(data.schema)), Reading())
        return next(entry.guess.role for entry in found.entries if entry.name == "temp")

    ill: dict[str, list[Any]] = {
        "diagnosis": many("a b"),
        "sbp": [100 + i % 50 for i in range(200)],
        "hypertension": many("Y N"),
    }
    assert role(ill) == "sensitive"
    assert role({"room": many("a b")}) == "keep"


def test_diversity_is_given_up_first_where_the_role_is_unsure() -> None:
    data = pl.DataFrame({"salary": [1000 + 10 * (i % 50) for i in range(200)], "x": many("Y N")})
    found: Draft | None = draft(profile_columns(data.lazy(), dict(data.schema)), Reading())
    asked = []
    while found is not None:
        asked.append({entry.name for entry in found.entries if entry.diversity})
        found = found.with_less_diversity()
    assert asked == [{"salary", "x"}, {"salary"}, set()]
