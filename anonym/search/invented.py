"""What rehearsals compile with: made up, and as small as can be."""

from __future__ import annotations

import numpy as np
import polars as pl

from anonym.hierarchy.model import Hierarchy, Suppress


def binary() -> Hierarchy:
    """Two values, and `*` above them."""
    return Hierarchy(
        column="",
        declaration=Suppress(),
        domain=pl.Series([0, 1]),
        ancestor=np.array([[0, 1], [2, 2]], np.int32),
        labels=pl.Series(["0", "1", "*"]),
        low=None,
        high=None,
        covered=np.array([1, 1, 2], np.int64),
        cost=np.array([0.0, 0.0, 1.0]),
        finest=0,
        coarsest=1,
        suppressed=np.zeros(2, np.bool_),
    )
