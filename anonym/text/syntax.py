"""What an expression says of its matches, read off its syntax tree as Python's parser has it: how they begin, which
literals they hold and where.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from itertools import accumulate
from math import prod
from operator import or_
from typing import Any

from anonym.text.characters import ANYTHING, BLANK_MARK, CHARACTERS, DIGIT_MARK, EDGE, LINE_MARK, PLANES, matched, plain

try:
    from re import _parser as re_parser  # type: ignore[attr-defined]
except ImportError:  # it is private: where Python has moved it, no expression says anything, and all is tried
    re_parser = None

LEADS = 8
"""Characters of a match's beginning that are told apart: as many as a byte has bits."""

WAYS = 12
"""Ways of one expression at most that are told apart."""

MOST, PRODUCTS, LETTERS, LONGEST = 1_000, 300, 20, 8
"""Literals of one way at most; those made of spelled parts side by side; letters of a set, and repetitions, that are
spelled.
"""

COMMON, FAR = 0.03, 40
"""Literals met at more characters than this share are not looked for. Of two sets the rarer is, by how far ahead it may
lie, as far as this: few words are longer."""

DEEP = 7
"""Characters of a literal that are looked for: with all of them the automaton is four times as large, and slower than a
cache."""

NOTHING = frozenset({""})
_CATEGORIES = {"CATEGORY_DIGIT": frozenset(DIGIT_MARK), "CATEGORY_SPACE": frozenset(BLANK_MARK + LINE_MARK)}

_LETTERS = (
    "etaoinshrdlucmwfgypbvkjxqz",
    (
        *(100, 70, 65, 60, 55, 55, 50, 50, 45, 30, 30, 22, 22),
        *(20, 18, 18, 16, 16, 15, 12, 8, 6, 1, 1, 0.7, 0.6),
    ),
)
_SHARES = {
    "0": 30,
    " ": 180,
    "\n": 10,
    ".": 12,
    ",": 12,
    "-": 6,
    "'": 5,
    '"': 3,
    "(": 2,
    ")": 2,
    ":": 2,
    "/": 2,
} | dict(zip(*_LETTERS, strict=True))
_RARE = 0.2
"""How many in a thousand characters of English prose each is, about."""


@dataclass(frozen=True, slots=True)
class Held:
    """One of `literals`, of at most `longest` characters, ends `nearest` to `farthest` characters behind the beginning
    of a match, and what lies between is of the classes `inside`.
    """

    literals: frozenset[str]
    nearest: int
    farthest: int
    inside: int
    longest: int


@dataclass(frozen=True, slots=True)
class Opening:
    """What holds where a match of one way of an expression begins. Sets of classes of characters: of the character
    `before`, and of its own first ones, `leads`; `held`: a literal ahead.
    """

    before: int
    leads: tuple[int, ...]
    held: Held | None


ANYWHERE = (Opening(ANYTHING, (CHARACTERS, *[ANYTHING] * (LEADS - 1)), None),)


@cache
def openings(regex: re.Pattern[str]) -> tuple[Opening, ...]:
    """Of which one holds wherever a match of `regex` with a character or more begins."""
    if re_parser is None:
        return ANYWHERE
    flags = int(regex.flags & ~re.UNICODE)
    parsed = re_parser.parse(regex.pattern, flags)
    ways = list(_ways(parsed, flags))
    if len(ways) > WAYS:
        ways = [_Way(tuple(parsed), flags)]
    return tuple(_opening(way.items, way.flags, parsed.state) for way in ways)


@dataclass(frozen=True, slots=True)
class _Way:
    """A sequence of parts of the syntax tree, under flags."""

    items: tuple[Any, ...]
    flags: int


def _ways(parsed: Sequence[Any], flags: int) -> Iterator[_Way]:
    """An expression as alternatives, where it begins with alternatives, in a group or not, or with a look behind."""
    items = tuple(parsed)
    lead = next((place for place, (operator, _) in enumerate(items) if not _no_width(str(operator))), len(items))
    first: tuple[Any, Any] = items[lead] if lead < len(items) else ("", None)
    operator, argument = str(first[0]), first[1]
    before, after = items[:lead], items[lead + 1 :]
    if operator == "BRANCH":
        for part in argument[1]:
            yield from _ways((*before, *part, *after), flags)
    elif operator == "SUBPATTERN" and (_flags(argument, flags) == flags or not after):
        yield from _ways((*before, *argument[-1], *after), _flags(argument, flags))
    else:
        yield _Way(items, flags)


