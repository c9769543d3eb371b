"""Calendar periods of dates and timestamps, in local time where a column has a time zone."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.hierarchy.labels import printed
from anonym.hierarchy.model import Dates, DateUnit
from anonym.hierarchy.steps import Step, Window

TICKS = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}  # of a day
MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
EPOCH_MONTHS = 1970 * 12


def date_steps(declared: Dates, values: pl.Series, window: Window) -> list[Step]:
    """Days, months, quarters, years and decades: `2024-01-31`, `2024-01`, `2024-Q1`, `2024`, `2020s`."""
    return [_step(unit, values, window) for unit in declared.units]


def _step(unit: DateUnit, values: pl.Series, window: Window) -> Step:
    period, node = np.unique(_periods(unit, values), return_inverse=True)
    dates = pl.Series(_starts(unit, period), dtype=pl.Int32).cast(pl.Date)
    lows = starts(dates, values.dtype)
    highs = ends(pl.Series(_starts(unit, period + 1) - 1, dtype=pl.Int32).cast(pl.Date), values.dtype)
    if len(window.bottom_high):
        lows = lows.to_physical().clip(lower_bound=window.bottom_high.to_physical()[0] + 1).cast(values.dtype)
    if len(window.top_low):
        highs = highs.to_physical().clip(upper_bound=window.top_low.to_physical()[0] - 1).cast(values.dtype)
    return Step(node.astype(np.int64), _labels(unit, dates), lows, highs)


def _periods(unit: DateUnit, values: pl.Series) -> NDArray[np.int64]:
    """Number of the local period that holds each value: days from 1970, or months, quarters, ... from year 0."""
    if unit == "day":
        return values.dt.date().to_physical().cast(pl.Int64).to_numpy()
    months: NDArray[np.int64] = (
        values.dt.year().cast(pl.Int64).to_numpy() * 12 + values.dt.month().cast(pl.Int64).to_numpy() - 1
    )
    return months // MONTHS[unit]


def _starts(unit: DateUnit, period: NDArray[np.int64]) -> NDArray[np.int64]:
    """First day of each period, in days from 1970."""
    if unit == "day":
        return period
    months = period * MONTHS[unit] - EPOCH_MONTHS
    return months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)


def _labels(unit: DateUnit, dates: pl.Series) -> pl.Series:
    year = dates.dt.strftime("%Y")
    if unit == "day":
        return printed(dates)
    if unit == "month":
        return dates.dt.strftime("%Y-%m")
    if unit == "quarter":
        return year + "-Q" + dates.dt.quarter().cast(pl.String)
    return year + "s" if unit == "decade" else year


def starts(days: pl.Series, dtype: pl.DataType) -> pl.Series:
    """The first moment of each day in the column's own type.

    Where the clock skips midnight, one that is never after it; where it strikes twice, the first.
    """
    return days if dtype == pl.Date else _moments(days, dtype, ambiguous="earliest", detour=1)


def ends(days: pl.Series, dtype: pl.DataType) -> pl.Series:
    """The last moment of each day in the column's own type (for timestamps a tick before the next midnight)."""
    if dtype == pl.Date:
        return days
    if isinstance(dtype, pl.Datetime) and dtype.time_zone in (None, "UTC"):
        return _ticks(_shifted(days, 1), dtype.time_unit, -1).cast(dtype)
    tomorrow = _moments(_shifted(days, 1), dtype, ambiguous="latest", detour=-1)
    return (tomorrow.to_physical() - 1).cast(dtype)


def _moments(days: pl.Series, dtype: pl.DataType, *, ambiguous: str, detour: int) -> pl.Series:
    """Midnight at the start of each day; a skipped one is told by the offset of the day `detour` days away."""
    assert isinstance(dtype, pl.Datetime)
    unit, zone = dtype.time_unit, dtype.time_zone
    midnight = _local(days, unit, zone, ambiguous)
    if zone is None or not midnight.null_count():
        return midnight
    beside = _local(_shifted(days, detour), unit, zone, ambiguous).to_physical() - detour * TICKS[unit]
    return midnight.to_physical().fill_null(pl.Series([0])).zip_with(midnight.is_not_null(), beside).cast(dtype)


def _local(days: pl.Series, unit: str, zone: str | None, ambiguous: str) -> pl.Series:
    naive = _ticks(days, unit, 0)
    if zone is None:
        return naive
    return naive.dt.replace_time_zone(zone, ambiguous=ambiguous, non_existent="null")  # type: ignore[arg-type]


def _shifted(days: pl.Series, by: int) -> pl.Series:
    return (days.to_physical() + by).cast(pl.Date)


def _ticks(days: pl.Series, unit: str, more: int) -> pl.Series:
    """Midnights and `more` ticks as timestamps, as far as the unit reaches: nanoseconds do from 1677 to 2262."""
    moments = (day * TICKS[unit] + more for day in days.to_physical().to_list())
    within = [min(max(moment, -(2**63)), 2**63 - 1) for moment in moments]
    return pl.Series(days.name, within, dtype=pl.Int64).cast(pl.Datetime(unit))  # type: ignore[arg-type]
