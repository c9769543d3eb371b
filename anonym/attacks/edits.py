"""Texts within a few edits of each other: every pair, found by deletions instead of comparing all with all.

Two texts within e insertions, deletions and changes have a text in common that both become by at most e deletions
(Garbe's symmetric delete); what so meets is then measured (Levenshtein 1966), so that the result is exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import polars as pl

PAIRS = {"left": pl.UInt32(), "right": pl.UInt32()}


def near(left: Sequence[str], right: Sequence[str], edits: int) -> pl.DataFrame:
    """[left, right]: the positions of all pairs at most `edits` apart."""
    sides = [_shortened(texts, edits, name) for texts, name in ((left, "left"), (right, "right"))]
    met = sides[0].join(sides[1], on="text").select("left", "right").unique(maintain_order=True)
    close = [distance(left[i], right[j], edits) <= edits for i, j in met.iter_rows()]
    return met.filter(pl.Series(close, dtype=pl.Boolean))


def _shortened(texts: Sequence[str], edits: int, name: str) -> pl.DataFrame:
    found = [(number, short) for number, text in enumerate(texts) for short in set(_deletions(text, edits))]
    return pl.DataFrame(found, schema={name: pl.UInt32, "text": pl.String}, orient="row")


def _deletions(text: str, edits: int) -> Iterator[str]:
    for count in range(min(edits, len(text)) + 1):
        for gone in combinations(range(len(text)), count):
            yield "".join(letter for at, letter in enumerate(text) if at not in gone)


def distance(one: str, other: str, most: int) -> int:
    """Levenshtein's distance, or some number above `most` where it is more."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    above = list(range(len(other) + 1))
    for i, letter in enumerate(one, start=1):
        row = [i]
        for j, theirs in enumerate(other, start=1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (letter != theirs)))
        if min(row) > most:
            return most + 1
        above = row
    return above[-1]
