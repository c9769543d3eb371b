"""Faker's names and places as plain lists, and what a written name shows of itself.

Faker makes one name in 40 us and may change how between versions; picking from lists takes 2 us. The lists are drawn
from Faker once a locale, sorted: they are the same for the same version of Faker, which the evidence names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from anonym.errors import CallError

Gender = Literal["female", "male"]
GENDERS: tuple[Gender, Gender] = ("female", "male")

_DRAWS = 4000  # enough for 98 % of a list of a thousand


@dataclass(frozen=True)
class Lists:
    """The material of one locale."""

    locale: str
    first: dict[Gender, tuple[str, ...]]
    last: dict[Gender, tuple[str, ...]]
    streets: tuple[str, ...]
    cities: tuple[str, ...]

    def gender_of(self, first_name: str) -> Gender | None:
        """What the name says, where it is in one of the two lists only."""
        return _genders(self.locale).get(first_name.casefold())


@cache
def lists(locale: str) -> Lists:
    """Raises CallError for a locale that Faker lacks."""
    fake = _faker(locale)
    return Lists(
        locale=locale,
        first={"female": _drawn(fake.first_name_female), "male": _drawn(fake.first_name_male)},
        last={"female": _drawn(fake.last_name_female), "male": _drawn(fake.last_name_male)},
        streets=_drawn(fake.street_name),
        cities=_drawn(fake.city),
    )


@cache
def _genders(locale: str) -> dict[str, Gender]:
    first = lists(locale).first
    female, male = ({name.casefold() for name in first[gender]} for gender in ("female", "male"))
    return {name: "female" if name in female else "male" for name in female ^ male}


def _faker(locale: str) -> Any:
    from faker import Faker
    from faker.config import AVAILABLE_LOCALES

    if locale not in AVAILABLE_LOCALES:
        near = sorted(known for known in AVAILABLE_LOCALES if known[:2] == locale[:2])
        raise CallError(
            f"no surrogates for locale {locale!r}; expected one of Faker's, such as {', '.join(near or ['en_US'])}"
        )
    fake = Faker(locale, use_weighting=False)
    fake.seed_instance(0)
    return fake


def _drawn(one: Callable[[], str]) -> tuple[str, ...]:
    return tuple(sorted({" ".join(one().split()) for _ in range(_DRAWS)}))
