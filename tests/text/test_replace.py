"""What is put in a span's place."""

from __future__ import annotations

import re

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import text as naive

from anonym.text.options import TextOptions
from anonym.text.replace import Pseudonym, mask, tag
from anonym.text.scrub import Scrubber
from anonym.text.spans import SCHEMA, Span, frame
from anonym.text.splice import merged, splice
from anonym.text.surrogates import Surrogate

KEY = bytes(range(32))


@st.composite
def spliced(draw: st.DrawFn) -> tuple[str, list[Span], list[str]]:
    text = draw(st.text(max_size=25))
    cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
    spans = [Span(a, b, "X", 1.0, "r") for a, b in zip(cuts[::2], cuts[1::2], strict=False)]
    return text, spans, draw(st.lists(st.text(max_size=6), min_size=len(spans), max_size=len(spans)))


@settings(deadline=None)
@given(spliced())
def test_splicing_from_the_left_is_splicing_from_the_right(case: tuple[str, list[Span], list[str]]) -> None:
    text, spans, new = case
    assert splice(text, spans, new) == naive.spliced(text, spans, new)


@settings(deadline=None)
@given(spliced(), st.data())
def test_spans_of_the_replaced_text_go_back_to_the_original(
    case: tuple[str, list[Span], list[str]], data: st.DataObject
) -> None:
    text, spans, new = case
    out = splice(text, spans, new)
    edges = [0, *(edge for span in spans for edge in (span.start, span.end)), len(text)]
    gaps = [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if b > a]
    if not gaps:
        return
    a, b = data.draw(st.sampled_from(gaps))
    shift = sum(len(each) - (span.end - span.start) for span, each in zip(spans, new, strict=True) if span.end <= a)
    later = Span(a + shift, b + shift, "Y", 1.0, "r")
    (back,) = [span for span in merged(spans, [len(each) for each in new], [later]) if span.entity == "Y"]
    assert (back.start, back.end) == (a, b)
    assert text[a:b] == out[later.start : later.end]


def test_tags_masks_and_tokens() -> None:
    span = Span(0, 3, "PERSON", 1.0, "r")
    assert tag(span, "Ode") == "<PERSON>"
    assert mask(span, "Ode") == mask(span, "a much longer name")
    token = Pseudonym(KEY)
    assert token(span, "Ode  B") == token(span, "ODE b") != token(span, "Adé")
    assert re.fullmatch(r"<PERSON_[0-9A-F]{16}>", token(span, "Ode"))
    assert Pseudonym(bytes(32))(span, "Ode") != token(span, "Ode")


def test_surrogates_stay_in_the_family() -> None:
    invent = Surrogate(KEY, "en")
    whole = invent(Span(0, 17, "PERSON", 1.0, "r"), "Odalys Brenthwick")
    last = invent(Span(0, 10, "PERSON", 1.0, "r"), "Brenthwick")
    assert whole.split()[-1] == last
    assert invent(Span(0, 10, "PERSON", 1.0, "r"), "BRENTHWICK") == last.upper()
    assert "brenthwick" not in whole.casefold()
    assert re.search(r"@example\.(?:com|net|org)$", invent(Span(0, 5, "EMAIL_ADDRESS", 1.0, "r"), "a@b.c"))
    assert invent(Span(0, 5, "SECRET", 1.0, "r"), "hunter2") == "<SECRET>"


@pytest.mark.parametrize("replace", ["surrogate", "pseudonym"])
def test_one_key_one_replacement_across_scrubbers(replace: str) -> None:
    texts = pl.Series(["Mr Brenthwick rang", "then Mr Brenthwick left"])
    options = TextOptions(packs=("people",), ner=None, replace=replace)  # type: ignore[arg-type]
    first, second = Scrubber(options, KEY).scrub(texts).text, Scrubber(options, KEY).scrub(texts[::-1]).text
    assert first.to_list() == second.to_list()[::-1]
    name = re.search(r"Mr (\S+) rang", first[0]) or re.search(r"(<\S+>) rang", first[0])
    assert name is not None
    assert name.group(1) in first[1]
    assert Scrubber(options, bytes(32)).scrub(texts).text[0] != first[0]


def test_no_spans_are_still_a_table() -> None:
    assert dict(frame([]).schema) == SCHEMA
    assert frame([(3, [Span(1, 2, "X", 0.5, "r")])]).rows() == [(3, 1, 2, "X", 0.5, "r")]
