"""The released table as a lazy frame over the input: one expression per column."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

from anonym.columns import actions
from anonym.columns.keys import Keyring
from anonym.columns.surrogate import plain
from anonym.hierarchy import encode
from anonym.io import Source, guarded
from anonym.pipeline.profile import Profile
from anonym.pipeline.recoding import KEPT, Recoding
from anonym.pipeline.text_days import days_by_unit
from anonym.pipeline.write import ROW, UNIT
from anonym.policy.model import Identifier, Keep, Policy, Quasi, Sensitive, Text
from anonym.policy.resolve import ResolvedColumn
from anonym.text.duplicates import Duplicates, duplicates
from anonym.verify.rows import MARK

if TYPE_CHECKING:
    from anonym.text.scrub import Scrubber


@dataclass
class TextLedger:
    """What was found in one text column, added up over batches."""

    column: str
    also_from: tuple[str, ...]
    documents: int = 0
    withheld: int = 0
    changed: int = 0
    spans: dict[str, int] = field(default_factory=dict)
    duplicates: Duplicates | None = None
    repeated: int = 0

    def left_out(self, texts: pl.Series) -> pl.Series:
        """The texts, null where one repeats an earlier one."""
        if self.duplicates is None:
            return texts
        first = self.duplicates.first(texts)
        self.repeated += int((~first).sum())
        return pl.select(pl.when(first).then(texts)).to_series()

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
    replaced: dict[str, dict[str, int]]  # by identifier, what its action counts


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
    masks = masks_rows(policy)
    if recoding is not None:
        frame = _masked(recoding.flagged(frame), profile) if masks else recoding.apply(frame)
    table = actions.Table(keyring, _distinct_of(source), _unit(policy, profile), _held_of(source, profile))
    ledgers: list[TextLedger] = []
    replaced: dict[str, dict[str, int]] = {}
    days = days_by_unit(policy, keyring)
    released: list[pl.Expr] = []
    for column in profile.columns:
        if isinstance(column.role, Text):
            assert scrubber is not None, "a text column needs a scrubber"
            ledger = TextLedger(
                column.name,
                _also_from(policy, profile, recoding, column.name),
                duplicates=duplicates(policy.text.deduplicate),
            )
            ledgers.append(ledger)
            released.append(_scrubbed(column, ledger, scrubber, policy.unit if days else None, days))
        else:
            columns, counts = _released(column, profile, recoding, table)
            released += columns
            replaced |= {column.name: counts} if counts else {}
    if masks:
        released = [pl.when(KEPT).then(column).alias(column.meta.output_name()) for column in released]
        released.append(~pl.col(KEPT).alias(MARK))
    hidden = [pl.col(ROW)] + ([_canonical_unit(policy, profile)] if policy.unit else [])
    return Transform(frame.select(*released, *hidden), tuple(ledgers), replaced)


def masks_rows(policy: Policy) -> bool:
    """Whether suppressed rows stay as empty ones: where there are classes, and the policy says so."""
    has_classes = any(isinstance(role, Quasi) for role in policy.columns.values())
    return has_classes and policy.guarantee is not None and policy.guarantee.action == "mask"


def _masked(frame: pl.LazyFrame, profile: Profile) -> pl.LazyFrame:
    """Without the values of rows that are suppressed; quasi-identifiers are read from their codes."""
    quasi = {column.name for column, _ in profile.quasi}
    others = [column.name for column in profile.columns if column.name not in quasi]
    return frame.with_columns(pl.when(KEPT).then(pl.col(name)).alias(name) for name in others)


def _distinct_of(source: Source) -> Callable[[str], pl.Series]:
    def distinct(name: str) -> pl.Series:
        with guarded(f"reading the values of column {name}"):
            return source.frame.select(pl.col(name).unique()).collect().to_series()

    return distinct


def _held_of(source: Source, profile: Profile) -> Callable[[pl.Series], pl.Series]:
    """Of texts, those that are values of an identifier that is text or whole numbers."""
    names = [c.name for c in profile.columns if isinstance(c.role, Identifier) and _is_spelled(c.dtype)]

    def held(texts: pl.Series) -> pl.Series:
        found = [texts.clear()]
        for name in names:
            with guarded(f"looking for surrogates among the values of column {name}"):
                column = source.frame.select(plain(pl.col(name)).alias(texts.name))
                found.append(column.filter(pl.col(texts.name).is_in(texts.implode())).unique().collect().to_series())
        return pl.concat(found)

    return held


def _is_spelled(dtype: pl.DataType) -> bool:
    return isinstance(dtype, pl.String | pl.Categorical | pl.Enum) or dtype.is_integer()


def _unit(policy: Policy, profile: Profile) -> tuple[str, pl.DataType] | None:
    if policy.unit is None:
        return None
    return policy.unit, next(column.dtype for column in profile.columns if column.name == policy.unit)


def _released(
    column: ResolvedColumn, profile: Profile, recoding: Recoding | None, table: actions.Table
) -> tuple[list[pl.Expr], dict[str, int]]:
    """The released column or columns, and counts to be told of them."""
    role = column.role
    if isinstance(role, Quasi):
        assert recoding is not None, "a quasi-identifier needs a recoding"
        place = [hierarchy.column for hierarchy in profile.hierarchies].index(column.name)
        return recoding.release(place, role.form), {}
    if isinstance(role, Identifier):
        done = actions.release(column.name, column.dtype, role.action, table)
        return done.columns, done.counts
    return ([_plain(column)] if isinstance(role, Sensitive | Keep) else []), {}


def _plain(column: ResolvedColumn) -> pl.Expr:
    """Released as it is, but for what would leak: categories no row uses, the sign of zero, and NaN beside null."""
    if plain_dtype(column.dtype) != column.dtype:
        return pl.col(column.name).cast(plain_dtype(column.dtype))
    return encode.canonical(column.name, column.dtype) if column.dtype.is_float() else pl.col(column.name)


def plain_dtype(dtype: pl.DataType) -> pl.DataType:
    """The type of a column released as it is. Enum and Categorical become text: their dictionaries name all values."""
    return pl.String() if isinstance(dtype, pl.Categorical | pl.Enum) else dtype


def _canonical_unit(policy: Policy, profile: Profile) -> pl.Expr:
    unit = _unit(policy, profile)
    assert unit is not None
    return encode.canonical(*unit).alias(UNIT)


def _also_from(policy: Policy, profile: Profile, recoding: Recoding | None, text: str) -> tuple[str, ...]:
    """The row's own columns to scrub from its text: as declared, or its identifiers and coarser quasi-identifiers."""
    if policy.text.also_from is not None:
        return policy.text.also_from
    return tuple(
        column.name
        for column in profile.columns
        if column.name != text
        and not column.dtype.is_nested()
        and column.dtype != pl.Binary
        and (
            isinstance(column.role, Identifier)
            or (isinstance(column.role, Quasi) and recoding is not None and recoding.coarser(column.name))
        )
    )


