"""Words counted block by block against a counter; and merged no further than they must be, in any order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.hierarchy import words
from anonym.hierarchy.words import Recode, Words, counted_within

lists = st.lists(st.lists(st.sampled_from([0, 1, 2, 7, 2**63, 2**64 - 1]), max_size=9), max_size=9)


def arrays(batches: list[list[int]]) -> Iterator[Words]:
    return (np.array(batch, np.uint64) for batch in batches)


@settings(max_examples=60, deadline=None)
@given(batches=lists, block=st.sampled_from([1, 4, 1000]))
def test_words_are_counted(batches: list[list[int]], block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words, "BLOCK", block)
        found, counts, _ = counted_within(arrays(batches), None, ())
    expected = sorted(Counter(word for batch in batches for word in batch).items())
    assert list(zip(found.tolist(), counts.tolist(), strict=True)) == expected


SHIFTS: list[Recode] = [lambda found, by=by: found >> np.uint64(by) << np.uint64(by) for by in (1, 2, 3, 8)]  # type: ignore[misc]


@settings(max_examples=60, deadline=None)
@given(
    batches=st.lists(st.lists(st.integers(0, 255), max_size=20), max_size=9),
    block=st.sampled_from([1, 16, 1000]),
    most=st.integers(1, 40),
)
def test_words_are_merged_no_further_than_they_must(batches: list[list[int]], block: int, most: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words, "BLOCK", block)
        found, counts, taken = counted_within(arrays(batches), most, SHIFTS)
    all_of = Counter(word for batch in batches for word in batch)
    tables = [Counter[int]() for _ in range(5)]
    for by, merged in zip((0, 1, 2, 3, 8), tables, strict=True):
        for word, count in all_of.items():
            merged[word >> by << by] += count
    assert taken == next(i for i, merged in enumerate(tables) if len(merged) <= most)
    assert list(zip(found.tolist(), counts.tolist(), strict=True)) == sorted(tables[taken].items())
