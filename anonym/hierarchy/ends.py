"""Which values an interval of a local recoding may begin or end with, and what is printed there: one rule for both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.hierarchy.model import Hierarchy

STAR = -1  # in the place of a leaf: the cell is `*`


@dataclass(frozen=True)
class Ends:
    """The non-null leaves as first (or last) of an interval."""

    printed: pl.Series  # (values,) inclusive, in the column's own type; null for an open end
    allowed: NDArray[np.bool_]  # (values,)


def ends_of(hierarchy: Hierarchy, held: NDArray[np.int64], k: int, *, first: bool) -> Ends:
    """An end is its leaf's own value where at least k hold it (`held` (leaves,)), else the cut of the hierarchy there.

    Of several cuts the finest counts. Nothing finer than the level `finest` is told, and a top- or bottom-coded value
    is open to its side. A node of a single value is no cut: who reads its bound reads the value.
    """
    values = len(hierarchy.domain.drop_nulls())
    printed, allowed = hierarchy.domain[:values], held[:values] >= k
    bounds, other = (hierarchy.low, hierarchy.high) if first else (hierarchy.high, hierarchy.low)
    if bounds is None or other is None:
        return Ends(printed, allowed)
    for level in range(hierarchy.finest, hierarchy.levels):
        node = hierarchy.ancestor[level][:values]
        bound, opposite = bounds.gather(node), other.gather(node)
        is_value = (bound == opposite).fill_null(False).to_numpy()
        is_range = (bound.is_not_null() | opposite.is_not_null()).to_numpy() & ~is_value
        edge = np.append(True, node[1:] != node[:-1]) if first else np.append(node[1:] != node[:-1], True)
        if level == hierarchy.finest:  # coded or open ends come before anything else
            allowed = allowed & is_value
            fresh = is_range & (edge | (bound.is_null() | opposite.is_null()).to_numpy())
        else:
            fresh = is_range & edge & ~allowed
        printed = bound.zip_with(pl.Series(fresh, dtype=pl.Boolean), printed)
        allowed = allowed | fresh
    return Ends(printed, allowed)


def is_line(hierarchy: Hierarchy) -> bool:
    """Numbers and dates, whose sets are intervals."""
    dtype = hierarchy.domain.dtype
    return dtype.is_numeric() or dtype.is_temporal()
