"""What printed counts of several columns tell together: sums that the columns have in common, and what follows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement, pairwise
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Shared = tuple[int, int, Ints, Ints]
"""Two columns, and the groups of each that hold the same rows."""
Equation = list[tuple[int, int, float]]
"""Terms as (column, group, factor) that add up to 0, whatever the counts of the cells are."""
CLOSE = 1e-6
NULL = 1e-5  # eigenvalues of counts of cells; to take a small one for 0 withholds more than it must
ROUNDS = 100
MOST = 500  # groups that are solved for: 0.1 s a try; beyond, columns that tell of each other are not printed together
MOST_RELATED = 1000  # groups among which sums over more than two columns are looked for: 2 s
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

    What follows is by the linear equations of the print, of counts that are not negative: each column's total, the sums
    over groups of two columns that hold the same rows (a state, and its ZIP codes), and every further equation between
    the groups of several columns (those abroad are the visitors and the emigrants). Where that does not come to an end,
    only the first of the columns that tell of each other is printed. Bounds that follow from one group lying inside
    another alone are not looked for.
    """
    pairs = combinations(range(len(columns)), 2)
    shared = [(a, b, *sides) for a, b in pairs for sides in _sums(columns[a], columns[b])]
    equations = [*map(_equal_sums, shared), *_relations(columns)]
    tied = sorted({place for equation in equations for place, *_ in equation})
    if sum(len(columns[place].groups) for place in tied) <= MOST:
        for _ in range(TRIES):
            told = _told(columns, equations, tied, k)
            if not told:
                return list(columns)
            raised = [_raise(columns[place]) for place in told]
            for place in tied if not any(raised) else ():
                _raise(columns[place])
    return [column for place, column in enumerate(columns) if place not in tied[1:]]


def _sums(one: Column, other: Column) -> Iterator[tuple[Ints, Ints]]:
    """Groups of the two columns that hold the same cells, where these are not all cells."""
    met = _met(one, other) > 0
    left = met.any(axis=1)
    while left.any():
        rows: NDArray[np.bool_] = np.zeros(len(met), np.bool_)
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


def _equal_sums(shared: Shared) -> Equation:
    a, b, ours, theirs = shared
    return [*((a, int(at), 1.0) for at in ours), *((b, int(at), -1.0) for at in theirs)]


def _relations(columns: Sequence[Column]) -> Iterator[Equation]:
    """Equations that hold between the groups of several columns whatever the counts of the cells are, but for totals.

    They are the vectors that the table of groups and cells takes to 0, so those of its Gram matrix: in how many cells
    two groups meet.
    """
    ends = np.cumsum([0, *(len(column.groups) for column in columns)])
    if len(columns) < 3 or ends[-1] > MOST_RELATED:
        return
    size, vectors = np.linalg.eigh(_meetings(columns))
    null = vectors[:, size < NULL].T
    totals = np.zeros((len(null), 1))
    for start, end in pairwise(ends):  # what all groups of a column have in common is a multiple of the total
        totals += null[:, end - 1 : end]
        null[:, start:end] -= null[:, end - 1 : end].copy()
    for row in _reduced(np.hstack([null, totals])):
        factors = [row[start:end] for start, end in pairwise(ends)]
        tied = [place for place, found in enumerate(factors) if (np.abs(found) > CLOSE).any()]
        for place in tied[:1]:
            factors[place] = factors[place] + row[-1]  # the total, as the sum of this column
        yield [(place, at, float(factor)) for place in tied for at, factor in enumerate(factors[place])]


def _meetings(columns: Sequence[Column]) -> Floats:
    """(groups, groups) in how many cells two groups meet, column after column."""
    ends = np.cumsum([0, *(len(column.groups) for column in columns)])
    found = np.zeros((ends[-1], ends[-1]))
    for one, other in combinations_with_replacement(range(len(columns)), 2):
        ours, theirs = (slice(*ends[place : place + 2]) for place in (one, other))
        found[ours, theirs] = met = _met(columns[one], columns[other])
        found[theirs, ours] = met.T
    return found


def _met(one: Column, other: Column) -> Ints:
    """(groups of one, groups of the other) in how many cells they meet."""
    assert one.place is not None
    assert other.place is not None
    size = len(one.groups), len(other.groups)
    return np.bincount(one.place * size[1] + other.place, minlength=size[0] * size[1]).reshape(size)


def _told(columns: Sequence[Column], equations: Sequence[Equation], tied: list[int], k: int) -> set[int]:
    """The columns in which a withheld count below k is determined."""
    unknown = [(place, at) for place in tied for at, gone in enumerate(columns[place].withheld()) if gone]
    number = {pair: index for index, pair in enumerate(unknown)}
    totals: list[Equation] = [[(place, at, 1.0) for at in range(len(columns[place].groups))] for place in tied]
    total = sum(group.rows for group in columns[tied[0]].groups) if tied else 0
    system = np.zeros((len(totals) + len(equations), len(unknown) + 1))
    system[: len(totals), -1] = total  # which is printed, exact
    for row, terms in zip(system, [*totals, *equations], strict=True):
        for place, at, factor in terms:
            if (place, at) in number:
                row[number[place, at]] += factor
            else:
                row[-1] -= factor * columns[place].groups[at].rows
    known = _determined(system) if len(system) else set()
    return {place for index in known for place, at in [unknown[index]] if columns[place].groups[at].members < k}


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
