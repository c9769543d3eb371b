"""A declaration, over the values of one column, becomes a Hierarchy."""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.errors import Fault, InputError, PolicyError, type_name
from anonym.hierarchy.auto import concrete
from anonym.hierarchy.clock import End
from anonym.hierarchy.coding import coded_window
from anonym.hierarchy.costs import costs
from anonym.hierarchy.labels import printed
from anonym.hierarchy.model import (
    Auto,
    Breaks,
    Dates,
    Declaration,
    FileHierarchy,
    Groups,
    Hierarchy,
    Identity,
    Interval,
    Networks,
    Prefix,
    Rounded,
    Suppress,
)
from anonym.hierarchy.networks import network_steps
from anonym.hierarchy.numeric import break_steps, interval_steps, rounded_steps
from anonym.hierarchy.periods import date_steps
from anonym.hierarchy.steps import ROOT, Step, Steps, no_steps
from anonym.hierarchy.suits import KEYS, how, needs, suits
from anonym.hierarchy.texts import file_steps, group_steps, prefix_steps
from anonym.hierarchy.tree import Tree, check_nesting

DAYS = 95_000_000  # from 1970 to both sides: the engine ends with a panic within some years from there
TICKS_OF_DAY = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}
STEPS: dict[type, Steps] = {
    Interval: interval_steps,
    Breaks: break_steps,
    Rounded: rounded_steps,
    Dates: date_steps,
    Prefix: prefix_steps,
    FileHierarchy: file_steps,
    Networks: network_steps,
    Groups: group_steps,
    Suppress: no_steps,
    Identity: no_steps,
}


def build(
    column: str,
    declaration: Declaration,
    domain: pl.Series,
    *,
    rows: pl.Series | None = None,
    members: pl.Series | None = None,
    k: int = 1,
    finest: int = 0,
    coarsest: int | None = None,
    top: End | None = None,
    bottom: End | None = None,
    uncovered: Literal["refuse", "suppress", "top"] = "refuse",
) -> Hierarchy:
    """The hierarchy of `declaration` over `domain`: (n,) distinct originals in canonical form, sorted, null last.

    `rows` is (n,) rows of each original and serves the counts in a message. `auto` is drawn up from `members`, the
    (n,) rows or units that hold each original (default: `rows`), and names no category of fewer than k. Numbers and
    dates have `low` and `high`: the nominal inclusive bounds of the node, never an observed value (a rare one would be
    published):

    - integers: the ends of the label, clipped to the type; Decimals: to one unit of the last digit below the end;
    - floats: the largest float below the end; dates: the period's last day; all other times: the last tick;
    - level 0: the value twice; a coded end: the cut and null; null and `*`: null twice.

    `file` and `prefix` have none, for nothing says what lies between two leaves. A value that prints as `*` is the
    root, as its label says. Raises InputError if type or values do not fit, PolicyError if the options do not.
    """
    _check_type(column, declaration, domain)
    if isinstance(declaration, Auto):
        counted = members if members is not None else rows
        declaration = concrete(domain, pl.repeat(1, len(domain), eager=True) if counted is None else counted, k)
    values = domain.drop_nulls()
    has_null = len(values) < len(domain)
    window = coded_window(column, values, bottom, top)
    inner = values[window.begin : window.end]
    steps = [*_level_0(declaration, inner), *STEPS[type(declaration)](declaration, inner, window)]
    missing = np.zeros(len(domain), dtype=np.bool_)
    missing[window.begin : window.end] = steps[0].node == ROOT
    if uncovered == "refuse":
        _refuse_uncovered(column, missing, rows)
    tree = Tree.grown(steps, values, window, has_null, is_rooted=not isinstance(declaration, Identity))
    check_nesting(column, tree.ancestor)
    finest, coarsest = _range(column, tree.ancestor.shape[0], finest, coarsest)
    covered, cost = costs(domain, tree, by_label=isinstance(declaration, FileHierarchy))
    suppressed = missing if uncovered == "suppress" else np.zeros_like(missing)
    nodes = (tree.ancestor, tree.labels, tree.low, tree.high, covered, cost)
    return Hierarchy(column, declaration, domain, *nodes, finest, coarsest, suppressed)


def _check_type(column: str, declaration: Declaration, domain: pl.Series) -> None:
    dtype = domain.dtype
    if not (dtype.is_numeric() or dtype.is_temporal() or dtype in (pl.String, pl.Boolean)):
        raise InputError(
            f"column '{column}' is {type_name(dtype)}: a quasi-identifier must be text, a number, a Boolean, a date, "
            "a timestamp, a time of day or a duration. Convert it first"
        )
    if dtype.is_float() and domain.is_infinite().any():
        raise InputError(
            f"column '{column}' holds infinite numbers ({domain.is_infinite().sum()} distinct), which no range covers: "
            "replace them by null or by a number before anonymising"
        )
    refuse_beyond_calendar(column, domain)
    if not suits(declaration, dtype):
        raise InputError(
            f"column '{column}' is {type_name(dtype)}, but its hierarchy `{KEYS[type(declaration)]}` "
            f"needs {needs(declaration)}: {how(declaration, dtype)}"
        )


def refuse_beyond_calendar(column: str, domain: pl.Series) -> None:
    """Raises InputError for dates and timestamps that the engine cannot print."""
    if domain.dtype == pl.Date:
        ticks = 1
    elif isinstance(domain.dtype, pl.Datetime):
        ticks = TICKS_OF_DAY[domain.dtype.time_unit]
    else:
        return
    most = min(DAYS * ticks, 2**63 - 1)  # nanoseconds end before
    found = int((~domain.drop_nulls().to_physical().cast(pl.Int64).is_between(-most, most)).sum())
    if found:
        raise InputError(
            f"column '{column}' holds dates beyond the calendar's years ({found} distinct, before 258,000 BC or after "
            "262,000): they are damaged or stand for a missing value; replace them by null before anonymising"
        )


def _level_0(declaration: Declaration, values: pl.Series) -> list[Step]:
    if isinstance(declaration, FileHierarchy | Networks):
        return []  # theirs, since they may not cover a value
    is_bounded = (values.dtype.is_numeric() or values.dtype.is_temporal()) and not isinstance(declaration, Prefix)
    bounds = values if is_bounded else None
    return [Step(np.arange(len(values)), printed(values), bounds, bounds)]


def _refuse_uncovered(column: str, missing: NDArray[np.bool_], rows: pl.Series | None) -> None:
    distinct = int(missing.sum())
    if not distinct:
        return
    count = "" if rows is None else f" ({int(rows.filter(pl.Series(missing)).sum())} rows)"
    raise InputError(
        f"column '{column}': {distinct} distinct value{'s' if distinct > 1 else ''}{count} not covered by its "
        "hierarchy. Correct them, add the missing leaves to the file, or declare `uncovered: suppress` (the rows) or "
        "`uncovered: top` (their cells become `*`). `anonym explain POLICY DATA --show-values` prints them"
    )


def _range(column: str, levels: int, finest: int, coarsest: int | None) -> tuple[int, int]:
    coarsest = levels - 1 if coarsest is None else coarsest
    faults = [
        Fault(f"columns.{column}.{key}", f"expected a level from 0 to {levels - 1}, found {level}")
        for key, level in (("finest", finest), ("coarsest", coarsest))
        if not 0 <= level < levels
    ]
    if not faults and finest > coarsest:
        faults = [Fault(f"columns.{column}.finest", f"expected at most `coarsest` ({coarsest}), found {finest}")]
    if faults:
        raise PolicyError(faults)
    return finest, coarsest
