"""Recompute a report's numbers from its files."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anonym.cli.options import ANY, common, progressing

if TYPE_CHECKING:
    from anonym.pipeline.recomputing import Line, Status


@click.command()
@click.argument("report", type=ANY)
@click.option("--policy", type=ANY, default=None, help="Default: found by its hash beside the report or here.")
@click.option("--release", type=ANY, default=None, help="Default: the file beside the report.")
@click.option("--original", type=ANY, multiple=True, help="The input: then everything is computed again.")
@click.option("--exclude-units", type=ANY, default=None, help="With --original: who was left out of the release.")
@click.option("--earlier", type=ANY, multiple=True, help="The files released before (batch: union), once or more.")
@click.option("--plan", type=ANY, default=None, help="With --original: the secret plan that the release followed.")
@click.option("--attacks", type=ANY, multiple=True, help="Later attacks; default: found by their hash beside it.")
@click.option("--ledger", type=ANY, default=None, help="The ledger of private training: then ε is computed again.")
@common
def verify(
    report: Path,
    policy: Path | None,
    release: Path | None,
    original: tuple[Path, ...],
    exclude_units: Path | None,
    earlier: tuple[Path, ...],
    plan: Path | None,
    attacks: tuple[Path, ...],
    ledger: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Recompute every number of REPORT (*.report.json) from the files, and say which hold. Exits 3 where one does not.

    From the release alone: k, l, t, classes, risk, rows, hashes, and what follows from them. With --original the
    release is made again in a private folder and everything is compared.
    """
    from anonym.pipeline.recomputing import recompute, refuse
    from anonym.pipeline.told_by_files import Named

    named = Named(policy, release, original, exclude_units, earlier, attacks, ledger, plan)
    with progressing(quiet or as_json) as progress:
        lines = recompute(report, named, progress)
    if as_json:
        click.echo(json.dumps([asdict(line) for line in lines], indent=2, ensure_ascii=False))
    elif not quiet:
        click.echo(_told(lines, whole=bool(original)))
    refuse(lines)


def _told(lines: list[Line], *, whole: bool) -> str:
    """A line for each part of the report, and one for each number that differs. `whole`: the original was at hand."""
    parts = dict.fromkeys(line.path.split(".")[0] for line in lines)
    width = max(map(len, parts), default=0)
    told = []
    for part in parts:
        counts = Counter(line.status for line in lines if line.path.split(".")[0] == part)
        said = ", ".join(f"{counts[status]} {word}" for status, word in _WORDS.items() if counts[status])
        told.append(f"{part:<{width}}  {said}")
        told += [
            f"{'':<{width}}    {line.path}: reported {line.reported}, found {line.found}"
            for line in lines
            if line.status == "differs" and line.path.split(".")[0] == part
        ]
    return "\n".join([*told, "; ".join(_ending(lines, whole=whole))])


def _ending(lines: list[Line], *, whole: bool) -> Iterator[str]:
    counts = Counter(line.status for line in lines)
    yield f"{counts['holds']} hold, {counts['differs']} do not"
    unknown = [line.path for line in lines if line.status == "not recomputed"]
    if unknown:
        needed = [option for part, option in _OPTIONS.items() if any(path.startswith(part) for path in unknown)]
        if not whole and any(not path.startswith((*_OPTIONS, "page")) for path in unknown):
            needed.append("--original")
        yield f"{counts['not recomputed']} not recomputed" + (f" without {', '.join(needed)}" if needed else "")
    if counts["only recorded"]:
        yield f"{counts['only recorded']} only recorded (times, versions, names: no file tells them)"


_OPTIONS = {"later.": "--attacks", "training.": "--ledger"}
"""The option that names what the numbers of a part are computed from."""
_WORDS: dict[Status, str] = {
    "holds": "hold",
    "differs": "DO NOT HOLD",
    "not recomputed": "not recomputed",
    "only recorded": "only recorded",
}
