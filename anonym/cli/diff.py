"""Compare the reports of two releases."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from anonym.cli.options import ANY, common
from anonym.errors import GuaranteeError

MOST = 60  # lines shown of a long difference; --json has them all


@click.command()
@click.argument("before", type=ANY)
@click.argument("after", type=ANY)
@click.option("--gate", is_flag=True, help="Exit 3 where the second protects less than the first.")
@common
def diff(before: Path, after: Path, gate: bool, as_json: bool, quiet: bool) -> None:
    """Say what changed from the report BEFORE to the report AFTER (*.report.json), what is weaker first."""
    from anonym.pipeline.words import compare_reports

    weaker, changes = compare_reports(before, after)
    if as_json:
        found = {"weaker": weaker, "changes": [asdict(change) for change in changes]}
        click.echo(json.dumps(found, indent=2, ensure_ascii=False))
    elif not quiet:
        told = [f"weaker   {one}" for one in weaker]
        told += [f"changed  {one.path}: {one.before} -> {one.after}" for one in changes[:MOST]]
        told += [f"         and {len(changes) - MOST} more (--json shows all)"] if len(changes) > MOST else []
        click.echo("\n".join(told or ["nothing changed"]))
    if gate and weaker:
        raise GuaranteeError("the second release protects less: " + "; ".join(weaker))
