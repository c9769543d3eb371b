"""What printed counts of several columns tell together: sums that the columns have in common, and what follows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Shared = tuple[int, int, Ints, Ints]
"""Two columns, and the groups of each that hold the same rows."""
CLOSE = 1e-6
ROUNDS = 100
MOST = 500  # groups that are solved for: 0.1 s a try; beyond, columns that tell of each other are not printed together
TRIES = 30


class Counted(Protocol):
    """A group: its suppressed rows, and what is compared with k."""

    @property
    def rows(self) -> int: ...
    @property
    def members(self) -> int: ...


class Column(Protocol):
    """Groups of which those with fewer members than `threshold` are withheld; `place` of each cell among them."""

    threshold: int

    @property
    def groups(self) -> Sequence[Counted]: ...
    @property
    def place(self) -> Ints | None: ...
    def withheld(self) -> list[bool]: ...


C = TypeVar("C", bound=Column)


def untold(columns: Sequence[C], k: int) -> list[C]:
    """The columns with thresholds raised until no withheld count below k follows from what is printed.

    What follows is by the linear equations of the print, of counts that are not negative: each column's total, and for
    two columns the sums over groups that hold the same rows (a state, and its ZIP codes). Where that does not come to
    an end, only the first of the columns that tell of each other is printed.
    """
    pairs = combinations(range(len(columns)), 2)
    shared = [(a, b, *sides) for a, b in pairs for sides in _sums(columns[a], columns[b])]
    tied = sorted({place for a, b, *_ in shared for place in (a, b)})
    if sum(len(columns[place].groups) for place in tied) <= MOST:
        for _ in range(TRIES):
            told = _told(columns, shared, tied, k)
            if not told:
                return list(columns)
            raised = [_raise(columns[place]) for place in told]
            for place in tied if not any(raised) else ():
                _raise(columns[place])
    return [column for place, column in enumerate(columns) if place not in tied[1:]]


def _sums(one: Column, other: Column) -> Iterator[tuple[Ints, Ints]]:
    """Groups of the two columns that hold the same cells, where these are not all cells."""
    assert one.place is not None
    assert other.place is not None
    size = len(one.groups), len(other.groups)
    met = np.bincount(one.place * size[1] + other.place, minlength=size[0] * size[1]).reshape(size) > 0
    left = met.any(axis=1)
    while left.any():
        rows: NDArray[np.bool_] = np.zeros(size[0], np.bool_)
        rows[np.argmax(left)] = True
        while True:
            columns = met[rows].any(axis=0)
            grown: NDArray[np.bool_] = np.asarray(met[:, columns].any(axis=1))
            if (grown == rows).all():
                break
            rows = grown
        if rows.sum() < met.any(axis=1).sum():
            yield np.flatnonzero(rows), np.flatnonzero(columns)
        left &= ~rows


def _told(columns: Sequence[Column], shared: Sequence[Shared], tied: list[int], k: int) -> set[int]:
    """The columns in which a withheld count below k is determined."""
    unknown = [(place, at) for place in tied for at, gone in enumerate(columns[place].withheld()) if gone]
    number = {pair: index for index, pair in enumerate(unknown)}
    rows: list[Floats] = []
    for terms in _equations(columns, shared, tied):
        row = np.zeros(len(unknown) + 1)
        for place, at, sign in terms:
            if (place, at) in number:
                row[number[place, at]] += sign
            else:
                row[-1] -= sign * columns[place].groups[at].rows
        rows.append(row)
    for place in tied:  # the total is exact
        rows[tied.index(place)][-1] += sum(group.rows for group in columns[place].groups)
    known = _determined(np.array(rows)) if rows else set()
    return {place for index in known for place, at in [unknown[index]] if columns[place].groups[at].members < k}


def _equations(
    columns: Sequence[Column], shared: Sequence[Shared], tied: list[int]
) -> Iterator[list[tuple[int, int, int]]]:
    """Sums that are known, as (column, group, sign): totals first, then those that two columns share."""
    for place in tied:
        yield [(place, at, 1) for at in range(len(columns[place].groups))]
    for a, b, ours, theirs in shared:
        yield [*((a, int(at), 1) for at in ours), *((b, int(at), -1) for at in theirs)]


def _determined(system: Floats) -> set[int]:
    """The unknowns whose bounds meet. Bounds start at 0 and the largest sum, and each equation, as it is and reduced,
    narrows those of its terms until nothing moves (as for cells of tables: Dobra and Fienberg 2000).
    """
    equations = np.vstack([system, _reduced(system)])
    terms, total = equations[:, :-1], equations[:, -1:]
    used = np.abs(terms) > CLOSE
    factor = np.where(used, terms, 1.0)
    low, high = np.zeros(terms.shape[1]), np.full(terms.shape[1], np.abs(system[:, -1]).max())
    for _ in range(ROUNDS):
        least, most = (np.where(terms > 0, terms * end, terms * other) for end, other in ((low, high), (high, low)))
        rest = total - least.sum(1, keepdims=True) + least, total - most.sum(1, keepdims=True) + most
        ends = (np.where(terms > 0, rest[1 - end], rest[end]) / factor for end in (0, 1))
        lows, highs = (np.where(used, end, bound) for end, bound in zip(ends, (-np.inf, np.inf), strict=True))
        narrowed = np.maximum(low, np.ceil(lows.max(0) - CLOSE)), np.minimum(high, np.floor(highs.min(0) + CLOSE))
        if (narrowed[0] == low).all() and (narrowed[1] == high).all():
            break
        low, high = narrowed
    return set(np.flatnonzero(high <= low).tolist())


def _reduced(system: Floats) -> Floats:
    """The reduced echelon form of equations whose last column is the right-hand side."""
    rows, at = system.copy(), 0
    for column in range(rows.shape[1] - 1):
        if at == len(rows):
            break
        best = at + int(np.argmax(np.abs(rows[at:, column])))
        if abs(rows[best, column]) < CLOSE:
            continue
        rows[[at, best]] = rows[[best, at]]
        rows[at] /= rows[at, column]
        others = np.arange(len(rows)) != at
        rows[others] -= np.outer(rows[others, column], rows[at])
        at += 1
    return rows


def _raise(column: Column) -> bool:
    """Withhold the smallest printed count too; False where there is none."""
    printed = [group.members for group in column.groups if group.members >= column.threshold]
    column.threshold = min(printed, default=column.threshold - 1) + 1
    return bool(printed)
