"""The two passes over the input that the search needs: the columns' values, then their combinations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from anonym.columns.actions import joins_rows
from anonym.hierarchy import encode
from anonym.hierarchy.bins import bin_domain, binned, bins_of
from anonym.hierarchy.build import build, refuse_beyond_calendar
from anonym.hierarchy.cells import Coarser, coded_cells
from anonym.hierarchy.floors import Floors, floors
from anonym.hierarchy.model import Auto, Cells, Hierarchy
from anonym.hierarchy.row_codes import RowCodes
from anonym.io import Source, guarded
from anonym.pipeline.progress import Progress
from anonym.pipeline.replanned import followed
from anonym.policy.model import Identifier, Keep, Policy, Quasi, Sensitive
from anonym.policy.resolve import ResolvedColumn
from anonym.search.plan import Plan

MOST_CELLS = 2_000_000  # 0.3 kB each in a search; k of 5 leaves 10M rows no more classes than that


@dataclass(frozen=True)
class Profile:
    """What is known of the input before the search: counts and codes, no rows."""

    columns: tuple[ResolvedColumn, ...]
    rows: int
    units: int | None
    domains: Mapping[str, pl.DataFrame]  # of quasi and sensitive columns: value, rows
    hierarchies: tuple[Hierarchy, ...]
    cells: Cells
    linking: tuple[str, ...]  # released columns that are constant per unit, so that its rows can be joined
    unit_codes: pl.DataFrame  # unit, code: the units that the cells list one by one
    bins: Mapping[str, Hierarchy] = field(default_factory=dict)  # of sensitive columns whose values count by bins
    floors: Floors | None = None  # the levels that a search starts from, where the cells were merged up to them
    row_codes: RowCodes | None = None  # raw data, like the domains; None where they must be looked up again

    @property
    def raised(self) -> tuple[str, ...]:
        """Quasi-identifiers whose finest allowed levels the cells no longer tell."""
        levels = zip(self.hierarchies, self.floors or (), strict=False)
        return tuple(hierarchy.column for hierarchy, level in levels if level > hierarchy.finest)

    @property
    def quasi(self) -> tuple[tuple[ResolvedColumn, Quasi], ...]:
        """The quasi-identifiers, in the order of `hierarchies`."""
        return tuple((column, column.role) for column in self.columns if isinstance(column.role, Quasi))


def profile(
    policy: Policy,
    source: Source,
    columns: tuple[ResolvedColumn, ...],
    progress: Progress,
    plan: Plan | None = None,
) -> Profile:
    """Count the table's domains and cells, hierarchies held to an earlier plan where there is one.

    Raises InputError where a value does not fit its hierarchy, CallError where the plan does not.
    """
    progress.stage("reading values", None)
    with guarded("counting rows"):
        rows = int(source.frame.select(pl.len()).collect().item())
        units = _count_units(source.frame, policy.unit)
    domains = {column.name: _domain(source, column) for column in columns if isinstance(column.role, Quasi | Sensitive)}
    hierarchies = tuple(
        build_hierarchy(policy, source, column, column.role, domains[column.name])
        for column in columns
        if isinstance(column.role, Quasi)
    )
    if plan is not None:
        hierarchies = followed(plan, hierarchies)
    linking = _linking(policy, source, columns)
    sensitive = {column.name: domains[column.name]["value"] for column in columns if isinstance(column.role, Sensitive)}
    bins = {
        column.name: bins_of(column.name, column.role.bins, sensitive[column.name])
        for column in columns
        if isinstance(column.role, Sensitive) and column.role.bins is not None
    }
    sensitive |= {name: bin_domain(hierarchy) for name, hierarchy in bins.items()}
    progress.stage("counting combinations", rows)
    with guarded("counting combinations of quasi-identifiers"):
        coded = coded_cells(
            binned(source.frame, bins),
            hierarchies,
            sensitive,
            policy.unit,
            all_units=bool(linking) and _profiles(policy),
            normalise={column.name: column.role.normalise for column in columns if isinstance(column.role, Quasi)},
            counted={c.name for c in columns if isinstance(c.role, Sensitive) and (c.role.l or c.role.t)},
            coarser=_coarser(policy, columns, hierarchies, domains),
            rows=rows,
        )
    source.refuse_change()
    return Profile(
        columns,
        rows,
        units,
        domains,
        hierarchies,
        coded.cells,
        linking,
        coded.units,
        bins,
        coded.floors,
        coded.row_codes,
    )


def _coarser(
    policy: Policy,
    columns: tuple[ResolvedColumn, ...],
    hierarchies: tuple[Hierarchy, ...],
    domains: Mapping[str, pl.DataFrame],
) -> Coarser | None:
    """How cells are merged where they are too many for a global search. Local recoding needs the values themselves,
    and so does a column that is released as one of them, or whose rows with some values are suppressed.
    """
    forms = [column.role.form for column in columns if isinstance(column.role, Quasi)]
    if policy.search.strategy == "local" or "set" in forms:
        return None
    rows = [domains[h.column]["rows"].to_numpy() for h in hierarchies]
    fixed = [
        form == "representative" or bool(hierarchy.suppressed.any())
        for form, hierarchy in zip(forms, hierarchies, strict=True)
    ]
    return Coarser(MOST_CELLS, floors(hierarchies, rows, fixed))


def _profiles(policy: Policy) -> bool:
    return policy.guarantee is not None and policy.guarantee.linkable is None


def _count_units(frame: pl.LazyFrame, unit: str | None) -> int | None:
    if unit is None:
        return None
    return int(frame.select(pl.col(unit).n_unique()).collect().item())


def _domain(source: Source, column: ResolvedColumn) -> pl.DataFrame:
    normalise = column.role.normalise if isinstance(column.role, Quasi) else ()
    with guarded(f"reading the values of column {column.name}"):
        domain = encode.domain(source.frame, column.name, column.dtype, normalise)
    refuse_beyond_calendar(column.name, domain["value"])  # sensitive dates are printed too, in digests
    return domain


def build_hierarchy(
    policy: Policy, source: Source, column: ResolvedColumn, quasi: Quasi, domain: pl.DataFrame
) -> Hierarchy:
    """The hierarchy of one quasi-identifier. With a unit, `auto` is drawn up from the units that hold each value."""
    members = None
    if isinstance(quasi.hierarchy, Auto) and policy.unit is not None:
        with guarded(f"counting who holds the values of column {column.name}"):
            counts = encode.domain(source.frame, column.name, column.dtype, quasi.normalise, policy.unit)
        if not counts["value"].equals(domain["value"], null_equal=True):
            source.refuse_change()
        members = counts["units"]
    return build(
        column.name,
        quasi.hierarchy,
        domain["value"],
        rows=domain["rows"],
        members=members,
        k=policy.guarantee.k if policy.guarantee else 1,
        finest=quasi.finest,
        coarsest=quasi.coarsest,
        top=quasi.top,
        bottom=quasi.bottom,
        uncovered=quasi.uncovered,
    )


def _linking(policy: Policy, source: Source, columns: tuple[ResolvedColumn, ...]) -> tuple[str, ...]:
    """Released tokens that repeat over rows of one unit: a reader can join those rows."""
    if policy.unit is None:
        return ()
    tokens = [c.name for c in columns if isinstance(c.role, Identifier) and joins_rows(c.role.action)]
    kept = [c.name for c in columns if isinstance(c.role, Keep | Sensitive) and c.name == policy.unit]
    with guarded("looking for columns that are constant per unit"):
        return tuple(name for name in tokens + kept if _repeats(source.frame, policy.unit, name))


def _repeats(frame: pl.LazyFrame, unit: str, name: str) -> bool:
    pairs = frame.filter(pl.col(name).is_not_null()).group_by(list({unit, name})).len()
    return bool(pairs.select((pl.col("len") > 1).any()).collect().item())
