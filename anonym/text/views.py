"""Views of a text: the same content with encodings undone, and the way back to the original offsets.

HTML entities, JSON string escapes and percent-encoded characters, once or more, hide an address from any pattern
(`odalys&#64;…`), and so do full-width letters; no-break spaces and printed dashes hide a number (`202‒555‒0143`). A
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

_WRITTEN = (
    r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"
    r"|\\{1,16}(?:u[0-9a-fA-F]{4}|[nrtbf\"/])|%[0-9A-Fa-f]{2}"
    "|[\u00ad\u200b\u2060\ufeff]|[\uff0b\uff0d\uff0e\uff10-\uff19\uff20-\uff3a\uff3f\uff41-\uff5a]"
)
_BLANK, _DASH = "[\u00a0\u2002-\u200a\u202f\u3000]", "[\u2010-\u2015\u2212]"

ENCODED = rf"{_WRITTEN}|\d{_BLANK}[\w(+]|[\w)]{_BLANK}\(?\d|[\d)]{_DASH}\(?\d"
"""What a decoded view undoes, in syntax that Rust's and Python's engines share. Soft hyphens and zero-width spaces hide
an address as encodings do; blanks and dashes count beside digits only, for prose is full of them."""

_ESCAPED_PAIR = r"\\{1,16}u[dD][89abAB][0-9a-fA-F]{2}\\{1,16}u[dD][c-fC-F][0-9a-fA-F]{2}"
_PERCENT = r"(?:%(?:25){0,3}[0-9A-Fa-f]{2})+"
_BETWEEN = rf"(?<=[\w)]){_BLANK}(?=\(?\d)|(?<=\d){_BLANK}(?=[\w(+])|(?<=[\d)]){_DASH}(?=\(?\d)"
_MARK = r"""[^\s:;,=<>(){}\[\]"'\\]"""
_INSIDE = rf"(?P<inside>(?<={_MARK})\\{{1,16}}\"(?={_MARK}))"
_UNIT = re.compile(f"{_ESCAPED_PAIR}|{_PERCENT}|{_INSIDE}|{_WRITTEN}|{_BETWEEN}")
_QUOTE = "”"
"""What an escaped quote inside a value is read as (`"ab\\"cd"`): read as a plain one it would end the value."""

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
    if unit[0] == "&":
        return html.unescape(unit).translate(_UNBROKEN)
    if unit[0] == "%":
        once = re.sub("%(?:25)+(?=[0-9A-Fa-f]{2})", "%", unit)
        return bytes.fromhex(once.replace("%", "")).decode("utf-8", errors="replace")
    if unit[0] != "\\":
        return _plain(unit)
    if (escape := unit.lstrip("\\"))[0] != "u":
        return _SHORT[escape[0]]
    units = bytes.fromhex(unit.replace("\\", "").replace("u", ""))
    return units.decode("utf-16-be", errors="replace").translate(_UNBROKEN)


_UNBROKEN = {0xA0: " ", 0x202F: " ", 0x2011: "-"}


def _plain(character: str) -> str:
    """The ASCII character that a full-width one, a blank or a dash stands for."""
    if character >= "\uff01":
        return chr(ord(character) - 0xFEE0)
    return "-" if re.fullmatch(_DASH, character) else " "


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
    """The text with HTML entities, JSON escapes, percent-encoding and characters like those of ASCII undone."""
    units = _UNIT.finditer(text)
    return with_units(text, ((*unit.span(), _QUOTE if unit["inside"] else _decode(unit.group())) for unit in units))


def unmarked(text: str) -> View:
    """The text without combining marks, soft hyphens and zero-width characters, which can hide a name."""
    return rewritten(text, _MARKS, lambda _: "")
