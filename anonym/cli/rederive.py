"""Rebuild a release after a fault."""

from __future__ import annotations

from pathlib import Path

import click

from anonym.cli.options import ANY, common, progressing, show

SAME = "the same classes and number of rows as in the report; columns outside the classes are not in its digest"


@click.command()
@click.argument("report", type=ANY)
@click.argument("data", nargs=-1, required=True, type=ANY)
@click.option("-o", "--output", required=True, type=ANY, help="Where the rebuilt release is to stand.")
@click.option("--policy", type=ANY, default=None, help="Default: found by its hash beside the report or here.")
@click.option("--exclude-units", type=ANY, default=None, help="The people who had been left out of the release.")
@click.option("--control", type=ANY, default=None, help="The control of the attacks, where one had been given.")
@click.option("--earlier", type=ANY, multiple=True, help="The files released before (batch: union), once or more.")
@click.option("--plan", type=ANY, default=None, help="The secret plan, of a release that was made under one.")
@click.option("--secret-plan", type=ANY, default=None, help="Keep the plan of a local recoding (raw values) here anew.")
@click.option("--force", is_flag=True, help="Replace an existing output.")
@common
def rederive(
    report: Path,
    data: tuple[Path, ...],
    output: Path,
    policy: Path | None,
    exclude_units: Path | None,
    control: Path | None,
    earlier: tuple[Path, ...],
    plan: Path | None,
    secret_plan: Path | None,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Rebuild the release of REPORT (*.report.json) from DATA, its input, and publish it only if it is the same.

    The policy and the plan are looked for beside REPORT. The same means the digest of its classes and the number of
    rows; the order of shuffled rows, and tokens of scope release, are new in every run. Exits 4, and releases nothing,
    where it is another.
    """
    from anonym.pipeline.rederiving import rederive as rebuild

    with progressing(quiet or as_json) as progress:
        outcome = rebuild(
            report,
            data,
            output,
            policy=policy,
            exclude_units=exclude_units,
            control=control,
            earlier=earlier,
            plan=plan,
            secret_plan=secret_plan,
            force=force,
            progress=progress,
        )
    show(outcome.evidence, as_json, quiet)
    if not quiet and not as_json:
        click.echo(f"release  {output}\nreport   {outcome.report}\n{SAME}")
