"""The curves of the search as an SVG of three panels: CPU over rows, loss over quasi-identifiers, loss over k."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

WIDTH, HEIGHT, LEFT, TOP, GAP = 220, 180, 50, 40, 70
SERIES = {None: ("global", "#1f6fb2"), "label": ("local, labels", "#c2571a"), "set": ("local, sets", "#3c8c3c")}
Points = Sequence[dict[str, Any]]
Scale = Callable[[float], float]  # to 0 … 1


def picture(curves: Mapping[str, Points]) -> str:
    """`curves` holds the points over rows, columns and k."""
    cpu = [0.01, *(point["search"] for point in curves["rows"])]
    panels = [
        _panel(curves, 0, "rows", "search CPU s over rows", "search", _log(min(cpu), max(cpu)), (0.1, 1, 10, 100)),
        _panel(curves, 1, "columns", "NCP over quasi-identifiers", "ncp", float, (0, 0.25, 0.5, 0.75, 1)),
        _panel(curves, 2, "k", "NCP over k", "ncp", float, (0, 0.25, 0.5, 0.75, 1)),
    ]
    keys = [
        f'<text x="{LEFT + 120 * i}" y="{TOP + HEIGHT + 55}" fill="{colour}">{name}</text>'
        for i, (name, colour) in enumerate(SERIES.values())
    ]
    keys.append(f'<text x="{LEFT + 360}" y="{TOP + HEIGHT + 55}" fill="#555">dashed: no recoding loses less</text>')
    width = LEFT + 3 * WIDTH + 2 * GAP + 20
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {TOP + HEIGHT + 70}"'
    title = "<title>The search on generated tables: CPU seconds and loss (NCP)</title>"
    ground = f'<rect width="{width}" height="{TOP + HEIGHT + 70}" fill="#fff"/>'
    body = "\n".join([title, ground, *panels, *keys])
    return f'{head} font-family="sans-serif" font-size="12" role="img">\n{body}\n</svg>\n'


def _log(low: float, high: float) -> Scale:
    return lambda value: math.log(max(value, low) / low) / math.log(high / low)


def _panel(
    curves: Mapping[str, Points],
    place: int,
    varied: str,
    title: str,
    shown: str,
    scale: Scale,
    ticks: tuple[float, ...],
) -> str:
    left = LEFT + place * (WIDTH + GAP)
    held = curves[varied]
    values = sorted({point[varied] for point in held})
    across = _log(values[0], values[-1])

    def at(point: dict[str, Any], key: str) -> str:
        return f"{left + WIDTH * across(point[varied]):.1f} {TOP + HEIGHT * (1 - scale(point[key])):.1f}"

    parts = [
        f'<text x="{left}" y="{TOP - 15}" font-weight="bold">{title}</text>',
        f'<path d="M{left} {TOP}V{TOP + HEIGHT}H{left + WIDTH}" fill="none" stroke="#555"/>',
    ]
    for tick in (tick for tick in ticks if 0 <= scale(tick) <= 1):
        high = TOP + HEIGHT * (1 - scale(tick))
        parts.append(f'<text x="{left - 6}" y="{high + 4:.1f}" text-anchor="end">{tick:g}</text>')
        parts.append(f'<path d="M{left} {high:.1f}h{WIDTH}" stroke="#ddd"/>')
    for value in values:
        x = left + WIDTH * across(value)
        parts.append(f'<text x="{x:.1f}" y="{TOP + HEIGHT + 18}" text-anchor="middle">{_short(value)}</text>')
    for form, (_, colour) in SERIES.items():
        series = [point for point in held if point["form"] == form]
        path = " L".join(at(point, shown) for point in series)
        parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        if shown == "ncp":
            bounds = " L".join(at(point, "bound") for point in series)
            parts.append(f'<path d="M{bounds}" fill="none" stroke="{colour}" stroke-dasharray="4 4"/>')
    return "\n".join(parts)


def _short(value: int) -> str:
    return f"{value // 1_000_000}M" if value >= 1_000_000 else f"{value // 1_000}k" if value >= 1_000 else str(value)
