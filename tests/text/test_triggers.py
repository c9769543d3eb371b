"""Triggers over a column, against each trigger on each text; what an expression says of its matches."""

from __future__ import annotations

import random
import re
import warnings

import polars as pl
import pytest

from anonym.text import syntax
from anonym.text.recognisers import load, packs_folder
from anonym.text.syntax import ANYTHING, ENDLESS, Need, beginnings, needs, usual_width, widest
from anonym.text.triggers import FEW, OVERLAP, SEGMENT, Column, column_trigger

RULES = [rule for path in sorted(packs_folder().glob("*.yaml")) for rule in load(path.stem).rules]
TRIGGERS = [column_trigger(rule.trigger) for rule in RULES]
EXAMPLES = [re.sub("[«»]", "", example) for rule in RULES for example in (*rule.examples, *rule.counterexamples)]


def holds(need: Need, text: str) -> bool:
    runs = [len(found) for found in re.findall(r"\d+", text)]
    held = not need.literals or any(literal in text.lower() for literal in need.literals)
    return sum(runs) >= need.digits and max(runs, default=0) >= need.run and held


def test_what_a_trigger_needs_is_in_every_text_in_which_it_fires() -> None:
    column = pl.Series(EXAMPLES)
    fires = {trigger: column.filter(column.str.contains(trigger)).to_list() for trigger in TRIGGERS}
    for trigger, texts in fires.items():
        assert texts, "every trigger fires on an example of its own rule"
        for text in texts:
            assert any(holds(need, text) for need in needs(trigger)), trigger


def test_of_a_column_each_trigger_is_shown_all_texts_in_which_it_fires_and_few_others() -> None:
    dice = random.Random(7)
    texts = [" ".join(dice.choices(EXAMPLES, k=dice.randrange(1, 4))) for _ in range(1_500)]
    texts += ["KELVIN \u212aEY: x", "ſecret TOKEN", "mr\u00a0Ode", "٣٣٣-٤٤٤٤"] * 20
    column = Column(texts, TRIGGERS)
    series = pl.Series(texts)
    for trigger in TRIGGERS:
        rows = column.rows(trigger)
        fires = series.str.contains(trigger).arg_true().to_list()
        assert set(fires) <= set(rows), trigger
        assert len(rows) == len(fires) or sum(len(texts[row]) for row in rows) <= FEW


def test_of_long_texts_the_places_in_which_a_trigger_fires_hold_its_matches() -> None:
    dice = random.Random(8)
    texts = [" ".join(dice.choices(EXAMPLES, k=dice.randrange(1, 60))) for _ in range(40)]
    triggers = [rule.trigger for rule in RULES if r"\p" not in rule.trigger]
    column = Column(texts, map(column_trigger, triggers))
    for trigger in triggers:
        short, long = column.places(column_trigger(trigger))
        for row, text in enumerate(texts):
            for match in re.finditer(trigger, text):
                places = [(0, len(text))] if row in short else long.get(row, [])
                assert any(start <= match.start() and match.end() <= end for start, end in places), trigger


def test_runs_of_digits_beyond_those_told_apart_still_fire() -> None:
    texts = ["1" * 40, "1" * 39, "1" * 20 + " " + "1" * 20, "none"] * 500
    rows = Column(texts, [r"\d{40}", r"\d{20}"])
    assert rows.rows(r"\d{40}") == [row for row, text in enumerate(texts) if text == "1" * 40]
    assert rows.rows(r"\d{20}") == [row for row, text in enumerate(texts) if text != "none"]


def test_triggers_of_nearly_all_rules_are_narrower_than_what_neighbouring_segments_share() -> None:
    wide = {rule.name for rule in RULES if widest(column_trigger(rule.trigger)) >= OVERLAP - 1}
    assert wide <= {"user-logged", "secret-pem", "secret-url"}
    assert widest("BEGIN.*END") > SEGMENT
    assert widest(r"\x{41}") > SEGMENT  # not Python's syntax: taken as wide


@pytest.mark.parametrize(
    ("trigger", "digits", "run"),
    [
        (r"\d{3}", 3, 3),
        (r"a(?:1|[2-4]b)+", 1, 1),
        (r"(?-u:\b)x\[[0-9]", 1, 1),
        (r"\d\d-\d{3,5}x\d?", 5, 3),
        (r"\d{4}[ \-]?\d{2}", 6, 4),
        (r"(?:\d[ ])+", 1, 1),
        (r"[A-Z0-9]+", 0, 0),
        (r"[^a-z]", 0, 0),
        (r"1*", 0, 0),
        ("[[A-Z]0-9]{6}", 0, 0),  # classes in classes, which Python's parser reads otherwise
        ("[[:alpha:]0-9]", 0, 0),
        ("[^A-Z[_]1]", 0, 0),
        ("[]_[a]1]", 0, 0),
        ("(?x)[1 #]\n]", 0, 0),  # a comment in a class
    ],
)
def test_how_many_digits_every_match_of_a_trigger_has(trigger: str, digits: int, run: int) -> None:
    (need,) = needs(trigger)
    assert (need.digits, need.run) == (digits, run)
    assert not digits or not pl.Series(["ABCDEF", "b", "", "_"]).str.contains(trigger).any()


