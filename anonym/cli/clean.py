"""Remove what killed runs left."""

from __future__ import annotations

import json
from pathlib import Path

import click

from anonym.cli.options import ANY, common


@click.command()
@click.argument("folder", default=".", type=ANY)
@click.option("--dry-run", is_flag=True, help="Say what would be removed, and remove nothing.")
@common
def clean(folder: Path, dry_run: bool, as_json: bool, quiet: bool) -> None:
    """Remove what killed runs left in FOLDER (this one by default), and their private files with raw values.

    Only this user's unfinished parts of releases, reports and private files are removed, whose names begin with a dot.
    What a live run is writing is told by its lock, stays, and is named. Every `anonym apply` does the same for its own
    output and for private files.
    """
    from anonym.io.leftovers import sweep

    left = sweep(folder, dry_run=dry_run)
    if as_json:
        removed = [{"path": str(path), "bytes": size} for path, size in left.found.items()]
        click.echo(json.dumps({"dry_run": dry_run, "removed": removed, "live": [str(path) for path in left.live]}))
    elif not quiet:
        word = "would remove" if dry_run else "removed"
        lines = [f"{word}  {path}  ({size:,} bytes)" for path, size in left.found.items()]
        lines += [f"left  {path}: a run is writing it" for path in left.live]
        click.echo("\n".join(lines) or "nothing was left by a killed run")
