"""What must stay as it is: markup, JSON keys and literals, and the tags or masks of an earlier scrub."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from anonym.text.spans import Span
from anonym.text.views import rewritten

MASK = "█████"

TAG = r"<[A-Z][A-Z0-9_]{1,48}>|&lt;[A-Z][A-Z0-9_]{1,48}&gt;|███+"
"""A replacement of ours in a text: it is never a finding, nor part of one. Each way begins with a literal, as those of
elements do: only then does Python's engine look for their first characters, six times as fast."""

_TAG = re.compile(TAG)
_ELEMENT = re.compile(r"<!--|-->|</?[a-zA-Z][\w:\-]*|/>|>|\]\(")
_ATTRIBUTE = re.compile(r"\s[\w:\-]+(?==[\"'])")
_SCHEME = re.compile(r"\b(?:mailto|tel|https?):")
_CLOSING = re.compile(r"</[a-zA-Z]|<[a-zA-Z][^<>]*/>")
_JSON = re.compile(
    r'(?P<key>"(?:[^"\\]|\\.)*"(?=\s*:))|(?P<text>"(?:[^"\\]|\\.)*")'
    r"|(?P<number>-?\d+(?:\.\d+)?(?:[eE][+\-]?\d+)?)|(?P<literal>true|false|null)",
    re.S,
)
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)", re.S)


class Token(NamedTuple):
    """A token of a JSON document in the offsets of the whole text; `quote` is how a quote is written there."""

    kind: str
    start: int
    end: int
    quote: str


@dataclass(frozen=True, slots=True)
class Zones:
    """Stretches of one text. `tags`: no span may touch them (tags of ours, and what holds a JSON document together);
    `fixed`: no model's span may; `numbers`: bare JSON numbers, replaced whole and in quotes.
    """

    tags: tuple[tuple[int, int], ...] = ()
    fixed: tuple[tuple[int, int], ...] = ()
    numbers: tuple[tuple[int, int], ...] = ()


NO_ZONES = Zones()
STRUCTURED = r"<[A-Za-z!/]|&lt;[A-Z]|^\s*[\[{]|\]\(|█"
"""Rows that can have zones at all, in Rust's syntax."""


def zones(text: str) -> Zones:
    """The zones of `text`."""
    tags = tuple(match.span() for match in _TAG.finditer(text))
    if is_json(text):
        found = list(_tokens(text))
        fixed = tuple((each.start, each.end) for each in found if each.kind == "key")
        numbers = tuple((each.start, each.end) for each in found if each.kind == "number")
        return Zones(tuple(sorted((*tags, *_walls(text, found)))), fixed, numbers)
    return Zones(tags, tuple(match.span() for regex in _markup(text) for match in regex.finditer(text)))


def _tokens(text: str, quote: str = '"') -> Iterator[Token]:
    """The tokens of a JSON document; in place of a string that is one itself, its tokens."""
    for match in _JSON.finditer(text):
        start, end = match.span()
        if match["text"] is None or match["text"][1:2] not in ("{", "["):
            yield Token(str(match.lastgroup), start, end, quote)
            continue
        view = rewritten(text[start + 1 : end - 1], _ESCAPE, lambda escape: str(json.loads(f'"{escape}"')))
        if not is_json(view.text):
            yield Token("text", start, end, quote)
            continue
        for kind, left, right, inner in _tokens(view.text, json.dumps(quote)[1:-1]):
            place = view.original(Span(left, right, "", 0, ""))
            yield Token(kind, start + 1 + place.start, start + 1 + place.end, inner)


def _walls(text: str, found: Iterable[Token]) -> Iterator[tuple[int, int]]:
    """What is neither inside a string nor a number."""
    seen = 0
    for kind, start, end, quote in found:
        if kind != "literal":
            inset = 0 if kind == "number" else len(quote)
            yield seen, start + inset
            seen = end - inset
    yield seen, len(text)


def _markup(text: str) -> Iterator[re.Pattern[str]]:
    """What finds markup in `text`: attributes and schemes, slow to look for, only where there is some such sign."""
    yield _ELEMENT
    if '="' in text or "='" in text:
        yield _ATTRIBUTE
    if any(scheme in text for scheme in ("mailto:", "tel:", "http:", "https:")):
        yield _SCHEME


def is_markup(text: str) -> bool:
    """Whether a tag of ours would be read as an element: somewhere an element is closed."""
    return _CLOSING.search(text) is not None


def bare_numbers(text: str) -> dict[tuple[int, int], str]:
    """The numbers of a JSON document that stand outside its strings, and how a quote is written there."""
    found = _tokens(text) if text.lstrip()[:1] in ("{", "[") and is_json(text) else ()
    return {(each.start, each.end): each.quote for each in found if each.kind == "number"}


def is_json(text: str) -> bool:
    """A JSON object or array, whole."""
    plain = text.strip()
    if not plain or plain[0] not in "{[" or plain[-1] not in "}]":
        return False
    try:
        json.loads(plain)
    except (ValueError, RecursionError):
        return False
    return True
