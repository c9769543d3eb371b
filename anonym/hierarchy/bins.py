"""Bins of sensitive columns: values that count as one for l and t, while they are released as they are."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.hierarchy.build import build
from anonym.hierarchy.encode import leaf_code
from anonym.hierarchy.model import Breaks, Hierarchy, Interval
from anonym.hierarchy.places import entries

Bins = Interval | Breaks  # of one level


def bins_of(column: str, declared: Bins, domain: pl.Series) -> Hierarchy:
    """The bins over a sensitive column's `domain`: level 1 of the hierarchy."""
    return build(column, declared, domain)


def bin_numbers(bins: Hierarchy) -> NDArray[np.int32]:
    """(leaves,) the bin of each original, numbered from 0 in natural order; null, where observed, is the last."""
    numbers: NDArray[np.int32] = bins.ancestor[1] - bins.leaves
    return numbers


def bin_domain(bins: Hierarchy) -> pl.Series:
    """The bins that occur, Int32, sorted, null last: the domain that `binned` columns have."""
    numbers = np.unique(bin_numbers(bins)).tolist()
    has_null = bins.domain.null_count() > 0
    return pl.Series(bins.column, [*numbers[: len(numbers) - has_null], *[None] * has_null], dtype=pl.Int32)


def binned(frame: pl.LazyFrame, bins: Mapping[str, Hierarchy]) -> pl.LazyFrame:
    """The frame with the number of each value's bin in the place of these columns' values; null stays null."""
    return frame.with_columns(_binned(hierarchy) for hierarchy in bins.values()) if bins else frame


def _binned(bins: Hierarchy) -> pl.Expr:
    table = pl.Series(bin_numbers(bins))
    if bins.domain.null_count():
        table[len(table) - 1] = None
    code = leaf_code(bins.domain, bins.column)
    gather = code.map_batches(lambda c: entries(table, c), return_dtype=pl.Int32, is_elementwise=True)
    return gather.alias(bins.column)
