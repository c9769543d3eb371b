"""Swaps: a row of one class for a row of another that counts alike for l and t, so that both classes still hold."""

from __future__ import annotations

from anonym.search.local.jit import inner
from anonym.search.local.lines import Lines, find
from anonym.search.local.moves import below, draw_class, draw_tuple, leeway
from anonym.search.local.partition import assemble, put, set_loss, take
from anonym.search.local.price import absorb, price
from anonym.search.local.world import (
    CLASS,
    FIRST_OF,
    GONE,
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

SIDE = 4  # places looked at on either side


@inner
def trade(w: World, lines: Lines, heat: float) -> bool:
    """A row of a costly class for one of its kind that is near another row of the class. Whether a swap was kept."""
    c = draw_class(w)
    t, s = draw_tuple(w, c), draw_tuple(w, c)
    if w.links[c, ROWS] < 2:
        return False
    assemble(w, SPARE_SLOT, c, t, ONE)
    line, kind = below(w, lines.own.shape[0]), w.code[t, w.code.shape[1] - 1]
    at = find(lines, line, kind, s)
    found, least = NONE, w.links[c, LOSS] + ONE
    for step in range(max(at - SIDE, lines.start[kind]), min(at + SIDE, lines.start[kind + 1])):
        u = lines.tuple[line, step]
        if u != t and lines.part[u] == lines.part[t]:
            cost = price(w, SPARE_SLOT, u)
            if cost < least:
                found, least = u, cost
    if found < 0:
        return False
    d = class_of(w, found)
    return bool(d >= 0 and d != c and swap(w, c, t, d, found, least, heat))


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
def swap(w: World, c: int, t: int, d: int, u: int, here: int, heat: float) -> bool:
    """A row of tuple t of class c, each row of which will cost `here`, for one of tuple u of class d, if kept."""
    links = w.links
    if links[d, ROWS] < 2:
        return False
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
