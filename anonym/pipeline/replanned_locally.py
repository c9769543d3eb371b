"""A new batch under a secret plan: a listed combination goes to the classes it went to, all others are suppressed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.columns.keys import Keyring
from anonym.errors import CallError, GuaranteeError, InputError, type_name
from anonym.hierarchy import encode
from anonym.hierarchy.build import build
from anonym.hierarchy.cells import coded_cells
from anonym.hierarchy.ends import STAR
from anonym.hierarchy.model import Auto, Hierarchy, Identity
from anonym.io import Source, guarded
from anonym.pipeline.local_recoding import CLASS, CodedRecords, LocalRecoding, coded_records, sensitive_values
from anonym.pipeline.profile import Profile
from anonym.pipeline.recoding import Found
from anonym.pipeline.replanned import same_hierarchy
from anonym.pipeline.solve import state
from anonym.pipeline.uniting import Earlier, candidates, failing_together
from anonym.policy.model import Form, Policy, Quasi
from anonym.policy.resolve import ResolvedColumn
from anonym.report.figures import plural
from anonym.search.global_ import solve
from anonym.search.local.records import SUPPRESSED, LocalSolution, Parts, Records, SetColumn
from anonym.search.local.release import Released, cell_costs, loss
from anonym.search.problem import Problem
from anonym.search.secret_plan import KINDS, SecretPlan

FOLLOWED = "the classes of an earlier secret plan"
WORD = 64
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class FollowedRecoding(LocalRecoding):
    """The classes of a secret plan that hold in this batch, released as they were then."""

    secret: SecretPlan = field(kw_only=True)
    chosen: Ints = field(kw_only=True)  # (classes,) the plan's class of each
    unlisted: int = field(kw_only=True)  # rows of combinations that the plan does not list

    @property
    def found(self) -> Found:
        return replace(super().found, bound=None)

    def tables(self, column: int, form: Form) -> dict[str, pl.Series]:
        """As the plan has them; a representative stands for the rows of its own batch."""
        if form == "representative":
            return super().tables(column, form)
        name = self.problem.hierarchies[column].column
        names = (f"{name}_low", f"{name}_high") if form == "bounds" else (name,)
        return {released: self.secret.classes[released].gather(self.chosen) for released in names}

    def starred(self, column: int) -> NDArray[np.bool_]:
        name, cells = self.problem.hierarchies[column].column, self.secret.cells
        if f"level:{name}" in cells.columns:
            return super().starred(column)
        members = f"members:{name}" in cells.columns
        is_star = cells[f"members:{name}"].is_null() if members else cells[f"kind:{name}"] == KINDS["star"]
        return is_star.gather(self.chosen).to_numpy()

    def told(self) -> dict[str, Any]:
        """What the evidence says of the plan."""
        return {"use": "followed", "sha256": self.secret.sha256, "combinations": self.secret.count}


def held_to(secret: SecretPlan, columns: Sequence[ResolvedColumn]) -> tuple[ResolvedColumn, ...]:
    """The columns, `auto` hierarchies as they were drawn up for the plan.

    Raises CallError where the plan is of other quasi-identifiers, InputError where one is of another type now.
    """
    known = secret.combinations.schema
    if {column.name for column in columns if isinstance(column.role, Quasi)} != set(known):
        raise CallError("the plan is of another table: its quasi-identifiers are others")
    return tuple(
        _held(column, column.role, known[column.name], secret) if isinstance(column.role, Quasi) else column
        for column in columns
    )


def _held(column: ResolvedColumn, quasi: Quasi, then: pl.DataType, secret: SecretPlan) -> ResolvedColumn:
    now = encode.canonical_type(column.dtype)
    if now != then:
        raise InputError(
            f"column {column.name}: it was {type_name(then)} when the secret plan was made, and is {type_name(now)} "
            "now: bring the batch into the plan's type (of CSV: input.types), or make a new plan"
        )
    if not isinstance(quasi.hierarchy, Auto):
        return column
    drawn = secret.drawn[column.name]  # what it does not cover, no class has
    return replace(column, role=replace(quasi, hierarchy=drawn, uncovered="suppress"))


def unmerged(policy: Policy) -> Policy:
    """The policy as a profile is to see it: combinations are looked up, and must not be merged."""
    return replace(policy, search=replace(policy.search, strategy="local"))


def follow(
    policy: Policy, seen: Profile, source: Source, secret: SecretPlan, earlier: Earlier | None, keyring: Keyring
) -> FollowedRecoding | None:
    """The plan's classes, less those that do not hold in this batch (or, under `batch: union`, with the earlier ones).

    Raises CallError where a hierarchy is not the one of the plan, GuaranteeError where more rows than allowed would be
    suppressed, or where what was released before would not hold.
    """
    listed = {column.name: column for column in secret.plan.columns}
    seen = replace(seen, hierarchies=tuple(same_hierarchy(h, listed[h.column]) for h in seen.hierarchies))
    problem = state(policy, seen)
    if problem is None:
        return None
    coded = coded_records(seen, source, policy.unit)
    parts, unlisted = allotted(secret, problem.hierarchies, coded.records)
    unlisted += problem.lost
    found = _recoding(problem, seen, coded, secret, parts, unlisted)
    if earlier is None:
        failing = _failing(seen, problem, coded, parts)
    else:
        new = candidates(policy, seen, source, found, keyring)
        failing = _classes_of(secret, failing_together(policy, seen, problem, new, earlier))
    if failing.size:
        left = np.where(np.isin(parts.cls, failing), SUPPRESSED, parts.cls).astype(np.int32)
        found = _recoding(problem, seen, coded, secret, replace(parts, cls=left), unlisted)
    return _within_limit(found)


def allotted(secret: SecretPlan, hierarchies: Sequence[Hierarchy], records: Records) -> tuple[Parts, int]:
    """Which rows of each record go to which class of the plan, and the rows of combinations that it does not list.

    Of a combination with several classes, each takes the share of its rows that it took then, in the order of their
    records; as many rows as then are shared out just as then.
    """
    combination = _combinations(secret, hierarchies, records)
    row = np.repeat(np.arange(records.count), records.rows)
    of_row = combination[row]
    is_listed = of_row >= 0
    cls = np.full(row.size, SUPPRESSED, np.int32)
    cls[is_listed] = _shared_out(secret, of_row[is_listed])
    fresh = np.append(True, (row[1:] != row[:-1]) | (cls[1:] != cls[:-1]))[: row.size]
    first = np.flatnonzero(fresh)
    rows = np.diff(first, append=row.size)
    return Parts(row[first], cls[first], rows), int(row.size - is_listed.sum())


def _combinations(secret: SecretPlan, hierarchies: Sequence[Hierarchy], records: Records) -> Ints:
    """(records,) the plan's combination with the raw values of each, -1 where there is none."""
    raw = pl.DataFrame(
        {h.column: h.domain.gather(records.codes[:, j].astype(np.int64)) for j, h in enumerate(hierarchies)}
    )
    known = secret.combinations.select(raw.columns).with_row_index(CLASS)
    found = raw.join(known, on=raw.columns, how="left", nulls_equal=True, maintain_order="left")[CLASS]
    return found.cast(pl.Int64).fill_null(-1).to_numpy()


