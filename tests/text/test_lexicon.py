"""What a dictionary says of a model's findings."""

from __future__ import annotations

import pytest

from anonym.text.lexicon import Lexicon, lexicon, plausible
from anonym.text.spans import Span


@pytest.fixture(scope="module")
def english() -> Lexicon:
    found = lexicon("en")
    assert found is not None
    return found


def judged(
    text: str, part: str, entity: str, words: Lexicon | None, score: float = 0.9, rule: str = "spacy"
) -> str | None:
    start = text.index(part)
    span = plausible(text, Span(start, start + len(part), entity, score, rule, False), words)
    return text[span.start : span.end] if span else None


@pytest.mark.parametrize(
    ("text", "part", "entity", "kept"),
    [
        ("OMG that was it", "OMG", "ORGANIZATION", None),
        ("then Brenthwick came", "Brenthwick came", "PERSON", "Brenthwick"),
        ("Laughter filled the room", "Laughter", "PERSON", None),
        ("Ruth argued", "Ruth", "PERSON", "Ruth"),
        ("it was vedo on", "vedo", "LOCATION", None),
        ("in 12345 cases", "12345", "DATE_TIME", None),
        ("on 3 May 1999 we", "3 May 1999", "DATE_TIME", "3 May 1999"),
        ("the day before", "the day", "DATE_TIME", None),
        ("for 30 dollars", "30 dollars", "QUANTITY", None),
        ("the word jaw drops", "jaw", "URL", None),
    ],
)
def test_what_is_kept_of_a_finding(text: str, part: str, entity: str, kept: str | None, english: Lexicon) -> None:
    assert judged(text, part, entity, english) == kept


@pytest.mark.parametrize(
    ("text", "part", "entity", "kept"),
    [
        ("lodge room 310 now", "310", "STREET_ADDRESS", None),
        ("Hauptgasse 310, Bern", "310", "STREET_ADDRESS", "310"),
        ("listening on port 52144", "52144", "POSTCODE", None),
        ("moved to Leeds 52144", "52144", "POSTCODE", "52144"),
        ("the printer jams often", "jams", "STREET_ADDRESS", None),
        ("past elm street and", "elm street", "STREET_ADDRESS", "elm street"),
        ("msg=started by", "msg", "PERSON", None),
        ("the abdomen is soft", "abdomen", "PERSON", None),
        ("asked emma about it", "emma", "PERSON", "emma"),
        ("in OrderController of", "OrderController", "ORGANIZATION", None),
        ("take Metformin daily", "Metformin", "PERSON", None),
    ],
)
def test_what_is_kept_of_a_token_classifiers_finding(
    text: str, part: str, entity: str, kept: str | None, english: Lexicon
) -> None:
    assert judged(text, part, entity, english, 0.6, "rampart") == kept


def test_months_days_and_classes_of_programs_are_no_unknown_names(english: Lexicon) -> None:
    assert not list(english.names("a december monday, a TypeError in OrderController and some Ramipril"))


def test_doubts_count_for_words_that_no_dictionary_has(english: Lexicon) -> None:
    assert judged("met schumer there", "schumer", "PERSON", english, 0.1, "rampart") == "schumer"
    assert judged("met heaven there", "heaven", "PERSON", english, 0.4, "rampart") is None
    assert judged("met lol there", "lol", "PERSON", english, 0.4, "rampart") is None
    assert judged("met schumer there", "schumer", "PERSON", None, 0.1, "rampart") is None


def test_unknown_capitalised_words_and_proper_names_in_lower_case(english: Lexicon) -> None:
    text = "Yessss I saw Vanterpool in philippines with emma and a galaxy"
    assert {text[s.start : s.end] for s in english.names(text)} == {"Vanterpool", "philippines", "emma"}


def test_names_go_on_over_capitalised_words(english: Lexicon) -> None:
    text = "the Bank of Brenthwick 7 opened"
    start = text.index("Brenthwick")
    span = english.extended(text, Span(start, start + 10, "ORGANIZATION", 0.9, "spacy", False))
    assert text[span.start : span.end] == "Bank of Brenthwick 7"


def test_what_the_gate_refuses_holds_no_name(english: Lexicon) -> None:
    assert not english.holds_name("I think. The rain fell. Why?")
    assert english.holds_name("and then Ruth came")
    assert english.holds_name("Ruth came")


def test_other_languages_have_no_lexicon() -> None:
    assert lexicon("fr") is None


@pytest.mark.parametrize(
    ("text", "word", "score", "kept"),
    [
        ("La reunión con Marta dio lugar a dudas", "lugar", 0.8, False),  # names are in capitals here, this is none
        ("La reunión con Marta dio lugar a dudas", "Marta", 0.8, True),
        ("ayer vino marta a la consulta", "marta", 0.8, True),  # nobody writes capitals here
        ("ayer vino marta a la consulta de Vigo", "marta", 0.97, True),  # the model is as good as certain
        ("Ayer vino marta. Hoy no.", "marta", 0.8, True),  # a sentence's first capital says nothing
        ("會議由王偉主持 in Taipei by Lin", "王偉", 0.8, True),  # a script without cases
    ],
)
def test_without_a_dictionary_case_is_judged_by_the_text(text: str, word: str, score: float, kept: bool) -> None:
    start = text.index(word)
    span = Span(start, start + len(word), "PERSON", score, "rampart", False)
    assert (plausible(text, span, None) is not None) is kept
