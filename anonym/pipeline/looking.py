"""A careful look at the data under a policy: what `anonym explain POLICY DATA` says beside what the policy does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from anonym.errors import InputError
from anonym.hierarchy import encode
from anonym.hierarchy.labels import leaf_text
from anonym.hierarchy.model import Hierarchy
from anonym.io import Source, guarded
from anonym.io.formulas import is_formula
from anonym.pipeline.profile import build_hierarchy
from anonym.policy import lint_data
from anonym.policy.model import Identifier, Keep, Policy, Quasi, Sensitive, Text
from anonym.policy.resolve import ResolvedColumn
from anonym.report.figures import plural


@dataclass(frozen=True)
class Look:
    """Notes with counts, and the values that hierarchies lack (raw data), as texts by column."""

    notes: tuple[str, ...]
    lacking: dict[str, pl.DataFrame]  # text, rows


def look(policy: Policy, source: Source, columns: Sequence[ResolvedColumn]) -> Look:
    """One pass a column. Raises InputError where a column does not fit its hierarchy at all."""
    notes: list[str] = []
    lacking = {}
    for column in columns:
        if isinstance(column.role, Quasi):
            found, gone = _quasi(policy, source, column, column.role)
            notes += [f"columns.{column.name}: {note}" for note in found]
            if gone.height:
                lacking[column.name] = gone
        elif isinstance(column.role, Keep):
            notes += [f"columns.{column.name}: {note}" for note in _kept(policy, source, column, columns)]
        if isinstance(column.role, Keep | Sensitive | Text) and policy.formulas == "keep":
            notes += [f"columns.{column.name}: {note}" for note in _formulas(source, column)]
    return Look(tuple(notes), lacking)


def _quasi(policy: Policy, source: Source, column: ResolvedColumn, quasi: Quasi) -> tuple[list[str], pl.DataFrame]:
    """Notes, and the values that the hierarchy lacks."""
    nothing = pl.DataFrame(schema={"text": pl.String, "rows": pl.Int64})
    with guarded(f"reading the values of column {column.name}"):
        values = encode.domain(source.frame, column.name, column.dtype, quasi.normalise, policy.unit)
    try:
        hierarchy = build_hierarchy(policy, source, column, replace(quasi, uncovered="suppress"), values)
    except InputError as error:
        return [f"it cannot be generalised: {error}"], nothing
    k = policy.guarantee.k if policy.guarantee else 1
    members = values["units" if policy.unit else "rows"]
    notes = list(lint_data.of_quasi(quasi, hierarchy, members, k, "unit" if policy.unit else "row"))
    return notes, _lacking(values, hierarchy)


def _lacking(values: pl.DataFrame, hierarchy: Hierarchy) -> pl.DataFrame:
    gone = pl.Series(np.flatnonzero(hierarchy.suppressed), dtype=pl.UInt32)
    return pl.DataFrame([leaf_text(values["value"]).gather(gone).alias("text"), values["rows"].gather(gone)])


def _formulas(source: Source, column: ResolvedColumn) -> Iterator[str]:
    """Texts that a spreadsheet would run, if they were in a CSV file."""
    if encode.canonical_type(column.dtype) != pl.String:
        return
    with guarded(f"looking for formulas in column {column.name}"):
        text = source.frame.select(pl.col(column.name).cast(pl.String))
        rows = text.select(is_formula(column.name).sum()).collect(engine="streaming").item()
    if rows:
        yield (
            f"{plural(rows, 'row')} begin as formulas do (= + - @): a spreadsheet that opens a CSV release runs them; "
            "`output: {formulas: quote}` puts an apostrophe before them"
        )


def _kept(policy: Policy, source: Source, column: ResolvedColumn, columns: Sequence[ResolvedColumn]) -> Iterator[str]:
    """How well a kept column tells each identifier."""
    k = policy.guarantee.k if policy.guarantee else 2
    for other in columns:
        if not isinstance(other.role, Identifier) or other.dtype.is_nested() or column.dtype.is_nested():
            continue
        pairs = source.frame.select(pl.col(column.name).alias("value"), pl.col(other.name).alias("identifier"))
        told = pairs.drop_nulls().group_by("value").agg(pl.col("identifier").n_unique().alias("identifiers"))
        with guarded(f"comparing columns {column.name} and {other.name}"):
            counts = told.select("identifiers").collect(engine="streaming")
        yield from lint_data.of_kept(counts, other.name, k)
