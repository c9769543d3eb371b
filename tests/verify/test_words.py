"""Texts as words: what is read through Arrow's C interface, against the texts' own bytes."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.verify import words as module
from anonym.verify.words import words

texts = st.lists(st.sampled_from(["", "a", "ab", "\x00", "é", "twelve bytes", "thirteen byte", "x" * 300]), max_size=9)


def first_bytes(text: str) -> bytes:
    """Arrow's view of a text, as far as it does not tell where the text stands."""
    held = text.encode()
    return len(held).to_bytes(4, "little") + (held.ljust(12, b"\0") if len(held) <= 12 else held[:4])


def lines(column: pl.Series) -> list[bytes]:
    """The words of all chunks."""
    chunks = words(column)
    assert chunks is not None
    return [line.tobytes() for chunk in chunks for line in chunk]


@settings(max_examples=60, deadline=None)
@given(drawn=texts, more=texts, start=st.integers(0, 3))
def test_words_are_lengths_and_bytes(drawn: list[str], more: list[str], start: int) -> None:
    column = pl.concat([pl.Series(drawn, dtype=pl.String), pl.Series(more, dtype=pl.String)], rechunk=False)[start:]
    found = lines(column)
    assert len(found) == len(column)
    for line, text in zip(found, column, strict=True):
        expected = first_bytes(text)
        assert line[: len(expected)] == expected


def test_equal_words_are_equal_texts() -> None:
    column = pl.Series([f"{'long' * 5}{i % 7}" for i in range(50)])
    by_words: dict[bytes, set[str]] = {}
    for line, text in zip(lines(column), column, strict=True):
        by_words.setdefault(line, set()).add(text)
    assert all(len(held) == 1 for held in by_words.values())


def test_what_is_held_otherwise_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_VIEWS", b"U")  # the format of texts held by offsets
    assert words(pl.Series(["a"])) is None


def test_a_chunks_words_stand_until_the_next_is_asked_for() -> None:
    parts = [pl.Series(["ab"] * 100_000), pl.Series(["cd"] * 100_000)]
    found = words(pl.concat(parts, rechunk=False))
    del parts  # the stream holds what it gives
    assert found is not None
    assert [set(map(bytes, chunk)) for chunk in found] == [{first_bytes("ab")}, {first_bytes("cd")}]
