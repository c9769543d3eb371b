"""What in a policy is allowed and yet worth a second look, as far as it shows without data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

import polars as pl

from anonym.columns.national_ids import FORMS, NONE_FREE
from anonym.columns.surrogate import Surrogate
from anonym.criteria import DistinctL, EntropyL, TCloseness
from anonym.hierarchy.clock import Seconds
from anonym.hierarchy.model import Breaks, Dates, FileHierarchy, Identity, Interval, Networks, Rounded, Suppress
from anonym.policy.model import Drop, Identifier, Keep, Policy, Quasi, Sensitive, Text
from anonym.policy.resolve import ResolvedColumn


def notes(policy: Policy, resolved: Sequence[ResolvedColumn] | None = None) -> list[str]:
    """Notes on the policy, and with `resolved` on how it meets the columns' types."""
    found = [note for look in _LOOKS for note in look(policy)]
    for column in resolved or ():
        if isinstance(column.role, Quasi):
            found += [f"columns.{column.name}: {note}" for note in _typed(column.role, column.dtype)]
        if isinstance(column.role, Sensitive) and column.role.t and _ordered_as_text(column.role.t, column.dtype):
            found.append(f"columns.{column.name}: its values are ranked as text; give their order in t.order")
    return list(dict.fromkeys(found))


def _ordered_as_text(t: TCloseness, dtype: pl.DataType) -> bool:
    return t.distance == "ordered" and t.order is None and isinstance(dtype, pl.String | pl.Categorical | pl.Enum)


def _quasi(policy: Policy) -> Iterator[str]:
    for name, role in policy.columns.items():
        if isinstance(role, Quasi):
            yield from (f"columns.{name}: {note}" for note in _of_quasi(role))


def _of_quasi(quasi: Quasi) -> Iterator[str]:
    yield from _idle_steps(quasi)
    yield from _crooked_ends(quasi)
    if isinstance(quasi.hierarchy, Identity):
        yield "it has no hierarchy: rare values can only be suppressed with their rows"
    elif quasi.coarsest == quasi.finest:
        yield f"level {quasi.finest} is the only one allowed, so that the search cannot adapt it"
    if quasi.uncovered != "refuse" and not isinstance(quasi.hierarchy, FileHierarchy | Networks):
        yield "uncovered has no effect: its hierarchy covers every value"
    if quasi.form == "bounds" and isinstance(quasi.hierarchy, Suppress | Identity):
        yield "form bounds writes the value twice: its hierarchy has no intervals"


def _idle_steps(quasi: Quasi) -> Iterator[str]:
    """Steps that group exactly what the step before groups."""
    steps: tuple[Any, ...] = ()
    match quasi.hierarchy:
        case Interval(widths=widths):
            steps = widths
        case Breaks(levels=cuts):
            steps = cuts
    for level, (finer, coarser) in enumerate(pairwise(steps), 2):
        if finer == coarser:
            yield f"level {level} changes nothing: it is the same as level {level - 1}"


def _crooked_ends(quasi: Quasi) -> Iterator[str]:
    """A top inside an interval of level 1. Wider ones are cut short nearly always, as [80, 100) by 90."""
    end = quasi.top.seconds if isinstance(quasi.top, Seconds) else quasi.top
    if isinstance(quasi.hierarchy, Interval) and _is_inside(end, quasi.hierarchy.widths[0]):
        yield f"top {quasi.top} lies inside an interval of level 1, which it cuts short"


def _is_inside(end: object, width: Decimal) -> bool:
    return isinstance(end, Decimal) and (Fraction(end) / Fraction(width)).denominator > 1


def _typed(quasi: Quasi, dtype: pl.DataType) -> Iterator[str]:
    """Steps that change nothing for values of this type."""
    match quasi.hierarchy:
        case Interval(widths=widths) if dtype.is_integer():
            yield from _idle(level for level, width in enumerate(widths, 1) if width <= 1)
        case Rounded(decimals=decimals) if dtype.is_integer():
            yield from _idle(level for level, places in enumerate(decimals, 1) if places >= 0)
        case Dates(units=units) if dtype == pl.Date:
            yield from _idle(level for level, unit in enumerate(units, 1) if unit == "day")


