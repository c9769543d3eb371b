"""Audit what a model gives away, on a worked example."""

from __future__ import annotations

import json

import click

from anonym.cli.options import common


@click.command()
@click.argument("example", type=click.Choice(["tabular", "language"]))
@click.option("--seed", type=int, default=0, show_default=True, help="Of the example's data and models.")
@click.option("--seeds", type=click.IntRange(1), default=5, show_default=True, help="Runs that the median is of.")
@click.option("--probes", type=click.IntRange(1), default=10_000, show_default=True, help="Prompts for extraction.")
@common
def audit(example: str, seed: int, seeds: int, probes: int, as_json: bool, quiet: bool) -> None:
    """Measure what a model trained with and without privacy gives away: membership, canaries, identifiers.

    `tabular` attacks a small network on an invented table, `language` a character model on invented support lines.
    Both print accuracy beside every leak. With --json the result can go into a release's report (anonym ledger).
    """
    from anonym.pipeline.auditing import audit as audited
    from anonym.pipeline.auditing import lines

    found = audited(example, seed=seed, seeds=seeds, probes=probes)
    if as_json:
        click.echo(json.dumps(found, indent=2, ensure_ascii=False))
    elif not quiet:
        click.echo("\n".join(lines(found)))
