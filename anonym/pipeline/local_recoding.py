"""Local recoding applied to rows: every row's tuple tells its record, its place among equals tells its class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray
from polars.io.plugins import register_io_source

from anonym.columns import forms
from anonym.columns.cells import interval_ends, intervals, member_sets
from anonym.columns.representative import representatives
from anonym.hierarchy import encode
from anonym.hierarchy.bins import binned
from anonym.hierarchy.cells import record_keys, unit_records
from anonym.hierarchy.ends import is_line
from anonym.hierarchy.holders import distinct, holders
from anonym.hierarchy.model import Hierarchy
from anonym.io import Source, guarded
from anonym.pipeline.profile import Profile
from anonym.pipeline.recoding import KEPT, NOTHING, STAR, Found, Recoding, Spent, says_less
from anonym.policy.model import Form
from anonym.search.local.records import SUPPRESSED, LocalSolution, Records, Vocabulary
from anonym.search.plan import Plan, plan_of_nodes
from anonym.search.problem import Problem

CLASS = "\x00class"
_KEYS = "\x00keys"
BATCH = 1_000_000  # rows whose classes are looked up together


@dataclass(frozen=True)
class CodedRecords:
    """The table's records, and the exact key by which a row finds its own: DataFrame[key_0, ..., record]."""

    records: Records
    keys: pl.DataFrame
    unit: tuple[str, pl.DataType] | None  # the unit's column, one more of the key


def coded_records(profile: Profile, source: Source, unit: str | None) -> CodedRecords:
    """The table's records, in one streaming pass."""
    with guarded("counting records"):
        frame = binned(source.frame, profile.bins)
        codes, rows, keys, of = unit_records(
            frame, profile.hierarchies, sensitive_values(profile), unit, _normalise(profile)
        )
    quasi = len(profile.hierarchies)
    known = None if unit is None else (unit, source.schema[unit])
    return CodedRecords(Records(codes[:, :quasi], codes[:, quasi:], rows, of), keys, known)


def vocabulary(hierarchy: Hierarchy, form: Form) -> Vocabulary:
    """What cells of this form are made of: nodes for labels; intervals or sets where a value or bounds are released.

    Raises PolicyError for bounds of values that are neither numbers nor dates.
    """
    if form == "bounds" and not is_line(hierarchy):
        forms.node_tables(hierarchy, form)
    return "label" if form == "label" else "set"


def sensitive_values(profile: Profile) -> dict[str, pl.Series]:
    return {counts.column: counts.values for counts in profile.cells.sensitive}


def _normalise(profile: Profile) -> dict[str, tuple[encode.Normal, ...]]:
    return {column.name: quasi.normalise for column, quasi in profile.quasi}


