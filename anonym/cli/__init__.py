"""The command line: words in, exit statuses out. All work is done in `anonym.pipeline`."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from importlib import import_module
from pathlib import Path

import click

from anonym import __version__
from anonym.cli.options import uniform
from anonym.errors import AnonymError

VERBS = (
    "init",
    "preview",
    "tune",
    "apply",
    "check",
    "attack",
    "recall",
    "audit",
    "ledger",
    "explain",
    "report",
    "verify",
    "rederive",
    "diff",
    "expectations",
    "demo",
    "clean",
    "doctor",
    "help",
)
"""In the order of the work; each is the command of that name in the module of that name."""


class _Group(click.Group):
    """Verbs in the order of the work, not of the alphabet."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="anonym")
def cli() -> None:
    """Make a training set safe to train on or hand over, and prove it.

    \b
    Start here:
      anonym demo                                       everything, on an invented table
      anonym explain policy.yaml data.parquet           what a policy will do, in words
      anonym apply policy.yaml data.parquet -o release.parquet
    """


for _verb in VERBS:
    cli.add_command(uniform(getattr(import_module(f"anonym.cli.{_verb}"), _verb)))


def main() -> None:
    """The entry point: errors become one sentence and an exit status; nothing prints a value of the data."""
    logging.basicConfig(format="%(message)s", stream=sys.stderr, level=logging.ERROR)
    interrupted = _watch_interrupts()
    try:
        cli.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except BrokenPipeError:
        sys.exit(6)
    except SystemExit:
        raise
    except BaseException as error:
        # The last resort is wide on purpose: an engine's panic is no Exception, and its message may hold values.
        sys.exit(_say(error, interrupted=interrupted.is_set() or isinstance(error, KeyboardInterrupt | click.Abort)))


def _watch_interrupts() -> threading.Event:
    """Set at the first Ctrl-C: an engine or an import may turn the interruption into an error of its own."""
    seen = threading.Event()

    def interrupt(_number: int, _frame: object) -> None:
        seen.set()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise KeyboardInterrupt

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, interrupt)
    return seen


def _say(error: BaseException, *, interrupted: bool) -> int:
    """One sentence on standard error; returns the exit status."""
    if interrupted:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        click.echo("anonym: interrupted; nothing was released", err=True)
        # All contexts have been left. An engine's threads may raise the interruption again while Python winds down,
        # and the process would then die of the signal.
        os._exit(130)
    if isinstance(error, AnonymError):
        click.echo(f"anonym: {error}", err=True)
        return error.status
    click.echo(f"anonym: internal error ({type(error).__name__} {_where(error)}); nothing was released", err=True)
    return 1


def _where(error: BaseException) -> str:
    """The innermost place in our own code, for a bug report: a file and a line, no values."""
    place, trace = "", error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if "anonym" in Path(name).parts:
            place = f"in {Path(name).name}, line {trace.tb_lineno}"
        trace = trace.tb_next
    return place
