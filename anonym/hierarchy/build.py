"""A declaration, over the values of one column, becomes a Hierarchy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.errors import Fault, InputError, PolicyError, type_name
from anonym.hierarchy import periods
from anonym.hierarchy.auto import concrete
from anonym.hierarchy.axis import SAFE, axis_of, unscaled
from anonym.hierarchy.labels import decimal_text, numerator, printed
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
from anonym.hierarchy.steps import ROOT, Step, Steps, Window, no_steps
from anonym.hierarchy.texts import file_steps, group_steps, prefix_steps

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
NEEDS = {
    Interval: ("interval", "numbers"),
    Breaks: ("breaks", "numbers"),
    Rounded: ("round", "numbers"),
    Dates: ("date", "dates or timestamps"),
    Prefix: ("prefix", "text or whole numbers"),
    Networks: ("ip", "text"),
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
    top: Decimal | date | None = None,
    bottom: Decimal | date | None = None,
    uncovered: Literal["refuse", "suppress", "top"] = "refuse",
) -> Hierarchy:
    """The hierarchy of `declaration` over `domain`: (n,) distinct originals in canonical form, sorted, null last.

    `rows` is (n,) rows of each original and serves the counts in a message. `auto` is drawn up from `members`, the
    (n,) rows or units that hold each original (default: `rows`), and names no category of fewer than k. Numbers and
    dates have `low` and `high`: the nominal inclusive bounds of the node, never an observed value (a rare one would be
    published):

    - integers: the ends of the label, clipped to the type; Decimals: to one unit of the last digit below the end;
    - floats: the largest float below the end; dates: the period's last day; timestamps: its last tick;
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
    window = _window(column, values, bottom, top)
    inner = values[window.begin : window.end]
    steps = [*_level_0(declaration, inner), *STEPS[type(declaration)](declaration, inner, window)]
    missing = np.zeros(len(domain), dtype=np.bool_)
    missing[window.begin : window.end] = steps[0].node == ROOT
    if uncovered == "refuse":
        _refuse_uncovered(column, missing, rows)
    tree = _Tree.grown(steps, values, window, has_null, is_rooted=not isinstance(declaration, Identity))
    _check_nesting(column, tree.ancestor)
    finest, coarsest = _range(column, tree.ancestor.shape[0], finest, coarsest)
    covered, cost = _costs(domain, tree, by_label=isinstance(declaration, FileHierarchy))
    suppressed = missing if uncovered == "suppress" else np.zeros_like(missing)
    nodes = (tree.ancestor, tree.labels, tree.low, tree.high, covered, cost)
    return Hierarchy(column, declaration, domain, *nodes, finest, coarsest, suppressed)


def _check_type(column: str, declaration: Declaration, domain: pl.Series) -> None:
    dtype = domain.dtype
    if not (dtype.is_numeric() or dtype in (pl.String, pl.Boolean, pl.Date) or isinstance(dtype, pl.Datetime)):
        raise InputError(
            f"column '{column}' is {type_name(dtype)}: a quasi-identifier must be text, a number, a Boolean, a date or "
            "a timestamp. Convert it first, for example a Duration or a Time to whole minutes"
        )
    if dtype.is_float() and domain.is_infinite().any():
        raise InputError(
            f"column '{column}' holds infinite numbers ({domain.is_infinite().sum()} distinct), which no range covers: "
            "replace them by null or by a number before anonymising"
        )
    fits = {
        "numbers": dtype.is_numeric(),
        "dates or timestamps": dtype.is_temporal(),
        "text or whole numbers": dtype == pl.String or dtype.is_integer(),
        "text": dtype == pl.String,
    }
    key, need = NEEDS.get(type(declaration), ("", ""))
    if need and not fits[need]:
        raise InputError(
            f"column '{column}' is {type_name(dtype)}, but its hierarchy `{key}` needs {need}: "
            f"declare the type under `input: types:`, or another hierarchy"
        )


def _window(column: str, values: pl.Series, bottom: Decimal | date | None, top: Decimal | date | None) -> Window:
    dtype = values.dtype
    kind: type | None = Decimal if dtype.is_numeric() else date if dtype.is_temporal() else None
    faults = [
        Fault(f"columns.{column}.{key}", f"expected {_word(kind)} for a column of type {type_name(dtype)}")
        for key, end in (("bottom", bottom), ("top", top))
        if end is not None and (kind is None or not isinstance(end, kind))
    ]
    if not faults and bottom is not None and top is not None and not bottom < top:  # type: ignore[operator]
        faults = [Fault(f"columns.{column}.bottom", "expected less than `top`")]
    if faults:
        raise PolicyError(faults)
    coded: Callable[[pl.Series, Any, Any], Window] = _coded_dates if dtype.is_temporal() else _coded_numbers
    return coded(values, bottom, top)


