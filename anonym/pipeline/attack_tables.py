"""The tables of an attack, and what policy and release tell of their columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from anonym.attacks.cover import Known
from anonym.attacks.linkage import Tables
from anonym.attacks.options import Match
from anonym.attacks.outcome import Gate
from anonym.attacks.scoreboard import Events
from anonym.errors import InputError, type_name
from anonym.hierarchy.model import FileHierarchy, Rounded
from anonym.pipeline.facts import declared
from anonym.policy.globs import entries_of, is_glob
from anonym.policy.model import Policy, Quasi, Role

RISK = 0.1  # acceptable share of people linked, where neither a gate nor k says one
ADVANTAGE = 0.1
TARGETS = 10_000  # people attacked one by one, at most; a sample beyond

_END = re.compile("_(low|high)$")


@dataclass(frozen=True)
class Given:
    """The tables of one call, in memory, and what the policy says of them.

    `gated` judges an attack only where the policy sets a limit for it; else a default limit stands in. `truth` is a
    column of the released table and of the auxiliary one, `told` one of the released table and of the original.
    """

    policy: Policy
    roles: Mapping[str, Role]
    released: pl.DataFrame
    original: pl.DataFrame | None = None
    auxiliary: pl.DataFrame | None = None
    control: pl.DataFrame | None = None
    against: tuple[pl.DataFrame, ...] = ()  # earlier releases
    truth: str | None = None
    told: str | None = None
    gated: bool = False
    targets: int = TARGETS
    events: Events | None = None  # where the tables are long: a row is an event
    typos: bool = False
    population: int | None = None  # of how many people the release is a sample

    @property
    def k(self) -> int | None:
        return self.policy.guarantee.k if self.policy.guarantee else None

    @property
    def seed(self) -> int:
        return self.policy.seed

    @property
    def attacker(self) -> pl.DataFrame | None:
        """What the attacker links with: the auxiliary table, else the original."""
        return self.auxiliary if self.auxiliary is not None else self.original

    def named(self, *kinds: type[Role]) -> list[str]:
        return [name for name, role in self.roles.items() if isinstance(role, kinds)]

    # limits

    @property
    def risk(self) -> Gate | None:
        """The limit on linking: the policy's, else 1 / k; none where only the policy's count."""
        linkage = self.policy.attacks.linkage
        if linkage is not None:
            return Gate(float(linkage.max_risk))
        return None if self.gated else Gate(1 / self.k if self.k else RISK)

    @property
    def gain(self) -> Gate | None:
        """The limit on an advantage over the control."""
        limit = self.policy.attacks.max_advantage
        if limit is not None:
            return Gate(float(limit), "advantage")
        return None if self.gated else Gate(ADVANTAGE, "advantage")

    @property
    def other_risk(self) -> Gate | None:
        """The limit on attacks that identify but link no table."""
        return None if self.gated else self.risk

    @property
    def declared_gain(self) -> Gate | None:
        """The policy's own limit on an advantage, where it has one: for what no recoding fully prevents."""
        return None if self.policy.attacks.max_advantage is None else self.other_gain

    @property
    def other_gain(self) -> Gate | None:
        return None if self.gated else self.gain


def roles_of(policy: Policy, tables: list[pl.DataFrame | None]) -> dict[str, Role]:
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


def refuse_missing(given: Given) -> None:
    """Raise InputError where there is nothing to attack by, or truth names no common column."""
    if given.events is None and not known_columns(given, given.released, None):
        raise InputError("the released table has none of the policy's quasi-identifiers: there is nothing to attack by")
    other = given.attacker
    if given.truth is None or other is None:
        return
    types = [table.schema.get(given.truth) for table in (given.released, other)]
    lacking = [name for name, dtype in zip(("released", "auxiliary"), types, strict=True) if dtype is None]
    if lacking:
        raise InputError(f"truth names column {given.truth}, which the {' and the '.join(lacking)} table lacks")
    refuse_unlike(given.truth, given.released, other)


def refuse_unlike(name: str, *tables: pl.DataFrame) -> None:
    """Raise InputError where the column that says who is who is not of one type."""
    one, another = (table.schema[name] for table in tables)
    if one != another:
        said = f"is {type_name(one)} in one table and {type_name(another)} in another"
        raise InputError(f"column {name} says who is who, but {said}: give both one type, or name another by truth")


def known_columns(given: Given, released: pl.DataFrame, auxiliary: pl.DataFrame | None) -> tuple[Known, ...]:
    """The quasi-identifiers in the release that the attacker's table has too (all of the release's without one)."""
    return tuple(_known(given, released, auxiliary))


def _known(given: Given, released: pl.DataFrame, auxiliary: pl.DataFrame | None) -> Iterator[Known]:
    match = given.policy.attacks.linkage.match if given.policy.attacks.linkage else {}
    for name, role in given.roles.items():
        if not isinstance(role, Quasi) or not (cells := _cells(name, released)):
            continue
        theirs = Match(name)
        if auxiliary is not None and name in match and match[name].column in auxiliary.columns:
            theirs = match[name]
        if auxiliary is None or theirs.column in auxiliary.columns:
            yield _column(name, role, cells, theirs)


def _cells(name: str, released: pl.DataFrame) -> tuple[str, ...]:
    """The released column, or the two of the form `bounds`; none where it was not released."""
    bounds = (f"{name}_low", f"{name}_high")
    if name in released.columns:
        return (name,)
    return bounds if set(bounds) <= set(released.columns) else ()


def _column(name: str, role: Quasi, cells: tuple[str, ...], theirs: Match) -> Known:
    hierarchy = role.hierarchy
    return Known(
        name,
        cells,
        theirs.column,
        kind=declared(hierarchy)[0],
        decimals=hierarchy.decimals if isinstance(hierarchy, Rounded) else (),
        file=hierarchy.path if isinstance(hierarchy, FileHierarchy) else None,
        top=role.top,
        bottom=role.bottom,
        normalise=role.normalise,
        tolerance=float(theirs.tolerance),
        edits=theirs.edits,
    )


def tables_of(given: Given, released: pl.DataFrame, other: pl.DataFrame, truth: str | None = None) -> Tables | None:
    """Both tables with the columns known in both, or None where there is none."""
    known = known_columns(given, released, other)
    return Tables(released, other, known, given.policy.unit, truth) if known else None


def all_cells(given: Given, released: pl.DataFrame) -> list[str]:
    """The released columns of every quasi-identifier."""
    return [cell for column in known_columns(given, released, None) for cell in column.cells]


def raw_columns(given: Given) -> tuple[pl.DataFrame, list[str]] | None:
    """The original and its columns that became the released quasi-identifiers: where an attack must succeed. None where
    it has none of them, or no rows."""
    if given.original is None or not given.original.height:
        return None
    names = [known.name for known in known_columns(given, given.released, None)]
    held = [name for name in names if name in given.original.columns]
    return (given.original, held) if held else None
