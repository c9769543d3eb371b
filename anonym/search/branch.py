"""Branch and bound over the quasi-identifiers, in the order of the lattice's axes.

A node of the search tree has decided the levels of the first axes; the others are at their coarsest allowed level. Its
classes are unions of the classes of every recoding below it. So what fails k or distinct l there fails below, and is
dropped for good; and a recoding below costs at least
    what the rows left pay on the axes decided on + the least they can cost on the others + what dropped rows cost.
All rows together cost at least `tails` on the axes not decided on, where more than nothing is known of them.
Under entropy and recursive l and t a class that fails may have parts that hold: there the bound counts the least rows
that must leave it (`least_removal` of each criterion, with its proof).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonym.search import kernels
from anonym.search.incumbent import Best, Incumbent, Levels
from anonym.search.judge import Classes, Judge, least_removal, settle
from anonym.search.lattice import Lattice
from anonym.search.pairs import Pairs
from anonym.search.sizes import SizeCost

SLACK = 1e-6  # rows; what a computed removal may exceed the rows left to suppress by rounding
WORTH_A_THREAD = 5_000  # prefixes read for a child: fewer are read before another thread has begun
NONE = np.empty(0, np.int32)
NO_SIZES = np.empty(0, np.int64)


@dataclass(frozen=True)
class Node:
    """A node of the search tree. `order` and `start` list the living prefixes class by class (see `kernels`)."""

    chosen: Levels  # level numbers on the first axes
    order: NDArray[np.int32]
    start: NDArray[np.int64]
    paid: NDArray[np.float64]  # (classes,) what a row has paid on the axes decided on
    bound: float
    gone: int  # input rows that are suppressed in every recoding below
    sizes: NDArray[np.int64]  # (entries,) least size of each entry's class below; empty unless the objective asks
    spent: float  # what all rows cost at least on the axes decided on

    @property
    def depth(self) -> int:
        return len(self.chosen)


@dataclass(frozen=True)
class Split:
    """A node's prefixes by the next column: the entry of each child prefix, and the entries (see `kernels.split`)."""

    node: Node
    entry_of: NDArray[np.int32]
    entries: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True)
class Judged:
    """The classes of a child: `class_of` numbers the class of each entry; `holds` and `paid` are by class."""

    class_of: NDArray[np.int32]
    paid: NDArray[np.float64]
    holds: NDArray[np.bool_]


@dataclass(frozen=True)
class Child:
    """One level of the next column. `judged` is None where k by itself has told its bound."""

    chosen: Levels
    bound: float
    gone: int
    spent: float
    judged: Judged | None


