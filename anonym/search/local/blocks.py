"""One block of the table: a start, then moves. Blocks share no classes, so that they can run side by side."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonym.hierarchy.model import Hierarchy
from anonym.search.local.act import add_classes, improve, swap_rows
from anonym.search.local.greedy import greedy, reached
from anonym.search.local.lines import Lines, lines
from anonym.search.local.neighbours import PASSES, Digit, digits, near
from anonym.search.local.partition import entries
from anonym.search.local.peel import chunks, peeled, recodings, signatures
from anonym.search.local.price import SCALE
from anonym.search.local.promises import smallest
from anonym.search.local.release import Entries
from anonym.search.local.space import Layout, Space, world_of
from anonym.search.local.world import COSTLY, GONE, LEFT_OVER, LISTED, LOSS, MAY_GO, ROWS, STRICT, K, World

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
Steps = Sequence[Sequence[Digit]]

HEAT = 0.08  # of the mean loss of a costly class: what a move may cost at first, with chance 1 / e
TIGHT_HEAT = 0.02  # under l or t, where few moves are kept
BATCH = 20_000  # moves between two looks at the clock and at the price of suppression
CHEAPER, FAR_DEARER = 0.9, 1.4  # the price of suppression where no row may go: while none has, and where one still has
GIVING = 0.5  # as many moves again, where rows may be given up
STEPS, FLAT, DEAREST = 24, 6, 8.0  # of the price of a row then: how many, how many of them at what it costs, the first
SWAPS = 15  # swaps of rows for each move, where growing classes that hold is slow
START_PULL, PULL = 1.0, 0.3  # how much being far from l or t weighs while a class grows: cells of `*` for k rows
MARGIN = 1.3  # rows, over those that a class needs at least, from which on only rows are taken that help it to hold
ANY = 1 << 40  # rows: all that there are
LINES = 8  # orders in which rows of one kind are sought


@dataclass(frozen=True)
class Effort:
    """How much a block may try: moves, or seconds of wall clock; how many near tuples a move looks at."""

    tries: int
    seconds: float | None
    look: int
    passes: int = PASSES  # orders along which near tuples are sought


@dataclass(frozen=True)
class Shared:
    """What all blocks share: the table, the digits of its columns, and the recodings peeled, None where none are."""

    layout: Layout
    hierarchies: Sequence[Hierarchy]
    steps: Steps
    levels: Codes | None

    @staticmethod
    def of(layout: Layout, hierarchies: Sequence[Hierarchy], visits: int) -> Shared:
        levels = None if layout.space.promise.rules else recodings(layout, hierarchies, visits)
        return Shared(layout, hierarchies, digits(layout, hierarchies), levels)


@dataclass(frozen=True)
class Outcome:
    """Classes of the block's tuples, by their numbers in the whole table.

    Rows in none are left over, or given up: `gone` says so of those in no class of `entries`. `whole` are the classes
    as they were before any row was given up.
    """

    entries: Entries
    gone: Entries  # as of one class
    whole: Entries
    tries: int


def solve_block(
    shared: Shared, members: Ints, k: int, limit: int, seed: int, effort: Effort, tick: Callable[[int], None]
) -> Outcome:
    """Classes for the tuples `members`. `tick` is told how many moves were tried."""
    layout, steps = shared.layout, shared.steps
    space = layout.space if members.size == layout.space.count else layout.space.of(members)
    rng = np.random.default_rng(seed)
    w = world_of(space, near(space, steps, rng, effort.passes), k, 0, layout.gone, seed, effort.look)
    w.links[: space.count, LEFT_OVER] = space.rows
    is_tight = not space.promise.is_monotone
    pull = PULL * SCALE * k
    if is_tight:
        w.state[STRICT] = max(k, round(MARGIN * smallest(space.promise)))
    _start(w, shared, space, rng, pull)
    left = np.flatnonzero(w.links[: space.count, LEFT_OVER])
    add_classes(w, np.full(left.size, GONE, np.int64), left, w.links[left, LEFT_OVER])  # moves find them a home
    along = lines(space, steps, rng, LINES) if is_tight else None
    tries = _improve(w, along, layout.gone, effort, pull, tick)
    whole = _Listed.of(w, layout.gone)
    ended, more = _give_up(w, whole, limit, layout.gone, effort, pull, tick) if limit > 0 else (whole, 0)
    return Outcome(ended.kept(members), ended.suppressed(members), whole.kept(members), tries + more)


@dataclass(frozen=True)
class _Listed:
    """The classes at some time, class 0 those of suppressed rows, and what they cost."""

    owner: Ints
    member: Ints
    rows: Ints
    loss: int
    gone: int  # rows

    @staticmethod
    def of(w: World, gone: int) -> _Listed:
        return _Listed(*entries(w), _loss(w, gone), int(w.links[GONE, ROWS]))

    def kept(self, members: Ints) -> Entries:
        is_kept = self.owner != GONE
        return Entries.of(self.owner[is_kept], members[self.member[is_kept]], self.rows[is_kept])

    def suppressed(self, members: Ints) -> Entries:
        is_gone = self.owner == GONE
        return Entries.of(self.owner[is_gone], members[self.member[is_gone]], self.rows[is_gone])


def _loss(w: World, gone: int) -> int:
    """Of all classes, where a suppressed row costs `gone`."""
    costly = w.links[: int(w.state[LISTED]), COSTLY]
    return int((w.links[costly, LOSS] * w.links[costly, ROWS]).sum()) + gone * int(w.links[GONE, ROWS])


def _start(w: World, shared: Shared, space: Space, rng: np.random.Generator, pull: float) -> None:
    steps, k = shared.steps, int(w.state[K])
    if not space.promise.is_monotone:
        reached(w, space, steps, rng, START_PULL * SCALE * k)
        return
    if shared.levels is None:
        greedy(w, space, steps, rng, pull)
        return
    words = signatures(shared.layout, shared.hierarchies, rng)
    owner = peeled(space, shared.levels, *words, k).astype(np.int64)
    order = np.argsort(owner, kind="stable")
    order = order[owner[order] >= 0]
    cls, entry, rows = chunks(owner[order], space.rows[order], k)
    add_classes(w, cls + 1, order[entry], rows)
    w.links[: space.count, LEFT_OVER] = np.where(owner < 0, space.rows, 0)


def _improve(w: World, along: Lines | None, gone: int, effort: Effort, pull: float, tick: Callable[[int], None]) -> int:
    """Moves, after swaps of rows along the lines if there are some; how many moves were tried."""
    began, done = time.monotonic(), 0
    costly = w.links[: int(w.state[LISTED]), COSTLY]
    hot = (
        (HEAT if along is None else TIGHT_HEAT) * float((w.links[costly, LOSS] * w.links[costly, ROWS]).mean())
        if costly.size
        else 0.0
    )
    size = max(min(BATCH, effort.tries // 10), 500)
    while w.state[LISTED] > 0:
        share, batch = done / max(effort.tries, 1), min(size, effort.tries - done)
        if effort.seconds is not None:
            share, batch = (time.monotonic() - began) / max(effort.seconds, 1e-9), size
        if share >= 1 or batch <= 0:
            break
        until = min(share + batch / max(effort.tries, 1), 1.0) if effort.seconds is None else share
        if along is not None:
            swap_rows(w, along, SWAPS * batch, hot * (1 - share), hot * (1 - until))
        improve(w, batch, hot * (1 - share), hot * (1 - until), pull)
        done += batch
        tick(batch)
        _reprice(w, gone)
    return done


def _give_up(
    w: World, whole: _Listed, limit: int, gone: int, effort: Effort, pull: float, tick: Callable[[int], None]
) -> tuple[_Listed, int]:
    """Give rows up where that pays, those first that pay most: the best classes within the limit, and moves tried.

    The price of a row falls to what it costs. What the moves do does not depend on the limit, which only says when to
    stop: so a larger one never leads to more loss.
    """
    best, done = whole, 0
    w.state[MAY_GO] = ANY
    began, batch = time.monotonic(), max(int(GIVING * effort.tries) // STEPS, 100)
    for step in range(STEPS):
        if effort.seconds is not None and time.monotonic() - began > GIVING * effort.seconds:
            break
        w.links[GONE, LOSS] = int(gone * DEAREST ** max(1 - step / (STEPS - FLAT), 0.0))
        improve(w, batch, 0.0, 0.0, pull)
        done += batch
        tick(batch)
        if w.links[GONE, ROWS] > limit:
            break
        if best.gone > limit or _loss(w, gone) < best.loss:
            best = _Listed.of(w, gone)
    return best, done


def _reprice(w: World, gone: int) -> None:
    """Suppression costs what drives it out, at least what a suppressed row costs."""
    change = FAR_DEARER if w.links[GONE, ROWS] > 0 else CHEAPER
    w.links[GONE, LOSS] = min(max(gone, int(w.links[GONE, LOSS] * change)), gone << 10)
