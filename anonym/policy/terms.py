"""The terms of a policy: each reads one plain value, says what it expected, and describes itself in JSON Schema."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, TypeVar, get_args

from pydantic import Discriminator, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from anonym.hierarchy.clock import CLOCK, LENGTH, Seconds, read_seconds
from anonym.policy.plain import kind_of
from anonym.policy.saying import MANY, close_to, fault, found, meant

Size = TypeVar("Size", Decimal, Seconds)

TAG = "\0"
"""Begins the name of every union member, so that it is told apart from a key of the policy."""


@dataclass(frozen=True)
class Number:
    """A number in a range, exact: a Decimal, or an int where `whole`."""

    gt: int | None = None
    ge: int | None = None
    lt: int | None = None
    le: int | None = None
    whole: bool = False

    @property
    def expected(self) -> str:
        if self.ge is not None and self.ge == self.le:
            return f"the number {self.ge}"
        kind = "a whole number" if self.whole else "a number"
        low = f" above {self.gt}" if self.gt is not None else f" from {self.ge}" if self.ge is not None else ""
        high = f" below {self.lt}" if self.lt is not None else f" to {self.le}" if self.le is not None else ""
        return kind + low + (" and" if low and self.lt is not None else "") + high

    def read(self, value: Any) -> int | Decimal:
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            hint = "; without the quotes" if isinstance(value, str) and _looks_numeric(value) else ""
            raise fault(f"{self.expected}, found {kind_of(value)}{hint}")
        if self.whole and value != int(value):
            raise found(self.expected, value)
        if not self._holds(value):
            raise fault(self.expected)
        return int(value) if self.whole else Decimal(value)

    def _holds(self, value: int | Decimal) -> bool:
        return (
            (self.gt is None or value > self.gt)
            and (self.ge is None or value >= self.ge)
            and (self.lt is None or value < self.lt)
            and (self.le is None or value <= self.le)
        )

    def __get_pydantic_core_schema__(self, _source: Any, _handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.read)

    def __get_pydantic_json_schema__(self, _core: CoreSchema, _handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        bounds = {"exclusiveMinimum": self.gt, "minimum": self.ge, "exclusiveMaximum": self.lt, "maximum": self.le}
        return {
            "type": "integer" if self.whole else "number",
            **{key: limit for key, limit in bounds.items() if limit is not None},
        }


def _looks_numeric(text: str) -> bool:
    return re.fullmatch(r"[-+]?[0-9.]+([eE][-+]?[0-9]+)?", text) is not None


@dataclass(frozen=True)
class Word:
    """One of the words of a Literal. `among` replaces the list in the message, where more may stand here."""

    among: tuple[str, ...] = ()

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        options: tuple[str, ...] = get_args(source)
        listed = self.among or options

        def read(value: Any) -> Any:
            if value in options and isinstance(value, str):
                return value
            if not isinstance(value, str):
                raise found(f"one of {', '.join(listed)}", value)
            raise fault(f"one of {', '.join(listed)}{meant(value, listed)}")

        return core_schema.no_info_before_validator_function(read, handler(source))


@dataclass(frozen=True)
class Text:
    """Text that is not empty, of one form where `pattern` gives it (`expected` says which)."""

    expected: str = "text that is not empty"
    pattern: str = r"[\s\S]+"
    longest: int = 10_000

    def read(self, value: Any) -> str:
        if not isinstance(value, str):
            quote = "; put it in quotes" if isinstance(value, bool | int | Decimal | date) else ""
            raise fault(f"{self.expected}, found {kind_of(value)}{quote}")
        if len(value) > self.longest or not re.fullmatch(self.pattern, value):
            raise fault(self.expected)
        return value

    def __get_pydantic_core_schema__(self, _source: Any, _handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.read)

    def __get_pydantic_json_schema__(self, _core: CoreSchema, _handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        form = {r"[\s\S]+": {"minLength": 1}, r"[\s\S]*": {}}.get(self.pattern, {"pattern": f"^(?:{self.pattern})$"})
        return {"type": "string", "maxLength": self.longest, **form}


DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"


class Day:
    """A calendar day, written 2026-11-30."""

    expected = "a date written YYYY-MM-DD"

    def read(self, value: Any) -> date:
        if isinstance(value, date):
            return value
        if not isinstance(value, str):
            raise found(self.expected, value)
        if not re.fullmatch(DAY, value):
            raise fault(self.expected)
        try:
            return date.fromisoformat(value)
        except ValueError:
            raise fault(f"{self.expected}, one that exists in the calendar") from None

    def __get_pydantic_core_schema__(self, _source: Any, _handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.read)

    def __get_pydantic_json_schema__(self, _core: CoreSchema, _handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"type": "string", "format": "date"}


@dataclass(frozen=True)
class Measured:
    """A number, a length of time such as 15m or, where `clock`, a time of day such as 08:30; above 0 where `positive`.

    Where `day`, a calendar day too.
    """

    clock: bool = True
    positive: bool = False
    day: bool = False

    @property
    def expected(self) -> str:
        kinds = [f"a number{' above 0' if self.positive else ''}", "a length of time such as 15m or 1h30m"]
        kinds += ["a time of day such as 08:30"] if self.clock else []
        kinds += ["a date written YYYY-MM-DD"] if self.day else []
        return ", ".join(kinds[:-1]) + f" or {kinds[-1]}"

    def read(self, value: Any) -> Decimal | Seconds | date:
        if isinstance(value, str) and (written := read_seconds(value)) and (self.clock or written.of == "length"):
            return self._in_range(written, written.seconds)
        if self.day and isinstance(value, str | date):
            return self._day(value)
        if isinstance(value, int | Decimal) and not isinstance(value, bool):
            return self._in_range(Decimal(value), Decimal(value))
        hint = "; without the quotes" if isinstance(value, str) and _looks_numeric(value) else ""
        raise fault(f"{self.expected}, found {kind_of(value)}{hint}")

    def _in_range(self, value: Size, size: Decimal) -> Size:
        if self.positive and size <= 0:
            raise fault(self.expected)
        return value

    def _day(self, value: str | date) -> date:
        if isinstance(value, str) and not re.fullmatch(DAY, value):
            raise fault(self.expected)
        return Day().read(value)

    def __get_pydantic_core_schema__(self, _source: Any, _handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.read)

    def __get_pydantic_json_schema__(self, _core: CoreSchema, _handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        number = {"type": "number", **({"exclusiveMinimum": 0} if self.positive else {})}
        written = {"type": "string", "pattern": f"^(?:{LENGTH}{'|' + CLOCK if self.clock else ''})$"}
        return {"anyOf": [number, written, *([{"type": "string", "format": "date"}] if self.day else [])]}


T = TypeVar("T")


@dataclass(frozen=True)
class NotNull:
    """Absent is None, but None may not be written: a key without a value is a mistake, not a choice."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema = handler(source)
        return schema["schema"] if schema["type"] == "nullable" else schema


Given = Annotated[T | None, NotNull()]


def by_key(expected: str, *kinds: str, words: tuple[str, ...] | None = None) -> Discriminator:
    """Members of a union told apart by the one key each requires; text, lists and true or false go to the members
    `word`, `list` and `flag`.

    A key that is nearly one of `kinds` leads to that member, which then says what was meant. With `words`, other text
    leads nowhere.
    """

    def kind(value: Any) -> str | None:
        if isinstance(value, str):
            return TAG + "word" if words is None or value in words else None
        if isinstance(value, bool):
            return TAG + "flag"
        if isinstance(value, list):
            return TAG + "list"
        if not isinstance(value, Mapping):
            return None
        exact = next((name for name in kinds if name in value), None)
        keys = value if len(value) <= MANY else ()
        near = exact or next((name for key in keys if (name := close_to(key, kinds))), None)
        return TAG + near if near else None

    return Discriminator(kind, "fault", f"expected {expected}")
