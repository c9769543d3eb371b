"""The nearest rows by Gower's distance: loops over arrays, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonym.criteria.jit import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@kernel
def gap(low: float, high: float, value: float, scale: float) -> float:
    """How far a value lies outside a span, in units of the column's range, at most 1; NaN is a null, met by nulls."""
    if np.isnan(low) or np.isnan(value):
        return 0.0 if np.isnan(low) and np.isnan(value) else 1.0
    if value < low:
        return min(1.0, (low - value) * scale)
    if value > high:
        return min(1.0, (value - high) * scale)
    return 0.0


@kernel
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


@kernel
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


@kernel
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


@kernel
def visit(
    first: int,
    last: int,
    codes: Any,
    start: Ints,
    low: Any,
    high: Any,
    copies: Any,
    is_outward: bool,
    fits: Any,
    offset: Ints,
    width: Ints,
    scale: Floats,
    texts: Any,
    value: Floats,
    by: float,
    best: Floats,
    ties: Ints,
) -> None:
    """The groups from `first` to `last`, each left as soon as its texts alone put it beyond the second best.

    A text fits where its entry in `fits` is not 0, or, width 0, where the codes are equal. The count stands in the
    loop, as a function over codes[g] took 25 ns a group, five times as long.
    """
    for g in range(first, last):
        found = 0
        for c in range(codes.shape[1]):
            if width[c] == 0:
                found += codes[g, c] != texts[c]
            else:
                found += fits[offset[c] + codes[g, c] * width[c] + texts[c]] == 0
            if by * found > best[1]:
                break
        base = by * found
        if base > best[1]:
            continue
        if is_outward and start[g + 1] - start[g] > 8:
            outward(start[g], start[g + 1], base, value, low, high, copies, scale, by, best, ties)
        else:
            scan(start[g], start[g + 1], base, value, low, high, copies, scale, by, best, ties)


@kernel
def bisect(codes: Any, code: int) -> int:
    """The first group whose first text has a code of at least `code`."""
    left, right = 0, len(codes)
    while left < right:
        middle = (left + right) // 2
        if codes[middle, 0] < code:
            left = middle + 1
        else:
            right = middle
    return left


@kernel
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

    Rows are grouped by their texts: codes (groups, texts) in order, rows start[g] to start[g + 1]; low, high (rows,
    numbers). The groups that have the target's first text come first, and are all where no other can be as near.
    """
    targets, texts = target_codes.shape
    by = 1.0 / max(texts + low.shape[1], 1)
    distances = np.full((targets, 2), np.inf)
    ties = np.zeros((targets, 1), np.int64)
    for t in range(targets):
        first, last = 0, 0
        is_outward = is_ordered and not np.isnan(target_values[t, 0])
        if texts > 0 and width[0] == 0:
            first, last = bisect(codes, target_codes[t, 0]), bisect(codes, target_codes[t, 0] + 1)
        for part in range(3):
            if part == 0:
                begin, end = first, last
            elif last > first and by > distances[t, 1]:
                break
            elif part == 1:
                begin, end = 0, first
            else:
                begin, end = last, len(codes)
            visit(
                begin,
                end,
                codes,
                start,
                low,
                high,
                copies,
                is_outward,
                fits,
                offset,
                width,
                scale,
                target_codes[t],
                target_values[t],
                by,
                distances[t],
                ties[t],
            )
    return distances, ties[:, 0]
