"""The kernels that Python calls to change a partition.

One kernel does all, for each repeats much of what there is to compile.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anonym.search.local.jit import kernel
from anonym.search.local.moves import move
from anonym.search.local.partition import adopt
from anonym.search.local.start import attach, sweep, take_below
from anonym.search.local.world import LISTED, World

ADOPT, TAKE, SWEEP, ATTACH, IMPROVE = range(5)
NO_TABLE = np.empty((0, 3), np.int64)

Ints = NDArray[np.int64]


def add_classes(w: World, owner: Ints, member: Ints, rows: Ints) -> None:
    """Add new classes, given as entries class by class."""
    _act(w, ADOPT, np.stack([owner, member, rows], axis=1))


def take_classes(w: World, known: Ints, limit: int, pull: float) -> None:
    """See `start.take_below`; `known` (tuples, 1)."""
    _act(w, TAKE, known, amount=limit, pull=pull)


def sweep_classes(w: World, rings: Ints, reach: int, pull: float) -> None:
    """See `start.sweep`."""
    _act(w, SWEEP, rings, amount=reach, pull=pull)


def attach_left(w: World) -> None:
    """See `start.attach`."""
    _act(w, ATTACH)


def improve(w: World, tries: int, hot: float, cold: float, pull: float) -> int:
    """So many moves, the heat falling evenly from `hot` to `cold`; how many were kept."""
    return _act(w, IMPROVE, amount=tries, hot=hot, cold=cold, pull=pull)


def _act(
    w: World, what: int, table: Ints = NO_TABLE, amount: int = 0, hot: float = 0.0, cold: float = 0.0, pull: float = 0.0
) -> int:
    return act(w, what, table, amount, float(hot), float(cold), float(pull))


@kernel
def act(w: World, what: int, table: Ints, amount: int, hot: float, cold: float, pull: float) -> int:
    """Do one thing; what it counts."""
    done = 0
    if what == ADOPT:
        adopt(w, table)
    elif what == TAKE:
        take_below(w, table, amount, pull)
    elif what == SWEEP:
        sweep(w, table, amount, pull)
    elif what == ATTACH:
        attach(w)
    else:
        for i in range(amount):
            if w.state[LISTED] == 0:
                break
            if move(w, hot + (cold - hot) * i / amount, pull):
                done += 1
    return done