def _flags(group: Any, flags: int) -> int:
    _, added, removed, _ = group
    return int((flags | added) & ~removed)


def _no_width(operator: str) -> bool:
    return operator in ("AT", "ASSERT", "ASSERT_NOT")


def _opening(items: Sequence[Any], flags: int, state: Any) -> Opening:
    leads = _Walk().leads(items, flags)
    held = min(_telling(_held(items, flags, _Place(0, 0, 0), state)), key=_cost, default=None)
    return Opening(_before(items, flags, leads[0]), leads, held)


def _before(items: Sequence[Any], flags: int, first: int) -> int:
    """The classes that the character before a match may be of, by the look behind that the expression begins with."""
    classes = ANYTHING
    for operator, argument in items:
        match str(operator):
            case "ASSERT_NOT" if argument[0] < 0 and len(argument[1]) == 1:
                classes &= _not_matched(argument[1][0], flags) | 1 << EDGE
            case "ASSERT" if argument[0] < 0 and len(argument[1]) > 0:
                classes &= _surely_before(argument[1][-1], flags)
            case "AT":
                classes &= _around(str(argument), flags, first)
            case other if not _no_width(other):
                break
    return classes


def _not_matched(item: Any, flags: int) -> int:
    operator, argument = str(item[0]), item[1]
    if operator == "LITERAL":
        return matched("NOT_LITERAL", argument, flags)
    if operator == "IN" and str(argument[0][0]) != "NEGATE":
        return matched("IN", [("NEGATE", None), *argument], flags)
    return matched("IN", argument[1:], flags) if operator == "IN" else CHARACTERS


def _surely_before(item: Any, flags: int) -> int:
    operator, argument = str(item[0]), item[1]
    return matched(operator, argument, flags) if operator in ("LITERAL", "NOT_LITERAL", "IN", "ANY") else ANYTHING


def _around(place: str, flags: int, first: int) -> int:
    """What a word boundary or a beginning says of the character before it, given the classes of the one behind."""
    word, rest = (matched("IN", [("CATEGORY", name)], flags) for name in ("CATEGORY_WORD", "CATEGORY_NOT_WORD"))
    if place == "AT_BOUNDARY" and not first & rest:
        return rest | 1 << EDGE
    if place == "AT_BOUNDARY" and not first & word:
        return word
    return 1 << EDGE | 1 << ord("\n") if place in ("AT_BEGINNING", "AT_BEGINNING_STRING") else ANYTHING


class _Walk:
    """Along an expression, the classes of characters that may stand at each of the first places of a match. Where a
    part may begin is a set of places, one bit each; beyond the last, all are one.
    """

    def __init__(self) -> None:
        self._classes = [0] * LEADS
        self._last = 1 << LEADS

    def leads(self, items: Sequence[Any], flags: int) -> tuple[int, ...]:
        """The classes for each place; behind an end of a match, anything."""
        ends = self._through(items, flags, 1)
        for place in range(LEADS):
            if ends & ((1 << place + 1) - 1):
                self._classes[place] |= ANYTHING
        return tuple(self._classes)

    def _through(self, items: Sequence[Any], flags: int, places: int) -> int:
        for operator, argument in items:
            if not places & (self._last - 1):
                return places
            places = self._over(str(operator), argument, flags, places)
        return places

    def _over(self, operator: str, argument: Any, flags: int, places: int) -> int:
        match operator:
            case "AT" | "ASSERT" | "ASSERT_NOT":
                return places
            case "BRANCH":
                ends = 0
                for part in argument[1]:
                    ends |= self._through(part, flags, places)
                return ends
            case "SUBPATTERN":
                return self._through(argument[-1], _flags(argument, flags), places)
            case "MAX_REPEAT" | "MIN_REPEAT":
                return self._repeated(argument, flags, places)
            case "LITERAL" | "NOT_LITERAL" | "ANY" | "IN":
                self._allow(matched(operator, argument, flags), places)
                return places << 1 | (places & self._last)
        return self._unknown(places)

    def _repeated(self, argument: Any, flags: int, places: int) -> int:
        least, most, body = argument
        ends = 0 if least else places
        for time in range(1, min(int(most), int(least) + LEADS + 1) + 1):
            places = self._through(body, flags, places)
            ends |= places if time >= least else 0
        return ends

    def _unknown(self, places: int) -> int:
        """References and atomic groups match anything, of any length."""
        everywhere = (self._last << 1) - (places & -places)
        self._allow(CHARACTERS, everywhere)
        return everywhere

    def _allow(self, classes: int, places: int) -> None:
        for place in range(LEADS):
            if places >> place & 1:
                self._classes[place] |= classes


