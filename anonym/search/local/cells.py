"""The cells of the hierarchies, which each class of labels lies in one of, for a bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonym.hierarchy.model import Hierarchy
from anonym.search.local.atoms import Atoms
from anonym.search.local.space import Layout
from anonym.search.problem import Problem

Ints = NDArray[np.int64]
Words = NDArray[np.uint64]
Codes = NDArray[np.int32]
Floats = NDArray[np.float64]

UNIT = 1 << 24  # of cost: that of `*` in one column; costs are rounded down
GOLDEN = 0x9E3779B97F4A7C15
SEED = 5


class Lattice(NamedTuple):
    """`start[column, level] + code` is the place of a node's cost and of its random word; sums of words name cells."""

    code: Codes  # (tuples, columns)
    rows: Ints
    part: Codes
    levels: Ints  # (columns,)
    start: Ints  # (columns, levels)
    cost: Codes
    word: Words


class Tuples(NamedTuple):
    """Distinct by part and code, sorted so; `first` (tuples,) is the first of those in `Space`, told apart by bins."""

    code: Codes
    rows: Ints
    part: Codes
    first: Ints


class Lists(NamedTuple):
    """(columns + 1, tuples): the tuples still cheap enough at each depth, what they cost, the sums of their words."""

    tuple: Codes
    cost: Codes
    name: Words
    size: Ints
    level: Ints


class Table(NamedTuple):
    """Places by name: first item of a chain, rows, the node that used it last; `next` links items."""

    name: Words
    first: Ints
    total: Ints
    seen: Ints
    next: Ints
    used: Ints
    node: Ints


@dataclass(frozen=True)
class Level:
    """The node and the cost of each atom of a column."""

    node: Ints
    cost: Floats


def tuples_of(layout: Layout) -> Tuples:
    """Of a layout with records."""
    code, part = layout.space.code, layout.space.part
    key = np.concatenate([part[:, None], code], axis=1)
    first = np.flatnonzero(np.append(True, (key[1:] != key[:-1]).any(axis=1)))  # tuples are sorted by both
    return Tuples(code[first], np.add.reduceat(layout.space.rows, first), part[first], first)


def lattice_of(problem: Problem, layout: Layout, tuples: Tuples) -> Lattice:
    """Columns whose cells cost much come first, so that few tuples are left for the others."""
    columns = [levels_of(problem.hierarchies[j], layout.columns[j]) for j in layout.order]
    order = np.argsort([-float(levels[-1].cost.mean()) for levels in columns], kind="stable")
    chosen = [columns[i] for i in order.tolist()]
    random, filled = np.random.default_rng(SEED), 0
    start = np.zeros((len(chosen), max(len(levels) for levels in chosen)), np.int64)
    costs, words = [], []
    for j, levels in enumerate(chosen):
        for step, level in enumerate(levels):
            start[j, step] = filled
            filled += level.node.size
            costs.append(np.floor(level.cost * UNIT).astype(np.int32))
            words.append(random.integers(0, 2**64, size=int(level.node.max()) + 1, dtype=np.uint64)[level.node])
    return Lattice(
        np.ascontiguousarray(tuples.code[:, order]),
        tuples.rows,
        tuples.part,
        np.array([len(levels) for levels in chosen], np.int64),
        start,
        np.concatenate(costs),
        np.concatenate(words),
    )


def lists_of(lattice: Lattice) -> Lists:
    """Lists with all tuples at depth 0."""
    depth, count = lattice.levels.size + 1, lattice.rows.size
    lists = Lists(
        np.empty((depth, count), np.int32),
        np.zeros((depth, count), np.int32),
        np.zeros((depth, count), np.uint64),
        np.zeros(depth, np.int64),
        np.zeros(depth, np.int64),
    )
    lists.tuple[0] = np.arange(count)
    lists.name[0] = lattice.part.astype(np.uint64) * np.uint64(GOLDEN)
    return lists


def table_of(lattice: Lattice) -> Table:
    count = lattice.rows.size
    places_ = 1 << int(2 * count).bit_length()
    zeros = np.zeros(places_, np.int64)
    return Table(
        np.zeros(places_, np.uint64), zeros, zeros.copy(), zeros.copy(), np.zeros(count, np.int64),
        np.zeros(count, np.int64), np.zeros(1, np.int64),
    )  # fmt: skip


def levels_of(hierarchy: Hierarchy, column: Atoms) -> list[Level]:
    """The levels of a column, fine to coarse. A set is either a single atom, or it has one leaf more."""
    first = np.unique(column.atom, return_index=True)[1]
    atoms = int(column.atom.max()) + 1
    held = column.atom[first]
    if column.kind == "member":
        each = 1 / max(hierarchy.leaves - 1, 1)
        covered = np.diff(column.more[: column.cap.size + 1])[held]
        alone = Level(_at(atoms, held, np.arange(held.size)), _at(atoms, held, (covered - 1) * each))
        return _distinct([alone, Level(np.zeros(atoms, np.int64), np.maximum(alone.cost, each))])
    nodes = hierarchy.ancestor[hierarchy.finest : hierarchy.coarsest + 1][:, first]
    return _distinct([Level(_at(atoms, held, row), _at(atoms, held, hierarchy.cost[row])) for row in nodes])


def _at(atoms: int, held: Codes, values: NDArray[Any]) -> NDArray[Any]:
    """(atoms,) values by atom, 0 for those without leaves."""
    found: NDArray[Any] = np.zeros(atoms, values.dtype)
    found[held] = values
    return found


def _distinct(levels: Sequence[Level]) -> list[Level]:
    """Without levels that are as the one before."""
    return [level for i, level in enumerate(levels) if i == 0 or not np.array_equal(level.node, levels[i - 1].node)]
