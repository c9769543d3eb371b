"""How a fault of a policy is said: what was expected, the kind of what was found, what was probably meant.

Every error raised here has the type `fault` and its whole text in the context, never the value found.
"""

from __future__ import annotations

import re
from difflib import get_close_matches

from pydantic_core import PydanticCustomError

from anonym.policy.plain import kind_of

MANY = 100
"""Keys of one mapping, or names, beyond which it is no longer guessed what each was meant to be."""

_SHOWN_KEY = re.compile(r"[A-Za-z_][\w\- ]{0,30}")


def fault(expected: str) -> PydanticCustomError:
    """The error of a value that is not what was expected."""
    return error_of(f"expected {expected}")


def found(expected: str, value: object) -> PydanticCustomError:
    """As `fault`, with the kind of what was found."""
    return fault(f"{expected}, found {kind_of(value)}")


def error_of(text: str) -> PydanticCustomError:
    return PydanticCustomError("fault", "{expected}", {"expected": text})


def close_to(word: object, known: tuple[str, ...] | list[str]) -> str | None:
    """The one of `known` that `word` is probably meant to be."""
    if not isinstance(word, str) or not _SHOWN_KEY.fullmatch(word):
        return None
    lower = {name.lower(): name for name in known}
    near = get_close_matches(word.lower(), list(lower), 1)
    return lower[near[0]] if near else None


def meant(word: object, known: tuple[str, ...] | list[str]) -> str:
    """`; did you mean …?`, or nothing."""
    near = close_to(word, known)
    return f"; did you mean {near}?" if near else ""


def shown_key(key: str) -> str:
    """A key for a message; one that looks like pasted text, and not like a name, is hidden."""
    return key if _SHOWN_KEY.fullmatch(key) else "(a key)"
