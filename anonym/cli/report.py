"""Draw an evidence file."""

from __future__ import annotations

import json
from pathlib import Path

import click

from anonym.cli.options import ANY, common

FORMATS = ("html", "markdown", "text", "junit", "sarif")


@click.command()
@click.argument("evidence", type=ANY)
@click.option(
    "-o", "--output", type=ANY, default=None, help="Default: the same name, ending in .html; other formats are printed."
)
@click.option("--format", "kind", type=click.Choice(FORMATS), default="html", show_default=True)
@click.option("--since", type=ANY, default=None, help="Evidence of the release before: say what changed.")
@click.option("--original", type=ANY, default=None, help="With --since: the input of both, to tell who is in both.")
@click.option(
    "--attacks",
    type=ANY,
    multiple=True,
    help="What `anonym attack -o` wrote, once or more: a new evidence beside this one holds them too.",
)
@click.option("--force", is_flag=True, help="Replace an existing output.")
@common
def report(
    evidence: Path,
    output: Path | None,
    kind: str,
    since: Path | None,
    original: Path | None,
    attacks: tuple[Path, ...],
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Draw the page of an evidence file (*.report.json) again, or print it as Markdown, text, JUnit XML or SARIF.

    With --attacks the page and its evidence are new files (*.attacked.report.*), judged with those attacks.
    """
    from anonym.pipeline import draw_report

    text, place = draw_report(evidence, kind, output, force=force, since=since, original=original, attacks=attacks)
    if place is None:
        click.echo(json.dumps({"text": text}, ensure_ascii=False) if as_json else text, nl=not text.endswith("\n"))
    elif not quiet:
        click.echo(json.dumps({"report": str(place)}) if as_json else f"report   {place}")
