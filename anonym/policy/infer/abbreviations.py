"""What shortened words of column names stand for: `mrtl` for marital, `relig` for religion."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

LEAST = 5
"""Letters of the shortest word that is looked for behind its consonants; shorter ones leave too few to tell."""

CONSONANTS = 3
CUT = 4
"""Letters left of a word that was cut off, which must have had LOST more at least."""

LOST = 3


def skeleton(word: str) -> str:
    """The first letter and the consonants after it, doubles once: `occupation` is `ocptn`."""
    return re.sub(r"(.)\1+", r"\1", word[:1] + re.sub(r"[aeiouy]", "", word[1:]))


@dataclass(frozen=True)
class Abbreviations:
    """The concepts of listed words by their consonants and by their beginnings."""

    by_consonants: Mapping[str, frozenset[str]]
    by_beginning: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, words: Mapping[str, Iterable[str]]) -> Abbreviations:
        """From single words with their concepts."""
        consonants: defaultdict[str, set[str]] = defaultdict(set)
        beginnings: defaultdict[str, set[str]] = defaultdict(set)
        for word, concepts in words.items():
            if len(word) >= LEAST and len(skeleton(word)) >= CONSONANTS:
                consonants[skeleton(word)] |= set(concepts)
            for length in range(CUT, len(word) + 1):
                # words up to LOST letters longer stand there, too: they make a beginning ambiguous
                beginnings[word[:length]] |= set(concepts)
        longest = {word[:length] for word in words for length in range(CUT, len(word) - LOST + 1)}
        return cls(
            {key: frozenset(found) for key, found in consonants.items()},
            {key: frozenset(found) for key, found in beginnings.items() if key in longest},
        )

    def meanings(self, word: str) -> frozenset[str]:
        """The concepts that a word without vowels, or the beginning of words of one concept, can stand for."""
        if len(word) >= CONSONANTS and word == skeleton(word):
            return self.by_consonants.get(word, frozenset())
        found = self.by_beginning.get(word, frozenset())
        return found if len(found) == 1 else frozenset()
