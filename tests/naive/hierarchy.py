"""Hierarchies and cells the slow and obvious way: one value at a time, exact fractions, plain dictionaries."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from anonym.hierarchy.model import (
    Breaks,
    Dates,
    Declaration,
    FileHierarchy,
    Identity,
    Interval,
    Prefix,
    Rounded,
)

Label = str | None


def exact(value: Any) -> Fraction:
    """The decimal that a number prints as."""
    return Fraction(str(value))


def shortest(value: Fraction) -> str:
    """Exact decimal text without idle zeros."""
    digits = 0
    while (value * 10**digits).denominator != 1:
        digits += 1
    whole = int(value * 10**digits)
    text = f"{abs(whole):0{digits + 1}d}"
    text = f"{text[:-digits]}.{text[-digits:]}".rstrip("0").rstrip(".") if digits else text
    return f"-{text}" if whole < 0 else text


def range_label(low: Fraction | None, high: Fraction | None, *, is_open: bool, is_integer: bool) -> str:
    """[low, high), or (low, high), of a column of integers or of other numbers."""
    if is_integer:
        first = None if low is None else math.floor(low) + 1 if is_open else math.ceil(low)
        last = None if high is None else math.ceil(high) - 1
        if first is None or last is None:
            return "*" if first == last else f"<={last}" if first is None else f">={first}"
        return str(first) if first == last else f"{first}-{last}"
    if low is None or high is None:
        sign = ">" if is_open else ">="
        return "*" if low == high else f"<{shortest(high)}" if low is None else f"{sign}{shortest(low)}"
    return f"{'(' if is_open else '['}{shortest(low)}, {shortest(high)})"


def number_label(
    declared: Declaration, level: int, value: Any, *, is_integer: bool, top: Decimal | None, bottom: Decimal | None
) -> str:
    """The label of a number at a level above 0 that a declaration lists."""
    number = exact(value)
    if isinstance(declared, Rounded):
        for decimals in declared.decimals[:level]:
            unit = Fraction(10) ** -decimals
            number = math.floor(number / unit + Fraction(1, 2)) * unit
        return shortest(number)
    low: Fraction | None
    high: Fraction | None
    if isinstance(declared, Interval):
        width = Fraction(declared.widths[level - 1])
        low = math.floor(number / width) * width
        high = low + width
    else:
        assert isinstance(declared, Breaks)
        cuts = [Fraction(cut) for cut in declared.levels[level - 1]]
        low = max((cut for cut in cuts if cut <= number), default=None)
        high = min((cut for cut in cuts if cut > number), default=None)
    is_open = False
    if bottom is not None and (low is None or low <= bottom):
        low, is_open = Fraction(bottom), True
    if top is not None and (high is None or high > top):
        high = Fraction(top)
    return range_label(low, high, is_open=is_open, is_integer=is_integer)


def period_label(unit: str, value: date) -> str:
    """The label of the local day that holds a date or timestamp."""
    return {
        "day": f"{value.year:04d}-{value.month:02d}-{value.day:02d}",
        "month": f"{value.year:04d}-{value.month:02d}",
        "quarter": f"{value.year:04d}-Q{(value.month + 2) // 3}",
        "year": f"{value.year:04d}",
        "decade": f"{value.year // 10:03d}0s",
    }[unit]


def labels(
    declared: Declaration,
    values: Sequence[Any],
    printed: Callable[[Any], str],
    *,
    is_integer: bool = False,
    top: Any = None,
    bottom: Any = None,
    lines: Mapping[str, Sequence[str]] | None = None,
) -> list[list[Label]]:
    """(levels, values) labels of distinct values; `lines` is the hierarchy file, by leaf."""
    steps: Sequence[Any] = ()
    match declared:
        case Interval(widths=steps) | Breaks(levels=steps) | Rounded(decimals=steps) | Dates(units=steps):
            pass
        case Prefix(lengths=steps):
            longest = max((len(printed(value)) for value in values if value is not None), default=0)
        case FileHierarchy():
            assert lines is not None
            steps = next(iter(lines.values()))[1:-1]
    result = []
    for level in range(1 + len(steps)):
        row: list[Label] = []
        for value in values:
            if value is None:
                row.append(None)
            elif top is not None and _coded(value) >= top:
                row.append(f">={_end(top)}")
            elif bottom is not None and _coded(value) <= bottom:
                row.append(f"<={_end(bottom)}")
            elif lines is not None:
                row.append(lines[printed(value)][level])
            elif level == 0:
                row.append(printed(value))
            elif isinstance(declared, Dates):
                row.append(period_label(declared.units[level - 1], value))
            elif isinstance(declared, Prefix):
                row.append(printed(value)[: declared.lengths[level - 1]].ljust(longest, "*"))
            else:
                row.append(number_label(declared, level, value, is_integer=is_integer, top=top, bottom=bottom))
        result.append(row)
    if not isinstance(declared, Identity):
        result.append(["*"] * len(values))
    return result


def _coded(value: Any) -> Any:
    return value.date() if isinstance(value, datetime) else value if isinstance(value, date) else exact(value)


def _end(end: Any) -> str:
    return str(end) if isinstance(end, date) else shortest(Fraction(end))


def place(value: Any) -> Fraction:
    """Where a number, date or timestamp lies on its line."""
    if isinstance(value, datetime):
        return Fraction((value - datetime(1970, 1, 1, tzinfo=value.tzinfo)) // timedelta(microseconds=1))
    return Fraction(value.toordinal()) if isinstance(value, date) else Fraction(value)


def penalty(label: Label, row: Sequence[Label], values: Sequence[Any], *, is_ordered: bool) -> float:
    """NCP of a label: of the values that have it at this level."""
    covered = [value for value, own in zip(values, row, strict=True) if own == label]
    if label == "*":
        return float(len(values) > 1)
    if not is_ordered:
        return (len(covered) - 1) / (len(values) - 1) if len(values) > 1 else 0.0
    line = [place(value) for value in values if value is not None]
    within = [place(value) for value in covered if value is not None]
    if len(line) < 2 or not within:
        return 0.0
    return float((max(within) - min(within)) / (max(line) - min(line)))


def canonical(value: Any) -> Any:
    """NaN is null, -0.0 is 0.0."""
    if isinstance(value, float):
        return None if math.isnan(value) else value + 0.0 if value else 0.0
    return value


Row = Mapping[str, Any]
Key = tuple[Any, ...]


def grouped(rows: Sequence[Row], quasi: Sequence[str]) -> dict[Key, list[Row]]:
    """Rows by quasi-identifier tuple."""
    found: dict[Key, list[Row]] = defaultdict(list)
    for row in rows:
        found[tuple(canonical(row[name]) for name in quasi)].append(row)
    return found


def units_by_cell(cells: Mapping[Key, Sequence[Row]], unit: str) -> dict[Any, dict[Key, int]]:
    """For each unit its cells and its rows there; null is a unit like any other."""
    found: dict[Any, dict[Key, int]] = defaultdict(Counter)
    for key, rows in cells.items():
        for row in rows:
            found[canonical(row[unit])][key] += 1
    return found


def weights(
    cells: Mapping[Key, Sequence[Row]], sensitive: str, unit: str | None, listed: set[Any]
) -> dict[tuple[Key, Any], Fraction]:
    """Weight of each (cell, sensitive value): rows, or units that are not listed, each shared over its values there."""
    found: dict[tuple[Key, Any], Fraction] = defaultdict(Fraction)
    for key, rows in cells.items():
        if unit is None:
            for row in rows:
                found[key, canonical(row[sensitive])] += 1
            continue
        values = defaultdict(set)
        for row in rows:
            values[canonical(row[unit])].add(canonical(row[sensitive]))
        for owner, own in values.items():
            for value in own if owner not in listed else ():
                found[key, value] += Fraction(1, len(own))
    return found


def triples(
    cells: Mapping[Key, Sequence[Row]], sensitive: str, unit: str, listed: set[Any]
) -> set[tuple[Any, Key, Any]]:
    """Distinct (unit, cell, sensitive value) of the listed units."""
    return {
        (canonical(row[unit]), key, canonical(row[sensitive]))
        for key, rows in cells.items()
        for row in rows
        if canonical(row[unit]) in listed
    }
