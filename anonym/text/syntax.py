"""What an expression says of its matches, read off its syntax tree as Python's parser has it: digits, literals, width,
first characters. Expressions for Rust's engine are read by it too, as far as they look alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

try:
    from re import _compiler as re_compiler  # type: ignore[attr-defined]
    from re import _parser as re_parser  # type: ignore[attr-defined]
except ImportError:  # they are private: where Python has moved them, no expression says anything, and all is read
    re_compiler = re_parser = None

MOST = 1_000
"""Literals of one expression at most."""

_FREQUENT = "etaoinshrdlcumwfgypbvkjxqz"  # English letters, the most frequent first


@dataclass(frozen=True, slots=True)
class Need:
    """What a match holds: at least so many digits, so many of them in a row, and one of the literals (lower case; none:
    any).
    """

    digits: int
    run: int
    literals: frozenset[str]


ANYTHING = (Need(0, 0, frozenset()),)


_TOKEN = re.compile(
    r"(?P<letter>\\[pP](?:\{\w+\}|\w))|(?P<bound>\(\?-u:\\b\)|\\b(?:\{[a-z-]+\})?|\\[<>])|\\.", re.DOTALL
)
"""What a backslash begins, and a word boundary of ASCII."""

_PYTHON = {"letter": r"\w", "bound": r"\b"}

_OTHERWISE = re.compile(r"\[\^?\]?[^\]\[]*(?:\[|&&|--|~~|\|\|)|\(\?\w*x")
"""What Rust reads otherwise: classes in classes, operations of sets, comments in classes."""


def _in_python(token: re.Match[str]) -> str:
    """What Python's parser reads with the same digits and literals."""
    return _PYTHON.get(token.lastgroup or "", token[0])


def _read(trigger: str) -> Any | None:
    """The syntax tree of a trigger, None where Python does not read it, or otherwise than Rust."""
    if re_parser is None or _OTHERWISE.search(_TOKEN.sub("y", trigger)):
        return None
    try:
        return re_parser.parse(_TOKEN.sub(_in_python, trigger))
    except re.error:  # flags inside, which Rust allows
        return None


@cache
def needs(trigger: str) -> tuple[Need, ...]:
    """Of which every match of a trigger meets one, as far as its syntax tells."""
    parsed = _read(trigger)
    if parsed is None:
        return ANYTHING
    literals: dict[tuple[int, int], list[frozenset[str] | None]] = {}
    for part in _alternatives(parsed):
        literals.setdefault((_digits(part), _run(part)), []).append(_required(part))
    return tuple(Need(*digits, frozenset(_shortest(_union(sets) or frozenset()))) for digits, sets in literals.items())


def _alternatives(parsed: Any) -> Iterator[Any]:
    """The ways of an expression that is nothing but alternatives, else itself."""
    if len(parsed) == 1 and str(parsed[0][0]) == "BRANCH":
        for part in parsed[0][1][1]:
            yield from _alternatives(part)
    elif len(parsed) == 1 and str(parsed[0][0]) == "SUBPATTERN":
        yield from _alternatives(parsed[0][1][-1])
    else:
        yield parsed


def _shortest(literals: frozenset[str]) -> Iterator[str]:
    """Those that hold no other."""
    for each in literals:
        if not any(other in each for other in literals if len(other) < len(each)):
            yield each


WORD = 64
"""Characters that a repetition without a bound is taken to match in a rule's pattern: a long word."""

ENDLESS = 1_000_000


def widest(trigger: str) -> int:
    """Characters of the longest match of a trigger, `ENDLESS` where it has no bound or is not read."""
    parsed = _read(trigger)
    return ENDLESS if parsed is None else min(ENDLESS, _width(parsed, ENDLESS))


def usual_width(regex: re.Pattern[str]) -> int:
    """Characters of the longest match to be expected of a pattern."""
    return ENDLESS if re_parser is None else _width(_parsed(regex), WORD)


def _parsed(regex: re.Pattern[str]) -> Any:
    return re_parser.parse(regex.pattern, regex.flags & ~re.UNICODE)


def _width(parsed: Any, unbounded: int) -> int:
    return sum(_width_of(str(operator), argument, unbounded) for operator, argument in parsed)