def _shared_out(secret: SecretPlan, combination: Ints) -> NDArray[np.int32]:
    """(rows,) the class of each row by its combination; equal ones are side by side."""
    shares = secret.shares
    total = np.bincount(shares["combination"].to_numpy(), shares["rows"].to_numpy(), secret.count).astype(np.int64)
    start = np.append(0, np.cumsum(total))[:-1]
    now = np.bincount(combination, minlength=secret.count)
    first = np.flatnonzero(np.diff(combination, prepend=-1))
    place = np.arange(combination.size) - np.repeat(first, np.diff(first, append=combination.size))
    then = (2 * place + 1) * total[combination] // (2 * now[combination])  # the middle of a row, on the plan's scale
    share = np.searchsorted(np.cumsum(shares["rows"].to_numpy()), start[combination] + then, side="right")
    cls: NDArray[np.int32] = shares["class"].fill_null(SUPPRESSED).cast(pl.Int32).to_numpy()
    of_row: NDArray[np.int32] = cls[share]
    return of_row


def _recoding(
    problem: Problem, seen: Profile, coded: CodedRecords, secret: SecretPlan, parts: Parts, unlisted: int
) -> FollowedRecoding:
    """The recoding of parts whose classes are numbered as in the plan; classes without rows are left out."""
    kept = parts.cls != SUPPRESSED
    chosen, number = np.unique(parts.cls[kept], return_inverse=True)
    cls = np.full(parts.cls.size, SUPPRESSED, np.int32)
    cls[kept] = number
    numbered = replace(parts, cls=cls)
    rows = np.bincount(number, weights=parts.rows[kept], minlength=chosen.size).astype(np.int64)
    nodes, sets = _cells(problem, coded.records, secret, chosen, numbered)
    costs = [cell_costs(h, nodes[:, j], sets.get(j)) for j, h in enumerate(problem.hierarchies)]
    released = Released(nodes, sets, rows, np.stack(costs, axis=1))
    gone = problem.rows - int(rows.sum())
    solution = LocalSolution(
        nodes, sets, rows, released.costs, numbered, gone, loss(problem, released), 0.0, 1, cpu_s=0.0, compile_s=0.0
    )
    return FollowedRecoding(
        problem, seen, coded, solution, FOLLOWED, secret=secret, chosen=chosen.astype(np.int64), unlisted=unlisted
    )


