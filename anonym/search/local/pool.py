"""The pool of a move: loose rows of broken classes and rows that other classes can spare, from which classes regrow.

What is done to the pool changes no class; `moves.commit` does, once the whole is worth it. Item i has its code and bins
in row TUPLES + i of `code`.
"""

from __future__ import annotations

from anonym.search.local.jit import inner
from anonym.search.local.price import COST, absorb, price
from anonym.search.local.promises import fault, is_monotone, lift
from anonym.search.local.world import (
    BROKEN,
    CLASS,
    COUNT,
    FIRST,
    FIRST_OF,
    FLOOR,
    GONE,
    GROWN,
    ITEMS,
    LEFT,
    LOOK,
    LOOSE,
    LOOSE_ITEMS,
    LOSS,
    MAY_GO,
    NEVER,
    NEXT,
    NEXT_OF,
    NONE,
    NUMBER,
    OFFER,
    ONE,
    OWNER,
    PICK,
    PICKED,
    PICKED_FOR,
    PICKS,
    ROWS,
    RULES,
    SLOTS,
    TAKEN,
    TAKEN_ROWS,
    TAKER,
    TAKERS,
    TUPLE,
    TUPLES,
    WHO,
    WORTH,
    ZERO,
    K,
    World,
    int64,
)


@inner
def add(w: World, t: int, rows: int, owner: int, worth: int) -> bool:
    """An item more; False if there is no room."""
    i, pool, code = w.state[ITEMS], w.pool, w.code
    if 2 * i >= pool.shape[0]:
        return False
    pool[i, WHO] = t
    pool[i, LEFT] = rows
    pool[i, OFFER] = rows
    pool[i, OWNER] = owner
    pool[i, WORTH] = worth
    pool[i, FLOOR] = 0
    at = w.state[TUPLES] + i
    for j in range(code.shape[1]):
        code[at, j] = code[t, j]
    w.state[ITEMS] += 1
    return True


@inner
def is_broken(w: World, c: int) -> bool:
    found = False
    for b in range(w.state[BROKEN]):
        if w.pool[b, NUMBER] == c:
            found = True
    return found


@inner
def loosen(w: World) -> tuple[int, int]:
    """The rows of the broken classes become loose: how many, and what they cost together. (0, 0) if too many."""
    links, pool, state = w.links, w.pool, w.state
    state[ITEMS] = 0
    rows, loss = ZERO, ZERO
    for b in range(state[BROKEN]):
        c = pool[b, NUMBER]
        rows += links[c, ROWS]
        loss += links[c, ROWS] * links[c, LOSS]
        e = links[c, FIRST]
        while e >= 0:
            i = 0
            while i < state[ITEMS] and pool[i, WHO] != links[e, TUPLE]:
                i += 1
            if i < state[ITEMS]:
                pool[i, LEFT] += links[e, COUNT]
            elif not add(w, links[e, TUPLE], links[e, COUNT], LOOSE, links[c, LOSS]):
                return ZERO, ZERO
            e = links[e, NEXT]
    state[LOOSE_ITEMS] = state[ITEMS]
    return rows, loss


@inner
def put_back(w: World, b: int) -> None:
    """Undo the growth of slot b, the last that grew."""
    pool, state = w.pool, w.state
    while state[PICKS] > 0 and pool[state[PICKS] - 1, PICKED_FOR] == b:
        state[PICKS] -= 1
        pool[pool[state[PICKS], PICK], LEFT] += pool[state[PICKS], PICKED]


@inner
def is_still(w: World, c: int) -> bool:
    """Class c is not broken, gives nothing and takes nothing in this move."""
    pool, state = w.pool, w.state
    for i in range(state[LOOSE_ITEMS], state[ITEMS]):
        if pool[i, OWNER] == c and pool[i, LEFT] != pool[i, OFFER]:
            return False
    for i in range(state[TAKERS]):
        if pool[i, TAKER] == c:
            return False
    return not is_broken(w, c)


@inner
def may_go(w: World, rows: int) -> bool:
    """Whether so many rows more may be suppressed."""
    gone = w.links[GONE, ROWS] + rows
    for i in range(w.state[TAKERS]):
        if w.pool[i, TAKER] == GONE:
            gone += w.pool[i, TAKEN_ROWS]
    return bool(gone <= w.state[MAY_GO])


@inner
def fits(w: World, s: int, rows: int, at: int, joining: int) -> bool:
    """Whether slot s of so many rows holds when rows of row `at` of `code` join (negative: when they leave)."""
    if w.state[RULES] == 0 or (joining > 0 and is_monotone(w)):
        return True
    lift(w, s, at, joining)
    found = fault(w, s, rows + joining) == 0.0
    lift(w, s, at, -joining)
    return found


