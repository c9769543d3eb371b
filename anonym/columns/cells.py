"""Cells of a local recoding that are no nodes of a hierarchy: intervals of values, and sets of members."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.errors import InternalError
from anonym.hierarchy.model import Hierarchy

Codes = NDArray[np.integer]
WORD = 64
STAR = -1  # as an end: the cell is `*`


def interval_ends(
    hierarchy: Hierarchy, low: Codes, high: Codes, held: NDArray[np.int64], k: int
) -> tuple[pl.Series, pl.Series]:
    """(classes,) twice: what is printed for the first and the last leaf of each class, inclusive.

    An end is its leaf's own value where at least k hold it (`held` (leaves,)), else the cut of the hierarchy there.
    The end of a top- or bottom-coded value is null: open. Both are null for `*` and for the null leaf alone.
    Raises InternalError for an end that is neither.
    """
    starts, stops = _printed(hierarchy, held, k, first=True), _printed(hierarchy, held, k, first=False)
    values = len(hierarchy.domain.drop_nulls())
    is_cell = (low != STAR) & (low < values)
    if not (starts[1][low[is_cell]].all() and stops[1][high[is_cell]].all()):
        raise InternalError(f"column {hierarchy.column}: an end is neither held by k nor a cut")
    at = pl.DataFrame({"low": low, "high": high, "cell": is_cell})
    at = at.select(pl.when("cell").then(pl.col(name)).alias(name) for name in ("low", "high"))
    return starts[0].gather(at["low"]).alias("low"), stops[0].gather(at["high"]).alias("high")


def intervals(hierarchy: Hierarchy, low: Codes, high: Codes, held: NDArray[np.int64], k: int) -> pl.Series:
    """(classes,) List of two: the ends of `interval_ends`; `[null]` for the null leaf alone, null for `*`."""
    first, last = interval_ends(hierarchy, low, high, held, k)
    frame = pl.DataFrame([first, last, pl.Series("null", low >= len(hierarchy.domain.drop_nulls())), _star(low)])
    return frame.select(
        pl.when("star")
        .then(None)
        .when("null")
        .then(pl.concat_list(pl.lit(None, first.dtype)))
        .otherwise(pl.concat_list("low", "high"))
        .alias(hierarchy.column)
    ).to_series()


def member_sets(hierarchy: Hierarchy, members: NDArray[np.uint64]) -> pl.Series:
    """(classes,) sorted List of the members whose bits are set, null last among them; null where all are."""
    bits = np.unpackbits(members.view(np.uint8), axis=1, bitorder="little")[:, : hierarchy.leaves]
    owner, leaf = np.nonzero(bits)
    stops = np.cumsum(bits.sum(axis=1, dtype=np.int64))
    rows = pl.DataFrame({"owner": owner, "value": hierarchy.domain.gather(leaf)})
    sets = rows.group_by("owner", maintain_order=True).agg("value")["value"]
    if len(sets) != len(stops):
        raise InternalError(f"column {hierarchy.column}: a set without members")
    whole = pl.Series("star", bits.all(axis=1) & (hierarchy.leaves > 1))
    return (
        pl.DataFrame([sets, whole]).select(pl.when(~pl.col("star")).then("value").alias(hierarchy.column)).to_series()
    )


def _star(low: Codes) -> pl.Series:
    return pl.Series("star", low == STAR)


def _printed(
    hierarchy: Hierarchy, held: NDArray[np.int64], k: int, *, first: bool
) -> tuple[pl.Series, NDArray[np.bool_]]:
    """(values,) what each leaf prints as an end, and whether it may be one: finest first, open ends null."""
    values = len(hierarchy.domain.drop_nulls())
    printed, known = hierarchy.domain[:values], held[:values] >= k
    bounds, other = (hierarchy.low, hierarchy.high) if first else (hierarchy.high, hierarchy.low)
    if bounds is None or other is None:
        return printed, known
    if hierarchy.finest:  # single values are not released, so neither are they as ends
        known = np.zeros(values, np.bool_)
    for level in range(hierarchy.finest, hierarchy.levels):
        node = hierarchy.ancestor[level][:values]
        bound, opposite = bounds.gather(node), other.gather(node)
        is_value = (bound == opposite).fill_null(False)
        is_range = ((bound.is_not_null() | opposite.is_not_null()) & ~is_value).to_numpy()
        edge = np.append(True, node[1:] != node[:-1]) if first else np.append(node[1:] != node[:-1], True)
        fresh = edge & is_range & ~known
        if level == hierarchy.finest:  # coded or open ends come before anything else
            fresh |= is_range & (bound.is_null() | opposite.is_null()).to_numpy()
        frame = pl.DataFrame([printed.alias("old"), bound.alias("new"), pl.Series("fresh", fresh)])
        printed = frame.select(pl.when("fresh").then("new").otherwise("old")).to_series()
        known = known | fresh
    return printed, known
