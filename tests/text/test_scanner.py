"""Scanning: expressions tried only where their syntax lets a match begin find what Python's engine finds everywhere."""

from __future__ import annotations

import random
import re
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import text as naive

from anonym.text import syntax
from anonym.text.characters import PLANES, class_of, class_table, matched, plain
from anonym.text.labelled import read
from anonym.text.plugins import asked
from anonym.text.presidio import recognisers
from anonym.text.recognisers import RuleSet, load, packs_folder
from anonym.text.scanner import Column, Scanner, scanner
from anonym.text.syntax import ANYWHERE, openings

PACKS = [load(path.stem) for path in sorted(packs_folder().glob("*.yaml"))]
RULES = [rule for pack in PACKS for rule in pack.rules]
PATTERNS = [pattern.regex for rule in RULES for pattern in rule.patterns]
TRIGGERS = [each.trigger for pack in PACKS for each in recognisers(pack.predefined, "en") if each.trigger]
EXPRESSIONS = tuple(dict.fromkeys([*PATTERNS, *TRIGGERS, *(regex for _, regex in asked())]))
EXAMPLES = [re.sub("[«»]", "", example) for rule in RULES for example in (*rule.examples, *rule.counterexamples)]
FIRST_PLANES = "".join(map(chr, (*range(0xD800), *range(0xE000, PLANES))))


def found(regex: re.Pattern[str], column: Column) -> list[tuple[int, int, int]]:
    return [(row, *match.span()) for row, match in column.matches(regex)]


def hides_nothing(texts: list[str]) -> None:
    column = Column(texts, scanner(EXPRESSIONS))
    for regex in EXPRESSIONS:
        assert found(regex, column) == naive.matched(regex, texts), regex.pattern[:80]


# --- the expressions that ship, on real and on made texts


def slices(folder: Path, characters: int) -> list[str]:
    """So many characters of each corpus, from its beginning."""
    taken = []
    for path in sorted((folder / "text").glob("*.jsonl.gz")):
        left = characters
        for text in pl.read_ndjson(path)["text"]:
            taken.append(text[:left])
            left -= len(taken[-1])
            if left <= 0:
                break
    return taken


def test_nothing_is_hidden_in_real_texts(bench_data: Path) -> None:
    hides_nothing(slices(bench_data, 4_000))


@pytest.mark.soak
def test_nothing_is_hidden_in_all_real_texts(bench_data: Path) -> None:
    hides_nothing(slices(bench_data, 10_000_000))


def test_nothing_is_hidden_in_examples_one_after_the_other() -> None:
    dice = random.Random(7)
    hides_nothing(["".join(dice.choice(EXAMPLES) + dice.choice(" \n;,") for _ in range(8)) for _ in range(60)])


STRANGE = [*"\u212aſİı٣\u00a0\u2028😀𝟘éßẞµ中\x1c\ufdd0\x00"]
PIECES = st.one_of(
    st.sampled_from(EXAMPLES).flatmap(lambda text: st.integers(0, len(text)).map(lambda at: text[at : at + 24])),
    st.sampled_from([*STRANGE, " ", "\n", ".", "@", "0", "12", "A", "key", "no. "]),
    st.text(max_size=4),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(PIECES, max_size=8).map("".join), max_size=4))
def test_nothing_is_hidden_in_pieces_of_examples_and_strange_characters(texts: list[str]) -> None:
    hides_nothing(texts)


def test_every_pattern_is_tried_at_few_characters_of_prose(bench_data: Path) -> None:
    texts = [document.text for document in read(bench_data / "text" / "uner_ewt_dev.jsonl.gz")]
    scanned = scanner(RuleSet(RULES, "en").expressions)
    column = Column(texts, scanned)
    tried = {regex.pattern: len(places) for regex, (_, places) in zip(scanned.number, column._places, strict=True)}
    assert not {pattern[:60]: tries for pattern, tries in tried.items() if tries > 0.02 * sum(map(len, texts))}


# --- expressions of every shape

ATOMS = st.sampled_from(
    [
        *("a", "b", "k", "é", "0", "7", " ", r"\.", "-", "ab", "key", "no", "İ", "ſ", "µ", r"\n", "."),
        *("[ab]", "[^a]", r"\d", r"\w", r"\s", r"\W", "[k-z]", r"[^\W\d_]", r"[^\W\d_a-z]", "[0-9a-f]", r"[\s.]"),
        *(
            r"\b",
            "(?<!a)",
            r"(?<![\w.])",
            "(?<=b)",
            r"(?<!\d)",
            "^",
            "$",
            "(?=a)",
            r"(?!\s)",
            r"\B",
            "(?<!ab)",
            r"(?<=a\s)",
            r"(?<=\b)",
        ),
    ]
)
REPEATS = ["?", "*", "+", "{2}", "{1,3}", "{0,2}", "{3,}", "*?", "{1,2}?", "++"]
REGEXES = st.recursive(
    ATOMS,
    lambda parts: st.one_of(
        st.lists(parts, min_size=1, max_size=4).map("".join),
        st.lists(parts, min_size=2, max_size=4).map(lambda ways: f"(?:{'|'.join(ways)})"),
        parts.map(lambda part: f"({part})"),
        parts.map(lambda part: f"(?i:{part})"),
        st.tuples(parts, st.sampled_from(REPEATS)).map(lambda pair: f"(?:{pair[0]}){pair[1]}"),
    ),
    max_leaves=9,
)
LETTERS = st.text(alphabet="abkK0 7.-ké\nyſoneyTt٣µİı😀𝟘\u00a0", max_size=30)


