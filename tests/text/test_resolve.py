"""One set of spans: ordered, disjoint, every firm finding covered, tags untouched."""

from __future__ import annotations

import json
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from naive import text as naive

from anonym.text.replace import tag
from anonym.text.resolve import resolve
from anonym.text.spans import Span
from anonym.text.splice import replaced, splice
from anonym.text.structure import zones

TEXTS = st.text(alphabet='ab1 .,"<>|\n{}é😀', max_size=30)
SPANS = st.lists(
    st.tuples(
        st.integers(0, 30), st.integers(0, 30), st.sampled_from(["PERSON", "URL"]), st.floats(0, 1), st.booleans()
    ),
    max_size=8,
)


def made(text: str, drawn: list[tuple[int, int, str, float, bool]]) -> list[Span]:
    ends = [(min(a, b), min(max(a, b), len(text)), entity, score, firm) for a, b, entity, score, firm in drawn]
    return [Span(a, b, entity, score, "r", firm) for a, b, entity, score, firm in ends if a < b]


@settings(deadline=None)
@given(TEXTS, SPANS)
def test_spans_are_ordered_disjoint_and_cover_all_firm_letters(
    text: str, drawn: list[tuple[int, int, str, float, bool]]
) -> None:
    spans = made(text, drawn)
    resolved = resolve(text, spans)
    assert all(left.end <= right.start for left, right in pairwise(resolved))
    assert all(0 <= span.start < span.end <= len(text) for span in resolved)
    mask, any_of = naive.mask_of(len(text), resolved), naive.mask_of(len(text), spans)
    firm = naive.mask_of(len(text), [span for span in spans if span.firm])
    assert all(mask[i] for i, c in enumerate(text) if firm[i] and c.isalnum())
    assert all(any_of[i] or not mask[i] or not text[i].isalnum() for i in range(len(text)))


@settings(deadline=None)
@given(TEXTS, SPANS)
def test_a_models_spans_stay_off_structure(text: str, drawn: list[tuple[int, int, str, float, bool]]) -> None:
    soft = [Span(s.start, s.end, s.entity, s.score, s.rule, False) for s in made(text, drawn)]
    for span in resolve(text, soft):
        assert not set(text[span.start : span.end]) & set('<>|{}"\n')


def test_a_container_wins_and_neighbours_stay_apart() -> None:
    text = "see http://x.example/a@b.example and c@d.example e@f.example"
    spans = [
        Span(4, 32, "URL", 0.6, "url"),
        Span(21, 32, "EMAIL_ADDRESS", 0.9, "email"),
        Span(37, 48, "EMAIL_ADDRESS", 0.9, "email"),
        Span(49, 60, "EMAIL_ADDRESS", 0.9, "email"),
        Span(37, 60, "ORGANIZATION", 0.8, "model", False),
    ]
    assert [(s.start, s.end, s.entity) for s in resolve(text, spans)] == [
        (4, 32, "URL"),
        (37, 48, "EMAIL_ADDRESS"),
        (49, 60, "EMAIL_ADDRESS"),
    ]


def test_what_a_cut_leaves_is_no_function_word() -> None:
    text = "Many of the Iraqis left"
    spans = [Span(12, 18, "NRP", 0.9, "r"), Span(0, 18, "MISC", 0.5, "model", False)]
    kept = [text[s.start : s.end] for s in resolve(text, spans)]
    assert kept == ["Iraqis"]


def test_tags_and_masks_of_an_earlier_scrub_are_no_findings() -> None:
    text = "<PERSON> met █████ Ode"
    spans = [Span(0, 22, "ORGANIZATION", 0.9, "r", False), Span(1, 7, "PERSON", 0.9, "r")]
    assert [text[s.start : s.end] for s in resolve(text, spans, zones(text))] == ["Ode"]


def test_the_end_of_a_character_reference_does_not_end_a_name() -> None:
    text = "met Ren&eacute;e&nbsp;Astor; Bo left"
    end = text.index("left") - 1
    found = resolve(text, [Span(4, end, "PERSON", 0.9, "spacy", False)])
    assert [text[span.start : span.end] for span in found] == ["Ren&eacute;e&nbsp;Astor", "Bo"]


def test_json_keeps_its_keys_literals_and_numbers() -> None:
    text = '{"Ode": "Ode", "n": 12025550143, "b": true}'
    at = text.index("12025550143")
    spans = [
        Span(2, 5, "PERSON", 0.9, "model", False),
        Span(9, 12, "PERSON", 0.9, "model", False),
        Span(at + 1, at + 11, "PHONE_NUMBER", 0.9, "rule"),
        Span(text.index("true"), text.index("true") + 4, "PERSON", 0.9, "model", False),
    ]
    resolved = resolve(text, spans, zones(text))
    out = splice(text, resolved, replaced(text, resolved, tag))
    assert json.loads(out) == {"Ode": "<PERSON>", "n": "<PHONE_NUMBER>", "b": True}


def test_markup_is_left_standing() -> None:
    text = '<p title="x">Ode</p>'
    spans = [Span(0, len(text), "PERSON", 0.9, "model", False)]
    resolved = resolve(text, spans, zones(text))
    assert splice(text, resolved, replaced(text, resolved, tag)) == '<p title="&lt;PERSON&gt;">&lt;PERSON&gt;</p>'
