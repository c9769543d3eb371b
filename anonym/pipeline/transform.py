"""The released table as a lazy frame over the input: one expression per column."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from anonym.columns import actions, forms
from anonym.columns.keys import Keyring
from anonym.hierarchy import encode
from anonym.hierarchy.model import Hierarchy
from anonym.io import Source, guarded
from anonym.pipeline.profile import Profile
from anonym.pipeline.solve import Recoding
from anonym.pipeline.write import ROW, UNIT
from anonym.policy.model import Identifier, Keep, Policy, Quasi, Sensitive, Text
from anonym.policy.resolve import ResolvedColumn
from anonym.search.plan import class_nodes

if TYPE_CHECKING:
    from anonym.text.scrub import Scrubber

_CODE = "\x00code"


@dataclass
class TextLedger:
    """What was found in one text column, added up over batches."""

    column: str
    also_from: tuple[str, ...]
    documents: int = 0
    withheld: int = 0
    changed: int = 0
    spans: dict[str, int] = field(default_factory=dict)

    def add(self, spans: pl.DataFrame, documents: int, withheld: int) -> None:
        self.documents += documents
        self.withheld += withheld
        self.changed += spans["row"].n_unique()
        for entity, count in spans.group_by("entity").len().iter_rows():
            self.spans[entity] = self.spans.get(entity, 0) + count


@dataclass(frozen=True)
class Transform:
    """The lazy release, with hidden columns ROW and UNIT, and what scrubbing will have found once it has run."""

    frame: pl.LazyFrame
    ledgers: tuple[TextLedger, ...]


def transform(
    policy: Policy,
    source: Source,
    profile: Profile,
    recoding: Recoding | None,
    keyring: Keyring,
    scrubber: Scrubber | None,
) -> Transform:
    """Declare how every released column comes from the input. Nothing is read yet."""
    frame = source.frame.with_row_index(ROW)
    if recoding is not None:
        frame = _coded(frame, profile)
        frame = _without_suppressed(frame, policy, profile, recoding)
    levels = dict(zip(_quasi_names(profile), recoding.solution.levels, strict=True)) if recoding else {}
    table = actions.Table(keyring, _distinct_of(source), _unit(policy, profile))
    ledgers: list[TextLedger] = []
    released: list[pl.Expr] = []
    for column in profile.columns:
        if isinstance(column.role, Text):
            assert scrubber is not None, "a text column needs a scrubber"
            ledger = TextLedger(column.name, _also_from(policy, profile, levels, column.name))
            ledgers.append(ledger)
            released.append(_scrubbed(column, ledger, scrubber))
        else:
            released += _released(column, profile, levels, table)
    hidden = [pl.col(ROW)] + ([_canonical_unit(policy, profile)] if policy.unit else [])
    return Transform(frame.select(*released, *hidden), tuple(ledgers))


def _distinct_of(source: Source) -> Callable[[str], pl.Series]:
    def distinct(name: str) -> pl.Series:
        with guarded(f"reading the values of column {name}"):
            return source.frame.select(pl.col(name).unique()).collect().to_series()

    return distinct


def _unit(policy: Policy, profile: Profile) -> tuple[str, pl.DataType] | None:
    if policy.unit is None:
        return None
    return policy.unit, next(column.dtype for column in profile.columns if column.name == policy.unit)


def _quasi_names(profile: Profile) -> list[str]:
    return [hierarchy.column for hierarchy in profile.hierarchies]


def _code(name: str) -> str:
    return f"{_CODE} {name}"


def _coded(frame: pl.LazyFrame, profile: Profile) -> pl.LazyFrame:
    """With one integer column per quasi-identifier: the leaf of its value."""
    return frame.with_columns(
        encode.leaf_code(hierarchy.domain, column.name, quasi.normalise).alias(_code(column.name))
        for hierarchy, (column, quasi) in zip(profile.hierarchies, profile.quasi, strict=True)
    )


def _without_suppressed(frame: pl.LazyFrame, policy: Policy, profile: Profile, recoding: Recoding) -> pl.LazyFrame:
    solution = recoding.solution
    if len(solution.dropped_units) and policy.unit is not None:
        gone = profile.unit_codes.filter(pl.col("code").is_in(solution.dropped_units))["unit"]
        frame = frame.filter(~pl.col(policy.unit).is_in(gone.implode(), nulls_equal=True))
    if solution.kept.all() and not recoding.problem.lost:
        return frame
    return frame.filter(_in_kept_class(profile.hierarchies, recoding))


def _in_kept_class(hierarchies: tuple[Hierarchy, ...], recoding: Recoding) -> pl.Expr:
    """Whether a row's node tuple is that of a released class; exact, by one mixed-radix number or by a struct."""
    nodes = class_nodes(recoding.problem, recoding.solution)
    ranks = [np.unique(nodes[:, column]) for column in range(nodes.shape[1])]
    places, radix = [], 1
    for rank in ranks:
        places.append(radix)
        radix *= len(rank) + 1
    columns = [
        _rank_of_node(hierarchy, level, rank)
        for hierarchy, level, rank in zip(hierarchies, recoding.solution.levels, ranks, strict=True)
    ]
    names = [_code(hierarchy.column) for hierarchy in hierarchies]
    tables = [pl.Series(column, dtype=pl.UInt64) for column in columns]
    if radix < 2**63:
        keys = sum(
            (np.searchsorted(rank, nodes[:, i]).astype(np.uint64) + 1) * np.uint64(places[i])
            for i, rank in enumerate(ranks)
        )
        key = pl.sum_horizontal(
            _gather(name, table) * pl.lit(place, pl.UInt64)
            for name, table, place in zip(names, tables, places, strict=True)
        )
        return key.is_in(pl.Series(np.unique(keys), dtype=pl.UInt64).implode()) & _all_known(names, tables)
    return _struct_membership(names, tables, ranks, nodes)


