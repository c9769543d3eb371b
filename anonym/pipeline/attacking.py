"""`attack`: what someone who holds other tables gains from a release, tried and judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import polars as pl

from anonym.attacks.outcome import AttackResult
from anonym.attacks.scoreboard import Events
from anonym.errors import CallError
from anonym.io import guarded, open_frame, open_paths
from anonym.pipeline.applying import read_options
from anonym.pipeline.attack_runs import run
from anonym.pipeline.attack_tables import TARGETS, Given, refuse_missing, roles_of
from anonym.pipeline.checking import release_options
from anonym.pipeline.transform import masks_rows
from anonym.policy.model import Policy, Quasi
from anonym.verify.rows import MARK


def attack(
    policy: Policy | Mapping[str, Any] | str | Path | None,
    released: Any,
    original: Any = None,
    auxiliary: Any = None,
    control: Any = None,
    truth: str | None = None,
    against: Any = None,
    targets: int = TARGETS,
    events: Mapping[str, str] | None = None,
    population: int | None = None,
    typos: bool = False,
) -> list[AttackResult]:
    """Run every attack for which there are tables (Polars, pandas or Arrow frames).

    `original` is the table before the release, `auxiliary` what the attacker holds (default: the original), `control`
    people like the original's who were never released, `truth` a column of `released` and `auxiliary` that says who
    is who, `against` an earlier release about the same people, or several. Uniqueness needs the release alone; linkage
    an original or auxiliary table; inference and what was left in text an original; intersection `against`, with
    `truth` or the unit in all releases, or the original. `events` says which columns of a long table (a row an event)
    are `item`, `value` and `date`, and `person` (default: the unit); `population` how many people the release is a
    sample of; `typos` links in spite of typing errors too (needs the extra `linkage`). Without a policy (None) every
    released column is a quasi-identifier.

    Attacks on people one by one take at most `targets` of them, drawn by the policy's seed.
    Limits: the policy's gates, else 1 / k for linking (0.1 without a k) and an advantage of 0.1 for inference.
    Raises InputError where a table lacks what an attack on it needs.
    """
    table = _read(released, ())
    if table is None:
        raise CallError("expected the released table, found None")
    loaded = _loaded(policy, table)
    table = unmasked(table, loaded)
    flatten = loaded.input.flatten
    before, theirs, outside = (_read(other, flatten) for other in (original, auxiliary, control))
    releases = against if isinstance(against, list | tuple) else [] if against is None else [against]
    earlier = tuple(other for one in releases if (other := _read(one, ())) is not None)
    roles = roles_of(loaded, [table, before, theirs, outside, *earlier])
    given = Given(loaded, roles, table, before, theirs, outside, earlier, truth, truth, targets=targets)
    given = replace(given, events=_long(events, loaded), population=population, typos=typos)
    refuse_missing(given)
    with guarded("attacking the release"):
        return list(run(given))


def _loaded(policy: Policy | Mapping[str, Any] | str | Path | None, released: pl.DataFrame) -> Policy:
    if policy is None:
        return Policy("without a policy", {name: Quasi() for name in released.columns})
    return policy if isinstance(policy, Policy) else Policy.load(policy)


def unmasked(released: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """Without the empty rows that `action: mask` leaves in the place of suppressed ones."""
    if not masks_rows(policy) or released.schema.get(MARK) != pl.Boolean:
        return released
    return released.filter(~pl.col(MARK).fill_null(False)).drop(MARK)


def _long(events: Mapping[str, str] | None, policy: Policy) -> Events | None:
    if events is None:
        return None
    known = [field.name for field in fields(Events)]
    if unknown := sorted(set(events) - set(known)):
        raise CallError(f"events: expected {', '.join(known)}; found {', '.join(unknown)}")
    person = events.get("person", policy.unit)
    if person is None or "item" not in events:
        raise CallError("events: expected the columns of item and person (the policy's unit, where it names one)")
    return Events(person, events["item"], events.get("value"), events.get("date"))


def _read(table: Any, flatten: Sequence[str]) -> pl.DataFrame | None:
    if table is None:
        return None
    with guarded("reading a table of the attack"):
        return open_frame(table, flatten).frame.collect()


def attack_files(
    policy: str | Path,
    release: Path,
    *,
    original: Path | None = None,
    auxiliary: Path | None = None,
    control: Path | None = None,
    against: Sequence[Path] = (),
    truth: str | None = None,
    targets: int = TARGETS,
    events: Mapping[str, str] | None = None,
    population: int | None = None,
    typos: bool = False,
    seed: int | None = None,
) -> list[AttackResult]:
    """`attack` on files: the release as it was written, the other tables as the policy reads its input."""
    loaded = Policy.load(policy)
    loaded = loaded if seed is None else replace(loaded, seed=seed)
    options = read_options(loaded)
    given = {"original": original, "auxiliary": auxiliary, "control": control}
    asked: dict[str, Any] = {"truth": truth, "targets": targets, "events": events, "population": population}
    asked |= {name: open_paths([path], options).frame for name, path in given.items() if path is not None}
    released = open_paths([release], release_options(loaded)).frame
    earlier = [open_paths([path], release_options(loaded)).frame for path in against]
    return attack(loaded, released, against=earlier, typos=typos, **asked)
