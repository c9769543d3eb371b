"""What a model is given to read: the text with stand-ins for what is found, without sentences that name nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from anonym.text.lexicon import Lexicon
from anonym.text.spans import Span
from anonym.text.structure import TAG
from anonym.text.views import View, with_units

STAND_INS = {
    "PERSON": "Smith",
    "LOCATION": "Paris",
    "STREET_ADDRESS": "Paris",
    "ORGANIZATION": "IBM",
    "DATE_TIME": "2001",
    "NRP": "French",
}
"""What a model reads in place of a tag, or of what a rule found: short, and the sentence looks as it did."""

_TAGGED = re.compile(TAG)
_SENTENCE = re.compile(r"(?<=[.!?])[\"”’')\]]*\s+(?=[\"“‘'(\[]?[^\W\d_a-z])|\s*\n\s*")

Unit = tuple[int, int, str]
"""Start and end of a stretch, and what stands for it."""


def for_model(text: str, found: Sequence[Span], lexicon: Lexicon | None) -> View:
    """The view of `text` for a model, given what rules found. With a lexicon, for models that need capitals: sentences
    that hold no name but found ones are left out; their neighbours have next to no say in what spaCy finds.
    """
    stand_ins = list(_stand_ins(text, found))
    return with_units(text, stand_ins if lexicon is None else _without_idle(text, stand_ins, lexicon))


LONG = 2_000
"""Characters of a text from which its paragraphs are shown to models one by one: those that stay are read once."""

_BLANK_LINE = re.compile(r"\n[ \t\r]*\n\s*")


def paragraphs(text: str) -> list[tuple[int, str]]:
    """The paragraphs of a long text with their offsets; a short text whole."""
    if len(text) <= LONG:
        return [(0, text)]
    starts = [0, *(match.end() for match in _BLANK_LINE.finditer(text))]
    return [(start, text[start:end]) for start, end in zip(starts, (*starts[1:], len(text)), strict=True)]


def _stand_ins(text: str, found: Sequence[Span]) -> Iterator[Unit]:
    tags = ((*match.span(), match.group().strip("<>")) for match in _TAGGED.finditer(text))
    firm = ((span.start, span.end, span.entity) for span in found if span.firm)
    seen = 0
    for start, end, entity in sorted({*tags, *firm}, key=_reading_order):
        if start >= seen:
            yield start, end, STAND_INS.get(entity, "something")
            seen = end


def _reading_order(unit: Unit) -> tuple[int, int, bool, str]:
    """Longest first; of one stretch found twice, what has a stand-in of its own, so that every run reads the same."""
    start, end, entity = unit
    return start, -end, entity not in STAND_INS, entity


def _without_idle(text: str, stand_ins: Sequence[Unit], lexicon: Lexicon) -> Iterator[Unit]:
    """The stand-ins of sentences that may hold a name, and one blank for each run of other sentences."""
    idle = -1
    for start, end, inside in _sentences(text, stand_ins):
        if lexicon.holds_name(_bare(text, start, end, inside)):
            if idle >= 0:
                yield idle, start, " "
            idle = -1
            yield from inside
        elif idle < 0:
            idle = start
    if 0 <= idle < len(text):
        yield idle, len(text), " "


def _sentences(text: str, stand_ins: Sequence[Unit]) -> Iterator[tuple[int, int, Sequence[Unit]]]:
    """Each sentence with the stand-ins inside; an end inside a stand-in is none."""
    start = first = index = 0
    for end in (*(match.end() for match in _SENTENCE.finditer(text)), len(text)):
        while index < len(stand_ins) and stand_ins[index][1] <= end:
            index += 1
        if index < len(stand_ins) and stand_ins[index][0] < end < stand_ins[index][1]:
            continue
        if end > start:
            yield start, end, stand_ins[first:index]
        start, first = end, index


def _bare(text: str, start: int, end: int, stand_ins: Sequence[Unit]) -> str:
    parts: list[str] = []
    for left, right, _ in stand_ins:
        parts += (text[start:left], "-")
        start = right
    parts.append(text[start:end])
    return "".join(parts)
