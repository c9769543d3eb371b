"""Units: the bound by lot, and what is told of the rows it left out."""

from __future__ import annotations

import math

import numpy as np
import pytest

from anonym.dp.units import dropped, encode


def _told(sizes: dict[str, int]) -> dict[str, tuple[int | None, int | None]]:
    """Groups of so many units with two rows each, of which one is left out."""
    labels = [label for label, size in sizes.items() for _ in range(2 * size)]
    units = encode([row // 2 for row in range(len(labels))], len(labels))
    used = np.arange(len(labels)) % 2 == 0
    return {str(one["group"]): (one["rows"], one["dropped"]) for one in dropped(used, {"g": labels}, units, 10)}


def test_every_kind_of_null_is_the_one_unit_of_nobody() -> None:
    pandas = pytest.importorskip("pandas")
    held = [1, pandas.NA, None, math.nan, pandas.NaT, np.float64("nan"), 2, 1]
    for units in (held, pandas.Series(held, dtype=object), np.array(held, dtype=object)):
        assert encode(units, 8).codes.tolist() == [0, 1, 1, 1, 1, 1, 2, 0]
    assert encode(pandas.Series([3, pandas.NA, 3], dtype="Int64"), 3).codes.tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("sizes", "told"),
    [
        ({"a": 10, "b": 30}, {"a": (20, 10), "b": (60, 30)}),
        ({"a": 4, "b": 7, "c": 30}, {"other": (22, 11), "c": (60, 30)}),
        ({"a": 3, "b": 12, "c": 30}, {"other": (30, 15), "c": (60, 30)}),
        ({"a": 3, "b": 12}, {"other": (30, 15)}),
        ({"a": 3, "b": 4}, {"other": (None, None)}),
    ],
    ids=str,
)
def test_no_small_group_can_be_told_from_the_total(
    sizes: dict[str, int], told: dict[str, tuple[int | None, int | None]]
) -> None:
    assert _told(sizes) == told


def test_units_of_small_groups_are_counted_once() -> None:
    """Six units, each in both small groups: together they are still six."""
    labels = ["a"] * 6 + ["b"] * 6 + ["c"] * 20 + ["d"] * 40
    units = encode([*range(6), *range(6), *range(6, 26), *range(26, 66)], len(labels))
    told = dropped(np.ones(len(labels), dtype=np.bool_), {"g": labels}, units, 10)
    assert [(one["group"], one["rows"]) for one in told] == [("d", 40), ("other", 32)]
