"""A digest of what a table says about its classes, whatever its row order and file layout."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from anonym.verify.codes import Classes, Coded, Integers, classes_of, first_rows, tally
from anonym.verify.facts import Facts
from anonym.verify.reading import Columns, collected, is_text, schema_of


def digest(release: pl.LazyFrame, facts: Facts, read: Columns | None = None, owner: Integers | None = None) -> str:
    """SHA-256, in hexadecimal, of the release's class table: quasi-identifiers, counts, sensitive histograms.

    `read` are the release's columns where they have been read already, `owner` the class of each row where it is known.
    """
    columns = [name for quasi in facts.quasi for name in quasi.released]
    return _fed(hashlib.sha256(), read or _columns(release), columns, facts, owner)


def keyed_digest(key: bytes, original: pl.LazyFrame, facts: Facts) -> str:
    """HMAC-SHA256 of the input's class table. Without the key nobody can test a guess of the input against it."""
    columns = [quasi.name for quasi in facts.quasi]
    return _fed(hmac.new(key, digestmod="sha256"), _columns(original), columns, facts)


def _columns(frame: pl.LazyFrame) -> Columns:
    return Columns(frame, int(collected(frame.select(pl.len()), "counting rows for the digest").item()))


def _fed(
    state: hashlib._Hash | hmac.HMAC,
    read: Columns,
    columns: Sequence[str],
    facts: Facts,
    owner: Integers | None = None,
) -> str:
    for part in _parts(read, columns, [fact.name for fact in facts.sensitive], owner):
        state.update(len(part).to_bytes(8, "big"))
        state.update(part)
    return state.hexdigest()


def _parts(read: Columns, columns: Sequence[str], sensitive: Sequence[str], owner: Integers | None) -> Iterator[bytes]:
    """Names and kinds; the sorted distinct values of each column; the class table, and each histogram, as positions
    in those with counts. Every part goes with its length, so no two tables give the same bytes.
    """
    schema = schema_of(read.frame)
    yield json.dumps([len(columns), [[name, _kind(schema[name])] for name in (*columns, *sensitive)]]).encode()
    read.read([*columns, *sensitive])
    owner = classes_of(map(read.coded, columns), read.rows) if owner is None else owner
    first = first_rows(owner)
    table = Classes(len(first))  # the distinct tuples are numbered as the rows are
    for name in columns:
        column = read.coded(name)
        yield from _values(column.values)
        table.number()
        table.split(Coded(column.values, column.codes[first]))
        for part in np.divmod(table.number(), max(1, column.size)):  # class so far, and position in this column
            yield _numbers(part)
    yield _numbers(np.bincount(owner))
    for name in sensitive:
        column = read.coded(name)
        yield from _values(column.values)
        (holder, position), count = tally(owner, column.codes)
        yield from map(_numbers, (holder, position, count))


def _values(values: pl.Series) -> Iterator[bytes]:
    """Distinct values as texts: how many are null, each one's length in bytes, then all of them."""
    present = values.drop_nulls()
    if present.dtype.is_nested():
        present = pl.Series(map(repr, present.to_list()), dtype=pl.String)
    if present.dtype in (pl.Duration, pl.Time):  # their texts do not exist, or end at microseconds
        present = present.to_physical()
    texts = present.bin.encode("hex") if present.dtype == pl.Binary else present.cast(pl.String)
    yield str(values.null_count()).encode()
    yield _numbers(texts.str.len_bytes().cast(pl.Int64).to_numpy())
    yield "".join(texts.to_list()).encode()


def _numbers(numbers: Integers) -> bytes:
    return numbers.astype("<i8").tobytes()


def _kind(dtype: pl.DataType) -> str:
    """The kind of value, so that the number 1 and the text `1` differ while Int32 and Int64 do not."""
    kinds = {"integer": dtype.is_integer(), "float": dtype.is_float(), "decimal": dtype.is_decimal()}
    other = "text" if is_text(dtype) else dtype.base_type().__name__
    return next((kind for kind, fits in kinds.items() if fits), other)
