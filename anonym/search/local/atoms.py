"""One column under one vocabulary: its atoms, and what covering them costs, as tables for the kernels.

An atom is the least that a released cell can cover: a node at the finest level that may be released or, under the
vocabulary `set`, a value that at least k units (or rows) of the table hold; a rarer one widens to the next such value
or cut of its hierarchy, so that what it costs is what will be released.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.hierarchy.ends import STAR, ends_of, is_line
from anonym.hierarchy.holders import holders, node_holders
from anonym.hierarchy.model import Cells, FileHierarchy, Hierarchy
from anonym.search.local.price import SCALE
from anonym.search.local.records import Vocabulary

Kind = Literal["pair", "path", "span", "member"]
KINDS: tuple[Kind, ...] = ("pair", "path", "span", "member")
PAIR_MOST = 256  # atoms; a table of 256 x 256 int32 fits the second-level cache
FAR = 1 << 29  # a place outside every interval

Codes = NDArray[np.int32]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Atoms:
    """`atom` (leaves,) is the code of each leaf in the kernels. Which tables are filled depends on the kind."""

    kind: Kind
    atom: Codes
    unit: int  # cost of the whole column, in fixed point
    table: Codes  # pair: (atoms, atoms) costs; path: (atoms, levels) nodes; span: (atoms, 2) places of the ends
    more: Codes  # path: cost of each node; member: (leaves + 1) starts of the lists that follow, and the lists
    ends: Codes  # span: (leaves, 2) first and last leaf that each leaf covers, STAR twice for `*`
    cap: Codes  # (leaves,) node of the coarsest level: rows under different ones never share a class


def atoms_of(hierarchy: Hierarchy, vocabulary: Vocabulary, cells: Cells, column: int, k: int, weight: float) -> Atoms:
    """Of that column of the cells; `weight` is at most 1."""
    unit = round(SCALE * weight)
    if vocabulary == "label":
        return _labels(hierarchy, unit)
    if is_line(hierarchy):
        return _spans(hierarchy, holders(cells, column, hierarchy.leaves), k, unit)
    return _members(hierarchy, node_holders(cells, column, hierarchy), k, unit)


def places(domain: pl.Series) -> NDArray[np.float64]:
    """(values,) where each non-null value lies between the smallest (0) and the largest (1)."""
    values = domain.drop_nulls()
    if values.dtype.is_float():
        line = values.cast(pl.Float64).to_numpy() / 4  # differences stay finite
    elif isinstance(values.dtype, pl.Decimal):
        line = values.cast(pl.Float64).to_numpy()
    else:
        whole = values.to_physical().to_list()  # integers of Python: differences are exact
        line = np.array([value - whole[0] for value in whole], np.float64)
    extent = float(line[-1] - line[0]) if line.size else 0.0
    return (line - line[0]) / extent if extent > 0 else np.zeros(line.size)


def _labels(hierarchy: Hierarchy, unit: int) -> Atoms:
    levels = hierarchy.ancestor[hierarchy.finest : hierarchy.coarsest + 1]
    _, first, atom = np.unique(levels[0], return_index=True, return_inverse=True)
    nodes = levels[:, first]
    cost = np.rint(hierarchy.cost * unit).astype(np.int32)
    cap, none = levels[-1].astype(np.int32), np.empty((0, 2), np.int32)
    if first.size > PAIR_MOST:
        return Atoms("path", atom.astype(np.int32), unit, np.ascontiguousarray(nodes.T), cost, none, cap)
    table = np.full((first.size, first.size), unit, np.int32)
    for level in nodes[::-1]:
        np.copyto(table, cost[level][:, None], where=level[:, None] == level[None, :])
    return Atoms("pair", atom.astype(np.int32), unit, table, np.empty(0, np.int32), none, cap)


def _spans(hierarchy: Hierarchy, held: NDArray[np.int64], k: int, unit: int) -> Atoms:
    ends = span_ends(hierarchy, held, k)
    pairs, first, atom = np.unique(ends, axis=0, return_index=True, return_inverse=True)
    place = np.rint(places(hierarchy.domain) * unit).astype(np.int32)
    values = place.size
    table = np.empty((first.size, 2), np.int32)
    for i, (low, high) in enumerate(pairs.tolist()):
        if low == STAR:
            table[i] = -FAR, FAR
        elif low == values:
            table[i] = FAR + (FAR >> 1)  # null: beside any value it costs the whole column
        else:
            table[i] = place[low], place[high]
    whole = unit if hierarchy.leaves > 1 else 0
    return Atoms("span", atom.reshape(-1).astype(np.int32), whole, table, np.empty(0, np.int32), ends, _cap(hierarchy))


def span_ends(hierarchy: Hierarchy, held: NDArray[np.int64], k: int) -> Codes:
    """(leaves, 2) the first and last leaf of the least interval that may be released for each leaf, STAR for `*`."""
    values, leaves = len(hierarchy.domain.drop_nulls()), hierarchy.leaves
    starts = ends_of(hierarchy, held, k, first=True).allowed
    stops = ends_of(hierarchy, held, k, first=False).allowed
    first, last = _extent(hierarchy.ancestor[hierarchy.finest][:values])
    low = np.maximum.accumulate(np.where(starts, np.arange(values), STAR))[first]
    high = values - 1 - np.maximum.accumulate(np.where(stops[::-1], np.arange(values), STAR))[::-1][last]
    if hierarchy.levels > 1:
        cap = _cap(hierarchy)[:values]
        least, most = _extent(cap)
        is_bound = cap != hierarchy.ancestor[-1][:values]  # only a value that lies directly under `*` may become `*`
        low, high = np.where(is_bound, np.maximum(low, least), low), np.where(is_bound, np.minimum(high, most), high)
    ends = np.stack([low, high], axis=1)
    ends[(low < 0) | (high >= values)] = STAR
    null = np.full((leaves - values, 2), values)
    return np.concatenate([ends, null]).astype(np.int32)


def _extent(row: Codes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first and the last leaf with the node of each leaf."""
    nodes, owner = np.unique(row, return_inverse=True)
    at = np.arange(row.size)
    first, last = np.full(nodes.size, row.size), np.zeros(nodes.size, np.int64)
    np.minimum.at(first, owner, at)
    np.maximum.at(last, owner, at)
    return first[owner], last[owner]


