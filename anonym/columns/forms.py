"""Release forms of quasi-identifiers: leaf or node codes become the released column or columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import polars as pl

from anonym.errors import Fault, PolicyError
from anonym.hierarchy.encode import leaf_code
from anonym.hierarchy.model import Hierarchy
from anonym.hierarchy.places import entries

Form = Literal["label", "bounds", "set", "representative"]
SET_IS_LOCAL = "sets need local recoding: expected `label`, `bounds` or `representative`, or search.strategy `local`"


def release(hierarchy: Hierarchy, level: int, form: Form = "label", code: pl.Expr | None = None) -> list[pl.Expr]:
    """The released column(s) of a global recoding: every value as its node at `level`.

    `code` gives the rows' leaf codes (Int32); without it they are taken from the raw column of the hierarchy's name.
    Forms `label` (one String column) and `bounds` (`NAME_low`, `NAME_high`, inclusive, the column's own type).
    Raises PolicyError for a form that the hierarchy does not have.
    """
    code = leaf_code(hierarchy.domain, hierarchy.column) if code is None else code
    node_of_leaf = pl.Series(hierarchy.ancestor[level])
    tables = {name: of_node.gather(node_of_leaf) for name, of_node in node_tables(hierarchy, form).items()}
    return release_tables(tables, code)


def release_tables(tables: Mapping[str, pl.Series], code: pl.Expr) -> list[pl.Expr]:
    """The released column(s) by name, each a table that `code` gives the place in for each row."""
    return [_gathered(code, table, name) for name, table in tables.items()]


def released_schema(name: str, dtype: pl.DataType, form: Form) -> dict[str, pl.DataType]:
    """Names and types of the released column(s) of a quasi-identifier of type `dtype`."""
    if form == "label":
        return {name: pl.String()}
    if form == "bounds":
        return {f"{name}_low": dtype, f"{name}_high": dtype}
    # a category type names all its values, also those that no released row has; nulls alone have the labels' type
    plain = pl.String() if isinstance(dtype, pl.Categorical | pl.Enum | pl.Null) else dtype
    return {name: plain if form == "representative" else pl.List(plain)}


def node_tables(hierarchy: Hierarchy, form: Form) -> dict[str, pl.Series]:
    """What each released column holds for each node. Raises PolicyError for a form that the hierarchy has not."""
    if form == "label":
        return {hierarchy.column: hierarchy.labels}
    if form == "bounds" and hierarchy.low is not None and hierarchy.high is not None:
        return {f"{hierarchy.column}_low": hierarchy.low, f"{hierarchy.column}_high": hierarchy.high}
    if form == "set":
        raise PolicyError([Fault(f"columns.{hierarchy.column}.form", SET_IS_LOCAL)])
    expected = (
        "expected `label`, for `bounds` needs numbers or dates, and a hierarchy that knows what lies between them "
        "(`interval`, `breaks`, `round`, `date`, `suppress`)"
    )
    raise PolicyError([Fault(f"columns.{hierarchy.column}.form", expected)])


def _gathered(code: pl.Expr, table: pl.Series, name: str) -> pl.Expr:
    """Each code's entry of the table, batch by batch: as fast as a copy, where a join costs twice that."""
    table = table.rechunk()
    gather: Callable[[pl.Series], pl.Series] = lambda codes: entries(table, codes)  # noqa: E731
    return code.map_batches(gather, return_dtype=table.dtype, is_elementwise=True).alias(name)
