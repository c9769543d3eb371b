"""Repeated texts, against sets of shingles compared pair by pair."""

from __future__ import annotations

import random

import polars as pl
import pytest
from naive.text import jaccard

from anonym.text.duplicates import Exact, Near, duplicates, shingles


def test_exact_over_batches_and_null_is_no_repetition() -> None:
    seen = Exact()
    assert seen.first(pl.Series(["a", None, "b", "a", None])).to_list() == [True, True, True, False, True]
    assert seen.first(pl.Series(["b", "c", "C"])).to_list() == [False, True, True]
    assert duplicates("none") is None


def test_near_finds_what_is_alike_and_leaves_what_is_not() -> None:
    pytest.importorskip("datasketch")
    dice = random.Random(3)
    words = [f"w{i}" for i in range(400)]
    texts: list[str] = []
    for _ in range(60):
        base = [dice.choice(words) for _ in range(120)]
        other = list(base)
        other[dice.randrange(len(other))] = "changed"  # 3 shingles of 118 differ
        far = base[:70] + [dice.choice(words) for _ in range(50)]
        texts += [" ".join(base), " ".join(other).upper() + ".", " ".join(far)]
    seen = Near()
    first = [*seen.first(pl.Series(texts[:90])), *seen.first(pl.Series(texts[90:]))]
    for i, new in enumerate(first):
        nearest = max((jaccard(shingles(texts[i]), shingles(texts[j])) for j in range(i) if first[j]), default=0.0)
        if nearest >= 0.95:
            assert not new
        if nearest <= 0.6:
            assert new
    assert first.count(False) == 60
    assert seen.first(pl.Series(["", " ", "!"])).to_list() == [True, True, True]
