"""What must be gone: identifiers as whole cells, as tokens' originals, and in their own row's text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from anonym.verify.aligned import Alignment
from anonym.verify.codes import counted
from anonym.verify.facts import Facts
from anonym.verify.printed import printed
from anonym.verify.reading import Columns, collected, is_text, schema_of

SHORTEST = 4  # characters of an identifier that is looked for; shorter ones stand everywhere by chance
LONG_NUMBER = 7  # digits from which a number is somebody's rather than any number
SLICE = 100_000  # rows of text looked at together


def whole_cells(aligned: Alignment, columns: Sequence[str], facts: Facts) -> pl.DataFrame:
    """Identifier values that stand as whole cells in `columns`: `cells` (the column they stand in), `value`, `rows`,
    and `column`, whose identifiers they are.
    """
    counted = [_counted(aligned.released, name).with_columns(cells=pl.lit(name)) for name in columns]
    found = pl.concat([_EMPTY, *counted]).filter(pl.col("value").str.len_chars() >= SHORTEST)
    cells = found["value"].unique()
    there = [_standing(aligned.original, fact.name, cells) for fact in facts.identifiers]
    return found.join(pl.concat([_EMPTY.select("value", column="cells"), *there]), on="value")


_EMPTY = pl.DataFrame(schema={"value": pl.String, "rows": pl.UInt32, "cells": pl.String})


def _counted(released: Columns, name: str) -> pl.DataFrame:
    """The distinct texts of a column and their rows: a release has few, and each is looked up once."""
    if released.is_read(name):
        column = released.coded(name)
        rows = counted(column.codes, column.size)
        table = pl.DataFrame([column.values.alias("value"), pl.Series("rows", rows, dtype=pl.UInt32)])
    else:
        counts = released.frame.group_by(pl.col(name).cast(pl.String).alias("value")).agg(rows=pl.len())
        table = collected(counts, f"looking for identifiers in column {name}")
    return table.drop_nulls("value").cast({"rows": pl.UInt32})


def _standing(original: pl.LazyFrame, name: str, cells: pl.Series) -> pl.DataFrame:
    """The texts among `cells` that an identifier column holds, too: `value`, `column`.

    Numbers and texts are looked for as they are, so that a column of millions of them need not be written out.
    """
    dtype, column = schema_of(original)[name], pl.col(name)
    frame = original.select(column)
    if dtype.is_integer():
        wanted = cells.cast(dtype, strict=False)
        wanted = wanted.filter((printed(wanted) == cells).fill_null(False))
        frame = frame.filter(column.is_in(wanted.implode())) if len(wanted) else frame.clear()
    elif dtype == pl.String:
        frame = frame.filter(column.is_in(cells.implode())) if len(cells) else frame.clear()
    distinct = collected(frame.unique(), f"reading column {name}")[name].drop_nulls()
    texts = printed(distinct).alias("value").to_frame()
    return texts.filter(pl.col("value").is_in(cells.implode())).with_columns(column=pl.lit(name))


def looks_identifying(value: pl.Expr) -> pl.Expr:
    """More than a plain word or a short number: `unknown` or `1200` may stand in anybody's text."""
    is_mixed = value.str.contains(r"\p{L}") & value.str.contains(r"[^\p{L}]")
    return is_mixed | (value.str.count_matches(r"\d") >= LONG_NUMBER)


def rows_of_rare_own(aligned: Alignment, column: str, found: pl.DataFrame, k: int) -> int:
    """Rows whose cell is their own identifier's value and is held by fewer than `k` members of the release.

    `found` lists, by `value` and `column`, which identifier values stand in the released `column` at all.
    """
    names = found["column"].unique().to_list()
    originals = aligned.originals(names)
    own = [printed(originals[name]).alias(f"own {name}") for name in names]
    cells = aligned.releases([column]).select(value=pl.col(column).cast(pl.String)).with_columns(own)
    member = pl.int_range(pl.len()) if aligned.unit is None else aligned.unit
    listed = cells.with_columns(member.alias("member")).filter(pl.col("value").is_in(found["value"].implode()))
    rare = listed.group_by("value").agg(pl.col("member").n_unique()).filter(pl.col("member") < k)["value"]
    is_own = pl.any_horizontal(pl.col("value") == pl.col(series.name) for series in own)
    return listed.filter(pl.col("value").is_in(rare.implode()) & is_own).height


def text_columns(schema: Mapping[str, pl.DataType]) -> list[str]:
    return [name for name, dtype in schema.items() if is_text(dtype)]


def rows_with_own(text: pl.Series, identifiers: pl.DataFrame) -> int:
    """Rows whose text holds, as a word and without regard to case, one of the same row's identifiers.

    ASCII rows are narrowed down by the engine; the rest, where lower case and case folding differ, row by row.
    """
    names = [f"own {name}" for name in identifiers.columns]
    table = identifiers.rename(dict(zip(identifiers.columns, names, strict=True))).with_columns(text.alias("text"))
    given = table.filter(pl.col("text").is_not_null())
    lower = given.with_columns(pl.col("text").str.to_lowercase().alias("lower"), _ascii("text").alias("ascii"))
    hits = lower.filter(pl.any_horizontal(_may_hold(name) for name in names))
    return sum(_holds(row[-1], row[:-1]) for row in hits.select(*names, "text").iter_rows())


def _may_hold(name: str) -> pl.Expr:
    own = pl.col(name).str.strip_chars()
    found = pl.col("lower").str.contains(own.str.to_lowercase(), literal=True)
    is_plain = pl.col("ascii") & _ascii(name)
    return (((own.str.len_chars() >= SHORTEST) & found) | ~is_plain).fill_null(False)


def _ascii(name: str) -> pl.Expr:
    return pl.col(name).str.len_bytes() == pl.col(name).str.len_chars()


def _holds(text: str, own: Iterable[str | None]) -> bool:
    folded = text.casefold()
    for value in own:
        wanted = value.strip().casefold() if value else ""
        if len(wanted) >= SHORTEST and wanted in folded and re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", folded):
            return True
    return False
