"""Cells of a local recoding that are no nodes of a hierarchy: intervals of values, and sets of members."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.errors import Fault, InternalError, PolicyError
from anonym.hierarchy.ends import STAR, ends_of
from anonym.hierarchy.model import Hierarchy

Codes = NDArray[np.integer]


def interval_ends(
    hierarchy: Hierarchy, low: Codes, high: Codes, held: NDArray[np.int64], k: int
) -> tuple[pl.Series, pl.Series]:
    """(classes,) twice: what is printed for the first and the last leaf of each class, inclusive.

    An open end is null. Both are null for `*`, for an interval open to both sides, which covers as much, and for the
    null leaf alone. Raises PolicyError where `coarsest` leaves a cell no end that may be told, as can be in a hierarchy
    without bounds; InternalError for another end that `hierarchy.ends` does not allow.
    """
    starts, stops = ends_of(hierarchy, held, k, first=True), ends_of(hierarchy, held, k, first=False)
    values = len(hierarchy.domain.drop_nulls())
    is_cell = (low != STAR) & (low < values)
    if not (starts.allowed[low[is_cell]].all() and stops.allowed[high[is_cell]].all()):
        raise _untold(hierarchy)
    at = pl.DataFrame({"low": low, "high": high, "cell": is_cell})
    at = at.select(pl.when("cell").then(pl.col(name)).alias(name) for name in ("low", "high"))
    return starts.printed.gather(at["low"]).alias("low"), stops.printed.gather(at["high"]).alias("high")


def _untold(hierarchy: Hierarchy) -> PolicyError | InternalError:
    if hierarchy.low is not None:
        return InternalError(f"column {hierarchy.column}: an end is neither held by k nor a cut")
    expected = (
        "expected the last level, or form `label`: nothing says what lies between two leaves of this hierarchy, so an "
        "interval ends at values that k hold, and some of its nodes at this level have none to both sides"
    )
    return PolicyError([Fault(f"columns.{hierarchy.column}.coarsest", expected)])


def intervals(hierarchy: Hierarchy, low: Codes, high: Codes, held: NDArray[np.int64], k: int) -> pl.Series:
    """(classes,) List of two: the ends of `interval_ends`; `[null]` for the null leaf alone, null for `*`."""
    first, last = interval_ends(hierarchy, low, high, held, k)
    frame = pl.DataFrame([first, last, pl.Series("null", low >= len(hierarchy.domain.drop_nulls()))])
    return frame.select(
        pl.when("null")
        .then(pl.concat_list(pl.lit(None, first.dtype)))
        .when(pl.col("low").is_not_null() | pl.col("high").is_not_null())
        .then(pl.concat_list("low", "high"))
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
