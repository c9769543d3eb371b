"""Putting something in a span's place: a tag, a mask, a keyed token, or a value of the same kind.

Texts are rebuilt from left to right out of what lies between the spans, so that nothing outside them can change.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Literal

from anonym.text.names import fold
from anonym.text.spans import Span
from anonym.text.structure import MASK, bare_numbers, is_markup

Style = Literal["tag", "mask", "surrogate", "pseudonym"]
Replacement = Callable[[Span, str], str]


def tag(span: Span, _found: str) -> str:
    """`<PERSON>`."""
    return f"<{span.entity}>"


def mask(_span: Span, _found: str) -> str:
    """Five full blocks, whatever the length was."""
    return MASK


class Pseudonym:
    """`<PERSON_3F9A0C1B52D84E07>`: HMAC-SHA256 under `key` over entity and folded value: equal values look equal."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def digest(self, entity: str, found: str) -> bytes:
        """32 bytes for a value of a kind."""
        plain = re.sub(r"\s+", " ", fold(found)).strip()
        return hmac.new(self._key, f"{entity}\0{plain}".encode(), sha256).digest()

    def __call__(self, span: Span, found: str) -> str:
        return f"<{span.entity}_{self.digest(span.entity, found).hex()[:16].upper()}>"


def replacement(style: Style, key: bytes, language: str) -> Replacement:
    """The replacement called `style`, keyed where that matters."""
    if style == "surrogate":
        from anonym.text.surrogates import Surrogate

        return Surrogate(key, language)
    if style == "pseudonym":
        return Pseudonym(key)
    return mask if style == "mask" else tag


def replaced(text: str, spans: Sequence[Span], replace: Replacement) -> list[str]:
    """What stands for each span; a bare JSON number becomes a string, in markup angle brackets are written as text."""
    new = [replace(span, text[span.start : span.end]) for span in spans]
    if is_markup(text):
        new = [each.replace("<", "&lt;").replace(">", "&gt;") for each in new]
    bare = set(bare_numbers(text))
    if not bare:
        return new
    return [f'"{each}"' if (span.start, span.end) in bare else each for span, each in zip(spans, new, strict=True)]


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