def _cap(hierarchy: Hierarchy) -> Codes:
    """(leaves,) what a set must not leave. A hierarchy of values alone (`none`) bounds no set."""
    caps: Codes = hierarchy.ancestor[hierarchy.coarsest].astype(np.int32)
    return caps if hierarchy.levels > 1 else np.zeros_like(caps)


def _members(hierarchy: Hierarchy, held: NDArray[np.int64], k: int, unit: int) -> Atoms:
    covers = member_covers(hierarchy, held, k)
    leaves = hierarchy.leaves
    chosen, first, owner = np.unique(covers, return_index=True, return_inverse=True)
    lists: list[NDArray[np.int64]] = [np.empty(0, np.int64)] * leaves
    for node, leaf in zip(chosen.tolist(), first.tolist(), strict=True):
        lists[leaf] = leaves_under(hierarchy, node)
    starts = np.concatenate([[0], np.cumsum([part.size for part in lists])]) + leaves + 1
    more = np.concatenate([starts, *lists]).astype(np.int32)
    atom = first[owner].astype(np.int32)
    each = round(unit / max(leaves - 1, 1))
    return Atoms("member", atom, each, np.empty(0, np.int32), more, np.empty((0, 2), np.int32), _cap(hierarchy))


def member_covers(hierarchy: Hierarchy, held: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """(leaves,) the node that stands for each leaf in a set, STAR for all leaves: the lowest that k hold.

    `held` (levels, leaves) are the units or rows of the table that hold each leaf's node.
    """
    covers = np.full(hierarchy.leaves, STAR, np.int64)
    open_ = np.ones(hierarchy.leaves, np.bool_)
    top = hierarchy.coarsest if hierarchy.levels > 1 else 0
    for level in range(hierarchy.finest, top + 1):
        row = hierarchy.ancestor[level]
        enough = (held[level] >= k) & open_
        if level == hierarchy.coarsest and np.unique(_cap(hierarchy)).size > 1:
            enough = open_  # nothing coarser may be released
        covers[enough] = row[enough]
        open_ = open_ & ~enough
    return covers


def leaves_under(hierarchy: Hierarchy, node: int) -> NDArray[np.int64]:
    """The leaves that a node covers; in a hierarchy file all that its label stands for."""
    if node == STAR:
        return np.arange(hierarchy.leaves)
    is_it = hierarchy.ancestor == node
    if isinstance(hierarchy.declaration, FileHierarchy) and not is_it[0].any():
        alike = hierarchy.labels.eq_missing(hierarchy.labels[node : node + 1]).to_numpy()
        is_it = is_it | alike[hierarchy.ancestor] & (np.arange(hierarchy.levels) > 0)[:, None]
    return np.flatnonzero(is_it.any(axis=0))
