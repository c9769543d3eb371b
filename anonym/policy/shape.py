"""A mapping of a policy: known keys, each read once and each fault of it reported once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, ModelWrapValidatorHandler, ValidationError, model_validator
from pydantic_core import ErrorDetails, InitErrorDetails

from anonym.policy.plain import kind_of
from anonym.policy.saying import MANY, close_to, error_of

_NATIVE: Mapping[str, Callable[[ErrorDetails], str]] = {
    "bool_type": lambda error: f"true or false, found {kind_of(error['input'])}",
    "list_type": lambda error: f"a list, found {kind_of(error['input'])}",
    "dict_type": lambda error: f"a mapping, found {kind_of(error['input'])}",
    "model_type": lambda error: f"a mapping, found {kind_of(error['input'])}",
    "too_short": lambda _error: "at least one entry",
}
"""What pydantic's own errors say in our words; each type that a shape can raise is here."""


def _silent(error: ErrorDetails) -> InitErrorDetails:
    return InitErrorDetails(type=error_of("expected another value, or none"), loc=error["loc"], input=None)


class Shape(BaseModel):
    """A mapping with known keys, each read once and reported once."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    elsewhere: ClassVar[Mapping[str, str]] = {}  # keys that have their place in another shape, and which

    @model_validator(mode="wrap")
    @classmethod
    def _in_our_words(cls, data: Any, handler: ModelWrapValidatorHandler[Shape]) -> Shape:
        try:
            return handler(data)
        except ValidationError as error:
            errors = error.errors(include_url=False, include_context=True)
            # a fault that is not worth telling stands beside one that is; should it ever stand alone, it is told
            told = cls._told(errors, data) or [_silent(errors[0])]
            raise ValidationError.from_exception_data(cls.__name__, told) from None

    @classmethod
    def _told(cls, errors: list[ErrorDetails], data: Any) -> list[InitErrorDetails]:
        unknown = [str(e["loc"][0]) for e in errors if e["type"] == "extra_forbidden" and len(e["loc"]) == 1]
        missing = [str(e["loc"][0]) for e in errors if e["type"] == "missing" and len(e["loc"]) == 1]
        mistyped = {close_to(key, missing) for key in unknown[:MANY]}
        told: list[InitErrorDetails] = []
        for error in errors:
            own = error["loc"][0] if len(error["loc"]) == 1 else None
            if own in missing and own in mistyped:
                continue  # the unknown key that is close to it says what was meant
            text = cls._text(error, missing, data)
            if text is not None:
                told.append(InitErrorDetails(type=error_of(text), loc=error["loc"], input=None))
        return told

    @classmethod
    def _text(cls, error: ErrorDetails, missing: list[str], data: Any) -> str | None:
        if error["type"] == "fault":
            return str(error["ctx"]["expected"] if "ctx" in error else error["msg"])
        if error["type"] == "missing":
            description = cls.model_fields[str(error["loc"][0])].description
            return f"required: {description}"
        if error["type"] == "extra_forbidden":
            return cls._unknown(str(error["loc"][0]), missing, data)
        return "expected " + _NATIVE[error["type"]](error)

    @classmethod
    def _unknown(cls, key: str, missing: list[str], data: Any) -> str | None:
        """What to say of a key that does not belong here; None where nothing is to be said."""
        if len(data) > MANY:
            return f"no such key; known here: {', '.join(cls.model_fields)}"
        free = [name for name in cls.model_fields if name not in data]
        near = close_to(key, missing) or (None if key in cls.elsewhere else close_to(key, free))
        if near:
            return f"no such key; did you mean {near}?"
        if key in cls.elsewhere:
            return f"no such key here; it belongs to {cls.elsewhere[key]}"
        return f"no such key; known here: {', '.join(cls.model_fields)}"
