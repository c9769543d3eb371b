"""A table becomes cells: distinct quasi-identifier tuples with their rows, units and sensitive values counted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.hierarchy.encode import (
    Normal,
    canonical,
    coder,
    fold,
    leaf_code,
    pack,
    pack_batch,
    pack_codes,
    recoder,
    unpack,
    words_of,
)
from anonym.hierarchy.floors import Floors, first_leaves
from anonym.hierarchy.model import Cells, Hierarchy, SensitiveCounts
from anonym.hierarchy.row_codes import RowCodes, WordsKept
from anonym.hierarchy.words import Recode, counted_within

NO_CODES = np.empty(0, dtype=np.int32)


@dataclass(frozen=True)
class CodedCells:
    """Cells, and which unit each number in `cells.shared_unit` stands for: DataFrame[unit, code], sorted by code."""

    cells: Cells
    units: pl.DataFrame
    floors: Floors | None = None  # where cells were merged: the levels below which they tell nothing
    row_codes: RowCodes | None = None  # of the table's rows, where they were to be kept and could be


@dataclass(frozen=True)
class Coarser:
    """Levels to merge cells up to, coarser and coarser, while there are more than `most` of them."""

    most: int
    floors: Iterator[Floors]


@dataclass(frozen=True)
class _Counts:
    """Distinct (cell, sensitive values, unit) tuples of the table, sorted; all arrays (tuples, ...)."""

    cell: NDArray[np.int64]
    sensitive: Mapping[str, NDArray[np.int32]]  # (tuples,) value codes of the columns that are counted
    unit: NDArray[np.int32] | None
    rows: NDArray[np.int64]


def cells(
    frame: pl.LazyFrame,
    hierarchies: Sequence[Hierarchy],
    sensitive: Mapping[str, pl.Series],
    unit: str | None = None,
    *,
    all_units: bool = False,
    normalise: Mapping[str, Sequence[Normal]] | None = None,
) -> Cells:
    """The cells of a table, in one streaming pass; see `Cells` for what is counted and how it is ordered.

    `sensitive` maps columns to their domains. `normalise` must be what the domains were made with. Rows whose leaf is
    `suppressed` in its hierarchy are left out: the rows missing from `total_rows` are those. With `all_units` every
    unit is listed in `shared_*`, also those of one cell, and `units` is 0 throughout. Raises InputError if the
    input holds values that the domains lack; errors of the engine pass through, for the caller to guard.
    """
    return coded_cells(frame, hierarchies, sensitive, unit, all_units=all_units, normalise=normalise).cells


def coded_cells(
    frame: pl.LazyFrame,
    hierarchies: Sequence[Hierarchy],
    sensitive: Mapping[str, pl.Series],
    unit: str | None = None,
    *,
    all_units: bool = False,
    normalise: Mapping[str, Sequence[Normal]] | None = None,
    counted: Collection[str] | None = None,
    coarser: Coarser | None = None,
    rows: int | None = None,
) -> CodedCells:
    """As `cells`, with the listed units' values. They are raw data.

    Only sensitive columns of `counted` (None: all) are counted; the others have no entries. With `coarser` and without
    a unit, cells that agree at its first levels that leave few enough are one, of the first leaf of each node. With
    `rows`, the number of the table's rows, also their codes, where there is no unit and tuples take one word.
    """
    held = {name: values for name, values in sensitive.items() if counted is None or name in counted}
    domains = {**{h.column: h.domain for h in hierarchies}, **held}
    sizes = [max(len(values), 1) for values in domains.values()]
    floors, kept = None, None
    if unit is None and words_of(sizes) == 1:
        kept = None if rows is None else WordsKept(rows)
        tuples, floors = _words(frame, domains, normalise or {}, hierarchies, coarser, kept)
    else:
        tuples = _tuples(frame, domains, unit, normalise or {})
        if unit is None and coarser is not None:
            tuples, floors = _within(tuples, sizes, hierarchies, coarser)
    codes = unpack(tuples, sizes)
    is_in = ~_suppressed(codes, hierarchies)
    if not is_in.all():
        tuples, codes = tuples.filter(pl.Series(is_in)), codes[is_in]
    cell, first = _numbered(codes[:, : len(hierarchies)])
    units, of_row = _unit_codes(tuples, unit)
    values = {name: codes[:, len(hierarchies) + i] for i, name in enumerate(held)}
    counts = _Counts(cell, values, of_row, tuples["rows"].to_numpy())
    result, listed = _cells(counts, codes[first, : len(hierarchies)], sensitive, all_units=all_units)
    shared = pl.DataFrame({"unit": units.gather(listed)})
    row_codes = None if kept is None else RowCodes(kept.all(), tuple(sizes))
    return CodedCells(result, shared.with_columns(code=pl.int_range(pl.len(), dtype=pl.Int32)), floors, row_codes)


def record_keys(
    hierarchies: Sequence[Hierarchy],
    sensitive: Mapping[str, pl.Series],
    normalise: Mapping[str, Sequence[Normal]] | None = None,
    unit: tuple[str, pl.DataType] | None = None,
) -> list[pl.Expr]:
    """Exact words `key_0`, ... of a row's leaf and sensitive value codes: equal where the whole tuple is.

    With the name and type of a unit column also `unit`, its canonical value (null where the row has none).
    """
    keys = _keys({**{h.column: h.domain for h in hierarchies}, **sensitive}, normalise or {})
    return keys if unit is None else [*keys, canonical(*unit).alias("unit")]


def _keys(domains: Mapping[str, pl.Series], normalise: Mapping[str, Sequence[Normal]]) -> list[pl.Expr]:
    codes = [leaf_code(values, name, normalise.get(name, ())) for name, values in domains.items()]
    return pack(codes, [max(len(values), 1) for values in domains.values()])


def records(
    frame: pl.LazyFrame,
    hierarchies: Sequence[Hierarchy],
    sensitive: Mapping[str, pl.Series],
    normalise: Mapping[str, Sequence[Normal]] | None = None,
) -> tuple[NDArray[np.int32], NDArray[np.int64], pl.DataFrame]:
    """The distinct (quasi-identifiers, sensitive values) tuples: codes (records, columns), rows, and their keys.

    The keys are DataFrame[key_0, ..., record], as `record_keys` gives them for a row. Sorted; rows whose leaf is
    `suppressed` in its hierarchy are left out.
    """
    codes, rows, keys, _ = unit_records(frame, hierarchies, sensitive, None, normalise)
    return codes, rows, keys


def unit_records(
    frame: pl.LazyFrame,
    hierarchies: Sequence[Hierarchy],
    sensitive: Mapping[str, pl.Series],
    unit: str | None,
    normalise: Mapping[str, Sequence[Normal]] | None = None,
) -> tuple[NDArray[np.int32], NDArray[np.int64], pl.DataFrame, NDArray[np.int32] | None]:
    """As `records`, the unit being one more of the tuple: also (records,) numbers of the units, from 0.

    The keys then have the units' values, which are raw data, in a column `unit`: null equals null there.
    """
    domains = {**{h.column: h.domain for h in hierarchies}, **sensitive}
    sizes = [max(len(values), 1) for values in domains.values()]
    tuples = _tuples(frame, domains, unit, normalise or {})
    codes = unpack(tuples, sizes)
    is_in = ~_suppressed(codes, hierarchies)
    tuples = tuples.filter(pl.Series(is_in))
    keys = tuples.drop("rows").with_columns(record=pl.int_range(pl.len(), dtype=pl.Int64))
    return codes[is_in], tuples["rows"].to_numpy(), keys, _unit_codes(tuples, unit)[1]


def _tuples(
    frame: pl.LazyFrame,
    domains: Mapping[str, pl.Series],
    unit: str | None,
    normalise: Mapping[str, Sequence[Normal]],
) -> pl.DataFrame:
    """DataFrame[key_0, ..., unit?, rows], one row a distinct tuple, sorted by the keys and then the unit."""
    keys = _keys(domains, normalise)
    if unit is not None:
        keys.append(canonical(unit, frame.collect_schema()[unit]).alias("unit"))
    names = [key.meta.output_name() for key in keys]
    counts = frame.select(keys).group_by(names).agg(pl.len().cast(pl.Int64).alias("rows"))
    return counts.collect(engine="streaming").sort(names, nulls_last=True)


def _words(
    frame: pl.LazyFrame,
    domains: Mapping[str, pl.Series],
    normalise: Mapping[str, Sequence[Normal]],
    hierarchies: Sequence[Hierarchy],
    coarser: Coarser | None,
    kept: WordsKept | None,
) -> tuple[pl.DataFrame, Floors | None]:
    """As `_tuples`, for tuples of one word; and the levels up to which they were merged. `kept` takes up all words."""
    sizes = [max(len(values), 1) for values in domains.values()]
    floors = list(coarser.floors) if coarser is not None else []
    recodes = [_recode(hierarchies, levels, sizes) for levels in floors]
    codes = [leaf_code(values, name, normalise.get(name, ())).alias(name) for name, values in domains.items()]
    batches = frame.select(codes).collect_batches(maintain_order=kept is not None)
    packed: Iterable[NDArray[np.uint64]] = (pack_batch(batch, sizes) for batch in batches)
    if kept is not None:
        packed = map(kept.add, packed)
    words, rows, taken = counted_within(packed, None if coarser is None else coarser.most, recodes)
    return pl.DataFrame({"key_0": words, "rows": rows}), floors[taken - 1] if taken else None


def _within(
    tuples: pl.DataFrame, sizes: Sequence[int], hierarchies: Sequence[Hierarchy], coarser: Coarser
) -> tuple[pl.DataFrame, Floors | None]:
    """Tuples of several words merged up to the first levels that leave few enough; None where they were few."""
    if tuples.height <= coarser.most:
        return tuples, None
    floors, codes = list(coarser.floors), unpack(tuples, sizes)

    def merged(levels: Floors) -> pl.DataFrame:
        recoded = codes.copy()
        for column, (hierarchy, level) in enumerate(zip(hierarchies, levels, strict=True)):
            if level > 0:
                recoded[:, column] = first_leaves(hierarchy, level)[codes[:, column]]
        keys = pack_codes(recoded, sizes)
        return keys.with_columns(tuples["rows"]).group_by(keys.columns).agg(pl.col("rows").sum()).sort(keys.columns)

    if not floors:
        return tuples, None
    low, high, found = 0, len(floors) - 1, None
    while low < high:
        middle = (low + high) // 2
        there = merged(floors[middle])
        if there.height <= coarser.most:
            high, found = middle, there
        else:
            low = middle + 1
    return merged(floors[high]) if found is None else found, floors[high]


def _recode(hierarchies: Sequence[Hierarchy], levels: Floors, sizes: Sequence[int]) -> Recode:
    tables = {
        i: first_leaves(hierarchy, level)
        for i, (hierarchy, level) in enumerate(zip(hierarchies, levels, strict=True))
        if level > 0
    }
    return recoder(tables, sizes)


def _suppressed(codes: NDArray[np.int32], hierarchies: Sequence[Hierarchy]) -> NDArray[np.bool_]:
    is_out = np.zeros(len(codes), dtype=np.bool_)
    for j, hierarchy in enumerate(hierarchies):
        if hierarchy.suppressed.any():
            is_out |= hierarchy.suppressed[codes[:, j]]
    return is_out


def _numbered(rows: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(number of each sorted row's group of equal rows, first row of each group)."""
    fresh = np.ones(len(rows), dtype=np.bool_)
    fresh[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return np.cumsum(fresh) - 1, np.flatnonzero(fresh)


def _unit_codes(tuples: pl.DataFrame, unit: str | None) -> tuple[pl.Series, NDArray[np.int32] | None]:
    """(sorted unit values, null last; code of each tuple's unit)."""
    if unit is None:
        return pl.Series("unit", [], dtype=pl.String), None
    values = tuples["unit"].unique().sort(nulls_last=True)
    return values, coder(values, unit)(tuples["unit"]).to_numpy()


def _cells(
    counts: _Counts, codes: NDArray[np.int32], sensitive: Mapping[str, pl.Series], *, all_units: bool
) -> tuple[Cells, NDArray[np.int64]]:
    """The cells, and the units listed in `shared_*`: shared unit number -> unit code."""
    size = len(codes)
    rows = _sums(counts.cell, counts.rows, size)
    if counts.unit is None:
        columns = tuple(_by_rows(counts, name, values) for name, values in sensitive.items())
        nothing = np.empty(0, dtype=np.int64)
        return Cells(codes, rows, None, NO_CODES, NO_CODES, nothing, columns), nothing
    (unit, cell), pair_rows = _distinct([counts.unit, counts.cell], counts.rows)
    is_single = np.bincount(unit) == 1 if not all_units else np.zeros(int(unit.max(initial=-1)) + 1, np.bool_)
    listed = np.flatnonzero(~is_single)
    number = np.cumsum(~is_single) - 1
    alone = is_single[unit]
    columns = tuple(_by_units(counts, name, values, is_single, number) for name, values in sensitive.items())
    return Cells(
        codes,
        rows,
        units=np.bincount(cell[alone], minlength=size).astype(np.int64),
        shared_unit=number[unit[~alone]].astype(np.int32),
        shared_cell=cell[~alone].astype(np.int32),
        shared_rows=pair_rows[~alone],
        sensitive=columns,
    ), listed


def _uncounted(name: str, values: pl.Series) -> SensitiveCounts:
    weight = np.empty(0, np.float64)
    return SensitiveCounts(name, values, fold(values), NO_CODES, NO_CODES, weight, NO_CODES, NO_CODES, NO_CODES)


def _by_rows(counts: _Counts, name: str, values: pl.Series) -> SensitiveCounts:
    if name not in counts.sensitive:
        return _uncounted(name, values)
    (cell, value), rows = _distinct([counts.cell, counts.sensitive[name]], counts.rows)
    weight = rows.astype(np.float64)
    entries = (cell.astype(np.int32), value.astype(np.int32), weight, NO_CODES, NO_CODES, NO_CODES)
    return SensitiveCounts(name, values, fold(values), *entries)


def _by_units(
    counts: _Counts, name: str, values: pl.Series, is_single: NDArray[np.bool_], number: NDArray[np.int64]
) -> SensitiveCounts:
    """Single-cell units weigh 1 in all, shared equally over their distinct values; the others are listed."""
    assert counts.unit is not None
    if name not in counts.sensitive:
        return _uncounted(name, values)
    (unit, cell, value), _ = _distinct([counts.unit, counts.cell, counts.sensitive[name]], counts.rows)
    alone = is_single[unit]
    share = 1.0 / np.bincount(unit)[unit[alone]] if alone.any() else np.empty(0)
    (at_cell, at_value), weight = _distinct([cell[alone], value[alone]], share)
    return SensitiveCounts(
        name,
        values,
        fold(values),
        at_cell.astype(np.int32),
        at_value.astype(np.int32),
        weight,
        shared_unit=number[unit[~alone]].astype(np.int32),
        shared_cell=cell[~alone].astype(np.int32),
        shared_value=value[~alone].astype(np.int32),
    )


def _distinct(columns: Sequence[NDArray[Any]], amounts: NDArray[Any]) -> tuple[list[NDArray[Any]], NDArray[Any]]:
    """The distinct tuples, sorted by their columns, and the sum of the amounts of each."""
    order = np.lexsort(columns[::-1])
    columns = [column[order] for column in columns]
    group, first = _numbered(np.stack(columns, axis=1)) if len(order) else (order, order)
    return [column[first] for column in columns], _sums(group, amounts[order], len(first))


def _sums(group: NDArray[np.int64], amounts: NDArray[Any], size: int) -> NDArray[Any]:
    """Sum of each sorted group's amounts; exact for integers."""
    if not size:
        return amounts[:0]
    return np.add.reduceat(amounts, np.flatnonzero(np.diff(group, prepend=-1)))
