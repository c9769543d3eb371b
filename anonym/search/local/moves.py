"""Moves that lower the loss: break a class and some near it, and regrow them from their rows and what others can spare.

Drawn among the classes that cost anything. A move is kept if it costs no more than before (keeping ties is what moves
the search on), or a little more with a chance that falls with the heat.
"""

from __future__ import annotations

import numpy as np

from anonym.search.local.growth import grow
from anonym.search.local.jit import inner
from anonym.search.local.partition import assemble, dissolve, join, move_in, new_class, put, set_loss, take
from anonym.search.local.pool import is_broken, loosen, offer, put_back, settle_all
from anonym.search.local.price import COST
from anonym.search.local.promises import lift
from anonym.search.local.world import (
    BROKEN,
    CLASS,
    COSTLY,
    DICE,
    FIRST,
    FIRST_OF,
    FLOOR,
    GONE,
    GROWN,
    ITEMS,
    LEFT,
    LISTED,
    LOOSE_ITEMS,
    LOSS,
    MAY_GO,
    NEXT,
    NEXT_OF,
    NONE,
    NUMBER,
    OFFER,
    OWNER,
    PICK,
    PICKED,
    PICKED_FOR,
    PICKS,
    ROWS,
    SLOTS,
    SPARE_SLOT,
    TAKEN,
    TAKEN_ROWS,
    TAKER,
    TAKERS,
    TUPLE,
    WHO,
    ZERO,
    K,
    World,
    int64,
)

BREAK_MOST = 4  # classes broken by a move
WALK = 256  # places walked along the list of suppressed rows to choose one


@inner
def roll(w: World) -> np.uint64:
    """The next of Marsaglia's xorshift64."""
    x = np.uint64(w.state[DICE])
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    w.state[DICE] = np.int64(x)
    return x


