"""What a recoding costs: the normalised certainty penalty and other measures, over its class table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonym.search.lattice import pack
from anonym.search.problem import Problem


@dataclass(frozen=True)
class ClassTable:
    """The equivalence classes of a global recoding, in the order of their node tuples."""

    owner: NDArray[np.int32]  # (cells,) class of each cell, -1 where it is suppressed
    nodes: NDArray[np.int32]  # (classes, quasi-identifiers)
    rows: NDArray[np.int64]  # (classes,)

    @property
    def count(self) -> int:
        return int(self.rows.size)


def class_table(problem: Problem, levels: tuple[int, ...], kept: NDArray[np.bool_]) -> ClassTable:
    """The classes of the cells kept (cells,) with every column at its level."""
    codes = problem.cells.codes[kept]
    columns = [
        h.ancestor[level][codes[:, i]] for i, (h, level) in enumerate(zip(problem.hierarchies, levels, strict=True))
    ]
    words = pack(columns, [int(h.ancestor.max(initial=0)) + 1 for h in problem.hierarchies])
    keys = np.stack(words) if words else np.zeros((1, len(codes)), np.int64)
    _, first, class_of = np.unique(keys, axis=1, return_index=True, return_inverse=True)
    class_of = class_of.reshape(-1)
    owner = np.full(problem.cells.count, -1, np.int32)
    owner[kept] = class_of
    nodes = np.stack([column[first] for column in columns], axis=1) if columns else np.empty((first.size, 0), np.int32)
    rows = np.bincount(class_of, weights=problem.cells.rows[kept], minlength=first.size).astype(np.int64)
    return ClassTable(owner, nodes, rows)


def column_losses(
    problem: Problem, levels: tuple[int, ...], kept: NDArray[np.bool_], rows: NDArray[np.int64] | None = None
) -> NDArray[np.float64]:
    """(quasi-identifiers,) the normalised certainty penalty of each column: the mean over all input rows of its node's
    cost, a suppressed row costing 1. `rows` (cells,) are the rows released of each cell; without it, all of `kept`.
    """
    released = problem.cells.rows if rows is None else rows
    released = np.where(kept, released, 0)
    gone = problem.rows - int(released.sum())
    losses = [
        float((released * h.cost[h.ancestor[level][problem.cells.codes[:, i]]]).sum()) + gone
        for i, (h, level) in enumerate(zip(problem.hierarchies, levels, strict=True))
    ]
    return np.array(losses, np.float64) / max(problem.rows, 1)


def ncp(
    problem: Problem, levels: tuple[int, ...], kept: NDArray[np.bool_], rows: NDArray[np.int64] | None = None
) -> float:
    """The loss of DESIGN: the unweighted mean over all input rows and quasi-identifiers, from 0 to 1."""
    losses = column_losses(problem, levels, kept, rows)
    return float(losses.mean()) if losses.size else 0.0


def discernibility(sizes: NDArray[np.int64], k: int, suppressed: int, rows: int) -> int:
    """Σ |class|² over classes of at least k rows, plus `rows` (of the input) for each suppressed row (exact).

    R. Bayardo, R. Agrawal, Data privacy through optimal k-anonymization, ICDE 2005.
    """
    total: int = sum(size * size for size in sizes.tolist() if size >= k)
    return total + rows * suppressed


def average_class_size(sizes: NDArray[np.int64]) -> float:
    """Rows per class of the release; 0 without classes."""
    return float(sizes.mean()) if sizes.size else 0.0
