"""`attack`: what someone who holds other tables gains from a release, tried and judged."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from anonym.attacks.outcome import AttackResult
from anonym.errors import CallError
from anonym.io import guarded, open_frame, open_paths
from anonym.pipeline.applying import read_options
from anonym.pipeline.attack_runs import run
from anonym.pipeline.attack_tables import TARGETS, Given, refuse_missing, roles_of
from anonym.pipeline.checking import release_options
from anonym.policy.model import Policy


def attack(
    policy: Policy | Mapping[str, Any] | str | Path,
    released: Any,
    original: Any = None,
    auxiliary: Any = None,
    control: Any = None,
    truth: str | None = None,
    against: Any = None,
    targets: int = TARGETS,
) -> list[AttackResult]:
    """Run every attack for which there are tables (Polars, pandas or Arrow frames).

    `original` is the table before the release, `auxiliary` what the attacker holds (default: the original), `control`
    people like the original's who were never released, `truth` a column of `released` and `auxiliary` that says who
    is who, `against` an earlier release about the same people. Uniqueness needs the release alone; linkage an
    original or auxiliary table; inference and what was left in text an original; intersection `against`, with `truth`
    or the unit in both releases, or the original.

    Attacks on people one by one take at most `targets` of them, drawn by the policy's seed.
    Limits: the policy's gates, else 1 / k for linking (0.1 without a k) and an advantage of 0.1 for inference.
    Raises InputError where a table lacks what an attack on it needs.
    """
    loaded = policy if isinstance(policy, Policy) else Policy.load(policy)
    table = _read(released)
    if table is None:
        raise CallError("expected the released table, found None")
    before, theirs, outside, earlier = (_read(other) for other in (original, auxiliary, control, against))
    roles = roles_of(loaded, [table, before, theirs, outside, earlier])
    given = Given(loaded, roles, table, before, theirs, outside, earlier, truth=truth, told=truth, targets=targets)
    refuse_missing(given)
    with guarded("attacking the release"):
        return list(run(given))


def _read(table: Any) -> pl.DataFrame | None:
    if table is None:
        return None
    with guarded("reading a table of the attack"):
        return open_frame(table).frame.collect()


def attack_files(
    policy: str | Path,
    release: Path,
    *,
    original: Path | None = None,
    auxiliary: Path | None = None,
    control: Path | None = None,
    against: Path | None = None,
    truth: str | None = None,
    targets: int = TARGETS,
) -> list[AttackResult]:
    """`attack` on files: the release as it was written, the other tables as the policy reads its input."""
    loaded = Policy.load(policy)
    options = read_options(loaded)
    given = {"original": original, "auxiliary": auxiliary, "control": control}
    tables = {name: open_paths([path], options).frame for name, path in given.items() if path is not None}
    released = open_paths([release], release_options(loaded)).frame
    if against is not None:
        tables["against"] = open_paths([against], release_options(loaded)).frame
    return attack(loaded, released, truth=truth, targets=targets, **tables)
