"""Random choices that give the same sample under every Python: only `Random.random()` is promised to stay as it is."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """Seeded choices for invented data; never a source of anything secret."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1."""
        return int(self._random.random() * n)

    def between(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + self.below(high - low + 1)

    def chance(self, p: float) -> bool:
        return self._random.random() < p

    def pick(self, items: Sequence[T]) -> T:
        return items[self.below(len(items))]

    def weighted(self, items: Sequence[tuple[T, float]]) -> T:
        """One item with odds proportional to its weight."""
        left = self._random.random() * sum(weight for _, weight in items)
        for item, weight in items:
            left -= weight
            if left < 0:
                return item
        return items[-1][0]

    def text(self, alphabet: str, length: int) -> str:
        return "".join(self.pick(alphabet) for _ in range(length))

    def digits(self, length: int) -> str:
        return self.text("0123456789", length)

    def hexadecimal(self, length: int) -> str:
        return self.text("0123456789abcdef", length)
