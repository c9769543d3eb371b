"""Dates as people write them, moved by whole days and written again in the same form.

The days between two dates of one unit stay as they are, to the precision in which they are written: a month is moved
from its middle, a year from its own. Numeric dates that could be read both ways are read month first in English and
day first elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache, cached_property, partial

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
            except (KeyError, ValueError, OverflowError):  # no such month (`Aprıl`) or day, or one beyond the calendar
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


@dataclass(frozen=True)
class _Words:
    """The words of a language's dates, and how a match that holds them is read and written again."""

    language: str

    @cached_property
    def months(self) -> tuple[str, ...]:
        return tuple(MONTHS[self.language].split())

    @cached_property
    def weekdays(self) -> tuple[str, ...]:
        return tuple(WEEKDAYS[self.language].split())

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The months by name and abbreviation."""
        return {name[:n]: i for i, name in enumerate(self.months, 1) for n in (3, 4, len(name))}

    def form(
        self, regex: str, read: Callable[[re.Match[str]], date], write: Callable[[re.Match[str], date], str]
    ) -> _Form:
        weekday = "|".join(f"{name}|{name[:3]}" for name in self.weekdays)
        lead = rf"(?:(?P<weekday>{weekday})(?P<comma>\.?,?\s+))?"
        return _Form(re.compile(rf"(?i)(?<![\w.]){lead}{regex}(?!\w(?<!T))"), read, write, self.weekdays)

    def day(self, match: re.Match[str]) -> date:
        return date(int(match["year"]) if match["year"] else NO_YEAR, self._month(match), int(match["day"]))

    def middle(self, match: re.Match[str]) -> date:
        return date(int(match["year"]), self._month(match), 15)

    def _month(self, match: re.Match[str]) -> int:
        return self.numbers[match["month"].casefold()]

    def month_like(self, match: re.Match[str], new: date) -> str:
        return like(match["month"], self.months, new.month - 1)

    def numeric(self, match: re.Match[str]) -> date:
        pair = int(match["first"]), int(match["second"])
        return date(_year(match["year"]), *(reversed(pair) if self._day_first(match) else pair))

    def numerals(self, match: re.Match[str], new: date) -> str:
        pair = (new.day, new.month) if self._day_first(match) else (new.month, new.day)
        parts = [_digits(match[key], number) for key, number in zip(("first", "second"), pair, strict=True)]
        return match["mark"].join([*parts, str(new.year)[-len(match["year"]) :]])

    def _day_first(self, match: re.Match[str]) -> bool:
        return int(match["first"]) > 12 or (int(match["second"]) <= 12 and self.language != "en")


@cache
def _forms(language: str) -> tuple[_Form, ...]:
    """The forms of a language, the most telling first."""
    words = _Words(language)
    return (*_in_figures(words), *_in_words(words), *_without_day(words))


def _in_figures(words: _Words) -> Iterator[_Form]:
    yield words.form(
        r"(?P<year>\d{4})(?P<mark>[-/.]?)(?P<second>\d{2})(?P=mark)(?P<day>\d{2})(?:(?=T)|(?!\w))",
        lambda match: date(int(match["year"]), int(match["second"]), int(match["day"])),
        lambda match, new: f"{new.year:04}{match['mark']}{new.month:02}{match['mark']}{new.day:02}",
    )
    yield words.form(
        r"(?P<first>\d{1,2})(?P<mark>[-/.])(?P<second>\d{1,2})(?P=mark)(?P<year>\d{4}|\d{2})",
        words.numeric,
        words.numerals,
    )


def _in_words(words: _Words) -> Iterator[_Form]:
    month = "(?P<month>" + "|".join(sorted(words.numbers, key=len, reverse=True)) + ")"
    day, of = r"(?P<day>\d{1,2})(?P<ordinal>st|nd|rd|th|er|\.|º)?", r"(?:of\s+|del?\s+)?"
    yield words.form(
        rf"{day}(?P<mark>\s+{of}|-){month}\b(?:(?P<then>\.?,?\s+{of}|-)(?P<year>\d{{4}}))?",
        words.day,
        lambda match, new: _day(match, new) + match["mark"] + words.month_like(match, new) + _tail(match, new),
    )
    yield words.form(
        rf"{month}(?P<mark>\.?\s+){day}(?:(?P<then>,?\s+)(?P<year>\d{{4}}))?",
        words.day,
        lambda match, new: words.month_like(match, new) + match["mark"] + _day(match, new) + _tail(match, new),
    )
    yield words.form(
        rf"{month}(?P<mark>\.?,?\s+{of})(?P<year>\d{{4}})",
        words.middle,
        lambda match, new: f"{words.month_like(match, new)}{match['mark']}{new.year}",
    )


def _without_day(words: _Words) -> Iterator[_Form]:
    yield words.form(
        r"(?P<first>0?[1-9]|1[0-2])(?P<mark>[/.])(?P<year>\d{4})",
        lambda match: date(int(match["year"]), int(match["first"]), 15),
        lambda match, new: f"{_digits(match['first'], new.month)}{match['mark']}{new.year}",
    )
    yield words.form(
        r"(?P<year>(?:1[5-9]|20)\d\d)(?!:)",
        lambda match: date(int(match["year"]), 7, 1),
        lambda _match, new: str(new.year),
    )


def _day(match: re.Match[str], new: date) -> str:
    return _digits(match["day"], new.day) + _ordinal(match["ordinal"], new.day)


def _tail(match: re.Match[str], new: date) -> str:
    return f"{match['then']}{new.year}" if match["year"] else ""


def _ordinal(written: str | None, day: int) -> str:
    if written is None or written.casefold() not in {"st", "nd", "rd", "th"}:
        return written or ""
    return "th" if 11 <= day <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
