"""JSON lines: one object a line; the columns are the keys of all lines of all files."""

from __future__ import annotations

import glob
import json
from collections import Counter
from pathlib import Path
from typing import Any, NoReturn

import polars as pl

from anonym.errors import InputError
from anonym.io.options import ReadOptions


def literal(path: Path) -> str:
    """A path in which Polars finds no pattern, for the scans that have no `glob=False`."""
    return glob.escape(str(path))


def scan_json(files: list[Path], options: ReadOptions) -> pl.LazyFrame:
    """The files as a frame: columns in the order they first appear, null where a line or file lacks them.

    Files without a line add nothing; where no file has one there are no columns, which is an InputError.
    """
    keys = {file: names for file in files if (names := json_names(file))}
    if not keys:
        raise InputError(f"{files[0].name} has no line with a key, so that no columns are known: nothing can be read")
    frames = [_typed(file, names, options) for file, names in keys.items()]
    order = dict.fromkeys(name for names in keys.values() for name in names)
    return pl.concat(frames, how="diagonal_relaxed").select(pl.col(list(order)))


def _typed(file: Path, names: list[str], options: ReadOptions) -> pl.LazyFrame:
    """One file under the types of all its lines, inferred once: 4 s for a million lines of ten keys."""
    inferred = pl.scan_ndjson(literal(file), schema_overrides=options.typed(names) or None, infer_schema_length=None)
    try:
        schema = inferred.collect_schema()
    except (pl.exceptions.SchemaError, pl.exceptions.ComputeError):
        raise InputError(
            f"{file.name}: some column holds values that share no type, such as lists beside numbers: "
            "make them one type before releasing anything"
        ) from None
    return pl.scan_ndjson(literal(file), schema={name: schema[name] for name in names})


def json_names(file: Path) -> list[str]:
    """The keys of all lines. Raises InputError, with the line, for what is no object or has a key twice.

    Keys inside a value that is itself an object are not looked at. 11 s for a million lines of ten keys.
    """
    names: dict[str, None] = {}
    seen: set[tuple[str, ...]] = set()
    decode = json.JSONDecoder(object_pairs_hook=_keys, parse_constant=_refuse_constant).decode
    with open(file, encoding="utf-8", newline="\n") as text:
        for number, line in enumerate(text, 1):
            if line.isspace():
                continue
            keys = _keys_of_line(file, number, line, decode)
            if keys not in seen:
                _refuse_twice(file, number, keys)
                seen.add(keys)
                names |= dict.fromkeys(keys)
    return list(names)


def _keys(pairs: list[tuple[str, Any]]) -> tuple[str, ...]:
    """What an object is decoded to: JSON has no tuples, so that a tuple tells an object."""
    return tuple([name for name, _ in pairs])


def _refuse_constant(_name: str) -> NoReturn:
    raise ValueError("NaN and Infinity are no JSON")


def _keys_of_line(file: Path, number: int, line: str, decode: Any) -> tuple[str, ...]:
    try:
        keys = decode(line)
    except (ValueError, RecursionError):
        raise InputError(f"{file.name}, line {number} is not valid JSON: expected one object a line") from None
    if not isinstance(keys, tuple):
        raise InputError(f"{file.name}, line {number} is not a JSON object: expected one object a line")
    return keys


def _refuse_twice(file: Path, number: int, keys: tuple[str, ...]) -> None:
    twice = [f"{name} ({n} times)" for name, n in Counter(keys).items() if n > 1]
    if twice:
        raise InputError(
            f"{file.name}, line {number}: duplicate column name {', '.join(twice)}: "
            "rename them before releasing anything"
        )
