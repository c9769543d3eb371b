"""All detections of one text become one set of spans: ordered, disjoint, inside the text, off the markup."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator

from anonym.text.spans import Span
from anonym.text.structure import NO_ZONES, Zones
from anonym.text.words import words

_BREAKS = re.compile(r"&(?:#\w{1,8}|[A-Za-z]\w{1,31});|(?P<end>[<>|{}\[\]\n\r\t\"“”•·;\ufdd0]+)")
"""Where names end; the end of a character reference (`Ren&eacute;e`) is none."""

_EDGES = " \t\r\n.,;:!?()[]{}<>\"'`“”‘’«»*_~=|/\\-–—…#&+"
_ESCAPED = re.compile(r"\\+u[0-9a-fA-F]{4}")
"""An escaped character, whose backslash is no edge."""

JOINED = {"PERSON", "LOCATION", "ORGANIZATION", "STREET_ADDRESS", "MISC", "QUANTITY", "DATE_TIME"}
"""Entities of several words whose neighbouring parts are one span."""


def resolve(text: str, spans: Iterable[Span], zones: Zones = NO_ZONES) -> list[Span]:
    """The spans to replace in `text`.

    Firm spans keep their ends: a secret (a password in a URL), then the longer one, wins where two meet, and the other
    keeps what is outside it. A model's spans are cut at line ends and structural characters, lose what firm spans
    cover, and are united where they meet.
    """
    firm: list[Span] = []
    soft: list[Span] = []
    for span in spans:
        (firm if span.firm else soft).append(span)
    taken = _Taken()
    for start, end in zones.tags:
        taken.add(start, end)
    kept: list[Span] = []
    for span in sorted(firm, key=lambda s: (s.entity != "SECRET", s.start - s.end, -s.score, s.start)):
        for start, end in taken.free(*_numbers(span, zones)):
            kept += _worth(text, span, start, end, edges=(start, end) != (span.start, span.end))
        taken.add(span.start, span.end)
    for start, end in (*zones.fixed, *zones.numbers):
        taken.add(start, end)
    pieces = [piece for span in soft for piece in _pieces(text, span, taken)]
    return _joined(text, sorted([*kept, *_united(pieces)], key=lambda s: s.start))


def _numbers(span: Span, zones: Zones) -> tuple[int, int]:
    """The ends of a span, widened to the whole of each bare JSON number it touches."""
    start, end = span.start, span.end
    for left, right in zones.numbers[max(0, bisect_right(zones.numbers, (start, start)) - 1) :]:
        if left >= end:
            break
        if start < right:
            start, end = min(start, left), max(end, right)
    return start, end


class _Taken:
    """Disjoint stretches that belong to somebody."""

    def __init__(self) -> None:
        self._spans: list[tuple[int, int]] = []

    def add(self, start: int, end: int) -> None:
        for left, right in list(self.free(start, end)):
            insort(self._spans, (left, right))

    def free(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """What is left of a stretch."""
        if not self._spans:
            yield start, end
            return
        first = max(0, bisect_right(self._spans, (start, start)) - 1)
        last = bisect_left(self._spans, (end, end))
        for left, right in self._spans[first:last]:
            if right <= start:
                continue
            if left > start:
                yield start, left
            start = max(start, right)
        if start < end:
            yield start, end


def _worth(text: str, span: Span, start: int, end: int, *, edges: bool = True) -> list[Span]:
    """The span with new ends, without blanks and punctuation there; nothing if no letter or digit is left."""
    while edges and start < end and text[start] in _EDGES and not _ESCAPED.match(text, start):
        start += 1
    while edges and start < end and text[end - 1] in _EDGES:
        end -= 1
    return [span.at(start, end)] if any(c.isalnum() for c in text[start:end]) else []


def _pieces(text: str, span: Span, taken: _Taken) -> Iterator[Span]:
    start = span.start
    for match in _BREAKS.finditer(text, span.start, span.end):
        if not match["end"]:
            continue
        yield from _free(text, span, start, match.start(), taken)
        start = match.end()
    yield from _free(text, span, start, span.end, taken)


def _free(text: str, span: Span, start: int, end: int, taken: _Taken) -> Iterator[Span]:
    for left, right in taken.free(start, end) if start < end else ():
        cut = (left, right) != (span.start, span.end)
        yield from _worth(text, span, *(_remainder(text, left, right) if cut else (left, right)))


_LOWER_START, _LOWER_END = re.compile(r"\W*(?:[^\W\d_A-Z][\w'’]*\W+)+"), re.compile(r"(?:\W+[^\W\d_A-Z][\w'’]*)+\W*\Z")


def _remainder(text: str, start: int, end: int) -> tuple[int, int]:
    """What a cut leaves, without the lower-case words at its ends (`as of`, `many of the`)."""
    if match := _LOWER_START.match(text, start, end):
        start = match.end()
    if match := _LOWER_END.search(text, start, end):
        end = match.start()
    alone = text[start:end].strip().casefold() in words("function_words")
    return (start, start) if alone else (start, end)


def _united(pieces: list[Span]) -> list[Span]:
    """Overlapping spans as one, which takes the kind of the likeliest, then of the longest."""
    united: list[Span] = []
    for span in sorted(pieces, key=lambda s: (s.start, -s.end)):
        if united and span.start < united[-1].end:
            last = united[-1]
            best = max(last, span, key=lambda s: (s.score, s.end - s.start))
            united[-1] = best.at(last.start, max(last.end, span.end))
        else:
            united.append(span)
    return united


def _joined(text: str, spans: list[Span]) -> list[Span]:
    """Neighbours of one kind with one blank between them become one span."""
    joined: list[Span] = []
    for span in spans:
        last = joined[-1] if joined else None
        if (
            last
            and last.entity == span.entity
            and span.entity in JOINED
            and text[last.end : span.start] in (" ", "", "\u00a0")
        ):
            joined[-1] = last.at(last.start, span.end)
        else:
            joined.append(span)
    return joined
