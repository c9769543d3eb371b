"""Two releases joined: the classes that they have in common, and the joint classes of the people in both."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from anonym.attacks.intersection import intersection
from anonym.errors import CallError, InputError
from anonym.io import guarded, open_paths
from anonym.pipeline.applying import read_options
from anonym.pipeline.attack_runs import joint_people
from anonym.pipeline.attack_tables import Given, all_cells, known_columns, roles_of
from anonym.pipeline.attacking import unmasked
from anonym.pipeline.beside import policy_beside, release_beside
from anonym.pipeline.checking import release_options
from anonym.pipeline.reported import read_evidence
from anonym.policy.model import Policy


def join_releases(report: Path, earlier: Path, original: Path | None = None) -> dict[str, Any]:
    """What the release of `report` and that of an `earlier` report tell together.

    `classes`: how many are in both, only before, only now, by the quasi-identifiers that both have. `people`: the
    result of the intersection attack over those whom classes of both cover, by the unit's released column or, with the
    `original` of both, by the classes that cover a person. `why`: what could not be measured, and for want of what.
    """
    try:
        policy = Policy.load(policy_beside(report, read_evidence(report)))
        now, before = _table(policy, release_beside(report)), _table(policy, release_beside(earlier))
    except CallError as lacking:
        return {"why": str(lacking)}
    whole = None
    if original is not None:
        with guarded("reading the original"):
            whole = open_paths([original], read_options(policy)).frame.collect()
    roles = roles_of(policy, [now, before, *([] if whole is None else [whole])])
    given = Given(policy, roles, now, whole, against=(before,))
    found: dict[str, Any] = {"classes": _common(now, before, all_cells(given, now), all_cells(given, before))}
    try:
        people = joint_people(given, before)
    except InputError as lacking:
        return found | {"why": str(lacking)}
    if not people.height:
        return found | {"why": "nobody is known to be in both releases"}
    knows = [column.name for column in known_columns(given, now, None)]
    result = intersection(people, given.k or 2, knows, gate=None, seed=given.seed, unit=policy.unit)
    return found | {"people": result.as_dict()}


def _table(policy: Policy, release: Path) -> pl.DataFrame:
    with guarded("reading the release"):
        return unmasked(open_paths([release], release_options(policy)).frame.collect(), policy)


def _common(now: pl.DataFrame, before: pl.DataFrame, ours: list[str], theirs: list[str]) -> Mapping[str, int] | None:
    """Classes by whether they are in both; None where no quasi-identifier is released in the same form."""
    shared = [name for name in ours if name in theirs and now.schema[name] == before.schema[name]]
    if not shared:
        return None
    one, other = (table.select(pl.struct(shared).unique()).to_series() for table in (now, before))
    both = len(pl.concat([one, other])) - pl.concat([one, other]).n_unique()
    return {"both": both, "before": len(other) - both, "now": len(one) - both}
