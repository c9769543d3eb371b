"""Hive partitions: folders `name=value` whose values are a column that the files in them lack."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import polars as pl

from anonym.errors import InputError
from anonym.io.options import ReadOptions

NULL = "__HIVE_DEFAULT_PARTITION__"
MOST = 20_000  # partitions: a scan each

_INTEGER = re.compile(r"0|-?[1-9]\d{0,17}")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def partition_of(file: Path) -> dict[str, str | None]:
    """The columns that the folders directly above a file stand for, outermost first; empty where there are none."""
    parts: dict[str, str | None] = {}
    for folder in file.absolute().parents:
        name, equals, value = folder.name.partition("=")
        if not (equals and name):
            break
        if unquote(name) in parts:
            raise InputError(f"{file.name}: its folders name the partition column {unquote(name)} twice")
        parts[unquote(name)] = None if value == NULL else unquote(value)
    return dict(reversed(parts.items()))


def scan_partitions(
    files: list[Path], scan: Callable[[list[Path]], pl.LazyFrame], options: ReadOptions
) -> pl.LazyFrame:
    """The files as one frame with a column for each partition name, after those of the files.

    Types: as `input.types` says, else whole numbers or dates where every value is one, else text; text too for
    columns that stay text. Raises InputError where files differ in their partition columns, or hold one themselves.
    """
    groups: dict[tuple[tuple[str, str | None], ...], list[Path]] = {}
    for file in files:
        groups.setdefault(tuple(partition_of(file).items()), []).append(file)
    names = [name for name, _ in next(iter(groups))]
    if any([name for name, _ in group] != names for group in groups):
        raise InputError("the files do not lie in the same partition columns: give one partitioned folder per run")
    if len(groups) > MOST:
        raise InputError(f"{len(groups)} partitions: more than {MOST} cannot be read in one run")
    inside = scan(files).collect_schema()
    if twice := [name for name in names if name in inside]:
        raise InputError(f"partition columns that the files hold too: {', '.join(twice)}; remove one of the two")
    values = {name: [dict(group)[name] for group in groups] for name in names}
    types = {name: _type(name, values[name], options) for name in names}
    frames = [_with(scan(group), values, types, place) for place, group in enumerate(groups.values())]
    return pl.concat(frame.select(*inside.names(), *names) for frame in frames)


def _with(
    frame: pl.LazyFrame, values: Mapping[str, list[str | None]], types: Mapping[str, pl.DataType], place: int
) -> pl.LazyFrame:
    return frame.with_columns(
        pl.lit(_typed(name, values[name][place], types[name]), types[name]).alias(name) for name in values
    )


def _typed(name: str, text: str | None, dtype: pl.DataType) -> Any:
    """The value of a folder. Raises InputError where it is not of the declared type."""
    if text is None or dtype == pl.String:
        return text
    try:
        if dtype == pl.Boolean:
            return {"true": True, "false": False}[text.lower()]
        if dtype == pl.Date:
            return date.fromisoformat(text)
        if dtype.is_temporal():
            return datetime.fromisoformat(text)
        return int(text) if dtype.is_integer() else float(text)
    except (ValueError, KeyError):
        raise InputError(f"partition column {name}: a folder's value is no {dtype}; see input.types") from None


def _type(name: str, values: list[str | None], options: ReadOptions) -> pl.DataType:
    if name in options.types:
        return options.typed([name])[name]
    there = [value for value in values if value is not None]
    if not there or options.as_text(name):
        return pl.String()
    if all(_INTEGER.fullmatch(value) for value in there):
        return pl.Int64()
    if all(_DATE.fullmatch(value) for value in there):
        dates = pl.Series(there).str.to_date("%Y-%m-%d", strict=False)
        return pl.String() if dates.null_count() else pl.Date()
    return pl.String()
