"""Figures never look better than they are, and names never look like others."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.report import figures


@settings(deadline=None)
@given(st.floats(1e-6, 1e6))
def test_rounding_goes_against_the_release(value: float) -> None:
    kept = float(f"{value:.9g}")  # what evidence keeps
    low, high = (float(said.replace(",", "")) for said in (figures.at_least(kept), figures.at_most(kept)))
    assert low <= kept * (1 + 2e-8)
    assert high >= kept * (1 - 2e-8)
    assert high - low <= max(1.0, value) * 2e-3


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.2, "0.2"), (0.2000004, "0.2001"), (0.17144999, "0.1715"), (5, "5"), (1230.0, "1,230"), (1230.4, "1,231")],
)
def test_at_most(value: float, said: str) -> None:
    assert figures.at_most(value) == said


@pytest.mark.parametrize(("value", "said"), [(2.9999, "2.999"), (2.99999999999, "3"), (4, "4"), (120.56, "120.5")])
def test_at_least(value: float, said: str) -> None:
    assert figures.at_least(value) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "not measured"),
        (0, "0 %"),
        (1, "100 %"),
        (0.02, "2 %"),
        (0.0095, "0.95 %"),
        (0.00001, "< 0.01 %"),
        (0.99999, "> 99.9 %"),
        (0.2, "20 %"),
        (0.12345, "12.3 %"),
    ],
)
def test_share(value: float | None, said: str) -> None:
    assert figures.share(value) == said


@settings(deadline=None)
@given(st.floats(0, 1))
def test_only_nothing_is_0_and_only_all_is_100_per_cent(value: float) -> None:
    for said in (figures.share(value), figures.share(value, aligned=True), figures.rounded_share(value)):
        bare = said.replace(" ", "")
        assert (bare.startswith(("0%", "0.0%", "0.00%"))) == (value == 0)
        assert bare.startswith("100") == (value == 1)


def test_what_cannot_be_seen_is_shown() -> None:
    assert figures.visible("a\nb\t\x1b[31m\u202e\u200b\ud800") == "a\\nb\\t\\u001b[31m\\u202e\\u200b\\ud800"
    assert figures.visible("Größe 年齢 👩‍⚕️") == "Größe 年齢 👩‍⚕️"


@settings(deadline=None)
@given(st.text(max_size=60), st.integers(5, 50))
def test_shortened_fits_and_keeps_both_ends(text: str, width: int) -> None:
    short = figures.shortened(text, width)
    assert len(short) <= width
    assert short == text or (short[0] == text[0] and short[-1] == text[-1])


def test_lists_plurals_and_compact_numbers() -> None:
    assert figures.listed([]) == ""
    assert figures.listed(["a", "b", "c"]) == "a, b and c"
    assert figures.listed("abcdefgh", 3) == "a, b and 6 more"
    assert [figures.plural(2, noun) for noun in ("row", "class", "entity")] == ["2 rows", "2 classes", "2 entities"]
    assert [figures.compact(n) for n in (980, 1280, 20480, 5_242_880)] == ["980", "1.3k", "20k", "5.2M"]
