"""Where values stand in a sorted domain, looked up in a table of their bits; no value is taken for another.

Numbers are their own bits. Texts have 64-bit hashes, and each is compared with the text that it was taken for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

Bits = NDArray[np.uint64]
Codes = NDArray[np.int32]
Finder = Callable[[pl.Series], pl.Series]
Hash = Callable[[pl.Series], Bits]

SLACK = 4  # slots a key


def polars_hash(texts: pl.Series) -> Bits:
    return texts.hash().to_numpy()


def finder(values: pl.Series, hashes: Hash = polars_hash) -> Finder:
    """A function from columns of the type of `values` to Int32 positions among them, null for null and for strangers.

    `values` are distinct, sorted and without null, and of a type that `is_searchable`.
    """
    if not len(values):
        return lambda column: pl.repeat(None, len(column), dtype=pl.Int32, eager=True)
    place, none = _of_text(values, hashes) if values.dtype == pl.String else _of_numbers(values), len(values)

    def find(column: pl.Series) -> pl.Series:
        codes = place(column.rechunk())
        found, is_found = pl.Series(codes), codes < none
        return found if is_found.all() else found.zip_with(pl.Series(is_found), pl.Series([None], dtype=pl.Int32))

    return find


def entries(table: pl.Series, places: pl.Series) -> pl.Series:
    """The table's entry at each place, which is never negative.

    Int32 places are taken for the engine's own indices as they stand: it spends half the time on their signs.
    """
    places = places.rechunk()
    return table.gather(places.reinterpret(signed=False) if places.dtype == pl.Int32 else places)


def is_searchable(dtype: pl.DataType) -> bool:
    """Types whose values are text, or have a number of at most 64 bits that NumPy knows."""
    is_wide = dtype.is_decimal() or dtype in (pl.Int128, pl.UInt128)
    return dtype == pl.String or dtype.is_temporal() or (dtype.is_numeric() and not is_wide)


def _of_text(values: pl.Series, hashes: Hash) -> Callable[[pl.Series], Codes]:
    known = hashes(values)
    if len(np.unique(known)) < len(known):
        return _by_enum(values)
    place, met_at = _by_bits(known), pl.concat([values, values.head(1)]).rechunk()  # a stranger meets any other

    def find(column: pl.Series) -> Codes:
        codes = place(hashes(column))
        met = entries(met_at, pl.Series(codes))
        if column.null_count() or not (same := met == column).all():
            same = met.eq_missing(column)
            codes[~same.to_numpy()] = len(values)
        return codes

    return find


def _by_enum(values: pl.Series) -> Callable[[pl.Series], Codes]:
    """Where two texts share their hash."""
    categories = pl.Enum(values)
    return lambda column: (
        column.cast(categories, strict=False).to_physical().cast(pl.Int32).fill_null(len(values)).to_numpy()
    )


def _of_numbers(values: pl.Series) -> Callable[[pl.Series], Codes]:
    keys = values.to_physical().to_numpy()
    place = _by_bits(bits_of(keys))

    def find(column: pl.Series) -> Codes:
        physical = column.to_physical()
        if not physical.null_count():
            return place(bits_of(physical.to_numpy()))
        codes = place(bits_of(physical.fill_null(keys[0]).to_numpy()))
        codes[physical.is_null().to_numpy()] = len(values)
        return codes

    return find


def bits_of(numbers: NDArray[Any]) -> Bits:
    """Equal bits for equal numbers of one type, integers being extended with their sign. -0.0 must be 0.0 before."""
    if numbers.dtype.kind == "f":
        return numbers.view(f"u{numbers.itemsize}").astype(np.uint64, copy=False)
    if numbers.dtype.kind == "u":
        return numbers.astype(np.uint64, copy=False)
    return numbers.astype(np.int64, copy=False).view(np.uint64)


def _by_bits(keys: Bits) -> Callable[[Bits], Codes]:
    """A function that finds the place of each key among these, which are distinct."""
    from anonym.hierarchy import slots  # imports Numba

    table, known = slots.free_slots(len(keys), SLACK), np.empty_like(keys)
    slots.enter(keys, table, known, 0, np.empty(len(keys), np.uint32), np.empty(len(keys), np.int64))

    def place(wanted: Bits) -> Codes:
        codes = np.empty(len(wanted), dtype=np.int32)
        slots.find(wanted, table, known, codes)
        return codes

    return place
