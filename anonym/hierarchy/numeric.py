"""Intervals, breaks and rounding over numbers and times: bins are found exactly, never by float division.

A number is the decimal it prints as: a float is its shortest repr, so that 0.3 lies in [0.3, 0.4) although the
nearest binary number is smaller. Edges are integers over one power of ten, so no label can drift.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.hierarchy.axis import SAFE, Axis, ExactAxis, Integers, Spans, axis_of
from anonym.hierarchy.clock import measure_of
from anonym.hierarchy.labels import edges, numbers, numerator
from anonym.hierarchy.model import Breaks, Interval, Rounded
from anonym.hierarchy.steps import Step, Window, runs


def interval_steps(declared: Interval, values: pl.Series, window: Window) -> list[Step]:
    """Half-open intervals `[i w, (i + 1) w)`, cut off at the top- and bottom-coded ends."""
    axis = axis_of(values, [*declared.widths, *_ends(window)])
    return [_grid_step(axis, numerator(width, axis.scale), window) for width in declared.widths]


def _grid_step(axis: Axis, width: int, window: Window) -> Step:
    index = axis.grid(width, 0)
    node, first = runs(index)
    spans = _clipped(_cells_of_grid(index[first], width, 0), axis.scale, window)
    return Step(node, _labels(axis, spans), axis.lows(spans), axis.highs(spans))


def rounded_steps(declared: Rounded, values: pl.Series, window: Window) -> list[Step]:
    """Rounding half up, every level rounding the one before.

    Rounding the values themselves anew would not nest: 0.46 would be 0.5, then 0, but 0.5 would be 1. So the numbers
    of a label reach half a unit of every level so far to either side of it.
    """
    half = Decimal((0, (5,), -declared.decimals[0] - 1))
    axis = axis_of(values, [half, *(_unit(d) for d in declared.decimals), *_ends(window)])
    steps, reach = [], 0
    for decimals in declared.decimals:
        width = numerator(_unit(decimals), axis.scale)
        reach += width // 2
        steps.append(_rounded_step(axis, width, reach, window))
    return steps


def _rounded_step(axis: Axis, width: int, reach: int, window: Window) -> Step:
    index = axis.grid(width, reach)
    node, first = runs(index)
    spans = _clipped(_cells_of_grid(index[first], width, reach), axis.scale, window)
    return Step(node, numbers(index[first] * width, axis.scale), axis.lows(spans), axis.highs(spans))


def break_steps(declared: Breaks, values: pl.Series, window: Window) -> list[Step]:
    """Half-open intervals between declared cuts; the first and the last have one open end (`<=17`, `>=65`)."""
    axis = axis_of(values, [*(cut for level in declared.levels for cut in level), *_ends(window)])
    return [_break_step(axis, sorted(numerator(c, axis.scale) for c in cuts), window) for cuts in declared.levels]


def _break_step(axis: Axis, cuts: Sequence[int], window: Window) -> Step:
    index = axis.cut(cuts)
    node, first = runs(index)
    at = index[first]
    ends = np.array([0, *cuts, 0], dtype=object)
    spans = Spans(ends[at], ends[at + 1], np.zeros(len(at), np.bool_), at > 0, at < len(cuts))
    spans = _clipped(spans, axis.scale, window)
    return Step(node, _labels(axis, spans), axis.lows(spans), axis.highs(spans))


def _cells_of_grid(index: NDArray[Any], width: int, reach: int) -> Spans:
    closed = np.ones(len(index), np.bool_)
    low = index * width - reach
    return Spans(low, low + width, ~closed, closed, closed)


def _unit(decimals: int) -> Decimal:
    return Decimal((0, (1,), -decimals))


def _ends(window: Window) -> list[Decimal]:
    return [end for end in (window.bottom, window.top) if isinstance(end, Decimal)]


def _clipped(spans: Spans, scale: int, window: Window) -> Spans:
    if isinstance(window.bottom, Decimal):
        bottom = numerator(window.bottom, scale)
        is_cut = ~spans.has_low | (spans.low <= bottom)
        low = np.where(is_cut, _like(spans.low, bottom), spans.low)
        spans = replace(spans, low=low, is_open=is_cut, has_low=np.ones_like(is_cut))
    if isinstance(window.top, Decimal):
        top = numerator(window.top, scale)
        is_cut = ~spans.has_high | (spans.high > top)
        spans = replace(spans, high=np.where(is_cut, _like(spans.high, top), spans.high), has_high=np.ones_like(is_cut))
    return spans


def _like(ends: Integers, edge: int) -> Integers:
    return np.array(edge, dtype=ends.dtype if abs(edge) < SAFE else object)


def _labels(axis: Axis, spans: Spans) -> pl.Series:
    if isinstance(axis, ExactAxis) and axis.dtype.is_integer():
        ends = numbers(axis.first_units(spans), 0), numbers(axis.last_units(spans), 0)
        label = _INTEGERS
    else:
        of = measure_of(axis.dtype) or "number"
        ends = edges(spans.low, axis.scale, of), edges(spans.high, axis.scale, of)
        label = _INTERVAL
    marks = {"is_open": spans.is_open, "has_low": spans.has_low, "has_high": spans.has_high}
    return pl.DataFrame({"low": ends[0], "high": ends[1], **marks}).select(label.alias("label")).to_series()


_LOW, _HIGH = pl.col("low"), pl.col("high")
_INTEGERS = (
    pl.when(~pl.col("has_low"))
    .then(pl.when("has_high").then("<=" + _HIGH).otherwise(pl.lit("*")))
    .when(~pl.col("has_high"))
    .then(">=" + _LOW)
    .otherwise(pl.when(_LOW == _HIGH).then(_LOW).otherwise(_LOW + "-" + _HIGH))
)
_INTERVAL = (
    pl.when(~pl.col("has_low"))
    .then(pl.when("has_high").then("<" + _HIGH).otherwise(pl.lit("*")))
    .when(~pl.col("has_high"))
    .then(pl.when("is_open").then(pl.lit(">")).otherwise(pl.lit(">=")) + _LOW)
    .otherwise(pl.when("is_open").then(pl.lit("(")).otherwise(pl.lit("[")) + _LOW + ", " + _HIGH + ")")
)
