"""What a hierarchy must satisfy beyond its shape: it nests, its levels exist, its ends fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, pairwise
from typing import Any, TypeVar

from anonym.hierarchy.clock import End, Seconds, kind_of
from anonym.hierarchy.packs import pack_names
from anonym.policy.column_shapes import QuasiShape, SensitiveShape
from anonym.policy.faults import Shaped
from anonym.policy.hierarchy_shapes import (
    BreaksShape,
    DateShape,
    IntervalShape,
    IpShape,
    PrefixShape,
    RoundShape,
    TaxonomyShape,
)
from anonym.policy.plain import At, Finding
from anonym.policy.saying import meant

DATE_UNITS = ("day", "month", "quarter", "year", "decade")
_NUMERIC = (IntervalShape, BreaksShape, RoundShape)
_TEXTUAL = (PrefixShape, IpShape, TaxonomyShape)
V = TypeVar("V")


def steps(hierarchy: Any) -> list[Any]:
    """The listed steps of a hierarchy, finest first: level i is step i. Empty for words and files."""
    match hierarchy:
        case IntervalShape(interval=listed) | PrefixShape(prefix=listed) | DateShape(date=listed) | IpShape(ip=listed):
            return list(listed)
        case BreaksShape(breaks=cuts):
            return list(cuts) if isinstance(cuts[0], list) else [cuts]
        case RoundShape(round=decimals):
            return list(decimals) if isinstance(decimals, list) else [decimals]
    return []


def highest_level(hierarchy: Any) -> int | None:
    """The level of `*` (0 where there is none), or None where only the data or a file can tell."""
    if isinstance(hierarchy, str):
        return {"none": 0, "suppress": 1}.get(hierarchy)
    listed = steps(hierarchy)
    return len(listed) + 1 if listed else None


def nesting(at: At, hierarchy: Any) -> Iterator[Finding]:
    """Every class of a level lies within one class of the next."""
    listed = steps(hierarchy)
    if isinstance(hierarchy, IntervalShape | BreaksShape) and len(kinds(listed)) > 1:
        key = "interval" if isinstance(hierarchy, IntervalShape) else "breaks"
        yield Finding((*at, key), "expected numbers only, or lengths of time only, or times of day only")
        return
    match hierarchy:
        case IntervalShape():
            expected = "widths that are each a multiple of the one before"
            yield from _ordered((*at, "interval"), listed, _divides, expected)
        case BreaksShape(breaks=cuts):
            yield from _cuts((*at, "breaks"), listed, isinstance(cuts[0], list))
        case PrefixShape():
            yield from _ordered((*at, "prefix"), listed, _falls, "lengths that decrease")
        case DateShape():
            expected = f"periods that become coarser, each once, in the order {', '.join(DATE_UNITS)}"
            yield from _ordered((*at, "date"), [DATE_UNITS.index(unit) for unit in listed], _rises, expected)
        case RoundShape():
            yield from _ordered((*at, "round"), listed, _falls, "decimals that decrease")
        case IpShape():
            yield from _ordered((*at, "ip"), listed, _falls, "prefix lengths that decrease")


def kinds(values: Iterable[Any]) -> set[str]:
    """What cuts, widths or ends are written in, those of several levels too."""
    flat = chain.from_iterable(value if isinstance(value, list) else [value] for value in values)
    return {kind_of(value) for value in flat}


def _size(value: Any) -> Any:
    return value.seconds if isinstance(value, Seconds) else value


def _rises(a: Any, b: Any) -> bool:
    return bool(_size(a) < _size(b))


def _falls(a: Any, b: Any) -> bool:
    return bool(a > b)


def _divides(a: Any, b: Any) -> bool:
    return (Fraction(_size(b)) / Fraction(_size(a))).denominator == 1


def _ordered(at: At, values: Sequence[V], holds: Callable[[V, V], bool], expected: str) -> Iterator[Finding]:
    wrong = [str(number) for number, (a, b) in enumerate(pairwise(values), 2) if not holds(a, b)]
    if wrong:
        which = f"step {wrong[0]} is not" if len(wrong) == 1 else f"steps {', '.join(wrong)} are not"
        yield Finding(at, f"expected {expected}; {which}")


def _cuts(at: At, levels: list[Any], several: bool) -> Iterator[Finding]:
    for index, cuts in enumerate(levels):
        place = (*at, index) if several else at
        yield from _ordered(place, cuts, _rises, "cuts that increase")
        if index and not set(cuts) <= set(levels[index - 1]):
            yield Finding(place, f"expected only cuts of the level before (step {index}), so that the levels nest")


def bins(at: At, column: SensitiveShape) -> Iterator[Finding]:
    """One level of bins, whose order is their own."""
    yield from nesting((*at, "bins"), column.bins)
    if len(steps(column.bins)) > 1:
        yield Finding((*at, "bins"), "expected one width, or one list of cuts: bins have one level")
    if column.t is not None and column.t.order is not None:
        yield Finding((*at, "t", "order"), "bins are in the order of their values; take out one of the two")
    if column.t is not None and column.t.distance == "hierarchical":
        yield Finding((*at, "t", "distance"), "expected equal or ordered: bins have no hierarchy")


def levels(subject: Shaped, at: At, column: QuasiShape) -> Iterator[Finding]:
    """`finest` and `coarsest` name levels that exist, in order."""
    highest = highest_level(column.hierarchy) if subject.sound(*at, "hierarchy") else None
    for key in ("finest", "coarsest"):
        level = getattr(column, key)
        if level is not None and highest is not None and level > highest and subject.sound(*at, key):
            yield Finding((*at, key), f"expected a level from 0 to {highest}, which this hierarchy has")
    if column.coarsest is not None and column.coarsest < column.finest:
        yield Finding((*at, "coarsest"), "expected a level that is not below finest")


def ends(at: At, column: QuasiShape) -> Iterator[Finding]:
    """`top` and `bottom` are of the kind that the hierarchy reads, and bottom is below top."""
    for key in ("top", "bottom"):
        end = getattr(column, key)
        if end is not None and (kind := _end_mismatch(column.hierarchy, end)):
            yield Finding((*at, key), kind)
    if column.top is None or column.bottom is None:
        return
    if kind_of(column.top) != kind_of(column.bottom):
        yield Finding((*at, "bottom"), "expected the kind that top has: a number, a date, a time of day or a length")
    elif not _size(column.bottom) < _size(column.top):
        yield Finding((*at, "bottom"), "expected less than top")


def _end_mismatch(hierarchy: Any, end: End) -> str | None:
    if isinstance(hierarchy, _TEXTUAL):
        return "top and bottom are for numbers and dates; this hierarchy reads text"
    kind = kind_of(end)
    if isinstance(hierarchy, DateShape):
        return None if kind == "date" else "expected a date written YYYY-MM-DD, as this hierarchy reads dates"
    written = kinds(steps(hierarchy)) if isinstance(hierarchy, IntervalShape | BreaksShape) else {"number"}
    if not isinstance(hierarchy, _NUMERIC) or kind in written:
        return None
    if written == {"number"}:
        return "expected a number, as this hierarchy reads numbers"
    if isinstance(hierarchy, IntervalShape) and kind == "clock":
        return None  # its widths are lengths, for times of day as for durations
    return f"expected {'a time of day' if written == {'clock'} else 'a length of time'}, as this hierarchy has them"


def fitting(at: At, column: QuasiShape) -> Iterator[Finding]:
    """`form` and `normalise` are ones that the hierarchy's values can have; a taxonomy is one that ships."""
    if isinstance(column.hierarchy, TaxonomyShape) and column.hierarchy.taxonomy not in pack_names():
        known = pack_names()
        expected = f"expected one of {', '.join(known)}{meant(column.hierarchy.taxonomy, known)}"
        yield Finding((*at, "hierarchy", "taxonomy"), expected)
    if column.form == "bounds" and isinstance(column.hierarchy, _TEXTUAL):
        yield Finding((*at, "form"), "bounds are for numbers and dates; this hierarchy reads text")
    if column.normalise and isinstance(column.hierarchy, (*_NUMERIC, DateShape)):
        yield Finding((*at, "normalise"), "spellings are for text; this hierarchy reads numbers or dates")
