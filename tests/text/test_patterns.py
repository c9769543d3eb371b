"""A policy's own patterns: exact offsets, linear time, what the engine refuses."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import text as naive

from anonym.errors import PolicyError
from anonym.text.options import UserPattern
from anonym.text.patterns import UserPatterns
from anonym.text.scanner import Column, scanner


def spans(regex: str, *texts: str) -> list[tuple[int, int, int]]:
    patterns = UserPatterns([UserPattern("own", regex)])
    found = patterns.detect(Column(texts, scanner(patterns.expressions)))
    return [(row, span.start, span.end) for row, span in found]


@settings(deadline=None)
@given(st.sampled_from(["ab", "a+", "[ab]{2}", r"\bcat\b", "é|😀"]), st.text(alphabet="abct é😀\ufdd1", max_size=20))
def test_offsets_are_those_of_pythons_engine(regex: str, text: str) -> None:
    assert [(start, end) for _, start, end in spans(regex, text)] == naive.matches(regex, text)


def test_a_pattern_that_hangs_others_comes_to_an_end() -> None:
    assert spans("(a+)+$", "a" * 40 + "!", "short aaaa", "x") == [(1, 6, 10)]


@pytest.mark.parametrize("regex", ["(?=a)", "(?<!a)b", r"(a)\1", "("])
def test_what_the_engine_does_not_take_is_refused_by_name(regex: str) -> None:
    with pytest.raises(PolicyError, match=r"text\.patterns\.mine"):
        UserPatterns([UserPattern("mine", regex)])


def test_every_bad_pattern_is_named_at_once() -> None:
    with pytest.raises(PolicyError) as refused:
        UserPatterns([UserPattern("one", "("), UserPattern("two", "[")])
    assert len(refused.value.faults) == 2


def test_an_empty_match_is_none() -> None:
    assert spans("x*", "ab") == []


@pytest.mark.parametrize("regex", ["[[A-Z]0-9]{6}", "[[:alpha:]0-9]{6}", "[A-Z0-9&&[^X]]{6}"])
def test_classes_in_classes_are_asked_of_every_row_of_a_large_column(regex: str) -> None:
    texts = [*["ABCDEF"] * 100, "12345A"]
    assert len(spans(regex, *texts)) == 101
