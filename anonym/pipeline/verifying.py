"""Handing the written file to verification, and refusing it where any check fails."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from anonym.columns import actions, forms
from anonym.io import Source
from anonym.pipeline.transform import plain_dtype
from anonym.pipeline.uniting import Earlier, measured_jointly
from anonym.pipeline.write import Written
from anonym.policy.model import Identifier, Keep, Quasi, Sensitive, Text
from anonym.policy.resolve import ResolvedColumn
from anonym.verify.aligned import Check
from anonym.verify.facts import Facts
from anonym.verify.measure import Measured
from anonym.verify.release import GUARANTEE, RARE_KEEP, guarantee_checks, verify_release
from anonym.verify.rows import MARK


@dataclass(frozen=True)
class Verified:
    """What verification found in the written file."""

    facts: Facts
    measured: Measured
    checks: tuple[Check, ...]
    digest: str | None
    own: Measured  # of this file alone, where `measured` is of it and of the files released before

    @property
    def failures(self) -> tuple[str, ...]:
        return tuple(f"{check.name} ({check.detail})" for check in self.checks if not check.held)


def verify(
    part: Path,
    source: Source,
    written: Written,
    facts: Facts,
    schema: Mapping[str, pl.DataType],
    earlier: Earlier | None = None,
) -> Verified:
    """Re-read the file at `part` by the separate code path. The caller decides what a failure means.

    With files released `earlier` (batch: union) the guarantee is recomputed over all of them, read again.
    """
    own, checks = verify_release(part, source.frame, written.alignment, facts, schema)
    if earlier is None or not own.rows:
        return Verified(facts, own, tuple(checks), own.digest, own)
    joint = measured_jointly(part, schema, earlier, facts)
    checks = [check for check in checks if check.name not in (GUARANTEE, RARE_KEEP)]
    return Verified(facts, joint, (*checks, *guarantee_checks(joint, facts)), own.digest, own)


def released_schema(columns: tuple[ResolvedColumn, ...], *, masks: bool = False) -> Mapping[str, pl.DataType]:
    """Names and types of the release, in its order. `masks`: with the column that marks suppressed rows."""
    found: dict[str, pl.DataType] = {}
    for column in columns:
        match column.role:
            case Quasi(form=form):
                found |= forms.released_schema(column.name, column.dtype, form)
            case Identifier(action):
                found |= actions.released_schema(column.name, column.dtype, action)
            case Text():
                found[column.name] = pl.String()
            case Sensitive() | Keep():
                found[column.name] = plain_dtype(column.dtype)
    return found | ({MARK: pl.Boolean()} if masks else {})
