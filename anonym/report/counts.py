"""Counts that may be printed: small ones kept back, and class sizes in bins."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from anonym.report.fields import SizeBin, SuppressedGroup
from anonym.report.totals import untold

REST = "other"
MOST_LABELS = 500  # of a column; with 60 columns the evidence stays below 10 MB and the page far below 1 MB


@dataclass(frozen=True)
class Group:
    """The suppressed rows of one group of one column, before anything is kept back.

    `group` is the label at the released level, None for the null value. `of` counts the input rows of the group,
    `released` the units (rows without a unit) that carry the label in the release, `units` the distinct units among
    the suppressed rows (None without a unit).
    """

    column: str
    group: str | None
    rows: int
    of: int
    released: int
    units: int | None = None
    rest: bool = False

    @property
    def members(self) -> int:
        """What is compared with k."""
        return self.rows if self.units is None else min(self.rows, self.units)


def protect(
    groups: Iterable[Group], k: int, places: Mapping[str, NDArray[np.int64]] | None = None
) -> list[SuppressedGroup]:
    """The groups as they may be printed: no label that fewer than k units share, no count below k.

    Labels with fewer than k units in the release are merged into `other`, and so are all but the `MOST_LABELS` most
    frequent in the release, which is public. In each column the counts below the
    threshold k are withheld, as `rows`, `of` and `rate` together, since the release tells how many rows of a group
    remain. Where the column's total (always exact) would give withheld counts away, because they are one, or all
    equal, or fewer than k together, the threshold rises until that is over; so a withheld count may also be k or more.

    The choice of what is withheld treats the groups alike, whatever they are called. Exchanging two withheld counts
    therefore gives the same print, and as they are not all equal each can have at least two values, also for a reader
    who knows this function. A column with one group tells nothing beyond the total and is left out, and so is
    everything if no row was suppressed. Columns keep their order; groups are sorted by label, `other` last.

    Columns may tell of each other: the ZIP codes of a state add up to the state. `places` says, for each column, which
    of its groups (by position) each cell of the table lies in; thresholds then also rise until no small count follows
    from the printed ones of all columns.
    """
    columns = [_Column.of(list(found), k, places) for _, found in groupby(groups, key=lambda group: group.column)]
    printed = [one for one in columns if len(one.groups) > 1 and any(group.rows for group in one.groups)]
    if places is not None:
        printed = untold(printed, k)
    return [group for one in printed for group in one.shown()]


@dataclass
class _Column:
    """The groups of one column, rare ones merged, and the number of members from which a count is printed."""

    groups: list[Group]
    threshold: int
    place: NDArray[np.int64] | None  # of each cell, in `groups`

    @staticmethod
    def of(given: list[Group], k: int, places: Mapping[str, NDArray[np.int64]] | None) -> _Column:
        groups, moved = _merge_rare(given, k)
        place = None if places is None else moved[places[given[0].column]]
        return _Column(groups, _threshold(groups, k), place)

    def withheld(self) -> list[bool]:
        return [group.members < self.threshold for group in self.groups]

    def shown(self) -> list[SuppressedGroup]:
        return [_shown(group, group.members < self.threshold) for group in sorted(self.groups, key=_order)]


def _merge_rare(groups: Sequence[Group], k: int) -> tuple[list[Group], NDArray[np.int64]]:
    """The groups that keep their label, then the rest as one; and where each given one went."""
    ranked = sorted((at for at, group in enumerate(groups) if group.released >= k), key=lambda at: -groups[at].released)
    common = ranked[:MOST_LABELS]
    rare = [groups[at] for at in sorted({*range(len(groups))} - {*common})]
    moved = np.full(len(groups), len(common), np.int64)
    moved[common] = np.arange(len(common))
    kept = [groups[at] for at in common]
    if not rare:
        return kept, moved
    rest = replace(
        rare[0],
        group=REST,
        rest=True,
        units=None if rare[0].units is None else sum(group.units or 0 for group in rare),
        rows=sum(group.rows for group in rare),
        of=sum(group.of for group in rare),
        released=sum(group.released for group in rare),
    )
    return [*kept, rest], moved


def _threshold(groups: Sequence[Group], k: int) -> int:
    """The lowest threshold from k on whose withheld counts do not give each other away; if there is none, above all."""
    if not any(group.members < k for group in groups):
        return k
    for threshold in sorted({k, *(group.members + 1 for group in groups if group.members >= k)}):
        withheld = [group for group in groups if group.members < threshold]
        if len({group.rows for group in withheld}) > 1 and sum(group.members for group in withheld) >= k:
            return threshold
    return max(k, *(group.members + 1 for group in groups))


def _shown(group: Group, withheld: bool) -> SuppressedGroup:
    printed: SuppressedGroup = {
        "column": group.column,
        "group": group.group,
        "rows": None if withheld else group.rows,
        "rate": None if withheld or not group.of else group.rows / group.of,
        "of": None if withheld else group.of,
    }
    if group.rest:
        printed["rest"] = True
    return printed


def _order(group: Group) -> tuple[bool, bool, list[tuple[int, int, str]]]:
    """`other` last, null before it, numbers inside labels in their order."""
    return group.rest, group.group is None, natural(group.group or "")


def natural(text: str) -> list[tuple[int, int, str]]:
    """A key that sorts the numbers inside texts by size: `9-10` before `10-11`."""
    return [
        (0, len(digits.lstrip("0")), digits.lstrip("0")) if digits else (1, 0, other)
        for digits, other in re.findall(r"([0-9]+)|([^0-9]+)", text)
    ]


def class_histogram(sizes: Mapping[int, tuple[int, int]], k: int) -> list[SizeBin]:
    """Class sizes in bins that double: 1, 2 to k - 1, k to 2k - 1, 2k to 4k - 1, ...

    `sizes` maps a size to (classes of this size, rows in them). Empty bins between two filled ones are listed too.
    The exact size of a class of a release is public, that of a class below k is not, so those share two bins.
    """
    present = {size: counts for size, counts in sizes.items() if counts[0]}
    if not present:
        return []
    bins = [_bin(low, high, present) for low, high in _edges(max(present), max(k, 1))]
    filled = [index for index, one in enumerate(bins) if one["classes"]]
    return bins[filled[0] : filled[-1] + 1]


def _edges(largest: int, k: int) -> list[tuple[int, int]]:
    edges = [(1, 1)] if k > 1 else []
    if k > 2:
        edges.append((2, k - 1))
    low = k
    while low <= largest:
        edges.append((low, 2 * low - 1))
        low *= 2
    return edges


def _bin(low: int, high: int, sizes: Mapping[int, tuple[int, int]]) -> SizeBin:
    inside = [counts for size, counts in sizes.items() if low <= size <= high]
    return {"from": low, "to": high, "classes": sum(c for c, _ in inside), "rows": sum(r for _, r in inside)}
