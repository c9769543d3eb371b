"""The rows of one table that lie nearest to those of another, over columns of mixed types.

Gower's distance (1971): the mean over the columns of |difference| / range for numbers and dates, and of 0 or 1 for
texts. A generalised cell is as far as its nearest end, and 0 where it covers; null is 0 from null and 1 from all else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.attacks.cover import STAR, Known, covers
from anonym.attacks.line import Line, Spans, line_of
from anonym.attacks.matching import clean, coded

MOST_PAIRS = 200_000_000  # bytes of a table of what fits what; beyond, texts fit only where they are equal


@dataclass(frozen=True)
class Nearest:
    """For each target, in order: distances in [0, 1] to the nearest and second nearest row (inf where there is none),
    and how many rows are equally near."""

    distance: NDArray[np.float64]
    second: NDArray[np.float64]
    ties: NDArray[np.int64]


@dataclass(frozen=True)
class Space:
    """Rows and targets as arrays: numbers (rows, 3 arrays of a column each), texts (codes of a column each)."""

    low: NDArray[np.float64]  # (rows, numbers)
    high: NDArray[np.float64]
    values: NDArray[np.float64]  # (targets, numbers)
    scale: NDArray[np.float64]  # (numbers,)
    codes: NDArray[np.int32]  # (rows, texts)
    target_codes: NDArray[np.int32]  # (targets, texts)
    fits: NDArray[np.uint8]  # flat tables [code, target code], one after another
    offset: NDArray[np.int64]
    width: NDArray[np.int64]


def nearest_to(rows: pl.DataFrame, targets: pl.DataFrame, known: Sequence[Known], ranges: pl.DataFrame) -> Nearest:
    """The nearest of `rows` (their columns `cells`) to each of `targets` (their columns `auxiliary`).

    A number's range is that of column `auxiliary` in `ranges`.
    """
    from anonym.attacks.nearest_kernel import Measure, Rows, nearest

    space = encoded(rows, targets, known, ranges)
    codes, start, order, copies = _grouped(space)
    low, high = space.low[order], space.high[order]
    is_ordered = bool(low.shape[1]) and bool(((low[:, 0] == high[:, 0]) | np.isnan(low[:, 0])).all())
    measure = Measure(space.fits, space.offset, space.width, space.scale)
    kept = Rows(codes, start, low, high, copies)
    distances, ties = nearest(kept, is_ordered, measure, space.target_codes, space.values)
    return Nearest(distances[:, 0], distances[:, 1], ties)


def _grouped(space: Space) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Distinct rows by their texts, in each group by their first number: codes and start of each group, the number of
    a row that stands for each distinct one, and how many it stands for."""
    texts, numbers = space.codes.shape[1], space.low.shape[1]
    columns: dict[str, NDArray[Any]] = {f"t{i}": space.codes[:, i] for i in range(texts)}
    columns |= {f"n{i}{end}": side[:, i] for i in range(numbers) for end, side in (("l", space.low), ("h", space.high))}
    frame = (
        pl.DataFrame(columns).with_row_index("row") if columns else pl.DataFrame({"row": []}, schema={"row": pl.UInt32})
    )
    distinct = frame.group_by(list(columns)).agg(pl.col("row").min(), copies=pl.len()).sort(*columns, nulls_last=True)
    order = distinct["row"].to_numpy().astype(np.int64)
    copies = distinct["copies"].to_numpy().astype(np.int64)
    codes = space.codes[order]
    is_new = np.ones(len(order), np.bool_)
    is_new[1:] = (codes[1:] != codes[:-1]).any(axis=1)
    first = np.flatnonzero(is_new)
    return codes[first], np.append(first, len(order)).astype(np.int64), order, copies


def encoded(rows: pl.DataFrame, targets: pl.DataFrame, known: Sequence[Known], ranges: pl.DataFrame) -> Space:
    """Both tables as arrays; numbers with the most distinct values first, as the search is along the first."""
    numbers, texts = [], []
    for column in known:
        cells = clean(rows, column.cells)
        values = clean(targets, (column.auxiliary,)).to_series()
        line = _line(cells, values, column)
        if line is not None:
            numbers.append(_number(line, cells, values, clean(ranges, (column.auxiliary,)).to_series()))
        else:
            texts.append(_text(column, cells, values))
    numbers.sort(key=lambda parts: -len(np.unique(parts[0])))
    texts.sort(key=lambda parts: (parts[2].size > 0, -int(parts[0].max(initial=0))))  # equal codes, many, first
    fits = [part[2] for part in texts]
    sizes = [part.size for part in fits]
    return Space(
        _side_by_side([part[0] for part in numbers], rows.height, np.float64),
        _side_by_side([part[1] for part in numbers], rows.height, np.float64),
        _side_by_side([part[2] for part in numbers], targets.height, np.float64),
        np.array([part[3] for part in numbers], np.float64),
        _side_by_side([part[0] for part in texts], rows.height, np.int32),
        _side_by_side([part[1] for part in texts], targets.height, np.int32),
        np.concatenate([part.ravel() for part in fits]) if fits else np.zeros(0, np.uint8),
        np.cumsum([0, *sizes[:-1]]).astype(np.int64),
        np.array([part.shape[1] for part in fits], np.int64),
    )


