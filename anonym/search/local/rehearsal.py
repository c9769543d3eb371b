"""Compiling ahead: a search over a few invented records runs every kernel that the real one needs."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import polars as pl

from anonym.hierarchy.model import Cells, Hierarchy, Suppress
from anonym.search.local.blocks import Effort, solve_block
from anonym.search.local.bound import bound_of
from anonym.search.local.neighbours import digits
from anonym.search.local.records import Records
from anonym.search.local.space import layout
from anonym.search.problem import Problem

_done: list[bool] = []


def rehearse(progress: Callable[[str], None] | None) -> float:
    """Compile what this process has not compiled yet; the CPU seconds that it took."""
    if _done:
        return 0.0
    if progress is not None:
        progress("compiling")
    began = time.process_time()
    codes = np.array([[a, b] for a in (0, 1) for b in (0, 1)], np.int32)
    none = np.empty(0, np.int32)
    cells = Cells(codes, np.array([3, 1, 2, 2], np.int64), None, none, none, none.astype(np.int64), ())
    problem = Problem(cells, (_binary(), _binary()), 3, 1, 8)
    records = Records.of_cells(cells)
    laid = layout(problem, records, ("label", "label"))
    effort = Effort(tries=20, seconds=None, look=4, visits=4)
    steps = digits(laid, problem.hierarchies)
    solve_block(laid, problem.hierarchies, steps, np.arange(4), 3, 1, 0, effort, lambda _: None)
    bound_of(problem, records, laid, 1_000)
    _done.append(True)
    return time.process_time() - began


def _binary() -> Hierarchy:
    return Hierarchy(
        column="",
        declaration=Suppress(),
        domain=pl.Series([0, 1]),
        ancestor=np.array([[0, 1], [2, 2]], np.int32),
        labels=pl.Series(["0", "1", "*"]),
        low=None,
        high=None,
        covered=np.array([1, 1, 2], np.int64),
        cost=np.array([0.0, 0.0, 1.0]),
        finest=0,
        coarsest=1,
        suppressed=np.zeros(2, np.bool_),
    )
