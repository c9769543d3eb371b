"""A random sample of people, whole: all rows of whoever is drawn."""

from __future__ import annotations

import numpy as np
import polars as pl


def sampled(frame: pl.DataFrame, unit: str | None, people: int, seed: int) -> pl.DataFrame:
    """At most `people` units (rows without a unit) of a table, its order kept.

    The draw depends on `seed` and, with a unit, on the set of units, not on the order of rows. Rows of no unit are
    together one.
    """
    generator = np.random.default_rng([seed, 0x5A3B])
    if unit is None or unit not in frame.columns:
        if frame.height <= people:
            return frame
        return frame[np.sort(generator.choice(frame.height, people, replace=False))]
    units = frame[unit].unique().sort()
    if len(units) <= people:
        return frame
    chosen = units.gather(np.sort(generator.choice(len(units), people, replace=False)))
    return frame.filter(pl.col(unit).is_in(chosen.implode(), nulls_equal=True))
