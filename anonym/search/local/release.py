"""From a partition to what is released: cells of each class, exact loss, and which rows of which record go where."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonym.hierarchy.ends import STAR
from anonym.hierarchy.holders import node_holders
from anonym.hierarchy.model import Hierarchy
from anonym.search.local.atoms import Atoms, leaves_under, member_covers, places
from anonym.search.local.records import SUPPRESSED, Parts, Records, SetColumn
from anonym.search.local.space import Layout, grouped, packed
from anonym.search.problem import Problem

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
Floats = NDArray[np.float64]
WORD = 64


@dataclass(frozen=True)
class Entries:
    """Rows of tuples in classes, class by class; suppressed rows are in no entry."""

    owner: Ints  # (entries,) numbered from 0 without gaps
    member: Ints
    rows: Ints

    @property
    def classes(self) -> int:
        return int(self.owner[-1]) + 1 if self.owner.size else 0

    @property
    def starts(self) -> Ints:
        """(classes,) first entry of each class."""
        return np.flatnonzero(np.append(True, self.owner[1:] != self.owner[:-1])[: self.owner.size])

    @staticmethod
    def of(owner: Ints, member: Ints, rows: Ints) -> Entries:
        """From classes of any numbers in any order; entries of the same class and tuple become one."""
        order = _by_two(owner, member)
        owner, member = owner[order], member[order]
        fresh = np.append(True, owner[1:] != owner[:-1])[: owner.size]
        first = np.flatnonzero(fresh | np.append(True, member[1:] != member[:-1])[: owner.size])
        owner = np.cumsum(fresh) - 1
        return Entries(owner[first], member[first], np.add.reduceat(rows[order], first) if first.size else rows)


@dataclass(frozen=True)
class Released:
    """The classes, distinct in what they release."""

    nodes: Codes
    sets: dict[int, SetColumn]
    rows: Ints
    costs: Floats  # (classes, quasi-identifiers) normalised certainty penalty of each cell


def released(problem: Problem, records: Records, layout: Layout, entries: Entries) -> tuple[Released, Entries, Ints]:
    """The classes of the entries, the entries with classes of equal release made one, and which each became."""
    leaf = _leaves(records, layout)[entries.member]
    starts = entries.starts
    columns = list(zip(problem.hierarchies, layout.columns, strict=True))
    nodes = np.full((entries.classes, len(columns)), -1, np.int32)
    sets: dict[int, SetColumn] = {}
    for j, (hierarchy, atoms) in enumerate(columns):
        if atoms.kind in ("pair", "path"):
            nodes[:, j] = _common_node(hierarchy, np.ascontiguousarray(leaf[:, j]), starts)
        elif atoms.kind == "span":
            sets[j] = _interval(hierarchy, atoms, leaf[:, j], starts)
        else:
            held = node_holders(problem.cells, j, hierarchy)
            sets[j] = _members(hierarchy, held, problem.k, leaf[:, j], starts)
    number, first = _distinct(nodes, sets)
    merged = Entries.of(number[entries.owner], entries.member, entries.rows)
    nodes, sets = nodes[first], {j: _picked(column, first) for j, column in sets.items()}
    rows = np.bincount(merged.owner, weights=merged.rows, minlength=first.size).astype(np.int64)
    costs = np.stack([cell_costs(h, nodes[:, j], sets.get(j)) for j, h in enumerate(problem.hierarchies)], axis=1)
    return Released(nodes, sets, rows, costs), merged, number


def loss(problem: Problem, release: Released, *, weighted: bool = False) -> float:
    """The mean over all input rows and columns: unweighted, or by the weights that steer the search."""
    columns = release.costs.shape[1]
    weights = np.asarray(problem.weights if weighted and problem.weights else np.ones(columns), np.float64)
    if not problem.rows or weights.sum() <= 0:
        return 0.0
    gone = problem.rows - int(release.rows.sum())
    return float((release.rows @ release.costs) @ weights / weights.sum() + gone) / problem.rows


def parts(records: Records, layout: Layout, entries: Entries) -> Parts:
    """Rows of a tuple go to its classes in order, its records in the order given; what no entry takes is suppressed."""
    by_tuple = np.argsort(layout.tuple_of, kind="stable")
    of_record = np.cumsum(records.rows[by_tuple])
    taken = np.bincount(entries.member, weights=entries.rows, minlength=layout.space.count).astype(np.int64)
    rest = np.flatnonzero(layout.space.rows > taken)
    owner = np.concatenate([entries.owner, np.full(rest.size, entries.classes)])
    member = np.concatenate([entries.member, rest])
    rows = np.concatenate([entries.rows, layout.space.rows[rest] - taken[rest]])
    order = _by_two(member, owner)
    of_entry = np.cumsum(rows[order])
    stops = np.sort(np.concatenate([of_record, of_entry]), kind="stable")  # merges two runs
    stops = stops[np.append(True, stops[1:] != stops[:-1])[: stops.size]]
    record = by_tuple[np.searchsorted(of_record, stops)]
    cls = owner[order][np.searchsorted(of_entry, stops)]
    count = np.diff(stops, prepend=0)
    sort = _by_two(record, cls)
    cls = np.where(cls == entries.classes, SUPPRESSED, cls).astype(np.int32)
    return Parts(record[sort].astype(np.int64), cls[sort], count[sort].astype(np.int64))


def _by_two(first: Ints, second: Ints) -> Ints:
    """The order by two keys that are not negative and below 2^31: packed, it takes a quarter of the time."""
    return np.argsort((first.astype(np.int64) << 31) | second)


def _leaves(records: Records, layout: Layout) -> Codes:
    """(tuples, quasi-identifiers) a leaf of each tuple's atoms, in the problem's order."""
    first = np.full(layout.space.count, records.count, np.int64)
    np.minimum.at(first, layout.tuple_of, np.arange(records.count))
    return records.codes[first]


def _common_node(hierarchy: Hierarchy, leaf: Codes, starts: Ints) -> Codes:
    """The lowest common ancestor of each class."""
    apart = np.zeros(leaf.size, np.int16)  # levels at which an entry differs from the one before in its class
    levels = hierarchy.ancestor[hierarchy.finest : hierarchy.coarsest + 1]
    for row in levels:
        node = row[leaf]
        apart[1:] += node[1:] != node[:-1]
    apart[starts] = 0
    found: Codes = levels[np.maximum.reduceat(apart, starts), leaf[starts]]
    return found


def _interval(hierarchy: Hierarchy, atoms: Atoms, leaf: Codes, starts: Ints) -> SetColumn:
    null = len(hierarchy.domain.drop_nulls())
    ends = atoms.ends[leaf]
    low, high = np.minimum.reduceat(ends[:, 0], starts), np.maximum.reduceat(ends[:, 1], starts)
    is_star = (low == STAR) | ((high == null) & (low < null))
    return SetColumn(low=np.where(is_star, STAR, low), high=np.where(is_star, STAR, high))


def _members(hierarchy: Hierarchy, held: Ints, k: int, leaf: Codes, starts: Ints) -> SetColumn:
    nodes, of_leaf = np.unique(member_covers(hierarchy, held, k), return_inverse=True)
    words = np.zeros((nodes.size, -(-hierarchy.leaves // WORD)), np.uint64)
    for i, node in enumerate(nodes.tolist()):
        covered = leaves_under(hierarchy, node)
        bits = np.left_shift(np.uint64(1), (covered % WORD).astype(np.uint64))
        np.bitwise_or.at(words[i], covered // WORD, bits)
    return SetColumn(members=np.bitwise_or.reduceat(words[of_leaf.reshape(-1)[leaf]], starts, axis=0))


def _distinct(nodes: Codes, sets: dict[int, SetColumn]) -> tuple[Ints, Ints]:
    """(number of each class among the distinct, sorted ones; the first class of each)."""
    words = packed(list(nodes.T))
    for column in sets.values():
        words += packed([part for part in (column.low, column.high) if part is not None])
        if column.members is not None:
            words += list(column.members.view(np.int64).T)
    order, fresh = grouped([word for word in words if (word != word[:1]).any()] or words[:1])
    number = np.empty(order.size, np.int64)
    number[order] = np.cumsum(fresh) - 1
    return number, order[fresh]


def _picked(column: SetColumn, classes: Ints) -> SetColumn:
    low, high, members = column.low, column.high, column.members
    return SetColumn(
        None if low is None else low[classes],
        None if high is None else high[classes],
        None if members is None else members[classes],
    )


def cell_costs(hierarchy: Hierarchy, nodes: Codes, column: SetColumn | None) -> Floats:
    """(classes,) the normalised certainty penalty of one column's cells."""
    if column is None:
        return hierarchy.cost[nodes]
    if column.members is not None:
        covered = np.bitwise_count(column.members).sum(axis=1)
        return np.asarray((covered.astype(np.float64) - 1) / max(hierarchy.leaves - 1, 1))
    assert column.low is not None
    assert column.high is not None
    place = np.append(places(hierarchy.domain), 0.0)  # the null leaf, alone, costs nothing
    is_star = column.low == STAR
    extent = place[np.minimum(column.high, place.size - 1)] - place[np.minimum(column.low, place.size - 1)]
    return np.where(is_star, float(hierarchy.leaves > 1), extent)