def _width_of(operator: str, argument: Any, unbounded: int) -> int:
    match operator:
        case "AT" | "ASSERT" | "ASSERT_NOT":
            return 0
        case "BRANCH":
            return max(_width(part, unbounded) for part in argument[1])
        case "SUBPATTERN":
            return _width(argument[-1], unbounded)
        case "LITERAL" | "NOT_LITERAL" | "ANY" | "IN":
            return 1
        case "MAX_REPEAT" | "MIN_REPEAT":
            least, most, body = argument
            return unbounded + int(least) if most is re_parser.MAXREPEAT else int(most) * _width(body, unbounded)
    return unbounded  # references, and `a++`, which is another thing to Rust


def _digits(parsed: Any) -> int:
    """The least number of digits in a match."""
    return sum(_digits_of(str(operator), argument) for operator, argument in parsed)


def _digits_of(operator: str, argument: Any) -> int:
    match operator:
        case "BRANCH":
            return min(_digits(part) for part in argument[1])
        case "SUBPATTERN":
            return _digits(argument[-1])
        case "MAX_REPEAT" | "MIN_REPEAT":
            return int(argument[0]) * _digits(argument[2])
    return int(_is_digit(operator, argument))


def _run(parsed: Any) -> int:
    """The least length of the longest run of digits in a match."""
    longest = run = 0
    for operator, argument in parsed:
        one, times = (operator, argument), 1
        if str(operator) in ("MAX_REPEAT", "MIN_REPEAT") and len(argument[2]) == 1:
            one, times = argument[2][0], int(argument[0])
        run = run + times if _is_digit(str(one[0]), one[1]) else 0
        longest = max(longest, run, _run_of(str(operator), argument))
    return longest


def _run_of(operator: str, argument: Any) -> int:
    match operator:
        case "BRANCH":
            return min(_run(part) for part in argument[1])
        case "SUBPATTERN":
            return _run(argument[-1])
        case "MAX_REPEAT" | "MIN_REPEAT" if argument[0] > 0:
            return _run(argument[2])
    return 0


def _is_digit(operator: str, argument: Any) -> bool:
    match operator:
        case "LITERAL":
            return bool(48 <= argument <= 57)
        case "IN":
            return all(_is_digit(str(part), value) for part, value in argument)
        case "CATEGORY":
            return str(argument) == "CATEGORY_DIGIT"
        case "RANGE":
            return bool(48 <= argument[0] <= argument[1] <= 57)
    return False


def _required(parsed: Any) -> frozenset[str] | None:
    """Literals of which every match holds one, the most telling such set; None where the syntax shows none."""
    sets: list[frozenset[str]] = []
    run = frozenset({""})
    for operator, argument in parsed:
        spelled = _spelled_by(str(operator), argument)
        if spelled is not None and len(run) * len(spelled) <= MOST:
            run = frozenset(head + tail for head in run for tail in spelled)
            continue
        once = _spelled_once(str(operator), argument)
        sets.append(frozenset(head + tail for head in run for tail in once) if len(run) * len(once) <= MOST else run)
        run = spelled or frozenset({""})
        if spelled is None and (inner := _required_of(str(operator), argument)):
            sets.append(inner)
    sets.append(run)
    telling = (each for each in sets if all(map(_tells, each)))
    return max(telling, key=lambda each: (min(4, *map(len, each)), -len(each)), default=None)


def _tells(literal: str) -> bool:
    """Whether few texts hold a literal: it is long, or of letters that are rare together, or an unusual character."""
    if len(literal) == 1:
        return not (literal.isalnum() or literal in " .,'-")
    ranks = [_FREQUENT.find(letter) if letter in _FREQUENT else 12 for letter in literal]
    return len(literal) > 2 or sum(ranks) >= 15


def _required_of(operator: str, argument: Any) -> frozenset[str] | None:
    match operator:
        case "BRANCH":
            parts = [_required(part) for part in argument[1]]
            union = frozenset().union(*(part or () for part in parts))
            return union if all(parts) and len(union) <= MOST else None
        case "SUBPATTERN":
            return _required(argument[-1])
        case "MAX_REPEAT" | "MIN_REPEAT" if argument[0] > 0:
            return _required(argument[2])
    return None


