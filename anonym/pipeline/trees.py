"""Hierarchies drawn as text trees, from the coarsest level down."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from anonym.hierarchy import encode
from anonym.hierarchy.model import Hierarchy
from anonym.io import Source, guarded
from anonym.pipeline.profile import build_hierarchy
from anonym.policy.model import Policy, Quasi
from anonym.policy.resolve import ResolvedColumn

CHILDREN = 8
"""Nodes drawn under one parent, those with most members; the rest are counted."""


@dataclass(frozen=True)
class Tree:
    """A hierarchy with, for each leaf, how many hold it (units, or rows where no unit is named)."""

    hierarchy: Hierarchy
    held: NDArray[np.int64]
    least: int  # members that a node needs to be drawn with its label
    finest: int  # the lowest level that is drawn
    by_unit: bool = False


def trees(policy: Policy, source: Source, columns: Sequence[ResolvedColumn], *, show_values: bool) -> Iterator[str]:
    """The lines of every quasi-identifier's tree. Without `show_values` only labels of groups of at least k members are
    drawn, and no single value; everything else is a count.
    """
    for column in columns:
        if isinstance(column.role, Quasi):
            yield f"{column.name}"
            yield from (f"  {line}" for line in draw(_tree(policy, source, column, column.role, show_values)))


def _tree(policy: Policy, source: Source, column: ResolvedColumn, quasi: Quasi, show_values: bool) -> Tree:
    unit = policy.unit if policy.unit != column.name else None
    with guarded(f"counting who holds the values of column {column.name}"):
        domain = encode.domain(source.frame, column.name, column.dtype, quasi.normalise, unit)
    hierarchy = build_hierarchy(policy, source, column, replace(quasi, uncovered="top"), domain)
    held = domain["units" if unit is not None else "rows"].to_numpy().astype(np.int64)
    k = policy.guarantee.k if policy.guarantee is not None else 1
    return Tree(hierarchy, held, 1 if show_values else k, 0 if show_values else 1, unit is not None)


def draw(tree: Tree) -> Iterator[str]:
    """A line for each level with its number of groups, then the tree."""
    hierarchy = tree.hierarchy
    sizes = [len(set(level)) for level in hierarchy.ancestor.tolist()]
    yield "groups a level: " + ", ".join(f"{level}: {size:,}" for level, size in enumerate(sizes))
    if hierarchy.leaves:
        yield from _below(tree, hierarchy.levels - 1, np.arange(hierarchy.leaves), "")


def _below(tree: Tree, level: int, leaves: NDArray[np.int64], indent: str) -> Iterator[str]:
    """The groups of one level over some leaves, the largest first, each with what lies below it."""
    groups = _groups(tree, level, leaves)
    shown = [group for group in groups if _members(tree, group) >= tree.least][:CHILDREN]
    for place, group in enumerate(shown):
        last = place == len(shown) - 1 and len(shown) == len(groups)
        yield f"{indent}{'└─' if last else '├─'} {_label(tree, level, group)}"
        if (lower := _next_level(tree, level, group)) is not None:
            yield from _below(tree, lower, group, indent + ("   " if last else "│  "))
    if rest := len(groups) - len(shown):
        yield f"{indent}└─ {rest} more group{'s' if rest > 1 else ''}"


def _groups(tree: Tree, level: int, leaves: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    nodes = tree.hierarchy.ancestor[level][leaves]
    found = [leaves[nodes == node] for node in np.unique(nodes)]
    return sorted(found, key=lambda group: -int(_members(tree, group)))


def _members(tree: Tree, leaves: NDArray[np.int64]) -> int:
    """Rows, or at least so many units: those of one value may be those of another."""
    held = tree.held[leaves]
    return int(held.max() if tree.by_unit else held.sum())


def _next_level(tree: Tree, level: int, group: NDArray[np.int64]) -> int | None:
    """The next lower level that divides the group, or None."""
    for lower in range(level - 1, tree.finest - 1, -1):
        if len(np.unique(tree.hierarchy.ancestor[lower][group])) > 1:
            return lower
    return None


def _label(tree: Tree, level: int, group: NDArray[np.int64]) -> str:
    text = tree.hierarchy.labels[int(tree.hierarchy.ancestor[level][group[0]])]
    plain = "null" if text is None else "".join(c if c.isprintable() else " " for c in text)
    values = f"{len(group):,} value{'s' if len(group) > 1 else ''}"
    members = f"at least {_members(tree, group):,} units" if tree.by_unit else f"{_members(tree, group):,} rows"
    return f"{plain}  ({values}, {members})"
