"""Judging the classes of a node: who holds, and how many rows must leave those that cannot hold as they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonym.criteria import ClassHistograms, DistinctL, Ground, KAnonymity, LDiversity, TCloseness
from anonym.hierarchy.model import SensitiveCounts
from anonym.search import kernels
from anonym.search.lattice import Lattice
from anonym.search.problem import Problem

Codes = NDArray[np.int32]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Loose = tuple[Codes, Codes, Floats]  # class or prefix, value, weight
NONE = np.empty(0, np.int32)


@dataclass(frozen=True)
class Asked:
    """What must hold of one sensitive column."""

    column: int  # in `cells.sensitive`
    diversity: tuple[LDiversity, ...]
    closeness: tuple[tuple[TCloseness, Ground], ...]


@dataclass(frozen=True)
class Entries:
    """One sensitive column over the prefixes of one depth: loose entries, and units of several prefixes."""

    prefix: Codes
    value: Codes
    weight: Floats
    unit_start: Ints  # (units in several prefixes + 1,)
    shared_prefix: Codes
    shared_value: Codes


@dataclass(frozen=True)
class Members:
    """Who counts for k over the prefixes of one depth: rows, or units of one prefix and units that lie in several."""

    own: Ints  # (prefixes,)
    unit_start: Ints
    shared_prefix: Codes


@dataclass(frozen=True)
class Judge:
    """The criteria of a problem over the prefixes of its lattice, depth by depth."""

    k: KAnonymity
    asked: tuple[Asked, ...]
    folds: tuple[Codes, ...]  # one an `asked`
    sizes: tuple[int, ...]
    members: tuple[Members, ...]  # one a depth
    entries: tuple[tuple[Entries, ...], ...]  # an `asked`, a depth
    counts_units: bool
    adds_up: bool  # no unit lies in several cells

    def needs_owner(self, depth: int) -> bool:
        """Whether judging classes of the depth needs the class of each prefix, or their sizes alone will do."""
        return bool(self.asked) or self.members[depth].shared_prefix.size > 0

    def count_shared(self, depth: int, owner: Codes, members: Ints) -> None:
        """Add the units that lie in several prefixes to `members` (classes,), which holds the others."""
        shared = self.members[depth]
        if shared.shared_prefix.size:
            kernels.add_shared(shared.unit_start, shared.shared_prefix, owner, members)

    def at_most(self) -> Ints:
        """(entries,) who counts for k: sums over entries are no fewer than those of the class, and may be more."""
        last = self.members[-1]
        if not last.shared_prefix.size:
            return last.own
        return last.own + np.bincount(last.shared_prefix, minlength=last.own.size)

    def diversity(self, diversity: LDiversity, folded: ClassHistograms, members: Ints) -> tuple[Ints | Floats, Bools]:
        """What each class achieves, and whether it holds."""
        if isinstance(diversity, DistinctL):
            units = members if self.counts_units else None
            return diversity.achieved(folded, units), diversity.holds(folded, units)
        return diversity.achieved(folded), diversity.holds(folded)

    def histograms(self, classes: Classes, asked: int) -> ClassHistograms:
        """The column's histogram in each class."""
        entries, size = self.entries[asked][classes.depth], self.sizes[asked]
        of, value, weight = classes.owner[entries.prefix], entries.value, entries.weight
        if entries.shared_prefix.size:
            more = kernels.shared_weights(
                entries.unit_start, entries.shared_prefix, entries.shared_value, classes.owner, size
            )
            of, value, weight = _joined((of, value, weight), more)
        return ClassHistograms.of(of, value, weight, classes.count, size)


@dataclass(frozen=True)
class Classes:
    """The classes of a node: `owner` (prefixes of the depth,) is the class of each prefix, -1 for none."""

    depth: int
    owner: Codes
    rows: Ints
    members: Ints

    @property
    def count(self) -> int:
        return int(self.rows.size)


