"""Who owns which record, and how many records of one owner are used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from anonym.dp.randomness import Randomness
from anonym.errors import CallError

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Units:
    """`codes[row]` is the unit of a row, 0 … `count` - 1. Rows whose unit is null are together one unit."""

    codes: Codes
    count: int

    def bounded(self, most: int, randomness: Randomness) -> npt.NDArray[np.bool_]:
        """Which rows are used: at most `most` of each unit, chosen by lot, without a look at any value."""
        order = randomness.order(len(self.codes))
        drawn = order[np.argsort(self.codes[order], kind="stable")]
        starts = np.searchsorted(self.codes[drawn], np.arange(self.count))
        rank = np.arange(len(drawn)) - starts[self.codes[drawn]]
        used = np.zeros(len(self.codes), dtype=np.bool_)
        used[drawn[rank < most]] = True
        return used


def encode(units: Any, rows: int) -> Units:
    """Units of `rows` rows, from a sequence or series of anything hashable.

    Raises CallError where the lengths differ, or where a record names several owners.
    """
    values = list(
        units.tolist() if hasattr(units, "tolist") else units.to_list() if hasattr(units, "to_list") else units
    )
    if len(values) != rows:
        raise CallError(f"units: expected one for each of the {rows} records, found {len(values)}")
    if any(isinstance(value, list | tuple | set | frozenset | np.ndarray) for value in values):
        raise CallError(
            "units: a record with several owners (a sender and a receiver, say) cannot be bounded for each of them. "
            "Name the one owner to be protected, or leave records with several out"
        )
    numbers: dict[Any, int] = {}
    codes = [numbers.setdefault(None if _is_null(value) else value, len(numbers)) for value in values]
    return Units(np.array(codes, dtype=np.int64), len(numbers))


def _is_null(value: Any) -> bool:
    """None, NaN, NaT, and pandas' NA, which says neither yes nor no to any comparison."""
    unlike = value != value
    return value is None or not isinstance(unlike, bool | np.bool_) or bool(unlike)


def dropped(
    used: npt.NDArray[np.bool_], groups: Mapping[str, Sequence[Any]], units: Units, smallest: int
) -> list[dict[str, Any]]:
    """Rows that the bound left out, by subgroup: column, group, rows, left out, rate.

    Groups of fewer than `smallest` units are counted together as `other`, with the next larger groups until together
    they are enough: the totals are exact, so a count kept back alone could be told from them. Counts are null where the
    whole table has fewer units. Raises CallError where a column of `groups` has another length.
    """
    found: list[dict[str, Any]] = []
    for column, values in groups.items():
        labels = [str(value) for value in values]
        if len(labels) != len(used):
            raise CallError(f"groups.{column}: expected a value for each of the {len(used)} records")
        found += _of_column(column, np.array(labels, dtype=object), used, units, smallest)
    return found


def _of_column(
    column: str, labels: npt.NDArray[np.object_], used: npt.NDArray[np.bool_], units: Units, smallest: int
) -> list[dict[str, Any]]:
    members = {label: set(units.codes[labels == label].tolist()) for label in sorted(set(labels))}
    rest: set[str] = set()
    owners: set[int] = set()
    for label in sorted(members, key=lambda label: len(members[label])):
        if len(members[label]) < smallest or (rest and len(owners) < smallest):
            rest.add(label)
            owners |= members[label]
    shown = np.array(["other" if label in rest else label for label in labels], dtype=object)
    return [_group(column, name, shown == name, used, units, smallest) for name in sorted(set(shown))]


def _group(
    column: str,
    name: str,
    here: npt.NDArray[np.bool_],
    used: npt.NDArray[np.bool_],
    units: Units,
    smallest: int,
) -> dict[str, Any]:
    rows, out = int(here.sum()), int((here & ~used).sum())
    enough = len(np.unique(units.codes[here])) >= smallest
    return {
        "column": column,
        "group": name,
        "rows": rows if enough else None,
        "dropped": out if enough else None,
        "rate": out / rows if enough else None,
    }