def compiled(regex: str, flags: int) -> re.Pattern[str] | None:
    try:
        made = re.compile(regex, flags)
    except re.error:
        return None
    return None if made.match("") else made


@settings(max_examples=300, deadline=None)
@given(REGEXES, st.sampled_from([0, re.IGNORECASE, re.MULTILINE, re.ASCII]), st.lists(LETTERS, max_size=3))
def test_an_expression_of_any_shape_finds_what_it_finds_everywhere(regex: str, flags: int, texts: list[str]) -> None:
    made = compiled(regex, flags)
    expected = naive.matched(made, texts) if made else []
    if made and all(start < end for _, start, end in expected):
        assert found(made, Column(texts, Scanner([made]))) == expected


@pytest.mark.parametrize(
    ("regex", "text"),
    [
        (r"(z?)\1c", "zzc c"),
        (r"(?>ab|a)c", "abc ac"),
        (r"x{40}y", "x" * 45 + "y"),
        (r"a[^z]*\bkey", "a" + " b" * 900 + " key"),
        (r"\w+@\w+", "a@b c@d" * 3),
        (r"(?i)straße", "STRAẞE Straße"),
        (r"[a-z]{2,3}(?:\d|x)\s+\d{4,}", "ab1  12345 abx\n\n0000"),
        (r"(?s)a.{3}b", "a\n\n\nb"),
        (r"\d{7}", "𝟘𝟙𝟚𝟛𝟜𝟝𝟞 ٣٣٣٣٣٣٣"),
    ],
)
def test_what_is_not_read_off_an_expression_hides_nothing(regex: str, text: str) -> None:
    made = re.compile(regex)
    expected = naive.matched(made, [text, "", text])
    assert expected
    assert found(made, Column([text, "", text], Scanner([made]))) == expected


def test_many_expressions_without_literals_are_told_apart() -> None:
    characters = [chr(code) for code in range(33, 127) if chr(code).isalnum() or chr(code) in "!#%&@_"]
    made = [re.compile(f"[{character}~][b-y]") for character in characters]
    made += [re.compile(f"[^{character}][ab]") for character in characters]
    assert len(made) > 100
    texts = ["AbcaBy Zz_b", "qbqaqz"]
    column = Column(texts, Scanner(made))
    for regex in made:
        assert found(regex, column) == naive.matched(regex, texts)


def test_overlapping_matches_fire_each() -> None:
    regex = re.compile("aba")
    column = Column(["ababa", "aba"], Scanner([regex]))
    assert [(row, match.start()) for row, match in column.fired(regex)] == [(0, 0), (0, 2), (1, 0)]
    assert found(regex, column) == [(0, 0, 3), (1, 0, 3)]


@pytest.mark.parametrize("texts", [[], [""], ["", "ab", ""], ["ab"] * 3])
def test_texts_may_be_empty_or_none(texts: list[str]) -> None:
    regex = re.compile("ab")
    assert found(regex, Column(texts, Scanner([regex]))) == naive.matched(regex, texts)
    assert Column(texts, Scanner([])).texts == texts


def test_where_python_has_moved_its_parser_all_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syntax, "re_parser", None)
    monkeypatch.setattr("anonym.text.scanner.openings", openings.__wrapped__)
    regex = re.compile(r"(?<!\w)\d{3}")
    assert openings.__wrapped__(regex) == ANYWHERE
    texts = ["123 a456 789", "x12"]
    assert found(regex, Column(texts, Scanner([regex]))) == naive.matched(regex, texts)


# --- characters


@pytest.mark.parametrize("flags", [0, re.IGNORECASE, re.ASCII])
@pytest.mark.parametrize(
    "item",
    ["k", "é", "ſ", "[^k]", "[a-z]", r"\w", r"\W", r"[^\W\d_]", r"[^\W\d_a-zß-ÿ]", r"\d", r"[\s,]", r"\D", "[à-я]"],
)
def test_a_part_matches_only_characters_of_its_classes(item: str, flags: int) -> None:
    ((operator, argument),) = syntax.re_parser.parse(item, flags)
    classes = matched(str(operator), argument, flags)
    assert all(classes >> class_of(ord(each)) & 1 for each in set(re.findall(item, FIRST_PLANES, flags)))


@pytest.mark.parametrize("item", ["[^k]", r"[\w.]", r"\W", r"[^\W\d_]", r"\d", "[^à-я]"])
def test_a_look_behind_refuses_only_characters_of_classes_that_it_refuses_whole(item: str) -> None:
    (opening,) = openings(re.compile(f"(?<!{item})x"))
    refused = set(re.findall(item, FIRST_PLANES))
    assert all(opening.before >> class_of(ord(each)) & 1 for each in FIRST_PLANES if each not in refused)
    assert "k" not in refused or not opening.before >> ord("k") & 1


def test_all_cases_of_a_letter_are_alike_where_literals_are_looked_for() -> None:
    letters = [chr(code) for code in range(256) if chr(code).islower() and chr(code) != "µ"]
    for letter in letters:
        assert {plain()[ord(each)] for each in re.findall(letter, FIRST_PLANES, re.IGNORECASE)} == {ord(letter)}


def test_all_digits_and_blanks_lie_in_the_first_planes() -> None:
    beyond = [chr(code) for code in range(PLANES, 0x110000)]
    assert not any(each.isdecimal() or each.isspace() for each in beyond)
    assert class_table()[ord("٣")] == class_of(ord("𝟘"))
