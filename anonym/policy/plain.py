"""Plain data: what a policy may consist of before its shape is looked at, with bounds that no bomb can pass."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from numbers import Integral, Real
from pathlib import PurePath
from typing import Any, NamedTuple

MAX_DEPTH = 16
MAX_NODES = 100_000
MAX_DIGITS = 60
MAX_EXPONENT = 300

At = tuple[str | int, ...]
"""Where in the policy: keys and positions from the root."""

NUMBER_RANGE = f"a finite number of at most {MAX_DIGITS} digits, with an exponent of at most {MAX_EXPONENT}"


class Finding(NamedTuple):
    """A fault before its path is put in words; `line` only where it is not the line of the place itself."""

    at: At
    expected: str
    line: int | None = None


class TooMuch(Exception):
    """Deeper or larger than any policy; carries where reading stopped."""

    def __init__(self, at: At, expected: str) -> None:
        super().__init__(expected)
        self.finding = Finding(at, expected)


@dataclass
class Bounds:
    """Counts what is read. Raises TooMuch beyond `MAX_NODES` values or `MAX_DEPTH` levels."""

    nodes: int = 0

    def enter(self, at: At) -> None:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise TooMuch(at, f"expected a policy of at most {MAX_NODES} values")
        if len(at) > MAX_DEPTH:
            raise TooMuch(at[:2], f"expected at most {MAX_DEPTH} levels of nesting")


@dataclass
class Plain:
    """Plain values (dict with text keys, list, str, int, Decimal, bool, date, None) out of whatever was given.

    Floats become the Decimal of their shortest text, so that 0.1 is a tenth. What is not plain is reported and becomes
    None; its place is in `findings`.
    """

    findings: list[Finding] = field(default_factory=list)
    bounds: Bounds = field(default_factory=Bounds)

    def read(self, value: object, at: At = ()) -> Any:
        self.bounds.enter(at)
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, Mapping):
            return {key: self.read(item, (*at, key)) for key, item in self._items(value, at)}
        if isinstance(value, list | tuple):
            return [self.read(item, (*at, index)) for index, item in enumerate(value)]
        return self._scalar(value, at)

    def _items(self, value: Mapping[Any, Any], at: At) -> Iterator[tuple[str, Any]]:
        for key, item in value.items():
            if not isinstance(key, str):
                self._refuse(at, f"keys of text, found {kind_of(key)} as a key; put it in quotes")
            elif not _encodable(key) or "\0" in key:
                self._refuse(at, "keys of valid Unicode text without NUL")
            else:
                yield str(key), item

    def _scalar(self, value: object, at: At) -> Any:
        if isinstance(value, str | PurePath):
            text = str(value)
            return text if _encodable(text) else self._refuse(at, "valid Unicode text")
        if isinstance(value, date) and not isinstance(value, datetime):
            return value
        if isinstance(value, Decimal | Real):
            number = _number(value)
            return self._refuse(at, NUMBER_RANGE) if number is None else number
        return self._refuse(at, "text, a number, true or false, a list or a mapping")

    def _refuse(self, at: At, expected: str) -> None:
        self.findings.append(Finding(at, f"expected {expected}"))


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _number(value: Decimal | Real) -> int | Decimal | None:
    """The number as int or Decimal, or None beyond the range in which arithmetic on it is cheap."""
    if isinstance(value, Integral):
        whole = int(value)
        return whole if abs(whole) < 10**MAX_DIGITS else None
    number = value if isinstance(value, Decimal) else Decimal(repr(float(value)))
    if not number.is_finite() or len(number.as_tuple().digits) > MAX_DIGITS:
        return None
    return number if abs(number.adjusted()) <= MAX_EXPONENT else None


_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "true or false"),
    (str, "text"),
    (int, "a whole number"),
    ((float, Decimal), "a number"),
    (date, "a date"),
    ((list, tuple), "a list"),
    (Mapping, "a mapping"),
)


def kind_of(value: object) -> str:
    """What a value is, in words that tell nothing of it."""
    if value is None:
        return "nothing"
    return next((words for kind, words in _KINDS if isinstance(value, kind)), "something else")


def jsonable(value: Any) -> Any:
    """Plain data in the types of JSON: a Decimal as the float that prints like it, else as text; a date as ISO text."""
    if isinstance(value, dict):
        return {key: jsonable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [jsonable(item) for item in value]
    if isinstance(value, Decimal):
        near = float(value)
        return near if Decimal(repr(near)) == value else str(value)
    return value.isoformat() if isinstance(value, date) else value


def sha256(raw: Mapping[str, Any]) -> str:
    """SHA-256, in hexadecimal, of the canonical JSON of `raw`: keys sorted, no blanks, UTF-8."""
    text = json.dumps(raw, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
