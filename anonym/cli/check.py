"""Recompute a guarantee from a released file."""

from __future__ import annotations

from pathlib import Path

import click

from anonym.cli.options import ANY, common, show
from anonym.errors import GuaranteeError


@click.command()
@click.argument("policy", type=ANY)
@click.argument("release", type=ANY)
@click.option("--earlier", type=ANY, multiple=True, help="Under `batch: union`: a file released before, once or more.")
@common
def check(policy: Path, release: Path, earlier: tuple[Path, ...], as_json: bool, quiet: bool) -> None:
    """Recompute the guarantee of POLICY from the file RELEASE alone. Exits 3 where it does not hold."""
    from anonym.pipeline import check_file

    verdict = check_file(policy, release, earlier)
    show(verdict.evidence | {"holds": verdict.holds}, as_json, quiet)
    if not verdict.holds:
        raise GuaranteeError("the guarantee does not hold: " + "; ".join(verdict.reasons))
