"""Values known beforehand, found again in a text: the row's own identifiers, and names a detector found once.

Everything is compared folded: one character for one character, without case, accents, zero-width characters. A part
of a name counts where it is a word, or where what surrounds it is how log-ins are built (initials, digits, the other
parts): `obrenthwick`, `odalys_b99`. It does not count inside another word, so that Li never eats `limit`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from anonym.text.dates import MONTHS
from anonym.text.spans import Span
from anonym.text.validators import given_names
from anonym.text.views import unmarked
from anonym.text.words import dictionary, words

_THING = re.compile(
    r"(?i)(?:product|plan|company|file|host|event|school|team|brand|item|package|service|course|campaign|domain|model"
    r"|project|app|program|device|org\w*|employer|group|list|queue|topic|category|department|job|role|status|type)"
    r"(?:[_\s]?name)?$"
)
"""Columns whose values name a thing: looked for whole, never word by word."""

KINDS = (
    ("EMAIL_ADDRESS", r"e?-?mail"),
    ("PHONE_NUMBER", r"phone|mobile|tel(?:$|_)|fax|cell"),
    ("USERNAME", r"user|login|handle|account_?name|nick"),
    ("PERSON", r"name|first|last|surname|forename|given|family|author|patient|customer$|person"),
    ("POSTCODE", r"zip|post"),
    ("STREET_ADDRESS", r"street|address"),
    ("LOCATION", r"city|town|country|state|county|region|place|location"),
    ("DATE_TIME", r"birth|dob|date|joined|_at$|_on$"),
    ("AGE", r"(?:^|_)age(?:$|_)"),
)
"""The entity of a known value, by its column's name."""


_UNSTROKED = str.maketrans("øłđðħŧıß’‘ʼ", "olddhtis'''")
"""Letters that no decomposition parts from their strokes, and apostrophes as they are printed: O’Neil is O'Neil."""


class _Fold(dict[int, int]):
    """One character's folded form, one character long."""

    def __missing__(self, code: int) -> int:
        plain = unicodedata.normalize("NFKD", chr(code).lower().translate(_UNSTROKED))[:1].casefold()[:1] or chr(code)
        self[code] = ord(plain)
        return self[code]


_FOLD = _Fold()


def fold(text: str) -> str:
    """`text` without case and accents, character by character, so that offsets stay."""
    return text.lower() if text.isascii() else text.translate(_FOLD)


@dataclass(frozen=True, slots=True)
class Known:
    """What to look for in one text. `parts` are folded names or their parts, `wholes` folded values matched whole,
    `numbers` digit strings whose separators may differ, `alone` those parts that are a whole value.
    """

    parts: Mapping[str, tuple[str, str]]
    wholes: Mapping[str, tuple[str, str]]
    numbers: Mapping[str, tuple[str, str]]
    alone: frozenset[str] = frozenset()


@cache
def kind_of(column: str) -> str:
    """The entity that values of a column called `column` are."""
    if _THING.search(column):
        return "IDENTIFIER"
    for entity, hint in KINDS:
        if re.search(hint, column.casefold()):
            return entity
    return "IDENTIFIER"


