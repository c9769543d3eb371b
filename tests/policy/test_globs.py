"""Globs: containment is certain where it is claimed."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.policy.globs import contains, entries_of, is_glob, matches

NAMES = ["".join(letters) for length in range(6) for letters in product("ab", repeat=length)]
GLOBS = st.text("ab*?", max_size=5)


@settings(deadline=None)
@given(GLOBS, GLOBS)
def test_containment_is_certain(wide: str, narrow: str) -> None:
    if contains(wide, narrow):
        assert all(matches(wide, name) for name in NAMES if matches(narrow, name))


@settings(deadline=None)
@given(st.text("ab*", max_size=3), st.text("ab", max_size=3))
def test_containment_of_a_name_is_matching(wide: str, name: str) -> None:
    assert contains(wide, name) is matches(wide, name)


@settings(deadline=None)
@given(GLOBS)
def test_every_glob_contains_itself_and_is_contained_in_the_star(glob: str) -> None:
    assert contains(glob, glob)
    assert contains("*", glob)


@pytest.mark.parametrize(
    ("wide", "narrow", "within"),
    [
        ("*", "a*", True),
        ("a*", "ab*", True),
        ("a*", "a?", True),
        ("a?", "a*", False),
        ("*_id", "user_*_id", True),
        ("id_*", "*_name", False),
        ("a[12]", "a[12]", True),
        ("a[12]", "a1", False),
        ("a*", "b*", False),
        ("*a*", "*ba*", True),
    ],
)
def test_containment(wide: str, narrow: str, within: bool) -> None:
    assert contains(wide, narrow) is within


def test_long_globs_are_only_compared() -> None:
    assert not contains("*" * 500, "a*" * 500)
    assert contains("a*" * 500, "a*" * 500)


def test_a_name_wins_over_globs() -> None:
    entries = ["a", "a*", "?", "items[0]"]
    globs = [entry for entry in entries if is_glob(entry)]
    assert entries_of("a", entries, globs) == ("a",)
    assert entries_of("b", entries, globs) == ("?",)
    assert entries_of("items[0]", entries, globs) == ("items[0]",)
    assert entries_of("items0", entries, globs) == ("items[0]",)
    assert entries_of("ab", entries, globs) == ("a*",)
    assert entries_of("A1", entries, globs) == ()
