"""Compiling ahead: a search over a few invented records runs every kernel that the real one needs."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal

import numpy as np
import polars as pl

from anonym.criteria import DistinctL, TCloseness
from anonym.hierarchy.model import Cells, SensitiveCounts
from anonym.search.invented import binary
from anonym.search.local.blocks import Effort, Shared, solve_block
from anonym.search.local.bound import bound_of
from anonym.search.local.records import Records
from anonym.search.local.space import Layout, layout
from anonym.search.problem import Problem

Start = Literal["peel", "grow", "sweep"]

_done: set[Start] = set()


def start_of(laid: Layout) -> Start:
    """How the search starts, which decides what it needs compiled."""
    if not laid.space.promise.is_monotone:
        return "sweep"
    is_peeled = not laid.space.promise.rules and all(column.kind in ("pair", "path") for column in laid.columns)
    return "peel" if is_peeled else "grow"


def rehearse(start: Start, progress: Callable[[str], None] | None) -> float:
    """Compile what this process has not compiled yet; the CPU seconds that it took."""
    if start in _done:
        return 0.0
    if progress is not None:
        progress("compiling")
    began = time.process_time()
    problem = _problem(start)
    records = Records.of_cells(problem.cells)
    laid = layout(problem, records, ("label", "label"))
    effort = Effort(tries=20, seconds=None, look=4)
    shared = Shared.of(laid, problem.hierarchies, visits=4)
    solve_block(shared, np.arange(laid.space.count), 3, 1, 0, effort, lambda _: None)
    bound_of(problem, laid, np.full(laid.space.count, np.inf), 1_000)
    _done.add(start)
    return time.process_time() - began


def _problem(start: Start) -> Problem:
    codes = np.array([[a, b] for a in (0, 1) for b in (0, 1)], np.int32)
    none, each = np.empty(0, np.int32), np.arange(4, dtype=np.int32)
    values = SensitiveCounts(
        "", pl.Series([0, 1]), np.arange(2, dtype=np.int32), each, each % 2, np.array([3.0, 1.0, 2.0, 2.0]), none, none,
        none,
    )  # fmt: skip
    cells = Cells(codes, np.array([3, 1, 2, 2], np.int64), None, none, none, none.astype(np.int64), (values,))
    return Problem(
        cells,
        (binary(), binary()),
        k=3,
        limit=1,
        rows=8,
        diversity=((0, DistinctL(1)),) if start == "grow" else (),
        closeness=((0, TCloseness(0.9)),) if start == "sweep" else (),
    )
