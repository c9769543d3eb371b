"""Near tuples of every tuple: cheap, approximate, and better for the search than the exact nearest.

Many times over, the tuples are sorted along a random interleaving of (column, level), coarse levels of a column before
its finer ones, and each is compared with those a few places away. What two tuples share early in one of the orders
brings them together there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonym.hierarchy.model import Hierarchy
from anonym.search.local.apart import costs_apart, sides_along, sides_of
from anonym.search.local.atoms import Atoms
from anonym.search.local.jit import inner, kernel
from anonym.search.local.space import Layout, Space, sorted_by

Codes = NDArray[np.int32]
Words = NDArray[np.uint64]

KEEP = 24  # near tuples kept
REACH = 8  # places compared on either side
PASSES = 20
WORD = 64


@dataclass(frozen=True)
class Digit:
    """One step down the hierarchy of a column: `value` (atoms,) tells the children of a node apart in `bits` bits."""

    column: int  # of `Space.code`
    value: Words
    bits: int


def digits(layout: Layout, hierarchies: Sequence[Hierarchy]) -> tuple[tuple[Digit, ...], ...]:
    """For each column of the space its digits, coarse to fine."""
    return tuple(tuple(_digits(place, layout.columns[j], hierarchies[j])) for place, j in enumerate(layout.order))


def near(space: Space, steps: Sequence[Sequence[Digit]], rng: np.random.Generator, passes: int = PASSES) -> Codes:
    """(tuples, 2 KEEP): the near tuples of each, nearest first, -1 for none; then what a row of both would cost."""
    found = np.full((space.count, 2 * KEEP), -1, np.int32)
    found[:, KEEP:] = np.iinfo(np.int32).max
    sides, cost = sides_of(space), np.zeros((REACH, space.count), np.int32)
    for _ in range(passes):
        turn = order(space, steps, rng)
        costs_apart(space.tab, sides_along(sides, turn), cost)
        keep_nearest(found, turn, cost)
    return found


def order(space: Space, steps: Sequence[Sequence[Digit]], rng: np.random.Generator) -> Codes:
    """The tuples along one random interleaving, parts kept together."""
    keys = keys_along(space, steps, rng)
    if space.part.size and space.part[0] != space.part[-1]:
        return np.lexsort((keys, space.part)).astype(np.int32)
    return sorted_by([keys]).astype(np.int32)


def keys_along(space: Space, steps: Sequence[Sequence[Digit]], rng: np.random.Generator) -> Words:
    """(tuples,) the place of each along one random interleaving."""
    chosen = _interleaved(steps, rng)
    starts = np.cumsum([0] + [digit.value.size for digit in chosen])[:-1].astype(np.int64)
    values = np.concatenate([digit.value for digit in chosen] + [np.empty(0, np.uint64)])
    columns = np.array([digit.column for digit in chosen], np.int64)
    bits = np.array([digit.bits for digit in chosen], np.uint64)
    keys = np.zeros(space.count, np.uint64)
    interleave(space.code, columns, starts, bits, values, keys)
    return keys


def rings(space: Space, steps: Sequence[Sequence[Digit]], rng: np.random.Generator, orders: int) -> NDArray[np.int64]:
    """(tuples, 2 orders + 2) for `start.sweep`: each tuple's neighbours in several orders, a stamp, and one order."""
    table = np.full((space.count, 2 * orders + 2), -1, np.int64)
    for i in range(orders):
        along = order(space, steps, rng).astype(np.int64)
        before, after = along[:-1], along[1:]
        is_joined = space.part[before] == space.part[after]
        table[before[is_joined], 2 * i] = after[is_joined]
        table[after[is_joined], 2 * i + 1] = before[is_joined]
    table[:, -1] = order(space, steps, rng)
    return table


def _interleaved(steps: Sequence[Sequence[Digit]], rng: np.random.Generator) -> list[Digit]:
    """Digits in random order, those of one column coarse to fine, as many as fit a word."""
    turns = rng.permutation(np.repeat(np.arange(len(steps)), [len(column) for column in steps]))
    used = [0] * len(steps)
    chosen: list[Digit] = []
    room = WORD
    for column in turns.tolist():
        digit = steps[column][used[column]]
        used[column] += 1
        if digit.bits <= room:
            chosen.append(digit)
            room -= digit.bits
    return chosen


def _digits(place: int, column: Atoms, hierarchy: Hierarchy) -> list[Digit]:
    if column.kind == "span":
        middle = column.table.astype(np.int64).sum(axis=1) // 2
        ranks = np.unique(middle, return_inverse=True)[1].reshape(-1).astype(np.uint64)
        bits = int(ranks.max(initial=0)).bit_length()
        return [Digit(place, (ranks >> np.uint64(b)) & np.uint64(1), 1) for b in reversed(range(bits))]
    if column.kind == "member":
        leaves = np.arange(column.cap.size, dtype=np.uint64)
        return [Digit(place, leaves, int(leaves.max(initial=0)).bit_length())] if leaves.size > 1 else []
    found = []
    above = np.zeros(int(column.atom.max(initial=-1)) + 1, np.int64)
    first = np.unique(column.atom, return_index=True)[1]
    for level in range(hierarchy.coarsest, hierarchy.finest - 1, -1):
        row = hierarchy.ancestor[level][first].astype(np.int64)
        value = _rank_below(above, row)
        if value.max(initial=0) > 0:
            found.append(Digit(place, value, int(value.max()).bit_length()))
        above = row
    return found


def _rank_below(above: NDArray[np.int64], row: NDArray[np.int64]) -> Words:
    """The number of each node among those below the same node."""
    pairs, owner = np.unique(np.stack([above, row]), axis=1, return_inverse=True)
    start = np.searchsorted(pairs[0], pairs[0], side="left")
    ranks: Words = (np.arange(pairs.shape[1]) - start)[owner.reshape(-1)].astype(np.uint64)
    return ranks


@kernel
def interleave(
    code: Codes, columns: NDArray[np.int64], starts: NDArray[np.int64], bits: Words, values: Words, keys: Words
) -> None:
    """The digits of each tuple, most significant first."""
    for t in range(code.shape[0]):
        for i in range(columns.size):
            keys[t] = (keys[t] << bits[i]) | values[starts[i] + code[t, columns[i]]]


@kernel
def keep_nearest(near: Codes, turn: Codes, cost: Codes) -> None:
    """Each tuple gets to know those a few places away along an order; `cost` is as of `costs_apart`."""
    reach, count = cost.shape[0], turn.size
    for i in range(count):
        own = near[turn[i]]
        for other in range(max(i - reach, 0), min(i + reach + 1, count)):
            if other != i:
                worth = cost[abs(other - i) - 1, min(i, other)]
                if worth < own[2 * KEEP - 1]:
                    insert(own, turn[other], worth)


@inner
def insert(own: Codes, t: int, cost: int) -> None:
    """Tuple t among the near ones of another, unless it is there; of equal ones that known first stays first."""
    is_known, place = False, 0
    for i in range(KEEP):  # no branches: 24 are compared at once
        is_known |= own[i] == t
        place += own[KEEP + i] <= cost
    if is_known:
        return
    for at in range(KEEP - 1, place, -1):
        own[at] = own[at - 1]
        own[KEEP + at] = own[KEEP + at - 1]
    own[place] = t
    own[KEEP + place] = cost
