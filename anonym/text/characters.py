"""Characters by class: what the parts of an expression may match, in sets small enough for a table.

ASCII characters are classes of their own; the rest of the first two planes is told apart by what `\\d`, `\\w` and `\\s`
say of it; beyond them a character may be anything but a digit or a blank. A set of classes is an integer, one bit each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

DIGIT, WORD, SPACE, OTHER, BEYOND, EDGE = range(128, 134)
"""Classes beyond ASCII: decimal digits, other word characters, blanks, the rest of the first planes, all other planes;
and where a text begins or ends."""

CLASSES = EDGE + 1
BEYOND_ASCII = sum(1 << each for each in (DIGIT, WORD, SPACE, OTHER, BEYOND))
CHARACTERS = (1 << EDGE) - 1
ANYTHING = CHARACTERS | 1 << EDGE
PLANES = 1 << 17
"""Characters of the first two planes, in which all digits and blanks lie."""

_UNLIKE = {0x17F: "s", 0x212A: "k", 0x130: "i", 0x131: "i"}
"""The characters whose other case is an ASCII letter."""


def class_of(code: int) -> int:
    """The class of a character."""
    character = chr(code)
    if code < 128:
        return code
    if code >= PLANES:
        return BEYOND
    if character.isdecimal():
        return DIGIT
    if character.isalnum():
        return WORD
    return SPACE if character.isspace() else OTHER


@cache
def class_table() -> NDArray[np.uint8]:
    """The class of each character of the first planes."""
    return np.fromiter(map(class_of, range(PLANES)), np.uint8, PLANES)


DIGIT_MARK, BLANK_MARK, LINE_MARK = "0", " ", "\n"
"""What stands for all digits, and for all blanks but the end of a line, where literals are looked for."""


@cache
def plain() -> dict[int, int]:
    """By character of the first planes, that which stands for it in literals: a letter's small form, or a mark."""
    return {code: ord(_plain(chr(code))) for code in range(PLANES)} | {
        code: ord(letter) for code, letter in _UNLIKE.items()
    }


def _plain(character: str) -> str:
    if character.isdecimal():
        return DIGIT_MARK
    if character.isspace() and character != LINE_MARK:
        return BLANK_MARK
    forms = (character.lower(), character.upper().lower())
    return next((form for form in forms if len(form) == 1 and form != character), character)


_NARROW, _ANY_CASE = int(re.ASCII | re.LOCALE), int(re.IGNORECASE)


def _ascii(pattern: str) -> int:
    return sum(1 << code for code in range(128) if re.match(pattern, chr(code)))


_WORD = _ascii(r"\w") | 1 << DIGIT | 1 << WORD
_OF_CATEGORY = {
    "CATEGORY_DIGIT": (_ascii(r"\d") | 1 << DIGIT,) * 2,
    "CATEGORY_SPACE": (_ascii(r"\s") | 1 << SPACE,) * 2,
    "CATEGORY_WORD": (_WORD | 1 << BEYOND, _WORD),
}
_OF_CATEGORY |= {
    name.replace("_", "_NOT_"): (CHARACTERS & ~surely, CHARACTERS & ~may)
    for name, (may, surely) in _OF_CATEGORY.items()
}
"""By category, the classes of which some character is of it, and those of which every one is."""


def matched(operator: str, argument: Any, flags: int) -> int:
    """The classes of which one character may match a part of an expression, as Python's parser has it."""
    if flags & _NARROW:
        return CHARACTERS
    match operator:
        case "LITERAL":
            return _one(argument, flags)[0]
        case "NOT_LITERAL":
            return CHARACTERS & ~_one(argument, flags)[1]
        case "IN":
            return _of_set(argument, flags)
    return CHARACTERS


def _of_set(items: Iterable[tuple[Any, Any]], flags: int) -> int:
    may = surely = 0
    negated = False
    for operator, argument in items:
        if str(operator) == "NEGATE":
            negated = True
            continue
        each = _of_item(str(operator), argument, flags)
        may, surely = may | each[0], surely | each[1]
    return CHARACTERS & ~surely if negated else may


def _of_item(operator: str, argument: Any, flags: int) -> tuple[int, int]:
    """Classes of which some character, and classes of which every one, is in a part of a set."""
    match operator:
        case "LITERAL":
            return _one(argument, flags)
        case "RANGE":
            return _range(argument[0], argument[1], flags)
        case "CATEGORY":
            return _OF_CATEGORY[str(argument)]
    return CHARACTERS, 0


@cache
def _one(code: int, flags: int) -> tuple[int, int]:
    if not flags & _ANY_CASE:
        return 1 << class_of(code), (1 << code if code < 128 else 0)
    if code < 128:
        both = 1 << ord(chr(code).lower()) | 1 << ord(chr(code).upper())
        unlike = any(letter == chr(code).lower() for letter in _UNLIKE.values())
        return both | (1 << WORD) * unlike, both
    letter = _UNLIKE.get(code)
    return 1 << class_of(code) | 1 << WORD | (_one(ord(letter), flags)[0] if letter else 0), 0


def _range(first: int, last: int, flags: int) -> tuple[int, int]:
    may = surely = 0
    for code in range(first, min(last, 127) + 1):
        each = _one(code, flags)
        may, surely = may | each[0], surely | each[1]
    for code in _UNLIKE:
        if first <= code <= last:
            may |= _one(code, flags)[0]
    return may | (BEYOND_ASCII if last >= 128 else 0), surely