def settle(judge: Judge, classes: Classes, holds: Bools) -> Bools:
    """Which classes are released: those of `holds` (k) that keep every promise.

    Classes that fail l are dropped at once. Under t all classes that fail against the rows still released are dropped
    together and the reference is recomputed, until none fails.
    """
    tables = [judge.histograms(classes, i) for i in range(len(judge.asked))]
    holds = holds.copy()
    for i, asked in enumerate(judge.asked):
        if asked.diversity:
            folded = tables[i].folded(judge.folds[i])
            for diversity in asked.diversity:
                holds &= judge.diversity(diversity, folded, classes.members)[1]
    while True:
        close = holds.copy()
        for table, asked in zip(tables, judge.asked, strict=True):
            for closeness, ground in asked.closeness:
                close &= closeness.holds(ground.distances(table, table.pooled(holds)))
        if np.array_equal(close, holds):
            return holds
        holds = close


def least_removal(judge: Judge, classes: Classes, holds: Bools, budget: int) -> Floats:
    """The least rows (classes,) that must leave each class of `holds` (k) for a refinement to release the rest.

    inf: the class is lost to every refinement. `budget` is the number of rows that may still be suppressed in all.
    Where units lie in several classes their weights do not add up: what needs more values than a class has is lost
    whatever they weigh, and nothing else cuts.
    """
    removal = np.where(holds, 0.0, np.inf)
    tables = [judge.histograms(classes, i) for i in range(len(judge.asked))]
    for i, asked in enumerate(judge.asked):
        if asked.diversity:
            folded = tables[i].folded(judge.folds[i])
            for diversity in asked.diversity:
                removal = np.maximum(removal, _diversity_removal(judge, diversity, folded, classes.members))
    if judge.adds_up:
        keep = np.isfinite(removal)
        left = budget - int(classes.rows[holds & ~keep].sum())
        for table, asked in zip(tables, judge.asked, strict=True):
            for closeness, ground in asked.closeness:
                removal = np.maximum(removal, closeness.least_removal(table, ground, keep, max(left, 0)))
    return removal


def _diversity_removal(judge: Judge, diversity: LDiversity, folded: ClassHistograms, members: Ints) -> Floats:
    if isinstance(diversity, DistinctL):
        return diversity.least_removal(folded, members if judge.counts_units else None)
    removal = diversity.least_removal(folded)
    return removal if judge.adds_up else np.where(np.isinf(removal), np.inf, 0.0)


def judge_of(problem: Problem, lattice: Lattice, grounds: dict[int, tuple[Ground, ...]]) -> Judge:
    """`grounds` holds, for each entry of `problem.closeness`, in order, its ground distance."""
    columns = sorted({i for i, _ in problem.diversity} | {i for i, _ in problem.closeness})
    asked = []
    for column in columns:
        diversity = tuple(d for i, d in problem.diversity if i == column)
        closeness = [c for i, c in problem.closeness if i == column]
        asked.append(Asked(column, diversity, tuple(zip(closeness, grounds.get(column, ()), strict=True))))
    cells = problem.cells
    return Judge(
        k=KAnonymity(problem.k),
        asked=tuple(asked),
        folds=tuple(cells.sensitive[a.column].fold for a in asked),
        sizes=tuple(cells.sensitive[a.column].size for a in asked),
        members=_members(problem, lattice),
        entries=tuple(_entries(cells.sensitive[a.column], lattice) for a in asked),
        counts_units=cells.units is not None,
        adds_up=cells.shared_unit.size == 0,
    )


