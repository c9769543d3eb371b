"""Slow, obvious twins of the criteria, in exact fractions, over plain dicts {value: weight}."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction

Histogram = Mapping[Hashable, Fraction]


def shares(histogram: Histogram) -> dict[Hashable, Fraction]:
    total = sum(histogram.values())
    return {value: weight / total for value, weight in histogram.items() if weight}


def folded(histogram: Histogram, fold: Mapping[Hashable, Hashable]) -> dict[Hashable, Fraction]:
    out: dict[Hashable, Fraction] = {}
    for value, weight in histogram.items():
        if fold[value] is not None and weight:
            out[fold[value]] = out.get(fold[value], Fraction(0)) + weight
    return out


def exp_entropy(histogram: Histogram) -> float:
    if not histogram:
        return 0.0
    return math.exp(-sum(float(p) * math.log(p) for p in shares(histogram).values()))


def recursive_holds(histogram: Histogram, c: Fraction, rank: int) -> bool:
    falling = sorted(histogram.values(), reverse=True)
    return bool(falling) and falling[0] < c * sum(falling[rank - 1 :], Fraction(0))


def equal_distance(one: Histogram, other: Histogram) -> Fraction:
    p, q = shares(one), shares(other)
    return sum((abs(p.get(v, Fraction(0)) - q.get(v, Fraction(0))) for v in {*p, *q}), Fraction(0)) / 2


def ordered_distance(one: Histogram, other: Histogram, order: Sequence[Hashable]) -> Fraction:
    """Earth is carried from the left: what is left over at a value moves on to the next that is present."""
    p, q = shares(one), shares(other)
    present = [v for v in order if other.get(v)]
    if len(present) < 2:
        return Fraction(0)
    moved = carried = Fraction(0)
    for value in present:
        carried += p.get(value, Fraction(0)) - q.get(value, Fraction(0))
        moved += abs(carried)
    return moved / (len(present) - 1)


def hierarchical_distance(one: Histogram, other: Histogram, paths: Mapping[Hashable, Sequence[Hashable]]) -> Fraction:
    """Li et al. 2007, section 5.2: extra, pos_extra, neg_extra and cost of every node.

    `paths` gives each value's nodes from the leaf up to the root, all of one length.
    """
    p, q = shares(one), shares(other)
    height = len(next(iter(paths.values()))) - 1
    extra = {(0, path[0]): p.get(v, Fraction(0)) - q.get(v, Fraction(0)) for v, path in paths.items()}
    cost = Fraction(0)
    for level in range(1, height + 1):
        children: dict[Hashable, set[Hashable]] = {}
        for path in paths.values():
            children.setdefault(path[level], set()).add(path[level - 1])
        for node, below in children.items():
            parts = [extra[level - 1, child] for child in below]
            gained = sum((e for e in parts if e > 0), Fraction(0))
            lost = -sum((e for e in parts if e < 0), Fraction(0))
            cost += Fraction(level, height) * min(gained, lost)
            extra[level, node] = gained - lost
    return cost


def pooled(histograms: Iterable[Histogram]) -> dict[Hashable, Fraction]:
    out: dict[Hashable, Fraction] = {}
    for histogram in histograms:
        for value, weight in histogram.items():
            out[value] = out.get(value, Fraction(0)) + weight
    return out
