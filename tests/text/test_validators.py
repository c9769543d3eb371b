"""Check digits and the shapes of secrets."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import text as naive

from anonym.text.validators import OWN, key_value, password_in_prose, secret_value, validator


@settings(deadline=None)
@given(st.text("0123456789", min_size=1, max_size=20))
def test_luhn_agrees_with_its_definition(digits: str) -> None:
    assert OWN["luhn"](digits) == naive.luhn(digits)


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("iban", "GB59 IFUE 4022 6315 4991 37", "GB59 IFUE 4022 6315 4991 38"),
        ("ip", "2001:db8::1", "999.1.1.1"),
        ("date", "03.02.2019", "45/67/89"),
        ("phone", "+44 20 7946 0958", "+1 23"),
        ("docket", "51422/09", "120/80"),
        ("docket", "316/07", "142/88"),
        ("five_digits", "CLM-2209-4418", "RAL-9005"),
        ("plate", "BD51 SMR", "12345"),
        ("day_and_month", "18/06", "24/7"),
        ("day_and_month", "the 14th", "1/2"),
        ("given_name_first", "Anne-Laure Dumont", "Haute Cour"),
        ("given_name_alone", "Yolanda", "Rose"),
        ("stdnum:gb.nhs", "943 476 5919", "943 476 5918"),
        ("handle", "@odalys", "@property"),
        ("username", "svc_ledger", "unhappy"),
        ("no_word", "Odalys", "Team"),
        ("no_country", "H. Brandvold", "U.S. Army"),
    ],
)
def test_checks(name: str, good: str, bad: str) -> None:
    assert validator(name)(good)
    assert not validator(name)(bad)


def test_unknown_checks_are_refused() -> None:
    for name in ("no such", "stdnum:no.such"):
        with pytest.raises(KeyError):
            validator(name)


@pytest.mark.parametrize(
    "value", ["${PASSWORD}", "os.getenv('X')", "xxxxxxxx", "None", "<password>", "not-set", "aaaa1111"]
)
def test_placeholders_are_no_secrets(value: str) -> None:
    assert not key_value(value)


def test_words_of_a_sentence_are_no_passwords() -> None:
    assert password_in_prose("Kestrel-91-Harbour")
    assert password_in_prose("Tr0ub4dor&3xq")
    assert not password_in_prose("expired")
    assert not password_in_prose("well-kept")
    assert secret_value("whiteduke")
