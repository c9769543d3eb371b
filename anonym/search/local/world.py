"""All that the kernels read and write: eight arrays, for calls with many arrays cost more than most loops inside.

Constants name the columns. `code` and `slots` are described in `price`, the rules of `state` in `promises`.

`links` (rows, 16) holds three tables side by side. An *entry* says that so many rows of a tuple are in a class; the
entries of a class and those of a tuple are linked lists. Class 0 holds the suppressed rows: there every row costs the
same, and nothing need hold. Classes whose rows cost something are listed, so that a move can be drawn among them.

`pool` (rows, 16) holds what a move works on, four tables side by side: the items (rows of a tuple, loose or on offer
by a class), what was picked for which new class, which classes outside take rows, and the broken and new classes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
Floats = NDArray[np.float64]

# links: an entry (SPARE is a stack of unused ones), a class (COSTLY is a list, FREE a stack of classes), a tuple
TUPLE, COUNT, CLASS, NEXT, PREVIOUS, NEXT_OF, PREVIOUS_OF, SPARE = range(8)
FIRST, ROWS, LOSS, PLACE, COSTLY, FREE = range(8, 14)  # LOSS: what a row of the class costs
FIRST_OF, LEFT_OVER = 14, 15  # first entry of a tuple; its rows in no class

# Numbers that are passed to kernels: as Python's they would be compiled in, a version of the kernel for each.
int64 = cast(Callable[[Any], int], np.int64)
ZERO, ONE, NONE = int64(0), int64(1), int64(-1)
GONE = ZERO  # the class of suppressed rows

# pool: an item (tuple, rows left, owning class, what a row costs there, lower bound of its price in the class that
# grows, rows at first), a pick, a class outside that takes, a class made
WHO, LEFT, OWNER, WORTH, FLOOR, OFFER = range(6)
PICK, PICKED, PICKED_FOR = range(6, 9)
TAKER, TAKEN, TAKEN_ROWS = range(9, 12)
NUMBER, GROWN = 12, 13  # number of a broken class, later of a new one; rows of a new one
LOOSE = NONE  # the owner of rows of broken classes

# state
LISTED, UNUSED, SPARES, BROKEN, LOOSE_ITEMS, ITEMS, PICKS, TAKERS, DICE = range(9)
K, MAY_GO, LOOK, COLUMNS, TUPLES, WIDTH, RULES, KINDS, CLOCK_OF, STRICT = range(
    9, 19
)  # WIDTH: where histograms start in
# a slot; KINDS: of tuples by their bins; CLOCK_OF: version of what is known of them
RULE = 19  # from here RULE_FIELDS numbers a rule
RULE_FIELDS = 6

MADE = 6  # classes that a move can make
SPARE_SLOT = int64(MADE)  # the slot for what is only tried
SLOTS = int64(MADE + 1)  # from here every class of the partition has a slot of its own
NEVER = int64(1 << 60)  # more than any loss


class World(NamedTuple):
    """`near` (tuples, 2 KEEP): near tuples, nearest first, -1 for none; then what a row of both would cost.

    `real`: two limits a rule, the reference shares by bin, then for each kind of tuple (by its bins) how far a slot
    would be from holding with one more row of it, and when that was found out.
    """

    code: Codes  # (tuples + items, columns + bin columns + 1); the last is the kind
    tab: Codes
    slots: Codes  # (SLOTS + classes, width + bins)
    near: Codes
    links: Ints
    pool: Ints
    state: Ints
    real: Floats
