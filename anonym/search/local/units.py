"""Units in local recoding: a class counts each of its units once, however many of the unit's rows it has.

Moves know rows only. So what is searched are the distinct tuples of each unit, a row each, which is right wherever no
unit has two of them in a class. Classes that then hold too few units, or fall short of l or t by the units' weights,
are joined with their neighbours along an order of the table until all hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonym.criteria import ClassHistograms, DistinctL, Ground
from anonym.search.local.records import SUPPRESSED, Records
from anonym.search.local.release import Entries, Released, released
from anonym.search.local.space import Layout
from anonym.search.problem import Problem

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Grounds = Mapping[int, tuple[Ground, ...]]


@dataclass(frozen=True)
class Pairs:
    """The distinct (tuple, unit) pairs of sorted records: each as a record of one row, with its first values."""

    of_record: Ints
    records: Records


def pairs_of(records: Records) -> Pairs:
    """`records` must be sorted by code; they have units."""
    assert records.unit is not None
    key = np.concatenate([records.codes, records.unit[:, None]], axis=1)
    _, first, of_record = np.unique(key, axis=0, return_index=True, return_inverse=True)
    one = np.ones(first.size, np.int64)
    chosen = Records(records.codes[first], records.sensitive[first], one, records.unit[first])
    return Pairs(of_record.reshape(-1).astype(np.int64), chosen)


def settled(
    problem: Problem, grounds: Grounds, records: Records, layout: Layout, cls: Ints, place: Ints
) -> tuple[Released, Ints]:
    """What is released and the class of each record, SUPPRESSED where a whole part does not hold.

    `cls` (records,) is the class of each record, `place` (tuples,) where each tuple stands in the order of the table.
    """
    part = layout.space.part[layout.tuple_of].astype(np.int64)
    while True:
        kept = cls != SUPPRESSED
        cls, part_of = _ranked(cls, kept, part, place[layout.tuple_of])
        entries = Entries.of(cls[kept], layout.tuple_of[kept], records.rows[kept])
        release, _, number = released(problem, records, layout, entries)
        group = np.where(kept, np.append(number, SUPPRESSED)[cls], SUPPRESSED)
        holds = holding(problem, grounds, records, group, release.rows.size)
        if holds.all():
            return release, group
        joined = _joined(~holds[number], part_of)
        cls = np.append(joined, SUPPRESSED)[cls]


def holding(problem: Problem, grounds: Grounds, records: Records, group: Ints, groups: int) -> Bools:
    """(groups,) which groups of records keep every promise, each unit weighing 1 in a group."""
    assert records.unit is not None
    kept = group != SUPPRESSED
    held = np.unique(np.stack([group[kept], records.unit[kept].astype(np.int64)]), axis=1)
    units = np.bincount(held[0], minlength=groups).astype(np.int64)
    holds: Bools = units >= problem.k
    for column, asked in problem.diversity:
        folded = _histograms(problem, records, group, groups, column).folded(problem.cells.sensitive[column].fold)
        holds &= asked.holds(folded, units) if isinstance(asked, DistinctL) else asked.holds(folded)
    used: dict[int, int] = {}
    for column, closeness in problem.closeness:
        table = _histograms(problem, records, group, groups, column)
        ground = grounds[column][used.get(column, 0)]
        used[column] = used.get(column, 0) + 1
        holds &= closeness.holds(ground.distances(table, table.pooled(np.ones(groups, np.bool_))))
    return holds


def _histograms(problem: Problem, records: Records, group: Ints, groups: int, column: int) -> ClassHistograms:
    """A unit weighs 1 in a group, shared equally over its distinct values there."""
    assert records.unit is not None
    kept = group != SUPPRESSED
    value = records.sensitive[kept, column].astype(np.int64)
    triples = np.unique(np.stack([group[kept], records.unit[kept].astype(np.int64), value]), axis=1)
    pair = np.unique(triples[:2], axis=1, return_inverse=True)[1].reshape(-1)
    weight = 1.0 / np.bincount(pair)[pair] if pair.size else np.empty(0)
    size = problem.cells.sensitive[column].size
    return ClassHistograms.of(triples[0].astype(np.int32), triples[2].astype(np.int32), weight, groups, size)


def _ranked(cls: Ints, kept: Bools, part: Ints, place: Ints) -> tuple[Ints, Ints]:
    """Classes numbered from 0 along the order of the table, those of a part together; the part of each."""
    numbers, at = np.unique(cls[kept], return_inverse=True)
    first = np.full(numbers.size, np.iinfo(np.int64).max)
    np.minimum.at(first, at.reshape(-1), place[kept])
    part_of = np.zeros(numbers.size, np.int64)
    part_of[at.reshape(-1)] = part[kept]
    order = np.lexsort((first, part_of))
    rank = np.empty(numbers.size, np.int64)
    rank[order] = np.arange(numbers.size)
    ranked = np.full(cls.size, SUPPRESSED, np.int64)
    ranked[kept] = rank[at.reshape(-1)]
    return ranked, part_of[order]


def _joined(fails: Bools, part_of: Ints) -> Ints:
    """The new class of each: failing neighbours two by two, a single one with its next (in the end with the one
    before); SUPPRESSED where a part has but one class and that fails."""
    count = fails.size
    same = np.append(part_of[1:] == part_of[:-1], False)  # as the next
    at = np.arange(count)
    goes_on = fails & np.append(False, fails[:-1] & same[:-1])
    turn = at - np.maximum.accumulate(np.where(goes_on, 0, at))
    joins = fails & (turn % 2 == 0) & same
    is_end = fails & (turn % 2 == 0) & ~same
    before = np.flatnonzero(is_end & np.append(False, same[:-1])) - 1
    joins[before] = True
    alone = is_end & ~np.append(False, same[:-1])
    joined = np.cumsum(np.append(True, ~joins[:-1])) - 1
    return np.where(alone, SUPPRESSED, joined)
