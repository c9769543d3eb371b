"""Attack a release."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from anonym.cli.options import ANY, common


@click.command()
@click.argument("policy", type=ANY)
@click.argument("release", type=ANY)
@click.option("--original", type=ANY, help="The table before the release.")
@click.option("--auxiliary", type=ANY, help="What the attacker holds; default: the original.")
@click.option("--control", type=ANY, help="People like the original's who were never released.")
@click.option("--against", type=ANY, help="An earlier release about the same people.")
@click.option("--truth", default=None, help="A column of release and auxiliary that says who is who.")
@common
def attack(
    policy: Path,
    release: Path,
    original: Path | None,
    auxiliary: Path | None,
    control: Path | None,
    against: Path | None,
    truth: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Run the attacks for which there are tables. Exits 3 where one succeeds, 5 where one cannot tell."""
    from anonym.pipeline import attack_files
    from anonym.pipeline.attack_runs import refuse

    results = attack_files(
        policy, release, original=original, auxiliary=auxiliary, control=control, against=against, truth=truth
    )
    if as_json:
        click.echo(json.dumps([result.as_dict() for result in results], indent=2, ensure_ascii=False))
    elif not quiet:
        click.echo("\n".join(_attack_line(result.as_dict()) for result in results))
    refuse(results)


def _attack_line(result: dict[str, Any]) -> str:
    """One attack in a line: verdict, rate with its interval, baseline and control."""
    shown = {name: "not measured" if result[name] is None else f"{result[name]:.4f}" for name in _RATES}
    return (
        f"{result['verdict']:<13} {result['name']}: rate {shown['rate']} [{shown['low']}, {shown['high']}] "
        f"of {result['targets']} targets, baseline {shown['baseline']}, control {shown['control']}, "
        f"advantage {shown['advantage']}"
    )


_RATES = ("rate", "low", "high", "baseline", "control", "advantage")
