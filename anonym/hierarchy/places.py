"""Where values stand in a sorted domain, looked up in tables of their bits; no value is taken for another.

Numbers are their own bits. Texts are cast to an Enum where they are few: it is built anew for every batch. Others have
64-bit hashes, and each is compared with the text that it was taken for: 35 ms a million of 50,000 addresses, where an
Enum of them took 60 to 300.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

Bits = NDArray[np.uint64]
Codes = NDArray[np.int32]
Places = NDArray[np.int64]  # as wide as NumPy's indices: narrower ones are widened one by one
Finder = Callable[[pl.Series], pl.Series]
Hash = Callable[[pl.Series], Bits]

COMPACT = 1 << 20  # integers that span less are looked up by their distance from the first
FEW = 1000  # texts
SLACK = 4  # slots a key
BLOCK = 1 << 14  # values looked up at a time: what is worked out on the way stays in the cache
TABLES = 4  # each for keys whose slots in the one before were taken; what is left then is found by bisection
NONE = -1
_ODD = tuple(np.uint64(odd) for odd in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93))


def polars_hash(texts: pl.Series) -> Bits:
    return texts.hash().to_numpy()


def finder(values: pl.Series, hashes: Hash = polars_hash) -> Finder:
    """A function from columns of the type of `values` to Int32 positions among them, null for null and for strangers.

    `values` are distinct, sorted and without null, and of a type that `is_searchable`.
    """
    if not len(values):
        return lambda column: pl.repeat(None, len(column), dtype=pl.Int32, eager=True)
    place = _of_text(values, hashes) if values.dtype == pl.String else _of_numbers(values)

    def find(column: pl.Series) -> pl.Series:
        codes = place(column.rechunk())
        found, is_found = pl.Series(codes), codes >= 0
        return found if is_found.all() else found.zip_with(pl.Series(is_found), pl.Series([None], dtype=pl.Int32))

    return find


def is_searchable(dtype: pl.DataType) -> bool:
    """Types whose values are text, or have a number of at most 64 bits that NumPy knows."""
    is_wide = dtype.is_decimal() or dtype in (pl.Int128, pl.UInt128)
    return dtype == pl.String or dtype.is_temporal() or (dtype.is_numeric() and not is_wide)


def _of_text(values: pl.Series, hashes: Hash) -> Callable[[pl.Series], Codes]:
    known = hashes(values)
    if len(values) <= FEW or len(np.unique(known)) < len(known):
        return _by_enum(values)
    place = _in_blocks(_by_bits(known))

    def find(column: pl.Series) -> Codes:
        codes = place(hashes(column))
        met = values.gather(pl.Series(np.maximum(codes, 0)))
        if column.null_count() or not (same := met == column).all():
            same = met.eq_missing(column)
        codes[~same.to_numpy()] = NONE
        return codes

    return find


def _by_enum(values: pl.Series) -> Callable[[pl.Series], Codes]:
    categories = pl.Enum(values)
    return lambda column: (
        column.cast(categories, strict=False).to_physical().cast(pl.Int32).fill_null(NONE).to_numpy(writable=True)
    )


def _of_numbers(values: pl.Series) -> Callable[[pl.Series], Codes]:
    keys = values.to_physical().to_numpy()
    is_compact = keys.dtype.kind in "iu" and int(keys[-1]) - int(keys[0]) < COMPACT
    place = _in_blocks(_by_offset(bits_of(keys)) if is_compact else _by_bits(bits_of(keys)))

    def find(column: pl.Series) -> Codes:
        physical = column.to_physical()
        if not physical.null_count():
            return place(bits_of(physical.to_numpy()))
        codes = place(bits_of(physical.fill_null(keys[0]).to_numpy()))
        codes[physical.is_null().to_numpy()] = NONE
        return codes

    return find


def bits_of(numbers: NDArray[Any]) -> Bits:
    """Equal bits for equal numbers of one type, integers being extended with their sign. -0.0 must be 0.0 before."""
    if numbers.dtype.kind == "f":
        return numbers.view(f"u{numbers.itemsize}").astype(np.uint64, copy=False)
    if numbers.dtype.kind == "u":
        return numbers.astype(np.uint64, copy=False)
    return numbers.astype(np.int64, copy=False).view(np.uint64)


def _in_blocks(place: Callable[[Bits], Places]) -> Callable[[Bits], Codes]:
    def placed(wanted: Bits) -> Codes:
        codes = np.empty(len(wanted), dtype=np.int32)
        for start in range(0, len(wanted), BLOCK):
            codes[start : start + BLOCK] = place(wanted[start : start + BLOCK])
        return codes

    return placed


def _by_offset(keys: Bits) -> Callable[[Bits], Places]:
    """A table over the whole range. Differences are modulo 2^64, where those of numbers with and without sign agree."""
    reach = (keys[-1:] - keys[0])[0]  # of arrays: a difference of two numbers would warn that it is taken modulo
    table = np.full(int(reach) + 2, NONE, dtype=np.int64)  # the last entry is for what lies beyond
    table[(keys - keys[0]).view(np.int64)] = np.arange(len(keys))

    def place(wanted: Bits) -> Places:
        found: Places = table[np.minimum(wanted - keys[0], reach + np.uint64(1)).view(np.int64)]
        return found

    return place


def _by_bits(keys: Bits, left: Places | None = None, tables: int = 0) -> Callable[[Bits], Places]:
    """A table by a multiplicative hash. Keys whose slot went to another one are `left` to a table of their own."""
    left = np.arange(len(keys)) if left is None else left
    if tables == TABLES:
        return _by_bisection(keys, left)
    width, odd = (SLACK * len(left) - 1).bit_length(), _ODD[tables]
    shift = np.uint64(64 - width)
    at = _slots(keys[left], odd, shift)
    slot = np.zeros(1 << width, dtype=np.int64)
    slot[at] = left
    displaced = left[slot[at] != left]
    others = _by_bits(keys, displaced, tables + 1) if len(displaced) else None

    def place(wanted: Bits) -> Places:
        found = slot[_slots(wanted, odd, shift)]
        rest = np.flatnonzero(keys[found] != wanted)
        if len(rest):
            found[rest] = NONE if others is None else others(wanted[rest])
        return found

    return place


def _slots(bits: Bits, odd: np.uint64, shift: np.uint64) -> Places:
    return ((bits * odd) >> shift).view(np.int64)


def _by_bisection(keys: Bits, left: Places) -> Callable[[Bits], Places]:
    order = left[np.argsort(keys[left])]
    known = keys[order]

    def place(wanted: Bits) -> Places:
        at = np.searchsorted(known, wanted).clip(max=len(known) - 1)
        return np.where(known[at] == wanted, order[at], NONE)

    return place