class BranchAndBound:
    """One search. `step` is called once a check with the prefixes it read; it returns False to end the search."""

    def __init__(
        self,
        lattice: Lattice,
        judge: Judge,
        rows: int,
        limit: int,
        step: Callable[[int], bool],
        size_cost: SizeCost | None = None,
    ) -> None:
        self.lattice, self.judge, self.rows, self.limit, self.step = lattice, judge, rows, limit, step
        self.size_cost = size_cost
        self.tails = [0.0] * (len(lattice.axes) + 1)
        self.pairs: Pairs | None = None
        self.pool: Executor | None = None  # for the children of a node
        weights = [axis.weight if size_cost is None else 0.0 for axis in lattice.axes]
        fixed = 0.0 if size_cost is None else 1.0
        self.drops: list[float] = np.cumsum([fixed, *weights]).tolist()  # what a suppressed row costs, by depth
        self.incumbent = Incumbent(lattice, 1e-11 * max(rows, 1) * max(self.drops[-1], 1e-300))
        self.open = math.inf  # the least bound of a node left unvisited
        self.running = True
        self.reads = 0  # since the last check
        self.numbers = np.arange(lattice.depths[-1].count, dtype=np.int32)
        self.base = None if size_cost is not None else _base(lattice)

    def run(self) -> None:
        root = self.root()
        if root is not None:
            self._visit(root)

    @property
    def best(self) -> Best:
        return self.incumbent.best

    @property
    def bound(self) -> float:
        """No recoding has a lower objective."""
        return min(self.open, self.best.objective)

    def root(self) -> Node | None:
        """Every column at its coarsest allowed level; None if that already suppresses too much."""
        prefixes = self.lattice.depths[0]
        owner = np.arange(prefixes.count, dtype=np.int32)
        members = self.judge.members[0].own.copy()
        self.judge.count_shared(0, owner, members)
        sizes = NO_SIZES if self.size_cost is None else self.size_cost.least
        paid = np.zeros(prefixes.count)
        child = self._judged((), Classes(0, owner, prefixes.rows, members), owner, paid, sizes)
        self._count(prefixes.count)
        if child is None or child.judged is None:
            return None
        alive = np.flatnonzero(child.judged.holds).astype(np.int32)
        start = np.arange(alive.size + 1, dtype=np.int64)
        return Node((), alive, start, paid[alive], child.bound, child.gone, sizes, child.spent)

    def walk(self, chosen: Levels) -> Node | None:
        """The node of `chosen`, whatever it costs; None if it suppresses too much."""
        best, self.incumbent.best = self.best, Best()
        node = self.root()
        for level in chosen:
            if node is None:
                break
            split = self._split(node)
            child = self._child(split, level)
            self._count(self._read(split))
            node = None if child is None else self._descended(split, child)
        self.incumbent.best = best
        return node

    def offer(self, chosen: Levels) -> None:
        """Take a complete recoding as the best, if it is."""
        node = self.walk(chosen)
        if node is not None:
            self.incumbent.take(node.bound, node.gone, node.chosen)

    def owner(self, chosen: Levels) -> NDArray[np.int32]:
        """(entries,) the class of each entry under a complete recoding, -1 where it is dropped."""
        owner = np.full(self.lattice.depths[-1].count, -1, np.int32)
        node = self.walk(chosen)
        if node is not None:
            owner[node.order] = np.repeat(np.arange(node.start.size - 1, dtype=np.int32), np.diff(node.start))
        return owner

    def _visit(self, node: Node) -> None:
        if node.depth == len(self.lattice.axes):
            self.incumbent.take(node.bound, node.gone, node.chosen)
            return
        if not self.running:
            self.open = min(self.open, node.bound)
            return
        levels = self._open(node)
        if not levels.any():
            return
        split = self._split(node)
        children = self._glimpsed(split, levels)
        if self._needs_judging(node.depth + 1):
            children = sorted(self._children(split, [child.chosen[-1] for child in children]), key=_promise)
        for child in children:
            if self.incumbent.beats(child.bound, child.gone, child.chosen):
                continue
            if node.depth + 1 == len(self.lattice.axes):
                self.incumbent.take(child.bound, child.gone, child.chosen)
            else:
                self._visit(self._descended(split, child))

    def _needs_judging(self, depth: int) -> bool:
        """Whether more than rows and k decides on a class, or more than its rows on the bound."""
        has_base = self.base is not None and depth < len(self.lattice.axes)
        return self.judge.needs_owner(depth) or self.size_cost is not None or has_base

    def _count(self, reads: int) -> None:
        self.running &= self.step(self.reads + reads)
        self.reads = 0

    def _split(self, node: Node) -> Split:
        here, below = self.lattice.depths[node.depth], self.lattice.depths[node.depth + 1]
        own = self.judge.members[node.depth + 1].own
        entry_of, start, leaf, rows, members = kernels.split(
            node.order, node.start, here.first_child, below.leaf, below.rows, own, self.lattice.axes[node.depth].leaves
        )
        self.reads += entry_of.size
        return Split(node, entry_of, (start, leaf, rows, members))

    def _open(self, node: Node) -> NDArray[np.bool_]:
        """(levels,) of the next axis those that may win by what pairs of axes cost."""
        count = len(self.lattice.axes[node.depth].levels)
        if self.pairs is None:
            return np.ones(count, np.bool_)
        least = node.spent + self.pairs.by_level(self.pairs.lower(node.chosen), node.depth, node.gone)[:count]
        return least <= self.best.objective + self.incumbent.tie

    def _glimpsed(self, split: Split, levels: NDArray[np.bool_]) -> list[Child]:
        """The children that may win by k alone, most promising first; units of several prefixes count in each."""
        node, (start, leaf, rows, members) = split.node, split.entries
        axis, depth = self.lattice.axes[node.depth], node.depth + 1
        most = rows if self.judge.members[depth].shared_prefix.size else members
        found = kernels.glimpse(
            start, leaf, rows, most, axis.nodes, axis.cost, node.paid, levels, self.judge.k.k, self.limit - node.gone
        )
        children = []
        for level, (dropped, cost, reads) in enumerate(zip(*(each.tolist() for each in found), strict=True)):
            if reads < 0:
                continue
            gone = node.gone + dropped
            chosen = (*node.chosen, level)
            bound = self._bound(chosen, cost, gone, 0.0, 0.0)
            self._count(reads)
            if not self._is_out(bound, gone):
                children.append(Child(chosen, bound, gone, cost + gone * self.drops[depth], None))
        return sorted(children, key=_promise)

    def _merged(
        self, split: Split, level: int
    ) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """(class of each entry; rows, members that lie in one prefix, cost a row of each class)."""
        node, axis = split.node, self.lattice.axes[split.node.depth]
        return kernels.merge(*split.entries, axis.nodes[level], axis.cost[level], node.paid, axis.widths[level])

    def _children(self, split: Split, levels: Sequence[int]) -> list[Child]:
        """Those of `_child` that are left. None knows of another, so several threads find the same ones."""
        read = self._read(split)
        if self.pool is None or read < WORTH_A_THREAD:
            found = [self._child(split, level) for level in levels]
        else:
            found = list(self.pool.map(lambda level: self._child(split, level), levels))
        for _ in levels:
            self._count(read)
        return [child for child in found if child is not None]

    def _read(self, split: Split) -> int:
        """What `_child` reads."""
        spread = split.entry_of.size if self._needs_judging(split.node.depth + 1) else 0
        return int(split.entries[1].size + spread)

    def _child(self, split: Split, level: int) -> Child | None:
        """None if the child cannot hold anything better than the best found, or suppresses too much."""
        node, depth = split.node, split.node.depth + 1
        class_of, rows, members, paid = self._merged(split, level)
        owner = NONE
        if self._needs_judging(depth):
            owner = kernels.spread(split.entry_of, class_of, self.numbers[: rows.size])
            self.judge.count_shared(depth, owner, members)
        classes = Classes(depth, owner, rows, members)
        return self._judged((*node.chosen, level), classes, class_of, paid, node.sizes)

    def _descended(self, split: Split, child: Child) -> Node:
        node, judged = split.node, child.judged
        if judged is None:
            class_of, _, members, paid = self._merged(split, child.chosen[-1])
            self.reads += split.entries[1].size
            judged = Judged(class_of, paid, self.judge.k.holds(members))
        number = np.where(judged.holds, np.cumsum(judged.holds) - 1, -1).astype(np.int32)
        first_child = self.lattice.depths[node.depth].first_child
        order, start = kernels.descend(
            node.order, first_child, split.entry_of, judged.class_of, number, int(judged.holds.sum())
        )
        sizes = node.sizes
        if self.size_cost is not None:
            sizes = self.size_cost.raised(sizes, node.depth, child.chosen[-1])
        paid = judged.paid[judged.holds]
        return Node(child.chosen, order, start, paid, child.bound, child.gone, sizes, child.spent)

    def _judged(
        self,
        chosen: Levels,
        classes: Classes,
        class_of: NDArray[np.int32],
        paid: NDArray[np.float64],
        sizes: NDArray[np.int64],
    ) -> Child | None:
        holds = self.judge.k.holds(classes.members)
        removal = np.zeros(classes.count)
        if self.judge.asked:
            gone = self.rows - kernels.kept(classes.rows, paid, holds)[0]
            if gone > self.limit:
                return None
            holds, removal = self._narrowed(classes, holds, gone)
        kept, cost = kernels.kept(classes.rows, paid, holds)
        gone, extra, base = self.rows - kept, float(removal.sum()), 0.0
        cost += float((removal * (self.drops[classes.depth] - paid)).sum())
        if self.size_cost is not None:
            cost = self._size_cost(chosen, classes, holds, sizes)
        elif self.base is not None and classes.owner.size:
            base = float(self.base[classes.depth][np.append(holds, False)[classes.owner]].sum())
        bound = self._bound(chosen, cost, gone, extra, base)
        if self._is_out(bound, gone + extra):
            return None
        return Child(chosen, bound, gone, cost + gone * self.drops[classes.depth], Judged(class_of, paid, holds))

    def _narrowed(
        self, classes: Classes, holds: NDArray[np.bool_], gone: int
    ) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Which classes of `holds` are left, and the least rows that must still leave each."""
        if classes.depth == len(self.lattice.axes):
            return settle(self.judge, classes, holds), np.zeros(classes.count)
        removal = least_removal(self.judge, classes, holds, self.limit - gone)
        left = np.isfinite(removal)
        return left, np.where(left, removal, 0.0)

    def _size_cost(self, chosen: Levels, classes: Classes, holds: NDArray[np.bool_], sizes: NDArray[np.int64]) -> float:
        assert self.size_cost is not None
        if classes.depth == len(self.lattice.axes):
            return self.size_cost.exact(classes.rows, holds)
        if not chosen:
            return 0.0
        alive = np.append(holds, False)[classes.owner]
        of_entry = self.lattice.depths[classes.depth].of_entry
        return self.size_cost.at_least(sizes, classes.depth - 1, chosen[-1], alive, of_entry)

    def _is_out(self, bound: float, gone: float) -> bool:
        return gone > self.limit + SLACK or bound > self.best.objective + self.incumbent.tie

    def _bound(self, chosen: Levels, cost: float, gone: int, extra: float, base: float) -> float:
        """`cost` is on the axes decided on, but for the rows gone; `extra` rows must still leave; `base` is what the
        living rows cost at least on the other axes."""
        depth = len(chosen)
        rest = self.drops[-1] - self.drops[depth]
        least = max(gone * rest + max(base, rest * extra), self.tails[depth])
        if self.pairs is not None:
            least = max(least, self.pairs.rest(self.pairs.lower(chosen), depth, gone))
        return cost + gone * self.drops[depth] + least


def _promise(child: Child) -> tuple[float, int, Levels]:
    return child.bound, child.gone, child.chosen


def _base(lattice: Lattice) -> list[NDArray[np.float64]] | None:
    """A depth: (prefixes,) what their rows cost at least on the axes not decided on; None where that is nothing."""
    rows = lattice.depths[-1].rows
    least = [axis.cost.min(axis=0) for axis in lattice.axes]
    if not any(cost.any() for cost in least):
        return None
    entries = [rows * cost[codes] for cost, codes in zip(least, lattice.codes, strict=True)]
    base: list[NDArray[np.float64]] = []
    rest = np.zeros(rows.size)
    for i, depth in reversed(list(enumerate(lattice.depths))):
        rest = rest + entries[i] if i < len(entries) else rest
        base.append(np.bincount(depth.of_entry, weights=rest, minlength=depth.count).astype(np.float64))
    return base[::-1]
