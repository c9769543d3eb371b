"""What must stay as it is: markup, JSON keys and literals, and the tags or masks of an earlier scrub."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Zones:
    """Stretches of one text. `tags`: no span may touch them; `fixed`: no model's span may; `numbers`: bare JSON
    numbers, replaced whole and in quotes.
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
        found = [(match.lastgroup, match.span()) for match in _JSON.finditer(text)]
        fixed = tuple(span for kind, span in found if kind in {"key", "literal"})
        return Zones(tags, fixed, tuple(span for kind, span in found if kind == "number"))
    return Zones(tags, tuple(match.span() for regex in _markup(text) for match in regex.finditer(text)))


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


def bare_numbers(text: str) -> tuple[tuple[int, int], ...]:
    """The numbers of a JSON document that stand outside its strings."""
    return zones(text).numbers if text.lstrip()[:1] in ("{", "[") else ()


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