def _cells(
    problem: Problem, records: Records, secret: SecretPlan, chosen: Ints, parts: Parts
) -> tuple[NDArray[np.int32], dict[int, SetColumn]]:
    """The nodes and sets of the plan's classes over the values of this batch."""
    nodes = np.full((chosen.size, len(problem.hierarchies)), -1, np.int32)
    sets: dict[int, SetColumn] = {}
    for j, hierarchy in enumerate(problem.hierarchies):
        if f"level:{hierarchy.column}" in secret.cells.columns:
            nodes[:, j] = _nodes(hierarchy, records.codes[:, j], secret, chosen, parts)
        else:
            sets[j] = _set(hierarchy, secret.cells, chosen)
    return nodes, sets


def _nodes(
    hierarchy: Hierarchy, leaf: NDArray[np.int32], secret: SecretPlan, chosen: Ints, parts: Parts
) -> NDArray[np.int32]:
    """(classes,) the node at the plan's level over the rows of each class. Raises CallError where that is another."""
    levels = secret.cells[f"level:{hierarchy.column}"].gather(chosen).to_numpy()
    kept = parts.cls != SUPPRESSED
    cls, under = parts.cls[kept], leaf[parts.record[kept]]
    found = np.zeros(chosen.size, np.int32)
    node = hierarchy.ancestor[np.minimum(levels[cls], hierarchy.levels - 1), under]
    found[cls] = node
    printed = hierarchy.labels.gather(found.astype(np.int64))
    if (found[cls] != node).any() or not printed.equals(secret.classes[hierarchy.column].gather(chosen)):
        raise CallError(f"column {hierarchy.column}: its hierarchy gives other labels than those of the plan")
    return found


