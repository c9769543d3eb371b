"""What a declaration yields at one level, and what top and bottom coding leave for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

ROOT = -1  # in `Step.node`: the leaf lies directly under `*`


@dataclass(frozen=True)
class Step:
    """One level over the m leaves that are neither null nor coded away.

    `node` is (m,) with nodes numbered from 0 in the order of their first leaf, or ROOT. `low` and `high` are the
    nodes' inclusive nominal bounds in the column's own type, None where the hierarchy has none.
    """

    node: NDArray[np.int64]
    labels: pl.Series  # (nodes,) String
    low: pl.Series | None = None
    high: pl.Series | None = None


@dataclass(frozen=True)
class Window:
    """Top and bottom coding over the sorted leaves: those before `begin` are bottom-coded, from `end` on top-coded.

    Ends of times and durations are in seconds. `bottom_high` and `top_low` hold one value each, the inclusive bound of
    the coded node in the column's own type; empty where nothing is coded.
    """

    begin: int
    end: int
    bottom: Decimal | date | None
    top: Decimal | date | None
    bottom_high: pl.Series
    top_low: pl.Series


Steps = Callable[[Any, pl.Series, Window], list[Step]]  # declaration, leaves left, coding -> levels between 0 and `*`


def no_steps(declared: object, values: pl.Series, window: Window) -> list[Step]:
    """Nothing between the value and `*`, or the value only."""
    del declared, values, window
    return []


def runs(key: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(node of each element, index of each node's first element), a node being a run of equal keys."""
    if not len(key):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    fresh = np.concatenate(([True], key[1:] != key[:-1])).astype(bool)
    return np.cumsum(fresh) - 1, np.flatnonzero(fresh)
