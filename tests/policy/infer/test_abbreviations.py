"""Shortened words: by their consonants, and cut off."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonym.policy.infer.abbreviations import Abbreviations, skeleton

WORDS = {
    "occupation": {"occupation"},
    "occupants": {"household"},
    "religion": {"belief"},
    "street": {"address"},
    "start": {"date"},
    "city": {"place"},
}


@pytest.mark.parametrize(
    ("word", "short"), [("occupation", "ocptn"), ("marital", "mrtl"), ("address", "adrs"), ("", ""), ("a", "a")]
)
def test_the_consonants_of_a_word(word: str, short: str) -> None:
    assert skeleton(word) == short


@pytest.mark.parametrize(
    ("word", "concepts"),
    [
        ("ocptn", {"occupation"}),
        ("strt", {"address", "date"}),
        ("cty", set()),  # city has too few letters
        ("relig", {"belief"}),
        ("rel", set()),  # too short
        ("religio", set()),  # too little is gone
        ("occup", set()),  # two words of different concepts
        ("occupat", {"occupation"}),
        ("xq", set()),
    ],
)
def test_what_a_short_word_stands_for(word: str, concepts: set[str]) -> None:
    assert Abbreviations.of(WORDS).meanings(word) == concepts


@given(st.text("abcdefghijklmnopqrstuvwxyz"))
def test_a_skeleton_is_its_own(word: str) -> None:
    assert skeleton(skeleton(word)) == skeleton(word)
