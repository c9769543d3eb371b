"""The attacks that a written release must withstand before it gets its name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from anonym.attacks.outcome import AttackResult
from anonym.errors import InconclusiveError, InputError
from anonym.io import Source, guarded, open_paths, written
from anonym.io.source import ReadOptions
from anonym.pipeline.attack_runs import run
from anonym.pipeline.attack_tables import Given, known_columns
from anonym.pipeline.holding_out import HeldOut
from anonym.pipeline.progress import Progress
from anonym.pipeline.transform import masks_rows
from anonym.pipeline.write import ROW, Written
from anonym.policy.model import Drop, Keep, Policy
from anonym.policy.resolve import ResolvedColumn
from anonym.verify.rows import MARK


def withstand(
    policy: Policy,
    columns: tuple[ResolvedColumn, ...],
    part: Path,
    schema: Mapping[str, pl.DataType],
    options: ReadOptions,
    held: HeldOut,
    aligned: Written,
    progress: Progress,
) -> list[AttackResult]:
    """Attack the written file at `part`; empty where the policy asks for no attack.

    The original are the people who are released, so their rows are known; who was held out is the control. Columns
    of role keep are left out: nothing is attacked by them. Raises InputError where the auxiliary table or
    the control does not fit.
    """
    if not policy.attacks:
        return []
    progress.stage("attacking the written file", None)
    roles = {column.name: column.role for column in columns}
    needed = [name for name, role in roles.items() if not isinstance(role, Drop | Keep) or name == policy.unit]
    with guarded("attacking the written file"):
        released = (
            written(part, schema, quoted=policy.formulas == "quote").collect().with_columns(aligned.alignment[ROW])
        )
        if masks_rows(policy) and MARK in schema:
            released = released.filter(~pl.col(MARK)).drop(MARK)
        original = _original(held.source, needed)
        control = _control(policy, held, options)
        given = Given(policy, roles, released, original, _auxiliary(policy, options), control, told=ROW, gated=True)
        _refuse_unmatched(given)
        _refuse_known(given)
        found = list(run(given))
    _refuse_untried(policy, found)
    return found


def _refuse_untried(policy: Policy, found: list[AttackResult]) -> None:
    """Raise InconclusiveError where a gate was set and no attack was run for it: silence is no evidence."""
    measures = {result.detail["gate"]["measure"] for result in found if result.detail["gate"] is not None}
    gates = (("linkage", policy.attacks.linkage, "rate"), ("inference", policy.attacks.max_advantage, "advantage"))
    for name, limit, measure in gates:
        if limit is not None and measure not in measures:
            raise InconclusiveError(
                f"attacks.{name} has a limit, and nothing was tried for it: no quasi-identifier or value is released"
            )


def _original(source: Source, needed: list[str]) -> pl.DataFrame:
    return source.frame.select(needed).with_row_index(ROW).collect()


def _auxiliary(policy: Policy, options: ReadOptions) -> pl.DataFrame | None:
    linkage = policy.attacks.linkage
    if linkage is None:
        return None
    wanted = [match.column for match in linkage.match.values()]
    source = open_paths([linkage.auxiliary], options)
    lacking = sorted(set(wanted) - set(source.schema))
    if lacking:
        raise InputError(f"the auxiliary table of attacks.linkage lacks what match names: {', '.join(lacking)}")
    unit = [policy.unit] if policy.unit in source.schema and policy.unit is not None else []
    return source.frame.select(*dict.fromkeys([*wanted, *unit])).collect()


def _control(policy: Policy, held: HeldOut, options: ReadOptions) -> pl.DataFrame | None:
    """Who was held out or given with the call; else the policy's file."""
    control = held.control()
    if control is not None or policy.attacks.control is None:
        return control
    return open_paths([policy.attacks.control], options).frame.collect()


def _refuse_unmatched(given: Given) -> None:
    """Every released column that `match` names must take part: a gate on fewer would promise what was not tried."""
    linkage = given.policy.attacks.linkage
    if linkage is None or given.auxiliary is None:
        return
    known = {column.name for column in known_columns(given, given.released, given.auxiliary)}
    if lacking := sorted(set(linkage.match) - known):
        raise InputError(f"attacks.linkage.match names columns that are not released: {', '.join(lacking)}")


def _refuse_known(given: Given) -> None:
    """Raises InputError where people of the control are in the original: such a control would pass any limit on an
    advantage.

    Without a unit nobody is told apart, and only a control of the very same rows is seen.
    """
    before, control, unit = given.original, given.control, given.policy.unit
    if before is None or control is None:
        return
    if unit in before.columns and unit in control.columns and before.schema[unit] == control.schema[unit]:
        people = control[unit].drop_nulls().unique()
        known = int(people.is_in(before[unit].implode()).sum())
        if known:
            raise InputError(f"{known} of {len(people)} people of the control are in the original: name others")
        return
    shared = [name for name in control.columns if before.schema.get(name) == control.schema[name]]
    if shared and control.height == before.height > 0:
        rows, others = (table.select(shared).hash_rows().sort() for table in (before, control))
        if rows.equals(others):
            raise InputError("the control has the very rows of the original: name people who are not in it")
