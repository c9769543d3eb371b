"""Dates and timestamps moved by a secret number of days."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

import polars as pl

from anonym.columns.canonical import canonical_text
from anonym.columns.keys import Key, Keyring, SecretKey
from anonym.errors import InputError, type_name
from anonym.hierarchy.periods import TICKS

_ISO_DATE = r"^(\d{4}-\d{2}-\d{2})"
_DATE_CHARACTERS = 10

PLAIN = (None, "UTC")  # clocks that are never put forward or back


@dataclass(frozen=True)
class Shift:
    """Every date of a unit moved to a later one by the same secret number of whole days, from 1 to `days`.

    The number follows from HMAC(key, ["shift", scope, salt or nothing, unit column, unit]). It is the same in all
    columns with the same key, scope and `days`: the days between any two dates of a unit stay as they are. A timestamp
    keeps its local time of day, its time zone and its type, also across daylight saving; a local time that its new day
    lacks moves by the gap, of one that occurs twice the first is taken. Rows without a unit move as one unit.
    Shifted dates are personal data still: one known date of a unit gives away its offset.
    """

    days: int
    key: Key | None = None  # None: a random one for this release alone
    scope: Literal["release", "project"] = "release"

    def __post_init__(self) -> None:
        if self.days < 1:
            raise ValueError("a shift needs at least one day")
        if self.key is None and self.scope == "project":
            raise ValueError("the same shift across releases needs a key")

    def offset(self, unit: str, keyring: Keyring) -> Callable[[bytes | None], int]:
        """From the canonical text of a unit (None: no unit) to its days; `unit` is the name of the unit's column."""
        salt = keyring.salt if self.scope == "release" else b""
        secret = SecretKey(keyring.salt) if self.key is None else keyring[self.key]
        digest = secret.digester(b"shift", self.scope.encode(), salt, unit.encode())
        return lambda text: 1 + int.from_bytes(digest(b"-" if text is None else b"+" + text), "big") % self.days

    def offsets(self, unit: str, keyring: Keyring) -> Callable[[pl.Series], pl.Series]:
        """From a batch of the unit's column, of that name, to the days of each row (Int32)."""
        from anonym.columns.distinct import derived  # imports Numba

        offset = self.offset(unit, keyring)
        known = derived(offset, pl.Int32())
        return lambda units: known(units).fill_null(offset(None))


def released_schema(name: str, dtype: pl.DataType) -> dict[str, pl.DataType]:
    """The column keeps its name and type."""
    return {name: dtype}


def release(
    name: str, dtype: pl.DataType, action: Shift, unit: str, unit_dtype: pl.DataType, keyring: Keyring
) -> list[pl.Expr]:
    """The shifted column. `unit` names the unit's column in the same frame.

    Text (as from CSV) must begin with an ISO date, `2024-01-31`; what follows it stays. Raises InputError at once for
    other types, and when run for text that does not and for dates that leave the range of their type.
    """
    if not (dtype == pl.Date or dtype == pl.String or isinstance(dtype, pl.Datetime)):
        raise InputError(
            f"column {name!r} has type {type_name(dtype)} and cannot be shifted: expected dates, timestamps or ISO text"
        )
    canonical_text(pl.Series(unit, [], unit_dtype))
    offsets = action.offsets(unit, keyring)

    def shifted(batch: pl.Series) -> pl.Series:
        parts = batch.struct.unnest()
        return moved(parts["date"], offsets(parts["unit"]), name).alias(name)

    pair = pl.struct(pl.col(name).alias("date"), pl.col(unit).alias("unit"))
    return [pair.map_batches(shifted, return_dtype=dtype, is_elementwise=True).alias(name)]


def moved(values: pl.Series, days: pl.Series, name: str) -> pl.Series:
    """Each value (Date, Datetime or text) moved by its days (Int32, positive)."""
    if values.dtype == pl.String:
        return _moved_text(values, days, name)
    zone = values.dtype.time_zone if isinstance(values.dtype, pl.Datetime) else None
    result = _moved_plainly(values, days) if zone in PLAIN else _moved_on_clock(values, days, str(zone))
    is_later = (result.to_physical() > values.to_physical()).all()  # sums wrap around
    if not is_later or result.null_count() > values.null_count():
        raise InputError(f"column {name!r} holds dates too near to the end of what its type {values.dtype} can hold")
    return result


def _moved_plainly(values: pl.Series, days: pl.Series) -> pl.Series:
    """Where every day has 24 hours."""
    ticks = TICKS[values.dtype.time_unit] if isinstance(values.dtype, pl.Datetime) else 1
    line = values.to_physical()
    return (line + days.cast(line.dtype) * ticks).cast(values.dtype)


def _moved_on_clock(values: pl.Series, days: pl.Series, zone: str) -> pl.Series:
    """On the wall clock of the column's time zone."""
    from anonym.columns.zones import moved_by_days  # imports Numba

    is_value = values.is_not_null()
    complete = values.null_count() == 0
    present, by = (values, days) if complete else (values.filter(is_value), days.filter(is_value))
    later = moved_by_days(present, by, zone)
    later = _moved_one_by_one(present, by, zone) if later is None else later
    return (
        later
        if complete
        else pl.repeat(None, len(values), dtype=values.dtype, eager=True).scatter(is_value.arg_true(), later)
    )


def _moved_one_by_one(values: pl.Series, days: pl.Series, zone: str) -> pl.Series:
    """By the engine's conversions, which take twenty times as long, and know years beyond 9999."""
    dtype = values.dtype
    assert isinstance(dtype, pl.Datetime)
    local = _moved_plainly(values.dt.replace_time_zone(None), days)
    result = _placed(local, zone)
    if result.null_count() == local.null_count():
        return result
    # In a gap: the same time a day earlier, and 24 hours on
    day = pl.Series([timedelta(days=1)], dtype=pl.Duration(dtype.time_unit))
    return pl.select(pl.coalesce(result, _placed(local - day, zone) + day)).to_series()


def _placed(local: pl.Series, zone: str) -> pl.Series:
    return local.dt.replace_time_zone(zone, ambiguous="earliest", non_existent="null")


def _moved_text(values: pl.Series, days: pl.Series, name: str) -> pl.Series:
    dates = values.str.extract(_ISO_DATE).str.strptime(pl.Date, "%Y-%m-%d", strict=False)
    unfit = int((dates.is_null() & values.is_not_null()).sum())
    if unfit:
        raise InputError(
            f"column {name!r} is text and {unfit} of its values do not begin with an ISO date (2024-01-31); "
            "declare its type under input.types, or write it so"
        )
    frame = pl.DataFrame({"date": moved(dates, days, name), "rest": values.str.slice(_DATE_CHARACTERS)})
    return frame.select(pl.col("date").dt.to_string("%Y-%m-%d") + pl.col("rest")).to_series()
