"""Rule packs: every rule against its own examples, over columns as over single texts."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import text as naive

from anonym.errors import PolicyError
from anonym.text.recognisers import (
    PACKS_OF,
    Rule,
    RuleSet,
    confirmed,
    find,
    load,
    pack_names,
    packs,
    packs_folder,
    parse,
)
from anonym.text.scanner import Column, scanner
from anonym.text.spans import Span

FILES = sorted(path.stem for path in packs_folder().glob("*.yaml"))
RULES = [rule for name in FILES for rule in load(name).rules]


def plain(example: str) -> str:
    return re.sub("[«»]", "", example)


def expected(example: str) -> list[str]:
    return re.findall("«(.*?)»", example, re.S)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_every_rule_finds_its_examples_and_not_its_counterexamples(rule: Rule) -> None:
    assert rule.examples, "a rule needs examples that must match"
    assert rule.counterexamples, "a rule needs examples that must not match"
    for example in rule.examples:
        text = plain(example)
        found = {text[span.start : span.end] for span in find(rule, text)}
        assert set(expected(example)) <= found
        assert all(any(part in whole for whole in expected(example)) for part in found)
    for example in rule.counterexamples:
        assert not list(find(rule, example))


def detected(rules: RuleSet, texts: list[str]) -> list[tuple[int, Span]]:
    return list(rules.detect(Column(texts, scanner(rules.expressions))))


PIECES = st.sampled_from(
    [
        "a@b.example",
        "x",
        "905-674-3793",
        "Mr Ode",
        "12 May 1999",
        "\n",
        " ",
        "GB59IFUE40226315499137",
        "é",
        "😀",
        ";",
        '"',
    ]
)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(PIECES, max_size=5).map("".join), min_size=1, max_size=5))
def test_rows_joined_are_read_as_rows_alone(texts: list[str]) -> None:
    rules = RuleSet([rule for pack in packs(["general", "dates", "people"]) for rule in pack.rules], "en")
    assert set(detected(rules, texts)) == naive.found(rules.rules, texts)


def test_a_match_ends_with_its_row() -> None:
    pack = parse("x", {"recognizers": [_entry(regex=r"a[^b]*b|cc")]})
    texts = ["a cc", "b cc", "ab"]
    found = {(row, texts[row][span.start : span.end]) for row, span in detected(RuleSet(pack.rules, "en"), texts)}
    assert found == {(0, "cc"), (1, "cc"), (2, "ab")}


def test_a_match_past_the_group_that_narrows_it_is_taken_whole() -> None:
    (rule,) = parse("x", {"recognizers": [_entry(regex=r"aged (?P<pii>\d+)|\d+ yo")]}).rules
    assert [(span.start, span.end) for span in find(rule, "aged 40, 41 yo")] == [(5, 7), (9, 14)]


def _entry(**changes: Any) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": "r", "supported_entity": "X"}
    pattern = {"name": "p", "regex": changes.pop("regex", "abc"), "score": changes.pop("score", 0.5)}
    return {**entry, "patterns": [pattern], **changes}


def test_over_a_column_rules_find_what_each_finds_in_each_text() -> None:
    dice = random.Random(5)
    examples = [plain(example) for rule in RULES for example in (*rule.examples, *rule.counterexamples)]
    filler = "the rain fell on the roof of the house and nobody said a word about it until the morning came. "
    texts = []
    for first in range(0, len(examples), 60):
        parts = [example + dice.choice((" ", ". ", "\n", "\n\n")) for example in examples[first : first + 60]]
        texts.append("".join(part + filler * dice.randrange(12) for part in parts))
    rules = RuleSet(RULES, "en")
    missing = naive.found(rules.rules, texts) ^ set(detected(rules, texts))
    assert not {(span.rule, texts[row][span.start : span.end]) for row, span in missing}


def test_a_long_match_is_found_whole() -> None:
    (rule,) = parse("x", {"recognizers": [_entry(regex=r"x://\S+")]}).rules
    filler = "nothing to see here. " * 40
    text = f"{filler}x://{'a' * 3_000} {filler}"
    found = detected(RuleSet([rule], "en"), [text, filler * 20])
    assert [(row, text[span.start : span.end]) for row, span in found] == [(0, "x://" + "a" * 3_000)]


def test_words_of_a_list_are_found_as_by_plain_alternatives() -> None:
    dice = random.Random(2)
    for _ in range(300):
        words = {"".join(dice.choices("ab c", k=dice.randrange(1, 5))).strip() or "a" for _ in range(5)}
        (rule,) = parse("x", {"recognizers": [{**_entry(), "patterns": [], "deny_list": sorted(words)}]}).rules
        text = "".join(dice.choices("ab c", k=30))
        assert [(span.start, span.end) for span in find(rule, text)] == naive.words_of_a_list(sorted(words), text)


def test_a_file_of_presidio_is_read_as_presidio_reads_it() -> None:
    content = yaml.safe_load(
        """
        recognizers:
          - name: "Zip code Recognizer"
            supported_language: "en"
            patterns:
              - {name: "zip code (weak)", regex: "(\\\\b\\\\d{5}(?:\\\\-\\\\d{4})?\\\\b)", score: 0.01}
            context: [zip, code]
            supported_entity: "ZIP"
          - name: "Titles recognizer"
            supported_languages: [{language: en}, {language: es}]
            supported_entity: "TITLE"
            deny_list: [Mr., Mrs.]
            deny_list_score: 0.7
        """
    )
    zips, titles = parse("custom", content).rules
    assert not list(find(zips, "in 12345 cases"))  # 0.01 alone is below the threshold
    assert not list(find(zips, "the zip 12345"))  # as in Presidio: 0.01 + 0.35 < 0.4
    assert [(s.start, s.end, s.score) for s in find(titles, "hello mr. Ode")] == [(6, 9, 0.7)]
    assert titles.languages == ("en", "es")


def test_context_words_are_whole_words_near_by() -> None:
    (rule,) = parse("x", {"recognizers": [_entry(regex=r"\d{4}", score=0.3, context=["lic"])]}).rules
    assert confirmed(rule, "public 1234", 7, 11, 0.3) is None
    assert confirmed(rule, "lic 1234", 4, 8, 0.3) == pytest.approx(0.65)
    assert confirmed(rule, "lic" + " " * 70 + "1234", 73, 77, 0.3) is None


def test_rules_of_another_language_are_left_out() -> None:
    pack = parse("x", {"recognizers": [_entry(supported_languages=["fr"]), _entry()]})
    assert len(RuleSet(pack.rules, "en").rules) == 1
    assert len(RuleSet(pack.rules, "fr").rules) == 2


def test_an_unknown_pack_is_refused_with_the_known_ones() -> None:
    with pytest.raises(PolicyError, match="general"):
        packs(["no-such-pack"])
    assert set(PACKS_OF["default"]) <= set(pack_names())


def test_every_pack_names_its_source_and_licence() -> None:
    for path in packs_folder().glob("*.yaml"):
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert content["source"], path.name
        assert content["licence"], path.name


def test_patterns_come_to_an_end_on_hostile_texts() -> None:
    for text in (
        "a" * 5_000,
        "1-" * 3_000,
        "A. " * 2_000,
        "@" * 4_000,
        "x://" * 1_500,
        "9" * 5_000,
        "Aa " * 2_000,
        '"' * 4_000,
    ):
        for rule in RULES:
            list(find(rule, text))
