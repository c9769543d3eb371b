"""What a concept means for a column: its role, in words, and which columns it can be true of."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import polars as pl

from anonym.policy.infer import shapes
from anonym.policy.infer.facts import Facts
from anonym.policy.infer.vocabulary import agreement

RoleName = Literal["quasi", "sensitive", "identifier", "text", "keep", "drop"]


@dataclass(frozen=True)
class Guess:
    """A role with its reason and how sure it is, from 0 to 1. `concept` is what the column is about."""

    role: RoleName
    concept: str
    confidence: float
    why: str


@dataclass(frozen=True)
class Concept:
    """`words` completes “this column says …”; `fits` is whether the values can be that."""

    role: RoleName
    words: str
    fits: Callable[[Facts], bool]


def _key(f: Facts) -> bool:
    """Many different values, or nearly one a row."""
    return not _fraction(f) and not f.is_date and (f.distinct > 20 or (f.uniqueness > 0.5 and f.distinct > 2))


def _fraction(f: Facts) -> bool:
    return f.is_number and not f.is_whole


def _owner(f: Facts) -> bool:
    return not _fraction(f) and not f.is_date and f.distinct > 2


def _digits(f: Facts) -> bool:
    return _key(f) and f.holding(re.compile(r"\d.*\d.*\d.*\d")) > 0.5


def _name(f: Facts) -> bool:
    return shapes.is_name_like(f) and f.distinct > 2


def _phone(f: Facts) -> bool:
    return _key(f) and (f.holding(re.compile(r"(?:\d\D{0,2}){6}")) > 0.5)


def _category(f: Facts) -> bool:
    return f.is_coded and not f.is_date and f.words <= 6 and f.length <= 60


def _listed(f: Facts) -> bool:
    """A category that does not identify: not nearly one a row."""
    return _category(f) and not (f.is_text and f.distinct > 20 and f.uniqueness > 0.6)


def _number(f: Facts) -> bool:
    return (f.is_number or f.share(shapes.AMOUNT) > 0.9) and not f.is_flag


def _measure(f: Facts) -> bool:
    """A number, a category or a flag."""
    return _number(f) or f.is_number or _listed(f)


def _age(f: Facts) -> bool:
    if f.is_number:
        return f.distinct > 1 and f.low >= 0 and f.high <= 130
    return f.is_text and f.distinct <= 130 and f.holding(shapes.DIGITS) > 0.3


def _birth(f: Facts) -> bool:
    return (
        _date(f)
        or (f.is_whole and f.distinct > 0 and f.low >= 1 and f.high <= 2100)
        or f.share(re.compile(r"\d{4}")) > 0.9
    )


def _year(f: Facts) -> bool:
    return (f.is_whole and f.distinct > 0 and (0 <= f.low <= f.high <= 20 or 1800 <= f.low <= f.high <= 2200)) or (
        f.is_text and f.distinct <= 100
    )


def _date(f: Facts) -> bool:
    return f.is_date or (f.is_text and (f.share(shapes.DAY) > 0.9 or f.share(shapes.MOMENT) > 0.9))


def _moment(f: Facts) -> bool:
    """A date, or a part of one: a month, a weekday, an hour, a Unix time."""
    if _date(f):
        return True
    return (f.distinct <= 60 and (f.is_whole or f.is_text)) or (f.is_whole and f.distinct > 0 and f.low > 500_000_000)


def _degrees(most: int) -> Callable[[Facts], bool]:
    def fits(f: Facts) -> bool:
        return f.is_number and f.distinct > 2 and -most <= f.low and f.high <= most

    return fits


def _sex(f: Facts) -> bool:
    """Few values; where they are more than four, most are words for a sex: `genre` is of films, too."""
    return _few(12)(f) and (f.distinct <= 4 or not f.is_text or agreement(f.sample, "sex") >= 0.5)


def _located(f: Facts) -> bool:
    return f.is_coded and not f.is_date and f.words <= 6 and f.length <= 60 and f.distinct > 0


def _place(f: Facts) -> bool:
    """No yes or no, and no code of one word that hardly any two rows share: few places have one visitor only."""
    numbers_rows = f.is_text and f.distinct > 100 and f.uniqueness > 0.95 and f.words < 1.2
    return _located(f) and not numbers_rows and not shapes.answers(f)


def _few(most: int) -> Callable[[Facts], bool]:
    def fits(f: Facts) -> bool:
        return f.distinct <= most and (f.is_text or f.is_whole or f.is_flag)

    return fits


def _rated(f: Facts) -> bool:
    return (f.is_number and f.distinct <= 101) or (f.is_text and f.distinct <= 11)


def _prose(f: Facts) -> bool:
    return f.is_text and f.distinct > 5 and (f.words >= 2.5 or f.length > 40)


def _string(f: Facts) -> bool:
    return f.is_text and f.distinct > 2


CONCEPTS: dict[str, Concept] = {
    "given_name": Concept("identifier", "a given name", _name),
    "family_name": Concept("identifier", "a family name", _name),
    "person_name": Concept("identifier", "a person's name", _name),
    "email": Concept("identifier", "an e-mail address", lambda f: f.is_text and f.holding(re.compile("@")) > 0.5),
    "phone": Concept("identifier", "a telephone number", _phone),
    "national_id": Concept("identifier", "a number that an authority gave", _digits),
    "account": Concept("identifier", "an account or card", _key),
    "address": Concept("identifier", "a street address", lambda f: f.is_coded and _key(f)),
    "username": Concept("identifier", "a user name", _string),
    "secret": Concept("identifier", "a secret", _string),
    "device_id": Concept("identifier", "the number of a device", _owner),
    "ip": Concept("identifier", "a network address", lambda f: f.share(shapes.IP) > 0.5),
    "url": Concept("identifier", "a web address", _key),
    "person_id": Concept("identifier", "the number of a person", _owner),
    "record_id": Concept("identifier", "the number of a record", _key),
    "age": Concept("quasi", "an age", _age),
    "birth": Concept("quasi", "a birth date", _birth),
    "death": Concept("quasi", "a date of death", _date),
    "sex": Concept("quasi", "sex or gender", _sex),
    "postcode": Concept("quasi", "a postcode", _located),
    "place": Concept("quasi", "a place", _place),
    "country": Concept("quasi", "a country or nationality", _category),
    "ethnicity": Concept("quasi", "ethnicity", _category),
    "marital": Concept("quasi", "marital status", _few(20)),
    "education": Concept("quasi", "education", _category),
    "occupation": Concept("quasi", "an occupation", _category),
    "employer": Concept("quasi", "an employer or a department", _category),
    "household": Concept("quasi", "the household or home", lambda f: f.is_number or _category(f)),
    "language": Concept("quasi", "a language", _category),
    "vehicle": Concept("quasi", "a vehicle", lambda f: f.is_number or _category(f)),
    "body": Concept("quasi", "the body", lambda f: f.is_number or _category(f)),
    "device": Concept("quasi", "a kind of device", lambda f: f.is_text),
    "tenure": Concept("quasi", "how long somebody has been there", lambda f: f.is_number or _category(f)),
    "year": Concept("quasi", "a year or term", _year),
    "latitude": Concept("quasi", "a position on the map", _degrees(90)),
    "longitude": Concept("quasi", "a position on the map", _degrees(180)),
    "date": Concept("quasi", "a date or time, which others may have noted too", _moment),
    "military": Concept("quasi", "military service", _category),
    "health": Concept("sensitive", "health", _measure),
    "money": Concept("sensitive", "money", _measure),
    "judgement": Concept("sensitive", "a judgement, a belief or an outcome", _measure),
    "usage": Concept("sensitive", "what somebody does, and how much", _measure),
    "offer": Concept("keep", "the offer or the case, not the person", _listed),
    "quantity": Concept("keep", "a quantity", lambda f: f.is_number),
    "rating": Concept("keep", "a rating", _rated),
    "reading": Concept("keep", "a reading of a machine", lambda f: f.is_number or _few(30)(f)),
    "technical": Concept("keep", "the working of a system", _listed),
    "text": Concept("text", "free text", _prose),
}
"""Every concept of the word lists. Race is a quasi-identifier (others see it), religion is not (others need not)."""

NESTED = (pl.List, pl.Array, pl.Struct, pl.Object, pl.Binary)
