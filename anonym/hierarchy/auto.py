"""`hierarchy: auto`: what a column's type and values suggest, as a declaration that could have been written by hand.

Nothing depends on the order of rows, and no interval ends at a value of the data: ends are multiples of 1, 2 or 5 times
a power of ten, doubled from level to level, and of times round numbers of seconds, minutes, hours and days. Categories
that fewer than k members hold are named by no level above 0.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import chain

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.hierarchy.clock import DAY, digits_of_second, measure_of
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
CLOCKS = (1, 5, 15, 60, 300, 900, 3600, 3 * 3600, 6 * 3600, 12 * 3600, DAY, 7 * DAY, 28 * DAY)  # seconds

_CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9./-]*")

Weights = NDArray[np.int64]


def concrete(domain: pl.Series, members: pl.Series, k: int) -> Declaration:
    """The declaration for `domain`: (n,) distinct originals, sorted, null last; `members` is (n,) rows or units."""
    is_value = domain.is_not_null()
    values, weights = domain.filter(is_value), members.filter(is_value).cast(pl.Int64).to_numpy()
    if len(values) < 3 or values.dtype == pl.Boolean:
        return Suppress()
    if measure_of(values.dtype):
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
    first, last = _number(values, low), _number(values, high)
    least = (last - first) / min(INTERVALS, (high - low + 1) // 2)
    of = measure_of(values.dtype) or "number"
    widths = _doubled(max(_nice(least), Fraction(2 if values.dtype.is_integer() else 0)))
    levels: list[tuple[Decimal, ...]] = []
    for width in widths if of == "number" else _of_clocks(least):
        if len(levels) == LEVELS or not (cuts := _multiples(width, first, last)):
            break
        levels.append(cuts)
    return Breaks(tuple(levels), of) if levels else Suppress()


def _number(values: pl.Series, place: int) -> Fraction:
    """One of the values; of times and durations the seconds."""
    if values.dtype.is_temporal():
        return Fraction(int(values.to_physical()[place]), 10 ** digits_of_second(values.dtype))
    return Fraction(str(values[place]))


def _doubled(width: Fraction) -> Iterator[Fraction]:
    while True:
        yield width
        width *= 2


def _of_clocks(least: Fraction) -> Iterator[Fraction]:
    """Widths in seconds from `least` on, each dividing the next: 1, 5, 15 and 60 of seconds and minutes, then hours."""
    parts = (Fraction(digit, 10**place) for place in range(9, 0, -1) for digit in (1, 5))
    widths = chain(parts, map(Fraction, CLOCKS), _doubled(Fraction(2 * CLOCKS[-1])))
    return (width for width in widths if width >= least)


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
