"""Dates as people write them, moved by whole days and written again in the same form.

The days between two dates of one unit stay as they are, to the precision in which they are written: a month is moved
from its middle, a year from its own. Numeric dates that could be read both ways are read month first in English and
day first elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache, partial

MONTHS: dict[str, str] = {
    "en": "january february march april may june july august september october november december",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "de": "januar februar märz april mai juni juli august september oktober november dezember",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
}
WEEKDAYS: dict[str, str] = {
    "en": "monday tuesday wednesday thursday friday saturday sunday",
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "es": "lunes martes miércoles jueves viernes sábado domingo",
    "de": "montag dienstag mittwoch donnerstag freitag samstag sonntag",
    "it": "lunedì martedì mercoledì giovedì venerdì sabato domenica",
    "pt": "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
    "nl": "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
}
NO_YEAR = 2001  # a year without a leap day, for dates that name none
CENTURY = 50  # two-digit years from here on are of the last century


_CLOCK = re.compile(r"(?i)\d{1,2}(?:[:.h]\d\d){1,2}(?:[.,]\d+)?|\d{1,2}\s?[ap]\.?m\b|T?\d{4,6}Z|[+\-]\d\d:?\d\d")


def shifted(found: str, days: int, language: str) -> str | None:
    """`found` with every date in it moved by `days`, or None where a figure in it is no date that could be read.

    Times of day stay. A date in another language than the text's is read as well.
    """
    for name in dict.fromkeys((language, *MONTHS)):
        for form in _forms(name) if name in MONTHS else ():
            rest = form.pattern.sub("", found)
            if rest == found or any(c.isdigit() for c in _CLOCK.sub("", rest)):
                continue
            try:
                return form.pattern.sub(partial(form.written, days=days), found)
            except (ValueError, OverflowError):  # no such day, or one beyond the calendar
                return None
    return None


@dataclass(frozen=True)
class _Form:
    """One way of writing a date: `read` gives its day, `write` the text of another day in the same form."""

    pattern: re.Pattern[str]
    read: Callable[[re.Match[str]], date]
    write: Callable[[re.Match[str], date], str]
    weekdays: tuple[str, ...]

    def written(self, match: re.Match[str], days: int) -> str:
        new = self.read(match) + timedelta(days=days)
        text = self.write(match, new)
        if match["weekday"]:
            return like(match["weekday"], self.weekdays, new.weekday()) + match["comma"] + text
        return text


def like(word: str, names: Sequence[str], number: int) -> str:
    """One of `names` in the case and, if it is an abbreviation, the length of `word`."""
    name = names[number]
    if len(word) <= 4 and word.casefold() not in names:
        name = name[: len(word)]
    if word.isupper():
        return name.upper()
    return name.capitalize() if word[0].isupper() else name


def _digits(text: str, number: int) -> str:
    """`number` with a leading zero where `text` has one."""
    return str(number).zfill(len(text)) if text.startswith("0") or len(text) == 4 else str(number)


def _year(text: str) -> int:
    return int(text) if len(text) == 4 else int(text) + (1900 if int(text) >= CENTURY else 2000)


@cache
def _forms(language: str) -> tuple[_Form, ...]:
    """The forms of a language, the most telling first."""
    months, weekdays = tuple(MONTHS[language].split()), tuple(WEEKDAYS[language].split())
    numbers = {name[:n]: i for i, name in enumerate(months, 1) for n in (3, 4, len(name))}
    month = "(?P<month>" + "|".join(sorted(numbers, key=len, reverse=True)) + ")"
    lead = "(?:(?P<weekday>" + "|".join(f"{name}|{name[:3]}" for name in weekdays) + r")(?P<comma>\.?,?\s+))?"
    ordinal, of = r"(?P<ordinal>st|nd|rd|th|er|\.|º)?", r"(?:of\s+|del?\s+)?"

    def form(regex: str, read: Callable[[re.Match[str]], date], write: Callable[[re.Match[str], date], str]) -> _Form:
        pattern = re.compile(rf"(?i)(?<![\w.]){lead}{regex}(?!\w(?<!T))")
        return _Form(pattern, read, write, weekdays)

    def named(match: re.Match[str]) -> int:
        return numbers[match["month"].casefold()]

    def name(match: re.Match[str], new: date) -> str:
        return like(match["month"], months, new.month - 1)

    def day(match: re.Match[str], new: date) -> str:
        return _digits(match["day"], new.day) + _ordinal(match["ordinal"], new.day)

    def day_of(match: re.Match[str]) -> date:
        return date(int(match["year"]) if match["year"] else NO_YEAR, named(match), int(match["day"]))

    def tail(match: re.Match[str], new: date) -> str:
        return f"{match['then']}{new.year}" if match["year"] else ""

    def numeric(match: re.Match[str]) -> date:
        first, second = int(match["first"]), int(match["second"])
        day_first = first > 12 or (second <= 12 and language != "en")
        return date(_year(match["year"]), *((second, first) if day_first else (first, second)))

    def numerals(match: re.Match[str], new: date) -> str:
        day_first = int(match["first"]) > 12 or (int(match["second"]) <= 12 and language != "en")
        pair = (new.day, new.month) if day_first else (new.month, new.day)
        parts = [_digits(match[key], number) for key, number in zip(("first", "second"), pair, strict=True)]
        return match["mark"].join([*parts, str(new.year)[-len(match["year"]) :]])

    return (
        form(
            r"(?P<year>\d{4})(?P<mark>[-/.]?)(?P<second>\d{2})(?P=mark)(?P<day>\d{2})(?:(?=T)|(?!\w))",
            lambda match: date(int(match["year"]), int(match["second"]), int(match["day"])),
            lambda match, new: f"{new.year:04}{match['mark']}{new.month:02}{match['mark']}{new.day:02}",
        ),
        form(r"(?P<first>\d{1,2})(?P<mark>[-/.])(?P<second>\d{1,2})(?P=mark)(?P<year>\d{4}|\d{2})", numeric, numerals),
        form(
            rf"(?P<day>\d{{1,2}}){ordinal}(?P<mark>\s+{of}|-){month}\b(?:(?P<then>\.?,?\s+{of}|-)(?P<year>\d{{4}}))?",
            day_of,
            lambda match, new: day(match, new) + match["mark"] + name(match, new) + tail(match, new),
        ),
        form(
            rf"{month}(?P<mark>\.?\s+)(?P<day>\d{{1,2}}){ordinal}(?:(?P<then>,?\s+)(?P<year>\d{{4}}))?",
            day_of,
            lambda match, new: name(match, new) + match["mark"] + day(match, new) + tail(match, new),
        ),
        form(
            rf"{month}(?P<mark>\.?,?\s+{of})(?P<year>\d{{4}})",
            lambda match: date(int(match["year"]), named(match), 15),
            lambda match, new: f"{name(match, new)}{match['mark']}{new.year}",
        ),
        form(
            r"(?P<first>0?[1-9]|1[0-2])(?P<mark>[/.])(?P<year>\d{4})",
            lambda match: date(int(match["year"]), int(match["first"]), 15),
            lambda match, new: f"{_digits(match['first'], new.month)}{match['mark']}{new.year}",
        ),
        form(
            r"(?P<year>(?:1[5-9]|20)\d\d)(?!:)",
            lambda match: date(int(match["year"]), 7, 1),
            lambda _match, new: str(new.year),
        ),
    )


def _ordinal(written: str | None, day: int) -> str:
    if written is None or written.casefold() not in {"st", "nd", "rd", "th"}:
        return written or ""
    return "th" if 11 <= day <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