def _side_by_side(columns: list[NDArray[Any]], rows: int, dtype: Any) -> NDArray[Any]:
    return np.column_stack(columns).astype(dtype) if columns else np.zeros((rows, 0), dtype)


def _line(cells: pl.DataFrame, values: pl.Series, column: Known) -> Line | None:
    dtype = cells.dtypes[0]
    if isinstance(dtype, pl.List):
        lengths = cells.to_series(0).list.len().drop_nulls()
        return line_of(dtype.inner, values.dtype, "none") if bool((lengths <= 2).all()) else None  # type: ignore[arg-type]
    return line_of(dtype, values.dtype, column.kind)


def _number(
    line: Line, cells: pl.DataFrame, values: pl.Series, ranges: pl.Series
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], float]:
    """Low and high ends of the cells, the values, and 1 / range. NaN is null; what cannot be read is null too."""
    codes, distinct = coded(cells)
    low, high, is_read = _spans(line, distinct)
    low, high = low.astype(np.float64), high.astype(np.float64)
    low[~is_read], high[~is_read] = np.nan, np.nan
    if distinct.dtypes[0] == pl.String:
        stars = (distinct.to_series(0) == STAR).fill_null(False).to_numpy()
        low[stars], high[stars] = -np.inf, np.inf
    place = codes.to_numpy()
    seen = _floats(line, ranges)
    spread = float(np.nanmax(seen) - np.nanmin(seen)) if np.isfinite(seen).any() else 0.0
    return low[place], high[place], _floats(line, values), 1.0 / spread if spread else 1.0


def _spans(line: Line, cells: pl.DataFrame) -> Spans:
    one = cells.to_series(0)
    if cells.width == 2:
        return line.between(one, cells.to_series(1))
    if isinstance(one.dtype, pl.List):
        return line.between(one.list.get(0, null_on_oob=True), one.list.get(-1, null_on_oob=True))
    return line.spans(one)


def _floats(line: Line, values: pl.Series) -> NDArray[np.float64]:
    return line.codes(values).cast(pl.Float64).fill_null(float("nan")).to_numpy().astype(np.float64)


def _text(
    column: Known, cells: pl.DataFrame, values: pl.Series
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8]]:
    """Codes of cells and values, and the table of what fits what; empty (0, 0) where equal codes fit."""
    of_cells, left = coded(cells)
    of_values, right = coded(values.to_frame())
    pairs = covers(column, left, right.to_series())
    blank = [frame.select(pl.all_horizontal(pl.all().is_null())).to_series().arg_true() for frame in (left, right)]
    if len(blank[0]) and len(blank[1]):
        null = pl.DataFrame({"cell": blank[0][:1], "value": blank[1][:1]}).cast({"cell": pl.UInt32, "value": pl.UInt32})
        pairs = pl.concat([pairs, null])
    is_one_to_one = pairs["cell"].is_unique().all() and pairs["value"].is_unique().all()
    if is_one_to_one or left.height * right.height > MOST_PAIRS:
        return _equal(of_cells, of_values, left.height, pairs)
    table = np.zeros((left.height, right.height), np.uint8)
    table[pairs["cell"].to_numpy(), pairs["value"].to_numpy()] = 1
    return of_cells.to_numpy().astype(np.int32), of_values.to_numpy().astype(np.int32), table


def _equal(
    of_cells: pl.Series, of_values: pl.Series, cells: int, pairs: pl.DataFrame
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8]]:
    """A value has the code of the one cell that covers it, or a code of its own."""
    one = pairs.unique("value", keep="first", maintain_order=True)
    codes = np.arange(int(of_values.max() or 0) + 1, dtype=np.int32) + cells  # type: ignore[arg-type]
    codes[one["value"].to_numpy()] = one["cell"].to_numpy()
    place = of_values.to_numpy()
    return (
        of_cells.to_numpy().astype(np.int32),
        codes[place] if len(place) else place.astype(np.int32),
        np.zeros((0, 0), np.uint8),
    )
