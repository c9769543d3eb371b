"""`attack`: what someone who holds other tables gains from a release, tried and judged."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from anonym.attacks.cover import Known
from anonym.attacks.inference import inference
from anonym.attacks.intersection import by_column, by_original, intersection
from anonym.attacks.linkage import Tables, linkage
from anonym.attacks.outcome import AttackResult, Gate
from anonym.attacks.residue import residue
from anonym.attacks.uniqueness import marketer, prosecutor
from anonym.errors import CallError, GuaranteeError, InconclusiveError, InputError
from anonym.hierarchy.model import (
    Breaks,
    Dates,
    Declaration,
    FileHierarchy,
    Identity,
    Interval,
    Prefix,
    Rounded,
    Suppress,
)
from anonym.io import guarded, open_frame, open_paths
from anonym.pipeline.applying import read_options
from anonym.pipeline.checking import release_options
from anonym.policy.globs import entries_of, is_glob
from anonym.policy.model import Identifier, Policy, Quasi, Role, Sensitive, Text

RISK = 0.1  # acceptable share of people linked, where neither a gate nor k says one
ADVANTAGE = 0.1


@dataclass(frozen=True)
class _Given:
    """The tables of one call, in memory, and what the policy says of them."""

    policy: Policy
    roles: Mapping[str, Role]
    released: pl.DataFrame
    original: pl.DataFrame | None
    auxiliary: pl.DataFrame | None
    control: pl.DataFrame | None
    against: pl.DataFrame | None
    truth: str | None

    @property
    def k(self) -> int | None:
        return self.policy.guarantee.k if self.policy.guarantee else None

    def named(self, kind: type[Role]) -> list[str]:
        return [name for name, role in self.roles.items() if isinstance(role, kind)]


def attack(
    policy: Policy | Mapping[str, Any] | str | Path,
    released: Any,
    original: Any = None,
    auxiliary: Any = None,
    control: Any = None,
    truth: str | None = None,
    against: Any = None,
) -> list[AttackResult]:
    """Run every attack for which there are tables (Polars, pandas or Arrow frames).

    `original` is the table before the release, `auxiliary` what the attacker holds (default: the original), `control`
    people like the original's who were never released, `truth` a column of `released` and `auxiliary` that says who
    is who, `against` an earlier release about the same people. Uniqueness needs the release alone; linkage an
    original or auxiliary table; inference and what was left in text an original; intersection `against`, with `truth`
    or the unit in both releases, or the original.

    Limits: the policy's gates, else 1 / k for linking (0.1 without a k) and an advantage of 0.1 for inference.
    Raises InputError where a table lacks what an attack on it needs.
    """
    loaded = policy if isinstance(policy, Policy) else Policy.load(policy)
    table = _read(released)
    if table is None:
        raise CallError("expected the released table, found None")
    others = {"original": _read(original), "auxiliary": _read(auxiliary)}
    others |= {"control": _read(control), "against": _read(against)}
    given = _Given(loaded, _roles(loaded, [table, *others.values()]), table, truth=truth, **others)
    _refuse_missing(given)
    with guarded("attacking the release"):
        return [*_uniqueness(given), *_linkage(given), *_inference(given), *_intersection(given), *_text(given)]


def _read(table: Any) -> pl.DataFrame | None:
    if table is None:
        return None
    with guarded("reading a table of the attack"):
        return open_frame(table).frame.collect()


def _roles(policy: Policy, tables: list[pl.DataFrame | None]) -> dict[str, Role]:
    """The role of each column by its name before the release, globs written out over all tables."""
    exact = {name: role for name, role in policy.columns.items() if not is_glob(name)}
    globs = tuple(name for name in policy.columns if is_glob(name))
    found = dict(exact)
    for column in dict.fromkeys(name for table in tables if table is not None for name in table.columns):
        if column not in exact and (entries := entries_of(column, exact, globs)):
            role = policy.columns[entries[0]]
            is_bound = isinstance(role, Quasi) and role.form == "bounds"
            found.setdefault(_END.sub("", column) if is_bound else column, role)
    return found


_END = re.compile("_(low|high)$")


def _refuse_missing(given: _Given) -> None:
    if not _known(given, given.released, None):
        raise InputError("the released table has none of the policy's quasi-identifiers: there is nothing to attack by")
    other = given.auxiliary if given.auxiliary is not None else given.original
    if given.truth is None or other is None:
        return
    types = [table.schema.get(given.truth) for table in (given.released, other)]
    lacking = [name for name, dtype in zip(("released", "auxiliary"), types, strict=True) if dtype is None]
    if lacking:
        raise InputError(f"truth names column {given.truth}, which the {' and the '.join(lacking)} table lacks")
    if types[0] != types[1]:
        raise InputError(
            f"column {given.truth} says who is who, but is {types[0]} in one table and {types[1]} in another"
        )


# what is known -------------------------------------------------------------------------------------------------------


def _known(given: _Given, released: pl.DataFrame, auxiliary: pl.DataFrame | None) -> tuple[Known, ...]:
    """The quasi-identifiers in the release that the attacker's table has too (all of the release's without one)."""
    found = []
    for name, role in given.roles.items():
        if not isinstance(role, Quasi) or not (cells := _cells(name, released)):
            continue
        theirs = name if auxiliary is None else _theirs(given, name, auxiliary)
        if auxiliary is None or theirs in auxiliary.columns:
            found.append(_column(name, role, cells, theirs))
    return tuple(found)


def _cells(name: str, released: pl.DataFrame) -> tuple[str, ...]:
    """The released column, or the two of the form `bounds`; none where it was not released."""
    bounds = (f"{name}_low", f"{name}_high")
    if name in released.columns:
        return (name,)
    return bounds if set(bounds) <= set(released.columns) else ()


def _theirs(given: _Given, name: str, auxiliary: pl.DataFrame) -> str:
    """What the attacker's table calls the column: as the policy's `match` says, else by the same name."""
    match = _gates(given).get("linkage", {}).get("match", {})
    theirs = match.get(name, name)
    return str(theirs) if theirs in auxiliary.columns else name


def _column(name: str, role: Quasi, cells: tuple[str, ...], theirs: str) -> Known:
    declared = role.hierarchy
    return Known(
        name,
        cells,
        theirs,
        kind=_KINDS[type(declared)],
        decimals=declared.decimals if isinstance(declared, Rounded) else (),
        file=declared.path if isinstance(declared, FileHierarchy) else None,
        top=role.top,
        bottom=role.bottom,
        normalise=role.normalise,
    )


_KINDS: Mapping[type[Declaration], Any] = {
    Interval: "interval",
    Breaks: "breaks",
    Prefix: "prefix",
    Dates: "date",
    Rounded: "round",
    FileHierarchy: "file",
    Suppress: "suppress",
    Identity: "none",
}


def _gates(given: _Given) -> Mapping[str, Any]:
    gates = given.policy.raw.get("attacks")
    return gates if isinstance(gates, Mapping) else {}


def _risk(given: _Given) -> Gate:
    limit = _gates(given).get("linkage", {}).get("max_risk")
    return Gate(float(limit) if limit is not None else 1 / given.k if given.k else RISK)


def _advantage(given: _Given) -> Gate:
    return Gate(float(_gates(given).get("inference", {}).get("max_advantage", ADVANTAGE)), "advantage")


# the attacks ---------------------------------------------------------------------------------------------------------


def _tables(given: _Given, released: pl.DataFrame, auxiliary: pl.DataFrame) -> Tables | None:
    known = _known(given, released, auxiliary)
    return Tables(released, auxiliary, known, given.policy.unit, given.truth) if known else None


def _uniqueness(given: _Given) -> Iterator[AttackResult]:
    known = _known(given, given.released, None)
    cells = [cell for column in known for cell in column.cells]
    knows = [column.name for column in known]
    yield prosecutor(given.released, cells, knows, unit=given.policy.unit, gate=_risk(given), seed=given.policy.seed)
    if given.auxiliary is not None and (tables := _tables(given, given.released, given.auxiliary)):
        yield marketer(tables, gate=_risk(given), seed=given.policy.seed)


def _linkage(given: _Given) -> Iterator[AttackResult]:
    auxiliary = given.auxiliary if given.auxiliary is not None else given.original
    if auxiliary is None:
        return
    tables = _tables(given, given.released, auxiliary)
    if tables is None:
        raise InputError("the auxiliary table has none of the quasi-identifiers in the release: give it one to link by")
    yield linkage(tables, gate=_risk(given), control=given.control, raw=given.original, seed=given.policy.seed)


def _inference(given: _Given) -> Iterator[AttackResult]:
    if given.original is None:
        return
    tables = _tables(given, given.released, given.original)
    for name in given.named(Sensitive):
        if tables is not None and name in given.released.columns and name in given.original.columns:
            yield inference(tables, name, gate=_advantage(given), control=given.control, seed=given.policy.seed)


def _intersection(given: _Given) -> Iterator[AttackResult]:
    if given.against is None:
        return
    joint = _joint(given, given.against)
    knows = [column.name for column in _known(given, given.released, None)]
    yield intersection(joint, given.k or 2, knows, gate=_risk(given), seed=given.policy.seed)


def _joint(given: _Given, against: pl.DataFrame) -> pl.DataFrame:
    ours = (given.released, _all_cells(given, given.released))
    for name in (given.truth, given.policy.unit):
        if name is None or given.released.schema.get(name, 0) != against.schema.get(name, 1):
            continue
        joint = by_column(ours, (against, _all_cells(given, against)), name)
        if joint.height or given.original is None:  # tokens of one release each join nothing
            return joint
    sides = [_tables(given, table, given.original) for table in (given.released, against) if given.original is not None]
    if len(sides) < 2 or sides[0] is None or sides[1] is None:
        raise InputError(
            "to intersect two releases, either both need the column that truth or unit names, or the original is needed"
        )
    return by_original(sides[0], sides[1])


def _all_cells(given: _Given, released: pl.DataFrame) -> list[str]:
    return [cell for column in _known(given, released, None) for cell in column.cells]


def _text(given: _Given) -> Iterator[AttackResult]:
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
                gate=_risk(given),
                truth=given.truth,
                control=given.control,
                seed=given.policy.seed,
            )


def attack_files(
    policy: str | Path,
    release: Path,
    *,
    original: Path | None = None,
    auxiliary: Path | None = None,
    control: Path | None = None,
    against: Path | None = None,
    truth: str | None = None,
) -> list[AttackResult]:
    """`attack` on files: the release as it was written, the other tables as the policy reads its input."""
    loaded = Policy.load(policy)
    options = read_options(loaded)
    given = {"original": original, "auxiliary": auxiliary, "control": control}
    tables = {name: open_paths([path], options).frame for name, path in given.items() if path is not None}
    released = open_paths([release], release_options(loaded)).frame
    if against is not None:
        tables["against"] = open_paths([against], release_options(loaded)).frame
    return attack(loaded, released, truth=truth, **tables)


def refuse(results: list[AttackResult]) -> None:
    """Raise GuaranteeError where an attack succeeds beyond its limit, InconclusiveError where one cannot tell."""
    failed = [result.name for result in results if result.verdict == "fail"]
    if failed:
        raise GuaranteeError(f"attacks that succeed beyond their limit: {', '.join(failed)}")
    open_ = [result.name for result in results if result.verdict in ("inconclusive", "too_weak")]
    if open_:
        raise InconclusiveError(
            f"attacks that cannot tell: {', '.join(open_)}; see targets_needed, or give a larger --control"
        )
