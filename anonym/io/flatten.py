"""Struct columns as one column a field: a JSON object `address` becomes `address.city`, `address.zip`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import polars as pl

from anonym.errors import InputError


def flattened(frame: pl.LazyFrame, names: Sequence[str]) -> pl.LazyFrame:
    """The frame with every field of the structs among `names` as a column of its own, in the struct's place.

    A field is named after its struct and itself, with a point between; structs within structs are taken apart too, but
    no lists. Where a struct is null, so are its fields. Columns that are missing or no structs are left alone. Raises
    InputError where two columns would have one name.
    """
    if not names:
        return frame
    schema = frame.collect_schema()
    parts = [part for name in schema for part in _parts(pl.col(name), name, schema[name], name in names)]
    twice = [name for name, count in Counter(name for name, _ in parts).items() if count > 1]
    if twice:
        raise InputError(
            f"flattening gives two columns the name {', '.join(twice)}: rename the input's column or the struct's field"
        )
    return frame.select(expression.alias(name) for name, expression in parts)


def _parts(column: pl.Expr, name: str, dtype: pl.DataType, is_named: bool) -> Iterator[tuple[str, pl.Expr]]:
    if not (is_named and isinstance(dtype, pl.Struct)):
        yield name, column
        return
    for field in dtype.fields:
        inner = field.dtype() if isinstance(field.dtype, type) else field.dtype
        yield from _parts(column.struct.field(field.name), f"{name}.{field.name}", inner, is_named)
