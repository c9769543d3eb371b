"""Drawings as inline SVG: widths in per cent, heights in pixels, so that they fit any width with text of one size."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any
from unicodedata import east_asian_width

from anonym.report import figures
from anonym.report.fields import SizeBin
from anonym.report.markup import Markup, join, tag

PLOT_TOP, PLOT_HEIGHT, PLOT_TICKS = 22, 130, 18
NARROWEST = 288  # pixels that a plot has on a phone of 320


def drawing(identifier: str, title: str, description: str, height: int, *parts: object, class_: str) -> Markup:
    """An SVG with a title and a description that screen readers give."""
    head = (tag("title", title, id=f"{identifier}-t"), tag("desc", description, id=f"{identifier}-d"))
    named = {"role": "img", "aria_labelledby": f"{identifier}-t {identifier}-d"}
    return tag("svg", *head, *parts, class_=class_, width="100%", height=height, **named)


def bar(share: float | None, mark: float | None = None, kind: str = "") -> Markup:
    """A horizontal bar of a share in [0, 1], hidden from screen readers: its figure stands beside it as text."""
    if share is None:
        return tag("svg", _dashes(), class_="bar", width="100%", height=12, aria_hidden="true")
    parts = [tag("rect", class_="track", x=0, y=1, width="100%", height=10, rx=2)]
    if share > 0:
        parts.append(
            tag("rect", class_=f"fill {kind}".strip(), x=0, y=1, width=per_cent(max(share, 0.004)), height=10, rx=2)
        )
    if mark is not None:
        parts.append(tag("line", class_="mark", x1=per_cent(mark), x2=per_cent(mark), y1=0, y2=12))
    return tag("svg", parts, class_="bar", width="100%", height=12, aria_hidden="true")


def _dashes() -> Markup:
    return tag("line", class_="absent", x1=0, x2="100%", y1=6, y2=6)


def per_cent(share: float) -> str:
    return f"{min(max(share, 0.0), 1.0) * 100:.2f}%"


def histogram(bins: Sequence[SizeBin], k: int | None, members: str) -> Markup:
    """Share of released rows by the size of their class, a column for each bin; bins below k are marked."""
    rows = sum(one["rows"] for one in bins)
    shares = [one["rows"] / rows if rows else 0.0 for one in bins]
    slot = 1 / len(bins)
    bottom = PLOT_TOP + PLOT_HEIGHT
    columns = [
        _column(index * slot, slot, share / max(shares), share, k is not None and one["to"] < k)
        for index, (one, share) in enumerate(zip(bins, shares, strict=True))
    ]
    every = 1 + len(bins) // 11  # on a phone eleven labels fit beside each other
    ticks = [_tick(index * slot, bins[index]["from"], bottom) for index in range(0, len(bins), every)]
    axis = tag("line", class_="axis", x1=0, x2="100%", y1=bottom, y2=bottom)
    described = "; ".join(_words(one, share, members) for one, share in zip(bins, shares, strict=True))
    title = "Share of released rows by the size of their class"
    return drawing("sizes", title, described, bottom + PLOT_TICKS, columns, axis, ticks, class_="histogram")


def _words(one: SizeBin, share: float, members: str) -> str:
    classes = figures.plural(one["classes"], "class")
    return f"{one['from']:,} to {one['to']:,} {members}: {figures.share(share)} of rows in {classes}"


def _column(x: float, width: float, height: float, share: float, low: bool) -> Markup | None:
    if share <= 0:
        return None
    pixels = max(1.5, height * PLOT_HEIGHT)
    top = PLOT_TOP + PLOT_HEIGHT - pixels
    fill = "fill below" if low else "fill"
    body = tag(
        "rect",
        class_=fill,
        x=per_cent(x + width * 0.06),
        width=per_cent(width * 0.88),
        y=f"{top:.1f}",
        height=f"{pixels:.1f}",
    )
    if share < 0.01 and width < 1 / 12:
        return body
    label = figures.rounded_share(share)
    return join(body, tag("text", label, class_="value", x=per_cent(x + width / 2), y=f"{top - 6:.1f}"))


def _tick(x: float, size: int, bottom: int) -> Markup:
    return tag("text", figures.compact(size), class_="tick", x=per_cent(x), y=bottom + 14)


def staircase(identifier: str, levels: Sequence[int], chosen: int | None, described: str) -> Markup:
    """A hierarchy as rising steps, finest left; the level that the release uses is filled, the ones below it shaded."""
    height, slot = 34, 1 / len(levels)
    steps = [_step(index, level, chosen, slot, height, len(levels)) for index, level in enumerate(levels)]
    return drawing(identifier, "Levels of the hierarchy", described, height, steps, class_="stairs")


def _step(index: int, level: int, chosen: int | None, slot: float, height: int, steps: int) -> Markup:
    tall = 8 + (height - 10) * (index + 1) / steps
    kind = "plain" if chosen is None else "chosen" if level == chosen else "under" if level < chosen else "over"
    shape: dict[str, Any] = {"x": per_cent(index * slot), "width": per_cent(slot * 0.92)}
    return tag("rect", class_=kind, y=f"{height - tall:.1f}", height=f"{tall:.1f}", rx=2, **shape)


def interval(
    identifier: str,
    low: float | None,
    rate: float | None,
    high: float | None,
    baseline: float | None,
    control: float | None,
    title: str = "Success of the attack",
    lines: tuple[str, str] = ("baseline", "control"),
) -> Markup:
    """A rate in [0, 1] with its interval as a band, beside a baseline (solid) and a control (dashed)."""
    parts = [tag("rect", class_="track", x=0, y=3, width="100%", height=10, rx=2)]
    if low is not None and high is not None:
        parts.append(
            tag("rect", class_="band", x=per_cent(low), y=3, width=per_cent(max(high - low, 0.004)), height=10)
        )
    if rate is not None:
        parts.append(tag("circle", class_="rate", cx=per_cent(rate), cy=8, r=4.5))
    for kind, value in (("baseline", baseline), ("control", control)):
        if value is not None:
            parts.append(tag("line", class_=kind, x1=per_cent(value), x2=per_cent(value), y1=0, y2=16))
    said = (("interval from", low), ("to", high), ("rate", rate), *zip(lines, (baseline, control), strict=True))
    described = ", ".join(f"{word} {figures.share(value)}" for word, value in said if word)
    return drawing(identifier, title, described, 16, parts, class_="range")


# trees and curves ----------------------------------------------------------------------------------------------------

Branch = tuple[int, str, str]
"""A line of a tree: its depth, what it says, and its class."""
BRANCH, INDENT = 19, 15


def tree(identifier: str, title: str, branches: Sequence[Branch]) -> Markup:
    """A tree from the top down, a line for each node, with what joins it to the one above."""
    marks: list[Markup] = []
    joints: list[str] = []
    above: dict[int, int] = {}  # depth to the middle of its last node
    for place, (depth, said, kind) in enumerate(branches):
        x, y = 5 + depth * INDENT, place * BRANCH + BRANCH // 2
        if depth:
            joints.append(f"M{x - INDENT} {above[depth - 1] + 5}V{y}H{x - 5}")
        above[depth] = y
        marks.append(tag("circle", class_=kind, cx=x, cy=y, r=4))
        marks.append(tag("text", _fitting(said), class_=kind, x=x + 10, y=y + 4))
    described = "; ".join(f"{'- ' * depth}{_fitting(said)}" for depth, said, _ in branches)
    lines = tag("path", class_="joints", d="".join(joints)) if joints else None
    return drawing(identifier, title, described, len(branches) * BRANCH, lines, marks, class_="tree")


def _fitting(said: str) -> str:
    """The label as far as it fits beside its node on a phone, the middle left out."""
    shown = figures.visible(said)
    widths = range(38, 8, -1)
    return next((text for text in (figures.shortened(shown, w) for w in widths) if _ems(text) <= 21), shown[:8])


def _ems(text: str) -> float:
    """About how wide a text is in a sans-serif face."""
    return sum(1 if c in "WMmw@%—…" or east_asian_width(c) in "WF" else 0.72 if c.isupper() else 0.55 for c in text)


def curve(identifier: str, title: str, points: Sequence[tuple[str, float]]) -> Markup:
    """Shares in [0, 1] that rise from left to right, each point with its label below and its value above."""
    bottom, slot = PLOT_TOP + PLOT_HEIGHT, 1 / max(len(points) - 1, 1)
    places = [(place * slot, bottom - value * PLOT_HEIGHT) for place, (_, value) in enumerate(points)]
    lines = [
        tag("line", class_="curve", x1=per_cent(x), y1=f"{y:.1f}", x2=per_cent(to), y2=f"{end:.1f}")
        for (x, y), (to, end) in pairwise(places)
    ]
    fitting = NARROWEST // (10 + 7 * max((len(label) for label, _ in points), default=1))  # labels of 11 pixels
    every = 1 + (len(points) - 1) // fitting
    marks = [
        _point(x, y, label, figures.rounded_share(value), bottom, place, len(points) - 1)
        for place, ((x, y), (label, value)) in enumerate(zip(places, points, strict=True))
        if place == len(points) - 1 or (place % every == 0 and place + every < len(points))
    ]
    axis = tag("line", class_="axis", x1=0, x2="100%", y1=bottom, y2=bottom)
    described = "; ".join(f"{label}: {figures.share(value)}" for label, value in points)
    return drawing(identifier, title, described, bottom + PLOT_TICKS, axis, lines, marks, class_="histogram")


def _point(x: float, y: float, label: str, value: str, bottom: int, place: int, last: int) -> Markup:
    side = "start" if place == 0 else "end" if place == last else "middle"
    return join(
        tag("circle", class_="rate", cx=per_cent(x), cy=f"{y:.1f}", r=3.5),
        tag("text", value, class_=f"value {side}", x=per_cent(x), y=f"{y - 8:.1f}"),
        tag("text", label, class_=f"tick {side}", x=per_cent(x), y=bottom + 14),
    )
