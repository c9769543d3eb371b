"""Attack a release."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from anonym.cli.options import ANY, common


class _Columns(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.4 on only
    """`name=column,name=column`."""

    name = "columns"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, str]:
        pairs = [part.partition("=") for part in str(value).split(",")]
        if not all(name and column for name, _, column in pairs):
            self.fail("expected name=column, several with commas, such as item=movie,date=day", param, ctx)
        return {name.strip(): column.strip() for name, _, column in pairs}


EVENTS = _Columns()


@click.command()
@click.argument("policy", type=ANY)
@click.argument("release", type=ANY)
@click.option("--original", type=ANY, help="The table before the release.")
@click.option("--auxiliary", type=ANY, help="What the attacker holds; default: the original.")
@click.option("--control", type=ANY, help="People like the original's who were never released.")
@click.option("--against", type=ANY, multiple=True, help="An earlier release about the same people; may be repeated.")
@click.option("--truth", default=None, help="A column of release and auxiliary that says who is who.")
@click.option("--events", type=EVENTS, default=None, help="Columns of a long table: item=,value=,date=,person=.")
@click.option("--population", type=click.IntRange(1), default=None, help="People that the release is a sample of.")
@click.option(
    "--targets", type=click.IntRange(1), default=10_000, show_default=True, help="People attacked one by one."
)
@click.option("--intruder-pack", type=ANY, help="Attack nothing: write what a motivated-intruder exercise needs here.")
@click.option("--rows", type=click.IntRange(1), default=50, show_default=True, help="Rows in the intruder pack.")
@click.option("--score", type=ANY, help="Attack nothing: score the claims.csv of this intruder pack.")
@click.option("--typos", is_flag=True, help="Link in spite of typing errors too (needs anonym[linkage]).")
@click.option("--seed", type=int, default=None, help="Replaces the policy's seed.")
@click.option("-o", "--output", type=ANY, default=None, help="Write the results, for `anonym report --attacks`.")
@click.option("--force", is_flag=True, help="Replace an existing output.")
@common
def attack(
    policy: Path, release: Path, output: Path | None, force: bool, as_json: bool, quiet: bool, **given: Any
) -> None:
    """Run the attacks for which there are tables. Exits 3 where one succeeds, 5 where one cannot tell."""
    from anonym.io import refuse_existing
    from anonym.pipeline import attack_files
    from anonym.pipeline.attack_records import write_record
    from anonym.pipeline.attack_runs import refuse
    from anonym.pipeline.intruding import score_claims, write_pack

    pack, rows, claims = given.pop("intruder_pack"), given.pop("rows"), given.pop("score")
    if output is not None:
        refuse_existing(output, force=force)
    if pack is not None:
        written = write_pack(policy, release, pack, rows=rows, seed=given["seed"])
        if not quiet:
            click.echo(json.dumps([str(path) for path in written]) if as_json else "\n".join(map(str, written)))
        return
    if claims is not None:
        results = [score_claims(policy, release, claims, original=given["original"], truth=given["truth"])]
    else:
        results = attack_files(policy, release, **given)
    if output is not None:
        tables, options = _told(given)
        write_record(output, policy, release, results, tables=tables, options=options, force=force)
    if as_json:
        click.echo(json.dumps([result.as_dict() for result in results], indent=2, ensure_ascii=False))
    elif not quiet:
        click.echo("\n".join(_attack_line(result.as_dict()) for result in results))
    refuse(results)


def _told(given: dict[str, Any]) -> tuple[dict[str, Sequence[Path]], dict[str, object]]:
    """The tables of a call, and what it says beside them."""
    tables: dict[str, Sequence[Path]] = {name: [given[name]] for name in _TABLES if given[name] is not None}
    events = ",".join(f"{name}={column}" for name, column in (given["events"] or {}).items())
    options = {name: value for name, value in given.items() if name not in (*_TABLES, "against")}
    return tables | {"against": given["against"]}, options | {"events": events}


def _attack_line(result: dict[str, Any]) -> str:
    """One attack in a line: verdict, rate with its interval, baseline and control."""
    shown = {name: "not measured" if result[name] is None else f"{result[name]:.4f}" for name in _RATES}
    verdict = result["verdict"] or "no threshold"
    return (
        f"{verdict:<13} {result['name']}: rate {shown['rate']} [{shown['low']}, {shown['high']}] "
        f"of {result['targets']} targets, baseline {shown['baseline']}, control {shown['control']}, "
        f"advantage {shown['advantage']}" + "".join(_why(result["detail"]))
    )


def _why(detail: dict[str, Any]) -> Iterator[str]:
    """Why there is no verdict, and how many targets it would take."""
    if detail.get("why"):
        yield f"; {detail['why']}"
    if detail.get("targets_needed"):
        yield f"; about {detail['targets_needed']:,} targets would decide"


_TABLES = ("original", "auxiliary", "control")
_RATES = ("rate", "low", "high", "baseline", "control", "advantage")
