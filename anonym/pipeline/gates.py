"""What is refused before anything is searched or written, because no search could mend it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from anonym.errors import CallError, GuaranteeError, InconclusiveError
from anonym.hierarchy.encode import canonical
from anonym.io import Source, guarded
from anonym.io.source import KINDS
from anonym.policy.model import Keep, Policy
from anonym.policy.resolve import ResolvedColumn
from anonym.report import thresholds


def refuse_unknown_output(output: Path) -> None:
    """Raise CallError where the output's ending names no format."""
    if output.suffix.lower() not in KINDS:
        raise CallError(f"{output.name}: a release ends in {', '.join(sorted(KINDS))}")


def refuse_beyond_thresholds(evidence: Mapping[str, Any]) -> None:
    """Raise GuaranteeError where a threshold does not hold, InconclusiveError where there is no figure for one."""
    limited = evidence.get("thresholds") or {}
    broken = [thresholds.said(key, part) for key, part in limited.items() if part["holds"] is False]
    if broken:
        raise GuaranteeError(f"thresholds that do not hold: {'; '.join(broken)}", evidence=dict(evidence))
    if without := [thresholds.said(key, limited[key]) for key in thresholds.lacking(evidence)]:
        raise InconclusiveError(
            f"thresholds without a figure: {'; '.join(without)}; measure it (attacks.hold_out runs the attacks, "
            "text.recall the sample), or take the threshold out",
            dict(evidence),
        )


def refuse_rare_keep_values(policy: Policy, columns: tuple[ResolvedColumn, ...], source: Source) -> None:
    """Raise GuaranteeError where a kept column holds values of fewer than k units (rows without a unit)."""
    if policy.guarantee is None:
        return
    found = list(_rare(policy, policy.guarantee.k, columns, source))
    if found:
        raise GuaranteeError(
            "values that too few share would be released as they are\n"
            + "\n".join(f"  {line}" for line in found)
            + "\nGive such a column a hierarchy (role quasi), drop it, or accept it with `allow_unique: <reason>`."
        )


def _rare(policy: Policy, k: int, columns: tuple[ResolvedColumn, ...], source: Source) -> Iterator[str]:
    held_by = "units" if policy.unit else "rows"
    for column in columns:
        if isinstance(column.role, Keep) and column.role.allow_unique is None:
            values, rows = _held_by_fewer(source.frame, column, policy.unit, k)
            if values:
                yield f"column {column.name}: {values} values ({rows} rows) are held by fewer than {k} {held_by}"


def _held_by_fewer(frame: pl.LazyFrame, column: ResolvedColumn, unit: str | None, k: int) -> tuple[int, int]:
    value = canonical(column.name, column.dtype).alias("value")
    members = pl.struct(unit).n_unique() if unit else pl.len()
    named = frame.select(value, *([pl.col(unit)] if unit and unit != column.name else []))
    if unit == column.name:
        members = pl.lit(1, pl.UInt32)
    few = named.group_by("value").agg(pl.len().alias("rows"), members.alias("members")).filter(pl.col("members") < k)
    with guarded(f"counting who holds the values of column {column.name}"):
        counts = few.select(pl.len(), pl.col("rows").sum()).collect()
    return int(counts.item(0, 0)), int(counts.item(0, 1) or 0)
