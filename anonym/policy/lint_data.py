"""What in a policy is worth a second look once the data is known: counts only, never a value."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from anonym.hierarchy.model import Hierarchy
from anonym.policy.model import Quasi

FEW = 0.5  # of the values of a kept column, from which on it is said to give an identifier away


def of_quasi(quasi: Quasi, hierarchy: Hierarchy, members: pl.Series, k: int, held_by: str) -> Iterator[str]:
    """Notes on one quasi-identifier. `members` is (leaves,) the units, or rows, that hold each original; `held_by` is
    the word for one of them.
    """
    held = members.filter(hierarchy.domain.is_not_null()).to_numpy()
    if not len(held):
        yield "it has no values: every row is null"
        return
    yield from _rare(held, k, held_by)
    yield from _levels(hierarchy)
    yield from _ends(quasi, hierarchy)


def _rare(held: np.ndarray[tuple[int], np.dtype[np.int64]], k: int, held_by: str) -> Iterator[str]:
    single, few = int((held == 1).sum()), int((held < k).sum())
    if single == len(held) > 1:
        yield f"each of its {single} values is held by one {held_by} only: it identifies; consider role identifier"
    elif single:
        yield f"{single} of its {len(held)} values are held by one {held_by} only, {few} by fewer than k"


def _levels(hierarchy: Hierarchy) -> Iterator[str]:
    """Steps that group nothing, or everything at once. Null, being apart below the top, is left aside."""
    values = len(hierarchy.domain) - hierarchy.domain.null_count()
    groups = [len(np.unique(row[:values])) for row in hierarchy.ancestor]
    for level in range(1, hierarchy.levels - 1):
        if groups[level] == groups[level - 1]:
            yield f"level {level} changes nothing here: {groups[level]} groups, as at level {level - 1}"
    if hierarchy.levels > 2 and groups[1] == 1 < groups[0]:
        yield f"level 1 merges all {groups[0]} values into one: no finer step is left to the search"


def _ends(quasi: Quasi, hierarchy: Hierarchy) -> Iterator[str]:
    values = hierarchy.domain.drop_nulls()
    labels = hierarchy.labels.gather(hierarchy.ancestor[0].astype(np.int64)).head(len(values))
    for key, end, sign in (("top", quasi.top, ">="), ("bottom", quasi.bottom, "<=")):
        if end is None:
            continue
        coded = int((labels == f"{sign}{end}").sum())
        if not coded:
            yield f"{key} {end} bites nobody: no value lies there"
        elif coded == len(values):
            yield f"{key} {end} takes all values: nothing else is left"


def of_kept(told: pl.DataFrame, identifier: str, k: int) -> Iterator[str]:
    """Notes on a column released as it is. `told` has, for each of its values, `identifiers`: the distinct values of
    the identifier that occur with it.
    """
    single = int((told["identifiers"] == 1).sum())
    if told.height > 1 and single > FEW * told.height and told.height >= k:
        yield (
            f"{single} of its {told.height} values occur with one value of the identifier {identifier} only: "
            "who knows them knows it; consider role quasi or identifier"
        )
