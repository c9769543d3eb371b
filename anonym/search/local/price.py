"""What a class of records costs. Loops over arrays; whoever calls them has validated.

Cost is in fixed point (`SCALE` is the NCP of one column at `*`): sums are exact, so that equal recodings compare as
equal, on any machine and in any order.

`code` holds atoms: leaves at the finest level that may be released. `tab` describes the columns, which stand in the
order of their kinds: its HEAD entries are the number of columns and the ends of the first three kinds, then FIELDS a
column, then tables:

- pair: labels of a small domain. AT a table (atoms, atoms) of the cost of the common ancestor, SIZE its width. Costs
  rise towards the root, so a class costs the largest entry between any one member and all others.
- path: labels of a wide domain. AT a table (atoms, levels) of nodes, SIZE its levels, MORE the cost of nodes.
- span: intervals. AT a table (atoms, 2) of the two ends, SIZE the cost that none exceeds.
- member: sets. AT the stamps in the slot, SIZE the cost of one more leaf, MORE the start (and the end: the next entry)
  of the list of leaves that an atom covers.

A *slot* is a row of `slots`: a class under construction. After COST, CLOCK (version of its stamps) and SET_COST (of
its member columns) come two entries a column, the stamps, and from state[WIDTH] a histogram.
"""

from __future__ import annotations

from anonym.search.local.jit import inlined, inner
from anonym.search.local.world import ZERO, World, int64

SCALE = 1 << 20
HEAD, FIELDS = 4, 4
AT, SIZE, MORE = range(3)
COST, CLOCK, SET_COST = range(3)
FIRST_PAIR = 3  # where the two entries a column begin


@inner
def begin(w: World, s: int, t: int) -> int:
    """Slot s becomes the class of tuple t alone; the cost of each row."""
    code, tab, slots = w.code, w.tab, w.slots
    q = tab[0]
    cost = ZERO
    for j in range(tab[1]):
        col = HEAD + FIELDS * j
        at = tab[col + AT] + code[t, j] * tab[col + SIZE]
        slots[s, FIRST_PAIR + j] = at
        slots[s, FIRST_PAIR + q + j] = tab[at + code[t, j]]
        cost += tab[at + code[t, j]]
    for j in range(tab[1], tab[2]):
        col = HEAD + FIELDS * j
        at = tab[col + AT] + code[t, j] * tab[col + SIZE]
        slots[s, FIRST_PAIR + j] = at
        slots[s, FIRST_PAIR + q + j] = 0
        cost += tab[tab[col + MORE] + tab[at]]
    for j in range(tab[2], tab[3]):
        col = HEAD + FIELDS * j
        at = tab[col + AT] + 2 * code[t, j]
        slots[s, FIRST_PAIR + j] = tab[at]
        slots[s, FIRST_PAIR + q + j] = tab[at + 1]
        cost += min(tab[at + 1] - tab[at], tab[col + SIZE])
    slots[s, CLOCK] += 1
    slots[s, SET_COST] = 0
    for j in range(tab[3], q):
        col = HEAD + FIELDS * j
        at = tab[col + MORE] + code[t, j]
        for i in range(tab[at], tab[at + 1]):
            slots[s, tab[col + AT] + tab[i]] = slots[s, CLOCK]
        slots[s, SET_COST] += (tab[at + 1] - tab[at] - 1) * tab[col + SIZE]
    cost += slots[s, SET_COST]
    slots[s, COST] = cost
    return int64(cost)


def _price(w: World, s: int, t: int) -> int:
    """What a row of slot s would cost if tuple t joined it."""
    code, tab, slots = w.code, w.tab, w.slots
    q = tab[0]
    cost = ZERO
    for j in range(tab[1]):
        cost += max(tab[slots[s, FIRST_PAIR + j] + code[t, j]], slots[s, FIRST_PAIR + q + j])
    for j in range(tab[1], tab[2]):
        col = HEAD + FIELDS * j
        mine = tab[col + AT] + code[t, j] * tab[col + SIZE]
        at = slots[s, FIRST_PAIR + j]
        level = slots[s, FIRST_PAIR + q + j]
        while tab[at + level] != tab[mine + level]:
            level += 1
        cost += tab[tab[col + MORE] + tab[at + level]]
    for j in range(tab[2], tab[3]):
        col = HEAD + FIELDS * j
        at = tab[col + AT] + 2 * code[t, j]
        low = min(tab[at], slots[s, FIRST_PAIR + j])
        high = max(tab[at + 1], slots[s, FIRST_PAIR + q + j])
        cost += min(high - low, tab[col + SIZE])
    cost += slots[s, SET_COST]
    for j in range(tab[3], q):
        col = HEAD + FIELDS * j
        if slots[s, tab[col + AT] + code[t, j]] != slots[s, CLOCK]:
            at = tab[col + MORE] + code[t, j]
            for i in range(tab[at], tab[at + 1]):
                if slots[s, tab[col + AT] + tab[i]] != slots[s, CLOCK]:
                    cost += tab[col + SIZE]
    return int64(cost)


price = inner(_price)
price_inlined = inlined(_price)  # 13 ns instead of 28, for the loop over a whole pool


@inner
def absorb(w: World, s: int, t: int) -> int:
    """Tuple t joins slot s; the new cost of each row."""
    code, tab, slots = w.code, w.tab, w.slots
    q = tab[0]
    cost = ZERO
    for j in range(tab[1]):
        most = max(tab[slots[s, FIRST_PAIR + j] + code[t, j]], slots[s, FIRST_PAIR + q + j])
        slots[s, FIRST_PAIR + q + j] = most
        cost += most
    for j in range(tab[1], tab[2]):
        col = HEAD + FIELDS * j
        mine = tab[col + AT] + code[t, j] * tab[col + SIZE]
        at = slots[s, FIRST_PAIR + j]
        level = slots[s, FIRST_PAIR + q + j]
        while tab[at + level] != tab[mine + level]:
            level += 1
        slots[s, FIRST_PAIR + q + j] = level
        cost += tab[tab[col + MORE] + tab[at + level]]
    for j in range(tab[2], tab[3]):
        col = HEAD + FIELDS * j
        at = tab[col + AT] + 2 * code[t, j]
        low = min(tab[at], slots[s, FIRST_PAIR + j])
        high = max(tab[at + 1], slots[s, FIRST_PAIR + q + j])
        slots[s, FIRST_PAIR + j] = low
        slots[s, FIRST_PAIR + q + j] = high
        cost += min(high - low, tab[col + SIZE])
    for j in range(tab[3], q):
        col = HEAD + FIELDS * j
        if slots[s, tab[col + AT] + code[t, j]] != slots[s, CLOCK]:
            at = tab[col + MORE] + code[t, j]
            for i in range(tab[at], tab[at + 1]):
                if slots[s, tab[col + AT] + tab[i]] != slots[s, CLOCK]:
                    slots[s, tab[col + AT] + tab[i]] = slots[s, CLOCK]
                    slots[s, SET_COST] += tab[col + SIZE]
    cost += slots[s, SET_COST]
    slots[s, COST] = cost
    return int64(cost)
