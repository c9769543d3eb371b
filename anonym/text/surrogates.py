"""Invented values of the same kind, the same for the same value under the same key, from Faker's lists.

Names are replaced word by word, so that `Odalys Brenthwick`, `Brenthwick` and `BRENTHWICK` stay one family; e-mail and
web addresses go to reserved domains (RFC 2606), telephone numbers to reserved ranges, secrets to a tag.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from anonym.text.dates import shifted
from anonym.text.replace import Pseudonym, Replacement
from anonym.text.spans import Span

LOCALES = {"en": "en_GB", "fr": "fr_FR", "es": "es_ES", "de": "de_DE", "it": "it_IT", "nl": "nl_NL", "pt": "pt_PT"}


@cache
def _faker(locale: str) -> Any:
    import faker

    return faker.Faker(locale)


class Surrogate:
    """A replacement that looks like what it replaces."""

    def __init__(self, key: bytes, language: str) -> None:
        self._keyed = Pseudonym(key)
        self._language = language
        self._faker = _faker(LOCALES.get(language, "en_GB"))

    def moving(self, days: int) -> Replacement:
        """The same, but with dates moved by `days`; a date that cannot be read becomes a tag."""

        def replace(span: Span, found: str) -> str:
            if span.entity != "DATE_TIME":
                return self(span, found)
            return shifted(found, days, self._language) or f"<{span.entity}>"

        return replace

    def __call__(self, span: Span, found: str) -> str:
        if span.entity == "PERSON":
            return re.sub(r"[^\W\d_]+", lambda word: self._name(word.group()), found)
        self._faker.seed_instance(int.from_bytes(self._keyed.digest(span.entity, found)[:8], "big"))
        invented = self._invented(span.entity, found)
        return self._again(span, invented) if invented.casefold() == found.casefold() else invented

    def _again(self, span: Span, invented: str) -> str:
        return self._invented(span.entity, invented) if span.entity in _MADE else f"<{span.entity}>"

    def _name(self, word: str) -> str:
        """A name for a name, in its case; initials and titles keep their length."""
        if len(word) == 1 or word.casefold().rstrip(".") in _TITLES:
            return word
        digest = self._keyed.digest("PERSON", word)
        self._faker.seed_instance(int.from_bytes(digest[:8], "big"))
        invented: str = re.sub(r"\W", "", self._faker.last_name() if digest[8] % 2 else self._faker.first_name())
        if invented.casefold() == word.casefold():
            invented = re.sub(r"\W", "", self._faker.last_name())
        return invented.upper() if word.isupper() else invented.lower() if word.islower() else invented

    def _invented(self, entity: str, found: str) -> str:
        if entity in _MADE:
            return str(getattr(self._faker, _MADE[entity])()).replace("\n", ", ")
        if entity in {"PHONE_NUMBER", "POSTCODE", "AGE", "IDENTIFIER", "CASE_NUMBER", "MEDICAL_RECORD", "ACCOUNT"}:
            return re.sub(r"\d", lambda _: str(self._faker.random_digit()), found)
        return f"<{entity}>"


_TITLES = {"mr", "mrs", "ms", "miss", "dr", "prof", "sir", "dame", "lord", "lady", "jr", "sr"}
_MADE = {
    "EMAIL_ADDRESS": "safe_email",
    "USERNAME": "user_name",
    "LOCATION": "city",
    "ORGANIZATION": "company",
    "STREET_ADDRESS": "address",
    "IP_ADDRESS": "ipv4_private",
    "DATE_TIME": "date",
    "NRP": "country",
    "URL": "uri_path",
    "MAC_ADDRESS": "mac_address",
    "UUID": "uuid4",
}