def _word(kind: type | None) -> str:
    return "nothing" if kind is None else "a number" if kind is Decimal else "a date"


def _coded_numbers(values: pl.Series, bottom: Decimal | None, top: Decimal | None) -> Window:
    """Numbers up to `bottom` and from `top` on."""
    ends = [end for end in (bottom, top) if end is not None]
    if not ends:
        return Window(0, len(values), None, None, values.clear(), values.clear())
    axis = axis_of(values, ends)
    at = {end: numerator(end, axis.scale) for end in ends}
    begin = 0 if bottom is None else axis.upto(at[bottom])
    end = len(values) if top is None else axis.below(at[top])
    high = values.clear() if bottom is None else axis.most_upto(at[bottom])
    low = values.clear() if top is None else axis.least_from(at[top])
    return Window(begin, end, bottom, top, high, low)


def _coded_dates(values: pl.Series, bottom: date | None, top: date | None) -> Window:
    """Dates up to the end of the day `bottom` and from the start of the day `top` on."""
    high = low = values.clear()
    begin, end = 0, len(values)
    if bottom is not None:
        high = periods.ends(pl.Series([bottom], dtype=pl.Date), values.dtype)
        begin = int((values <= high[0]).sum())
    if top is not None:
        low = periods.starts(pl.Series([top], dtype=pl.Date), values.dtype)
        end = int((values < low[0]).sum())
    return Window(begin, end, bottom, top, high, low)


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


@dataclass(frozen=True)
class _Tree:
    """All levels over all n leaves, nodes numbered through: the fields of Hierarchy with the same names."""

    ancestor: NDArray[np.int32]
    labels: pl.Series
    low: pl.Series | None
    high: pl.Series | None

    @property
    def root(self) -> int:
        return len(self.labels) - 1

    @classmethod
    def grown(cls, steps: list[Step], values: pl.Series, window: Window, has_null: bool, *, is_rooted: bool) -> _Tree:
        levels = [_whole(step, values, window, has_null) for step in steps]
        if is_rooted:
            levels = _pruned(levels)
            everything = np.full(len(values) + has_null, ROOT)
            levels.append(Step(everything, pl.Series([], dtype=pl.String), values.clear(), values.clear()))
        offsets = np.cumsum([0, *(len(level.labels) for level in levels)])
        ancestor = [
            np.where(s.node == ROOT, offsets[-1], s.node + o) for s, o in zip(levels, offsets[:-1], strict=True)
        ]
        labels = pl.concat(
            [*(level.labels for level in levels), pl.Series(["*"] if is_rooted else [], dtype=pl.String)]
        )
        unbounded = pl.Series([None] if is_rooted else [], dtype=values.dtype)
        low = _joined([*(level.low for level in levels), unbounded])
        high = _joined([*(level.high for level in levels), unbounded])
        return cls(np.array(ancestor, dtype=np.int32), labels, low, high)


def _whole(step: Step, values: pl.Series, window: Window, has_null: bool) -> Step:
    """A step over all leaves: bottom-coded, what the declaration yields, top-coded, null."""
    has_bottom, has_top = int(window.begin > 0), int(window.end < len(values))
    after = has_bottom + len(step.labels)
    node = np.concatenate(
        [
            np.zeros(window.begin, np.int64),
            np.where(step.node == ROOT, ROOT, step.node + has_bottom),
            np.full(len(values) - window.end, after),
            np.full(int(has_null), after + has_top),
        ]
    )
    below, above = [f"<={_printed(window.bottom)}"] * has_bottom, [f">={_printed(window.top)}"] * has_top
    labels = pl.concat([_strings(below), step.labels, _strings([*above, *[None] * has_null])])
    if step.low is None or step.high is None:
        return Step(node, labels)
    nothing = pl.Series([None], dtype=values.dtype)
    none = values.clear()
    last = nothing if has_null else none
    low = pl.concat([nothing if has_bottom else none, step.low, window.top_low if has_top else none, last])
    high = pl.concat([window.bottom_high if has_bottom else none, step.high, nothing if has_top else none, last])
    return Step(node, labels, low, high)


def _printed(end: Decimal | date | None) -> str:
    return decimal_text(end) if isinstance(end, Decimal) else str(end)


def _strings(texts: list[str | None] | list[str]) -> pl.Series:
    return pl.Series(texts, dtype=pl.String)


