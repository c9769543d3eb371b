"""What stands in a span's place: a tag, a mask or a keyed token; values of the same kind are in surrogates.py."""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable
from hashlib import sha256
from typing import Literal

from anonym.text.names import fold
from anonym.text.spans import Span
from anonym.text.structure import MASK

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
