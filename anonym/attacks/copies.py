"""Copies and near-copies of training rows, for tables that claim to hold no real people: synthetic ones above all.

How near is near is told by fresh real people: a row is a near-copy if it lies closer to a training row than nineteen
in twenty of people like them who were not in the training. What part of fresh people are copies by that measure is
the floor, which no table of that kind can fall below by more than chance; the training rows themselves are the ceiling.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.attacks.cover import Known
from anonym.attacks.matching import clean, groups
from anonym.attacks.neighbours import nearest_to
from anonym.attacks.outcome import AttackResult, Counts, Gate, Trial, judge
from anonym.attacks.sample import sampled
from anonym.attacks.subgroup import worst_of

NEAR = 0.05  # of fresh people are as near or nearer


def comparable(released: pl.DataFrame, original: pl.DataFrame, columns: list[str]) -> bool:
    """Whether all of the columns hold values of one kind in both and no generalised label, so that a row can be a
    copy. Numbers are of one kind, and so are texts and categories."""
    return bool(columns) and all(
        _kind(released.schema[name]) == _kind(original.schema[name])
        and not (released.schema[name] == pl.String and bool(released[name].str.ends_with("*").any()))
        for name in columns
    )


def _kind(dtype: pl.DataType) -> object:
    if dtype.is_numeric():
        return "number"
    return "text" if isinstance(dtype, pl.String | pl.Categorical | pl.Enum) else dtype


def copies(
    released: pl.DataFrame,
    original: pl.DataFrame,
    control: pl.DataFrame | None,
    columns: list[str],
    *,
    gate: Gate | None,
    seed: int,
    targets: int,
) -> list[AttackResult]:
    """Released rows that are training rows, or nearly; at most `targets` of each table, drawn by `seed`.

    Two results: copies (equal in all columns) and, with a control, near-copies. `correct` counts released rows,
    `control` and false accepts fresh people who would be taken for copies; `positive` is the ceiling.
    """
    known = tuple(Known(name, (name,), name) for name in columns)
    tables = [released, original] + ([control] if control is not None else [])
    drawn = [sampled(_sorted(clean(table, columns), targets), None, targets, seed) for table in tables]
    found = nearest_to(original, pl.concat(drawn, how="vertical_relaxed"), known, original)
    ends = np.cumsum([0, *(table.height for table in drawn)])
    parts = [found.distance[first:last] for first, last in pairwise(ends)]
    second = found.second[: ends[1]]
    fresh = parts[2] if control is not None else None
    results = [_result("copies of training rows", 0.0, parts, fresh, drawn[0], second, gate, seed)]
    if fresh is not None and len(fresh) > 1:
        generator = np.random.default_rng([seed, 0xC0B1])
        order = generator.permutation(len(fresh))
        half = fresh[order[: len(fresh) // 2]]
        near = float(np.quantile(half, NEAR, method="lower"))
        rest = fresh[order[len(fresh) // 2 :]]
        results.append(_result("near-copies of training rows", near, parts, rest, drawn[0], second, gate, seed))
    return results


def _sorted(table: pl.DataFrame, targets: int) -> pl.DataFrame:
    """In an order of its own where a sample is drawn, as the order of a release is random."""
    return table if table.height <= targets else table.sort(table.columns)


def _result(
    name: str,
    near: float,
    parts: list[NDArray[np.float64]],
    fresh: NDArray[np.float64] | None,
    released: pl.DataFrame,
    second: NDArray[np.float64],
    gate: Gate | None,
    seed: int,
) -> AttackResult:
    is_copy = parts[0] <= near
    taken = int((fresh <= near).sum()) if fresh is not None else None
    counts = Counts(len(is_copy), len(is_copy), int(is_copy.sum()), taken)
    outside = Counts(len(fresh), len(fresh), taken) if fresh is not None and taken is not None else None
    ceiling = float((parts[1] <= near).mean()) if len(parts[1]) else None
    ratio = np.divide(parts[0], second, out=np.ones_like(second), where=second > 0)  # of equal rows none is singled out
    detail: dict[str, Any] = {
        "near": near,
        "floor": outside.rate if outside else None,
        "ceiling": ceiling,
        "median_distance": {
            "released": _median(parts[0]),
            "fresh": _median(fresh) if fresh is not None else None,
        },
        "median_distance_ratio": _median(ratio),  # nearest / second nearest training row: 0 singles one person out
        "worst_subgroup": _worst(released, is_copy),
    }
    without = {"baseline": "what coincides by chance is what fresh people reach: the control"}
    return judge(Trial(name, tuple(released.columns), counts, gate, None, outside, ceiling, seed, detail, without))


def _median(values: NDArray[np.float64]) -> float | None:
    return float(np.median(values)) if len(values) and np.isfinite(values).all() else None


def _worst(released: pl.DataFrame, is_copy: NDArray[np.bool_]) -> dict[str, Any] | None:
    success = pl.DataFrame({"success": is_copy.astype(np.float64)}).with_row_index("person")
    return worst_of(success, groups(released, {name: [name] for name in released.columns}, None))
