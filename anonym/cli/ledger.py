"""State what a privacy ledger says, and put it into a release's report."""

from __future__ import annotations

import json
from pathlib import Path

import click

from anonym.cli.options import ANY, common


@click.command()
@click.argument("ledger", type=ANY)
@click.option("--report", type=ANY, default=None, help="A release's *.report.json that takes up the statement.")
@click.option("--audit", "audits", type=ANY, multiple=True, help="What `anonym audit --json` printed, to go with it.")
@click.option("--outside", multiple=True, help="A step on private data that no accountant covers, in words.")
@common
def ledger(
    ledger: Path, report: Path | None, audits: tuple[Path, ...], outside: tuple[str, ...], as_json: bool, quiet: bool
) -> None:
    """Check a ledger's chain and compute epsilon again, from the file alone; with --report, into the evidence."""
    from anonym.pipeline.training import lines, read_audits, record_training, state_ledger

    statement = state_ledger(ledger, read_audits(audits), outside)
    if report is not None:
        record_training(report, statement)
    if as_json:
        click.echo(json.dumps(statement, indent=2, ensure_ascii=False))
    elif not quiet:
        click.echo("\n".join(lines(statement)))
