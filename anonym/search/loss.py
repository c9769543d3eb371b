"""What a recoding costs: the normalised certainty penalty."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anonym.search.problem import Problem


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
        float(np.bincount(problem.cells.codes[:, i], released, h.leaves) @ h.cost[h.ancestor[level]]) + gone
        for i, (h, level) in enumerate(zip(problem.hierarchies, levels, strict=True))
    ]
    return np.array(losses, np.float64) / max(problem.rows, 1)


def ncp(
    problem: Problem, levels: tuple[int, ...], kept: NDArray[np.bool_], rows: NDArray[np.int64] | None = None
) -> float:
    """The loss of DESIGN: the unweighted mean over all input rows and quasi-identifiers, from 0 to 1."""
    losses = column_losses(problem, levels, kept, rows)
    return float(losses.mean()) if losses.size else 0.0
