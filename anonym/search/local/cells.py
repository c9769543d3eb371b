"""The cells that a class must lie in, for a bound: those of the hierarchies, or what is known of sets.

Under `label` the levels of a column are those of its hierarchy. A set is either a single atom, or it costs a step: one
leaf more. For intervals some levels lie between: one that is no longer than a scale lies inside a window of twice that
width, of one of two tilings, and costs more than the scale before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonym.hierarchy.ends import STAR
from anonym.hierarchy.model import Hierarchy
from anonym.search.local.atoms import Atoms, places
from anonym.search.local.space import Layout
from anonym.search.problem import Problem

Ints = NDArray[np.int64]
Words = NDArray[np.uint64]
Codes = NDArray[np.int32]
Floats = NDArray[np.float64]

UNIT = 1 << 24  # of cost: that of `*` in one column; costs are rounded down
ROOM = 60_000_000  # entries of the lists: columns are left out, at no cost, until the rest fits
SCALES = (0.02, 0.06, 0.2)  # lengths of intervals told apart
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


def lattice_of(problem: Problem, layout: Layout) -> Lattice:
    """Columns whose cells cost much come first, so that few tuples are left for the others."""
    columns = [_levels(problem.hierarchies[j], layout.columns[j]) for j in layout.order]
    code, part, rows = layout.space.code, layout.space.part, layout.space.rows
    key = np.concatenate([part[:, None], code], axis=1)
    fresh = np.append(True, (key[1:] != key[:-1]).any(axis=1))  # tuples are sorted by both
    code, part = code[fresh], part[fresh]
    rows = np.add.reduceat(rows, np.flatnonzero(fresh))
    worth = [float(levels[-1].cost.mean()) for levels in columns]
    order = np.argsort([-each for each in worth], kind="stable")[: max(ROOM // rows.size - 1, 1)]
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
        np.ascontiguousarray(code[:, order]),
        rows,
        part,
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


def _levels(hierarchy: Hierarchy, column: Atoms) -> list[Level]:
    first = np.unique(column.atom, return_index=True)[1]
    atoms = int(column.atom.max()) + 1
    held = column.atom[first]
    if column.kind in ("pair", "path"):
        nodes = hierarchy.ancestor[hierarchy.finest : hierarchy.coarsest + 1][:, first]
        return _distinct([Level(_at(atoms, held, row), _at(atoms, held, hierarchy.cost[row])) for row in nodes])
    if column.kind == "span":
        return _windows(hierarchy, column.ends[first], held, atoms)
    covered = np.diff(column.more[: column.cap.size + 1])[held]
    each = 1 / max(hierarchy.leaves - 1, 1)
    alone = Level(_at(atoms, held, np.arange(held.size)), _at(atoms, held, (covered - 1) * each))
    return [alone, Level(np.zeros(atoms, np.int64), np.full(atoms, each))] if held.size > 1 else [alone]


def _at(atoms: int, held: Codes, values: NDArray[Any]) -> NDArray[Any]:
    """(atoms,) values by atom, 0 for those without leaves."""
    found: NDArray[Any] = np.zeros(atoms, values.dtype)
    found[held] = values
    return found


def _windows(hierarchy: Hierarchy, ends: Codes, held: Codes, atoms: int) -> list[Level]:
    place = places(hierarchy.domain)
    null, is_star = ends[:, 0] == place.size, ends[:, 0] == STAR
    low, high = np.append(place, 0.0)[ends.clip(0)].T
    cost = np.where(is_star, float(hierarchy.leaves > 1), np.where(null, 0.0, high - low))
    levels = [Level(_at(atoms, held, np.arange(held.size)), _at(atoms, held, cost))]
    if held.size == 1:
        return levels
    least = float(np.diff(place).min(initial=1.0))
    for scale in SCALES:
        for shift in (0.0, 0.5):
            window = np.floor(low / (2 * scale) + shift).astype(np.int64)
            node = np.where(null | is_star, window.max() + 1 + np.arange(held.size), window)
            levels.append(Level(_at(atoms, held, node), np.full(atoms, least)))
        least = max(scale * (1 - 1e-9), least)
    return [*levels, Level(np.zeros(atoms, np.int64), np.full(atoms, least))]


def _distinct(levels: Sequence[Level]) -> list[Level]:
    """Without levels that are as the one before."""
    return [level for i, level in enumerate(levels) if i == 0 or not np.array_equal(level.node, levels[i - 1].node)]
