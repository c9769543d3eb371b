"""Rows that no class near them took: they become one class a part, which takes in others until it holds.

Merging classes that hold makes a class that holds (entropy is concave, distances are convex), so that in the end the
whole part is one class. If even that fails, the rows left must be suppressed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anonym.search.local.promises import Promise, faults
from anonym.search.local.release import Entries
from anonym.search.local.space import Space, parts_of

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def rehomed(space: Space, entries: Entries, rows: Ints, k: int) -> Entries:
    """The entries with a home for all of `rows` (tuples,), as far as there is one: rows of a part that cannot hold
    stay out. Classes that do not hold (after the reference has moved) lose their rows first.
    """
    counts = histograms(space.promise, entries)
    size = np.bincount(entries.owner, weights=entries.rows, minlength=entries.classes).astype(np.int64)
    holds = (faults(space.promise, counts, size) == 0) & (size >= k)
    owner = np.where(holds[entries.owner], entries.owner, -1)
    left = rows - np.bincount(entries.member[owner >= 0], entries.rows[owner >= 0], space.count).astype(np.int64)
    if not left.any():
        return entries
    part_of = np.zeros(entries.classes, np.int64)
    part_of[entries.owner] = space.part[entries.member]
    rest = np.flatnonzero(left)
    merged = np.arange(entries.classes)
    by_part = np.flatnonzero(holds)[np.argsort(part_of[holds], kind="stable")]
    for at, places in enumerate(parts_of(space.part[rest])):
        members = rest[places]
        own = histogram(space.promise, members, left[members])
        others = by_part[slice(*np.searchsorted(part_of[by_part], space.part[members[0]] + np.arange(2)))]
        taken = taken_in(space.promise, own, int(left[members].sum()), counts[others], size[others], k)
        merged[others[taken if taken is not None else []]] = entries.classes + at
        owner = np.append(owner, np.full(members.size, entries.classes + at if taken is not None else -1))
    return _joined(entries, owner, merged, rest, left)


def _joined(entries: Entries, owner: Ints, merged: Ints, rest: Ints, left: Ints) -> Entries:
    member = np.concatenate([entries.member, rest])
    rows = np.concatenate([entries.rows, left[rest]])
    has_home = owner >= 0
    known = np.concatenate([merged, np.arange(entries.classes, owner.max(initial=-1) + 1)])
    return Entries.of(known[owner[has_home]], member[has_home], rows[has_home])


def taken_in(promise: Promise, own: Ints, rows: int, counts: Ints, size: Ints, k: int) -> list[int] | None:
    """Which classes (counts and size by class) must join a histogram for it to hold; None if all are too few."""
    free = np.ones(size.size, np.bool_)
    taken: list[int] = []
    while rows < k or faults(promise, own[None], np.array([rows]))[0] > 0:
        if not free.any():
            return None
        then = faults(promise, own + counts, rows + size)
        best = int(np.lexsort((size, then, ~free))[0])
        free[best] = False
        taken.append(best)
        own, rows = own + counts[best], rows + int(size[best])
    return taken


def histograms(promise: Promise, entries: Entries) -> Ints:
    """(classes, bins)"""
    counts = np.zeros((entries.classes, promise.ref.size), np.int64)
    for bins in promise.bins[entries.member].T:
        there = bins >= 0
        np.add.at(counts, (entries.owner[there], bins[there]), entries.rows[there])
    return counts


def histogram(promise: Promise, members: Ints, rows: Ints) -> Ints:
    """(bins,)"""
    counts: Ints = histograms(promise, Entries(np.zeros(members.size, np.int64), members, rows)).sum(axis=0)
    return counts
