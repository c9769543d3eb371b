"""Write a suite of Great Expectations."""

from __future__ import annotations

import json
from pathlib import Path

import click

from anonym.cli.options import ANY, common


@click.command()
@click.argument("policy", type=ANY)
@click.option("-o", "--output", type=ANY, required=True, help="The suite, as JSON.")
@click.option("--report", type=ANY, default=None, help="A release's report: adds its number of rows, resolves globs.")
@click.option("--force", is_flag=True, help="Replace an existing output.")
@common
def expectations(policy: Path, output: Path, report: Path | None, force: bool, as_json: bool, quiet: bool) -> None:
    """Write what a release under POLICY must keep to, as a suite of Great Expectations (extra `gx`).

    A warehouse runs it after every later join: a column that the release did not have counts as known to the attacker.
    In Python, `anonym.report.expectations.load_suite("suite.json")` gives the suite; results hold counts only.
    """
    from anonym.pipeline.expecting import write_expectations

    suite = write_expectations(policy, output, report, force=force)
    if as_json:
        click.echo(json.dumps({"suite": str(output), "expectations": len(suite["expectations"])}))
    elif not quiet:
        click.echo(f"suite    {output} ({len(suite['expectations'])} expectations)")
        for one in suite["meta"]["anonym"]["not_checked"]:
            click.echo(f"         not checked: {one}")
