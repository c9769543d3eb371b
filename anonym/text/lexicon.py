"""What a word is, by a dictionary: a common word, or one that is only ever written with a capital.

The lists (SCOWL, `rules/recognisers/words/`) decide what a model's opinion is worth: a "person" called OMG is none, and
`philippines` is a place in lower case too. There is one for English; for other languages nothing is filtered or added.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from anonym.text.dates import MONTHS, WEEKDAYS
from anonym.text.spans import Span
from anonym.text.validators import given_names
from anonym.text.words import dictionary, words

_LONG = re.compile(r"(\w)\1\1|(\w\w)\2\2", re.I)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_CAPITALISED = re.compile(r"(?<![\w@#/.\-'’])[^\W\d_a-zß-öø-ÿ][^\W\d_]{2,}(?![\w@])")
_LOWER = re.compile(r"(?<![\w@#/.\-'’])[a-zß-öø-ÿ]{3,}(?![\w@/]|\.\w)")


_SURNAME = re.compile(r"[ ]([^\W\d_A-Z]{3,20})(?![\w@/]|\.\w)")
_CAPITAL = r"[^\W\d_a-zß-öø-ÿ][\w’]*"
_GOES_ON = re.compile(rf"(?:[ ]|[ ]?[\-'’&][ ]?)(?:(?:of|the|and|&|for)[ ]){{0,2}}({_CAPITAL})")
_GOES_ON_OR_COLON = re.compile(_GOES_ON.pattern.replace("’&", "’:&"))
_BEGINS = re.compile(rf"(?<!\w)({_CAPITAL})[ ](?:(?:of|the|and|&|for)[ ]){{0,2}}\Z")
_CAPITAL_WORD = re.compile(r"[^\W\d_a-zß-öø-ÿ][^\W\d_]*")
_NUMBERED = re.compile(
    r"[ ]\d{1,3}(?:[ ]?[a-zA-Z])?\b(?![./:%,]\d|%|[ ](?:years|days|hours|minutes|times|people|percent|am|pm)\b)"
)


@dataclass(frozen=True)
class Lexicon:
    """Folded words: `lower` are written in lower case, `proper` only with a capital."""

    lower: frozenset[str]
    proper: frozenset[str]

    def common(self, word: str) -> bool:
        """A word of the language, an abbreviation of the net, or a shout (`yessss`)."""
        plain = word.casefold().replace("’", "'")
        stem = plain.split("'")[0]
        return (
            stem in self.lower
            or stem in words("informal")
            or stem.endswith(_substances())
            or (stem.endswith("s") and stem[:-1] in self.lower)
            or _LONG.search(stem) is not None
        )

    def shouted(self, word: str) -> bool:
        """Words that no doubt of a model should turn into a name."""
        plain = word.casefold()
        listed = plain in words("function_words") or plain in words("informal")
        return listed or plain.endswith(_substances()) or _LONG.search(plain) is not None

    def credible(self, word: str, score: float) -> bool:
        """Whether a model's doubt about one word is worth acting on: more easily if no dictionary has the word."""
        if len(word) < 2 or not word[0].isalpha() or self.shouted(word):
            return False
        return not self.common(word) or (score >= LIKELY and word[0].isupper())

    def _written(self, word: str) -> bool:
        """Whether a word looks like a name by itself: it has a capital, or no dictionary has it."""
        return word[0].isupper() or not self.common(word)

    def addressed(self, text: str, span: Span) -> bool:
        """Whether a model's street or postcode can be one: words must be written as names or name a kind of street,
        digits alone must stand beside such a word (`room 310`, `port 52144` are none).
        """
        said = _WORD.findall(text, span.start, span.end)
        if said and any(c.isdigit() for c in text[span.start : span.end]):
            return True
        if not said:
            beside = _WORD_BEFORE.search(text, max(0, span.start - 30), span.start), _WORD_AFTER.match(text, span.end)
            said = [match.group(1) for match in beside if match]
        return any(self._written(word) or word.casefold() in words("streets") for word in said)

    def generic(self, text: str, span: Span) -> bool:
        """Whether a name is none: an institution by its kind alone (`the Fourth Section of the Court`), a law (`Housing
        Act`), a place in a document (`Rule 52`).
        """
        if span.entity not in NAMED and span.entity != "NRP":
            return False
        tokens = [token.casefold() for token in _WORD.findall(text, span.start, span.end)]
        said = [token for token in tokens if len(token) > 1 and token not in words("function_words")]
        if len(tokens) > 1 and tokens[-1] in words("laws") and span.entity != "PERSON":
            return all(self.common(token) for token in tokens)
        kinds = words("institutions") if len(said) == 1 else words("institutions") | words("laws")
        return bool(said) and all(token in kinds for token in said)

    def extended(self, text: str, span: Span) -> Span:
        """A name with the capitalised words it goes on with or begins with, and a model's number: `Galaxy Note 7`."""
        if span.entity not in NAMED or not text[span.start].isupper():
            return span
        start, end = span.start, span.end
        goes_on = _GOES_ON if span.entity == "PERSON" else _GOES_ON_OR_COLON
        while (match := goes_on.match(text, end)) and match.group(1) != "I" and match.group(1)[0].isupper():
            end = match.end()
        while match := _BEGINS.search(text, max(0, start - 40), start):
            opens = _opens_sentence(text, match.start(1))
            if (
                match.group(1) == "I"
                or not match.group(1)[0].isupper()
                or (opens and match.group(1).casefold() in words("function_words"))
            ):
                break
            start = match.start(1)
        number = _NUMBERED.match(text, end)
        return span.at(start, number.end() if number else end)

    def holds_name(self, text: str) -> bool:
        """Whether a cased model could find a name: a capitalised word that is neither a function word nor a common
        word opening a sentence. What this refuses, `plausible` would refuse of the model.
        """
        for match in _CAPITAL_WORD.finditer(text):
            word = match.group()
            if not word[0].isupper() or len(word) == 1 or word.casefold() in words("function_words"):
                continue
            if not self.common(word) or not _opens_sentence(text, match.start()) or word.casefold() in given_names():
                return True
        return False

    def names(self, text: str) -> Iterator[Span]:
        """Words that no dictionary has, capitalised; and proper names in lower case."""
        for match in _CAPITALISED.finditer(text):
            word = match.group()
            if _OF_CODE.fullmatch(word):
                continue
            if word[0].isupper() and not (word.isupper() and len(word) < 4) and not self.common(word):
                span = self.extended(text, Span(*match.span(), _kind(word), 0.5, "lexicon:unknown", False))
                if not self.generic(text, span):
                    yield span
        for match in _LOWER.finditer(text):
            if (
                match.group() in self.proper
                and match.group() not in _CALENDAR
                and (len(match.group()) > 3 or match.group() in given_names())
                and not self.common(match.group())
            ):
                end = match.end()
                if match.group() in given_names() and (last := _SURNAME.match(text, end)) and not self.common(last[1]):
                    end = last.end()
                yield Span(match.start(), end, _kind(match.group()), 0.5, "lexicon:lower", False)


