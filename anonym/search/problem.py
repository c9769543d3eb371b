"""What a search is given and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from anonym.criteria import LDiversity, TCloseness
from anonym.hierarchy.model import Cells, Hierarchy


@dataclass(frozen=True)
class Problem:
    """Weighted cells, a hierarchy per quasi-identifier, and what every class must satisfy.

    `diversity` and `closeness` pair an index into `cells.sensitive` with what must hold of that column.
    `limit` is the number of input rows that may be suppressed in all, `lost` those that are already (rows that the
    hierarchies cannot cover). With `profiles`, every unit is listed in `cells.shared_*`, k counts units of equal
    profile (the multiset of a unit's released tuples) and whole units are suppressed together.
    """

    cells: Cells
    hierarchies: tuple[Hierarchy, ...]
    k: int
    limit: int
    rows: int  # rows of the input, the denominator of loss and suppression
    lost: int = 0
    diversity: tuple[tuple[int, LDiversity], ...] = ()
    closeness: tuple[tuple[int, TCloseness], ...] = ()
    weights: tuple[float, ...] = ()  # one a quasi-identifier; empty: all 1. Steers the search, never the loss printed
    objective: str = "loss"
    profiles: bool = False


@dataclass(frozen=True)
class Solution:
    """A recoding: for global search a level per column, and which cells (or units) are released.

    `kept` is (cells,) bool. `dropped_units` lists units of `cells.shared_unit` suppressed as a whole (profiles only).
    `loss` is the unweighted NCP of DESIGN over all input rows, `bound` a proven lower bound of the objective.
    """

    strategy: str
    levels: tuple[int, ...]
    kept: NDArray[np.bool_]
    suppressed_rows: int
    loss: float
    objective: float
    bound: float
    optimal: bool
    checks: int
    cpu_s: float
    compile_s: float
    why: str = ""
    dropped_units: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))
