"""People who withdrew: their rows are left out before anything is counted, and no value of theirs is kept or said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from anonym.errors import CallError, InputError
from anonym.hierarchy.encode import canonical
from anonym.io import Source, guarded, open_paths
from anonym.io.source import ReadOptions
from anonym.policy.model import Policy
from anonym.report.difference import headlines
from anonym.report.figures import plural

LIST = ".txt"  # one unit a line


@dataclass(frozen=True)
class Withdrawn:
    """Of the units who were to be left out (`listed`), those who were in the input, and their rows there."""

    listed: int
    units: int
    rows: int


def read_units(path: Path, policy: Policy, options: ReadOptions) -> pl.Series:
    """The units in a file: of a `.txt` one a line, of any table that can be read the column of the policy's unit.

    Raises CallError where the policy has no unit, InputError where the file cannot be read or has no such column.
    """
    unit = _unit(policy)
    if path.suffix.lower() == LIST:
        with guarded("reading the units to exclude"):
            lines = path.read_text(encoding=options.encoding).removeprefix("\ufeff").splitlines()
        return pl.Series(unit, [line.strip() for line in lines if line.strip()], dtype=pl.String)
    source = open_paths([path], replace(options, as_text=lambda name: name == unit))
    if unit not in source.schema:
        raise InputError(f"the file of units to exclude has no column {unit}: it needs the policy's unit by its name")
    with guarded("reading the units to exclude"):
        return source.frame.select(unit).collect().to_series()


def withdraw(policy: Policy, source: Source, units: pl.Series | None) -> tuple[Source, Withdrawn | None]:
    """The source without the rows of `units`, and how many there were; rows of no unit stay.

    Raises CallError where the policy has no unit, InputError where the values are not of the unit's type.
    """
    if units is None:
        return source, None
    unit = _unit(policy)
    policy.resolve(source.schema)
    value = canonical(unit, source.schema[unit])
    with guarded("looking for the units to exclude"):
        dtype = source.frame.select(value).collect_schema()[unit]
        listed = units.alias(unit).cast(dtype).drop_nulls().unique()
        is_gone = value.is_in(listed.implode()).fill_null(False)
        found = source.frame.filter(is_gone).select(rows=pl.len(), units=value.n_unique()).collect()
    rest = replace(source, frame=source.frame.filter(~is_gone))
    return rest, Withdrawn(len(listed), int(found["units"].item()), int(found["rows"].item()))


def what_changed(
    withdrawn: Withdrawn | None, before: Mapping[str, Any] | None, after: Mapping[str, Any]
) -> Iterator[str]:
    """What leaving people out changed, a line each: who was found, then every headline that is no longer what the
    report before said.
    """
    if withdrawn is None:
        return
    missing = withdrawn.listed - withdrawn.units
    found = f"{withdrawn.units} of {withdrawn.listed} units ({missing} not in the input)"
    yield f"excluded {found}, {plural(withdrawn.rows, 'row')}"
    for label, old, new in headlines(before, after) if before is not None else ():
        if old != new:
            yield f"changed  {label}: {old} -> {new}"


def _unit(policy: Policy) -> str:
    if policy.unit is None:
        raise CallError("units to exclude need a unit in the policy: say `unit: <column>`, whose values they are")
    return policy.unit
