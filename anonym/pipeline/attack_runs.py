"""Every attack that the tables at hand allow, and what is refused for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from itertools import product
from typing import Any

import polars as pl

from anonym.attacks.copies import comparable, copies
from anonym.attacks.downcoding import downcoding
from anonym.attacks.drivers import drivers
from anonym.attacks.inference import inference
from anonym.attacks.intersection import by_column, by_original, intersection, together
from anonym.attacks.linkage import Tables, linkage, strangers
from anonym.attacks.membership import membership
from anonym.attacks.minimality import minimality
from anonym.attacks.order import order
from anonym.attacks.outcome import AttackResult
from anonym.attacks.population import population_uniqueness
from anonym.attacks.pseudonyms import pseudonyms
from anonym.attacks.residue import residue
from anonym.attacks.sample import sampled
from anonym.attacks.scoreboard import scoreboard
from anonym.attacks.uniqueness import marketer, prosecutor
from anonym.criteria import DistinctL
from anonym.errors import GuaranteeError, InconclusiveError, InputError
from anonym.pipeline.attack_tables import Given, all_cells, known_columns, raw_columns, refuse_unlike, tables_of
from anonym.policy.model import Identifier, Quasi, Sensitive, Text


def run(given: Given) -> Iterator[AttackResult]:
    """Every attack for which there are tables."""
    by_columns = (_uniqueness, _linkage, _typos, _inference, _membership, _copies, _intersection, _structure)
    for one in by_columns if known_columns(given, given.released, None) else ():
        yield from one(given)
    for one in (_text, _tokens, _events):
        yield from one(given)


def _uniqueness(given: Given) -> Iterator[AttackResult]:
    known = known_columns(given, given.released, None)
    everything = range(len(known))
    cells = [cell for column in known for cell in column.cells]
    knows = [column.name for column in known]
    unit, gate = given.policy.unit, given.other_risk
    control = None if given.control is None else sampled(given.control, unit, given.targets, given.seed)
    outside = None if control is None else strangers(Tables(given.released, control, known, unit), everything, control)
    yield prosecutor(
        given.released, cells, knows, unit=unit, gate=gate, seed=given.seed, raw=raw_columns(given), outside=outside
    )
    if given.auxiliary is not None and (tables := tables_of(given, given.released, given.auxiliary)):
        yield marketer(tables, gate=given.risk, seed=given.seed, control=control, raw=given.original)


def _linkage(given: Given) -> Iterator[AttackResult]:
    auxiliary = given.attacker
    if auxiliary is None:
        return
    truth = given.truth if auxiliary is not given.original else given.truth or given.told
    tables = tables_of(given, given.released, auxiliary, truth)
    if tables is None:
        raise InputError("the auxiliary table has none of the quasi-identifiers in the release: give it one to link by")
    yield linkage(tables, gate=given.risk, control=given.control, raw=given.original, seed=given.seed)


def _typos(given: Given) -> Iterator[AttackResult]:
    if not given.typos or given.attacker is None:
        return
    from anonym.attacks.typos import typos

    truth = given.truth if given.attacker is not given.original else given.truth or given.told
    if (tables := tables_of(given, given.released, given.attacker, truth)) is not None:
        yield typos(tables, gate=given.risk, seed=given.seed, control=given.control, raw=given.original)


def _inference(given: Given) -> Iterator[AttackResult]:
    if given.original is None:
        return
    unit = given.policy.unit
    people = sampled(given.original, unit, given.targets, given.seed)
    control = None if given.control is None else sampled(given.control, unit, given.targets, given.seed)
    tables = tables_of(given, given.released, people)
    for name in given.named(Sensitive):
        if tables is not None and name in given.released.columns and name in given.original.columns:
            yield inference(tables, name, gate=given.gain, control=control, seed=given.seed)


def _membership(given: Given) -> Iterator[AttackResult]:
    if given.original is None or given.control is None:
        return
    unit = given.policy.unit
    people, control = (sampled(table, unit, given.targets, given.seed) for table in (given.original, given.control))
    tables = tables_of(given, given.released, people)
    if tables is None or not {known.auxiliary for known in tables.known} <= set(control.columns):
        return
    yield membership(tables, control, gate=given.other_gain, seed=given.seed, raw=given.original)


def _copies(given: Given) -> Iterator[AttackResult]:
    """Of tables whose quasi-identifiers look as they did: synthetic ones, and releases of other tools."""
    if given.original is None:
        return
    both = set(given.released.columns) & set(given.original.columns)
    columns = [name for name in given.named(Quasi) if name in both]
    if not comparable(given.released, given.original, columns):
        return
    control = given.control if given.control is not None and set(columns) <= set(given.control.columns) else None
    targets = given.targets
    yield from copies(
        given.released, given.original, control, columns, gate=given.other_gain, seed=given.seed, targets=targets
    )


def _intersection(given: Given) -> Iterator[AttackResult]:
    if not given.against:
        return
    joints = [joint_people(given, earlier) for earlier in given.against]
    if len({joint.schema["person"] for joint in joints}) > 1:
        raise InputError(
            "the earlier releases name people in unlike ways: give all of them the column that truth or unit names"
        )
    joint = together(joints)
    knows = [column.name for column in known_columns(given, given.released, None)]
    gate, raw = given.other_risk, raw_columns(given)
    yield intersection(joint, given.k or 2, knows, gate=gate, seed=given.seed, raw=raw, unit=given.policy.unit)


def joint_people(given: Given, against: pl.DataFrame) -> pl.DataFrame:
    """[person, first, second]: the classes of those who are in both releases. Raises InputError without a link."""
    ours = (given.released, all_cells(given, given.released))
    for name in (given.truth, given.policy.unit):
        if name is None or given.released.schema.get(name, 0) != against.schema.get(name, 1):
            continue
        joint = by_column(ours, (against, all_cells(given, against)), name)
        if joint.height or given.original is None:  # tokens of one release each join nothing
            return joint
    original = given.original
    sides = [tables_of(given, table, original) for table in (given.released, against) if original is not None]
    if len(sides) < 2 or sides[0] is None or sides[1] is None:
        raise InputError(
            "to intersect two releases, either both need the column that truth or unit names, or the original is needed"
        )
    return by_original(sides[0], sides[1])


def _text(given: Given) -> Iterator[AttackResult]:
    if given.original is None:
        return
    identifiers = [name for name in given.named(Identifier) if name in given.original.columns]
    for name in given.named(Text):
        if identifiers and name in given.released.columns:
            yield residue(
                given.released,
                name,
                given.original,
                identifiers,
                gate=given.other_risk,
                truth=given.told,
                control=given.control,
                raw=given.original if name in given.original.columns else None,
                seed=given.seed,
                unit=given.policy.unit,
            )


def _structure(given: Given) -> Iterator[AttackResult]:
    """What the form of the release gives away: who is unique and why, what minimality tells, and the order of rows."""
    cells, unit = all_cells(given, given.released), given.policy.unit
    seed, raw = given.seed, raw_columns(given)
    yield drivers(given.released, cells, unit=unit, seed=seed, raw=raw)
    if given.population is not None:
        knows = [column.name for column in known_columns(given, given.released, None)]
        yield population_uniqueness(given.released, cells, knows, given.population, unit=unit, seed=seed, raw=raw)
    if given.original is None or (tables := tables_of(given, given.released, given.original, given.told)) is None:
        return
    yield downcoding(tables, gate=given.declared_gain, seed=given.seed)
    yield from _minimality(given, tables)
    if given.gated and given.policy.order == "shuffle":
        return  # shuffled by the system's own randomness, which no seed repeats: the evidence would differ every time
    yield order(tables, gate=given.other_gain, seed=given.seed, targets=given.targets)


def _minimality(given: Given, tables: Tables) -> Iterator[AttackResult]:
    """Of the sensitive columns that are promised distinct values, where everybody has one row: the attack deals one
    value to each person."""
    unit = given.policy.unit
    if unit in tables.auxiliary.columns and not tables.auxiliary.get_column(unit).is_unique().all():
        return
    for name in given.named(Sensitive):
        role = given.roles[name]
        both = name in given.released.columns and name in tables.auxiliary.columns
        if both and isinstance(role, Sensitive) and isinstance(role.l, DistinctL):
            yield minimality(tables, name, role.l.l, given.k or 1, gate=given.other_gain, seed=given.seed)


def _tokens(given: Given) -> Iterator[AttackResult]:
    """Tokens that the policy means to last over a project are reported and not judged."""
    for name, (place, earlier) in product(given.named(Identifier), enumerate(given.against, 1)):
        if name not in given.released.columns or name not in earlier.columns:
            continue
        role = given.roles[name]
        lasts = isinstance(role, Identifier) and getattr(role.action, "scope", "release") == "project"
        gate = None if lasts else given.other_risk
        cells, seed = all_cells(given, given.released), given.seed
        found = pseudonyms(given.released, earlier, name, gate=gate, truth=given.truth, seed=seed, cells=cells)
        several = len(given.against) > 1
        yield replace(found, name=f"{found.name}, earlier release {place}") if several else found


def _events(given: Given) -> Iterator[AttackResult]:
    if given.events is None:
        return
    if given.original is None:
        raise InputError("an attack on events needs the original: what is known of a person is drawn from it")
    needed = [name for name in (*asdict(given.events).values(), given.told) if name is not None]
    for table, called in ((given.released, "released"), (given.original, "original")):
        if lacking := sorted(set(needed) - set(table.columns)):
            raise InputError(f"the {called} table lacks a column of the events: {', '.join(lacking)}")
    refuse_unlike(given.told or given.events.person, given.released, given.original)
    yield scoreboard(
        given.released,
        given.original,
        given.events,
        gate=given.other_risk,
        seed=given.seed,
        targets=given.targets,
        control=given.control,
        truth=given.told,
    )


UNDECIDED = """next, without --control: split one off, anonym apply ... --hold-out 0.2 --keep-hold-out control.parquet,
  then attack that release with --control control.parquet;
with one: attack more people (--targets, a larger hold-out; --json says targets_needed);
or set under `attacks` in the policy which limits you need: anonym help attack"""


def refuse(results: list[AttackResult], evidence: dict[str, Any] | None = None) -> None:
    """Raise GuaranteeError where an attack succeeds beyond its limit, InconclusiveError where one cannot tell.

    Attacks without a limit stop nothing.
    """
    judged = [result for result in results if result.detail.get("gate") is not None]
    failed = [result.name for result in judged if result.verdict == "fail"]
    if failed:
        raise GuaranteeError(f"attacks that succeed beyond their limit: {', '.join(failed)}", evidence=evidence)
    open_ = [result.name for result in judged if result.verdict in ("inconclusive", "too_weak")]
    if open_:
        raise InconclusiveError(
            f"attacks that cannot tell: {', '.join(open_)}; that is neither a pass nor a fail.\n{UNDECIDED}",
            evidence,
        )