Days = Callable[[pl.Series], pl.Series]


def _scrubbed(
    column: ResolvedColumn, ledger: TextLedger, scrubber: Scrubber, unit: str | None, days: Days | None
) -> pl.Expr:
    inputs = [pl.col(column.name).cast(pl.String), *(pl.col(name).cast(pl.String) for name in ledger.also_from)]
    inputs += [pl.col(unit).alias(UNIT)] if unit is not None else []
    # Batches come in any order; which of two equal texts is the first is told of the whole column only.
    alone = ledger.duplicates is None
    return (
        pl.struct(inputs)
        .map_batches(_scrub_batch(column.name, ledger, scrubber, days), return_dtype=pl.String, is_elementwise=alone)
        .alias(column.name)
    )


def _scrub_batch(
    name: str, ledger: TextLedger, scrubber: Scrubber, days: Days | None
) -> Callable[[pl.Series], pl.Series]:
    """The engine may call from several threads; a ledger is not made for that."""
    lock = threading.Lock()

    def scrub(batch: pl.Series) -> pl.Series:
        rows = batch.struct.unnest()
        texts = rows[name]
        with lock:
            known = rows.select(ledger.also_from) if ledger.also_from else None
            result = scrubber.scrub(texts, known, days(rows[UNIT]) if days else None)
            given = texts.is_not_null()
            ledger.add(result.spans, int(given.sum()), int((given & result.text.is_null()).sum()))
            return ledger.left_out(result.text).alias(name)

    return scrub
