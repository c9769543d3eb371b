"""The kernels that Python calls to change a partition.

They are few, for each repeats much of what there is to compile; and apart, for not every search needs all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anonym.search.local.jit import kernel
from anonym.search.local.lines import Lines
from anonym.search.local.moves import move
from anonym.search.local.partition import adopt
from anonym.search.local.trade import trade
from anonym.search.local.world import LISTED, World

Ints = NDArray[np.int64]


def add_classes(w: World, owner: Ints, member: Ints, rows: Ints) -> None:
    """Add new classes, given as entries class by class; class 0 stands for suppressed rows."""
    act(w, np.stack([owner, member, rows], axis=1), 0, 0.0, 0.0, 0.0)


def improve(w: World, tries: int, hot: float, cold: float, pull: float) -> int:
    """So many moves, the heat falling evenly from `hot` to `cold`; how many were kept."""
    return act(w, np.empty((0, 3), np.int64), tries, float(hot), float(cold), float(pull))


@kernel
def act(w: World, entries: Ints, tries: int, hot: float, cold: float, pull: float) -> int:
    """Add classes, then try moves."""
    adopt(w, entries)
    kept = 0
    for i in range(tries):
        if w.state[LISTED] == 0:
            break
        if move(w, hot + (cold - hot) * i / tries, pull):
            kept += 1
    return kept


@kernel
def swap_rows(w: World, lines: Lines, tries: int, hot: float, cold: float) -> int:
    """So many tries to swap rows of one kind, the heat falling evenly; how many were kept."""
    kept = 0
    for i in range(tries):
        if w.state[LISTED] == 0:
            break
        if trade(w, lines, hot + (cold - hot) * i / tries):
            kept += 1
    return kept
