"""Repeated texts, against sets of shingles compared pair by pair."""

from __future__ import annotations

import random
from pathlib import Path

import polars as pl
import pytest
from naive.text import jaccard

from anonym.pipeline.transform import TextLedger, _scrubbed
from anonym.policy.model import Text
from anonym.policy.resolve import ResolvedColumn
from anonym.text.duplicates import Exact, Near, duplicates, shingles
from anonym.text.options import TextOptions
from anonym.text.scrub import Scrubber


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
    for _ in range(25):
        base = [dice.choice(words) for _ in range(120)]
        other = list(base)
        other[dice.randrange(len(other))] = "changed"  # 3 shingles of 118 differ
        far = base[:70] + [dice.choice(words) for _ in range(50)]
        texts += [" ".join(base), " ".join(other).upper() + ".", " ".join(far)]
    seen = Near()
    first = [*seen.first(pl.Series(texts[:40])), *seen.first(pl.Series(texts[40:]))]
    for i, new in enumerate(first):
        nearest = max((jaccard(shingles(texts[i]), shingles(texts[j])) for j in range(i) if first[j]), default=0.0)
        if nearest >= 0.95:
            assert not new
        if nearest <= 0.6:
            assert new
    assert first.count(False) == 25
    assert seen.first(pl.Series(["", " ", "!"])).to_list() == [True, True, True]


class Counting(Exact):
    """Exact, and how often it was asked."""

    calls = 0

    def first(self, texts: pl.Series) -> pl.Series:
        self.calls += 1
        return super().first(texts)


def test_which_of_equal_texts_is_the_first_is_told_of_a_column_whole(tmp_path: Path) -> None:
    path = tmp_path / "in.parquet"
    pl.DataFrame({"note": ["a note", "another"] * 50_000}).write_parquet(path, row_group_size=1_000)
    column = ResolvedColumn("note", pl.String(), Text(), None)
    counting = Counting()
    ledger = TextLedger("note", (), duplicates=counting)
    released = _scrubbed(column, ledger, Scrubber(TextOptions(ner=None, secrets=())), None, None)
    frame = pl.scan_parquet(path).with_columns(released).collect(engine="streaming")
    assert counting.calls == 1  # the engine hands over parts in any order
    assert frame["note"].is_not_null().arg_true().to_list() == [0, 1]