def _rank_of_node(hierarchy: Hierarchy, level: int, rank: np.ndarray) -> np.ndarray:
    """(leaves,) 1 + the rank of each leaf's node among the released ones; 0 where it is not released."""
    nodes = hierarchy.ancestor[level]
    place = np.searchsorted(rank, nodes)
    found = (place < len(rank)) & (rank[np.minimum(place, max(len(rank) - 1, 0))] == nodes) if len(rank) else nodes < -1
    return np.where(found & ~hierarchy.suppressed, place + 1, 0).astype(np.uint64)


def _gather(name: str, table: pl.Series) -> pl.Expr:
    return pl.col(name).map_batches(lambda codes: table.gather(codes), return_dtype=pl.UInt64, is_elementwise=True)


def _all_known(names: list[str], tables: list[pl.Series]) -> pl.Expr:
    return pl.all_horizontal(_gather(name, table) > 0 for name, table in zip(names, tables, strict=True))


def _struct_membership(
    names: list[str], tables: list[pl.Series], ranks: list[np.ndarray], nodes: np.ndarray
) -> pl.Expr:
    """The same for tuples that do not fit into 63 bits."""
    wanted = pl.DataFrame(
        {
            name: np.searchsorted(rank, nodes[:, i]).astype(np.uint64) + 1
            for i, (name, rank) in enumerate(zip(names, ranks, strict=True))
        }
    ).to_struct()
    row = pl.struct(_gather(name, table).alias(name) for name, table in zip(names, tables, strict=True))
    return row.is_in(wanted.implode())


def _released(column: ResolvedColumn, profile: Profile, levels: dict[str, int], table: actions.Table) -> list[pl.Expr]:
    role = column.role
    if isinstance(role, Quasi):
        hierarchy = next(h for h in profile.hierarchies if h.column == column.name)
        return forms.release(hierarchy, levels[column.name], role.form, pl.col(_code(column.name)))
    if isinstance(role, Identifier):
        return actions.release(column.name, column.dtype, role.action, table).columns
    if isinstance(role, Sensitive | Keep):
        return [_plain(column)]
    return []


def _plain(column: ResolvedColumn) -> pl.Expr:
    """Released as it is, but for what would leak: categories no row uses, and the sign of zero."""
    if plain_dtype(column.dtype) != column.dtype:
        return pl.col(column.name).cast(plain_dtype(column.dtype))
    if column.dtype.is_float():
        value = pl.col(column.name)
        return pl.when(value == 0.0).then(pl.lit(0.0, column.dtype)).otherwise(value).alias(column.name)
    return pl.col(column.name)


def plain_dtype(dtype: pl.DataType) -> pl.DataType:
    """The type of a column released as it is. Enum and Categorical become text: their dictionaries name all values."""
    return pl.String() if isinstance(dtype, pl.Categorical | pl.Enum) else dtype


def _canonical_unit(policy: Policy, profile: Profile) -> pl.Expr:
    unit = _unit(policy, profile)
    assert unit is not None
    return encode.canonical(*unit).alias(UNIT)


def _also_from(policy: Policy, profile: Profile, levels: dict[str, int], text: str) -> tuple[str, ...]:
    """The row's own columns to scrub from its text: as declared, or its identifiers and coarser quasi-identifiers."""
    if policy.text.also_from is not None:
        return policy.text.also_from
    return tuple(
        column.name
        for column in profile.columns
        if column.name != text
        and (
            isinstance(column.role, Identifier)
            or (isinstance(column.role, Quasi) and levels.get(column.name, 0) > column.role.finest)
        )
    )


def _scrubbed(column: ResolvedColumn, ledger: TextLedger, scrubber: Scrubber) -> pl.Expr:
    inputs = [pl.col(column.name).cast(pl.String), *(pl.col(name).cast(pl.String) for name in ledger.also_from)]
    return (
        pl.struct(inputs)
        .map_batches(_scrub_batch(column.name, ledger, scrubber), return_dtype=pl.String, is_elementwise=True)
        .alias(column.name)
    )


def _scrub_batch(name: str, ledger: TextLedger, scrubber: Scrubber) -> Callable[[pl.Series], pl.Series]:
    """The engine may call from several threads; models and ledgers are not made for that."""
    lock = threading.Lock()

    def scrub(batch: pl.Series) -> pl.Series:
        rows = batch.struct.unnest()
        texts = rows[name]
        with lock:
            result = scrubber.scrub(texts, rows.select(ledger.also_from) if ledger.also_from else None)
            given = texts.is_not_null()
            ledger.add(result.spans, int(given.sum()), int((given & result.text.is_null()).sum()))
        return result.text.alias(name)

    return scrub
