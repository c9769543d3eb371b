"""Decoded views: what detectors read, and the way back."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.text.spans import Span
from anonym.text.views import decoded, unmarked, with_units

PIECES = ["a", "&#64;", "&amp;", "&nbsp;", r"\n", r"\"", r"\u00e9", "%40", "%C3%A9", "😀", "&", "\\", " ", "é"]
PIECES += ["1", "(", "%25", "\u00a0", "‒", "１", "Ａ"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


def span(start: int, end: int) -> Span:
    return Span(start, end, "X", 1.0, "r")


def test_encodings_are_undone() -> None:
    assert decoded(r"odalys&#64;x.example \"Ody\" Jos\u00e9 a%40b").text == 'odalys@x.example "Ody" José a@b'


def test_a_span_in_the_view_covers_whole_units_of_the_original() -> None:
    original = "mail odalys&#64;x.example now"
    view = decoded(original)
    start = view.text.index("odalys")
    back = view.original(span(start, start + len("odalys@x.example")))
    assert original[back.start : back.end] == "odalys&#64;x.example"


@settings(deadline=None)
@given(TEXTS)
def test_every_character_of_the_view_has_its_place(text: str) -> None:
    view = decoded(text)
    position = 0
    for i in range(len(view.text)):
        back = view.original(span(i, i + 1))
        assert 0 <= back.start < back.end <= len(text)
        assert (
            back.start >= position
            or text[back.start : back.end] == text[position - 1 : position]
            or back.start <= position
        )
        position = back.end
    whole = view.original(span(0, len(view.text)))
    if view.text:
        assert decoded(text[whole.start : whole.end]).text == view.text


@settings(deadline=None)
@given(st.text(max_size=20), st.integers(0, 20), st.integers(0, 20), st.text(max_size=5))
def test_units_stand_for_stretches(text: str, a: int, b: int, plain: str) -> None:
    start, end = sorted((min(a, len(text)), min(b, len(text))))
    view = with_units(text, [(start, end, plain)] if end > start else [])
    assert view.text == (text[:start] + plain + text[end:] if end > start else text)
    for i in range(len(view.text)):
        back = view.original(span(i, i + 1))
        if end > start and start <= i < start + len(plain):
            assert (back.start, back.end) == (start, end)
        else:
            assert text[back.start : back.end] == view.text[i]


def test_marks_and_invisible_characters_do_not_hide_a_name() -> None:
    assert unmarked("Jose\u0301 Bren\u200bth\u00adwick").text == "Jose Brenthwick"


def test_what_is_encoded_twice_is_undone_twice() -> None:
    assert decoded(r"a%2540b%25252540c \\u00e9 \\ud83d\\ude00").text == "a@b@c é 😀"


def test_characters_like_those_of_ascii_are_read_as_these() -> None:
    """Blanks and dashes beside digits only; full-width letters and digits everywhere, other marks nowhere."""
    assert decoded("ｊ＠ｃ．ｄ ＋１２，（１）").text == "j@c.d +12，（1）"
    assert decoded("+1\u00a0202\u202f555‑0143, GB82\u00a0WEST").text == "+1 202 555-0143, GB82 WEST"
    assert decoded("oui\u00a0! and – so").text == "oui\u00a0! and – so"
    assert decoded("(202)&nbsp;555&#8209;0143").text == "(202) 555-0143"


def test_an_escaped_quote_ends_a_value_only_beside_marks() -> None:
    assert decoded(r'{"p": "ab\"cd"}').text == '{"p": "ab”cd"}'
    assert decoded(r'"{\"p\": \"ab\"}"').text == '"{"p": "ab"}"'
