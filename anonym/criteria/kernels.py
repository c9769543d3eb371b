"""Loops over class histograms: arrays in, arrays out. Whoever calls them has validated.

A histogram in sparse form is (start, value, weight): the entries of class c are start[c]:start[c + 1], the values
distinct within a class, the weights positive.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonym.criteria.jit import kernel

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
Floats = NDArray[np.float64]


@kernel
def tabulate(owner: Codes, value: Codes, weight: Floats, classes: int, size: int) -> tuple[Ints, Codes, Floats]:
    """Sparse histograms of loose entries: `owner` is the class of each (-1: none), `value` below `size` (-1: none)."""
    first = np.zeros(classes + 1, np.int64)
    for i in range(owner.size):
        if owner[i] >= 0 and value[i] >= 0:
            first[owner[i] + 1] += 1
    for c in range(classes):
        first[c + 1] += first[c]
    order = np.empty(first[classes], np.int64)
    place = first[:classes].copy()
    for i in range(owner.size):
        if owner[i] >= 0 and value[i] >= 0:
            order[place[owner[i]]] = i
            place[owner[i]] += 1
    slot = np.full(size, -1, np.int64)
    start = np.zeros(classes + 1, np.int64)
    values = np.empty(order.size, np.int32)
    weights = np.empty(order.size, np.float64)
    filled = 0
    for c in range(classes):
        begin = filled
        for at in range(first[c], first[c + 1]):
            v = value[order[at]]
            if slot[v] < begin:
                slot[v] = filled
                values[filled] = v
                weights[filled] = 0.0
                filled += 1
            weights[slot[v]] += weight[order[at]]
        start[c + 1] = filled
    return start, values[:filled].copy(), weights[:filled].copy()


@kernel
def totals(start: Ints, weight: Floats) -> Floats:
    """The weight of each class."""
    out = np.zeros(start.size - 1, np.float64)
    for c in range(out.size):
        for at in range(start[c], start[c + 1]):
            out[c] += weight[at]
    return out


@kernel
def pooled(start: Ints, value: Codes, weight: Floats, keep: NDArray[np.bool_], size: int) -> Floats:
    """The sum of the histograms of the classes kept: (size,)."""
    out = np.zeros(size, np.float64)
    for c in range(keep.size):
        if keep[c]:
            for at in range(start[c], start[c + 1]):
                out[value[at]] += weight[at]
    return out


@kernel
def exp_entropy(start: Ints, weight: Floats) -> Floats:
    """exp of the Shannon entropy of each class; 0 for a class without weight."""
    out = np.zeros(start.size - 1, np.float64)
    for c in range(out.size):
        total = 0.0
        for at in range(start[c], start[c + 1]):
            total += weight[at]
        entropy = 0.0
        for at in range(start[c], start[c + 1]):
            share = weight[at] / total
            entropy -= share * math.log(share)
        if total > 0.0:
            out[c] = math.exp(entropy)
    return out


@kernel
def sort_rising(values: NDArray[Any], count: int) -> None:
    """Heap sort of values[:count], in place. NumPy's own sort takes 3 s to compile, this one 0.3."""
    for end in range(2 * count - 1, 0, -1):
        # first half: let each parent sink, from the last; second half: move the largest to the end
        root = end - count
        last = count
        if end < count:
            values[0], values[end] = values[end], values[0]
            root = 0
            last = end
        child = 2 * root + 1
        while child < last:
            if child + 1 < last and values[child] < values[child + 1]:
                child += 1
            if values[root] >= values[child]:
                break
            values[root], values[child] = values[child], values[root]
            root = child
            child = 2 * root + 1


@kernel
def head_and_tail(start: Ints, weight: Floats, rank: int) -> tuple[Floats, Floats]:
    """The largest count r1 of each class, and r_rank + ... + r_m, counts in falling order."""
    head = np.zeros(start.size - 1, np.float64)
    tail = np.zeros(start.size - 1, np.float64)
    rising = weight.copy()
    for c in range(head.size):
        count = start[c + 1] - start[c]
        sort_rising(rising[start[c] :], count)
        if count > 0:
            head[c] = rising[start[c + 1] - 1]
        for at in range(start[c], start[c + 1] - rank + 1):
            tail[c] += rising[at]
    return head, tail


@kernel
def equal_distance(start: Ints, value: Codes, weight: Floats, reference: Floats) -> Floats:
    """Total variation of each class from `reference` (size,), which sums to 1."""
    out = np.zeros(start.size - 1, np.float64)
    for c in range(out.size):
        total = 0.0
        for at in range(start[c], start[c + 1]):
            total += weight[at]
        for at in range(start[c], start[c + 1]):
            out[c] += max(weight[at] / total - reference[value[at]], 0.0)
    return out


