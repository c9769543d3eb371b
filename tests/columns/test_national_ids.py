"""Numbers of persons: of the form and with the check digits of their country, by another library; and nobody's."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum import luhn, verhoeff
from stdnum.at import vnr
from stdnum.be import nn
from stdnum.br import cpf
from stdnum.ch import ssn as ahv
from stdnum.de import idnr
from stdnum.es import dni, nie
from stdnum.fi import hetu
from stdnum.fr import nir
from stdnum.gb import nhs
from stdnum.ie import pps
from stdnum.in_ import aadhaar, pan
from stdnum.iso7064 import mod_11_10
from stdnum.it import codicefiscale
from stdnum.nl import bsn
from stdnum.no import fodselsnummer
from stdnum.pl import pesel
from stdnum.se import personnummer

from anonym.columns.draws import Draws
from anonym.columns.keys import Key, Keyring, SecretKey
from anonym.columns.national_ids import FORMS, FORMS_ANYWHERE, invented_id
from anonym.columns.surrogate import Surrogate, invent

Check = Callable[[str], bool]


def of_norway(number: str) -> bool:
    one, two = fodselsnummer.calc_check_digit1(number[:9]), fodselsnummer.calc_check_digit2(number[:10])
    return number[9:] == str(one) + str(two)


def of_austria(number: str) -> bool:
    return number[3] == str(vnr.calc_check_digit(number.replace(" ", "")))


def of_canada(number: str) -> bool:
    return luhn.is_valid(number.replace("-", ""))


# country, a number as it is written, one that the other library takes for right, what it says of check digits, nobody's
CASES: list[tuple[str, str, Check, Check, str | None]] = [
    ("US", "123-45-6789", lambda s: True, lambda s: True, r"9\d\d-(0[1-9]|[1-4]\d)-\d{4}"),
    ("US", "123456789", lambda s: True, lambda s: True, r"9\d\d(0[1-9]|[1-4]\d)\d{4}"),
    ("GB", "AB 12 34 56 C", lambda s: True, lambda s: True, r"QQ \d\d \d\d \d\d [A-D]"),
    ("GB", "943 476 5919", nhs.is_valid, nhs.is_valid, r"999 \d{3} \d{4}"),
    ("DE", "36 574 261 809", idnr.is_valid, lambda s: mod_11_10.is_valid(s.replace(" ", "")), r"0\d \d{3} \d{3} \d{3}"),
    ("FR", "2 95 10 99 126 111 93", nir.is_valid, nir.is_valid, r"2 \d\d 1[3-9] \d\d \d{3} \d{3} \d\d"),
    ("FR", "1 85 05 2A 006 084 35", nir.is_valid, nir.is_valid, r"1 \d\d 1[3-9] \d\d \d{3} \d{3} \d\d"),
    ("FR", "1850578006084", lambda s: True, lambda s: True, r"1\d\d1[3-9]\d{8}"),
    ("ES", "54362315-K", dni.is_valid, dni.is_valid, None),
    ("ES", "x-2482300w", nie.is_valid, nie.is_valid, None),
    ("IT", "RCCMNL83S18D969H", codicefiscale.is_valid, codicefiscale.is_valid, r"[A-Z]{6}\d\d[A-Z]\d\d[N-Y]\d{3}[A-Z]"),
    ("IT", "rcc mnl 83s58 d969 l", codicefiscale.is_valid, codicefiscale.is_valid, r"(?i).{14}[N-Y]\d{3} [A-Z]"),
    ("NL", "1112.22.333", bsn.is_valid, bsn.is_valid, None),
    ("PL", "44051401359", pesel.is_valid, pesel.is_valid, r"\d\d[67]\d{8}"),
    ("IN", "2341 2341 2346", aadhaar.is_valid, lambda s: verhoeff.is_valid(s.replace(" ", "")), r"1\d{3} \d{4} \d{4}"),
    ("IN", "ACUPA7085R", pan.is_valid, lambda s: True, r"[A-Z]{3}Q[A-Z]\d{4}[A-Z]"),
    ("BR", "390.533.447-05", cpf.is_valid, cpf.is_valid, None),
    ("IE", "6433435F", pps.is_valid, pps.is_valid, None),
    ("IE", "6433435OA", pps.is_valid, pps.is_valid, None),
    ("SE", "880320-0016", personnummer.is_valid, personnummer.is_valid, r"\d{6}-9[89]\d\d"),
    ("SE", "19880320-0016", personnummer.is_valid, personnummer.is_valid, r"(19|20)\d{6}-9[89]\d\d"),
    ("NO", "151086 95088", fodselsnummer.is_valid, lambda s: of_norway(s.replace(" ", "")), r"\d\d[89]\d{3} \d{5}"),
    ("FI", "131052-308T", hetu.is_valid, lambda s: hetu.is_valid(s, allow_temporary=True), r"\d{6}-9\d\d."),
    ("FI", "010505A9360", lambda s: True, lambda s: hetu.is_valid(s, allow_temporary=True), r"\d{4}0\dA9\d\d."),
    ("BE", "85.07.30-033 28", nn.is_valid, lambda s: True, r"\d\d\.1[3-9]\.\d\d-\d{3} \d\d"),
    ("AT", "1237 010180", vnr.is_valid, of_austria, r"0\d{3} \d{6}"),
    ("CH", "756.9217.0769.85", ahv.is_valid, ahv.is_valid, None),
    ("CA", "123-456-782", of_canada, of_canada, r"0\d\d-\d{3}-\d{3}"),
]  # fmt: skip


def others(text: str, country: str, n: int = 200) -> list[str]:
    draws = (Draws(hashlib.sha256(str(seed).encode()).digest()) for seed in range(n))
    found = [invented_id(text, one, country) for one in draws]
    assert None not in found
    return [other for other in found if other is not None]


@pytest.mark.parametrize(("country", "value", "is_right", "checks", "nobodys"), CASES, ids=[c[0] + c[1] for c in CASES])
def test_the_form_is_kept_check_digits_are_right_and_nobody_has_it(
    country: str, value: str, is_right: Check, checks: Check, nobodys: str | None
) -> None:
    assert is_right(value), "the case itself"
    shape = re.sub(r"\w", ".", re.escape(value).replace("\\", ""))
    for other in others(value, country):
        assert re.sub(r"\w", ".", other) == shape
        assert other.islower() == value.islower()
        assert checks(other), other
        assert nobodys is None or re.fullmatch(nobodys, other), other
    assert len(set(others(value, country))) > 190


def test_belgian_check_digits() -> None:
    """The other library wants the month to be one, too."""
    for other in others("85.07.30-033 28", "BE"):
        digits = re.sub(r"\D", "", other)
        assert 97 - int(digits[:9]) % 97 == int(digits[9:])


def test_every_form_has_a_case() -> None:
    compact = [(country, re.sub(r"[\s./+-]", "", value).upper()) for country, value, *_ in CASES]
    tried = {
        (country, form.pattern)
        for country, value in compact
        for form in FORMS.get(country, ())
        if form.pattern.fullmatch(value)
    }
    assert tried == {(country, form.pattern) for country, forms in FORMS.items() for form in forms}
    assert all(any(form.pattern.fullmatch(value) for _, value, *_ in CASES) for form in FORMS_ANYWHERE)


SEXES = [
    ("FR", "1850578006084", lambda s: s[0]),
    ("FR", "2850578006084", lambda s: s[0]),
    ("PL", "44051401359", lambda s: int(s[9]) % 2),
    ("PL", "44051401465", lambda s: int(s[9]) % 2),
    ("IT", "RCCMNL83S18D969H", lambda s: int(s[9:11]) > 40),
    ("IT", "RCCMNL83S58D969L", lambda s: int(s[9:11]) > 40),
    ("SE", "8803200016", lambda s: int(s[8]) % 2),
    ("SE", "8803200024", lambda s: int(s[8]) % 2),
    ("NO", "15108695088", lambda s: int(s[8]) % 2),
    ("FI", "131052-308T", lambda s: int(s[-2]) % 2),
    ("BE", "85073003328", lambda s: int(s[8]) % 2),
]


@pytest.mark.parametrize(("country", "value", "sex"), SEXES)
def test_the_sex_stays_and_the_birthday_does_not(country: str, value: str, sex: Callable[[str], Any]) -> None:
    found = others(value, country)
    assert {sex(other) for other in found} == {sex(value)}
    assert sum(other[:6] == value[:6] for other in found) <= 1


def test_numbers_of_another_form_are_not_known() -> None:
    for country in (*FORMS, "JP"):
        for text in ("", "12", "unknown", "AB-12345678901234567", "１２３"):
            assert invented_id(text, Draws(bytes(32)), country) is None


@given(st.text("0123456789ABCXYZabc-. /", max_size=20), st.sampled_from(sorted(FORMS)))
def test_whatever_is_known_is_answered_in_its_shape(text: str, country: str) -> None:
    other = invented_id(text, Draws(bytes(range(32))), country)
    assert other is None or re.sub(r"\w", ".", other) == re.sub(r"\w", ".", text)


def test_the_locale_says_which_country() -> None:
    key = Key("env:SAMPLE_KEY")
    ring = Keyring({key: SecretKey(b"0123456789abcdef0123456789abcdef")}, salt=b"s" * 32)
    values = pl.Series("pesel", [f"4405140{i:04}" for i in range(500)])
    of_poland = invent("pesel", values, Surrogate("national_id", key, locale="pl_PL"), ring)
    of_japan = invent("pesel", values, Surrogate("national_id", key, locale="ja_JP"), ring)
    assert all(map(pesel.is_valid, of_poland.surrogate))
    assert not all(map(pesel.is_valid, of_japan.surrogate))
    assert of_poland.collisions == of_poland.redrawn == 0
