"""The lattice of a problem: allowed levels per quasi-identifier, and its cells as a tree of distinct prefixes.

The quasi-identifiers are put in the order in which the search decides on them. A prefix of depth d is a distinct tuple
of (the coarsest allowed node of every column; the finest allowed nodes of the first d columns); prefixes of depth d + 1
are children of those of depth d and follow each other. A check that decides on column d reads only prefixes of depth
d + 1, of which there are few while d is small.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from anonym.errors import InternalError
from anonym.hierarchy.model import Hierarchy
from anonym.search.problem import Problem

WORD = 2**62  # mixed-radix keys stay below this


@dataclass(frozen=True)
class Axis:
    """One quasi-identifier: its allowed levels that differ, over its finest allowed nodes ("leaves")."""

    column: int  # in the problem
    levels: tuple[int, ...]  # in the hierarchy
    nodes: NDArray[np.int32]  # (levels, leaves): the node of each leaf, numbered from 0 on every level
    cost: NDArray[np.float64]  # (levels, leaves): what a row of the leaf costs at the level, times the weight
    widths: tuple[int, ...]  # nodes a level
    weight: float  # what a suppressed row costs

    @property
    def leaves(self) -> int:
        return int(self.nodes.shape[1])


@dataclass(frozen=True)
class Depth:
    """The prefixes of one depth, in order. `first_child` (prefixes + 1,) points into the next depth.

    The prefixes of the last depth are the *entries*: cells that agree at the finest allowed levels taken together.
    """

    leaf: NDArray[np.int32]  # (prefixes,) code of the last column decided on (depth 0: empty)
    rows: NDArray[np.int64]
    first_child: NDArray[np.int64]
    of_entry: NDArray[np.int32]  # (entries,) the prefix of each entry, rising

    @property
    def count(self) -> int:
        return int(self.rows.size)

    def parents(self) -> NDArray[np.int32]:
        """(prefixes of the next depth,) the prefix of this depth above each."""
        return np.repeat(np.arange(self.count, dtype=np.int32), np.diff(self.first_child))


@dataclass(frozen=True)
class Lattice:
    """`axes` in search order, `depths` 0 … number of axes."""

    axes: tuple[Axis, ...]
    depths: tuple[Depth, ...]
    codes: tuple[NDArray[np.int32], ...]  # an axis: (entries,) the leaf of each entry
    entry: NDArray[np.int32]  # (cells,) the entry of each cell, -1 for cells suppressed from the start
    alive: NDArray[np.bool_]  # (cells,) not suppressed from the start

    @property
    def nodes(self) -> int:
        """The number of recodings."""
        return int(np.prod([len(axis.levels) for axis in self.axes], dtype=object)) if self.axes else 1

    def numbers(self, levels: Sequence[int]) -> tuple[int, ...]:
        """The level number of each axis at these levels, by column of the problem."""
        return tuple(bisect_right(axis.levels, levels[axis.column]) - 1 for axis in self.axes)


def lattice_of(problem: Problem) -> Lattice:
    """Prepare the search: drop what is lost, merge levels that do not differ, order the columns, build the prefixes."""
    cells = problem.cells
    alive = np.ones(cells.count, np.bool_)
    for column, hierarchy in enumerate(problem.hierarchies):
        alive &= ~hierarchy.suppressed[cells.codes[:, column]]
    weights = problem.weights or (1.0,) * len(problem.hierarchies)
    axes = [
        axis_of(i, hierarchy, node_costs(problem, i), weight)
        for i, (hierarchy, weight) in enumerate(zip(problem.hierarchies, weights, strict=True))
    ]
    axes.sort(key=lambda axis: (len(axis.levels), axis.widths[0], axis.column))
    return _with_prefixes(problem, tuple(axes), alive)


def node_costs(problem: Problem, column: int) -> NDArray[np.float64]:
    """(nodes,) what a row released as the node costs under the problem's objective; a suppressed row costs 1.

    entropy: log(rows under the node) / log(all rows), which less its value at level 0 is the non-uniform entropy
    (A. Gionis, T. Tassa, k-anonymization with minimal loss of information, TKDE 21(2), 2009). The objectives that look
    at class sizes cost nothing by column.
    """
    hierarchy = problem.hierarchies[column]
    if problem.objective == "loss":
        return hierarchy.cost
    if problem.objective != "entropy" or problem.cells.total_rows < 2:
        return np.zeros(hierarchy.cost.size)
    rows = np.ones(hierarchy.cost.size)
    leaf_rows = np.bincount(problem.cells.codes[:, column], weights=problem.cells.rows, minlength=hierarchy.leaves)
    for nodes in hierarchy.ancestor:
        rows[nodes] = np.bincount(nodes, weights=leaf_rows, minlength=rows.size)[nodes]
    costs: NDArray[np.float64] = np.log(np.maximum(rows, 1.0)) / np.log(problem.cells.total_rows)
    return costs


def axis_of(column: int, hierarchy: Hierarchy, costs_of: NDArray[np.float64], weight: float) -> Axis:
    """The allowed levels over the finest allowed nodes. Raises InternalError if the levels do not nest."""
    allowed = range(hierarchy.finest, min(hierarchy.coarsest, hierarchy.levels - 1) + 1)
    _refuse_crossing(hierarchy, allowed)
    representative = np.unique(hierarchy.ancestor[hierarchy.finest], return_index=True)[1]
    kept: list[int] = []
    nodes: list[NDArray[np.int32]] = []
    costs: list[NDArray[np.float64]] = []
    for level in allowed:
        node = hierarchy.ancestor[level][representative]
        number = np.unique(node, return_inverse=True)[1].astype(np.int32)
        cost = costs_of[node]
        if kept and number.max(initial=0) == nodes[-1].max(initial=0) and np.array_equal(cost, costs[-1]):
            continue  # the same partition at the same cost: the lower level stands for both
        kept.append(level)
        nodes.append(number)
        costs.append(cost)
    widths = tuple(int(number.max(initial=-1)) + 1 for number in nodes)
    return Axis(column, tuple(kept), np.stack(nodes), weight * np.stack(costs), widths, weight)


def _refuse_crossing(hierarchy: Hierarchy, allowed: range) -> None:
    """The search drops for good what is too small while a column is coarse: every level must nest in the next."""
    for finer, coarser in pairwise(hierarchy.ancestor[level] for level in allowed):
        parent = np.full(int(finer.max(initial=-1)) + 1, -1, np.int32)
        parent[finer] = coarser
        if not np.array_equal(parent[finer], coarser):
            raise InternalError(f"column {hierarchy.column}: the levels of its hierarchy do not nest")


def leaf_codes(problem: Problem, axis: Axis) -> NDArray[np.int32]:
    """(cells,) the axis leaf of each cell."""
    hierarchy = problem.hierarchies[axis.column]
    leaf = np.unique(hierarchy.ancestor[hierarchy.finest], return_inverse=True)[1].astype(np.int32)
    codes: NDArray[np.int32] = leaf[problem.cells.codes[:, axis.column]]
    return codes


def pack(columns: list[NDArray[np.int32]], widths: list[int]) -> list[NDArray[np.int64]]:
    """Mixed-radix keys that order as the columns do, in as many words as it takes, most significant first."""
    words: list[NDArray[np.int64]] = []
    room = 0
    for codes, width in zip(columns, widths, strict=True):
        if not words or room * width >= WORD:
            words.append(codes.astype(np.int64))
            room = max(width, 1)
        else:
            words[-1] = words[-1] * width + codes
            room *= max(width, 1)
    return words


def _with_prefixes(problem: Problem, axes: tuple[Axis, ...], alive: NDArray[np.bool_]) -> Lattice:
    living = np.flatnonzero(alive)
    codes = [leaf_codes(problem, axis)[living] for axis in axes]
    roots = _roots(axes, codes, living.size)
    words = pack([roots, *codes], [int(roots.max(initial=0)) + 1, *(axis.widths[0] for axis in axes)])
    order = np.lexsort(words[::-1]) if len(words) > 1 else np.argsort(words[0], kind="stable")
    columns = [column[order] for column in (roots, *codes)]
    new = _first_difference(columns)
    starts = [np.flatnonzero(new <= depth) for depth in range(len(columns))]
    entry = np.full(alive.size, -1, np.int32)
    entry[living[order]] = np.cumsum(new < len(columns)) - 1
    rows = problem.cells.rows[living][order]
    depths = tuple(_depth(columns, starts, new, rows, depth) for depth in range(len(columns)))
    entries = tuple(column[starts[-1]] for column in columns[1:])
    return Lattice(axes, depths, entries, entry, alive)


def _depth(
    columns: list[NDArray[np.int32]],
    starts: list[NDArray[np.int64]],
    new: NDArray[np.int64],
    rows: NDArray[np.int64],
    depth: int,
) -> Depth:
    start = starts[depth]
    below = starts[min(depth + 1, len(starts) - 1)]
    total = np.add.reduceat(rows, start) if start.size else np.empty(0, np.int64)
    first_child = np.append(np.searchsorted(below, start), below.size).astype(np.int64)
    leaf = columns[depth][start] if depth else np.empty(0, np.int32)
    of_entry = (np.cumsum(new[starts[-1]] <= depth) - 1).astype(np.int32)
    return Depth(leaf, total, first_child, of_entry)


def _roots(axes: tuple[Axis, ...], codes: list[NDArray[np.int32]], cells: int) -> NDArray[np.int32]:
    """The class of each cell when every column is at its coarsest allowed level."""
    tops = [axis.nodes[-1][leaf] for axis, leaf in zip(axes, codes, strict=True) if axis.widths[-1] > 1]
    if not tops:
        return np.zeros(cells, np.int32)
    words = pack(tops, [axis.widths[-1] for axis in axes if axis.widths[-1] > 1])
    return np.unique(np.stack(words), axis=1, return_inverse=True)[1].reshape(-1).astype(np.int32)


def _first_difference(columns: list[NDArray[np.int32]]) -> NDArray[np.int64]:
    """For each sorted entry the first column that differs from the entry before; 0 for the first entry."""
    size = columns[0].size
    first = np.full(size, len(columns), np.int64)
    for depth in reversed(range(len(columns))):
        first[1:][columns[depth][1:] != columns[depth][:-1]] = depth
    first[:1] = 0
    return first
