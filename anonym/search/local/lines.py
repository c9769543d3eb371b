"""Tuples of each kind (alike for l and t) along several orders of the table, to find those near any other tuple."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonym.search.local.jit import inner
from anonym.search.local.neighbours import Digit, keys_along
from anonym.search.local.space import Space
from anonym.search.local.world import int64

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
Words = NDArray[np.uint64]


class Lines(NamedTuple):
    """For each order: the tuples by kind, part and place; their places; the place of each tuple by its number."""

    tuple: Ints  # (orders, tuples)
    place: Words
    own: Words
    start: Ints  # (kinds + 1,) where each kind begins
    part: Codes  # (tuples,)


def lines(space: Space, steps: Sequence[Sequence[Digit]], rng: np.random.Generator, orders: int) -> Lines:
    kinds = space.promise.kinds
    own = np.stack([keys_along(space, steps, rng) for _ in range(orders)])
    along = np.stack([np.lexsort((place, space.part, kinds)) for place in own])
    place = np.take_along_axis(own, along, axis=1)
    counts = np.bincount(kinds, minlength=int(kinds.max(initial=-1)) + 1)
    start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return Lines(along.astype(np.int64), place, own, start, space.part)


@inner
def find(lines: Lines, line: int, kind: int, t: int) -> int:
    """Where tuple t would stand among those of a kind."""
    low, high, own, part = lines.start[kind], lines.start[kind + 1], lines.own[line, t], lines.part[t]
    while low < high:
        middle = (low + high) // 2
        other = lines.part[lines.tuple[line, middle]]
        if other < part or (other == part and lines.place[line, middle] < own):
            low = middle + 1
        else:
            high = middle
    return int64(low)
