"""`batch: union`: a new batch whose classes hold together with those of the files that were released before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.columns.keys import Keyring
from anonym.errors import CallError, GuaranteeError, InputError
from anonym.hierarchy import encode
from anonym.hierarchy.build import build
from anonym.hierarchy.cells import coded_cells
from anonym.hierarchy.model import Hierarchy, Identity, Suppress
from anonym.io import Source, guarded, written
from anonym.pipeline.profile import Profile
from anonym.pipeline.recoding import GlobalRecoding, Recoding
from anonym.pipeline.reported import PLAN, hashes_of
from anonym.pipeline.solve import state
from anonym.pipeline.transform import transform
from anonym.policy.model import Identifier, Policy, Quasi, Sensitive
from anonym.report.figures import plural
from anonym.search.global_ import solve
from anonym.search.loss import ncp
from anonym.search.plan import Plan
from anonym.search.problem import Problem, Solution
from anonym.search.secret_plan import SecretPlan
from anonym.verify.facts import Facts
from anonym.verify.measure import Measured, measure
from anonym.verify.rows import MARK

BATCH = "\x00batch"
NEW, OLD = 0, 1
WHY = "the levels of an earlier plan, its classes judged together with the files released before"


@dataclass(frozen=True)
class Earlier:
    """Released files of the same policy and plan, as one frame; masked rows are in no class."""

    frame: pl.LazyFrame
    rows: int
    sha256: tuple[str, ...]

    def evidence(self) -> dict[str, object]:
        return {"kind": "union", "files": len(self.sha256), "rows": self.rows, "sha256": list(self.sha256)}


def refuse_unasked(
    policy: Policy, plan: Plan | SecretPlan | None, earlier: Sequence[Path], *, is_repeated: bool = False
) -> None:
    """Raises CallError where earlier files are given to a policy or a run that has no use for them, or lack where the
    policy needs them. A run `is_repeated` that had none needs none.
    """
    if earlier and policy.batch != "union":
        raise CallError("earlier files count only under `batch: union`: say so in the policy, or leave them out")
    if earlier and plan is None:
        raise CallError("earlier files count only under their plan, whose classes are theirs: name it with --plan")
    if plan is not None and policy.batch == "union" and not (earlier or is_repeated):
        raise CallError(
            "`batch: union` under an earlier plan needs the files released before: name them with --earlier"
        )


def read_earlier(
    paths: Sequence[Path], plan: Plan | None, schema: Mapping[str, pl.DataType], policy: Policy
) -> Earlier | None:
    """The files released before, or None where there are none.

    Raises CallError for a file named twice, InputError for one of other columns, with a label that the plan lacks, or
    whose tokens are not known to be of the plan's key.
    """
    if not paths or plan is None:
        return None
    with guarded("reading the files released before"):
        hashes = hashes_of(paths)
    quoted = policy.formulas == "quote"
    for path in paths:
        _refuse_another(path, plan, schema, quoted=quoted)
        _refuse_another_key(path, plan, policy.unit)
    frame = pl.concat(_released(path, schema, quoted=quoted) for path in paths)
    with guarded("counting the rows released before"):
        rows = int(frame.select(pl.len()).collect().item())
    return Earlier(frame, rows, hashes)


def _released(path: Path, schema: Mapping[str, pl.DataType], *, quoted: bool) -> pl.LazyFrame:
    frame = written(path, schema, quoted=quoted)
    return frame.filter(~pl.col(MARK)).drop(MARK) if MARK in schema else frame


def _refuse_another(path: Path, plan: Plan, schema: Mapping[str, pl.DataType], *, quoted: bool) -> None:
    with guarded(f"reading the earlier file {path.name}"):
        if dict(written(path, schema).collect_schema()) != dict(schema):
            raise InputError(f"{path.name} has other columns than this release: it is of another policy")
        frame = _released(path, schema, quoted=quoted)
        for column in plan.columns:
            nodes = pl.Series(column.nodes, dtype=pl.String).implode()
            strange = frame.select((~pl.col(column.name).is_in(nodes, nulls_equal=True)).sum()).collect().item()
            if strange:
                raise InputError(
                    f"{path.name}: {strange} rows have labels in column {column.name} that the plan does not list: "
                    "it was not released under this plan"
                )


def _refuse_another_key(path: Path, plan: Plan, unit: str | None) -> None:
    """Raises InputError where the plan beside an earlier file names other keys, or there is none to tell by which key
    units were named: under two keys one unit would count twice.
    """
    beside = path.with_name(path.stem + PLAN)
    if not beside.is_file():
        if unit in plan.keys:
            raise InputError(
                f"{path.name}: its plan, {beside.name}, is not beside it, and only that tells under which key units "
                "were named: put it there"
            )
        return
    with guarded(f"reading the plan beside {path.name}"):
        text = beside.read_text(encoding="utf-8")
    if Plan.load(text).keys != plan.keys:
        raise InputError(
            f"{path.name} was released under another key than this plan names, so that its units would count twice: "
            "release it anew under the key of the plan"
        )


def solve_jointly(
    policy: Policy, profile: Profile, source: Source, earlier: Earlier, keyring: Keyring
) -> GlobalRecoding | None:
    """The classes of the batch that hold together with those released before; the others are suppressed whole.

    What was released stays, so a class that fails loses its new rows only, and the reference of t is counted anew,
    until none fails. Raises GuaranteeError where one fails that has no new rows, or where too many rows are lost.
    """
    problem = state(policy, profile)
    if problem is None:
        return None
    everything = np.ones(problem.cells.count, np.bool_)
    found = _recoding(problem, profile, policy, everything)
    new = candidates(policy, profile, source, found, keyring)
    dropped = failing_together(policy, profile, problem, new, earlier)
    return _within_limit(_recoding(problem, profile, policy, ~_in_classes(found, dropped)))


def failing_together(
    policy: Policy, profile: Profile, problem: Problem, new: pl.LazyFrame, earlier: Earlier
) -> pl.DataFrame:
    """The labels of classes whose new rows must go for all others to hold together with what was released before.

    Raises GuaranteeError where one fails that has no new rows.
    """
    names = [hierarchy.column for hierarchy in problem.hierarchies]
    dropped = pl.DataFrame(schema=dict.fromkeys(names, pl.String))
    while True:
        rest = new.join(dropped.lazy(), on=names, how="anti", nulls_equal=True)
        failing = _failing(policy, profile, problem, rest, earlier.frame)
        if failing.is_empty():
            return dropped
        if not failing[BATCH].all():
            stuck = failing.filter(~pl.col(BATCH)).height
            raise GuaranteeError(
                f"of the files released before, {plural(stuck, 'class')} would not hold together with this batch, and "
                "what was released cannot be taken back: release the batch on its own (`batch: own`)"
            )
        dropped = pl.concat([dropped, failing.drop(BATCH)])


def _recoding(problem: Problem, profile: Profile, policy: Policy, kept: NDArray[np.bool_]) -> GlobalRecoding:
    levels = tuple(hierarchy.finest for hierarchy in problem.hierarchies)
    gone = problem.rows - int(problem.cells.rows[kept].sum())
    loss = ncp(problem, levels, kept)
    solution = Solution(
        "global", levels, kept, gone, loss, loss, 0.0, optimal=False, checks=1, cpu_s=0.0, compile_s=0.0
    )
    return GlobalRecoding(problem, profile, solution, policy.unit, WHY)


def _within_limit(recoding: GlobalRecoding) -> GlobalRecoding:
    gone, limit = recoding.solution.suppressed_rows, recoding.problem.limit
    if gone > limit:
        raise GuaranteeError(
            f"together with the files released before, {plural(gone, 'row')} would have to be suppressed, and {limit} "
            "may be: raise guarantee.suppression.max, or wait for a larger batch"
        )
    return recoding


def candidates(policy: Policy, profile: Profile, source: Source, recoding: Recoding, keyring: Keyring) -> pl.LazyFrame:
    """All rows of the batch that the plan lists, as they would be released: classes, sensitive values, unit token."""
    needed = tuple(column for column in profile.columns if _is_judged(column.name, column.role, policy))
    masked = policy if policy.guarantee is None else replace(policy, guarantee=replace(policy.guarantee, action="drop"))
    frame = transform(masked, source, replace(profile, columns=needed), recoding, keyring, None).frame
    return frame.select(column.name for column in needed)


def _is_judged(name: str, role: object, policy: Policy) -> bool:
    return isinstance(role, Quasi | Sensitive) or (isinstance(role, Identifier) and name == policy.unit)


def _failing(policy: Policy, profile: Profile, problem: Problem, new: pl.LazyFrame, old: pl.LazyFrame) -> pl.DataFrame:
    """The labels of each class that does not hold, and whether it has new rows (BATCH)."""
    batches = ((new, NEW), (old.select(new.collect_schema().names()), OLD))
    frame = pl.concat(part.with_columns(pl.lit(number, pl.Int8).alias(BATCH)) for part, number in batches)
    with guarded("counting classes together with those released before"):
        hierarchies = tuple(_as_is(frame, hierarchy.column) for hierarchy in problem.hierarchies)
        hierarchies += (build(BATCH, Suppress(), _domain(frame, BATCH), finest=1, coarsest=1),)
        sensitive = [column.name for column in profile.columns if isinstance(column.role, Sensitive)]
        cells = coded_cells(frame, hierarchies, {name: _domain(frame, name) for name in sensitive}, policy.unit).cells
    rows = cells.total_rows
    joint = Problem(cells, hierarchies, problem.k, rows, rows, diversity=problem.diversity, closeness=problem.closeness)
    gone = cells.codes[~solve(joint).kept]
    labels = pl.DataFrame({h.column: h.domain.gather(gone[:, i].astype(np.int64)) for i, h in enumerate(hierarchies)})
    return labels.group_by(pl.exclude(BATCH)).agg((pl.col(BATCH) == NEW).any())


def _as_is(frame: pl.LazyFrame, column: str) -> Hierarchy:
    return build(column, Identity(), _domain(frame, column), coarsest=0)


def _domain(frame: pl.LazyFrame, column: str) -> pl.Series:
    return encode.domain(frame, column, frame.collect_schema()[column])["value"]


def _in_classes(recoding: GlobalRecoding, classes: pl.DataFrame) -> NDArray[np.bool_]:
    """(cells,) whether each cell lies in one of the classes, which are given by their labels."""
    codes, levels = recoding.problem.cells.codes, recoding.solution.levels
    labels = pl.DataFrame(
        {
            h.column: h.labels.gather(h.ancestor[level][codes[:, i]].astype(np.int64))
            for i, (h, level) in enumerate(zip(recoding.problem.hierarchies, levels, strict=True))
        }
    ).with_row_index(BATCH)
    inside = labels.join(classes, on=classes.columns, how="semi", nulls_equal=True)[BATCH]
    found = np.zeros(len(codes), np.bool_)
    found[inside.to_numpy()] = True
    return found


def measured_jointly(part: Path, schema: Mapping[str, pl.DataType], earlier: Earlier, facts: Facts) -> Measured:
    """The measures of the written file and the earlier ones, read again as one release. Units count by their tokens."""
    frame = pl.concat([_released(part, schema, quoted=facts.quoted), earlier.frame])
    return measure(frame, facts, None if facts.unit is None else frame.select(facts.unit))
