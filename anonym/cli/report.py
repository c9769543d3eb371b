"""Draw an evidence file."""

from __future__ import annotations

import json
from pathlib import Path

import click

from anonym.cli.options import ANY, common


@click.command()
@click.argument("evidence", type=ANY)
@click.option("-o", "--output", type=ANY, default=None, help="Default: the same name, ending in .html.")
@click.option("--format", "kind", type=click.Choice(["html", "markdown", "text"]), default="html", show_default=True)
@click.option("--force", is_flag=True, help="Replace an existing output.")
@common
def report(evidence: Path, output: Path | None, kind: str, force: bool, as_json: bool, quiet: bool) -> None:
    """Draw the page of an evidence file (*.report.json) again, or its summary as text or Markdown."""
    from anonym.pipeline import draw_report

    text, place = draw_report(evidence, kind, output, force=force)
    if place is None:
        click.echo(json.dumps({"text": text}, ensure_ascii=False) if as_json else text, nl=not text.endswith("\n"))
    elif not quiet:
        click.echo(json.dumps({"report": str(place)}) if as_json else f"report   {place}")
