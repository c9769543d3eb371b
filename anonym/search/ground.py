"""The ground distances of t-closeness over the values of a sensitive column."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from anonym.criteria import Ground, TCloseness
from anonym.errors import InputError
from anonym.hierarchy.files import ROOT, read_hierarchy
from anonym.hierarchy.labels import leaf_text
from anonym.hierarchy.model import SensitiveCounts


def ground_of(sensitive: SensitiveCounts, closeness: TCloseness) -> Ground:
    """How far the column's values lie apart.

    Raises InputError if a value is missing from the declared order or from the hierarchy file.
    """
    if closeness.distance == "ordered":
        return Ground("ordered", sensitive.size, order=_order(sensitive, closeness.order))
    if closeness.distance == "hierarchical":
        return Ground("hierarchical", sensitive.size, tree=_tree(sensitive, closeness))
    return Ground("equal", sensitive.size)


def _order(sensitive: SensitiveCounts, declared: Sequence[str] | None) -> NDArray[np.int32]:
    """Value codes in their order: natural, or as declared; null last."""
    natural = np.arange(sensitive.size, dtype=np.int32)
    if declared is None:
        return natural
    place = {text: i for i, text in enumerate(declared)}
    texts = _texts(sensitive)
    _refuse_missing(sensitive, [text not in place for text in texts], "the declared order of its t-closeness")
    position = [place[text] for text in texts] + [len(place)] * (sensitive.size - len(texts))
    return natural[np.argsort(np.array(position, dtype=np.int64), kind="stable")]


def _tree(sensitive: SensitiveCounts, closeness: TCloseness) -> NDArray[np.int32]:
    """(levels below the root, size): the node of each value, numbered through all levels.

    Null is a leaf of its own right under the root, and so is every value whose parent is the root already on an inner
    level: their common ancestor is the root, whatever level it is repeated on.
    """
    assert closeness.hierarchy is not None
    table = read_hierarchy(closeness.hierarchy.path)
    texts = _texts(sensitive)
    lines = [table.labels(text) for text in texts]
    _refuse_missing(sensitive, [line is None for line in lines], "the hierarchy file of its t-closeness")
    lines += [(ROOT,) * table.levels] * (sensitive.size - len(texts))
    numbers: dict[tuple[int, str | int], int] = {}
    tree = np.empty((table.levels - 1, sensitive.size), np.int32)
    for level in range(table.levels - 1):
        for code, line in enumerate(lines):
            label = line[level] if line else ROOT
            node = (level, code) if label == ROOT else (level, label)
            tree[level, code] = numbers.setdefault(node, len(numbers))
    return tree


def _texts(sensitive: SensitiveCounts) -> list[str]:
    """The printed text of every value but null."""
    return [str(text) for text in leaf_text(sensitive.values.drop_nulls()).to_list()]


def _refuse_missing(sensitive: SensitiveCounts, missing: list[bool], where: str) -> None:
    if any(missing):
        raise InputError(
            f"column {sensitive.column}: {sum(missing)} of {len(missing)} distinct values are not in {where}; "
            f"add them there or choose another distance"
        )
