"""Steps of a declaration become levels over all leaves, nodes numbered through, with one root."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.errors import Fault, PolicyError
from anonym.hierarchy.clock import measure_of
from anonym.hierarchy.labels import edge
from anonym.hierarchy.steps import ROOT, Step, Window


@dataclass(frozen=True)
class Tree:
    """All levels over all n leaves, nodes numbered through: the fields of Hierarchy with the same names."""

    ancestor: NDArray[np.int32]
    labels: pl.Series
    low: pl.Series | None
    high: pl.Series | None

    @property
    def root(self) -> int:
        return len(self.labels) - 1

    @classmethod
    def grown(cls, steps: list[Step], values: pl.Series, window: Window, has_null: bool, *, is_rooted: bool) -> Tree:
        levels = [_whole(step, values, window, has_null) for step in steps]
        if is_rooted:
            levels = _pruned(levels)
            everything = np.full(len(values) + has_null, ROOT)
            levels.append(Step(everything, pl.Series([], dtype=pl.String), values.clear(), values.clear()))
        offsets = np.cumsum([0, *(len(level.labels) for level in levels)])
        ancestor = [
            np.where(s.node == ROOT, offsets[-1], s.node + o) for s, o in zip(levels, offsets[:-1], strict=True)
        ]
        labels = pl.concat(
            [*(level.labels for level in levels), pl.Series(["*"] if is_rooted else [], dtype=pl.String)]
        )
        unbounded = pl.Series([None] if is_rooted else [], dtype=values.dtype)
        low = _joined([*(level.low for level in levels), unbounded])
        high = _joined([*(level.high for level in levels), unbounded])
        return cls(np.array(ancestor, dtype=np.int32), labels, low, high)


def _whole(step: Step, values: pl.Series, window: Window, has_null: bool) -> Step:
    """A step over all leaves: bottom-coded, what the declaration yields, top-coded, null."""
    has_bottom, has_top = int(window.begin > 0), int(window.end < len(values))
    after = has_bottom + len(step.labels)
    node = np.concatenate(
        [
            np.zeros(window.begin, np.int64),
            np.where(step.node == ROOT, ROOT, step.node + has_bottom),
            np.full(len(values) - window.end, after),
            np.full(int(has_null), after + has_top),
        ]
    )
    of = measure_of(values.dtype)
    below = [f"<={edge(window.bottom, of)}"] if window.bottom is not None and has_bottom else []
    above = [f">={edge(window.top, of)}"] if window.top is not None and has_top else []
    labels = pl.concat([_strings(below), step.labels, _strings([*above, *[None] * has_null])])
    if step.low is None or step.high is None:
        return Step(node, labels)
    nothing = pl.Series([None], dtype=values.dtype)
    none = values.clear()
    last = nothing if has_null else none
    low = pl.concat([nothing if has_bottom else none, step.low, window.top_low if has_top else none, last])
    high = pl.concat([window.bottom_high if has_bottom else none, step.high, nothing if has_top else none, last])
    return Step(node, labels, low, high)


def _strings(texts: list[str | None] | list[str]) -> pl.Series:
    return pl.Series(texts, dtype=pl.String)


def _pruned(levels: list[Step]) -> list[Step]:
    """Nodes that read `*` become the root, at their level and above; nodes left without leaves go."""
    is_rooted = np.zeros(len(levels[0].node), dtype=np.bool_)
    pruned = []
    for level in levels:
        is_star = (level.labels == "*").fill_null(False).to_numpy()
        is_rooted = is_rooted | (level.node == ROOT) | np.append(is_star, False)[level.node]
        pruned.append(_without(level, is_rooted) if is_rooted.any() else level)
    return pruned


def _without(level: Step, is_rooted: NDArray[np.bool_]) -> Step:
    is_kept = np.bincount(level.node[~is_rooted], minlength=len(level.labels)) > 0
    renumbered = np.append(np.cumsum(is_kept) - 1, ROOT)
    kept = pl.Series(is_kept)
    return Step(
        np.where(is_rooted, ROOT, renumbered[level.node]),
        level.labels.filter(kept),
        None if level.low is None else level.low.filter(kept),
        None if level.high is None else level.high.filter(kept),
    )


def _joined(parts: list[pl.Series | None]) -> pl.Series | None:
    present = [part for part in parts if part is not None]
    return pl.concat(present) if len(present) == len(parts) else None


def check_nesting(column: str, ancestor: NDArray[np.int32]) -> None:
    for level, (nodes, parents) in enumerate(pairwise(ancestor)):
        parent = np.zeros(int(nodes.max(initial=0)) + 1, dtype=np.int32)
        parent[nodes] = parents
        if (parent[nodes] != parents).any():
            expected = f"expected levels that nest: a node of level {level} lies under several of level {level + 1}"
            raise PolicyError([Fault(f"columns.{column}.hierarchy", expected)])
