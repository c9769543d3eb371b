"""Options that every verb has, and how a verb shows its result and its progress."""

from __future__ import annotations

import contextlib
import logging
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from anonym.pipeline.progress import Progress

F = TypeVar("F", bound=Callable[..., Any])

ANY = click.Path(path_type=Path)


def _set_verbose(_ctx: click.Context, _option: click.Parameter, verbose: bool) -> None:
    logging.getLogger("anonym").setLevel(logging.INFO if verbose else logging.ERROR)


def common(command: F) -> F:
    """The options every verb has."""
    for option in (
        click.option(
            "--verbose",
            is_flag=True,
            expose_value=False,
            callback=_set_verbose,
            help="Say what is done, step by step. Never a value of the data.",
        ),
        click.option("--quiet", is_flag=True, help="Say nothing but errors."),
        click.option("--json", "as_json", is_flag=True, help="Print the result as JSON on standard output."),
    ):
        command = option(command)
    return command


def uniform(command: click.Command) -> click.Command:
    """The command with `--seed` and `--force`: one line of options then fits every verb of a job, also those that
    draw nothing or write nothing, where the two change nothing and stay out of `--help`.
    """
    taken = {word for param in command.params for word in param.opts}
    if "--seed" not in taken:
        command.params.append(click.Option(["--seed"], type=int, expose_value=False, hidden=True))
    if "--force" not in taken:
        command.params.append(click.Option(["--force"], is_flag=True, expose_value=False, hidden=True))
    return command


def show(evidence: dict[str, Any], as_json: bool, quiet: bool) -> None:
    if as_json:
        from anonym.report.evidence import dump

        click.echo(dump(evidence), nl=False)
    elif not quiet:
        from anonym.report.summary import render_text

        click.echo(render_text(evidence))


@contextlib.contextmanager
def progressing(silent: bool) -> Iterator[Progress]:
    """Bars on a terminal, nothing elsewhere."""
    from anonym.pipeline.progress import Progress, TerminalProgress

    if silent or not sys.stderr.isatty():
        yield Progress()
    else:
        with TerminalProgress() as bars:
            yield bars
