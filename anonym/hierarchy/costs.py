"""The normalised certainty penalty of every node: how much of the column's range, or of its values, it covers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.hierarchy.axis import SAFE, unscaled
from anonym.hierarchy.tree import Tree

HUGE = 2.0**1000


def costs(domain: pl.Series, tree: Tree, *, by_label: bool) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """(covered, cost) of every node: distinct originals, and the normalised certainty penalty.

    With `by_label` (hierarchy files) inner nodes of one label cover what all of them cover: an uneven tree repeats a
    parent at the next level, and who reads the label cannot tell which of the two it is.
    """
    leaves, nodes = len(domain), len(tree.labels)
    group = _by_label(tree) if by_label else np.arange(nodes)
    owner = group[tree.ancestor]
    covered = sum((np.bincount(row, minlength=nodes) for row in _first_seen(owner)), np.zeros(nodes, np.int64))[group]
    if domain.dtype.is_numeric() or domain.dtype.is_temporal():
        cost = _extent(domain.drop_nulls(), owner, nodes)[group]
    else:
        cost = np.maximum(covered - 1, 0) / max(leaves - 1, 1)
    if tree.labels.last() == "*":
        covered[tree.root], cost[tree.root] = leaves, float(leaves > 1)
    return covered, cost


def _first_seen(owner: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """For each level the owners of the leaves that have not had the same one at a level before."""
    for level, row in enumerate(owner):
        yield row[(row != owner[:level]).all(axis=0)]


def _by_label(tree: Tree) -> NDArray[np.int64]:
    """The first inner node with the label of each node; leaves keep to themselves."""
    inner = pl.DataFrame({"label": tree.labels}).with_row_index("node").with_columns(pl.col("node").cast(pl.Int64))
    is_leaf = pl.col("node") <= int(tree.ancestor[0].max(initial=-1, where=tree.ancestor[0] != tree.root))
    first = pl.col("node").min().over("label", is_leaf)
    return inner.select(pl.when(is_leaf).then("node").otherwise(first)).to_series().to_numpy()


def _extent(values: pl.Series, owner: NDArray[np.int64], nodes: int) -> NDArray[np.float64]:
    """(nodes,) largest minus smallest value under each node, as a share of the whole range; 0 for nodes without."""
    place = _places(values)
    if len(place) < 2:
        return np.zeros(nodes)
    first, last = np.full(nodes, len(place)), np.full(nodes, -1)
    for row in owner[:, : len(place)]:
        at, low, high = np.arange(len(row)), first.copy(), last.copy()
        low[row[::-1]] = at[::-1]  # of equal indices the last assignment stays: the smallest leaf
        high[row] = at
        first, last = np.minimum(first, low), np.maximum(last, high)
    extent = np.zeros(nodes)
    filled = last >= 0
    extent[filled] = (place[last[filled]] - place[first[filled]]) / (place[-1] - place[0])
    return extent


def _places(values: pl.Series) -> NDArray[Any]:
    """Numbers whose differences are exact for integers, Decimals and times, and finite for floats."""
    if values.dtype.is_float():
        points = values.cast(pl.Float64).to_numpy()
        is_vast = bool((np.abs(points) > HUGE).any())  # a quarter of a tiny one would be 0
        return points / 4 if is_vast else points
    units = unscaled(values)
    is_wide = len(units) > 0 and int(units[-1]) - int(units[0]) >= SAFE
    return units.astype(object) if is_wide else units
