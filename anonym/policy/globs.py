"""Column names and globs: which of a policy's entries speaks for which column."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from fnmatch import translate
from functools import cache, lru_cache

_LONG = 400  # characters of two patterns beyond which they are only compared


def is_glob(name: str) -> bool:
    """Whether an entry may stand for several columns. A column of exactly this name is meant first."""
    return any(mark in name for mark in "*?[")


def matches(glob: str, name: str) -> bool:
    """Shell-style, letter case counts: `*` any text, `?` one character, `[ab]` one of them."""
    return _compiled(glob).match(name) is not None


@lru_cache(1024)
def _compiled(glob: str) -> re.Pattern[str]:
    return re.compile(translate(glob))


def entries_of(name: str, entries: Container[str], globs: Iterable[str]) -> tuple[str, ...]:
    """The entries that speak for the column `name`: the one of its own name, else every one of `globs` that matches."""
    return (name,) if name in entries else tuple(glob for glob in globs if matches(glob, name))


def contains(wide: str, narrow: str) -> bool:
    """Whether every name that `narrow` matches is seen to match `wide` too (for `*`, `?` and plain characters).

    True is certain; False may be an overlap that only the columns of an input can show.
    """
    if "[" in wide + narrow or len(wide) + len(narrow) > _LONG:
        return wide == narrow

    @cache
    def within(i: int, j: int) -> bool:
        if i == len(wide):
            return j == len(narrow)
        if wide[i] == "*":
            return within(i + 1, j) or (j < len(narrow) and within(i, j + 1))
        if j == len(narrow) or narrow[j] == "*":
            return False
        return wide[i] in ("?", narrow[j]) and within(i + 1, j + 1)

    return within(0, 0)
