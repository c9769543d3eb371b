"""Numbers of persons that an authority gives, by country: their form, right check digits, and nobody's if may be.

| country | number | why nobody has it |
|---|---|---|
| US | social security number | areas 900 to 999 are not given, groups 50 and more there are tax numbers |
| GB | national insurance number, NHS number | the prefix QQ is not given, numbers from 999 are kept for tests |
| DE | tax identification number | none begins with 0 |
| FR | NIR | no birth has the months 13 to 19 |
| IT | codice fiscale | no place has a letter from N to Y |
| PL | PESEL | whom it names is born in the 23rd century |
| IN | Aadhaar, PAN | none begins with 1; no class of holders has the letter Q |
| SE | personnummer | birth numbers 980 to 999 are kept for tests |
| NO | fødselsnummer | months and 80 are kept for synthetic persons |
| FI | henkilötunnus | individual numbers from 900 are temporary ones and tests |
| BE | rijksregisternummer | no birth has the months 13 to 19 |
| AT | Sozialversicherungsnummer | none begins with 0 |
| CA | social insurance number | none begins with 0 |
| ES, NL, BR, IE, CH | DNI and NIE, BSN, CPF, PPS number, AHV number | nothing is kept free: it may be somebody's |

The number's sex digit is kept, as a name's gender is; the date of birth in it is drawn. The country is that of the
locale; numbers of the US and the UK are known by their form alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from anonym.columns.draws import Draws

Invent = Callable[[str, Draws], str]
"""From a number without separators, in capitals, to another of the same length."""

NONE_FREE = ("ES", "NL", "BR", "IE", "CH")
"""Countries that keep no numbers free, as far as is published."""

SEPARATORS = re.compile(r"[\s./+-]")
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def invented_id(text: str, draws: Draws, country: str) -> str | None:
    """Another number for `text`, written the same way; None where its form is not known for the country."""
    compact = SEPARATORS.sub("", text).upper()
    for form in FORMS_ANYWHERE:
        if form.pattern.fullmatch(text):
            return respaced(form.invent(compact, draws), text)
    for form in FORMS.get(country, ()):
        if form.pattern.fullmatch(compact):
            return respaced(form.invent(compact, draws), text)
    return None


def respaced(characters: str, shape: str) -> str:
    """The characters in the places of the shape's letters and digits, in small letters where those are."""
    left = iter(characters.lower() if shape.islower() else characters)
    return "".join(next(left) if c.isalnum() else c for c in shape)


def _total(digits: str, weights: Sequence[int]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=True))


def _luhn(digits: str) -> str:
    """The digit that follows, by Luhn."""
    doubled = "".join(str(int(d) * 2) if i % 2 == 0 else d for i, d in enumerate(reversed(digits)))
    return str(-sum(map(int, doubled)) % 10)


def _mod_11_10(digits: str) -> str:
    """ISO 7064, MOD 11,10."""
    check = 5
    for digit in digits:
        check = (((check or 10) * 2) % 11 + int(digit)) % 10
    return str((1 - ((check or 10) * 2) % 11) % 10)


def _until(make: Callable[[], str | None]) -> str:
    """The first that is a number: of some digits the check digit would be 10."""
    while (made := make()) is None:
        pass
    return made


def _born(draws: Draws, years: tuple[int, int] = (1930, 2009)) -> tuple[int, int, int]:
    return draws.between(*years), draws.between(1, 12), draws.between(1, 28)


def _same_parity(digit: str, draws: Draws) -> str:
    """As even or odd: the sex of its holder."""
    return str(draws.below(5) * 2 + int(digit) % 2)


def social_security_number(_text: str, draws: Draws) -> str:
    return f"9{draws.digits(2)}{draws.between(1, 49):02}{draws.digits(4)}"


def national_insurance_number(_text: str, draws: Draws) -> str:
    return "QQ" + draws.digits(6) + draws.pick("ABCD")


def nhs_number(_text: str, draws: Draws) -> str:
    def made() -> str | None:
        digits = "999" + draws.digits(6)
        check = -_total(digits, range(10, 1, -1)) % 11
        return f"{digits}{check}" if check < 10 else None

    return _until(made)


