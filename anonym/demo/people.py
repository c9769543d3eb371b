"""The invented customers behind the tickets."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from datetime import date, timedelta

from anonym.demo.dice import Dice
from anonym.demo.words import (
    ACCOMMODATIONS,
    DEVICES,
    DOMAINS,
    EMPLOYERS,
    FIRST_NAMES,
    LAST_NAMES,
    NICKNAMES,
    PLANS,
    STREETS,
    TOWNS,
)

TODAY = date(2025, 6, 30)  # the day after the last ticket


@dataclass(frozen=True)
class Person:
    """One customer. Missing values are None."""

    customer_id: str
    first: str
    last: str
    nickname: str
    user: str
    email: str
    phone: str | None
    birth_date: date | None
    street: str
    town: str
    postcode: str | None
    employer: str
    device: str | None
    plan: str
    accommodation: str
    tickets: int

    @property
    def name(self) -> str:
        return f"{self.first} {self.last}"


def person(number: int, dice: Dice) -> Person:
    """An invented customer; `number` makes the id unique."""
    first, last = dice.pick(FIRST_NAMES), dice.pick(LAST_NAMES)
    user = user_name(first, last, dice)
    prefix, town = dice.weighted([((prefix, town), share) for prefix, town, share in TOWNS])
    return Person(
        customer_id=f"C-{104_000 + 7 * number + dice.below(7)}",
        first=first,
        last=last,
        nickname=NICKNAMES.get(first, first),
        user=user,
        email=f"{user}@{dice.pick(DOMAINS)}",
        phone=None if dice.chance(0.06) else phone(dice),
        birth_date=None if dice.chance(0.01) else birth_date(dice),
        street=f"{dice.between(1, 240)} {dice.pick(STREETS)}",
        town=town,
        postcode=None if dice.chance(0.008) else prefix + dice.digits(2),
        employer=dice.pick(EMPLOYERS),
        device=None if dice.chance(0.01) else dice.weighted(DEVICES),
        plan=dice.weighted(PLANS),
        accommodation=dice.weighted(ACCOMMODATIONS),
        tickets=tickets_of_one(dice),
    )


def birth_date(dice: Dice) -> date:
    """Ages from 18 to about 90, most between 25 and 50."""
    years = dice.weighted(
        [((18, 24), 14), ((25, 34), 28), ((35, 44), 24), ((45, 54), 17), ((55, 64), 10), ((65, 90), 7)]
    )
    return TODAY - timedelta(days=dice.between(years[0] * 366, years[1] * 365))


def tickets_of_one(dice: Dice) -> int:
    """One or two for most, a dozen for a few."""
    count = 1
    while count < 14 and dice.chance(0.55):
        count += 1
    return count


def user_name(first: str, last: str, dice: Dice) -> str:
    given, family = ascii_letters(first), ascii_letters(last)
    number = dice.between(2, 99)
    return dice.pick(
        (
            f"{given}.{family}",
            f"{given[0]}{family}",
            f"{given}{number}",
            f"{given}_{family}",
            f"{family}.{given}{number}",
        )
    )


def ascii_letters(name: str) -> str:
    """Lower case without accents, blanks and apostrophes, as in a mailbox name."""
    plain = name.lower().replace("ø", "o").replace("ł", "l").replace("ß", "ss")
    return "".join(c for c in unicodedata.normalize("NFKD", plain) if c.isascii() and c.isalpha())


def phone(dice: Dice) -> str:
    """A number from a range that its country keeps for fiction, in one of the ways people write it."""
    line, london, paris, berlin = (
        dice.between(100, 199),
        dice.digits(3),
        dice.digits(2) + " " + dice.digits(2),
        dice.digits(3),
    )
    area = dice.pick(("212", "415", "312", "206", "617", "303"))
    return dice.weighted(
        [
            (f"({area}) 555-0{line}", 30),
            (f"{area}-555-0{line}", 22),
            (f"+1 {area} 555 0{line}", 12),
            (f"{area}.555.0{line}", 8),
            (f"1{area}5550{line}", 6),
            (f"020 7946 0{london}", 8),
            (f"+44 7700 900{london}", 7),
            (f"06 39 98 {paris}", 4),
            (f"030 23125 {berlin}", 3),
        ]
    )


def respelled_phone(number: str, dice: Dice) -> str:
    """The same number as its owner types it elsewhere: other separators or none."""
    digits = "".join(c for c in number if c.isdigit())
    if number.startswith(("06", "030", "020", "+44")):
        return dice.pick((number.replace(" ", "-"), digits if number[0] == "0" else "+" + digits, number))
    ten = digits[-10:]
    return dice.pick(
        (
            f"{ten[:3]} {ten[3:6]} {ten[6:]}",
            ten,
            f"+1-{ten[:3]}-{ten[3:6]}-{ten[6:]}",
            f"{ten[:3]}/{ten[3:6]}-{ten[6:]}",
            number,
        )
    )


def written_name(someone: Person, dice: Dice) -> str | None:
    """The name as the ticket system holds it: mostly tidy, sometimes typed by the customer."""
    way = dice.weighted([("tidy", 80), ("lower", 6), ("upper", 5), ("family first", 4), ("nickname", 3), (None, 2)])
    names = {
        "tidy": someone.name,
        "lower": someone.name.lower(),
        "upper": someone.name.upper(),
        "family first": f"{someone.last}, {someone.first}",
        "nickname": f"{someone.nickname} {someone.last}",
    }
    return None if way is None else names[way]


def misspelled(word: str, dice: Dice) -> str:
    """The word with two letters swapped, one left out or one doubled; never the first."""
    if len(word) < 4:
        return word
    at = dice.between(1, len(word) - 2)
    return dice.pick(
        (
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
            word[:at] + word[at + 1 :],
            word[:at] + word[at] + word[at:],
        )
    )
