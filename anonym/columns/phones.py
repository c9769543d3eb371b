"""Telephone numbers that nobody has: the ranges that regulators keep for fiction.

Sources: North American Numbering Plan, 555-0100 to 555-0199 in every area; Ofcom, numbers for drama use; ARCEP decision
18-0881; Bundesnetzagentur, Mitteilung 148/2021; ACMA, numbers for use in creative works; ComReg 020 91x xxxx.
"""

from __future__ import annotations

import re

from anonym.columns.draws import Draws

# country code -> national significant numbers, `x` is any digit
FICTIONAL: dict[str, tuple[str, ...]] = {
    "44": (
        "7700900xxx",
        "2079460xxx",
        *(f"1{city}4960xxx" for city in ("13", "14", "15", "16", "17", "21", "31", "41", "51", "61")),
        "1914980xxx",
        "1632960xxx",
        "2920180xxx",
        "3069990xxx",
    ),
    "33": ("19900xxxx", "26191xxxx", "35301xxxx", "46571xxxx", "53649xxxx", "63998xxxx"),
    "49": ("3023125xxx", "6990009xxx", "4066969xxx", "2214710xxx", "8999998xxx", "17139200xx", "176040690xx"),
    "61": tuple(f"{area}{block}xxxx" for area in "2378" for block in ("5550", "7010")),
    "353": ("2091xxxxx",),
}

COUNTRY_OF = {"GB": "44", "FR": "33", "DE": "49", "AU": "61", "IE": "353", "US": "1", "CA": "1"}
TRUNK = {"44": "0", "33": "0", "49": "0", "61": "0", "353": "0", "1": ""}

_EXTENSION = re.compile(r"\s*(?:x|ext\.?|#)\s*\d+\s*$", re.IGNORECASE)
_COUNTRY_CODE = re.compile(r"\s*(?:\+|00)\s*(353|44|33|49|61|1)")


def fictional_phone(text: str, draws: Draws, locale: str) -> str:
    """A number of the same country in the same spelling, as far as its length allows.

    Without a country code the number is taken for one of the locale's country; where that keeps no range, the outcome
    is a North American one.
    """
    text = _EXTENSION.sub("", text)
    international = _COUNTRY_CODE.match(text)
    if international:
        country = international[1]
        rest = text[international.end() :].replace("(0)", "")
        return text[: international.end()] + poured(_national(country, draws), rest, otherwise=" ")
    if text.lstrip().startswith(("+", "00")):
        return "+1 " + poured(_national("1", draws), "212 555 0100")
    country = COUNTRY_OF.get(locale[-2:], "1")
    number = TRUNK[country] + _national(country, draws)
    digits = re.sub(r"\D", "", text)
    if country == "1" and len(digits) == 11 and digits[0] == "1":
        number = "1" + number
    return poured(number[3:] if country == "1" and len(digits) == 7 else number, text)


def _national(country: str, draws: Draws) -> str:
    if country == "1":
        return f"{_area(draws)}55501{draws.digits(2)}"
    return re.sub("x", lambda _: str(draws.below(10)), draws.pick(FICTIONAL[country]))


def _area(draws: Draws) -> str:
    """An area code: first digit 2 to 9, second 0 to 8, never N11."""
    second = draws.below(9)
    return f"{draws.between(2, 9)}{second}{draws.between(2, 9) if second == 1 else draws.below(10)}"


def poured(digits: str, shape: str, otherwise: str = "") -> str:
    """The digits in the places of the shape's digits.

    Digits left over follow the last place, an extension falls away. A shape without two digits to fill is dropped, and
    the digits follow `otherwise`.
    """
    places = [i for i, character in enumerate(shape) if character.isdigit()]
    if len(places) < 2:
        return otherwise + digits
    if len(places) > len(digits):
        shape = shape[: places[len(digits)]].rstrip(" -./xX(")
    written = list(shape)
    for place, digit in zip(places, digits, strict=False):
        written[place] = digit
    written[places[: len(digits)][-1]] += digits[len(places) :]
    return "".join(written)
