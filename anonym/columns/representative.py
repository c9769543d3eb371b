"""Form `representative`: one value of the column's own type stands for all originals of a cell."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.hierarchy.ends import is_line
from anonym.hierarchy.model import Hierarchy

Ints = NDArray[np.int64]


def representatives(
    hierarchy: Hierarchy,
    group: NDArray[np.integer],
    leaf: NDArray[np.integer],
    rows: NDArray[np.integer],
    blank: NDArray[np.bool_],
    held: Ints,
    k: int,
) -> pl.Series:
    """(groups,) a value for each group of leaves: `rows[i]` rows of `leaf[i]` lie in `group[i]`.

    Numbers and dates: the mean, rounded to the column's type and never outside the group's values, coded ends counting
    as their cut. Other types: the group's most frequent value (null is one) among those that at least k hold (`held`
    (leaves,)), the first of equals; null where there is none. Null wherever `blank` (groups,) says so: `*`.
    """
    on_line = is_line(hierarchy)
    inside = (rows > 0) & ~blank[group]
    if on_line:
        inside &= leaf < len(hierarchy.domain.drop_nulls())
    else:
        inside &= held[leaf] >= k
    entries = pl.DataFrame({"group": group[inside], "leaf": leaf[inside], "rows": rows[inside]})
    found = _means(hierarchy, entries) if on_line else _modes(hierarchy, entries)
    every = pl.DataFrame({"group": np.arange(blank.size)})
    return every.join(found, on="group", how="left", maintain_order="left")["value"].alias(hierarchy.column)


def _modes(hierarchy: Hierarchy, entries: pl.DataFrame) -> pl.DataFrame:
    most = (
        entries.group_by("group", "leaf")
        .agg(pl.col("rows").sum())
        .sort("group", "rows", "leaf", descending=[False, True, False])
        .unique("group", keep="first", maintain_order=True)
    )
    return most.select("group", hierarchy.domain.gather(most["leaf"]).alias("value"))


def _means(hierarchy: Hierarchy, entries: pl.DataFrame) -> pl.DataFrame:
    """Least value + mean distance from it: exact where a plain sum of large numbers would not be."""
    points = _points(hierarchy).gather(entries["leaf"]).alias("value")
    line = points.to_physical() if not isinstance(points.dtype, pl.Decimal) else points.cast(pl.Float64)
    whole = not line.dtype.is_float()
    away = pl.col("line") - pl.col("line").min()
    mean = (away.cast(pl.Float64) * pl.col("rows")).sum() / pl.col("rows").sum()
    step = mean.round().cast(pl.Int128) if whole else mean
    wide = line.cast(pl.Int128) if whole else line.cast(pl.Float64)
    found = (
        entries.with_columns(points, wide.alias("line"))
        .group_by("group")
        .agg(pl.col("value").min().alias("least"), pl.col("value").max().alias("most"), pl.col("line").min() + step)
    )
    mean_of = pl.col("line").cast(line.dtype, strict=False).cast(points.dtype, strict=False)
    finite = pl.coalesce(mean_of, "least")
    within = (
        pl.when(finite < pl.col("least")).then("least").when(finite > pl.col("most")).then("most").otherwise(finite)
    )
    return found.select("group", within.alias("value"))


def _points(hierarchy: Hierarchy) -> pl.Series:
    """(values,) each value, or the cut it is coded to (`>=90` counts as 90)."""
    values = hierarchy.domain.drop_nulls()
    if hierarchy.low is None or hierarchy.high is None:
        return values
    node = hierarchy.ancestor[0][: len(values)]
    frame = pl.DataFrame(
        [values.alias("value"), hierarchy.low.gather(node).alias("low"), hierarchy.high.gather(node).alias("high")]
    )
    return frame.select(pl.coalesce("low", "high", "value")).to_series()
