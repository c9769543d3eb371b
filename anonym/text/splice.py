"""Texts with something in their spans' places, rebuilt out of what lies between, so that nothing outside can change."""

from __future__ import annotations

from collections.abc import Sequence

from anonym.text.replace import Replacement
from anonym.text.spans import Span
from anonym.text.structure import bare_numbers, is_markup


def replaced(text: str, spans: Sequence[Span], replace: Replacement) -> list[str]:
    """What stands for each span; a bare JSON number becomes a string, in markup angle brackets are written as text."""
    new = [replace(span, text[span.start : span.end]) for span in spans]
    if is_markup(text):
        new = [each.replace("<", "&lt;").replace(">", "&gt;") for each in new]
    quotes = bare_numbers(text)
    if not quotes:
        return new
    around = (quotes.get((span.start, span.end), "") for span in spans)
    return [f"{quote}{each}{quote}" for quote, each in zip(around, new, strict=True)]


def splice(text: str, spans: Sequence[Span], new: Sequence[str]) -> str:
    """`text` with `new` in place of its spans, which must be ordered and disjoint."""
    parts: list[str] = []
    seen = 0
    for span, each in zip(spans, new, strict=True):
        parts += (text[seen : span.start], each)
        seen = span.end
    parts.append(text[seen:])
    return "".join(parts)


def merged(earlier: Sequence[Span], lengths: Sequence[int], later: Sequence[Span]) -> list[Span]:
    """Spans of a text and spans of its spliced form, all in the offsets of the text.

    `lengths` are those of what was spliced in; later spans lie outside it. Both lists are ordered.
    """
    both: list[Span] = []
    shift = index = 0
    for span in later:
        while index < len(earlier) and earlier[index].start + shift + lengths[index] <= span.start:
            both.append(earlier[index])
            shift += lengths[index] - (earlier[index].end - earlier[index].start)
            index += 1
        both.append(span.at(span.start - shift, span.end - shift))
    return [*both, *earlier[index:]]