def steuer_idnr(_text: str, draws: Draws) -> str:
    """Of the first ten digits one occurs twice, and no other does."""
    digits = list("123456789")
    del digits[draws.below(9)]
    rest = [*digits, draws.pick(["0", *digits])]
    for i in range(len(rest) - 1, 0, -1):
        other = draws.below(i + 1)
        rest[i], rest[other] = rest[other], rest[i]
    body = "0" + "".join(rest)
    return body + _mod_11_10(body)


def nir(text: str, draws: Draws) -> str:
    body = f"{text[0]}{draws.digits(2)}{draws.between(13, 19)}{draws.between(1, 95):02}"
    body += f"{draws.between(1, 989):03}{draws.between(1, 999):03}"
    return body + f"{97 - int(body) % 97:02}" * (len(text) == 15)


def dni(text: str, draws: Draws) -> str:
    """DNI, and NIE, whose first letter stands for 0, 1 or 2."""
    first = text[0] if text[0].isalpha() else str(draws.between(1, 9))
    digits = draws.digits(7)
    number = int(str("XYZ".find(first) if first.isalpha() else first) + digits)
    return first + digits + "TRWAGMYFPDXBNJZSQVHLCKE"[number % 23]


_ODD = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21)
_ODD_PLACES = dict(
    zip(
        "0123456789" + LETTERS,
        (*_ODD, *_ODD, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23),
        strict=True,
    )
)
_FOR_DIGITS = str.maketrans("LMNPQRSTUV", "0123456789")  # where two persons would have the same code


def codice_fiscale(text: str, draws: Draws) -> str:
    woman = 40 * (int(text[9:11].translate(_FOR_DIGITS)) > 40)
    body = draws.text("BCDFGLMNPRSTVZ", 6) + draws.digits(2) + draws.pick("ABCDEHLMPRST")
    body += f"{draws.between(1, 28) + woman:02}{draws.pick('NOPQRSTUVWXY')}{draws.digits(3)}"
    total = sum(_ODD_PLACES[c] if i % 2 == 0 else int(c, 36) - 10 * c.isalpha() for i, c in enumerate(body))
    return body + LETTERS[total % 26]


def bsn(_text: str, draws: Draws) -> str:
    def made() -> str | None:
        digits = str(draws.between(1, 9)) + draws.digits(7)
        check = _total(digits, range(9, 1, -1)) % 11
        return f"{digits}{check}" if check < 10 else None

    return _until(made)


def pesel(text: str, draws: Draws) -> str:
    year, month, day = _born(draws)
    body = f"{year % 100:02}{month + 60}{day:02}{draws.digits(3)}{_same_parity(text[9], draws)}"
    return body + str(-_total(body, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3)) % 10)


_VERHOEFF = (
    *("0123456789", "1234067895", "2340178956", "3401289567", "4012395678"),
    *("5987604321", "6598710432", "7659821043", "8765932104", "9876543210"),
)
_TURNED = (
    *("0123456789", "1576283094", "5803796142", "8916043527"),
    *("9453126870", "4286573901", "2793806415", "7046913258"),
)


def aadhaar(_text: str, draws: Draws) -> str:
    body = "1" + draws.digits(10)
    check = 0
    for place, digit in enumerate(reversed(body), 1):
        check = int(_VERHOEFF[check][int(_TURNED[place % 8][int(digit)])])
    return body + "0432156789"[check]


def pan(_text: str, draws: Draws) -> str:
    return f"{draws.text(LETTERS, 3)}Q{draws.pick(LETTERS)}{draws.digits(4)}{draws.pick(LETTERS)}"


def cpf(_text: str, draws: Draws) -> str:
    number = draws.digits(9)
    for _ in range(2):
        number += str(-_total(number, range(len(number) + 1, 1, -1)) % 11 % 10)
    return number


def pps(text: str, draws: Draws) -> str:
    """Seven digits and a check letter; a second letter stays."""
    digits, more = draws.digits(7), text[8:]
    total = _total(digits, range(8, 1, -1)) + (9 * (ord(more) - 64) if more and more != "W" else 0)
    return digits + "WABCDEFGHIJKLMNOPQRSTUV"[total % 23] + more


