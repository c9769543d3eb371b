"""Choices that follow from a keyed digest, and from nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

_REFILL = 1 << 64  # below it the rest of a digest no longer gives even odds


class Draws:
    """A stream of choices from 32 secret bytes; `attempt` starts another stream from the same bytes.

    Whole numbers are taken off one big number by division. The odds of two outcomes differ by less than n / 2^64.
    """

    def __init__(self, digest: bytes, attempt: int = 0) -> None:
        self.attempt = attempt
        self._digest = digest if attempt == 0 else hashlib.sha256(digest + attempt.to_bytes(8, "big")).digest()
        self._left = int.from_bytes(self._digest, "big")

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1; n is at most 2^32."""
        if self._left < _REFILL:
            self._digest = hashlib.sha256(self._digest).digest()
            self._left = int.from_bytes(self._digest, "big")
        self._left, drawn = divmod(self._left, n)
        return drawn

    def between(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + self.below(high - low + 1)

    def pick(self, items: Sequence[T]) -> T:
        return items[self.below(len(items))]

    def text(self, alphabet: str, length: int) -> str:
        return "".join([self.pick(alphabet) for _ in range(length)])

    def digits(self, length: int) -> str:
        return self.text("0123456789", length)
