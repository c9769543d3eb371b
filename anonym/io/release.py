"""A release file as it stands on disk, and which types each format brings back."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from anonym.errors import CallError, type_name
from anonym.io.formats import KINDS, kind_of
from anonym.io.formulas import texts_of, unquoted
from anonym.io.lines import literal
from anonym.io.partitions import read_partitions
from anonym.io.separated import separator_of

# What the JSON reader cannot build, and what it reads in its place.
_WIDER: Mapping[type[pl.DataType], pl.DataType] = {
    pl.Int8: pl.Int64(),
    pl.Int16: pl.Int64(),
    pl.UInt8: pl.Int64(),
    pl.UInt16: pl.Int64(),
    pl.Decimal: pl.String(),
    pl.Time: pl.String(),
}


def written(path: Path, columns: Mapping[str, pl.DataType] | None = None, *, quoted: bool = False) -> pl.LazyFrame:
    """A release as it stands on disk; CSV, JSON lines and partitions are read back with the columns' types.

    `quoted`: formulas of a CSV file were written with an apostrophe before them, which is taken away.
    """
    kind = kind_of(path)
    if path.is_dir():
        return read_partitions(path, columns)
    if kind == "parquet":
        return pl.scan_parquet(path, glob=False, hive_partitioning=False)
    if kind == "arrow":
        return pl.scan_ipc(path, glob=False, hive_partitioning=False)
    schema = dict(columns) if columns else None
    if kind == "csv":
        frame = pl.scan_csv(path, schema=schema, separator=separator_of(path), glob=False, empty_string_is_null=True)
        return frame.with_columns(map(unquoted, texts_of(frame.collect_schema()))) if quoted else frame
    return _json_back(path, schema)


def _json_back(path: Path, schema: dict[str, pl.DataType] | None) -> pl.LazyFrame:
    if schema is None:
        return pl.scan_ndjson(literal(path), infer_schema_length=None)
    read = {name: _WIDER.get(type(dtype), dtype) for name, dtype in schema.items()}
    back = [_narrowed(name, dtype) for name, dtype in schema.items() if read[name] != dtype]
    return pl.scan_ndjson(literal(path), schema=read).with_columns(back)


def _narrowed(name: str, dtype: pl.DataType) -> pl.Expr:
    column = pl.col(name)
    return column.str.to_time("%H:%M:%S%.f") if dtype == pl.Time else column.cast(dtype)


def refuse_unwritable(ending: str, schema: Mapping[str, pl.DataType]) -> None:
    """Raise CallError where a file of this ending cannot hold a column, or would not give it back as it was.

    CSV holds no lists, arrays, structs, bytes or durations; JSON lines no bytes or durations, and inside nested
    columns no decimals or times either. Neither holds Python objects, CSV no column that is null by type.
    """
    kind = KINDS.get(ending.lower())
    fits = {"csv": _fits_csv, "jsonl": _fits_json}.get(kind or "")
    wrong = [f"{name} ({type_name(dtype)})" for name, dtype in schema.items() if fits is not None and not fits(dtype)]
    if wrong:
        raise CallError(
            f"a {ending} file cannot hold {'columns' if len(wrong) > 1 else 'column'} {', '.join(wrong)}: "
            "write the release to a .parquet file, or drop what cannot be written"
        )


def _fits_csv(dtype: pl.DataType) -> bool:
    return not dtype.is_nested() and not isinstance(dtype, (pl.Binary, pl.Duration, pl.Null, pl.Object))


def _fits_json(dtype: pl.DataType) -> bool:
    return isinstance(dtype, (pl.Decimal, pl.Time)) or _fits_inside(dtype)


def _fits_inside(dtype: pl.DataType) -> bool:
    match dtype:
        case pl.List(inner=inner) | pl.Array(inner=inner):
            return _fits_inside(_made(inner))
        case pl.Struct(fields=fields):
            return bool(fields) and all(_fits_inside(_made(field.dtype)) for field in fields)
    return not isinstance(dtype, (pl.Binary, pl.Duration, pl.Object, pl.Decimal, pl.Time))


def _made(dtype: Any) -> pl.DataType:
    """An inner type, which Polars may hold as a class."""
    made: pl.DataType = dtype() if isinstance(dtype, type) else dtype
    return made
