"""Growing classes from the rows in none: the loops of a start."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anonym.search.local.growth import grow
from anonym.search.local.jit import inner, kernel
from anonym.search.local.partition import move_in, new_class, put
from anonym.search.local.pool import add, pick
from anonym.search.local.price import COST, price
from anonym.search.local.promises import is_monotone
from anonym.search.local.world import (
    BROKEN,
    FLOOR,
    ITEMS,
    LEFT,
    LEFT_OVER,
    LOOSE,
    LOOSE_ITEMS,
    NEVER,
    PICK,
    PICKED,
    PICKS,
    TAKERS,
    TUPLES,
    WHO,
    ZERO,
    World,
    int64,
)

Ints = NDArray[np.int64]


@kernel
def take_below(w: World, known: Ints, limit: int, pull: float) -> None:
    """Every tuple with rows left grows a class, taken if a row of it costs no more than `limit`.

    `known` (tuples,) is a lower bound of what each tuple's class will cost: rows leave, so costs only rise.
    """
    for t in range(known.size):
        while w.links[t, LEFT_OVER] > 0 and known[t] <= limit:
            gather(w, t)
            known[t] = NEVER
            if grow(w, ZERO, ZERO, pull):
                known[t] = w.slots[0, COST]
            if known[t] > limit:
                break
            if is_monotone(w):
                extend(w)
            keep_grown(w)


@inner
def reset(w: World, t: int) -> None:
    """The pool becomes tuple t, as far as rows of it are left."""
    state = w.state
    state[BROKEN] = 0
    state[ITEMS] = 0
    state[PICKS] = 0
    state[TAKERS] = 0
    add(w, t, w.links[t, LEFT_OVER], LOOSE, ZERO)
    state[LOOSE_ITEMS] = 1


@inner
def gather(w: World, t: int) -> None:
    """The pool becomes tuple t and those near it, as far as rows of them are left. What a row of both costs is the
    least that such a tuple may cost."""
    near = w.near
    keep = near.shape[1] // 2
    reset(w, t)
    for a in range(keep):
        u = int64(near[t, a])
        if u < 0:
            break
        if w.links[u, LEFT_OVER] > 0 and add(w, u, w.links[u, LEFT_OVER], LOOSE, ZERO):
            w.pool[w.state[ITEMS] - 1, FLOOR] = near[t, keep + a]
    w.state[LOOSE_ITEMS] = w.state[ITEMS]


@kernel
def sweep(w: World, rings: Ints, reach: int, pull: float) -> None:
    """Every tuple with rows left, in a given order, grows a class from those near it in several orders of the table.

    `rings` (tuples, 2 orders + 2): for each order the next and the previous tuple with rows left, -1 for none; a
    stamp; the order in which tuples take their turn. Tuples without rows leave the orders.
    """
    for i in range(rings.shape[0]):
        t = rings[i, -1]
        if w.links[t, LEFT_OVER] > 0:
            gather_around(w, rings, t, reach)
            if grow(w, ZERO, ZERO, pull):
                keep_grown(w)
                for at in range(w.state[PICKS]):
                    leave_rings(w, rings, w.pool[w.pool[at, PICK], WHO])


@inner
def gather_around(w: World, rings: Ints, t: int, reach: int) -> None:
    """The pool becomes tuple t and those a few places away in each order."""
    stamp = rings.shape[1] - 2
    reset(w, t)
    rings[t, stamp] = t
    for side in range(stamp):
        u = t
        for _ in range(reach):
            u = rings[u, side]
            if u < 0:
                break
            if rings[u, stamp] != t:
                rings[u, stamp] = t
                add(w, u, w.links[u, LEFT_OVER], LOOSE, ZERO)
    w.state[LOOSE_ITEMS] = w.state[ITEMS]


@inner
def leave_rings(w: World, rings: Ints, t: int) -> None:
    """Tuple t leaves the orders if it has no rows left."""
    if w.links[t, LEFT_OVER] == 0:
        for side in range(0, rings.shape[1] - 2, 2):
            after, before = rings[t, side], rings[t, side + 1]
            if after >= 0:
                rings[after, side + 1] = before
            if before >= 0:
                rings[before, side] = after


@inner
def extend(w: World) -> None:
    """All rows of the pool that cost class 0 nothing join it."""
    cost = w.slots[0, COST]
    for i in range(w.state[ITEMS]):
        if w.pool[i, LEFT] > 0 and w.pool[i, FLOOR] <= cost and price(w, ZERO, w.state[TUPLES] + i) == cost:
            pick(w, i, w.pool[i, LEFT], ZERO)


@inner
def keep_grown(w: World) -> None:
    """Class 0 of the pool becomes a class."""
    c = new_class(w)
    move_in(w, c, ZERO)
    for at in range(w.state[PICKS]):
        t, rows = w.pool[w.pool[at, PICK], WHO], w.pool[at, PICKED]
        put(w, c, t, rows)
        w.links[t, LEFT_OVER] -= rows
