"""Measure what the scrubber misses."""

from __future__ import annotations

import json
import sys
from decimal import Decimal
from pathlib import Path
from typing import cast

import click

from anonym.cli.options import ANY, common
from anonym.cli.shares import Share
from anonym.errors import CallError
from anonym.text.labelled import OFFSETS, STYLES, Offsets, Style


@click.command()
@click.argument("policy", type=ANY)
@click.argument("labelled", nargs=-1, type=ANY)
@click.option("--format", "style", type=click.Choice(STYLES), default="auto", help="The sample's format.")
@click.option(
    "--offsets",
    type=click.Choice(OFFSETS),
    default=None,
    help="What offsets count. Default: code points, or the format's.",
)
@click.option(
    "--min", "least", type=Share(whole=True), default=None, help="Replaces the policy's bound on the lower end."
)
@click.option("--show-text", is_flag=True, help="Print what was missed, on a terminal only.")
@click.option("--draw-sample", type=click.IntRange(min=1), default=None, help="Write so many texts of DATA to label.")
@click.option("-o", "--output", type=ANY, default=None, help="Where the drawn sample goes (mode 0600).")
@click.option("--seed", type=int, default=None, help="Replaces the policy's seed for the draw.")
@click.option("--force", is_flag=True, help="Replace an existing sample.")
@common
def recall(
    policy: Path,
    labelled: tuple[Path, ...],
    style: str,
    offsets: str | None,
    least: Decimal | None,
    show_text: bool,
    draw_sample: int | None,
    output: Path | None,
    seed: int | None,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Measure the scrubber's recall and precision on LABELLED, with 95 % intervals.

    \b
    LABELLED is JSON lines of text and spans, Presidio-evaluator, TAB or Label Studio JSON, or CoNLL columns; by default
    the sample that the policy names under text.recall. Exits 3 where the policy's bound is not met, 5 where the sample
    cannot tell. With --draw-sample N the files are tables, of which N texts are written to be labelled.
    """
    if draw_sample is not None:
        _draw(policy, labelled, draw_sample, output, seed, force=force, quiet=quiet or as_json)
        return
    if len(labelled) > 1 or output is not None:
        raise CallError("one labelled sample is measured at a time; -o is for --draw-sample")
    from anonym.pipeline import recalling
    from anonym.pipeline.recall_gate import refuse_low

    found, sample, gate = recalling.recall_file(
        policy,
        labelled[0] if labelled else None,
        offsets=cast("Offsets | None", offsets),
        style=cast("Style", style),
        least=least,
    )
    if as_json:
        click.echo(json.dumps(recalling.as_json(found, gate), indent=2, ensure_ascii=False))
    elif not quiet:
        click.echo("\n".join(recalling.in_words(found, sample, show_text=show_text and sys.stdout.isatty())))
    if gate is not None:
        refuse_low(found, gate)


def _draw(
    policy: Path, data: tuple[Path, ...], n: int, output: Path | None, seed: int | None, *, force: bool, quiet: bool
) -> None:
    if not data or output is None:
        raise CallError("--draw-sample needs the table's files and -o, the file to write")
    from anonym.pipeline.recalling import draw_sample

    written = draw_sample(policy, data, n, output, seed=seed, force=force)
    if not quiet:
        click.echo(f"sample   {output} ({written} texts, raw; fill in `spans` with start, end, label)")
