"""Sets over real hierarchies: rare ends widen to values that k rows hold or to cuts; nulls, top coding, caps."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
import pytest

from anonym.hierarchy.build import build
from anonym.hierarchy.cells import cells, records
from anonym.hierarchy.encode import domain
from anonym.hierarchy.model import Hierarchy, Interval, Prefix
from anonym.search.local.records import LocalSolution, Records
from anonym.search.local.solve import solve
from anonym.search.problem import Problem

K = 3


def solved(frame: pl.LazyFrame, declared: dict[str, Any], **options: Any) -> tuple[list[Hierarchy], LocalSolution, Any]:
    schema = frame.collect_schema()
    hierarchies = []
    for name, declaration in declared.items():
        values = domain(frame, name, schema[name])
        hierarchies.append(build(name, declaration, values["value"], rows=values["rows"], **options.get(name, {})))
    found = cells(frame, hierarchies, {})
    codes, rows, _ = records(frame, hierarchies, {})
    problem = Problem(found, tuple(hierarchies), K, 6, found.total_rows)
    own = Records(codes, np.empty((rows.size, 0), np.int32), rows)
    return hierarchies, solve(problem, own, vocabulary=["set"] * len(hierarchies), budget=("tries", 500)), own


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("nulls", [0, 4])
@pytest.mark.parametrize("options", [{}, {"top": Decimal(70)}, {"coarsest": 2}, {"finest": 1}])
def test_ends_are_common_values_or_cuts(seed: int, nulls: int, options: dict[str, Any]) -> None:
    draw = np.random.default_rng(seed)
    ages = [*draw.geometric(0.05, 60).tolist(), *([None] * nulls)]
    frame = pl.LazyFrame({"age": pl.Series(ages, dtype=pl.Int64)})
    hierarchies, solution, own = solved(
        frame, {"age": Interval((Decimal(10), Decimal(50)))}, age={} if "coarsest" in options and nulls else options
    )
    hierarchy, sets = hierarchies[0], solution.sets[0]
    assert sets.low is not None
    assert sets.high is not None
    held = np.bincount(own.codes[:, 0], weights=own.rows, minlength=hierarchy.leaves)
    values = len(hierarchy.domain.drop_nulls())
    for low, high in zip(sets.low.tolist(), sets.high.tolist(), strict=True):
        if low == -1:
            assert high == -1
            continue
        if low == values:
            assert high == values
            continue
        assert high < values
        assert held[low] >= K or is_cut(hierarchy, low, first=True)
        assert held[high] >= K or is_cut(hierarchy, high, first=False)
    parts = solution.parts
    for record, cls in zip(parts.record.tolist(), parts.cls.tolist(), strict=True):
        if cls < 0:
            continue
        leaf, low, high = int(own.codes[record, 0]), int(sets.low[cls]), int(sets.high[cls])
        assert low == -1 or low <= leaf <= high


def is_cut(hierarchy: Hierarchy, leaf: int, *, first: bool) -> bool:
    """Whether a node that is more than a value begins (or ends) with the leaf."""
    assert hierarchy.low is not None
    for level in range(hierarchy.levels - 1):
        node = int(hierarchy.ancestor[level][leaf])
        below = np.flatnonzero(hierarchy.ancestor[level] == node)
        is_value = level == 0 and hierarchy.low[node] == hierarchy.high[node]  # type: ignore[index]
        if not is_value and leaf == (below.min() if first else below.max()):
            return True
    return False


@pytest.mark.parametrize("seed", range(4))
def test_members_are_common_values_or_nodes_that_k_rows_hold(seed: int) -> None:
    draw = np.random.default_rng(seed)
    words = [f"{code:03d}" for code in (draw.zipf(1.5, 80) * 37 % 500).tolist()]
    hierarchies, solution, own = solved(pl.LazyFrame({"zip": [*words, None]}), {"zip": Prefix((2, 1))})
    hierarchy, members = hierarchies[0], solution.sets[0].members
    assert members is not None
    held = np.bincount(own.codes[:, 0], weights=own.rows, minlength=hierarchy.leaves)
    for row in members:
        bits = {leaf for leaf in range(hierarchy.leaves) if int(row[leaf // 64]) >> (leaf % 64) & 1}
        covered: set[int] = set()
        for level in range(hierarchy.levels):
            for leaf in bits:
                below = np.flatnonzero(hierarchy.ancestor[level] == hierarchy.ancestor[level][leaf])
                if set(below.tolist()) <= bits and held[below].sum() >= K:
                    covered |= set(below.tolist())
        assert covered == bits