def _members(problem: Problem, lattice: Lattice) -> tuple[Members, ...]:
    """Who counts, at every depth: built from the deepest up, each depth from the one below."""
    cells = problem.cells
    if cells.units is None:
        return tuple(Members(depth.rows, np.zeros(1, np.int64), NONE) for depth in lattice.depths)
    own = np.zeros(lattice.depths[-1].count, np.int64)
    np.add.at(own, lattice.entry[lattice.alive], cells.units[lattice.alive])
    unit, prefix, _ = _distinct(cells.shared_unit, lattice.entry[cells.shared_cell], NONE)
    found: list[Members] = []
    for depth in reversed(lattice.depths):
        several = _in_several(unit, prefix)
        np.add.at(own, prefix[~several], 1)
        unit, prefix = unit[several], prefix[several]
        found.append(Members(own, _starts(unit), prefix))
        if depth is not lattice.depths[0]:
            above = lattice.depths[len(lattice.depths) - 1 - len(found)]
            own = np.add.reduceat(own, above.first_child[:-1]) if above.count else own
            unit, prefix, _ = _distinct(unit, above.parents()[prefix], NONE)
    return tuple(reversed(found))


def _entries(sensitive: SensitiveCounts, lattice: Lattice) -> tuple[Entries, ...]:
    """The column at every depth: built from the deepest up, each depth from the one below."""
    # copies: a read-only array would be another type to Numba, and compiled anew
    loose = (lattice.entry[sensitive.cell], np.array(sensitive.value, np.int32), np.array(sensitive.weight, np.float64))
    triples = _distinct(sensitive.shared_unit, lattice.entry[sensitive.shared_cell], sensitive.shared_value)
    found: list[Entries] = []
    for index in reversed(range(len(lattice.depths))):
        depth = lattice.depths[index]
        if index + 1 < len(lattice.depths):
            parents = depth.parents()
            loose = (parents[loose[0]], loose[1], loose[2])
            triples = _distinct(triples[0], parents[triples[1]], triples[2])
        several = _in_several(*triples[:2])
        if not several.all():
            loose = _joined(loose, _alone(triples, ~several, depth.count, sensitive.size))
        table = ClassHistograms.of(*loose, depth.count, sensitive.size)
        of = np.repeat(np.arange(depth.count, dtype=np.int32), np.diff(table.start))
        loose = (of, table.value, table.weight)
        triples = (triples[0][several], triples[1][several], triples[2][several])
        found.append(Entries(*loose, _starts(triples[0]), triples[1], triples[2]))
    return tuple(reversed(found))


def _joined(first: Loose, second: Loose) -> Loose:
    return (
        np.concatenate([first[0], second[0]]),
        np.concatenate([first[1], second[1]]),
        np.concatenate([first[2], second[2]]),
    )


def _alone(triples: tuple[Codes, Codes, Codes], chosen: Bools, prefixes: int, size: int) -> Loose:
    """Loose entries of the units that lie in one prefix only."""
    unit, prefix, value = (column[chosen] for column in triples)
    return kernels.shared_weights(_starts(unit), prefix, value, np.arange(prefixes, dtype=np.int32), size)


def _distinct(unit: Codes, prefix: Codes, value: Codes) -> tuple[Codes, Codes, Codes]:
    """Distinct (unit, prefix, value) triples of living prefixes, sorted; without values (unit, prefix) pairs."""
    alive = prefix >= 0
    columns = [unit[alive], prefix[alive], *([value[alive]] if value.size else [])]
    order = np.lexsort(columns[::-1])
    columns = [column[order] for column in columns]
    new = np.ones(order.size, np.bool_)
    if order.size:
        new[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    unit, prefix = columns[0][new], columns[1][new]
    return unit, prefix, columns[2][new] if value.size else NONE


def _in_several(unit: Codes, prefix: Codes) -> Bools:
    """Which entries, sorted by unit and prefix, belong to a unit with more than one prefix."""
    if not unit.size:
        return np.zeros(0, np.bool_)
    first = _starts(unit)[:-1]
    several = np.minimum.reduceat(prefix, first) != np.maximum.reduceat(prefix, first)
    result: Bools = np.repeat(several, np.diff(_starts(unit)))
    return result


def _starts(unit: Codes) -> Ints:
    """(distinct units + 1,): where each unit begins in a sorted array."""
    new = np.flatnonzero(np.append(True, unit[1:] != unit[:-1])) if unit.size else np.empty(0, np.int64)
    return np.append(new, unit.size).astype(np.int64)
