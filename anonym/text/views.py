"""Views of a text: the same content with encodings undone, and the way back to the original offsets.

HTML entities, JSON string escapes and percent-encoded characters hide an address from any pattern (`odalys&#64;…`). A
view is what the detectors read; every span they find is translated back to whole units of the original, so that an
escape is never cut in two.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from anonym.text.spans import Span

ENCODED = (
    r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"
    r"|\\(?:u[0-9a-fA-F]{4}|[nrtbf\"/])|%[0-9A-Fa-f]{2}"
    "|\u00ad|\u200b|\u2060|\ufeff|\uff20|\uff0e"
)
"""What a decoded view undoes, in syntax that Rust's and Python's engines share. Soft hyphens and zero-width spaces hide
an address as encodings do."""

_UNIT = re.compile(
    r"(?:\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|%[0-9A-Fa-f]{2}(?:%[0-9A-Fa-f]{2})*|" + ENCODED
)
_MARKS = re.compile("[\u0300-\u036f\u00ad\u200b-\u200d\u2060\ufeff]+")
_SHORT = {"n": "\n", "r": "\r", "t": "\t", "b": " ", "f": " ", '"': '"', "/": "/"}


@dataclass(frozen=True, slots=True)
class View:
    """`text` as detectors read it. Replaced units: `at[i]` in the view, `width[i]` characters there, stand for
    original characters `start[i]` to `end[i]`.
    """

    text: str
    at: list[int]
    width: list[int]
    start: list[int]
    end: list[int]

    def original(self, span: Span) -> Span:
        """The span in the original's offsets, widened to whole units."""
        return span.at(self._left(span.start), self._right(span.end))

    def _left(self, position: int) -> int:
        unit = bisect_right(self.at, position) - 1
        if unit < 0:
            return position
        if position < self.at[unit] + self.width[unit]:
            return self.start[unit]
        return self.end[unit] + position - self.at[unit] - self.width[unit]

    def _right(self, position: int) -> int:
        unit = bisect_left(self.at, position) - 1
        if unit < 0:
            return position
        if position <= self.at[unit] + self.width[unit]:
            return self.end[unit]
        return self.end[unit] + position - self.at[unit] - self.width[unit]


def _decode(unit: str) -> str:
    if unit in "\u00ad\u200b\u2060\ufeff":
        return ""
    if unit in "\uff20\uff0e":  # full-width at sign and full stop
        return "@" if unit == "\uff20" else "."
    if unit[0] == "&":
        plain = html.unescape(unit)
        return plain if plain != unit else unit
    if unit[0] == "%":
        return bytes.fromhex(unit.replace("%", "")).decode("utf-8", errors="replace")
    if unit[1] != "u":
        return _SHORT[unit[1]]
    units = bytes.fromhex(unit.replace("\\u", ""))
    return units.decode("utf-16-be", errors="replace")


def rewritten(text: str, pattern: re.Pattern[str], plain: Callable[[str], str]) -> View:
    """A view in which `plain` of it stands for every match of `pattern`."""
    return with_units(text, ((*match.span(), plain(match.group())) for match in pattern.finditer(text)))


def with_units(text: str, units: Iterable[tuple[int, int, str]]) -> View:
    """A view in which other text stands for some stretches: `units` are start, end and what to read, ordered and
    disjoint.
    """
    parts: list[str] = []
    view = View("", [], [], [], [])
    seen = length = 0
    for start, end, plain in units:
        parts += (text[seen:start], plain)
        length += start - seen
        view.at.append(length)
        view.width.append(len(plain))
        view.start.append(start)
        view.end.append(end)
        length += len(plain)
        seen = end
    parts.append(text[seen:])
    return View("".join(parts), view.at, view.width, view.start, view.end)


def decoded(text: str) -> View:
    """The text with HTML entities, JSON escapes and percent-encoding undone."""
    return rewritten(text, _UNIT, _decode)


def unmarked(text: str) -> View:
    """The text without combining marks, soft hyphens and zero-width characters, which can hide a name."""
    return rewritten(text, _MARKS, lambda _: "")
