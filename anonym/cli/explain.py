"""Say in words what a policy will do."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from anonym.cli.options import ANY, common


@click.command()
@click.argument("policy", type=ANY)
@click.argument("data", nargs=-1, type=ANY)
@click.option("--show-values", is_flag=True, help="Print values that a hierarchy lacks; on a terminal only.")
@common
def explain(policy: Path, data: tuple[Path, ...], show_values: bool, as_json: bool, quiet: bool) -> None:
    """Say in words what POLICY will do (to DATA)."""
    from anonym.pipeline import explain_policy

    text = explain_policy(policy, data, show_values=show_values and sys.stdout.isatty())
    if not quiet:
        click.echo(json.dumps({"text": text}, ensure_ascii=False) if as_json else text)
