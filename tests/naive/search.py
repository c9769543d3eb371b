"""Global recoding by trying every combination of levels over plain rows."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from naive import criteria

FAVOUR = 1e-9
DIVERSITY = ("distinct", "entropy", "recursive")


@dataclass(frozen=True)
class Column:
    """A quasi-identifier: node of each leaf at each level, cost of each node, allowed levels, lost leaves, weight."""

    ancestor: Sequence[Sequence[int]]
    cost: Sequence[Fraction]
    finest: int
    coarsest: int
    lost: frozenset[int] = frozenset()
    weight: Fraction = Fraction(1)


@dataclass(frozen=True)
class Asked:
    """What must hold of a sensitive column: `kind` is distinct, entropy, recursive, equal, ordered or hierarchical."""

    column: int
    kind: str
    value: Any  # l, (c, l) or t
    fold: Mapping[Hashable, Hashable] = field(default_factory=dict)
    order: Sequence[Hashable] = ()
    paths: Mapping[Hashable, Sequence[Hashable]] = field(default_factory=dict)


@dataclass(frozen=True)
class Table:
    """Rows as (leaf codes, unit, sensitive values); `units` whether units count."""

    rows: Sequence[tuple[tuple[int, ...], Hashable, tuple[Hashable, ...]]]
    columns: Sequence[Column]
    units: bool
    k: int
    limit: int
    asked: Sequence[Asked] = ()


Classes = dict[tuple[int, ...], list[int]]


def levels(table: Table) -> Iterator[tuple[int, ...]]:
    return itertools.product(*(range(c.finest, c.coarsest + 1) for c in table.columns))


def classes(table: Table, chosen: Sequence[int]) -> Classes:
    found: Classes = {}
    for i, (codes, _, _) in enumerate(table.rows):
        if not any(code in column.lost for code, column in zip(codes, table.columns, strict=True)):
            found.setdefault(nodes(table, chosen, codes), []).append(i)
    return found


def nodes(table: Table, chosen: Sequence[int], codes: Sequence[int]) -> tuple[int, ...]:
    return tuple(c.ancestor[level][code] for c, level, code in zip(table.columns, chosen, codes, strict=True))


def members(table: Table, rows: Sequence[int]) -> int:
    return len({table.rows[i][1] for i in rows}) if table.units else len(rows)


def histogram(table: Table, rows: Sequence[int], column: int) -> dict[Hashable, Fraction]:
    out: dict[Hashable, Fraction] = {}
    if not table.units:
        for i in rows:
            value = table.rows[i][2][column]
            out[value] = out.get(value, Fraction(0)) + 1
        return out
    held: dict[Hashable, set[Hashable]] = {}
    for i in rows:
        held.setdefault(table.rows[i][1], set()).add(table.rows[i][2][column])
    for values in held.values():
        for value in values:
            out[value] = out.get(value, Fraction(0)) + Fraction(1, len(values))
    return out


def is_diverse(table: Table, rows: Sequence[int], asked: Asked) -> bool:
    counts = criteria.folded(histogram(table, rows, asked.column), asked.fold)
    if asked.kind == "distinct":
        return min(len(counts), members(table, rows) if table.units else len(counts)) >= asked.value
    if asked.kind == "entropy":
        return criteria.exp_entropy(counts) >= asked.value - FAVOUR
    return criteria.recursive_holds(counts, Fraction(str(asked.value[0])), asked.value[1])


def distance(asked: Asked, one: criteria.Histogram, reference: criteria.Histogram) -> Fraction:
    if asked.kind == "equal":
        return criteria.equal_distance(one, reference)
    if asked.kind == "ordered":
        return criteria.ordered_distance(one, reference, asked.order)
    return criteria.hierarchical_distance(one, reference, asked.paths)


def released(table: Table, chosen: Sequence[int]) -> Classes:
    """The classes that stay: k and l first, then those that fail t go together until none fails."""
    kept = {
        key: rows
        for key, rows in classes(table, chosen).items()
        if members(table, rows) >= table.k
        and all(is_diverse(table, rows, a) for a in table.asked if a.kind in DIVERSITY)
    }
    while failing := far(table, kept):
        kept = {key: rows for key, rows in kept.items() if key not in failing}
    return kept


def suppressed(table: Table, kept: Classes) -> int:
    return len(table.rows) - sum(len(rows) for rows in kept.values())


def loss(table: Table, chosen: Sequence[int], kept: Classes, *, weighted: bool = True) -> Fraction:
    """The mean over rows and columns; by weight, or unweighted."""
    weights = [column.weight if weighted else Fraction(1) for column in table.columns]
    total = suppressed(table, kept) * sum(weights, Fraction(0))
    for key, rows in kept.items():
        total += len(rows) * sum(
            (w * c.cost[node] for w, c, node in zip(weights, table.columns, key, strict=True)), Fraction(0)
        )
    most = len(table.rows) * sum(weights, Fraction(0))
    return total / most if most else Fraction(0)


def discernibility(table: Table, kept: Classes) -> int:
    return sum(len(r) ** 2 for r in kept.values()) + len(table.rows) * suppressed(table, kept)


def released_by_profile(table: Table, chosen: Sequence[int]) -> Classes:
    """The classes left when units whose profile fewer than k share leave whole, then those in a class that fails l,
    and, once none does, those in a class that fails t; each time from the start."""
    alive = {unit for _, unit, _ in table.rows}
    while True:
        found = {
            key: stay
            for key, rows in classes(table, chosen).items()
            if (stay := [i for i in rows if table.rows[i][1] in alive])
        }
        profile: dict[Hashable, list[Any]] = {}
        for key, rows in found.items():
            for i in rows:
                profile.setdefault(table.rows[i][1], []).append(key)
        groups: dict[Any, list[Hashable]] = {}
        for unit, keys in profile.items():
            groups.setdefault(tuple(sorted(keys)), []).append(unit)
        leaving = {unit for group in groups.values() if len(group) < table.k for unit in group}
        if not leaving:
            leaving = {
                table.rows[i][1]
                for rows in found.values()
                if not all(is_diverse(table, rows, a) for a in table.asked if a.kind in DIVERSITY)
                for i in rows
            }
        if not leaving:
            leaving = {table.rows[i][1] for key in far(table, found) for i in found[key]}
        if not leaving:
            return found
        alive -= leaving


def far(table: Table, kept: Classes) -> set[tuple[int, ...]]:
    """The classes that fail t against all that are kept."""
    failing = set()
    for asked in (a for a in table.asked if a.kind not in DIVERSITY):
        tables = {key: histogram(table, rows, asked.column) for key, rows in kept.items()}
        reference = criteria.pooled(tables.values())
        failing |= {k for k, h in tables.items() if distance(asked, h, reference) > asked.value + FAVOUR}
    return failing


@dataclass(frozen=True, order=True)
class Best:
    objective: Fraction
    suppressed: int
    levels: tuple[int, ...]


def best(table: Table, objective: str = "loss", *, profiles: bool = False) -> Best | None:
    """The best recoding of all, ties by fewer suppressed rows and lower levels; None if none is within the limit."""
    found = []
    for chosen in levels(table):
        kept = (released_by_profile if profiles else released)(table, chosen)
        gone = suppressed(table, kept)
        if gone <= table.limit:
            found.append(Best(_objective(table, chosen, kept, objective), gone, chosen))
    return min(found, default=None)


def _objective(table: Table, chosen: Sequence[int], kept: Classes, objective: str) -> Fraction:
    if objective == "loss":
        return loss(table, chosen, kept)
    if objective == "discernibility":
        return Fraction(discernibility(table, kept), max(len(table.rows), 1) ** 2)
    return Fraction(len(table.rows), max(len(kept), 1))