def _pruned(levels: list[Step]) -> list[Step]:
    """Nodes that read `*` become the root, at their level and above; nodes left without leaves go."""
    is_rooted = np.zeros(len(levels[0].node), dtype=np.bool_)
    pruned = []
    for level in levels:
        is_star = (level.labels == "*").fill_null(False).to_numpy()
        is_rooted = is_rooted | (level.node == ROOT) | np.append(is_star, False)[level.node]
        pruned.append(_without(level, is_rooted) if is_rooted.any() else level)
    return pruned


def _without(level: Step, is_rooted: NDArray[np.bool_]) -> Step:
    is_kept = np.bincount(level.node[~is_rooted], minlength=len(level.labels)) > 0
    renumbered = np.append(np.cumsum(is_kept) - 1, ROOT)
    kept = pl.Series(is_kept)
    return Step(
        np.where(is_rooted, ROOT, renumbered[level.node]),
        level.labels.filter(kept),
        None if level.low is None else level.low.filter(kept),
        None if level.high is None else level.high.filter(kept),
    )


def _joined(parts: list[pl.Series | None]) -> pl.Series | None:
    present = [part for part in parts if part is not None]
    return pl.concat(present) if len(present) == len(parts) else None


def _check_nesting(column: str, ancestor: NDArray[np.int32]) -> None:
    for level, (nodes, parents) in enumerate(pairwise(ancestor)):
        parent = np.zeros(int(nodes.max(initial=0)) + 1, dtype=np.int32)
        parent[nodes] = parents
        if (parent[nodes] != parents).any():
            expected = f"expected levels that nest: a node of level {level} lies under several of level {level + 1}"
            raise PolicyError([Fault(f"columns.{column}.hierarchy", expected)])


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


def _costs(domain: pl.Series, tree: _Tree, *, by_label: bool) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """(covered, cost) of every node: distinct originals, and the normalised certainty penalty.

    With `by_label` (hierarchy files) inner nodes of one label cover what all of them cover: an uneven tree repeats a
    parent at the next level, and who reads the label cannot tell which of the two it is.
    """
    leaves, nodes = len(domain), len(tree.labels)
    group = _by_label(tree) if by_label else np.arange(nodes)
    owner = group[tree.ancestor]
    covered = sum((np.bincount(row, minlength=nodes) for row in _first_seen(owner)), np.zeros(nodes, np.int64))[group]
    if domain.dtype.is_numeric() or domain.dtype.is_temporal():
        cost = _extent(domain.drop_nulls(), owner, nodes)[group]
    else:
        cost = np.maximum(covered - 1, 0) / max(leaves - 1, 1)
    if tree.labels.last() == "*":
        covered[tree.root], cost[tree.root] = leaves, float(leaves > 1)
    return covered, cost


def _first_seen(owner: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """For each level the owners of the leaves that have not had the same one at a level before."""
    for level, row in enumerate(owner):
        yield row[(row != owner[:level]).all(axis=0)]


def _by_label(tree: _Tree) -> NDArray[np.int64]:
    """The first inner node with the label of each node; leaves keep to themselves."""
    inner = pl.DataFrame({"label": tree.labels}).with_row_index("node").with_columns(pl.col("node").cast(pl.Int64))
    is_leaf = pl.col("node") <= int(tree.ancestor[0].max(initial=-1, where=tree.ancestor[0] != tree.root))
    first = pl.col("node").min().over("label", is_leaf)
    return inner.select(pl.when(is_leaf).then("node").otherwise(first)).to_series().to_numpy()


def _extent(values: pl.Series, owner: NDArray[np.int64], nodes: int) -> NDArray[np.float64]:
    """(nodes,) largest minus smallest value under each node, as a share of the whole range; 0 for nodes without."""
    place = _places(values)
    if len(place) < 2:
        return np.zeros(nodes)
    first, last = np.full(nodes, len(place)), np.full(nodes, -1)
    for row in owner[:, : len(place)]:
        at, low, high = np.arange(len(row)), first.copy(), last.copy()
        low[row[::-1]] = at[::-1]  # of equal indices the last assignment stays: the smallest leaf
        high[row] = at
        first, last = np.minimum(first, low), np.maximum(last, high)
    extent = np.zeros(nodes)
    filled = last >= 0
    extent[filled] = (place[last[filled]] - place[first[filled]]) / (place[-1] - place[0])
    return extent


def _places(values: pl.Series) -> NDArray[Any]:
    """Numbers whose differences are exact for integers, Decimals and times, and finite for floats."""
    if values.dtype.is_float():
        return values.cast(pl.Float64).to_numpy() / 4
    units = unscaled(values)
    is_wide = len(units) > 0 and int(units[-1]) - int(units[0]) >= SAFE
    return units.astype(object) if is_wide else units
