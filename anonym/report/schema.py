"""JSON Schema from typed dictionaries, and a check of the part of JSON Schema that this needs.

The shipped schema is made from the types, so that the two cannot say different things, and the check is our own, so
that a report can be checked where `jsonschema` is not installed.
"""

from __future__ import annotations

import re
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

Schema = dict[str, Any]

SCALARS: dict[Any, Schema] = {
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    Any: {},
}


@dataclass(frozen=True)
class Within:
    """A number's inclusive bounds; None leaves an end open."""

    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Pattern:
    """What a whole string must match."""

    regex: str


def of(root: type, identifier: str, title: str) -> Schema:
    """The JSON Schema (draft 2020-12) of a TypedDict; every TypedDict it reaches becomes an entry of `$defs`."""
    found: dict[str, Schema] = {}
    reference = _of(root, found)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": identifier,
        "title": title,
        **reference,
        "$defs": {name: found[name] for name in sorted(found)},
    }


def _of(hint: Any, found: dict[str, Schema]) -> Schema:
    if is_typeddict(hint):
        return _typed_dict(hint, found)
    origin, args = get_origin(hint), get_args(hint)
    if origin is NotRequired:
        return _of(args[0], found)
    if origin is Annotated:
        return _annotated(args[0], args[1:], found)
    if origin is Literal:
        return {"enum": list(args)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_of(arg, found) for arg in args]}
    if origin is list:
        return {"type": "array", "items": _of(args[0], found)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _of(args[1], found)}
    return dict(SCALARS[hint])


def _typed_dict(hint: Any, found: dict[str, Schema]) -> Schema:
    if hint.__name__ not in found:
        fields = get_type_hints(hint, include_extras=True)
        schema: Schema = {"type": "object", "description": " ".join((hint.__doc__ or "").split())}
        found[hint.__name__] = schema
        schema["properties"] = {name: _of(field, found) for name, field in fields.items()}
        schema["required"] = [name for name, field in fields.items() if get_origin(field) is not NotRequired]
        schema["additionalProperties"] = False
    return {"$ref": f"#/$defs/{hint.__name__}"}


def _annotated(hint: Any, notes: tuple[Any, ...], found: dict[str, Schema]) -> Schema:
    schema = _of(hint, found)
    for note in notes:
        if isinstance(note, str):
            schema = {"description": note, **schema}
        elif isinstance(note, Pattern):
            schema["pattern"] = f"^(?:{note.regex})$"
        elif isinstance(note, Within):
            bounds = {"minimum": note.low, "maximum": note.high}
            schema |= {key: bound for key, bound in bounds.items() if bound is not None}
    return schema


# the checker -------------------------------------------------------------------------------------------------------

KINDS: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}


def faults(value: object, schema: Schema) -> list[str]:
    """What in `value` departs from a schema made by `of`: a line each, with path and expectation, never a value."""
    return list(_faults(value, schema, schema.get("$defs", {}), ""))


def resolve(schema: Schema, definitions: Schema) -> Schema:
    """The schema itself, or the definition that it refers to."""
    reference = schema.get("$ref")
    return cast(Schema, definitions[reference.rsplit("/", 1)[1]]) if reference else schema


def _faults(value: object, schema: Schema, definitions: Schema, path: str) -> Iterator[str]:
    schema = resolve(schema, definitions)
    if "anyOf" in schema:
        yield from _any_of(value, schema["anyOf"], definitions, path)
    elif "enum" in schema:
        if value not in schema["enum"]:
            yield _fault(path, "expected one of " + ", ".join(map(repr, schema["enum"])))
    elif not _is(value, schema.get("type")):
        yield _fault(path, f"expected {schema['type']}, found {_kind(value)}")
    elif isinstance(value, dict):
        yield from _object(value, schema, definitions, path)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _faults(item, schema.get("items", {}), definitions, f"{path}[{index}]")
    else:
        yield from _scalar(value, schema, path)


def _any_of(value: object, options: list[Schema], definitions: Schema, path: str) -> Iterator[str]:
    tried = [(option, list(_faults(value, option, definitions, path))) for option in options]
    if any(not found for _, found in tried):
        return
    near = [found for option, found in tried if _is(value, resolve(option, definitions).get("type"))]
    if len(near) == 1:
        yield from near[0]
    else:
        kinds = [str(resolve(option, definitions).get("type", "another value")) for option, _ in tried]
        yield _fault(path, f"expected {' or '.join(kinds)}, found {_kind(value)}")


def _object(value: dict[str, object], schema: Schema, definitions: Schema, path: str) -> Iterator[str]:
    properties: dict[str, Any] = schema.get("properties", {})
    others: Any = schema.get("additionalProperties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield _fault(_join(path, name), "is missing")
    for name, item in value.items():
        if name in properties or others is not False:
            yield from _faults(item, properties.get(name, others), definitions, _join(path, str(name)))
        else:
            yield _fault(_join(path, str(name)), f"is not known here; known: {', '.join(properties)}")


def _scalar(value: object, schema: Schema, path: str) -> Iterator[str]:
    if isinstance(value, str) and "pattern" in schema and not re.fullmatch(schema["pattern"], value):
        yield _fault(path, f"expected a string like {schema['pattern']}")
    if isinstance(value, float) and value - value != 0:
        yield _fault(path, "expected a finite number")
    elif isinstance(value, int | float) and not _inside(value, schema):
        yield _fault(path, f"expected a number from {schema.get('minimum', '-inf')} to {schema.get('maximum', 'inf')}")


def _inside(value: float, schema: Schema) -> bool:
    low, high = schema.get("minimum"), schema.get("maximum")
    return (low is None or value >= low) and (high is None or value <= high)


def _is(value: object, kind: str | None) -> bool:
    if kind is None:
        return True
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _kind(value: object) -> str:
    return next((kind for kind in ("boolean", *KINDS) if _is(value, kind)), type(value).__name__)


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _fault(path: str, said: str) -> str:
    return f"{path or 'the evidence'}: {said}"