def known(values: Mapping[str, str | None]) -> Known:
    """The spellings of one row's own values, by column."""
    parts: dict[str, tuple[str, str]] = {}
    wholes: dict[str, tuple[str, str]] = {}
    numbers: dict[str, tuple[str, str]] = {}
    alone: set[str] = set()
    for column, plain in ((column, each) for column, value in values.items() for each in spellings(value or "")):
        entity, rule = kind_of(column), f"known:{column}"
        if entity in {"PERSON", "IDENTIFIER"} and "@" in plain:
            entity = "EMAIL_ADDRESS"
        if entity == "IDENTIFIER" and not _THING.search(column) and _WORDS.fullmatch(plain) and _personal(plain):
            entity = "PERSON"
        digits = re.sub(r"\D", "", plain)
        if len(digits) >= 2 and not re.search(r"[^\W\d_]", plain):
            numbers[digits] = (entity, rule)
            if len(digits) <= 3 and entity != "PHONE_NUMBER":
                wholes[spelled(int(digits))] = (entity, rule)
            if len(digits) >= 10:
                numbers.setdefault(digits[-9:], (entity, rule))
            if len(unpadded := digits.lstrip("0")) >= 4:
                numbers.setdefault(unpadded, (entity, rule))
            for spelling in dates(plain):
                wholes[spelling] = ("DATE_TIME", rule)
        elif entity != "PERSON" or " " in plain:
            wholes[re.sub(r"\s+", " ", plain)] = (entity, rule)
        if entity == "PERSON":
            found = dict.fromkeys(name_parts(plain), (entity, rule))
            parts |= found
            if plain in found:
                alone.add(plain)
            elif " " not in plain:  # a particle, or initials: looked for as it stands
                wholes[plain] = (entity, rule)
        if entity == "EMAIL_ADDRESS":
            local = plain.partition("@")[0]
            parts |= {part: ("USERNAME", rule) for part in (local, *re.split(r"[._\-+\d]+", local)) if len(part) >= 4}
    return Known(parts, wholes, numbers, frozenset(alone))


def spellings(value: str) -> Iterator[str]:
    """A value folded, first as it stands, then with its umlauts and ß spelt out, then with such pairs drawn together:
    Müller is Mueller, Weiss is Weiß. Numbers with nulls among them are often read as floats: 48213.0 is 48213.
    """
    plain = fold(unmarked(value).text).strip()
    if whole := re.fullmatch(r"(\d+)\.0", plain):
        plain = whole[1]
    spelt_out = plain if value.isascii() else fold(unmarked(value.lower().translate(_SPELT_OUT)).text).strip()
    drawn = _PAIR.sub(lambda pair: pair[0][0], plain)
    yield from filter(None, dict.fromkeys((plain, spelt_out, drawn if len(drawn) >= 4 else plain)))


_SPELT_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "å": "aa", "ø": "oe", "æ": "ae", "œ": "oe"})
_PAIR = re.compile("(?<![aeiou])[aou]e(?![aeiou])|ss")

_WORDS = re.compile(r"[^\W\d_]{2,}(?:['’\-][^\W\d_]+)*(?: [^\W\d_]{2,}(?:['’\-][^\W\d_]+)*){1,3}")
"""Two to four words without digits: a name, whatever its column is called."""


def _personal(plain: str) -> bool:
    """Whether folded words look like a person's name: a given name among them, or a word that no dictionary has."""
    known = dictionary("en")
    return any(part in given_names() or (known is not None and part not in known[0]) for part in name_parts(plain))


