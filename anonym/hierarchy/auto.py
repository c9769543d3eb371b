"""`hierarchy: auto`: what a column's type and values suggest, as a declaration that could have been written by hand.

Nothing depends on the order of rows, and no interval ends at a value of the data: ends are multiples of 1, 2 or 5 times
a power of ten, doubled from level to level. Categories that fewer than k members hold are named by no level above 0.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.hierarchy.labels import printed
from anonym.hierarchy.model import Breaks, Dates, DateUnit, Declaration, Groups, Networks, Prefix, Suppress
from anonym.hierarchy.networks import address_of
from anonym.hierarchy.periods import date_steps
from anonym.hierarchy.steps import Window

INTERVALS = 24  # of the finest level between the open ends, about, and no more than half the values there
TAIL = 50  # an open end holds one row in fifty, at least, and k members
LEVELS = 5
BITS = {4: (24, 16, 8), 6: (64, 48, 32)}
UNITS: tuple[DateUnit, ...] = ("day", "month", "quarter", "year", "decade")
MERGED = 0.75  # bits of information that a shorter prefix must lose to be a level of its own
LONGEST_CODE = 20

_CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9./-]*")

Weights = NDArray[np.int64]


def concrete(domain: pl.Series, members: pl.Series, k: int) -> Declaration:
    """The declaration for `domain`: (n,) distinct originals, sorted, null last; `members` is (n,) rows or units."""
    is_value = domain.is_not_null()
    values, weights = domain.filter(is_value), members.filter(is_value).cast(pl.Int64).to_numpy()
    if len(values) < 3 or values.dtype == pl.Boolean:
        return Suppress()
    if values.dtype.is_numeric():
        return _intervals(values, weights, k)
    if values.dtype.is_temporal():
        return _periods(values)
    texts = values.to_list()
    addresses = [address_of(text) for text in texts]
    if all(addresses):
        versions = {address[0] for address in addresses if address}
        return Networks(tuple(sorted((bits for version in versions for bits in BITS[version]), reverse=True)))
    if _are_codes(texts, weights) and (lengths := tuple(_prefixes(values, weights))):
        return Prefix(lengths)
    return _groups(printed(values).to_list(), weights, k)


def _intervals(values: pl.Series, weights: Weights, k: int) -> Declaration:
    """Cuts at multiples of a width that doubles from level to level, with open ends that hold enough members."""
    enough = max(k, -(-int(weights.sum()) // TAIL))
    upto = np.cumsum(weights)
    low = int(np.searchsorted(upto, enough))
    high = len(values) - 1 - int(np.searchsorted(np.cumsum(weights[::-1]), enough))
    if high <= low:
        return Suppress()
    first, last = Fraction(str(values[low])), Fraction(str(values[high]))
    width = _nice((last - first) / min(INTERVALS, (high - low + 1) // 2))
    if values.dtype.is_integer():
        width = max(width, Fraction(2))
    levels: list[tuple[Decimal, ...]] = []
    while len(levels) < LEVELS and (cuts := _multiples(width, first, last)):
        levels.append(cuts)
        width *= 2
    return Breaks(tuple(levels)) if levels else Suppress()


def _nice(least: Fraction) -> Fraction:
    """The smallest of 1, 2, 5 times a power of ten that is at least `least`."""
    power = Fraction(10) ** (math.floor(math.log10(least)) - 1)
    return next(step * power * up for up in (1, 10, 100) for step in (1, 2, 5) if step * power * up >= least)


def _multiples(width: Fraction, above: Fraction, upto: Fraction) -> tuple[Decimal, ...]:
    return tuple(_decimal(i * width) for i in range(above // width + 1, upto // width + 1))


def _decimal(value: Fraction) -> Decimal:
    """A fraction whose denominator is a product of twos and fives, exactly."""
    digits = 0
    while (value * 10**digits).denominator > 1:
        digits += 1
    return Decimal((int(value < 0), tuple(map(int, str(abs(int(value * 10**digits))))), -digits))


def _periods(values: pl.Series) -> Declaration:
    """The calendar units that merge some values, and not all, each coarser than the one before."""
    nothing = Window(0, len(values), None, None, values.clear(), values.clear())
    units: list[DateUnit] = []
    left = len(values)
    for unit in UNITS:
        (step,) = date_steps(Dates((unit,)), values, nothing)
        if 1 < len(step.labels) < left:
            units.append(unit)
            left = len(step.labels)
    return Dates(tuple(units)) if units else Suppress()


def _are_codes(texts: Sequence[str], weights: Weights) -> bool:
    """Whether nearly all are short words with a digit in them."""
    is_code = [
        len(text) <= LONGEST_CODE and bool(_CODE.fullmatch(text)) and any(map(str.isdigit, text)) for text in texts
    ]
    return int(weights[is_code].sum()) >= 0.9 * int(weights.sum())


def _prefixes(values: pl.Series, weights: Weights) -> Iterator[int]:
    """Lengths, decreasing, at which prefixes tell markedly less than at the length before."""
    texts = pl.DataFrame({"text": values, "weight": weights})
    longest = int(values.str.len_chars().max() or 0)  # type: ignore[arg-type]
    left, found = _information(texts, longest), 0
    for length in range(longest - 1, 0, -1):
        told = _information(texts, length)
        if found < LEVELS and 0 < told <= left - MERGED:
            left, found = told, found + 1
            yield length


def _information(texts: pl.DataFrame, length: int) -> float:
    """Entropy, in bits, of the first `length` characters."""
    by_prefix = texts.group_by(pl.col("text").str.head(length)).agg(pl.col("weight").sum()).sort("text")
    share = by_prefix["weight"].to_numpy() / texts["weight"].sum()
    return float(-(share * np.log2(share)).sum())


def _groups(texts: Sequence[str], weights: Weights, k: int) -> Declaration:
    """Those that k members hold, then half as many each time; a rest of one would only be renamed."""
    by_frequency = [texts[i] for i in np.lexsort((np.arange(len(texts)), -weights))]
    count = min(int((weights >= k).sum()), len(texts) - 2)
    kept: list[tuple[str, ...]] = []
    while count > 0 and len(kept) < LEVELS:
        kept.append(tuple(sorted(by_frequency[:count])))
        count //= 2
    if not kept:
        return Suppress()
    return Groups(tuple(kept), tuple(_unused(f"other than top {len(names)}", set(texts)) for names in kept))


def _unused(label: str, taken: set[str]) -> str:
    return label if label not in taken else _unused(f"({label})", taken)
