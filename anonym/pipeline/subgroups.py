"""The groups of each column at the levels of a release: who bears the suppression, and the hierarchies as trees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonym.hierarchy.model import Hierarchy
from anonym.pipeline.recoding import Recoding
from anonym.report.evidence import Group, protect
from anonym.report.fields import SuppressedGroup

Ints = NDArray[np.int64]
MOST_NODES = 40  # drawn at the level of the release; the others are counted


@dataclass(frozen=True)
class Level:
    """A column at the level of the release: its nodes, and in which of them each cell lies."""

    hierarchy: Hierarchy
    level: int
    nodes: Ints
    place: Ints

    def labels(self) -> list[str | None]:
        return self.hierarchy.labels.gather(self.nodes).to_list()


def _levels(recoding: Recoding) -> Iterator[Level]:
    codes = recoding.problem.cells.codes
    for column, (hierarchy, level) in enumerate(zip(recoding.problem.hierarchies, recoding.group_levels, strict=True)):
        ancestor = hierarchy.ancestor[level]
        held = np.zeros(int(ancestor.max(initial=-1)) + 1, np.bool_)  # a table: cells are many, nodes are few
        held[ancestor[np.bincount(codes[:, column], minlength=len(ancestor)) > 0]] = True
        number = np.cumsum(held) - 1
        yield Level(hierarchy, level, np.flatnonzero(held), number[ancestor][codes[:, column]])


def _released(recoding: Recoding, one: Level) -> Ints:
    """(nodes,) units, rows without a unit, that carry each label in the release."""
    if recoding.problem.cells.units is None:
        return _sums(one.place, recoding.kept_rows, len(one.nodes))
    return recoding.units_in(one.place, len(one.nodes), released=True)


def _sums(place: Ints, rows: Ints, groups: int) -> Ints:
    """(groups,) rows by the group of each cell."""
    return np.bincount(place, weights=rows, minlength=groups).astype(np.int64)


# suppression ---------------------------------------------------------------------------------------------------------


def suppressed_groups(recoding: Recoding) -> list[SuppressedGroup]:
    """Every label of every column, with the rows that were suppressed under it, as they may be printed."""
    levels = list(_levels(recoding))
    groups = [group for one in levels for group in _groups(recoding, one)]
    return protect(groups, recoding.problem.k, {one.hierarchy.column: one.place for one in levels})


def _groups(recoding: Recoding, one: Level) -> Iterator[Group]:
    cells, number = recoding.problem.cells, len(one.nodes)
    of, kept = (_sums(one.place, rows, number) for rows in (cells.rows, recoding.kept_rows))
    units = None if cells.units is None else recoding.units_in(one.place, number, released=False)
    released = _released(recoding, one)
    for index, label in enumerate(one.labels()):
        yield Group(
            one.hierarchy.column,
            label,
            rows=int(of[index] - kept[index]),
            of=int(of[index]),
            released=int(released[index]),
            units=None if units is None else int(units[index]),
        )


# trees ---------------------------------------------------------------------------------------------------------------


def trees(recoding: Recoding) -> dict[str, dict[str, Any]]:
    """By column, its hierarchy from the top down to the level of the release: labels that at least k share there."""
    return {one.hierarchy.column: _tree(recoding, one) for one in _levels(recoding)}


def _tree(recoding: Recoding, one: Level) -> dict[str, Any]:
    """`groups`: how many there are at each level; `top`: the nodes, each with those below it."""
    ancestor = one.hierarchy.ancestor
    sizes = {str(level): len(np.unique(ancestor[level])) for level in range(len(ancestor))}
    released = _released(recoding, one)
    often = np.lexsort((one.nodes, -released))
    shown = [int(at) for at in often if released[at] >= max(1, recoding.problem.k)][:MOST_NODES]
    _, leaf = np.unique(ancestor[one.level], return_index=True)  # a leaf of each node, as nodes are sorted
    known = dict(zip(np.unique(ancestor[one.level]).tolist(), leaf.tolist(), strict=True))
    leaves = np.array([known[node] for node in one.nodes.tolist()], np.int64)
    top = _below(one, leaves, set(shown), np.arange(len(leaves)), one.hierarchy.levels - 1)
    return {"level": one.level, "groups": sizes, **top}


def _below(one: Level, leaves: Ints, shown: set[int], inside: Ints, level: int) -> dict[str, Any]:
    """The nodes of a level over some nodes of the release; `more` counts those that are not shown."""
    nodes = one.hierarchy.ancestor[level][leaves[inside]]
    parts = [inside[nodes == node] for node in dict.fromkeys(nodes.tolist())]
    drawn = [part for part in parts if shown & set(part.tolist())]
    found: dict[str, Any] = {"below": [_node(one, leaves, shown, part, level) for part in drawn]}
    return found | ({"more": len(parts) - len(drawn)} if len(parts) > len(drawn) else {})


def _node(one: Level, leaves: Ints, shown: set[int], inside: Ints, level: int) -> dict[str, Any]:
    """A node with what lies below it, without levels that do not divide it."""
    label = one.hierarchy.labels[int(one.hierarchy.ancestor[level][leaves[inside[0]]])]
    while level > one.level and _undivided(one.hierarchy, leaves[inside], level - 1):
        level -= 1
    if level == one.level:
        return {"label": one.hierarchy.labels[int(one.nodes[inside[0]])], "level": level}
    return {"label": label, "level": level, **_below(one, leaves, shown, inside, level - 1)}


def _undivided(hierarchy: Hierarchy, leaves: Sequence[int] | Ints, level: int) -> bool:
    return len(np.unique(hierarchy.ancestor[level][leaves])) == 1
