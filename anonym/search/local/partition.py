"""Who is in which class: what moves change in place. See `world` for the tables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anonym.search.local.jit import inner
from anonym.search.local.price import COST, absorb, begin
from anonym.search.local.promises import lift
from anonym.search.local.world import (
    CLASS,
    COSTLY,
    COUNT,
    FIRST,
    FIRST_OF,
    FREE,
    GONE,
    LISTED,
    LOSS,
    NEXT,
    NEXT_OF,
    NONE,
    PLACE,
    PREVIOUS,
    PREVIOUS_OF,
    ROWS,
    SLOTS,
    SPARE,
    SPARES,
    TUPLE,
    UNUSED,
    WIDTH,
    ZERO,
    World,
    int64,
)

Ints = NDArray[np.int64]


@inner
def put(w: World, c: int, t: int, rows: int) -> None:
    """So many rows of tuple t join class c."""
    links = w.links
    links[c, ROWS] += rows
    e = links[t, FIRST_OF]
    while e >= 0:
        if links[e, CLASS] == c:
            links[e, COUNT] += rows
            return
        e = links[e, NEXT_OF]
    w.state[SPARES] -= 1
    e = links[w.state[SPARES], SPARE]
    links[e, TUPLE] = t
    links[e, COUNT] = rows
    links[e, CLASS] = c
    head = links[c, FIRST]
    links[e, NEXT] = head
    links[e, PREVIOUS] = -1
    if head >= 0:
        links[head, PREVIOUS] = e
    links[c, FIRST] = e
    head = links[t, FIRST_OF]
    links[e, NEXT_OF] = head
    links[e, PREVIOUS_OF] = -1
    if head >= 0:
        links[head, PREVIOUS_OF] = e
    links[t, FIRST_OF] = e


@inner
def leave_tuple(w: World, e: int) -> None:
    """Entry e leaves the list of its tuple and is spare."""
    links = w.links
    before, after = links[e, PREVIOUS_OF], links[e, NEXT_OF]
    if before >= 0:
        links[before, NEXT_OF] = after
    else:
        links[links[e, TUPLE], FIRST_OF] = after
    if after >= 0:
        links[after, PREVIOUS_OF] = before
    links[e, COUNT] = 0
    links[w.state[SPARES], SPARE] = e
    w.state[SPARES] += 1


@inner
def take(w: World, c: int, t: int, rows: int) -> None:
    """So many rows of tuple t leave class c, which has them."""
    links = w.links
    e = links[t, FIRST_OF]
    while links[e, CLASS] != c:
        e = links[e, NEXT_OF]
    links[c, ROWS] -= rows
    links[e, COUNT] -= rows
    if links[e, COUNT] == 0:
        before, after = links[e, PREVIOUS], links[e, NEXT]
        if before >= 0:
            links[before, NEXT] = after
        else:
            links[c, FIRST] = after
        if after >= 0:
            links[after, PREVIOUS] = before
        leave_tuple(w, e)


@inner
def new_class(w: World) -> int:
    """The number of a class without rows."""
    w.state[UNUSED] -= 1
    return int64(w.links[w.state[UNUSED], FREE])


@inner
def set_loss(w: World, c: int, loss: int) -> None:
    """Each row of class c costs so much; keeps the list of costly classes."""
    links, state = w.links, w.state
    links[c, LOSS] = loss
    place = links[c, PLACE]
    if loss > 0 and place < 0:
        links[c, PLACE] = state[LISTED]
        links[state[LISTED], COSTLY] = c
        state[LISTED] += 1
    elif loss == 0 and place >= 0:
        state[LISTED] -= 1
        last = links[state[LISTED], COSTLY]
        links[place, COSTLY] = last
        links[last, PLACE] = place
        links[c, PLACE] = -1


@inner
def dissolve(w: World, c: int) -> None:
    """Class c loses its rows and its number."""
    links = w.links
    e = links[c, FIRST]
    while e >= 0:
        leave_tuple(w, e)
        e = links[e, NEXT]
    links[c, FIRST] = -1
    links[c, ROWS] = 0
    set_loss(w, c, ZERO)
    links[w.state[UNUSED], FREE] = c
    w.state[UNUSED] += 1


@inner
def assemble(w: World, s: int, c: int, but: int, rows: int) -> int:
    """Slot s becomes class c without so many rows of tuple `but` (-1: with all), its histogram apart; the cost of each
    row."""
    links = w.links
    cost = ZERO
    is_new = True
    e = links[c, FIRST]
    while e >= 0:
        t = links[e, TUPLE]
        if t != but or links[e, COUNT] > rows:
            cost = begin(w, s, t) if is_new else absorb(w, s, t)
            is_new = False
        e = links[e, NEXT]
    return cost


@inner
def move_in(w: World, c: int, s: int) -> None:
    """Class c is what slot s holds."""
    slots = w.slots
    for j in range(slots.shape[1]):
        slots[SLOTS + c, j] = slots[s, j]
    set_loss(w, c, int64(slots[s, COST]))


@inner
def join(w: World, c: int, t: int, rows: int) -> None:
    """So many rows of tuple t join class c, which pays for them."""
    put(w, c, t, rows)
    if c != GONE:
        lift(w, SLOTS + c, t, rows)
        set_loss(w, c, absorb(w, SLOTS + c, t))


@inner
def adopt(w: World, entries: Ints) -> None:
    """Add new classes. `entries` (entries, 3) holds a class of any number, a tuple and its rows, class by class; class
    0 stands for suppressed rows."""
    c = GONE
    for i in range(entries.shape[0]):
        number = entries[i, 0]
        if number != GONE and (i == 0 or number != entries[i - 1, 0]):
            c = new_class(w)
            for b in range(w.state[WIDTH], w.slots.shape[1]):
                w.slots[SLOTS + c, b] = 0
        put(w, c, entries[i, 1], entries[i, 2])
        if number != GONE:
            lift(w, SLOTS + c, entries[i, 1], entries[i, 2])
            if i + 1 == entries.shape[0] or entries[i + 1, 0] != number:
                set_loss(w, c, assemble(w, SLOTS + c, c, NONE, ZERO))


def entries(w: World) -> tuple[Ints, Ints, Ints]:
    """(class, tuple, rows) of every entry, in any order."""
    used = np.flatnonzero(w.links[:, COUNT] > 0)
    return w.links[used, CLASS], w.links[used, TUPLE], w.links[used, COUNT]


def listing(w: World) -> tuple[Ints, Ints, Ints]:
    """(class, tuple, rows) of every entry, class by class, tuple by tuple."""
    owner, member, rows = entries(w)
    order = np.lexsort((member, owner))
    return owner[order], member[order], rows[order]