def _spelled_once(operator: str, argument: Any) -> frozenset[str]:
    """How a repetition begins, where that is spelled."""
    repeated = operator in ("MAX_REPEAT", "MIN_REPEAT") and argument[0] > 0
    return (_spelled(argument[2]) if repeated else None) or frozenset({""})


def _spelled(parsed: Any) -> frozenset[str] | None:
    """All strings that an expression matches, in lower case; None where they are many."""
    strings = frozenset({""})
    for operator, argument in parsed:
        spelled = _spelled_by(str(operator), argument)
        if spelled is None or len(strings) * len(spelled) > MOST:
            return None
        strings = frozenset(head + tail for head in strings for tail in spelled)
    return strings


def _spelled_by(operator: str, argument: Any) -> frozenset[str] | None:
    match operator:
        case "LITERAL" if _paired(chr(argument)):
            return frozenset({chr(argument).lower()})
        case "AT":
            return frozenset({""})
        case "IN":
            parts = [_spelled_by(str(part), value) for part, value in argument]
            return _union(parts, 20)
        case "RANGE" if argument[1] < 128:
            return frozenset(chr(code).lower() for code in range(argument[0], argument[1] + 1))
        case "BRANCH":
            return _union([_spelled(part) for part in argument[1]], MOST)
        case "SUBPATTERN":
            return _spelled(argument[-1])
        case "MAX_REPEAT" | "MIN_REPEAT" if argument[1] == 1:
            once = _spelled(argument[2])
            return once if once is None or argument[0] else once | {""}
    return None


def _paired(character: str) -> bool:
    """Whether a character has no case, or one lower and one upper form: beyond Latin-1 there may be more."""
    return character.lower() == character.upper() or (ord(character) < 256 and character != "µ")


def _union(parts: Sequence[frozenset[str] | None], most: int = MOST) -> frozenset[str] | None:
    known = [part for part in parts if part is not None]
    union = frozenset().union(*known)
    return union if len(known) == len(parts) and len(union) <= most else None


LETTERS = 3
"""Small letters among the first characters of an expression up to which trying each such place beats its own search."""


def beginnings(regex: re.Pattern[str]) -> re.Pattern[str] | None:
    """One character with which every match begins, where few characters of a text are such; else None.

    Python's engine looks for a set of characters at 5 ns a character, and for an expression that begins with a
    look-behind, as ours do, at 100 to 400.
    """
    tests, ends = _first(_parsed(regex), regex.flags) if re_parser else ([], False)
    if not ends:
        return None
    characters = [chr(code) for code in range(256) if any(test.match(chr(code)) for test in tests)]
    if " " in characters or sum(character.islower() and character.isascii() for character in characters) > LETTERS:
        return None
    return re.compile("[" + "".join(map(re.escape, characters)) + "\u0100-\U0010ffff]")


_ANY = re.compile("(?s:.)")


def _first(parsed: Any, flags: int) -> tuple[list[re.Pattern[str]], bool]:
    """Tests of a first character, and whether every match has one that passes."""
    tests: list[re.Pattern[str]] = []
    for item in parsed:
        found, ends = _first_of(str(item[0]), item, flags, parsed.state)
        tests += found
        if ends:
            return tests, True
    return tests, False


def _first_of(operator: str, item: Any, flags: int, state: Any) -> tuple[list[re.Pattern[str]], bool]:
    match operator:
        case "AT" | "ASSERT" | "ASSERT_NOT":
            return [], False
        case "BRANCH":
            ways = [_first(way, flags) for way in item[1][1]]
            return [test for tests, _ in ways for test in tests], all(ends for _, ends in ways)
        case "SUBPATTERN":
            _, added, removed, inner = item[1]
            return _first(inner, (flags | added) & ~removed)
        case "MAX_REPEAT" | "MIN_REPEAT":
            tests, ends = _first(item[1][2], flags)
            return tests, ends and item[1][0] > 0
        case "LITERAL" | "NOT_LITERAL" | "ANY" | "IN":
            return [re_compiler.compile(re_parser.SubPattern(state, [item]), flags)], True
    return [_ANY], True  # references and atomic groups may begin with anything