@inner
def spare(w: World, c: int, t: int, count: int) -> int:
    """How many of its `count` rows of tuple t class c can spare; none if it offers already (suppressed: of t)."""
    for i in range(w.state[LOOSE_ITEMS], w.state[ITEMS]):
        if w.pool[i, OWNER] == c and (c != GONE or w.pool[i, WHO] == t):
            return ZERO
    if c == GONE:
        return count
    rows = w.links[c, ROWS]
    can = min(count, rows - w.state[K])
    if w.state[RULES] > 0 and can > 0:
        if not is_monotone(w):
            can = ONE  # that more may leave would not say that fewer may
        while can > 0 and not fits(w, SLOTS + c, rows, t, -can):
            can -= 1
    return int64(can)


@inner
def offer(w: World, t: int) -> None:
    """Rows near tuple t that other classes can spare become items, one a class."""
    links, near = w.links, w.near
    for a in range(w.state[LOOK]):
        u = int64(near[t, a])
        if u < 0:
            break
        e = links[u, FIRST_OF]
        while e >= 0:
            c = links[e, CLASS]
            if (links[c, ROWS] > w.state[K] or c == GONE) and not is_broken(w, c):
                rows = spare(w, c, u, links[e, COUNT])
                if rows > 0:
                    add(w, u, rows, c, links[c, LOSS])
            e = links[e, NEXT_OF]


@inner
def pick(w: World, i: int, rows: int, b: int) -> None:
    """So many rows of item i are meant for new class b."""
    pool, at = w.pool, w.state[PICKS]
    pool[at, PICK] = i
    pool[at, PICKED] = rows
    pool[at, PICKED_FOR] = b
    w.state[PICKS] += 1
    pool[i, LEFT] -= rows
    pool[b, GROWN] += rows
    if w.state[RULES] > 0:
        lift(w, b, w.state[TUPLES] + i, rows)


@inner
def cheapest_new(w: World, classes: int, i: int, rows: int, least: int) -> tuple[int, int]:
    """The new class where so many rows of item i raise the loss by less than `least`: (class or -1, rise)."""
    pool, slots, at = w.pool, w.slots, w.state[TUPLES] + i
    best = NONE
    for b in range(classes):
        grown = pool[b, GROWN]
        rise = (grown + rows) * price(w, b, at) - grown * slots[b, COST]
        if rise < least and fits(w, b, grown, at, rows):
            best, least = b, rise
    return best, least


@inner
def cheapest_outside(w: World, i: int, rows: int, least: int) -> tuple[int, int]:
    """The class outside the pool where so many rows of item i raise the loss by less than `least`: (class or -1, rise).
    Only classes of tuples near the item's are looked at."""
    links, near, t = w.links, w.near, w.pool[i, WHO]
    keep = near.shape[1] // 2
    best = NONE
    for a in range(w.state[LOOK]):
        u, apart = int64(near[t, a]), near[t, keep + a]
        if u < 0 or rows * apart >= least:
            break
        e = links[u, FIRST_OF]
        while e >= 0:
            c = links[e, CLASS]
            size, loss = links[c, ROWS], links[c, LOSS]
            if c != GONE and (size + rows) * max(apart, loss) - size * loss < least and is_still(w, c):
                then = price(w, SLOTS + c, t)
                rise = (size + rows) * then - size * loss
                if rise < least and fits(w, SLOTS + c, size, t, rows):
                    best, least = c, rise
            e = links[e, NEXT_OF]
    return best, least


@inner
def settle(w: World, classes: int, i: int, rows: int, most: int) -> int:
    """Place so many rows of item i where the loss rises least; the rise, or NEVER if it would be more than `most`."""
    b, rise = cheapest_new(w, classes, i, rows, most + 1)
    c, outside = cheapest_outside(w, i, rows, rise)
    gone = rows * w.links[GONE, LOSS]
    if gone < min(rise, outside) and may_go(w, rows):
        c, outside = GONE, gone
    if b < 0 and c < 0:
        return NEVER
    if c < 0:
        absorb(w, b, w.state[TUPLES] + i)
        pick(w, i, rows, b)
        return rise
    pool, at = w.pool, w.state[TAKERS]
    pool[at, TAKER] = c
    pool[at, TAKEN] = i
    pool[at, TAKEN_ROWS] = rows
    w.state[TAKERS] += 1
    pool[i, LEFT] -= rows
    return outside


@inner
def settle_all(w: World, classes: int, room: int) -> int:
    """Place all loose rows that are left; the rise of the loss, more than `room` if some have no place within it."""
    pool, state = w.pool, w.state
    rise = ZERO
    for i in range(state[LOOSE_ITEMS]):
        while pool[i, LEFT] > 0 and rise <= room:
            rows, more = pool[i, LEFT], NEVER
            if max(state[TAKERS], state[PICKS]) < pool.shape[0]:
                more = settle(w, classes, i, rows, room - rise)
                if more == NEVER and rows > 1:
                    more = settle(w, classes, i, ONE, room - rise)
            rise = NEVER if more == NEVER else rise + more
    return rise
