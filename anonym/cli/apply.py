"""Release a table under a policy."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import click

from anonym.cli.options import ANY, common, progressing, show
from anonym.cli.shares import SHARE
from anonym.cli.sizes import SIZE


@click.command()
@click.argument("policy", type=ANY)
@click.argument("data", nargs=-1, required=True, type=ANY)
@click.option("-o", "--output", required=True, type=ANY, help="The release: .parquet, .csv, .jsonl or .arrow.")
@click.option("--force", is_flag=True, help="Replace an existing output, unless it is of this very run.")
@click.option("--again", is_flag=True, help="With --force: run even where the same run has finished.")
@click.option("--seed", type=int, default=None, help="Replaces the policy's seed (search and sampling only).")
@click.option(
    "--hold-out", type=SHARE, default=None, help="Share of the units split off before, as a control of the attacks."
)
@click.option("--keep-hold-out", type=ANY, default=None, help="Keep who was held out (raw rows) in this Parquet file.")
@click.option("--control", type=ANY, default=None, help="People like DATA's who are not in it, for the attacks only.")
@click.option(
    "--plan", type=ANY, default=None, help="An earlier release's plan (or secret plan): a new batch recoded as it was."
)
@click.option(
    "--secret-plan",
    type=ANY,
    default=None,
    help="Keep the plan of a local recoding here, for --plan: raw values, mode 0600, not in OUT's folder.",
)
@click.option(
    "--exclude-units",
    type=ANY,
    default=None,
    help="People who withdrew (private data): a .txt file, one unit a line, or a table with the policy's unit column.",
)
@click.option(
    "--earlier", multiple=True, type=ANY, help="With --plan and `batch: union`: a file released before, once or more."
)
@click.option(
    "--partition-by",
    multiple=True,
    metavar="COLUMN",
    help="A released column, once or more: OUT is then a folder (named *.parquet) of folders COLUMN=value.",
)
@click.option("--memory-limit", type=SIZE, default=None, help="Refuse to begin where more is estimated, as 2GB.")
@click.option("--processes", type=click.IntRange(1, 256), default=1, help="Processes that scrub text at once.")
@common
def apply(
    policy: Path,
    data: tuple[Path, ...],
    output: Path,
    force: bool,
    again: bool,
    seed: int | None,
    hold_out: Decimal | None,
    keep_hold_out: Path | None,
    control: Path | None,
    plan: Path | None,
    secret_plan: Path | None,
    exclude_units: Path | None,
    earlier: tuple[Path, ...],
    partition_by: tuple[str, ...],
    memory_limit: int | None,
    processes: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Release DATA under POLICY: search, apply, scrub, verify the written file, report.

    DATA is one or more Parquet, CSV, JSON-lines or Arrow files, a folder, a quoted glob, a Delta table, or a URL of
    Parquet objects (s3://bucket/folder/*.parquet, with keys from the environment). Beside OUT appear
    OUT-stem.report.html, .report.json and .plan.json. Nothing stands under OUT unless the written file was verified.
    Where the same run (files, policy, options, keys, versions) has finished and its release stands untouched, --force
    does nothing; with --again it repeats the run.
    """
    from anonym.pipeline import apply_files

    with progressing(quiet or as_json) as progress:
        outcome = apply_files(
            policy,
            data,
            output,
            force=force,
            again=again,
            seed=seed,
            held_share=hold_out,
            keep_hold_out=keep_hold_out,
            control=control,
            plan=plan,
            secret_plan=secret_plan,
            exclude_units=exclude_units,
            earlier=earlier,
            partition_by=partition_by,
            memory_limit=memory_limit,
            processes=processes,
            progress=progress,
        )
    show(outcome.evidence, as_json, quiet)
    if not quiet and not as_json:
        click.echo("\n".join([f"release  {output}", f"report   {outcome.report}", *outcome.said]))