_CALENDAR = frozenset((MONTHS["en"] + " " + WEEKDAYS["en"]).split())
"""Proper words that name nobody and no place."""


@cache
def _substances() -> tuple[str, ...]:
    """How names of drugs end (the stems of international nonproprietary names, WHO 2018)."""
    return tuple(sorted(words("substances")))


_WORD_BEFORE, _WORD_AFTER = re.compile(r"([^\W\d_]+)[ ,.#]{1,3}\Z"), re.compile(r"[ ,]{1,2}([^\W\d_]+)")


def _kind(word: str) -> str:
    return "PERSON" if word.casefold() in given_names() else "MISC"


@cache
def lexicon(language: str) -> Lexicon | None:
    """The lexicon of a language, read once, or None where there is none."""
    known = dictionary(language)
    return Lexicon(*known) if known else None


NAMED = frozenset({"PERSON", "LOCATION", "ORGANIZATION", "MISC"})
"""Entities that are names, whose words a dictionary can judge."""

SURE, CERTAIN, LIKELY, LOWER = 0.5, 0.5, 0.3, 0.95

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DATED = re.compile(
    rf"(?i)\b{_MONTH}\b|day\b(?<!\btoday)(?<!\bbirthday)(?<!/day)|\b(?:1[5-9]|20)\d\d\b|\d{{1,4}}[./\-]\d{{1,2}}[./\-]\d{{1,4}}|\d:\d\d|\d\s?[ap]\.?m\b"
    r"|\d(?:st|nd|rd|th)\b|christmas|easter|ramadan|thanksgiving|eid\b|yom kippur|\b\d0s\b"
)
_LARGE = re.compile(r"\d[\d.,\s]{3,}|(?i:thousand|million|billion)")
_VAGUE = re.compile(
    r"(?i)^(?:(?:the|this|that|every|each|another|one|all|a|any|per|next|last|some|same|whole|entire|other)\s)*"
    r"(?:days?|today|yesterday|tomorrow|daily)$"
)


