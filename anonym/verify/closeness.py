"""t-closeness (Li, Li and Venkatasubramanian 2007): how far each class lies from a reference, by formulas of its own.

Only values that occur in a class are visited, so that the cost follows the entries and not classes x values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from anonym.errors import InputError
from anonym.hierarchy.files import read_hierarchy
from anonym.verify.codes import Integers, places
from anonym.verify.facts import Closeness
from anonym.verify.histogram import Floats, Histogram, summed
from anonym.verify.printed import leaf_text
from anonym.verify.rows import STAR


@dataclass(frozen=True)
class Axis:
    """The values that distances are taken over, in order, and each one's share in the reference (sums to 1)."""

    values: pl.Series
    reference: Floats


def distances(histogram: Histogram, axis: Axis, closeness: Closeness, column: str) -> Floats:
    """(classes,) the distance of each class from the reference, in [0, 1]. Every value of the histogram is on the axis.

    Raises InputError for values that the declared order or the hierarchy file lacks.
    """
    found: Floats = np.clip(_distances(histogram, axis, closeness, column), 0.0, 1.0)  # rounding can go beyond
    return found


def _distances(histogram: Histogram, axis: Axis, closeness: Closeness, column: str) -> Floats:
    place = places(histogram.values, axis.values)
    if closeness.distance == "equal":
        return _equal(histogram, place, axis.reference)
    if closeness.distance == "ordered":
        rank = _ranks(axis.values, closeness.order, column)
        return _ordered(histogram, rank[place], axis.reference[np.argsort(rank)])
    return _hierarchical(histogram, place, axis, closeness.file, column)


def between(values: pl.Series, shares: Floats, axis: Axis, closeness: Closeness, column: str) -> float:
    """The distance of one whole distribution from the reference."""
    entries = np.arange(len(values))
    one = np.ones(1, dtype=np.int64)
    zero = np.zeros(len(values), dtype=np.int64)
    whole = Histogram(values, one, one, zero, entries, shares, entries, 1.0)
    return float(distances(whole, axis, closeness, column)[0])


def _surplus(share: Floats, owner: Integers, place: Integers, reference: Floats, classes: int) -> Floats:
    """Total variation: what each class has above the reference, which is what it lacks elsewhere."""
    return summed(np.maximum(share - reference[place], 0.0), owner, classes)


def _equal(histogram: Histogram, place: Integers, reference: Floats) -> Floats:
    return _surplus(histogram.shares, histogram.owner, place[histogram.value], reference, histogram.classes)


def _ranks(axis: pl.Series, order: Sequence[str] | None, column: str) -> Integers:
    """The rank of each value of the axis: its place, or that in the declared order of those there; null last."""
    if order is None:
        return np.arange(len(axis))
    wanted = {text: i for i, text in enumerate(order)}
    texts = leaf_text(axis.drop_nulls()).to_list()
    missing = sum(text not in wanted for text in texts)
    if missing:
        raise InputError(f"column {column}: {missing} of {len(texts)} values are not in its declared order")
    positions = [wanted[text] for text in texts] + [len(wanted)] * axis.null_count()
    return np.argsort(np.argsort(np.array(positions, dtype=np.int64), kind="stable"), kind="stable")


def _ordered(histogram: Histogram, rank: Integers, reference: Floats) -> Floats:
    """Earth mover's distance on ranks: the mean over the m - 1 gaps of |class's cumulated share - reference's|.

    Between two of its values a class's cumulated share is constant while the reference's rises: the gaps there split
    at one crossing, found by bisection, and both parts follow from prefix sums.
    """
    size = len(reference)
    if size < 2:
        return np.zeros(histogram.classes)
    order = np.lexsort((rank[histogram.value], histogram.owner))
    owner, at = histogram.owner[order], rank[histogram.value][order]
    weight = histogram.weight[order]
    whole = np.cumsum(weight)  # whole numbers: exact over any number of classes
    before = (whole - weight)[histogram.start]
    level = ((whole - before[owner]) / (histogram.members * histogram.scale)[owner]).astype(np.float64)
    last = np.r_[owner[1:] != owner[:-1], True]
    end = np.where(last, size - 1, np.r_[at[1:], size - 1])
    cumulated = np.cumsum(reference)
    prefix = np.r_[0.0, np.cumsum(cumulated)]
    crossing = np.clip(np.searchsorted(cumulated, level), at, end)
    below = level * (crossing - at) - (prefix[crossing] - prefix[at])
    above = (prefix[end] - prefix[crossing]) - level * (end - crossing)
    ahead = prefix[at[histogram.start]]  # gaps before the class's first value, where its own share is 0
    gaps: Floats = summed(below + above, owner, histogram.classes) + ahead
    return gaps / (size - 1)


def _hierarchical(histogram: Histogram, place: Integers, axis: Axis, file: Path | None, column: str) -> Floats:
    """Earth mover's distance where two leaves lie (height of their common ancestor) / (height of the tree) apart.

    On a tree of even height that is the mean, over the levels below the root, of the total variation on that level.
    """
    levels = _nodes(axis.values, file, column)
    total = np.zeros(histogram.classes)
    for node in levels:
        size = int(node.max(initial=0)) + 1
        reference = summed(axis.reference, node, size)
        pair, group = np.unique(histogram.owner * size + node[place][histogram.value], return_inverse=True)
        share = summed(histogram.shares, group, len(pair))
        total += _surplus(share, pair // size, pair % size, reference, histogram.classes)
    return total / len(levels)


def _nodes(axis: pl.Series, file: Path | None, column: str) -> list[Integers]:
    """For each level below the root the node of each value.

    Null is a leaf of its own right under the root. So is, from there on up, a value whose line reaches the root on an
    inner level: what it shares with others is the root.
    """
    if file is None:
        raise InputError(f"column {column}: a hierarchical distance needs a hierarchy file")
    table = read_hierarchy(file)
    lines = [table.labels(text) for text in leaf_text(axis.drop_nulls()).to_list()]
    missing = sum(line is None for line in lines)
    if missing:
        raise InputError(f"column {column}: {missing} of {len(lines)} values are not in its hierarchy file")
    listed = [line for line in lines if line is not None] + [(STAR,) * table.levels] * axis.null_count()
    return [_numbered([line[level] for line in listed]) for level in range(table.levels - 1)]


def _numbered(labels: Sequence[str]) -> Integers:
    """Nodes of one level, equal where labels are; values that are at the root already stay apart."""
    nodes = [(label, place if label == STAR else -1) for place, label in enumerate(labels)]
    numbers = {node: i for i, node in enumerate(dict.fromkeys(nodes))}
    return np.array([numbers[node] for node in nodes], dtype=np.int64)