@kernel
def line_distance(start: Ints, value: Codes, weight: Floats, reference: Floats, rank: Codes, gap: Floats) -> Floats:
    """Earth mover's distance on a line: `gap[i]` is the distance from rank i to rank i + 1, `reference` is by rank.

    Between two of its values a class's cumulated share is constant while the reference's rises: the gaps there split at
    one crossing, found by bisection, and both parts follow from prefix sums. So only a class's own values are visited.
    """
    out = np.zeros(start.size - 1, np.float64)
    size = gap.size
    rising = np.cumsum(reference)
    length = np.zeros(size + 1, np.float64)
    area = np.zeros(size + 1, np.float64)
    for i in range(size):
        length[i + 1] = length[i] + gap[i]
        area[i + 1] = area[i] + gap[i] * rising[i]
    share = np.zeros(size, np.float64)
    ranks = np.empty(size + 1, np.int64)
    for c in range(out.size):
        count = start[c + 1] - start[c]
        total = 0.0
        for at in range(count):
            total += weight[start[c] + at]
        for at in range(count):
            ranks[at] = rank[value[start[c] + at]]
            share[ranks[at]] += weight[start[c] + at] / total
        sort_rising(ranks, count)
        ranks[count] = size
        level, begin = 0.0, 0
        for at in range(count + 1):
            end = ranks[at]
            low, high = begin, end
            while low < high:
                middle = (low + high) // 2
                if rising[middle] < level:
                    low = middle + 1
                else:
                    high = middle
            out[c] += level * (2.0 * length[low] - length[begin] - length[end])
            out[c] += area[begin] + area[end] - 2.0 * area[low]
            if at < count:
                level += share[end]
                share[end] = 0.0
                begin = end
        out[c] = max(out[c], 0.0)  # differences of prefix sums round below 0
    return out


@kernel
def tree_distance(start: Ints, value: Codes, weight: Floats, reference: Floats, tree: Codes) -> Floats:
    """Earth mover's distance on a tree of even height: `tree` (levels below the root, size) numbers all nodes.

    `reference` (nodes,) holds each node's share and sums to 1 on every level. Moving weight over an edge costs
    1 / (2 height), so that two leaves lie (height of their common ancestor) / height apart.
    """
    out = np.zeros(start.size - 1, np.float64)
    height = tree.shape[0]
    share = np.zeros(reference.size, np.float64)
    for c in range(out.size):
        total = 0.0
        for at in range(start[c], start[c + 1]):
            total += weight[at]
        moved = 0.0
        for level in range(height):
            for at in range(start[c], start[c + 1]):
                share[tree[level, value[at]]] += weight[at] / total
            for at in range(start[c], start[c + 1]):
                node = tree[level, value[at]]
                moved += 2.0 * max(share[node] - reference[node], 0.0)  # surplus = deficit on every level
                share[node] = 0.0
                # a node met again has share 0 and adds nothing
        out[c] = moved / (2.0 * height)
    return out


@kernel
def removal_for_entropy(start: Ints, weight: Floats, least: float) -> Floats:
    """The least weight to take from each class so that exp(entropy) of the rest can reach `least`; inf: all.

    Of all sub-histograms of a given weight the one capped at a common height is the most even (every other
    majorises it), and its entropy rises as the cap falls: bisection on the cap, rounded towards less removal.
    """
    out = np.zeros(start.size - 1, np.float64)
    for c in range(out.size):
        largest = 0.0
        for at in range(start[c], start[c + 1]):
            largest = max(largest, weight[at])
        if start[c + 1] - start[c] < least or largest == 0.0:
            out[c] = np.inf
            continue
        if capped_entropy(weight, start[c], start[c + 1], largest) >= least:
            continue
        low, high = 0.0, largest  # entropy is short at high, reaches it towards 0
        for _ in range(60):
            middle = 0.5 * (low + high)
            if capped_entropy(weight, start[c], start[c + 1], middle) >= least:
                low = middle
            else:
                high = middle
        for at in range(start[c], start[c + 1]):
            out[c] += max(weight[at] - high, 0.0)
    return out


@kernel
def capped_entropy(weight: Floats, begin: int, end: int, cap: float) -> float:
    """exp of the entropy of min(weight[begin:end], cap)."""
    total = 0.0
    for at in range(begin, end):
        total += min(weight[at], cap)
    entropy = 0.0
    for at in range(begin, end):
        share = min(weight[at], cap) / total
        if share > 0.0:
            entropy -= share * math.log(share)
    return math.exp(entropy)


@kernel
def removal_for_recursive(start: Ints, weight: Floats, c: float, rank: int) -> Floats:
    """The least weight to take from each class so that r1 < c (r_rank + ... + r_m) can hold of the rest; inf: all.

    With r1 at most h, min(counts, h) has the largest tail; tail / h only rises as h falls: bisection on h, rounded
    towards less removal, with equality let through.
    """
    out = np.zeros(start.size - 1, np.float64)
    rising = weight.copy()
    for k in range(out.size):
        begin, end = start[k], start[k + 1]
        sort_rising(rising[begin:], end - begin)
        if end - begin < rank or end == begin or c * (end - begin - rank + 1) * (1.0 + 1e-12) < 1.0:
            out[k] = np.inf  # not even equal counts hold
            continue
        low, high = 0.0, rising[end - 1]
        if tail_reaches(rising, begin, end, high, c, rank):
            continue
        for _ in range(60):
            middle = 0.5 * (low + high)
            if tail_reaches(rising, begin, end, middle, c, rank):
                low = middle
            else:
                high = middle
        for at in range(begin, end):
            out[k] += max(rising[at] - high, 0.0)
    return out


@kernel
def tail_reaches(rising: Floats, begin: int, end: int, cap: float, c: float, rank: int) -> bool:
    """Whether cap <= c x tail of min(counts, cap), for the rising counts of rising[begin:end]."""
    tail = 0.0
    for at in range(begin, end - rank + 1):
        tail += min(rising[at], cap)
    return cap <= c * tail * (1.0 + 1e-12)
