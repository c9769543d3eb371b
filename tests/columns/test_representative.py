"""One value for each group of leaves: the mean, of the column's own type, wherever it lies."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from anonym.columns.representative import representatives
from anonym.hierarchy.build import build
from anonym.hierarchy.encode import domain
from anonym.hierarchy.model import Suppress


@pytest.mark.parametrize(
    ("dtype", "values"),
    [
        (pl.Int8, [-128, 127, 127]),
        (pl.Int64, [-(2**63), 2**63 - 1, 2**63 - 1]),
        (pl.UInt64, [0, 2**64 - 1, 2**64 - 1]),
        (pl.Int128, [-(2**100), 2**100, 2**101]),
    ],
)
def test_the_mean_is_found_however_far_apart_the_values(dtype: type[pl.DataType], values: list[int]) -> None:
    column = pl.Series("a", values, dtype=dtype)
    found = domain(pl.LazyFrame([column]), "a", column.dtype)
    hierarchy = build("a", Suppress(), found["value"])
    leaves, none = len(found), np.zeros(1, np.bool_)
    everyone = np.zeros(leaves, np.int64)
    mean = representatives(hierarchy, everyone, np.arange(leaves), found["rows"].to_numpy(), none, everyone, 2)
    assert mean.dtype == dtype
    assert mean[0] == pytest.approx(sum(values) / 3, rel=1e-12, abs=0.5)
