"""Telephone numbers: what is not shown to phonenumbers it would have refused."""

from __future__ import annotations

import contextlib
import random

import phonenumbers
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from presidio_analyzer.predefined_recognizers import PhoneRecognizer

from anonym.text.phones import gated, numbering, possible

REGIONS = tuple(PhoneRecognizer.DEFAULT_SUPPORTED_REGIONS)
PLAIN, GATED = PhoneRecognizer(), gated(PhoneRecognizer)()


def same(text: str) -> int:
    """How many numbers both recognisers find, which must be the same."""
    plain, ours = (
        [(each.entity_type, each.start, each.end, each.score) for each in recogniser.analyze(text, ["PHONE_NUMBER"])]
        for recogniser in (PLAIN, GATED)
    )
    assert ours == plain, text
    return len(plain)


def written(dice: random.Random) -> str:
    """A number of some country as it is written in some place, one digit in three of them wrong."""
    region = dice.choice([*REGIONS * 20, *sorted(phonenumbers.SUPPORTED_REGIONS)])
    number = phonenumbers.example_number_for_type(region, dice.randrange(11)) or phonenumbers.example_number(region)
    national = phonenumbers.national_significant_number(number)
    code = str(number.country_code)
    text = dice.choice(
        [
            *(phonenumbers.format_number(number, style) for style in range(4)),
            *(national, code + national, f"0{national}", f"00{code}{national}", f"011 {code} {national}"),
        ]
    )
    place = dice.randrange(len(text))
    if dice.random() < 0.3 and text[place].isdigit():
        text = text[:place] + str(dice.randrange(10)) + text[place + 1 :]
    return text


def grouped(dice: random.Random) -> str:
    """Digits in groups."""
    groups = [str(dice.randrange(10 ** dice.randrange(1, 8))) for _ in range(dice.randrange(1, 6))]
    return dice.choice(["", "+", "(", "0"]) + "".join(
        group + dice.choice([" ", "-", ".", "/", ") ", ""]) for group in groups
    )


def text_of(seed: int) -> str:
    dice = random.Random(seed)
    between = ["", " ", "a", "tel ", "$", "%", ", ", "x", " ext. 12 ", '"', "; ", "\n", "é", "٣"]
    return "".join(
        dice.choice(between) + dice.choice([written, written, grouped])(dice) for _ in range(dice.randrange(1, 4))
    ) + dice.choice(between)


def test_made_numbers_are_found_alike() -> None:
    assert sum(same(text_of(seed)) for seed in range(700)) > 200


@pytest.mark.soak
def test_many_made_numbers_are_found_alike() -> None:
    assert sum(same(text_of(seed)) for seed in range(1_000, 41_000)) > 10_000


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="0123456789 ()-./+x,:a０", max_size=40))
def test_any_digits_are_found_alike(text: str) -> None:
    same(text)


@settings(max_examples=400, deadline=None)
@given(st.from_regex(r"[0-9]{5,17}", fullmatch=True), st.sampled_from(REGIONS))
def test_digits_that_are_refused_are_no_valid_number(digits: str, region: str) -> None:
    if not numbering(region).may_be(digits):
        with contextlib.suppress(phonenumbers.NumberParseException):
            assert not phonenumbers.is_valid_number(phonenumbers.parse(digits, region))


def test_example_numbers_of_every_region_are_let_through() -> None:
    for region in sorted(phonenumbers.SUPPORTED_REGIONS):
        for kind in range(11):
            number = phonenumbers.example_number_for_type(region, kind)
            if number is not None:
                national = phonenumbers.national_significant_number(number)
                assert numbering(region).may_be(national)
                assert numbering(region).may_be(f"{number.country_code}{national}")


def test_few_digits_that_are_no_numbers_are_let_through() -> None:
    dice = random.Random(5)
    milliseconds = [str(dice.randrange(1_600_000_000_000, 1_900_000_000_000)) for _ in range(500)]
    asked = sum(len(possible(each, REGIONS)) for each in milliseconds)
    assert asked < 0.1 * len(milliseconds) * len(REGIONS)
