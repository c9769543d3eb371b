"""The nearest rows by Gower's distance: loops over arrays, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@njit(cache=True)  # type: ignore[untyped-decorator]
def gap(low: float, high: float, value: float, scale: float) -> float:
    """How far a value lies outside a span, in units of the column's range, at most 1; NaN is a null, met by nulls."""
    if np.isnan(low) or np.isnan(value):
        return 0.0 if np.isnan(low) and np.isnan(value) else 1.0
    if value < low:
        return min(1.0, (low - value) * scale)
    if value > high:
        return min(1.0, (value - high) * scale)
    return 0.0


@njit(cache=True)  # type: ignore[untyped-decorator]
def mismatches(codes: Any, value: Any, fits: Any, offset: Ints, width: Ints) -> int:
    """In how many columns of texts a group of rows does not fit a value; width 0: equal codes fit."""
    found = 0
    for c in range(len(value)):
        if width[c] == 0:
            found += codes[c] != value[c]
        else:
            found += fits[offset[c] + codes[c] * width[c] + value[c]] == 0
    return found


@njit(cache=True)  # type: ignore[untyped-decorator]
def keep_best(total: float, copies: int, best: Floats, ties: Ints) -> None:
    """Take a row that stands `copies` times into best[0], second best[1] and the number at the best."""
    if total < best[0]:
        best[1] = total if copies > 1 else best[0]
        best[0], ties[0] = total, copies
    elif total == best[0]:
        best[1] = total
        ties[0] += copies
    elif total < best[1]:
        best[1] = total


@njit(cache=True)  # type: ignore[untyped-decorator]
def scan(
    first: int,
    last: int,
    base: float,
    value: Floats,
    low: Any,
    high: Any,
    copies: Any,
    scale: Floats,
    by: float,
    best: Floats,
    ties: Ints,
) -> None:
    """All rows of a group, each left as soon as it is farther than the second best."""
    for r in range(first, last):
        total = base
        for d in range(len(value)):
            total += by * gap(low[r, d], high[r, d], value[d], scale[d])
            if total > best[1]:
                break
        if total <= best[1]:
            keep_best(total, copies[r], best, ties)


@njit(cache=True)  # type: ignore[untyped-decorator]
def outward(
    first: int,
    last: int,
    base: float,
    value: Floats,
    low: Any,
    high: Any,
    copies: Any,
    scale: Floats,
    by: float,
    best: Floats,
    ties: Ints,
) -> None:
    """The rows of a group of points in the order of their first number, from the value outward, while that number
    alone does not put them beyond the second best."""
    left, right = first, last
    while left < right:
        middle = (left + right) // 2
        if low[middle, 0] < value[0]:
            left = middle + 1
        else:
            right = middle
    for r in range(left, last):
        if base + by * gap(low[r, 0], high[r, 0], value[0], scale[0]) > best[1]:
            break
        scan(r, r + 1, base, value, low, high, copies, scale, by, best, ties)
    for r in range(left - 1, first - 1, -1):
        if base + by * gap(low[r, 0], high[r, 0], value[0], scale[0]) > best[1]:
            break
        scan(r, r + 1, base, value, low, high, copies, scale, by, best, ties)


@njit(cache=True)  # type: ignore[untyped-decorator]
def nearest(
    codes: Any,
    start: Ints,
    low: Any,
    high: Any,
    copies: Any,
    is_ordered: bool,
    fits: Any,
    offset: Ints,
    width: Ints,
    scale: Floats,
    target_codes: Any,
    target_values: Any,
) -> tuple[Any, Any]:
    """(targets, 2) distances to the nearest and second nearest row, and how many rows are nearest.

    Rows are grouped by their texts: codes (groups, texts), rows start[g] to start[g + 1]; low, high (rows, numbers).
    Groups are taken by their number of mismatches, which bounds their distance from below; so nothing is missed.
    """
    targets, texts = target_codes.shape
    columns = texts + low.shape[1]
    by = 1.0 / max(columns, 1)
    distances = np.full((targets, 2), np.inf)
    ties = np.zeros((targets, 1), np.int64)
    missed = np.empty(len(codes), np.int64)
    for t in range(targets):
        for g in range(len(codes)):
            missed[g] = mismatches(codes[g], target_codes[t], fits, offset, width)
        is_outward = is_ordered and not np.isnan(target_values[t, 0])
        for m in range(texts + 1):
            if by * m > distances[t, 1]:
                break
            for g in range(len(codes)):
                if missed[g] != m:
                    continue
                if is_outward and start[g + 1] - start[g] > 8:
                    outward(
                        start[g],
                        start[g + 1],
                        by * m,
                        target_values[t],
                        low,
                        high,
                        copies,
                        scale,
                        by,
                        distances[t],
                        ties[t],
                    )
                else:
                    scan(
                        start[g],
                        start[g + 1],
                        by * m,
                        target_values[t],
                        low,
                        high,
                        copies,
                        scale,
                        by,
                        distances[t],
                        ties[t],
                    )
    return distances, ties[:, 0]