def personnummer(text: str, draws: Draws) -> str:
    year, month, day = _born(draws)
    body = f"{year % 100:02}{month:02}{day:02}{draws.pick(('98', '99'))}{_same_parity(text[-2], draws)}"
    return str(year // 100) * (len(text) == 12) + body + _luhn(body)


def fodselsnummer(text: str, draws: Draws) -> str:
    def made() -> str | None:
        year, month, day = _born(draws, (1940, 1999))
        body = f"{day:02}{month + 80}{year % 100}{draws.between(0, 49):02}{_same_parity(text[8], draws)}"
        one = -_total(body, (3, 7, 6, 1, 8, 9, 4, 5, 2)) % 11
        two = -_total(f"{body}{one}", (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11 if one < 10 else 10
        return f"{body}{one}{two}" if two < 10 else None

    return _until(made)


def henkilotunnus(text: str, draws: Draws) -> str:
    """The letter of the century stays, where one is written."""
    century = text[6:-4]
    year, month, day = _born(draws, (2000, 2009) if century and century in "ABCDEF" else (1930, 1999))
    born, number = f"{day:02}{month:02}{year % 100:02}", f"9{draws.digits(1)}{_same_parity(text[-2], draws)}"
    return born + century + number + "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(born + number) % 31]


def rijksregisternummer(text: str, draws: Draws) -> str:
    year, _, day = _born(draws, (1930, 1999))
    body = f"{year % 100}{draws.between(13, 19)}{day:02}{draws.between(0, 98):02}{_same_parity(text[8], draws)}"
    return f"{body}{97 - int(body) % 97:02}"


def sozialversicherungsnummer(_text: str, draws: Draws) -> str:
    def made() -> str | None:
        year, month, day = _born(draws)
        serial, born = "0" + draws.digits(2), f"{day:02}{month:02}{year % 100:02}"
        check = _total(serial + born, (3, 7, 9, 5, 8, 4, 2, 1, 6)) % 11
        return f"{serial}{check}{born}" if check < 10 else None

    return _until(made)


def ahv_number(_text: str, draws: Draws) -> str:
    body = "756" + draws.digits(9)
    return body + str(-_total(body, (1, 3) * 6) % 10)


def social_insurance_number(_text: str, draws: Draws) -> str:
    body = "0" + draws.digits(7)
    return body + _luhn(body)


@dataclass(frozen=True)
class Form:
    """What a number looks like, without separators where it is one of a country's."""

    pattern: re.Pattern[str]
    invent: Invent


def _form(pattern: str, invent: Invent) -> Form:
    return Form(re.compile(pattern), invent)


FORMS_ANYWHERE = (
    _form(r"\d{3}-\d{2}-\d{4}", social_security_number),
    _form(r"[A-Za-z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-Da-d]", national_insurance_number),
    _form(r"\d{3}[ -]\d{3}[ -]\d{4}", nhs_number),
)

_CF = "[0-9L-NP-V]"
FORMS: dict[str, tuple[Form, ...]] = {
    "US": (_form(r"\d{9}", social_security_number),),
    "DE": (_form(r"\d{11}", steuer_idnr),),
    "FR": (_form(r"[1-478]\d{4}(\d{2}|2[AB])\d{6}(\d{2})?", nir),),
    "ES": (_form(r"[\dXYZ]\d{7}[A-Z]", dni),),
    "IT": (_form(rf"[A-Z]{{6}}{_CF}{{2}}[ABCDEHLMPRST]{_CF}{{2}}[A-Z]{_CF}{{3}}[A-Z]", codice_fiscale),),
    "NL": (_form(r"\d{9}", bsn),),
    "PL": (_form(r"\d{11}", pesel),),
    "IN": (_form(r"\d{12}", aadhaar), _form(r"[A-Z]{5}\d{4}[A-Z]", pan)),
    "BR": (_form(r"\d{11}", cpf),),
    "IE": (_form(r"\d{7}[A-W][A-IW]?", pps),),
    "SE": (_form(r"\d{10}(\d{2})?", personnummer),),
    "NO": (_form(r"\d{11}", fodselsnummer),),
    "FI": (_form(r"\d{6}[A-FU-Y]?\d{3}[0-9A-FHJ-NPR-Y]", henkilotunnus),),
    "BE": (_form(r"\d{11}", rijksregisternummer),),
    "AT": (_form(r"\d{10}", sozialversicherungsnummer),),
    "CH": (_form(r"756\d{10}", ahv_number),),
    "CA": (_form(r"\d{9}", social_insurance_number),),
}
