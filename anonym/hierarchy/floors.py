"""Levels to start a search from, where a table has too many distinct combinations to search them all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from anonym.hierarchy.model import Hierarchy

Floors = tuple[int, ...]


def floors(
    hierarchies: Sequence[Hierarchy], rows: Sequence[NDArray[np.int64]], fixed: Sequence[bool]
) -> Iterator[Floors]:
    """Coarser and coarser levels of all columns from the finest allowed; each time one column's next level.

    `fixed` columns stay. The first levels lose nothing that a release could tell.

    The column is that which pays the least certainty penalty for a bit of entropy; `rows` are those of each leaf. All
    follows from the values of single columns, so that the order of the table's rows does not matter.
    """
    level = [hierarchy.finest for hierarchy in hierarchies]
    if any(level):
        yield tuple(level)
    while True:
        free = [i for i, h in enumerate(hierarchies) if not fixed[i] and level[i] < min(h.coarsest, h.levels - 1)]
        if not free:
            return
        level[min(free, key=lambda i: (_price(hierarchies[i], level[i], rows[i]), i))] += 1
        yield tuple(level)


def _price(hierarchy: Hierarchy, level: int, rows: NDArray[np.int64]) -> float:
    """What the next level costs more a row, for each bit of entropy that it takes away."""
    (cost, bits), (more, fewer) = (cost_and_entropy(hierarchy, at, rows) for at in (level, level + 1))
    return (more - cost) / max(bits - fewer, 1e-12)


def cost_and_entropy(hierarchy: Hierarchy, level: int, rows: NDArray[np.int64]) -> tuple[float, float]:
    node = hierarchy.ancestor[level]
    share = rows / max(int(rows.sum()), 1)
    held = np.bincount(node, weights=share)
    held = held[held > 0]
    return float((share * hierarchy.cost[node]).sum()), float(-(held * np.log2(held)).sum())


def first_leaves(hierarchy: Hierarchy, level: int) -> NDArray[np.int64]:
    """(leaves,) the first leaf under each leaf's node at the level: it stands for all of them from there on up."""
    _, first, of = np.unique(hierarchy.ancestor[level], return_index=True, return_inverse=True)
    leaves: NDArray[np.int64] = first[of]
    return leaves


def raised(hierarchies: Sequence[Hierarchy], levels: Floors) -> tuple[Hierarchy, ...]:
    """The hierarchies with these levels as the finest allowed."""
    return tuple(replace(hierarchy, finest=level) for hierarchy, level in zip(hierarchies, levels, strict=True))
