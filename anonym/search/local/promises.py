"""l and t for the kernels: which bins a tuple's rows fall into, and how far a histogram is from holding.

A rule is RULE_FIELDS whole numbers in the world's `state`: KIND, the positions FROM and TO of its bins in a histogram,
and what it asks (MIN, and the fraction NUM / DEN); and two limits in `real`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from anonym.criteria import DistinctL, EntropyL, Ground, LDiversity, RecursiveL, TCloseness
from anonym.criteria.l_diversity import FAVOUR
from anonym.search.ground import ground_of
from anonym.search.local.jit import inner
from anonym.search.local.records import Records
from anonym.search.local.world import CLOCK_OF, COLUMNS, KINDS, NONE, ONE, RULE, RULE_FIELDS, RULES, WIDTH, World
from anonym.search.problem import Problem

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
Floats = NDArray[np.float64]

DISTINCT, ENTROPY, RECURSIVE, TREE, LINE = range(5)
KIND, FROM, TO, MIN, NUM, DEN = range(RULE_FIELDS)
ROOM, ROWS_MOST = 1_000_000, 200  # kinds x bins, and rows, up to which the smallest class is worked out
LARGEST = 10**6  # denominators of c beyond it are rounded up, which asks for more


@dataclass(frozen=True)
class Promise:
    """`bins` (tuples, bin columns) are positions in a histogram (size,), -1 for none; `ref` (size,) the shares of all
    released rows by the same positions."""

    bins: Codes
    kinds: Codes  # (tuples,) number of each tuple's bins among the distinct
    rules: tuple[tuple[int, ...], ...] = ()
    limits: tuple[tuple[float, float], ...] = ()
    ref: Floats = field(default_factory=lambda: np.empty(0))

    @property
    def is_monotone(self) -> bool:
        """Whether a class that holds still holds when more rows join, and when fewer leave: distinct l alone."""
        return all(rule[KIND] == DISTINCT for rule in self.rules)

    @property
    def needs_reference(self) -> bool:
        return any(rule[KIND] in (TREE, LINE) for rule in self.rules)

    def of(self, tuples: Ints) -> Promise:
        """Over some of the tuples, the reference unchanged."""
        return replace(self, bins=np.ascontiguousarray(self.bins[tuples]), kinds=self.kinds[tuples])


def promise_of(problem: Problem, records: Records) -> Promise:
    """The promise over all records; its reference is what they hold together."""
    bins: list[Codes] = []
    rules: list[tuple[int, ...]] = []
    limits: list[tuple[float, float]] = []
    size = 0
    for column, columns, rule, limit in _asked(problem, records):
        places = [np.where(bin_of >= 0, bin_of + size, -1).astype(np.int32) for bin_of in columns]
        bins += [place[records.sensitive[:, column]] for place in places]
        kind, width, *whole = rule
        rules.append((kind, size, size + width, *whole))
        limits.append(limit)
        size += width
    table = np.stack(bins, axis=1) if bins else np.empty((records.count, 0), np.int32)
    kinds = np.unique(table, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int32)
    return referred(Promise(table, kinds, tuple(rules), tuple(limits), np.zeros(size)), records.rows)


def referred(promise: Promise, rows: Ints) -> Promise:
    """With what `rows` (tuples,) hold together as the reference: its shares, and on a line the values that it has."""
    ref = np.zeros(promise.ref.size)
    for bins in promise.bins.T:
        there = bins >= 0
        np.add.at(ref, bins[there], rows[there].astype(np.float64))
    limits = [
        (most, 1.0 / max(int((ref[rule[FROM] : rule[TO]] > 0).sum()) - 1, 1) if rule[KIND] == LINE else unit)
        for rule, (most, unit) in zip(promise.rules, promise.limits, strict=True)
    ]
    return replace(promise, limits=tuple(limits), ref=ref / max(float(rows.sum()), 1.0))


Asked = tuple[int, Sequence[Codes], tuple[int, ...], tuple[float, float]]  # sensitive column, bins of its values for
# each bin column, the rule (kind, bins, min, num, den), its limits


def _asked(problem: Problem, records: Records) -> list[Asked]:
    found = [_diversity(column, problem.cells.sensitive[column].fold, asked) for column, asked in problem.diversity]
    for column, asked in problem.closeness:
        ground = ground_of(problem.cells.sensitive[column], asked)
        present = np.bincount(records.sensitive[:, column], weights=records.rows, minlength=ground.size) > 0
        found.append(_closeness(column, ground, present, asked))
    return found


def _diversity(column: int, fold: Codes, asked: LDiversity) -> Asked:
    size = int(fold.max(initial=-1)) + 1
    if isinstance(asked, DistinctL):
        return column, [fold], (DISTINCT, size, asked.l, 0, 1), (0.0, 0.0)
    if isinstance(asked, EntropyL):
        return column, [fold], (ENTROPY, size, 0, 0, 1), (float(asked.l), 0.0)
    assert isinstance(asked, RecursiveL)
    c = Fraction(repr(float(asked.c)))
    if c.denominator > LARGEST:
        c = Fraction(int(c * LARGEST), LARGEST)
    return column, [fold], (RECURSIVE, size, asked.l, c.numerator, c.denominator), (0.0, 0.0)


def _closeness(column: int, ground: Ground, present: NDArray[np.bool_], asked: TCloseness) -> Asked:
    most = asked.max + FAVOUR / 2  # half of the favour: last digits of sums differ between programs
    if ground.distance == "ordered":
        order = np.arange(ground.size) if ground.order is None else ground.order
        order = order[present[order]]
        rank = np.full(ground.size, -1, np.int32)
        rank[order] = np.arange(order.size, dtype=np.int32)
        return column, [rank], (LINE, order.size, 0, 0, 1), (most, 1.0)
    tree = np.arange(ground.size, dtype=np.int32)[None] if ground.tree is None else ground.tree
    size = int(tree.max(initial=-1)) + 1
    return column, list(tree), (TREE, size, 0, 0, 1), (most, 1.0 / max(tree.shape[0], 1))


def faults(promise: Promise, counts: Ints, size: Ints) -> Floats:
    """As `fault`, for each row of `counts` (classes, bins)."""
    total = np.zeros(size.size)
    for rule, (limit, unit) in zip(promise.rules, promise.limits, strict=True):
        inside = counts[:, rule[FROM] : rule[TO]]
        share = inside / np.maximum(size, 1)[:, None] - promise.ref[rule[FROM] : rule[TO]]
        if rule[KIND] == DISTINCT:
            total += np.maximum(rule[MIN] - (inside > 0).sum(axis=1), 0) / max(rule[MIN], 1)
        elif rule[KIND] == ENTROPY:
            total += np.maximum(limit - 5e-10 - _exp_entropy(inside), 0) / limit
        elif rule[KIND] == RECURSIVE:
            falling = -np.sort(-inside, axis=1)
            head, tail = falling[:, :1].sum(axis=1), falling[:, rule[MIN] - 1 :].sum(axis=1)
            excess = head * rule[DEN] - rule[NUM] * tail + 1
            total += np.where((excess <= 0) & (head > 0), 0, np.maximum(excess, 1) / (rule[DEN] * np.maximum(size, 1)))
        else:
            there = promise.ref[rule[FROM] : rule[TO]] > 0
            moved = np.abs(np.cumsum(share, axis=1)) * there if rule[KIND] == LINE else np.maximum(share, 0)
            total += np.maximum(moved.sum(axis=1) * unit - limit, 0)
    return total


def _exp_entropy(counts: Ints) -> Floats:
    total = np.maximum(counts.sum(axis=1), 1)[:, None]
    share = np.where(counts > 0, counts / total, 1.0)
    return np.where(counts.any(axis=1), np.exp(-(share * np.log(share)).sum(axis=1)), 0.0)


def smallest(promise: Promise) -> int:
    """About how many rows a class needs to hold: grown row by row, each the one that brings it nearest."""
    kinds = np.unique(promise.bins, axis=0)
    if kinds.shape[0] * promise.ref.size > ROOM:
        return 0
    counts = np.zeros((kinds.shape[0], promise.ref.size + 1), np.int64)
    np.add.at(counts, (np.arange(kinds.shape[0])[:, None], kinds), 1)  # -1 falls into the last, which goes
    own, rows, lacking = np.zeros(promise.ref.size, np.int64), 0, 1.0
    while lacking > 0 and rows < ROWS_MOST:
        then = faults(promise, own + counts[:, :-1], np.full(kinds.shape[0], rows + 1))
        best = int(np.argmin(then))
        own, rows, lacking = own + counts[best, :-1], rows + 1, float(then[best])
    return rows


@inner
def lift(w: World, s: int, t: int, rows: int) -> None:
    """Add rows of tuple t to the histogram of slot s (negative: take them out)."""
    width = w.state[WIDTH]
    for b in range(w.state[COLUMNS], w.code.shape[1] - 1):
        if w.code[t, b] >= 0:
            w.slots[s, width + w.code[t, b]] += rows


@inner
def fault(w: World, s: int, rows: int) -> float:
    """How far slot s of so many rows is from holding, summed over the rules; 0 if and only if all hold."""
    return aimed(w, s, rows, rows)


@inner
def aimed(w: World, s: int, rows: int, whole: int) -> float:
    """As `fault`, but how far t is from holding at best once the slot has so many rows `whole`: what is too much of
    now will be then (on a line: if the rows to come were like the reference)."""
    state, real, slots = w.state, w.real, w.slots
    width, ref = state[WIDTH], 2 * state[RULES]
    part = rows / whole
    total = 0.0
    for i in range(state[RULES]):
        at = RULE + RULE_FIELDS * i
        kind, low, high, least = state[at + KIND], state[at + FROM], state[at + TO], state[at + MIN]
        limit, unit = real[2 * i], real[2 * i + 1]
        moved, carried, there = 0.0, 0.0, 0
        for b in range(low, high):
            count = slots[s, width + b]
            if kind == TREE:
                moved += max(count / whole - real[ref + b], 0.0)
            elif kind == LINE:
                carried += count / whole - part * real[ref + b]
                moved += abs(carried) if real[ref + b] > 0.0 else 0.0
            elif count > 0:
                there += count
                moved += 1.0
                if kind == ENTROPY:
                    carried -= count * np.log(count)
        if kind == DISTINCT:
            total += max(least - moved, 0.0) / least
        elif kind == ENTROPY:
            total += _entropy_fault(carried, there, limit)
        elif kind == RECURSIVE:
            total += _recursive_fault(w, s, width + low, width + high, least, state[at + NUM], state[at + DEN])
        else:
            total += max(moved * unit - limit, 0.0)
    return total


@inner
def _entropy_fault(minus_sum: float, rows: int, limit: float) -> float:
    """`minus_sum` is -Σ n log n over the counts n, which sum to `rows`."""
    reached = 0.0
    if rows > 0:
        reached = np.exp(np.log(rows) + minus_sum / rows)
    return max(limit - 5e-10 - reached, 0.0) / limit


@inner
def _recursive_fault(w: World, s: int, low: int, high: int, rank: int, num: int, den: int) -> float:
    """r1 < c (r_rank + ... + r_m), exact: c is num / den. The fault is how much the head weighs too much."""
    slots = w.slots
    head, tail = np.int64(0), np.int64(0)
    for b in range(low, high):
        head = max(head, np.int64(slots[s, b]))
        tail += slots[s, b]
    total = tail
    last, place = np.int64(1) << 40, -1
    for _ in range(rank - 1):  # the largest that are left, ties in order of place
        best, at = np.int64(-1), high
        for b in range(low, high):
            count = np.int64(slots[s, b])
            if count > best and (count < last or (count == last and b > place)):
                best, at = count, b
        if best > 0:
            tail -= best
        last, place = best, at
    if total > 0 and head * den < num * tail:
        return 0.0
    return (head * den - num * tail + 1) / (den * max(total, np.int64(1)))


@inner
def fault_with(w: World, s: int, at: int, rows: int, whole: int) -> float:
    """`aimed` of slot s of so many rows after one row of row `at` of `code` joins; worked out once a kind."""
    kind = w.code[at, w.code.shape[1] - 1]
    place = w.real.size - 2 * w.state[KINDS] + kind
    stamp = place + w.state[KINDS]
    if w.real[stamp] != w.state[CLOCK_OF]:
        lift(w, s, at, ONE)
        w.real[place] = aimed(w, s, rows + 1, max(rows + 1, whole))
        lift(w, s, at, NONE)
        w.real[stamp] = w.state[CLOCK_OF]
    return float(w.real[place])


@inner
def shortage(w: World, s: int) -> int:
    """The most distinct values that a rule still lacks: so many rows at least must join."""
    state, width = w.state, w.state[WIDTH]
    most = 0
    for i in range(state[RULES]):
        at = RULE + RULE_FIELDS * i
        if state[at + KIND] == DISTINCT or state[at + KIND] == RECURSIVE:
            lacking = state[at + MIN]
            for b in range(state[at + FROM], state[at + TO]):
                if w.slots[s, width + b] > 0:
                    lacking -= 1
            most = max(most, lacking)
    return most


@inner
def has_distances(w: World) -> bool:
    """Whether t is asked for."""
    found = False
    for i in range(w.state[RULES]):
        kind = w.state[RULE + RULE_FIELDS * i + KIND]
        if kind in (TREE, LINE):
            found = True
    return found


@inner
def is_monotone(w: World) -> bool:
    """As `Promise.is_monotone`."""
    found = True
    for i in range(w.state[RULES]):
        if w.state[RULE + RULE_FIELDS * i + KIND] != DISTINCT:
            found = False
    return found