@pytest.mark.parametrize(
    ("trigger", "literals"),
    [
        (r"(?i)passport|travel document", {"passport", "travel document"}),
        (r"licen[cs]e\d", {"license", "licence"}),
        (r"(?i:colou?r)s", {"colors", "colours"}),
        (r"\bnew\s+castle\b", {"castle"}),
        (r"x://[^\s]*:y", {"x://"}),
        (r"(?:ab{2,}|xyz+)q", {"ab", "xyz"}),
        (r"[a-z]+", set()),
        (r"(?:the|an)", set()),  # a word of two frequent letters tells too little
        (r"(?:µg|abc)", set()),  # its capital is not Latin
        (r"\p{Lu}\.", set()),
        (r"(?-u:\xff)abc", set()),
        (r"c:\\Private\\\p{L}", {"c:\\private\\"}),
        (r"\<ward\>|\b{start}team", {"ward", "team"}),
    ],
)
def test_which_literals_every_match_of_a_trigger_has_one_of(trigger: str, literals: set[str]) -> None:
    found = {literal for need in needs(trigger) for literal in need.literals}
    assert found == literals


@pytest.mark.parametrize(
    ("regex", "text"),
    [
        (r"CORP\\p1234", r"CORP\p1234"),
        (r"\\Profiles\\\w+", r"C:\Profiles\ode"),
        (r"\<ABC\d+\>", "an ABC12 there"),
        (r"\b{start}ABC\d+\b{end-half}", "an ABC12 there"),
        (r"a(?:b{9}++c)", "a" + "b" * 900 + "c"),
        (r"(?i)straße", "STRA\u1e9eE"),
        (r"(?i)masse \u212a", "MA\u017f\u017fE k"),
        (r"[\w--a]{3}\d", "bcd1"),
    ],
)
def test_what_only_rust_reads_hides_no_match_of_a_users_pattern(regex: str, text: str) -> None:
    texts = [text, "x " * 800 + text] + ["nothing of the kind is here"] * 1_000
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        column = Column(texts, [regex])
    assert pl.Series(texts).str.contains(regex).arg_true().to_list() == [0, 1]
    assert {0, 1} <= set(column.rows(regex))


def test_where_python_has_moved_its_parser_all_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syntax, "re_parser", None)
    assert needs.__wrapped__("passport") == ANYTHING
    assert widest("passport") == usual_width(re.compile("passport")) == ENDLESS
    assert beginnings(re.compile("passport")) is None


def test_ways_of_a_trigger_need_each_its_own() -> None:
    assert {(need.digits, need.literals) for need in needs(r"(?i)imei|\d{15}")} == {
        (0, frozenset({"imei"})),
        (15, frozenset()),
    }
    assert {need.literals for need in needs(r"[a-z]{3}|imei")} == {frozenset()}


def test_matches_begin_where_they_are_said_to() -> None:
    patterns = [pattern for rule in RULES for pattern in rule.patterns]
    assert sum(pattern.beginnings is not None for pattern in patterns) > len(patterns) / 2
    for pattern in patterns:
        if pattern.beginnings is not None:
            for text in EXAMPLES:
                for match in pattern.regex.finditer(text):
                    assert pattern.beginnings.match(match.group()), pattern.name


@pytest.mark.parametrize(
    ("regex", "characters"),
    [
        (r"(?<!\w)(?:12|3)x", "13"),
        (r"(?:(?:A)?|B)C", "ABC"),
        (r"(?i:k)1", "kK"),
        (r"(?=Z)[A-Z]", "Z"),
    ],
)
def test_the_characters_with_which_matches_begin(regex: str, characters: str) -> None:
    found = beginnings(re.compile(regex))
    assert found is not None
    assert all(found.match(character) for character in characters)
    assert not found.match("d")


@pytest.mark.parametrize("regex", [r"a*", r"\w+", r"(?i)[a-z]", r" x", r"(?>ab)", r"(?:ab)++", r"(z?)\1c"])
def test_an_expression_that_may_begin_nearly_anywhere_has_no_beginnings(regex: str) -> None:
    assert beginnings(re.compile(regex)) is None
