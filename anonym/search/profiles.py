"""Global recoding where a reader can join a unit's rows: k over unit profiles, whole units suppressed.

A unit's profile is the multiset of its released tuples. Two units of one profile under a recoding have one profile
under every coarser one. So a profile that fewer than k units share is lost to every refinement, its units with it; and
so is every unit with a row in a class that fails a criterion monotone under `subset` (distinct l). Entropy, recursive
l and t do not cut here: they are judged on complete recodings only. Profiles are told apart by a 64-bit sum of random
words.

In a recoding, the units of profiles below k leave, then those with a row in a class that fails l, again from the start
until none does; then those with a row in a class that fails t, and again from the start.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonym.criteria import ClassHistograms
from anonym.search import kernels
from anonym.search.incumbent import Incumbent, Levels
from anonym.search.judge import Judge
from anonym.search.lattice import Lattice
from anonym.search.problem import Problem
from anonym.search.sizes import SizeCost

Bools = NDArray[np.bool_]
Codes = NDArray[np.int32]


@dataclass(frozen=True)
class Held:
    """Which unit holds what, sorted by unit; `start` (units + 1,) says where each unit begins."""

    start: NDArray[np.int64]
    unit: Codes
    entry: Codes
    rows: NDArray[np.int64]  # of the pair
    value: Codes  # of a sensitive column; empty for pairs

    @classmethod
    def of(cls, unit: Codes, entry: Codes, rows: NDArray[np.int64], value: Codes, units: int) -> Held:
        """Entries -1 (lost cells) are left out."""
        alive = entry >= 0
        start = np.searchsorted(unit[alive], np.arange(units + 1)).astype(np.int64)
        return cls(
            start, unit[alive], entry[alive], rows[alive] if rows.size else rows, value[alive] if value.size else value
        )


@dataclass(frozen=True)
class Node:
    """The first axes decided on: class and cost a row of each entry, and the units that may still be released."""

    chosen: Levels
    owner: Codes  # (entries,)
    paid: NDArray[np.float64]
    alive: Bools  # (units,)
    bound: float
    gone: int


class ProfileSearch:
    """Branch and bound over unit profiles. `step` as in `BranchAndBound`."""

    def __init__(
        self,
        problem: Problem,
        lattice: Lattice,
        judge: Judge,
        limit: int,
        step: Callable[[int], bool],
        size_cost: SizeCost | None = None,
    ) -> None:
        cells = problem.cells
        self.lattice, self.judge, self.rows, self.limit, self.step = lattice, judge, problem.rows, limit, step
        self.size_cost = size_cost
        self.units = int(cells.shared_unit.max(initial=-1)) + 1
        none = np.empty(0, np.int32)
        self.pairs = Held.of(cells.shared_unit, lattice.entry[cells.shared_cell], cells.shared_rows, none, self.units)
        self.triples = [
            Held.of(s.shared_unit, lattice.entry[s.shared_cell], np.empty(0, np.int64), s.shared_value, self.units)
            for s in (cells.sensitive[asked.column] for asked in judge.asked)
        ]
        self.unit_rows = np.bincount(self.pairs.unit, weights=self.pairs.rows, minlength=self.units).astype(np.int64)
        weights = [0.0 if size_cost is not None else axis.weight for axis in lattice.axes]
        self.drops: list[float] = np.cumsum([0.0 if size_cost is None else 1.0, *weights]).tolist()
        self.tails = [0.0] * (len(lattice.axes) + 1)
        self.incumbent = Incumbent(lattice, 1e-11 * max(self.rows, 1) * max(self.drops[-1], 1e-300))
        self.words = np.random.default_rng(0).integers(0, 2**64, lattice.depths[-1].count + 1, np.uint64)
        self.open = math.inf
        self.running = True

    def run(self) -> None:
        root = self.root()
        if root is not None:
            self._visit(root)

    @property
    def bound(self) -> float:
        """No recoding has a lower objective."""
        return min(self.open, self.incumbent.best.objective)

    def root(self) -> Node | None:
        """Every column at its coarsest allowed level; None if that already suppresses too much."""
        entries = self.lattice.depths[-1].count
        return self._judged((), self.lattice.depths[0].of_entry, np.zeros(entries), self.unit_rows > 0)

    def walk(self, chosen: Levels) -> Node | None:
        """The node of `chosen`; None if it suppresses too much or costs more than the best found."""
        node = self.root()
        for level in chosen:
            node = None if node is None else self._child(node, level)
        return node

    def offer(self, chosen: Levels) -> None:
        """Take a complete recoding as the best, if it is."""
        node = self.walk(chosen)
        if node is not None:
            self.incumbent.take(node.bound, node.gone, node.chosen)

    def dropped(self, chosen: Levels) -> Codes:
        """The units that a complete recoding suppresses."""
        node = self.walk(chosen)
        alive = np.zeros(self.units, np.bool_) if node is None else node.alive
        return np.flatnonzero(~alive).astype(np.int32)

    def _visit(self, node: Node) -> None:
        if len(node.chosen) == len(self.lattice.axes):
            self.incumbent.take(node.bound, node.gone, node.chosen)
        elif not self.running:
            self.open = min(self.open, node.bound)
        else:
            levels = range(len(self.lattice.axes[len(node.chosen)].levels))
            children = [child for level in levels if (child := self._child(node, level)) is not None]
            for child in sorted(children, key=lambda child: (child.bound, child.gone, child.chosen)):
                if not self.incumbent.beats(child.bound, child.gone, child.chosen):
                    self._visit(child)

    def _child(self, node: Node, level: int) -> Node | None:
        depth = len(node.chosen)
        axis, codes = self.lattice.axes[depth], self.lattice.codes[depth]
        key = (node.owner.astype(np.int64) * axis.widths[level] + axis.nodes[level][codes]).astype(np.uint64)
        entries = self.lattice.depths[-1]
        owner = kernels.group(key, node.paid, entries.rows, entries.rows)[0]
        return self._judged((*node.chosen, level), owner, node.paid + axis.cost[level][codes], node.alive)

    def _judged(self, chosen: Levels, owner: Codes, paid: NDArray[np.float64], alive: Bools) -> Node | None:
        """The node with its lost units dropped; None if it is out of the running."""
        self.running &= self.step(self.pairs.unit.size + owner.size)
        is_complete = len(chosen) == len(self.lattice.axes)
        while True:
            key, cost = kernels.profiles(
                self.pairs.start, self.pairs.entry, self.pairs.rows, alive, owner, paid, self.words
            )
            shared = self._shared(key, alive)
            gone = self.rows - int(self.unit_rows[shared].sum())
            bound = float(cost[shared].sum()) + self._rest(len(chosen), gone)
            if gone > self.limit or bound > self.incumbent.best.objective + self.incumbent.tie:
                return None
            left = self._without_failing(owner, shared, is_complete=is_complete)
            if np.array_equal(left, alive):
                break
            alive = left
        if self.size_cost is not None and is_complete:
            bound = gone + self._size_cost(owner, alive)
        return Node(chosen, owner, paid, alive, bound, gone)

    def _rest(self, depth: int, gone: int) -> float:
        """What rows gone cost, and all rows at least on the axes not decided on."""
        return gone * self.drops[depth] + max(gone * (self.drops[-1] - self.drops[depth]), self.tails[depth])

    def _shared(self, key: NDArray[np.uint64], alive: Bools) -> Bools:
        """The living units whose profile k of them share."""
        living = np.flatnonzero(alive)
        one = np.ones(living.size, np.int64)
        owner, _, members, _ = kernels.group(key[living], np.zeros(living.size), one, one)
        shared = np.zeros(alive.size, np.bool_)
        shared[living] = self.judge.k.holds(members)[owner]
        return shared

    def _without_failing(self, owner: Codes, alive: Bools, *, is_complete: bool) -> Bools:
        """`alive` less the units with a row in a class that fails."""
        if not self.judge.asked:
            return alive
        classes = int(owner.max(initial=-1)) + 1
        members = np.zeros(classes, np.int64)
        chosen = alive[self.pairs.unit]
        kernels.add_shared(_starts(self.pairs, chosen), self.pairs.entry[chosen], owner, members)
        tables = [self._table(held, alive, owner, classes, self.judge.sizes[i]) for i, held in enumerate(self.triples)]
        holds = self._diverse(tables, members, is_complete=is_complete) | (members == 0)
        if is_complete and holds.all():
            holds = self._close(tables, members) | (members == 0)
        failing = np.zeros(alive.size, np.bool_)
        failing[self.pairs.unit[chosen & ~holds[owner[self.pairs.entry]]]] = True
        return alive & ~failing

    def _diverse(self, tables: list[ClassHistograms], members: NDArray[np.int64], *, is_complete: bool) -> Bools:
        holds = np.ones(members.size, np.bool_)
        for i, asked in enumerate(self.judge.asked):
            folded = tables[i].folded(self.judge.folds[i])
            for diversity in asked.diversity:
                if is_complete or "subset" in diversity.monotone:
                    holds &= self.judge.diversity(diversity, folded, members)[1]
        return holds

    def _close(self, tables: list[ClassHistograms], members: NDArray[np.int64]) -> Bools:
        holds = np.ones(members.size, np.bool_)
        for table, asked in zip(tables, self.judge.asked, strict=True):
            for closeness, ground in asked.closeness:
                holds &= closeness.holds(ground.distances(table, table.pooled(members > 0)))
        return holds

    def _table(self, held: Held, alive: Bools, owner: Codes, classes: int, size: int) -> ClassHistograms:
        chosen = alive[held.unit]
        loose = kernels.shared_weights(_starts(held, chosen), held.entry[chosen], held.value[chosen], owner, size)
        return ClassHistograms.of(*loose, classes, size)

    def _size_cost(self, owner: Codes, alive: Bools) -> float:
        assert self.size_cost is not None
        chosen = alive[self.pairs.unit]
        rows = np.bincount(owner[self.pairs.entry[chosen]], weights=self.pairs.rows[chosen]).astype(np.int64)
        return self.size_cost.exact(rows, rows > 0)


def _starts(held: Held, chosen: Bools) -> NDArray[np.int64]:
    """Where each unit begins among the chosen."""
    return np.append(0, np.cumsum(chosen))[held.start].astype(np.int64)
