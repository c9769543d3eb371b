"""Swaps: a row of one class for a row of another that counts alike for l and t, so that both classes still hold."""

from __future__ import annotations

from anonym.search.local.jit import inner
from anonym.search.local.moves import below, draw_class, draw_tuple, leeway
from anonym.search.local.partition import assemble, put, set_loss, take
from anonym.search.local.price import absorb
from anonym.search.local.world import (
    CLASS,
    FIRST_OF,
    GONE,
    LOOK,
    LOSS,
    NEXT_OF,
    NONE,
    ONE,
    ROWS,
    SLOTS,
    SPARE_SLOT,
    ZERO,
    World,
    int64,
)


@inner
def trade(w: World, heat: float) -> bool:
    """A row of a costly class for one near another of its rows. Whether a swap was kept."""
    c = draw_class(w)
    t, s = draw_tuple(w, c), draw_tuple(w, c)
    kind = w.code.shape[1] - 1
    for a in range(w.state[LOOK]):
        u = int64(w.near[s, a])
        if u < 0:
            break
        if u != t and w.code[u, kind] == w.code[t, kind]:
            d = class_of(w, u)
            if d != c and d >= 0 and swap(w, c, t, d, u, heat):
                return True
    return False


@inner
def class_of(w: World, u: int) -> int:
    """One of the classes of tuple u, -1 for none."""
    links = w.links
    e = links[u, FIRST_OF]
    skip = below(w, 4)
    while skip > 0 and e >= 0 and links[e, NEXT_OF] >= 0:
        e = links[e, NEXT_OF]
        skip -= 1
    return int64(links[e, CLASS]) if e >= 0 else int64(e)


@inner
def swap(w: World, c: int, t: int, d: int, u: int, heat: float) -> bool:
    """A row of tuple t of class c for one of tuple u of class d, if that is kept."""
    links = w.links
    if links[c, ROWS] < 2 or links[d, ROWS] < 2:
        return False
    assemble(w, SPARE_SLOT, c, t, ONE)
    here = absorb(w, SPARE_SLOT, u)
    there = links[d, LOSS]
    if d != GONE:
        assemble(w, SPARE_SLOT, d, u, ONE)
        there = absorb(w, SPARE_SLOT, t)
    change = links[c, ROWS] * (here - links[c, LOSS]) + links[d, ROWS] * (there - links[d, LOSS])
    if change > leeway(w, heat):
        return False
    take(w, c, t, ONE)
    take(w, d, u, ONE)
    put(w, c, u, ONE)
    put(w, d, t, ONE)
    set_loss(w, c, assemble(w, SLOTS + c, c, NONE, ZERO))
    if d != GONE:
        set_loss(w, d, assemble(w, SLOTS + d, d, NONE, ZERO))
    return True