def _set(hierarchy: Hierarchy, cells: pl.DataFrame, chosen: Ints) -> SetColumn:
    """The values of this batch that lie in the cells of a form other than `label`."""
    name, values = hierarchy.column, hierarchy.domain.drop_nulls()
    if f"members:{name}" in cells.columns:
        return SetColumn(members=_members(hierarchy, cells[f"members:{name}"].gather(chosen)))
    kind, low, high = (cells[f"{part}:{name}"].gather(chosen) for part in ("kind", "low", "high"))
    first = np.where(low.is_null(), 0, values.search_sorted(low, side="left").to_numpy())
    last = np.where(high.is_null(), len(values), values.search_sorted(high, side="right").to_numpy()) - 1
    is_star, is_alone = (kind == KINDS["star"]).to_numpy(), (kind == KINDS["alone"]).to_numpy()
    low_code, high_code = (
        np.where(is_star, STAR, np.where(is_alone, len(values), end)).astype(np.int32) for end in (first, last)
    )
    return SetColumn(low_code, high_code)


def _members(hierarchy: Hierarchy, members: pl.Series) -> NDArray[np.uint64]:
    """(classes, words) a bit for each value of this batch that is a member; all of them where `members` is null."""
    bits = np.zeros((len(members), -(-hierarchy.leaves // WORD) * WORD), np.bool_)
    leaves = pl.DataFrame({"value": hierarchy.domain}).with_row_index("leaf")
    held = pl.DataFrame({"value": members}).with_row_index("owner").filter(pl.col("value").is_not_null())
    pairs = held.explode("value").join(leaves, on="value", nulls_equal=True)
    bits[pairs["owner"].to_numpy(), pairs["leaf"].to_numpy()] = True
    bits[members.is_null().to_numpy(), : hierarchy.leaves] = True
    return np.packbits(bits, axis=1, bitorder="little").view(np.uint64)


def _failing(seen: Profile, problem: Problem, coded: CodedRecords, parts: Parts) -> NDArray[np.int32]:
    """The plan's classes that do not keep the promise in this batch, the reference of t without them."""
    kept, records = parts.cls != SUPPRESSED, coded.records
    at = np.repeat(np.flatnonzero(kept), parts.rows[kept])
    if not at.size:
        return np.empty(0, np.int32)
    record = parts.record[at]
    values = sensitive_values(seen)
    rows = {name: one.gather(records.sensitive[record, i]) for i, (name, one) in enumerate(values.items())}
    unit = {} if records.unit is None or coded.unit is None else {coded.unit[0]: pl.Series(records.unit[record])}
    frame = pl.LazyFrame({**rows, **unit, CLASS: parts.cls[at]})
    with guarded("judging the plan's classes in this batch"):
        classes = build(CLASS, Identity(), encode.domain(frame, CLASS, pl.Int32())["value"], coarsest=0)
        cells = coded_cells(frame, (classes,), values, next(iter(unit), None)).cells
    total = cells.total_rows
    alone = Problem(
        cells, (classes,), problem.k, total, total, diversity=problem.diversity, closeness=problem.closeness
    )
    failing: NDArray[np.int32] = classes.domain.to_numpy()[cells.codes[~solve(alone).kept, 0]]
    return failing


def _classes_of(secret: SecretPlan, labels: pl.DataFrame) -> NDArray[np.int32]:
    """The plan's classes with these labels."""
    found = secret.classes.with_row_index(CLASS).join(labels, on=labels.columns, how="semi", nulls_equal=True)
    return found[CLASS].cast(pl.Int32).to_numpy()


def _within_limit(found: FollowedRecoding) -> FollowedRecoding:
    gone, limit, rows = found.solution.suppressed_rows, found.problem.limit, found.problem.rows
    if gone <= limit:
        return found
    raise GuaranteeError(
        f"under the secret plan {plural(gone, 'row')} of {rows:,} would have to be suppressed, and {limit:,} may be: "
        f"{found.unlisted:,} ({found.unlisted / rows:.1%}) have combinations of values that the plan does not list, "
        f"{gone - found.unlisted:,} were given up or are in classes that do not hold here. Raise "
        "guarantee.suppression.max, wait for a larger batch, or make a new plan without --plan"
    )
