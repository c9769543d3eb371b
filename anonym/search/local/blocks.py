"""One block of the table: a start, then moves. Blocks share no classes, so that they can run side by side."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonym.hierarchy.model import Hierarchy
from anonym.search.local.act import add_classes, attach_left, improve
from anonym.search.local.greedy import greedy
from anonym.search.local.neighbours import Digit, near
from anonym.search.local.partition import listing
from anonym.search.local.peel import chunks, peeled, recodings, signatures
from anonym.search.local.price import SCALE
from anonym.search.local.release import Entries
from anonym.search.local.space import Layout, Space, world_of
from anonym.search.local.world import COSTLY, GONE, LEFT_OVER, LISTED, LOSS, MAY_GO, ROWS, World

Ints = NDArray[np.int64]
Steps = Sequence[Sequence[Digit]]

HEAT = 0.08  # of the mean loss of a costly class: what a move may cost at first, with chance 1 / e
BATCH = 20_000  # moves between two looks at the clock and at the price of suppression
DEARER, CHEAPER = 1.15, 0.9  # the price of suppression while its limit is reached, and while it is not


@dataclass(frozen=True)
class Effort:
    """How much a block may try: moves, or seconds of wall clock; how many near tuples a move looks at; the start."""

    tries: int
    seconds: float | None
    look: int
    visits: int  # recodings peeled


@dataclass(frozen=True)
class Outcome:
    """Classes of the block's tuples, by their numbers in the whole table; rows in none are left over or suppressed."""

    entries: Entries
    gone: Ints  # (tuples of the table,) suppressed rows
    tries: int


def solve_block(
    layout: Layout,
    hierarchies: Sequence[Hierarchy],
    steps: Steps,
    members: Ints,
    k: int,
    limit: int,
    seed: int,
    effort: Effort,
    tick: Callable[[int], None],
) -> Outcome:
    """Classes for the tuples `members`. `tick` is told how many moves were tried."""
    space = layout.space if members.size == layout.space.count else layout.space.of(members)
    rng = np.random.default_rng(seed)
    w = world_of(space, near(space, steps, rng), k, limit, layout.gone, seed, effort.look)
    w.links[: space.count, LEFT_OVER] = space.rows
    pull = PULL * SCALE * k
    _start(w, layout, hierarchies, space, steps, k, rng, effort.visits, pull)
    attach_left(w)
    tries = _improve(w, layout.gone, effort, pull, tick)
    owner, member, rows = listing(w)
    is_gone = owner == GONE
    gone = np.bincount(members[member[is_gone]], rows[is_gone], layout.space.count).astype(np.int64)
    kept = ~is_gone
    return Outcome(Entries.of(owner[kept], members[member[kept]], rows[kept]), gone, tries)


PULL = 2.0  # how much being far from l or t weighs while a class grows, in `*` cells of one column for k rows


def _start(
    w: World,
    layout: Layout,
    hierarchies: Sequence[Hierarchy],
    space: Space,
    steps: Steps,
    k: int,
    rng: np.random.Generator,
    visits: int,
    pull: float,
) -> None:
    levels = recodings(layout, hierarchies, visits) if not space.promise.rules else None
    if levels is None:
        greedy(w, space, steps, rng, pull)
        return
    owner = peeled(space, levels, *signatures(layout, hierarchies, rng), k).astype(np.int64)
    order = np.lexsort((np.arange(space.count), owner))
    order = order[owner[order] >= 0]
    cls, entry, rows = chunks(owner[order], space.rows[order], k)
    add_classes(w, cls, order[entry], rows)
    w.links[: space.count, LEFT_OVER] = np.where(owner < 0, space.rows, 0)


def _improve(w: World, gone: int, effort: Effort, pull: float, tick: Callable[[int], None]) -> int:
    began, done = time.monotonic(), 0
    costly = w.links[: int(w.state[LISTED]), COSTLY]
    hot = HEAT * float((w.links[costly, LOSS] * w.links[costly, ROWS]).mean()) if costly.size else 0.0
    while w.state[LISTED] > 0:
        share = done / max(effort.tries, 1)
        batch = min(BATCH, effort.tries - done)
        if effort.seconds is not None:
            share, batch = (time.monotonic() - began) / max(effort.seconds, 1e-9), BATCH // 10
        if share >= 1 or batch <= 0:
            break
        until = min(share + batch / max(effort.tries, 1), 1.0)
        improve(w, batch, hot * (1 - share), hot * (1 - until), pull)
        done += batch
        tick(batch)
        if w.state[MAY_GO] > 0:
            is_full = w.links[GONE, ROWS] >= 0.98 * w.state[MAY_GO]
            w.links[GONE, LOSS] = max(gone, int(w.links[GONE, LOSS] * (DEARER if is_full else CHEAPER)))
    return done
