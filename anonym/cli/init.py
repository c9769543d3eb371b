"""A starter policy from a profile of the data."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anonym.cli.options import ANY, common, progressing
from anonym.errors import CallError

if TYPE_CHECKING:
    from anonym.pipeline.starting import Started
    from anonym.policy.infer import Question


@click.command()
@click.argument("data", nargs=-1, required=True, type=ANY)
@click.option("-o", "--output", type=ANY, default=Path("policy.yaml"), show_default=True, help="The policy to write.")
@click.option("--ask", is_flag=True, help="Ask where the data leave a doubt; on a terminal, at most two questions.")
@click.option("--force", is_flag=True, help="Replace an existing policy and its hierarchy files.")
@common
def init(data: tuple[Path, ...], output: Path, ask: bool, force: bool, as_json: bool, quiet: bool) -> None:
    """Write a starter policy for DATA: a role for every column, hierarchies from its values, each with a reason.

    The policy holds no value of the data; groupings of values go to CSV files (mode 0600) beside it. It was tried on
    DATA and runs at once. `reviewed` stays null until a person has read it.
    """
    from anonym.pipeline.starting import start_policy

    if ask and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise CallError("--ask asks on a terminal, and this is none: leave it out, then edit the policy")
    with progressing(quiet or as_json or ask) as progress:
        started = start_policy(data, output, force=force, ask=_ask if ask else None, progress=progress)
    if as_json:
        click.echo(json.dumps(started.as_dict(), indent=2, ensure_ascii=False))
    elif not quiet:
        click.echo("\n".join(_lines(started, data)))


def _ask(question: Question) -> str:
    answer: str = click.prompt(
        question.words, type=click.Choice(list(question.choices)), default=question.choices[0], err=True
    )
    return answer


def _lines(started: Started, data: tuple[Path, ...]) -> list[str]:
    """The roles with what they were guessed from, what to look at, and what to do next."""
    entries = started.draft.entries
    width = min(max((len(entry.name) for entry in entries), default=0), 28)
    lines = [f"  {e.name:<{width}}  {e.guess.role:<10}  {e.guess.confidence:.2f}  {e.guess.why}" for e in entries]
    lines = [line if len(line) <= 118 else f"{line[:117]}…" for line in lines]
    unit = started.draft.unit
    lines.append(
        f"unit: {unit.column}, {unit.why}" if unit else "unit: none, every row is taken for a person of its own"
    )
    lines += [f"to decide: {question.words}" for question in started.draft.questions]
    if not started.is_triable:
        lines.append("not tried: nothing but texts would be released, if that; anonym preview shows them")
    elif started.trial is None:
        lines.append(
            "a trial found no release that keeps the promise: too few rows or persons for k; see anonym explain"
        )
    else:
        rows, out = started.trial["input"]["rows"], started.trial["output"]["rows"]
        loss = started.trial["loss"]["ncp"]
        lines.append(
            f"tried: {out:,} of {rows:,} rows would be released" + (f", loss {loss:.3f}" if loss is not None else "")
        )
    names = " ".join(map(str, data))
    files = f" and {len(started.files)} hierarchy files that hold values (mode 0600)" if started.files else ""
    lines += [
        f"policy   {started.policy}{files}",
        f"next     read it; then anonym apply {started.policy} {names} -o release.parquet",
    ]
    return lines
