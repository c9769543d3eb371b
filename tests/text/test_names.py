"""Known values in texts: usual spellings, log-ins, and what must stay."""

from __future__ import annotations

import pytest

from anonym.text.names import aliases, dates, fold, kind_of, known, occurrences, repeated, spelled, with_gaps
from anonym.text.spans import Span


def hidden(text: str, **values: str | None) -> str:
    spans = sorted(with_gaps(text, list(occurrences(text, known(values)))), key=lambda s: (s.start, -s.end))
    out, seen = "", 0
    for span in spans:
        if span.start >= seen:
            out, seen = f"{out}{text[seen : span.start]}#", span.end
    return out + text[seen:]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("BRENTHWICK rang; odalys said ok", "# rang; # said ok"),
        ("login obrenthwick, odalys_b99 and brenthwicko", "login #, # and #"),
        ("Odalys's file", "#'s file"),
        ('Odalys "Ody" Brenthwick', "#"),
        ("Brenthwicks are neighbours", "# are neighbours"),
        ("odalysium and embrenthwicked", "odalysium and embrenthwicked"),
    ],
)
def test_names_in_any_case_and_inside_logins(text: str, left: str) -> None:
    assert hidden(text, first="Odalys", last="Brenthwick") == left


@pytest.mark.parametrize(
    ("value", "text", "left"),
    [
        ("Anne-Marie O'Neill", "annemarie oneill; Anne Marie ONeill; am.oneill", "#; #; am.#"),
        ("José García-Márquez", "jose garcia marquez, Garcia Marquez", "#, #"),
        ("Fatima al-Zahra", "fatima alzahra / al-zahra", "# / #"),
        ("Łukasz Żak", "lukasz zak wrote; LUKASZ", "# wrote; #"),
        ("Søren Ørsted", "soren orsted; SØREN", "#; #"),
        ("Zoë Groß", "zoe and ZOË; GROSS, Gross", "# and #; #, #"),
        ("Jürgen Müller", "Juergen Mueller, jurgen muller", "#, #"),
        ("Joerg Weiss", "Jörg Weiß", "#"),
        ("Michael Brenthwick", "michael_brenthwick_cv.pdf, cv_Brenthwick", "#_#_cv.pdf, cv_#"),
        ("Mark Rose", "rose_color and mark_text", "rose_color and mark_text"),
        ("王伟", "王伟来了", "#来了"),
        ("Art Bell", "art class, the bell rang; Bell", "art class, the bell rang; #"),
    ],
)
def test_names_with_marks_strokes_and_without_blanks(value: str, text: str, left: str) -> None:
    assert hidden(text, name=value) == left


@pytest.mark.parametrize(
    ("column", "value", "text", "left"),
    [
        ("customer_id", "C-00418", "C00418 / c-00418 / C 00418; C-004189", "# / # / #; C-004189"),
        ("case", "00048213", "48213, 00048213; 148213", "#, #; 148213"),
        ("case", "48213", "00048213", "#"),
        ("case", "48213.0", "48213 or 482130", "# or 482130"),
        ("contact", "山田太郎", "本日山田太郎さんが来た", "本日#さんが来た"),
        ("zip", "SW1A 1AA", "sw1a1aa, SW1A 1AA", "#, #"),
        ("plate", "BD51 SMR", "bd51smr, BD51-SMR", "#, #"),
        ("income", "38500", "38,500 or 38 500; 138,500", "# or #; 138,500"),
        ("age", "37", "thirty seven, Thirty-Seven; bus 137, 3.7 and 37.5", "#, #; bus 137, 3.7 and 37.5"),
    ],
)
def test_codes_and_numbers_in_groups_of_any_kind(column: str, value: str, text: str, left: str) -> None:
    assert hidden(text, **{column: value}) == left


def test_short_names_do_not_eat_words() -> None:
    assert hidden("Mai Li list in May; limit li", first="Mai", last="Li") == "# list in May; limit li"


def test_accents_and_invisible_characters_are_no_disguise() -> None:
    assert hidden("JOSE, jose and José", first="José") == "#, # and #"
    assert fold("Élan Straße") == "elan strase"