@dataclass(frozen=True)
class LocalRecoding(Recoding):
    """Each class generalised as little as it needs."""

    problem: Problem
    profile: Profile
    coded: CodedRecords
    solution: LocalSolution
    why: str
    before: Spent = NOTHING  # on other searches of the run

    @property
    def found(self) -> Found:
        s = self.solution
        return Found(
            strategy="local",
            why=self.why,
            optimal=False,
            bound=s.bound,
            reproducible=s.is_reproducible,
            checks=s.tries,
            loss=s.loss,
            suppressed_rows=s.suppressed_rows,
            cpu_s=s.cpu_s + self.before.search,
            compile_s=s.compile_s + self.before.compiling,
        )

    @property
    def kept_rows(self) -> NDArray[np.int64]:
        return self._kept_rows

    @cached_property
    def _kept_rows(self) -> NDArray[np.int64]:
        kept = self._kept_by_record
        return np.bincount(self.cell, weights=kept, minlength=self.problem.cells.count).astype(np.int64)

    @cached_property
    def _kept_by_record(self) -> NDArray[np.int64]:
        parts = self.solution.parts
        kept = parts.cls != SUPPRESSED
        count = self.coded.records.count
        return np.bincount(parts.record[kept], weights=parts.rows[kept], minlength=count).astype(np.int64)

    @cached_property
    def cell(self) -> NDArray[np.int64]:
        """(records,) the cell of each record."""
        sizes = [hierarchy.leaves for hierarchy in self.problem.hierarchies]
        cells = encode.pack_codes(self.problem.cells.codes, sizes).with_row_index("cell")
        packed = encode.pack_codes(self.coded.records.codes, sizes)
        return packed.join(cells, on=packed.columns, how="left", maintain_order="left")["cell"].to_numpy()

    def units_in(self, place: NDArray[np.int64], groups: int, *, released: bool) -> NDArray[np.int64]:
        records, kept = self.coded.records, self._kept_by_record
        if records.unit is None:
            return super().units_in(place, groups, released=released)
        chosen = kept > 0 if released else kept < records.rows
        pairs = distinct(records.unit[chosen].astype(np.int64) * groups + place[self.cell[chosen]])
        return np.bincount(pairs % max(groups, 1), minlength=groups).astype(np.int64)

    @property
    def levels(self) -> tuple[int, ...] | None:
        return None

    def apply(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        return self._classed(frame).filter(pl.col(CLASS) != SUPPRESSED)

    def flagged(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        classed = self._classed(frame).with_columns((pl.col(CLASS) != SUPPRESSED).alias(KEPT))
        return classed.with_columns(pl.when(KEPT).then(CLASS).alias(CLASS))

    def _classed(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        """The rows with the class of each, read once in input order, in which rows of one record take its classes."""
        seen = self.profile
        words = record_keys(seen.hierarchies, sensitive_values(seen), _normalise(seen), self.coded.unit)
        with guarded("finding each row's class"):
            schema = {**frame.collect_schema(), CLASS: pl.Int32()}
        keys = [word.meta.output_name() for word in words]

        def batches(
            columns: list[str] | None, predicate: pl.Expr | None, limit: int | None, _size: int | None
        ) -> Iterator[pl.DataFrame]:
            wanted = [name for name in schema if columns is None or name in columns]
            plain, key = [pl.col(name) for name in wanted if name != CLASS], pl.struct(words).alias(_KEYS)
            rows = frame.select(*plain, key)
            if seen.bins:  # the keys are those of the bins, the rows keep their values
                coded = binned(frame, seen.bins).select(key)
                rows = pl.concat([frame.select(plain), coded], how="horizontal")
            taken = np.zeros(self.coded.records.count + 1, np.int64)
            with guarded("finding each row's class"):
                for batch in (rows if limit is None else rows.head(limit)).collect_batches(
                    chunk_size=BATCH, maintain_order=True
                ):
                    record = self._records(batch[_KEYS].struct.unnest().select(keys))
                    classed = batch.with_columns(pl.Series(CLASS, self._classes(record, taken))).select(wanted)
                    yield classed if predicate is None else classed.filter(predicate)

        return register_io_source(batches, schema=schema)

    def _records(self, keys: pl.DataFrame) -> NDArray[np.int64]:
        """(rows,) the record of each row by its key; past the last for a row that no hierarchy covers."""
        known = self.coded.keys
        record = keys.join(known, on=keys.columns, how="left", nulls_equal=True, maintain_order="left")["record"]
        return record.fill_null(self.coded.records.count).to_numpy()

    def _classes(self, record: NDArray[np.int64], taken: NDArray[np.int64]) -> NDArray[np.int32]:
        """(rows,) the class of each row; `taken` (records + 1,) counts the rows of each record so far."""
        order = np.argsort(record, kind="stable")
        ordered = record[order]
        first = np.flatnonzero(np.diff(ordered, prepend=-1))
        times = np.diff(first, append=len(ordered))
        before = np.arange(len(ordered)) - np.repeat(first, times) + taken[ordered]
        taken[ordered[first]] += times
        start, ends = self._ends
        part = np.searchsorted(ends, start[ordered] + before, side="right")
        found = np.append(self.solution.parts.cls, np.int32(SUPPRESSED))[part]
        of_row = np.empty(len(record), np.int32)
        of_row[order] = np.where(ordered < self.coded.records.count, found, SUPPRESSED)
        return of_row

    @cached_property
    def _ends(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows before each record (and in all), and rows up to the end of each part."""
        parts = self.solution.parts
        rows = np.bincount(parts.record, weights=parts.rows, minlength=self.coded.records.count).astype(np.int64)
        return np.append(0, np.cumsum(rows)), np.cumsum(parts.rows)

    def release(self, column: int, form: Form) -> list[pl.Expr]:
        return forms.release_tables(self.tables(column, form), pl.col(CLASS))

    def tables(self, column: int, form: Form) -> dict[str, pl.Series]:
        """What the released column(s) hold for each class."""
        hierarchy, cells = self.problem.hierarchies[column], self.solution.sets.get(column)
        if form == "representative":
            return {hierarchy.column: self._representatives(column)}
        if cells is None:
            nodes = self.solution.nodes[:, column]
            return {name: of.gather(nodes) for name, of in forms.node_tables(hierarchy, form).items()}
        if cells.members is not None:
            return {hierarchy.column: member_sets(hierarchy, cells.members)}
        assert cells.low is not None
        assert cells.high is not None
        held, k = holders(self.problem.cells, column, hierarchy.leaves), self.problem.k
        if form == "set":
            return {hierarchy.column: intervals(hierarchy, cells.low, cells.high, held, k)}
        low, high = interval_ends(hierarchy, cells.low, cells.high, held, k)
        return {f"{hierarchy.column}_low": low, f"{hierarchy.column}_high": high}

    def _representatives(self, column: int) -> pl.Series:
        hierarchy, parts = self.problem.hierarchies[column], self.solution.parts
        kept = parts.cls != SUPPRESSED
        leaf = self.coded.records.codes[parts.record[kept], column]
        return representatives(
            hierarchy,
            parts.cls[kept],
            leaf,
            parts.rows[kept],
            self.starred(column),
            holders(self.problem.cells, column, hierarchy.leaves),
            self.problem.k,
        )

    def starred(self, column: int) -> NDArray[np.bool_]:
        """(classes,) whether the cell is `*`."""
        hierarchy, cells = self.problem.hierarchies[column], self.solution.sets.get(column)
        if cells is None:
            is_star: NDArray[np.bool_] = hierarchy.labels.eq_missing(STAR).to_numpy()
            is_star[np.unique(hierarchy.ancestor[0])] = False
            return np.asarray(is_star[self.solution.nodes[:, column]])
        if cells.members is not None:
            sizes: NDArray[np.int64] = np.bitwise_count(cells.members).sum(axis=1, dtype=np.int64)
            whole: NDArray[np.bool_] = sizes == max(hierarchy.leaves, 2)
            return whole
        assert cells.low is not None
        starred: NDArray[np.bool_] = cells.low < 0
        return starred

    def column_losses(self) -> dict[str, float]:
        if not self.problem.rows:
            return {}
        lost = self.problem.rows - int(self.solution.rows.sum())
        by_column = (self.solution.rows @ self.solution.costs + lost) / self.problem.rows
        names = [hierarchy.column for hierarchy in self.problem.hierarchies]
        return dict(zip(names, map(float, by_column), strict=True))

    def plan(self, policy_sha256: str) -> Plan | None:
        """The nodes that classes share; which cell went to which class is secret."""
        kinds = tuple(quasi.form for _, quasi in self.profile.quasi)
        return plan_of_nodes(self.problem.hierarchies, self.solution.nodes, None, kinds, "local", policy_sha256)

    def coarser(self, column: str) -> bool:
        place = [hierarchy.column for hierarchy in self.problem.hierarchies].index(column)
        hierarchy = self.problem.hierarchies[place]
        return bool((self.solution.costs[:, place] > 0).any()) or says_less(hierarchy, hierarchy.finest)
