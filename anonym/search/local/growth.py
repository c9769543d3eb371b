"""How a class grows in its slot, item by item."""

from __future__ import annotations

from anonym.search.local.jit import inner
from anonym.search.local.pool import pick
from anonym.search.local.price import absorb, begin, price_inlined
from anonym.search.local.promises import aimed, fault, fault_with, has_distances, is_monotone, lift, shortage
from anonym.search.local.world import (
    CLOCK_OF,
    FLOOR,
    GROWN,
    ITEMS,
    LEFT,
    NEVER,
    NONE,
    ONE,
    PICKS,
    RULES,
    STRICT,
    TUPLES,
    WIDTH,
    WORTH,
    K,
    World,
    int64,
)

AIM_MOST = 8  # times the rows first aimed at, where what is near does not suffice for so few


@inner
def best_item(w: World, b: int, pull: float, aim: int) -> int:
    """The item to join slot b next, -1 for none: k times the price that the class then has, less what the row costs
    where it is, and `pull` times how far the class would be from holding.

    Prices only rise while a class grows: an item whose last price is too high already is not priced again. Once the
    rows still to come are all needed for l, only items that bring the class nearer to holding are taken.
    """
    pool, k, rows, has_rules = w.pool, w.state[K], w.pool[b, GROWN], w.state[RULES] > 0
    is_strict, now = False, 0.0
    if has_rules:
        is_strict = rows + shortage(w, b) >= aim or has_distances(w)
        now = aimed(w, b, rows, max(rows, aim))
        w.state[CLOCK_OF] += 1
    best, least = NONE, NEVER
    for i in range(w.state[ITEMS]):
        if pool[i, LEFT] > 0 and k * pool[i, FLOOR] - pool[i, WORTH] < least:
            at = w.state[TUPLES] + i
            pool[i, FLOOR] = price_inlined(w, b, at)
            worth = k * pool[i, FLOOR] - pool[i, WORTH]
            if has_rules and worth < least:
                later = fault_with(w, b, at, rows, aim)
                worth = NEVER if is_strict and later > 0.0 and later >= now else worth + int(pull * later)
            if worth < least:
                best, least = i, worth
    return best


@inner
def helping(w: World, b: int, i: int) -> int:
    """How many rows of item i to take for slot b: no more than leave room for the values it lacks."""
    wanted = w.state[K] - w.pool[b, GROWN]
    if w.state[RULES] > 0:
        at = w.state[TUPLES] + i
        lift(w, b, at, ONE)
        wanted = wanted - shortage(w, b) if is_monotone(w) else ONE
        lift(w, b, at, NONE)
    return int64(min(w.pool[i, LEFT], max(wanted, ONE)))


@inner
def grow(w: World, b: int, seed: int, pull: float) -> bool:
    """Slot b grows from item `seed` until it has k rows and holds. False if the pool does not suffice. No item's FLOOR
    may be above what it costs beside the seed."""
    state, pool = w.state, w.pool
    begin(w, b, state[TUPLES] + seed)
    for at in range(state[WIDTH], w.slots.shape[1]):
        w.slots[b, at] = 0
    pool[b, GROWN] = 0
    pick(w, seed, helping(w, b, seed), b)
    aim = state[STRICT]
    while pool[b, GROWN] < state[K] or (state[RULES] > 0 and fault(w, b, pool[b, GROWN]) > 0.0):
        i = best_item(w, b, pull, aim)
        while i < 0 and aim < AIM_MOST * state[STRICT] and has_distances(w):
            aim += aim // 8 + 1
            i = best_item(w, b, pull, aim)
        if i < 0 or state[PICKS] == pool.shape[0]:
            return False
        absorb(w, b, state[TUPLES] + i)
        pick(w, i, helping(w, b, i), b)
    return True
