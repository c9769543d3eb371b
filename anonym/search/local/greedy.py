"""A start for any vocabulary: classes grown from every tuple, cheapest first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anonym.search.local.act import add_classes
from anonym.search.local.neighbours import Digit, near, rings
from anonym.search.local.partition import listing
from anonym.search.local.price import SCALE
from anonym.search.local.space import Space, world_of
from anonym.search.local.start import sweep, take_below
from anonym.search.local.world import GONE, LEFT_OVER, LOSS, TUPLES, K, World

FIRST_LIMIT, RISE = 0.02, 1.25  # the cost a row up to which classes are taken, and how it rises
ROUNDS = 12
ORDERS, REACH = 8, 40  # of a sweep: places on either side of a row, and enough of them for k rows


def greedy(w: World, space: Space, steps: Sequence[Sequence[Digit]], rng: np.random.Generator, pull: float) -> None:
    """Classes grown from the rows in none, cheapest first; LEFT_OVER says what is left.

    What near tuples do not suffice for is tried again among those left, which then are nearer to one another; and where
    they are fewer than a class needs, classes grow from those near in several orders.
    """
    left = w.links[: space.count, LEFT_OVER]
    k, whole = int(w.state[K]), int(w.links[GONE, LOSS])
    rise(w, pull, FIRST_LIMIT * SCALE, whole)
    for _ in range(ROUNDS):
        members, before = np.flatnonzero(left), int(left.sum())
        if before < k:
            break
        rest = space.of(members, left[members])
        inside = world_of(rest, near(rest, steps, rng), k, 0, whole, 0, 0)
        inside.links[: rest.count, LEFT_OVER] = rest.rows
        rise(inside, pull, SCALE / 8, whole)
        owner, member, rows = listing(inside)
        add_classes(w, owner, members[member], rows)
        left[members] = inside.links[: rest.count, LEFT_OVER]
        if left.sum() > 0.9 * before:
            break
    if left.sum() >= k:
        reached(w, space, steps, rng, pull)


def reached(w: World, space: Space, steps: Sequence[Sequence[Digit]], rng: np.random.Generator, pull: float) -> None:
    """Classes grown from the rows in none, in turn, out of those a few places away in several orders."""
    sweep(w, rings(space, steps, rng, ORDERS), max(REACH, int(w.state[K]) // 8), pull)


def rise(w: World, pull: float, limit: float, most: int) -> None:
    """Take classes up to a cost a row that rises from `limit` to `most`."""
    known = np.zeros(int(w.state[TUPLES]), np.int64)
    while True:
        take_below(w, known, int(limit), pull)
        if limit > most:
            return
        limit *= RISE