def _widths(items: Sequence[Any], state: Any) -> tuple[int, int]:
    least, most = re_parser.SubPattern(state, list(items)).getwidth()
    return int(least), int(most)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a part may begin: characters from the beginning of a match, and the classes of those between."""

    nearest: int
    farthest: int
    inside: int

    def behind(self, narrow: int, wide: int, classes: int) -> _Place:
        """Behind a part of this width and these classes."""
        return _Place(max(0, self.nearest + narrow), self.farthest + wide, self.inside | classes)

    def held(self, literals: frozenset[str]) -> Held:
        """Literals that begin here, as far as they are looked for."""
        cut = _least(frozenset(literal[:DEEP] for literal in literals))
        lengths = [len(literal) for literal in cut]
        return Held(cut, self.nearest + min(lengths), self.farthest + max(lengths), self.inside, max(lengths))


@dataclass(frozen=True, slots=True)
class _Run:
    """Literals spelled so far, and where they begin."""

    literals: frozenset[str]
    place: _Place


def _held(items: Sequence[Any], flags: int, place: _Place, state: Any, run: _Run | None = None) -> Iterator[Held]:
    """Sets of literals of which every match holds one, by a sequence of parts that begins at `place`, behind a run."""
    run = run or _Run(NOTHING, place)
    for item in items:
        operator, argument = str(item[0]), item[1]
        spelled = _spelled_by(operator, argument)
        behind = place.behind(*_widths([item], state), _classes([item], flags))
        if spelled is not None and _few(run.literals, spelled):
            run = _Run(_joined(run.literals, spelled), run.place)
        elif spelled is not None:
            yield run.place.held(_extended(run.literals, _least(spelled)))
            run = _Run(spelled, place)
        else:
            yield run.place.held(_extended(run.literals, _head(operator, argument)))
            yield from _held_in(operator, argument, flags, place, state, run)
            tail = _least_ends(_tail([item]))
            run = _Run(tail, behind.behind(-max(map(len, tail)), -min(map(len, tail)), 0))
        place = behind
    yield run.place.held(run.literals)


def _held_in(operator: str, argument: Any, flags: int, place: _Place, state: Any, run: _Run) -> Iterator[Held]:
    match operator:
        case "BRANCH":
            ways = (_telling(_held(part, flags, place, state, run)) for part in argument[1])
            best = [min(way, key=_cost, default=None) for way in ways]
            known = [part for part in best if part]
            if len(known) == len(best) and sum(len(part.literals) for part in known) <= MOST:
                yield _either(known)
        case "SUBPATTERN":
            yield from _held(argument[-1], _flags(argument, flags), place, state, run)
        case "MAX_REPEAT" | "MIN_REPEAT" if argument[0] > 0:
            yield from _held(argument[2], flags, place, state, run)


def _either(parts: Sequence[Held]) -> Held:
    return Held(
        frozenset().union(*(part.literals for part in parts)),
        min(part.nearest for part in parts),
        max(part.farthest for part in parts),
        reduce(or_, (part.inside for part in parts)),
        max(part.longest for part in parts),
    )


def _telling(sets: Iterable[Held]) -> Iterator[Held]:
    """Those that few places of a text meet."""
    return (held for held in sets if "" not in held.literals and _frequency(held.literals) < COMMON)


def _cost(held: Held) -> float:
    """About how many places of a text meet it."""
    return _frequency(held.literals) * min(held.farthest - held.nearest + 1, FAR)


@cache
def _frequency(literals: frozenset[str]) -> float:
    """About how often one of the literals ends at a character of English prose."""
    return sum(prod(_SHARES.get(letter, _RARE) / 1_000 for letter in literal) for literal in literals)


def _classes(items: Sequence[Any], flags: int) -> int:
    """The classes of all characters that a part may match."""
    classes = 0
    for operator, argument in items:
        match str(operator):
            case "AT" | "ASSERT" | "ASSERT_NOT":
                continue
            case "BRANCH":
                classes |= reduce(or_, (_classes(part, flags) for part in argument[1]))
            case "SUBPATTERN":
                classes |= _classes(argument[-1], _flags(argument, flags))
            case "MAX_REPEAT" | "MIN_REPEAT":
                classes |= _classes(argument[2], flags)
            case other:
                classes |= matched(other, argument, flags)
    return classes


def _head(operator: str, argument: Any) -> frozenset[str]:
    """How a repetition begins, as far as it is spelled."""
    once = _spelled(argument[2]) if operator in ("MAX_REPEAT", "MIN_REPEAT") else None
    head = NOTHING
    for _ in range(min(LONGEST, int(argument[0])) if once else 0):
        head = _extended(head, once or NOTHING)
    return head


def _tail(items: Sequence[Any]) -> frozenset[str]:
    """How every match of some parts ends, as far as it is spelled."""
    tail = NOTHING
    for operator, argument in reversed(items):
        spelled = _spelled_by(str(operator), argument)
        if spelled is None:
            ends = _tail_of(str(operator), argument)
            return _joined(ends, tail) if _few(ends, tail) else tail
        if not _few(spelled, tail):
            return tail
        tail = _joined(spelled, tail)
    return tail


def _tail_of(operator: str, argument: Any) -> frozenset[str]:
    match operator:
        case "BRANCH":
            return _union([_tail(part) for part in argument[1]], PRODUCTS) or NOTHING
        case "SUBPATTERN":
            return _tail(argument[-1])
        case "MAX_REPEAT" | "MIN_REPEAT" if argument[0] > 0:
            return _tail(argument[2])
    return NOTHING


def _few(heads: frozenset[str], tails: frozenset[str]) -> bool:
    """Whether heads before tails are few, or no more than there are already."""
    return len(heads) * len(tails) <= max(PRODUCTS, len(heads), len(tails))


def _joined(heads: frozenset[str], tails: frozenset[str]) -> frozenset[str]:
    """Each head before each tail."""
    return frozenset(head + tail for head in heads for tail in tails)


def _extended(heads: frozenset[str], tails: frozenset[str]) -> frozenset[str]:
    """Each head before each tail, where those are few."""
    return _joined(heads, tails) if _few(heads, tails) else heads


def _least(literals: frozenset[str]) -> frozenset[str]:
    """Literals without those that begin with another."""
    return frozenset(each for each in literals if not any(each[:end] in literals for end in range(len(each))))


def _least_ends(literals: frozenset[str]) -> frozenset[str]:
    """Literals without those that end with another."""
    return frozenset(each for each in literals if not any(each[at:] in literals for at in range(1, len(each) + 1)))


def _spelled(items: Sequence[Any]) -> frozenset[str] | None:
    """All strings that an expression matches, as they stand in literals; None where they are many."""
    strings = NOTHING
    for operator, argument in items:
        spelled = _spelled_by(str(operator), argument)
        if spelled is None or not _few(strings, spelled):
            return None
        strings = _joined(strings, spelled)
    return strings


def _spelled_by(operator: str, argument: Any) -> frozenset[str] | None:
    match operator:
        case "LITERAL":
            return _letter(argument)
        case "AT" | "ASSERT" | "ASSERT_NOT":
            return NOTHING
        case "IN":
            return _union([_spelled_by(str(part), value) for part, value in argument], LETTERS)
        case "RANGE" if argument[1] < 128:
            return _union([_letter(code) for code in range(argument[0], argument[1] + 1)], MOST)
        case "CATEGORY":
            return _CATEGORIES.get(str(argument))
        case "BRANCH":
            return _union([_spelled(part) for part in argument[1]], MOST)
        case "SUBPATTERN":
            return _spelled(argument[-1])
        case "MAX_REPEAT" | "MIN_REPEAT" if argument[1] <= LONGEST:
            return _times(_spelled(argument[2]), int(argument[0]), int(argument[1]))
    return None


@cache
def _letter(code: int) -> frozenset[str] | None:
    """A character as it stands in literals; None where it has more than two forms: beyond Latin-1 some do."""
    character = chr(code)
    if character.lower() != character.upper() and (code >= 256 or character == "µ"):
        return None
    return frozenset(chr(plain()[code]) if code < PLANES else character)


def _times(once: frozenset[str] | None, least: int, most: int) -> frozenset[str] | None:
    if once is None or len(once) ** most > PRODUCTS:
        return None
    powers = list(accumulate(range(most), lambda strings, _: _joined(strings, once), initial=NOTHING))
    return frozenset().union(*powers[least:])


def _union(parts: Sequence[frozenset[str] | None], most: int) -> frozenset[str] | None:
    known = [part for part in parts if part is not None]
    union = frozenset().union(*known)
    return union if len(known) == len(parts) and len(union) <= most else None