def _idle(levels: Iterator[int]) -> Iterator[str]:
    return (f"level {level} changes nothing for values of this type" for level in levels)


def _surrogates(policy: Policy) -> Iterator[str]:
    for name, role in policy.columns.items():
        if isinstance(role, Identifier) and isinstance(role.action, Surrogate) and role.action.kind == "national_id":
            country = role.action.locale[-2:]
            if country not in FORMS and country != "GB":
                yield f"columns.{name}: no national numbers of {country} are known: surrogates keep their shape only"
            elif country in NONE_FREE:
                yield f"columns.{name}: {country} keeps no national numbers free: a surrogate may be somebody's"


def _sensitive(policy: Policy) -> Iterator[str]:
    for name, role in policy.columns.items():
        if not isinstance(role, Sensitive):
            continue
        if role.l is None and role.t is None:
            yield f"columns.{name}: neither l nor t is asked for; a class with one value only gives it away"
        if isinstance(role.l, DistinctL | EntropyL) and role.l.l <= 1:
            yield f"columns.{name}: l-diversity of 1 promises nothing"
        if role.t is not None and role.t.max >= 1:
            yield f"columns.{name}: t-closeness of 1 promises nothing"


def _guarantee(policy: Policy) -> Iterator[str]:
    guarantee = policy.guarantee
    if guarantee is None:
        return
    quasi = [role for role in policy.columns.values() if isinstance(role, Quasi)]
    if not quasi:
        yield "guarantee: no column is a quasi-identifier, so that all rows are one class"
    if guarantee.k == 1:
        yield "guarantee.k: 1 promises nothing: a class may be a single member"
    if guarantee.linkable is not None and policy.unit is None:
        yield "guarantee.linkable: no effect without a unit"
    if policy.unit is None and quasi:
        yield "unit: absent, so that k counts rows; name the unit if one person can have several rows"
    if guarantee.suppression == 1:
        yield "guarantee.suppression.max: 1 allows a release without rows"


def _text(policy: Policy) -> Iterator[str]:
    texts = any(isinstance(role, Text) for role in policy.columns.values())
    if not texts and "text" in policy.raw:
        yield "text: no column has the role text, so that this section has no effect"
    if texts and policy.text.ner is None:
        yield "text.ner: none: names are found only by rules and from the row's own columns"
    if texts and not policy.text.secrets:
        yield "text.secrets: passwords, keys and tokens stay in the texts"
    sources = any(isinstance(role, Identifier | Quasi) for role in policy.columns.values())
    if texts and policy.text.also_from == () and sources:
        yield "text.also_from: what the row's identifiers say may stand in its text"


def _columns(policy: Policy) -> Iterator[str]:
    if policy.unlisted == "drop":
        yield "unlisted: columns that are not listed are dropped without a word at run time"
    if policy.columns and all(isinstance(role, Drop) for role in policy.columns.values()):
        yield "columns: every column is dropped"
    roles = policy.columns.values()
    if not any(isinstance(role, Quasi) for role in roles) and any(isinstance(role, Keep) for role in roles):
        yield "columns: no quasi-identifier is listed; whoever knows the kept columns of a row can find it"


def _search(policy: Policy) -> Iterator[str]:
    if isinstance(policy.search.budget, tuple) and policy.search.budget[0] == "seconds":
        yield "search.budget: seconds depend on the machine; tries or nodes are reproducible"
    if policy.order == "keep":
        yield "order: the order of the rows can tell who they are, if the input was sorted by something known"


_LOOKS: tuple[Callable[[Policy], Iterator[str]], ...] = (
    *(_quasi, _surrogates, _sensitive, _guarantee, _columns, _text, _search),
)
