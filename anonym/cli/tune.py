"""What a stronger promise costs."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anonym.cli.options import ANY, common, progressing
from anonym.cli.shares import SHARE

if TYPE_CHECKING:
    from anonym.pipeline.tuning import Point, Trade


@click.command()
@click.argument("policy", type=ANY)
@click.argument("data", nargs=-1, required=True, type=ANY)
@click.option("--target", default=None, help="A column with a few classes: models learn it from each release.")
@click.option("-k", "ks", type=click.IntRange(min=1), multiple=True, help="Default: 2, 5, 10, 25 and the policy's own.")
@click.option("--suppression", "limits", type=SHARE, multiple=True, help="Limits tried at the policy's k.")
@click.option("--strategy", "strategies", type=click.Choice(["auto", "global", "local"]), multiple=True)
@click.option("--drop/--no-drop", default=True, show_default=True, help="Try it without each quasi-identifier.")
@click.option("--seed", type=int, default=None, help="Replaces the policy's seed (search, and the rows kept apart).")
@click.option("-o", "--output", type=ANY, default=None, help="A page with the picture, .html.")
@click.option("--force", is_flag=True, help="Replace an existing page.")
@common
def tune(
    policy: Path,
    data: tuple[Path, ...],
    target: str | None,
    ks: tuple[int, ...],
    limits: tuple[Decimal, ...],
    strategies: tuple[str, ...],
    drop: bool,
    seed: int | None,
    output: Path | None,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Try k, suppression, strategy and one quasi-identifier less: risk against loss, and against accuracy.

    Releases are made in private and thrown away. With --target, models learn from each release and are tested on rows
    that were kept apart; the figures say what k costs, so that it is chosen and written down.
    """
    from anonym.io import refuse_existing
    from anonym.pipeline.picturing import picture
    from anonym.pipeline.tuning import tune_files

    if output is not None:
        refuse_existing(output, force=force)
    with progressing(quiet or as_json) as progress:
        trade = tune_files(
            policy,
            data,
            target=target,
            ks=ks,
            suppressions=limits,
            strategies=strategies,
            drop=drop,
            seed=seed,
            progress=progress,
        )
    if output is not None:
        picture(trade, output)
    if as_json:
        click.echo(json.dumps(trade.as_dict(), indent=2, ensure_ascii=False))
    elif not quiet:
        click.echo("\n".join(_lines(trade, output)))


def _lines(trade: Trade, output: Path | None) -> list[str]:
    """The table, one setting a line, and what to do with it."""
    names = [one.model for one in trade.raw]
    heads = "".join(f"  {name:>21}" for name in names)
    lines = [
        f"{'k':>5}  {'limit':>6}  {'strategy':<8}  {'loss':>6}  {'left out':>8}  {'risk max, mean':>16}{heads}  without"
    ]
    if trade.raw:
        figures = "".join(f"  {_pair(one.auc, one.balanced_accuracy):>21}" for one in trade.raw)
        lines.append(f"{'raw':>5}  {'':>6}  {'':<8}  {'0':>6}  {'':>8}  {'':>16}{figures}")
    lines += [_line(point) for point in trade.points]
    if trade.target:
        lines.append(f"accuracy: AUC, balanced accuracy on {trade.tested:,} rows kept apart, of {trade.rows:,}")
        lines += [f"groups:   {words}" for words in _groups(trade)]
    lines += [f"note:     {words}" for words in trade.notes]
    lines.append("next:     write the k that you chose into the policy: guarantee: {k: ..., suppression: {max: ...}}")
    return lines + ([f"picture   {output}"] if output is not None else [])


def _line(point: Point) -> str:
    setting = point.setting
    head = f"{setting.k:>5}  {setting.suppression:>6}  {setting.strategy:<8}"
    if point.refused is not None:
        return f"{head}  refused: {point.refused[:80]}"
    figures = "".join(f"  {_pair(one.auc, one.balanced_accuracy):>21}" for one in point.accuracy)
    return (
        f"{head}  {_number(point.loss):>6}  {_number(point.suppressed):>8}  "
        f"{_pair(point.risk_max, point.risk_mean):>16}{figures}  {setting.changed}"
    ).rstrip()


def _groups(trade: Trade) -> list[str]:
    """Where balanced accuracy falls most against the table as it is, for each model: at most three groups."""
    found = []
    for place, raw in enumerate(trade.raw):
        before = {(group.column, group.group): group.balanced_accuracy for group in raw.groups}
        for point in trade.points:
            for group in point.accuracy[place].groups if point.accuracy else ():
                was, now = before.get((group.column, group.group)), group.balanced_accuracy
                if was is not None and now is not None and was - now > 0.02:
                    words = f"{raw.model}, k {point.setting.k}, {group.column} {group.group}: {was:.3f} to {now:.3f}"
                    found.append((now - was, words))
    return [words for _, words in sorted(found)[:6]]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _pair(first: float | None, second: float | None) -> str:
    return f"{_number(first)}, {_number(second)}"