def name_parts(name: str) -> Iterator[str]:
    """The parts of a folded personal name that are worth looking for alone: of `anne-marie` and `o'neill` also the
    halves and what is left without the mark.
    """
    for part in re.findall(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*", name):
        halves = re.split(r"['’\-]", part)
        written = [part, "".join(halves), *(half for half in halves if len(half) >= 3)]
        yield from (each for each in dict.fromkeys(written) if len(each) >= 2 and each not in words("particles"))


_UNITS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["_", "_", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def spelled(number: int) -> str:
    """A number below 1,000 in English words."""
    if number < 20:
        return _UNITS[number]
    if number < 100:
        return _TENS[number // 10] + (f"-{_UNITS[number % 10]}" if number % 10 else "")
    rest = f" and {spelled(number % 100)}" if number % 100 else ""
    return f"{_UNITS[number // 100]} hundred{rest}"


def dates(plain: str) -> Iterator[str]:
    """The usual spellings of an ISO date, folded."""
    match = re.match(r"(\d{4})-(\d{2})-(\d{2})(?:$|[t ])", plain)
    if match is None or not 1 <= int(match[2]) <= 12:
        return
    year, month, day = match[1], int(match[2]), int(match[3])
    whole = MONTHS["en"].split()[month - 1]
    for name in {whole, whole[:3]}:
        yield from (f"{day} {name} {year}", f"{name} {day}, {year}", f"{name} {day} {year}", f"{day:02} {name} {year}")
        yield from (f"{day}-{name}-{year}", f"{day:02}-{name}-{year}", f"{name} {day}", f"{day} {name}")
    for mark in "/.-":
        for first, second in ((day, month), (month, day)):
            yield from (f"{first}{mark}{second}{mark}{year}", f"{first:02}{mark}{second:02}{mark}{year}")
            yield f"{first:02}{mark}{second:02}{mark}{year[2:]}"
        yield f"{year}{mark}{month:02}{mark}{day:02}"
    yield f"{year}{month:02}{day:02}"


def occurrences(text: str, wanted: Known) -> Iterator[Span]:
    """Every place in `text` where a known value stands."""
    folded = fold(text)
    for part, (entity, rule) in wanted.parts.items():
        for start, end in _parts(text, folded, part, wanted.parts, always=part in wanted.alone and len(part) > 3):
            yield Span(start, end, entity, 0.95, rule)
    for whole, (entity, rule) in wanted.wholes.items():
        for start, end in _wholes(folded, whole):
            yield Span(start, end, entity, 0.97, rule)
    for digits, (entity, rule) in wanted.numbers.items():
        if digits[:2] in folded:
            for match in _number(digits).finditer(folded):
                yield Span(*match.span(), entity, 0.97, rule)


def _number(digits: str) -> re.Pattern[str]:
    """Digits in groups of any kind, zeros before them or not; of three or fewer as they stand: 37 is not in 3.7."""
    zeros, between = ("0*", r"[\s().,\-/]{0,3}") if len(digits) > 3 else ("", "")
    return re.compile(rf"(?<!\d)(?<!\d[.,])\+?{zeros}" + between.join(digits) + r"(?!\d|[.,]\d)")


def _parts(
    text: str, folded: str, part: str, others: Mapping[str, object], *, always: bool = False
) -> Iterator[tuple[int, int]]:
    """Where a part of a name stands; `always`, also where it is written like the common word that it is as well."""
    seen = 0
    while (start := folded.find(part, seen)) >= 0:
        end = seen = start + len(part)
        left, right = _word(folded, start, end)
        before, after = folded[left:start], folded[end:right]
        if (not before and not after) or part[0] >= _NO_BLANKS:
            if always or _named(text[start:end], part):
                yield start, end
        elif len(part) >= 4 and _login(before, after, part, others):
            yield left, right
        elif len(part) >= 4 and _between_lines(before, after) and (always or _named(text[start:end], part)):
            yield start, end


_NO_BLANKS = "\u2e80"
"""The first character of the scripts that are written without blanks between words."""


def _named(found: str, part: str) -> bool:
    """A name of two letters, or one that is a word as well, must be written as a name."""
    known = dictionary("en")
    word = part in words("also_words") or (known is not None and part in known[0])
    return not found.islower() or (len(part) > 2 and not word)


def _word(folded: str, start: int, end: int) -> tuple[int, int]:
    while start > 0 and (folded[start - 1].isalnum() or folded[start - 1] == "_"):
        start -= 1
    while end < len(folded) and (folded[end].isalnum() or folded[end] == "_"):
        end += 1
    return start, end


def _between_lines(before: str, after: str) -> bool:
    """Whether underscores part a word from what it is written together with, as in the names of files."""
    return (not before or before[-1] == "_") and (not after or after[0] == "_")


def _login(before: str, after: str, part: str, others: Mapping[str, object]) -> bool:
    initials = {other[0] for other in others}
    stems = {other for other in others if len(other) >= 3}

    def built(rest: str, *, unknown: int) -> bool:
        plain = rest.strip("_0123456789")
        return not plain or plain in stems or (len(plain) <= 2 and set(plain) <= initials) or len(plain) <= unknown

    lone = 1 if len(part) >= 6 and part not in words("also_words") else 0
    return built(before, unknown=lone) and (built(after, unknown=0) or (after == "s" and len(part) >= 5))


LONGEST_CODE = 40
"""Characters up to which a value with digits is looked for in groups of any kind."""


def _wholes(folded: str, whole: str) -> Iterator[tuple[int, int]]:
    """A value of one or more words, also with other blanks or hyphens between them; of a code, also with none, or with
    some between its letters and its digits.
    """
    code = any(c.isdigit() for c in whole) and "@" not in whole and len(whole) <= LONGEST_CODE
    found = re.findall(r"[^\W\d_]+|\d+", whole) if code else re.split(r"[ \-]", whole)
    if len(found) == 0 or found[0] not in folded:
        return
    pattern = (r"[\s\-_./,]{0,3}" if code else r"[\s\-_]{1,3}").join(map(re.escape, found))
    left, right = ("" if end >= _NO_BLANKS else edge for end, edge in ((whole[0], r"(?<!\w)"), (whole[-1], r"(?!\w)")))
    for match in re.finditer(left + pattern + right, folded):
        yield match.span()


def _exactly(folded: str, whole: str) -> Iterator[tuple[int, int]]:
    seen = 0
    while (start := folded.find(whole, seen)) >= 0:
        end = seen = start + len(whole)
        if _word(folded, start, end) == (start, end):
            yield start, end


_NICKNAME = re.compile(r"\s{1,2}[\"“‘'(][^\"”’')\n]{1,24}[\"”’')]\s{1,2}|\s")


def with_gaps(text: str, spans: Sequence[Span]) -> Iterator[Span]:
    """Known names side by side as one, with the nickname between them."""
    last: Span | None = None
    for span in sorted(spans, key=lambda s: (s.start, -s.end)):
        if last and last.entity == span.entity == "PERSON" and _NICKNAME.fullmatch(text, last.end, span.start):
            last = last.at(last.start, span.end)
            continue
        if last:
            yield last
        last = span
    if last:
        yield last


_ALIAS = re.compile(
    r"[ ]?\((?:hereafter[ ,:]*|“|\"|'|‘)+"
    r"(?P<alias>[^\W\d_a-z][\w&.\-]{1,20}(?:[ ][^\W\d_a-z][\w.\-]{1,20}){0,2})[”\"'’]"
)


def aliases(text: str, found: Iterable[Span]) -> Iterator[Span]:
    """A name's defined short form: `Employment Appeal Tribunal (“EAT”)`."""
    for span in found:
        if span.entity in {"PERSON", "ORGANIZATION", "LOCATION"} and (match := _ALIAS.match(text, span.end)):
            yield Span(*match.span("alias"), span.entity, span.score, span.rule, False)


def repeated(text: str, found: Iterable[Span], common: Callable[[str], bool]) -> Iterator[Span]:
    """A personal name that was found once, wherever else it stands: whole or in parts, in every case, possessive.

    Parts that are `common` words count only where they are written as names, inside a sentence.
    """
    parts: dict[str, tuple[str, str]] = {}
    wholes: dict[str, tuple[str, str]] = {}
    for span in found:
        if span.score < 0.5:
            continue
        plain = fold(text[span.start : span.end])
        if span.entity == "PERSON":
            names = [part for part in name_parts(plain) if len(part) >= 3 and part not in _unnamed()]
            parts |= dict.fromkeys(names, (span.entity, f"{span.rule}:again"))
        elif span.entity in {"ORGANIZATION", "LOCATION"} and len(plain) >= 3:
            wholes[plain] = (span.entity, f"{span.rule}:again")
    if not parts and not wholes:
        return
    folded = fold(text)
    for part, (entity, rule) in parts.items():
        for start, end in _parts(text, folded, part, {}):
            if not common(part) or _named_inside(text, start):
                yield Span(start, end, entity, 0.8, rule, False)
    for whole, (entity, rule) in wholes.items():
        for start, end in _exactly(folded, whole):
            if text[start].isupper() and (len(whole) > 3 or text[start:end].isupper()):
                yield Span(start, end, entity, 0.7, rule, False)


@cache
def _unnamed() -> frozenset[str]:
    """Words that a model's personal name may hold and that name nobody elsewhere."""
    return words("institutions") | words("laws")


def _named_inside(text: str, start: int) -> bool:
    before = text[max(0, start - 3) : start].rstrip(' "“(')
    return text[start].isupper() and bool(before) and before[-1] not in ".!?:;\n"
