"""The main job on an invented table."""

from __future__ import annotations

from pathlib import Path

import click

from anonym.cli.options import ANY, common, progressing, show


@click.command()
@click.option("-o", "--output", type=ANY, default=Path("anonym-demo"), show_default=True, help="A new folder.")
@click.option(
    "--rows", type=click.IntRange(min=500), default=4000, show_default=True, help="Rows of the invented table."
)
@click.option("--force", is_flag=True, help="Write into an existing folder.")
@common
def demo(output: Path, rows: int, force: bool, as_json: bool, quiet: bool) -> None:
    """Make an invented table of support tickets and run everything on it."""
    from anonym.pipeline.demo import run_demo

    with progressing(quiet or as_json) as progress:
        outcome, places = run_demo(output, rows=rows, force=force, progress=progress)
    show(outcome.evidence, as_json, quiet)
    if not quiet and not as_json:
        click.echo(places)