@inner
def below(w: World, n: int) -> int:
    """A whole number from 0 to n - 1."""
    return int64(((roll(w) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@inner
def draw_class(w: World) -> int:
    """The dearer of two costly classes."""
    links = w.links
    one = links[below(w, w.state[LISTED]), COSTLY]
    other = links[below(w, w.state[LISTED]), COSTLY]
    if links[one, LOSS] * links[one, ROWS] < links[other, LOSS] * links[other, ROWS]:
        one = other
    return int64(one)


@inner
def draw_tuple(w: World, c: int) -> int:
    """A tuple of class c."""
    links = w.links
    count, e = ZERO, links[c, FIRST]
    while e >= 0:
        count += 1
        e = links[e, NEXT]
    steps, e = below(w, count), links[c, FIRST]
    for _ in range(steps):
        e = links[e, NEXT]
    return int64(links[e, TUPLE])


@inner
def draw_near(w: World, t: int, wanted: int) -> None:
    """Break classes of tuples near t, nearer ones more often, until so many are broken or draws run out."""
    links, near, state = w.links, w.near, w.state
    keep = near.shape[1] // 2
    for _ in range(2 * wanted):
        u = int64(near[t, min(below(w, keep), below(w, keep))])
        if u < 0 or state[BROKEN] >= wanted:
            continue
        e = links[u, FIRST_OF]
        skip = below(w, 4)
        while skip > 0 and e >= 0 and links[e, NEXT_OF] >= 0:
            e = links[e, NEXT_OF]
            skip -= 1
        if e >= 0 and links[e, CLASS] != GONE and not is_broken(w, links[e, CLASS]):
            w.pool[state[BROKEN], NUMBER] = links[e, CLASS]
            state[BROKEN] += 1


@inner
def seed_item(w: World, t: int, b: int) -> int:
    """Tuple t for the first new class, then any loose item with rows left; -1 if there is none."""
    pool, loose = w.pool, w.state[LOOSE_ITEMS]
    found, at = NONE, below(w, loose)
    for step in range(loose):
        i = at + step if at + step < loose else at + step - loose
        if found < 0 and pool[i, LEFT] > 0 and (b > 0 or pool[i, WHO] == t):
            found = i
    return found


@inner
def regrow(w: World, t: int, rows: int, pull: float) -> tuple[int, int]:
    """New classes from the pool: how many, and what they cost."""
    state, pool = w.state, w.pool
    broken = state[BROKEN]
    wanted = min(rows // state[K], broken + 1)
    if below(w, 4) == 0:
        wanted = min(wanted, max(1, broken - below(w, 2)))
    state[PICKS] = 0
    state[TAKERS] = 0
    loss, grown = ZERO, ZERO
    for b in range(wanted):
        seed = seed_item(w, t, b)
        if seed < 0:
            break
        offer(w, pool[seed, WHO])
        for i in range(state[ITEMS]):
            pool[i, FLOOR] = 0
        if not grow(w, b, seed, pull):
            put_back(w, b)
            break
        loss += pool[b, GROWN] * w.slots[b, COST]
        grown += 1
    return grown, loss


@inner
def given(w: World) -> int:
    """How the loss of the classes that give rows changes."""
    links, pool = w.links, w.pool
    change = ZERO
    for i in range(w.state[LOOSE_ITEMS], w.state[ITEMS]):
        used = pool[i, OFFER] - pool[i, LEFT]
        if used > 0:
            c = pool[i, OWNER]
            later = links[c, LOSS]
            if c != GONE:
                later = assemble(w, SPARE_SLOT, c, pool[i, WHO], used)
            change += (links[c, ROWS] - used) * later - links[c, ROWS] * links[c, LOSS]
    return change


@inner
def commit(w: World, classes: int) -> None:
    """The partition becomes what the pool says."""
    pool, state = w.pool, w.state
    for i in range(state[LOOSE_ITEMS], state[ITEMS]):
        c, t, used = pool[i, OWNER], pool[i, WHO], pool[i, OFFER] - pool[i, LEFT]
        if used > 0:
            take(w, c, t, used)
            if c != GONE:
                lift(w, SLOTS + c, t, -used)
                set_loss(w, c, assemble(w, SLOTS + c, c, NONE, ZERO))
    for b in range(state[BROKEN]):
        dissolve(w, pool[b, NUMBER])
    for i in range(state[TAKERS]):
        join(w, pool[i, TAKER], pool[pool[i, TAKEN], WHO], pool[i, TAKEN_ROWS])
    for b in range(classes):
        pool[b, NUMBER] = new_class(w)
        move_in(w, pool[b, NUMBER], b)
    for i in range(state[PICKS]):
        put(w, pool[pool[i, PICKED_FOR], NUMBER], pool[pool[i, PICK], WHO], pool[i, PICKED])


@inner
def leeway(w: World, heat: float) -> int:
    """How much a change may cost to be kept (Metropolis): its chance falls as exp(-cost / heat)."""
    chance = np.float64(roll(w) >> np.uint64(11)) * 2.0**-53
    return int64(-heat * np.log(chance + 1e-300))


@inner
def choose(w: World) -> int:
    """Break a costly class and some near it, or classes near a row suppressed beyond the limit; a tuple of the first,
    from which the new classes start."""
    wanted = 2 + below(w, BREAK_MOST - 1)
    w.state[BROKEN] = 0
    e = w.links[GONE, FIRST]
    if w.links[GONE, ROWS] > w.state[MAY_GO] and below(w, 4) == 0:
        for _ in range(below(w, WALK)):
            if w.links[e, NEXT] >= 0:
                e = w.links[e, NEXT]
        draw_near(w, w.links[e, TUPLE], wanted)
    if w.state[BROKEN] > 0:
        return draw_tuple(w, w.pool[0, NUMBER])
    c = draw_class(w)
    t = draw_tuple(w, c)
    w.pool[0, NUMBER] = c
    w.state[BROKEN] = 1
    draw_near(w, t, wanted)
    return t


@inner
def move(w: World, heat: float, pull: float) -> bool:
    """One try. Whether it was kept."""
    t = choose(w)
    rows, before = loosen(w)
    if rows == 0:
        return False
    classes, after = regrow(w, t, rows, pull)
    room = before + leeway(w, heat) - after - given(w)
    if settle_all(w, classes, room) > room:
        return False
    commit(w, classes)
    return True
