"""One function for each kind of surrogate: a value of the same kind and spelling as a given one, from secret draws.

What is reserved is used: domains of RFC 2606, addresses of RFC 5737, 2544 and 3849, telephone numbers kept for fiction,
published card numbers for tests, national numbers that are never given out, bank codes that no bank has. Names, firms,
places, codes and the numbers of some countries have no such range: there a surrogate may happen to be somebody's
elsewhere, but it is never a value of the column.
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from collections.abc import Callable

from anonym.columns.draws import Draws
from anonym.columns.faker_lists import GENDERS, Lists
from anonym.columns.national_ids import invented_id
from anonym.columns.phones import fictional_phone, poured
from anonym.columns.written_names import RICHER, person_name, same_case

Invention = Callable[[str, Draws, Lists], str]

UPPER, LOWER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz"
DOMAINS = ("example.com", "example.org", "example.net")

# Card numbers that networks and payment providers publish for tests
TEST_CARDS = tuple(
    """
    4111111111111111 4012888888881881 4242424242424242 4000056655665556 4222222222222220 4917610000000000
    4000000000000002 4000000000000077 4000000000003220 4444333322221111 4911830000000 4222222222222
    5555555555554444 5105105105105100 5200828282828210 2223003122003222 5454545454545454 2222400070000005
    378282246310005 371449635398431 378734493671000 370000000000002 6011111111111117 6011000990139424
    6011981111111113 30569309025904 38520000023237 36227206271667 3530111333300000 3566002020360505
    """.split()  # noqa: SIM905 - a block of numbers reads better than thirty lines
)

LEGAL_PREFIXES = re.compile(r"^(?:株式会社|有限会社|合同会社|\(株\)|(?:PT|ООО|ОАО|ЗАО|АО)\.?\s)\s*")
LEGAL_FORMS = re.compile(
    r""",?\s+(?:
        (?:GmbH|UG|AG|KG|OHG|SE|e\.?\s?V\.?)(?:\ &\ Co\.?\ KGa?A?)?
        |Inc\.?|LLC|L\.L\.C\.|Ltd\.?|Limited|LLP|PLC|Corp\.?|Co\.
        |S\.?A\.?R\.?L\.?|S\.?A\.?S?\.?|S\.?L\.?U?\.?|S\.?p\.?A\.?|S\.?r\.?l\.?
        |B\.?V\.?|N\.?V\.?|Oy|AB|A/S|ApS|sp\.\ z\ o\.o\.
    )$""",
    re.IGNORECASE | re.VERBOSE,
)


def code(text: str, draws: Draws, lists: Lists) -> str:  # noqa: ARG001 - all kinds share one signature
    """The same shape: digits for digits, capitals for capitals, letters for letters; all else stays.

    A first digit other than 0 stays other than 0. Where the shape is too small for the column, it grows by a digit for
    every eight attempts.
    """
    shaped = "".join([_like(character, draws) for character in text])
    if text[:1].isdigit() and text[0] != "0" and shaped[0] == "0":
        shaped = str(draws.between(1, 9)) + shaped[1:]
    return shaped + draws.digits(draws.attempt // RICHER)


def _like(character: str, draws: Draws) -> str:
    if character.isdigit():
        return draws.pick("0123456789")
    if not character.isalpha() or character in "ºª":
        return character
    return draws.pick(UPPER if character.isupper() else LOWER)


def first_name(text: str, draws: Draws, lists: Lists) -> str:
    known = lists.gender_of(text.split()[0]) if text.split() else None
    gender = draws.pick(GENDERS) if known is None else known
    name = draws.pick(lists.first[gender])
    second = "-" + draws.pick(lists.first[gender]) if draws.attempt >= RICHER else ""
    return same_case(name + second, text)


def last_name(text: str, draws: Draws, lists: Lists) -> str:
    gender = draws.pick(GENDERS)
    second = "-" + draws.pick(lists.last[gender]) if draws.attempt >= RICHER else ""
    return same_case(draws.pick(lists.last[gender]) + second, text)


def company(text: str, draws: Draws, lists: Lists) -> str:
    """A firm named after people, with the legal form of the given one, where it stands."""
    prefix, form = LEGAL_PREFIXES.match(text), LEGAL_FORMS.search(text)
    one, two, three = (draws.pick(lists.last["male"]) for _ in range(3))
    body = draws.pick((f"{one} & {two}", f"{one}-{two}", f"{one}, {two} & {three}"))
    return (prefix[0] if prefix else "") + same_case(body, text) + (form[0] if form else "")


def user_name(text: str, draws: Draws, lists: Lists) -> str:
    """Names with the separator, case and number of digits of the given one."""
    first = _plain(draws.pick(lists.first[draws.pick(GENDERS)]))
    last = _plain(draws.pick(lists.last["female"]))
    separator = next((c for c in text if c in "._-"), "")
    digits = sum(c.isdigit() for c in text) + (draws.attempt + 3) // 4
    name = f"{first}{separator}{last}" if separator else draws.pick((first[:1] + last, first + last[:1], last))
    return same_case(name, text) + draws.digits(min(digits, 8))


def _plain(name: str) -> str:
    """ASCII lower case; where nothing of a name is left (other scripts), a word of its own."""
    kept = "".join(c for c in unicodedata.normalize("NFKD", name.lower()) if c in LOWER)
    return kept or "user"


def email(text: str, draws: Draws, lists: Lists) -> str:
    local, _, domain = text.rpartition("@")
    return f"{user_name(local or domain, draws, lists)}@{same_case(draws.pick(DOMAINS), domain)}"


def phone(text: str, draws: Draws, lists: Lists) -> str:
    return fictional_phone(text, draws, lists.locale)


def postcode(text: str, draws: Draws, lists: Lists) -> str:
    return code(text, draws, lists)


def address(text: str, draws: Draws, lists: Lists) -> str:
    """Street and place from the lists; house numbers and postcodes keep their shape, lines and commas their places."""
    parts = re.split(r"(\s*[,\n]\s*)", text)
    return "".join(
        part if i % 2 else _address_part(part, lists.streets if i == 0 else lists.cities, draws, lists)
        for i, part in enumerate(parts)
    )


def _address_part(part: str, names: tuple[str, ...], draws: Draws, lists: Lists) -> str:
    """Runs of words become one name; words with a digit, and one to three capitals (a state), keep their shape.

    Where words are not set apart (Chinese, Japanese), runs of letters within one are names too.
    """
    words = part.split()
    named = " ".join(word for word in words if not _is_number(word))
    written: list[str] = []
    for word in words:
        if _is_number(word):
            written.append("".join(_piece(piece, draws, lists) for piece in UNCASED.split(word)))
        elif named:
            written.append(same_case(draws.pick(names), named))
            named = ""
    return " ".join(written)


UNCASED = re.compile("([\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]{2,})")
AFTER_NUMBERS = frozenset(("bis", "ter", "quater"))


def _is_number(word: str) -> bool:
    return any(c.isdigit() for c in word) or bool(re.fullmatch(r"[A-Z]{1,3}\.?", word)) or word in AFTER_NUMBERS


def _piece(piece: str, draws: Draws, lists: Lists) -> str:
    if UNCASED.fullmatch(piece):
        return draws.pick(lists.cities)
    return piece if piece in AFTER_NUMBERS else code(piece, draws, lists)


def national_id(text: str, draws: Draws, lists: Lists) -> str:
    """Of the numbers that `national_ids` lists, one that nobody has if may be; others keep their shape."""
    return invented_id(text, draws, lists.locale[-2:]) or code(text, draws, lists)


def iban(text: str, draws: Draws, lists: Lists) -> str:
    """The country and the grouping stay; the bank code is X or 0, which no bank has; the check digits are right."""
    compact = re.sub(r"[\s-]", "", text)
    if not re.fullmatch(r"[A-Za-z]{2}\d{2}[A-Za-z0-9]{8,30}", compact):
        return code(text, draws, lists)
    bank = re.sub(r"\d", "0", re.sub("[A-Z]", "X", compact[4:8].upper()))
    account = "".join(draws.pick("0123456789") if c.isdigit() else draws.pick(UPPER) for c in compact[8:])
    body = bank + account
    number = int("".join(str(int(c, 36)) for c in body + compact[:2].upper() + "00"))
    return _regrouped(same_case(f"{compact[:2].upper()}{98 - number % 97:02}{body}", compact), text)


def _regrouped(characters: str, shape: str) -> str:
    left = iter(characters)
    return "".join(c if c.isspace() or c == "-" else next(left) for c in shape)


def card(text: str, draws: Draws, lists: Lists) -> str:  # noqa: ARG001
    """A test number of the same network and length where one is published, else of the same first digit, else any."""
    digits = re.sub(r"\D", "", text)
    same_brand = [c for c in TEST_CARDS if c[:1] == digits[:1] and len(c) == len(digits)]
    chosen = draws.pick(same_brand or [c for c in TEST_CARDS if c[:1] == digits[:1]] or TEST_CARDS)
    return poured(chosen, text) if len(chosen) == len(digits) else chosen


_ADDRESS = re.compile(r"(\s*\[?)([0-9A-Fa-f:.]+)(?:%\w+)?(\]?)(:\d+)?((?:/\d+)?\s*)")


def ip(text: str, draws: Draws, lists: Lists) -> str:
    """Version 4: 192.0.2.0/24, 198.51.100.0/24 or 203.0.113.0/24, drawn again 198.18.0.0/15; 6: 2001:db8::/32.

    Brackets and a prefix's length stay, a port keeps its number of digits; nothing of the address stays.
    """
    found = _ADDRESS.fullmatch(text)
    before, address, bracket, port, length = (part or "" for part in found.groups()) if found else [""] * 5
    if "." in address and address.count(":") == 1:  # of version 4, with a port
        address, _, digits = address.partition(":")
        port = f":{digits}"
    after = f"{bracket}{code(port, draws, lists)}{length}"
    try:
        version = ipaddress.ip_address(address).version
    except ValueError:
        return _documented(draws) if "." in text else code(text, draws, lists)
    if version == 6:
        return f"{before}{ipaddress.IPv6Address((0x20010DB8 << 96) | _bits(draws, 96))}{after}"
    return f"{before}{_documented(draws)}{after}"


def _documented(draws: Draws) -> str:
    documented = draws.pick(("192.0.2", "198.51.100", "203.0.113"))
    if draws.attempt:
        documented = f"198.{18 + draws.below(2)}.{draws.below(256)}"
    return f"{documented}.{draws.between(1, 254)}"


def _bits(draws: Draws, bits: int) -> int:
    return sum(draws.below(1 << 16) << shift for shift in range(0, bits, 16))


def url(text: str, draws: Draws, lists: Lists) -> str:
    """The scheme stays, the host is an example domain, all that follows keeps its shape only."""
    scheme, separator, rest = text.rpartition("://")
    host = re.match(r"[^/?#]*", rest)
    after = re.sub(r"%[0-9A-Fa-f]{2}", "x", rest[host.end() :]) if host else ""
    host_name = draws.pick(DOMAINS)
    label = draws.text(LOWER, 5) + "." if draws.attempt or rest.count(".") > 1 else ""
    return f"{scheme}{separator}{label}{host_name}{code(after, draws, lists)}"


KINDS: dict[str, Invention] = {
    "person_name": person_name,
    "first_name": first_name,
    "last_name": last_name,
    "company": company,
    "email": email,
    "phone": phone,
    "address": address,
    "postcode": postcode,
    "national_id": national_id,
    "iban": iban,
    "card": card,
    "user_name": user_name,
    "ip": ip,
    "url": url,
    "code": code,
}