def test_numbers_in_figures_words_and_with_other_separators() -> None:
    assert hidden("she is 37, thirty-seven, not 137 or 370", age="37") == "she is #, #, not 137 or 370"
    assert hidden("call (202) 555-0143 or 2025550143", phone="202-555-0143") == "call (# or #"
    assert hidden("zip 11201 and 112011", zip="11201") == "zip # and 112011"


def test_dates_in_their_usual_spellings() -> None:
    text = "born 3 May 1990, May 3, 1990, 03/05/1990, 1990-05-03 not 4 May 1990"
    assert hidden(text, birth_date="1990-05-03") == "born #, #, #, # not 4 May 1990"
    assert "3 may 1990" in set(dates("1990-05-03"))
    assert not set(dates("not a date"))


def test_the_local_part_of_an_address_is_a_login() -> None:
    assert hidden("user obrenthwick wrote", email="obrenthwick@x.example") == "user # wrote"


def test_nulls_and_blanks_find_nothing() -> None:
    assert hidden("some text", first=None, last=" ") == "some text"


@pytest.mark.parametrize(
    ("number", "words"), [(7, "seven"), (20, "twenty"), (37, "thirty-seven"), (105, "one hundred and five")]
)
def test_numbers_spelled(number: int, words: str) -> None:
    assert spelled(number) == words


@pytest.mark.parametrize(
    ("column", "kind"), [("E-Mail", "EMAIL_ADDRESS"), ("last_name", "PERSON"), ("zip", "POSTCODE"), ("x", "IDENTIFIER")]
)
def test_a_column_says_what_its_values_are(column: str, kind: str) -> None:
    assert kind_of(column) == kind


def test_a_name_found_once_is_found_throughout() -> None:
    text = "Odalys Brenthwick came. BRENTHWICK's dog; odalys left. Will she? A will."
    first = Span(0, 17, "PERSON", 0.9, "r")
    again = {text[s.start : s.end] for s in repeated(text, [first], {"will"}.__contains__)}
    assert again == {"Odalys", "Brenthwick", "BRENTHWICK", "odalys"}
    will = Span(text.index("Will"), text.index("Will") + 4, "PERSON", 0.9, "r")
    assert not list(repeated(text, [will], {"will"}.__contains__))


def test_doubts_are_not_repeated() -> None:
    assert not list(repeated("Ode and Ode", [Span(0, 3, "PERSON", 0.3, "r")], lambda _: False))


def test_defined_short_forms() -> None:
    text = "the Employment Appeal Tribunal (“EAT”) held; Mr X (“the applicant”)"
    span = Span(4, 30, "ORGANIZATION", 0.9, "r")
    assert [text[s.start : s.end] for s in aliases(text, [span])] == ["EAT"]
    assert not list(aliases(text, [Span(45, 49, "PERSON", 0.9, "r")]))


@pytest.mark.parametrize(
    ("surname", "text", "masked"),
    [
        ("Young", "a young author, Young's book", ["young", "Young's"]),
        ("Will", "will you come, Will?", ["will", "Will"]),
        ("Della", "la casa della nonna", ["della"]),
        ("J.R.", "signed j.r. on Monday", ["j.r."]),
        ("Li", "the limit of li, said Li", ["Li"]),
    ],
)
def test_the_own_name_alone_is_masked_though_it_is_a_word(surname: str, text: str, masked: list[str]) -> None:
    """Verification looks for a row's own identifiers of four letters or more in every case; shorter ones are words."""
    found = {text[s.start : s.end] for s in occurrences(text, known({"surname": surname}))}
    assert {one.removesuffix("'s") for one in found} == {one.removesuffix("'s") for one in masked}


def test_a_part_of_a_longer_name_that_is_a_word_stays_a_word() -> None:
    text = "will Will Smith come"
    found = {text[s.start : s.end] for s in occurrences(text, known({"name": "Will Smith"}))}
    assert "will" not in found
    assert {"Will", "Smith"} <= found or "Will Smith" in found