def plausible(text: str, span: Span, lexicon: Lexicon | None) -> Span | None:
    """A model's finding, its ends tidied, or None where it says nothing of anybody."""
    if (cut := _REFERENCE.search(text, span.start, span.end)) and cut.start() > span.start:
        span = span.at(span.start, cut.start())
    found = text[span.start : span.end]
    if _KEY.match(text, span.end):
        return None
    if span.entity == "QUANTITY":
        return span if _LARGE.search(found) else None
    if span.entity == "DATE_TIME":
        return span if _DATED.search(found) and not _VAGUE.match(found) else None
    if not _shaped(span.entity, found) or (span.entity in _DIGITS and _EMBEDDED.search(text, 0, span.start)):
        return None
    if span.score < CERTAIN:
        return span if lexicon and lexicon.credible(found, span.score) else None
    if lexicon and span.entity in ("STREET_ADDRESS", "POSTCODE") and not lexicon.addressed(text, span):
        return None
    if span.entity not in NAMED and span.entity != "NRP":
        return span
    if _OF_CODE.fullmatch(found):
        return None
    if lexicon is None:
        return span if _written_as_name(text, span) else None
    if span.rule == "spacy" and not _capitalised(found):
        return None
    tidy = _tidied(text, span, lexicon)
    return tidy if tidy and _says_something(text, tidy, lexicon) else None


def _written_as_name(text: str, span: Span) -> bool:
    """Without a dictionary: has letters, and a capital or a caseless script where its text has such inside a sentence.

    A lower-case word in a text that writes names in capitals is a name only where the model is as good as certain.
    """
    found = text[span.start : span.end]
    if found.islower() and span.score < LOWER:
        return _CAPITAL_INSIDE.search(text) is None
    return any(c.isalpha() for c in found)


_CAPITAL_INSIDE = re.compile(r"[^\W\d_],?[ \u00a0][A-ZÀ-ÖØ-Þ]")

_REFERENCE = re.compile(r"\s*(?:§|\((?:Rule|Article|Section|see)\b)")  # a model's span runs into a citation


_KEY = re.compile(r"\w*=[^=\s]")
"""Behind the key of `key=value`."""

_OF_CODE = re.compile(
    r"(?:[A-Z][a-z0-9]*){1,6}(?:Error|Exception|Controller|Service|Handler|Manager|Factory|Client|Impl|Config|Request"
    r"|Response|Listener|Filter|Helper|Utils?|Repository|Worker|Thread|Task|Test|Dto)"
)
"""The name of a class in a program, which logs and stack traces are full of."""

_SHORT = frozenset({"US", "UK", "EU", "UN", "LA", "DC", "NY", "NYC", "HK", "UAE", "BA", "HP", "GM", "GE", "BP"})


def _capitalised(found: str) -> bool:
    """Has a capital, and is no abbreviation of two letters that could be anything."""
    return any(c.isupper() for c in found) and (len(found) > 2 or found in _SHORT)


_DIGITS = {"PHONE_NUMBER": 6, "TAX_ID": 5, "BANK_ACCOUNT": 5, "ROUTING_NUMBER": 6, "GOVERNMENT_ID": 5, "PASSPORT": 5}
_EMBEDDED = re.compile(r"[^\W\d_]\w*[-_/.]\Z")  # behind the letters of one longer token
_DIGITS |= {"DRIVER_LICENSE": 4, "POSTCODE": 3}


def _shaped(entity: str, found: str) -> bool:
    """Whether what a model calls a number or an address looks like one."""
    if entity == "URL":
        return re.search(r"\w\.\w|://", found) is not None
    if entity == "EMAIL_ADDRESS":
        return re.search(r"\S@\S+\.\w|\bat\b", found) is not None
    return sum(c.isdigit() for c in found) >= _DIGITS.get(entity, 0)


def _tidied(text: str, span: Span, lexicon: Lexicon) -> Span | None:
    """Without the lower-case words at its ends that are no part of a name: common ones, or where the model reads
    lower case well, those that never are.
    """
    stray = lexicon.shouted if span.rule == "rampart" else lexicon.common
    tokens = list(_WORD.finditer(text, span.start, span.end))
    first, last = 0, len(tokens)
    while first < last and tokens[first].group().islower() and stray(tokens[first].group()):
        first += 1
    while first < last and tokens[last - 1].group().islower() and stray(tokens[last - 1].group()):
        last -= 1
    if first == last:
        return None
    start = tokens[first].start() if first else span.start
    return span.at(start, tokens[last - 1].end() if last < len(tokens) else span.end)


def _says_something(text: str, span: Span, lexicon: Lexicon) -> bool:
    tokens = _WORD.findall(text, span.start, span.end)
    if not all(lexicon.common(token) for token in tokens):
        return True
    if any(token.casefold() in given_names() for token in tokens):
        return True
    if span.rule == "rampart" and span.score >= SURE:
        # Of single common words in lower case, 1 in 4 is a name (synthetic sentences, tweets).
        word = len(tokens) == 1 and tokens[0].islower() and span.score < LOWER
        return not word and len(tokens[0]) > 1 and not all(lexicon.shouted(token) for token in tokens)
    shouted = all(token.isupper() for token in tokens)
    first = _opens_sentence(text, span.start)
    return not shouted and not (first and len(tokens) == 1)


def _opens_sentence(text: str, start: int) -> bool:
    before = text[max(0, start - 4) : start].rstrip(" \"'“‘(*_-")
    return not before or before[-1] in ".!?:;\n•>|"
