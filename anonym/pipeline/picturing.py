"""The picture of a trade-off: one HTML file that loads nothing, with SVG drawn by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from pathlib import Path

from anonym.errors import OutputError
from anonym.io import guarded
from anonym.pipeline.tuning import Point, Trade

WIDTH, HEIGHT, LEFT, BOTTOM = 560, 300, 56, 40
COLOURS = {"auto": "#1f6feb", "global": "#b35900", "local": "#1a7f37"}
STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem}"
    "body{color:#1f2328;background:#fff}"
    "svg{max-width:100%;height:auto}text{font:12px system-ui,sans-serif;fill:currentColor}"
    "table{border-collapse:collapse}td,th{padding:.2rem .7rem;text-align:right;border-bottom:1px solid #8884}"
    "@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}}"
)

Figure = Callable[[Point], float | None]


def picture(trade: Trade, place: Path) -> None:
    """Write the page. Raises OutputError where it cannot be written."""
    with guarded("writing the page", OutputError):
        place.write_text(page(trade), encoding="utf-8")


def page(trade: Trade) -> str:
    """Risk against loss, risk against the AUC of each model, and the table behind them."""
    plots = [_plot(trade.points, lambda point: point.loss, "loss (NCP), 0 is untouched", None)]
    for number, raw in enumerate(trade.raw):
        plots.append(_plot(trade.points, _auc(number), f"AUC of {raw.model}", raw.auc))
    body = "\n".join(["<h1>What k costs</h1>", _words(trade), *plots, _table(trade)])
    meta = "<meta charset=utf-8><meta name=viewport content='width=device-width'><title>What k costs</title>"
    return f"<!doctype html><html lang=en><head>{meta}<style>{STYLE}</style></head><body>{body}</body></html>\n"


def _auc(number: int) -> Figure:
    return lambda point: point.accuracy[number].auc if point.accuracy else None


def _words(trade: Trade) -> str:
    said = (
        "Each point is a release under one setting, made in private and thrown away. Left is safer: the mean risk is "
    )
    said += "the share of their class that a row has, on average."
    if trade.target is not None:
        said += f" Models learnt {trade.target} from the release; tested on {trade.tested:,} rows kept apart."
    return f"<p>{escape(said)}</p>"


def _plot(points: Sequence[Point], figure: Figure, title: str, level: float | None) -> str:
    """Mean risk to the right, the figure upward; a dashed line is the table as it is."""
    drawn = [(point.risk_mean, figure(point), point) for point in points]
    known = [(x, y, point) for x, y, point in drawn if x is not None and y is not None]
    if not known:
        return ""
    xs, ys = [x for x, _, _ in known], [y for _, y, _ in known] + ([level] if level is not None else [])
    across, up = _scale(xs, LEFT, WIDTH - 10), _scale(ys, HEIGHT - BOTTOM, 30)
    marks = [_mark(across(x), up(y), point) for x, y, point in known]
    if level is not None:
        marks.append(_level(level, up(level)))
    axes = "".join(_axes(xs, ys, across, up))
    label = f"<text x={LEFT} y=16>{escape(title)}</text>"
    label += f"<text x={WIDTH - 10} y={HEIGHT - 6} text-anchor=end>mean risk</text>"
    box = f"viewBox='0 0 {WIDTH} {HEIGHT}' width={WIDTH}"
    return f"<svg {box} role=img aria-label='{escape(title)}'>{axes}{label}{''.join(marks)}</svg>"


def _level(level: float, y: float) -> str:
    line = f"<line x1={LEFT} x2={WIDTH - 10} y1={y:.1f} y2={y:.1f} stroke=currentColor stroke-dasharray='4 4'/>"
    return f"{line}<text x={LEFT + 4} y={y - 4:.1f}>as it is, {level:.4f}</text>"


def _scale(values: Sequence[float], start: float, end: float) -> Callable[[float], float]:
    low, high = min(values), max(values)
    reach = (high - low) or 1.0
    low, reach = low - reach * 0.05, reach * 1.1
    return lambda value: start + (value - low) / reach * (end - start)


def _axes(
    xs: Sequence[float], ys: Sequence[float], across: Callable[[float], float], up: Callable[[float], float]
) -> Iterator[str]:
    base = HEIGHT - BOTTOM
    yield f"<path d='M{LEFT} 24V{base}H{WIDTH - 10}' fill=none stroke=currentColor />"
    for value in sorted({min(xs), max(xs)}):
        yield f"<text x={across(value):.1f} y={base + 16} text-anchor=middle>{value:.4f}</text>"
    for value in sorted({min(ys), max(ys)}):
        yield f"<text x={LEFT - 4} y={up(value) + 4:.1f} text-anchor=end>{value:.3f}</text>"


def _mark(x: float, y: float, point: Point) -> str:
    setting = point.setting
    words = f"k {setting.k}, limit {setting.suppression}, {setting.strategy}" + (
        f", without {setting.changed}" if setting.changed else ""
    )
    colour = COLOURS[setting.strategy]
    fill = "fill=none stroke-width=1.5" if setting.changed else f"fill={colour}"
    label = "" if setting.changed else f"<text x={x + 7:.1f} y={y + 4:.1f}>k {setting.k}</text>"
    title = f"<title>{escape(words)}</title>"
    return f"<circle cx={x:.1f} cy={y:.1f} r=4.5 {fill} stroke={colour}>{title}</circle>{label}"


def _table(trade: Trade) -> str:
    heads = ["k", "limit", "strategy", "without", "loss", "left out", "risk max", "risk mean"]
    heads += [f"{kind} {raw.model}" for raw in trade.raw for kind in ("AUC", "balanced accuracy")]
    rows = [["", "", "as it is", "", "0", "", "", "", *_accuracy(trade.raw)]] if trade.raw else []
    for point in trade.points:
        setting = point.setting
        cells = [str(setting.k), str(setting.suppression), setting.strategy, setting.changed]
        if point.refused is not None:
            rows.append([*cells, "refused"])
            continue
        figures = (point.loss, point.suppressed, point.risk_max, point.risk_mean)
        rows.append([*cells, *map(_shown, figures), *_accuracy(point.accuracy)])
    head = "".join(f"<th>{escape(words)}</th>" for words in heads)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def _accuracy(measured: Sequence[object]) -> Iterator[str]:
    for one in measured:
        yield _shown(getattr(one, "auc", None))
        yield _shown(getattr(one, "balanced_accuracy", None))


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"
