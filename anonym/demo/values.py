"""The values planted in notes: what must be found, with its entity, and what only looks like it."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from anonym.demo.dice import Dice
from anonym.demo.people import Person, misspelled, respelled_phone
from anonym.demo.words import CARDS, HEADINGS, IBANS, PRODUCTS

# Entities of near-misses: planted, marked, and to be left alone
NEAR_MISSES = frozenset(
    (
        "BUILD",
        "COLOUR",
        "ERROR_CODE",
        "HASH",
        "HEADING",
        "INVOICE",
        "ORDER",
        "PRODUCT",
        "SKU",
        "TRACKING",
        "UUID",
        "VERSION",
        "WORD",
    )
)

UPPER = "ABCDEFGHJKLMNPQRSTUVWXYZ"
ALPHANUMERIC = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
BASE64 = ALPHANUMERIC + "+/"
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(frozen=True)
class Scene:
    """Who is behind one note, and when."""

    me: Person
    other: Person
    agent: tuple[str, str]
    opened: datetime
    dice: Dice


@dataclass(frozen=True)
class Piece:
    """A run of text; `entity` says what was planted there, None where nothing was."""

    text: str
    entity: str | None = None


def written_date(day: date, dice: Dice, *, american: bool = True) -> str:
    month = MONTHS[day.month - 1]
    ways = (
        f"{day.month}/{day.day}/{day.year}" if american else f"{day.day:02}.{day.month:02}.{day.year}",
        f"{day.month:02}/{day.day:02}/{day.year}" if american else f"{day.day}.{day.month}.{day.year}",
        day.isoformat(),
        f"{month} {day.day}, {day.year}" if american else f"{day.day:02}.{day.month:02}.{day.year}",
        f"{day.day} {month} {day.year}" if american else f"{day.day:02}.{day.month:02}.{day.year}",
    )
    return dice.pick(ways)


def _birth_date(scene: Scene, *, american: bool = True) -> str:
    return written_date(scene.me.birth_date or date(1980, 2, 29), scene.dice, american=american)


def _recent_date(scene: Scene) -> str:
    day = (scene.opened - timedelta(days=scene.dice.below(40))).date()
    return scene.dice.pick((written_date(day, scene.dice), f"{MONTHS[day.month - 1]} {day.day}"))


def _timestamp(scene: Scene) -> str:
    moment = scene.opened - timedelta(seconds=scene.dice.below(5000))
    return moment.strftime(scene.dice.pick(("%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M:%S,118")))


def _address(scene: Scene) -> str:
    me, code = scene.me, scene.me.postcode or "51700"
    return scene.dice.pick(
        (
            f"{me.street}, {me.town} {code}",
            f"{me.street}, {me.town}, {code}",
            f"{me.street}\n{me.town} {code}",
            f"{me.street} {me.town}",
        )
    )


def _card(scene: Scene) -> str:
    digits = scene.dice.pick(CARDS)
    grouped = " ".join(digits[i : i + 4] for i in range(0, len(digits), 4))
    return scene.dice.pick((digits, grouped, grouped.replace(" ", "-"))) if len(digits) == 16 else digits


def _iban(scene: Scene) -> str:
    account = scene.dice.pick(IBANS)
    return scene.dice.pick((account, " ".join(account[i : i + 4] for i in range(0, len(account), 4))))


def _ip(scene: Scene) -> str:
    return f"{scene.dice.pick(('192.0.2', '198.51.100', '203.0.113'))}.{scene.dice.between(1, 254)}"


def _password(scene: Scene) -> str:
    dice = scene.dice
    word = dice.pick(("Tr0mbone", "sunf1ower", "Blu3berry", "hunter", "P@ssw0rt", "Qu1etly", "m4rmalade", "Winterr"))
    return dice.pick(
        (
            f"{word}{dice.pick('!?#&*')}{dice.digits(2)}",
            f"{dice.text(ALPHANUMERIC, 11)}{dice.digits(1)}!",
            f"{word}-{dice.digits(4)}",
        )
    )


def _api_key(scene: Scene) -> str:
    # Shapes of real tokens put together at run time, so that no scanner takes this file for a leak
    dice = scene.dice
    return dice.pick(
        (
            "sk" + "_live_" + dice.text(ALPHANUMERIC, 24),
            "AI" + "za" + dice.text(ALPHANUMERIC, 35),
            "SG" + "." + dice.text(ALPHANUMERIC, 22) + "." + dice.text(ALPHANUMERIC, 43),
            dice.hexadecimal(32),
        )
    )


def _jwt(scene: Scene) -> str:
    return "ey" + "JhbGciOiJIUzI1NiJ9.ey" + scene.dice.text(ALPHANUMERIC, 40) + "." + scene.dice.text(ALPHANUMERIC, 43)


def _pem(scene: Scene) -> str:
    kind = scene.dice.pick(("RSA PRIVATE KEY", "PRIVATE KEY", "EC PRIVATE KEY"))
    body = "\n".join(scene.dice.text(BASE64, 64) for _ in range(scene.dice.between(3, 5)))
    return f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----"


def _version(scene: Scene) -> str:
    dice = scene.dice
    return (
        dice.pick(("", "v", "V"))
        + f"{dice.between(1, 25)}.{dice.below(13)}.{dice.below(30)}"
        + dice.pick(("", "", "-rc1", "b2"))
    )


def _order(scene: Scene) -> str:
    dice, year = scene.dice, scene.opened.year
    return dice.pick(
        (
            f"{year}-{dice.between(1, 12):02}{dice.digits(2)}-{dice.digits(4)}",
            f"#{dice.digits(7)}",
            f"{year}{dice.digits(4)}-{dice.digits(2)}",
            f"SO-{dice.digits(6)}",
        )
    )


def _error(scene: Scene) -> str:
    dice = scene.dice
    return dice.pick(
        (
            f"E-{dice.digits(4)}-{dice.pick(UPPER)}",
            f"0x8007{dice.hexadecimal(4)}",
            f"ERR_{dice.pick(('CONN_RESET', 'TOKEN', 'QUOTA'))}",
            f"error {dice.between(400, 504)}",
        )
    )


def _nhs_number(scene: Scene) -> str:
    """From 999, the part kept for tests, with a right check digit (weights 10 to 2, modulus 11)."""
    while True:
        digits = "999" + scene.dice.digits(6)
        check = 11 - sum(int(d) * w for d, w in zip(digits, range(10, 1, -1), strict=True)) % 11
        if check != 10:
            return f"{digits[:3]} {digits[3:6]} {digits[6:]}{check % 11}"


VALUES: dict[str, tuple[str | None, Callable[[Scene], str]]] = {
    "me": ("PERSON", lambda s: s.me.name),
    "ME": ("PERSON", lambda s: s.me.name.upper()),
    "first": ("PERSON", lambda s: s.me.first),
    "last": ("PERSON", lambda s: s.me.last),
    "nick": ("PERSON", lambda s: s.me.nickname),
    "initials": (None, lambda s: s.me.first[0] + s.me.last[0]),
    "me_misspelled": ("PERSON", lambda s: f"{s.me.first} {misspelled(s.me.last, s.dice)}"),
    "other": ("PERSON", lambda s: f"{s.other.first} {s.me.last}"),
    "other_first": ("PERSON", lambda s: s.other.first),
    "agent": ("PERSON", lambda s: s.agent[0]),
    "agent_full": ("PERSON", lambda s: " ".join(s.agent)),
    "agent_initials": (None, lambda s: s.agent[0][0] + s.agent[1][0]),
    "email": ("EMAIL_ADDRESS", lambda s: s.me.email),
    "other_email": ("EMAIL_ADDRESS", lambda s: s.other.email),
    "phone": ("PHONE_NUMBER", lambda s: s.me.phone or "212-555-0147"),
    "phone2": ("PHONE_NUMBER", lambda s: respelled_phone(s.me.phone or "212-555-0147", s.dice)),
    "other_phone": ("PHONE_NUMBER", lambda s: s.other.phone or "(617) 555-0122"),
    "customer_id": ("CODE", lambda s: s.me.customer_id),
    "user": ("USERNAME", lambda s: s.me.user),
    "dob": ("DATE_TIME", _birth_date),
    "dob_eu": ("DATE_TIME", lambda s: _birth_date(s, american=False)),
    "date": ("DATE_TIME", _recent_date),
    "ts": ("DATE_TIME", _timestamp),
    "address": ("ADDRESS", _address),
    "street": ("ADDRESS", lambda s: f"{s.me.street}, {s.me.town}"),
    "town": ("LOCATION", lambda s: s.me.town),
    "postcode": ("LOCATION", lambda s: s.me.postcode or "69500"),
    "employer": ("ORGANIZATION", lambda s: s.me.employer),
    "card": ("CREDIT_CARD", _card),
    "iban": ("IBAN_CODE", _iban),
    "ip": ("IP_ADDRESS", _ip),
    "ip6": ("IP_ADDRESS", lambda s: f"2001:db8:{s.dice.hexadecimal(4)}::{s.dice.hexadecimal(3)}"),
    "nhs": ("UK_NHS", _nhs_number),
    "nino": ("UK_NINO", lambda s: f"QQ 12 34 56 {s.dice.pick('ABCD')}"),
    "password": ("SECRET", _password),
    "pin": ("SECRET", lambda s: s.dice.digits(4)),
    "api_key": ("SECRET", _api_key),
    "aws_id": ("SECRET", lambda s: "AK" + "IA" + s.dice.text(UPPER + "234567", 9) + "EXAMPLE"),
    "aws_secret": ("SECRET", lambda s: s.dice.text(BASE64, 40)),
    "github": ("SECRET", lambda s: "gh" + "p_" + s.dice.text(ALPHANUMERIC, 36)),
    "slack": ("SECRET", lambda s: "xo" + f"xb-{s.dice.digits(12)}-{s.dice.digits(12)}-{s.dice.text(ALPHANUMERIC, 24)}"),
    "client_secret": ("SECRET", lambda s: s.dice.text(ALPHANUMERIC + "~-_", 40)),
    "reset": ("SECRET", lambda s: s.dice.hexadecimal(40)),
    "jwt": ("SECRET", _jwt),
    "pem": ("SECRET", _pem),
    "order": ("ORDER", _order),
    "invoice": ("INVOICE", lambda s: f"{s.opened.year}{s.dice.between(1, 12):02}{s.dice.digits(2)}"),
    "product": ("PRODUCT", lambda s: s.dice.pick(PRODUCTS)),
    "version": ("VERSION", _version),
    "version4": ("VERSION", lambda s: f"10.{s.dice.below(9)}.{s.dice.below(30)}.{s.dice.below(9)}"),
    "build": (
        "BUILD",
        lambda s: f"{s.opened.year}{s.dice.between(1, 12):02}{s.dice.between(10, 28)}.{s.dice.below(9)}",
    ),
    "error": ("ERROR_CODE", _error),
    "error_code": ("ERROR_CODE", lambda s: f"E{s.dice.digits(4)}"),
    "colour": ("COLOUR", lambda s: "#" + s.dice.hexadecimal(6)),
    "hash": ("HASH", lambda s: s.dice.hexadecimal(s.dice.pick((7, 10, 40)))),
    "uuid": ("UUID", lambda s: str(uuid.UUID(hex=s.dice.hexadecimal(32), version=4))),
    "heading": ("HEADING", lambda s: s.dice.pick(HEADINGS)),
    "sku": ("SKU", lambda s: f"{s.dice.text(UPPER, 2)}-{s.dice.digits(4)}-{s.dice.text(UPPER, 1)}{s.dice.digits(2)}"),
    "tracking": ("TRACKING", lambda s: f"1Z999AA1{s.dice.digits(10)}"),
}
