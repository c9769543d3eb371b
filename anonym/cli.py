"""The command line: words in, exit statuses out. All work is done in `anonym.pipeline`."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from anonym import __version__
from anonym.errors import AnonymError, GuaranteeError

if TYPE_CHECKING:
    from anonym.pipeline.progress import Progress

F = TypeVar("F", bound=Callable[..., Any])

EXISTING = click.Path(exists=True, path_type=Path)
ANY = click.Path(path_type=Path)


class _Group(click.Group):
    """Verbs in the order of the work, not of the alphabet."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(self.commands)


def _set_verbose(_ctx: click.Context, _option: click.Parameter, verbose: bool) -> None:
    logging.getLogger("anonym").setLevel(logging.INFO if verbose else logging.ERROR)


def _common(command: F) -> F:
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


@cli.command()
@click.argument("policy", type=ANY)
@click.argument("data", nargs=-1, required=True, type=ANY)
@click.option("-o", "--output", required=True, type=ANY, help="The release: .parquet, .csv, .jsonl or .arrow.")
@click.option("--force", is_flag=True, help="Replace an existing output.")
@click.option("--seed", type=int, default=None, help="Replaces the policy's seed (search and sampling only).")
@_common
def apply(
    policy: Path,
    data: tuple[Path, ...],
    output: Path,
    force: bool,
    seed: int | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Release DATA under POLICY: search, apply, scrub, verify the written file, report.

    DATA is one or more Parquet, CSV, JSON-lines or Arrow files, a folder, or a quoted glob. Beside OUT appear
    OUT-stem.report.html, .report.json and .plan.json. Nothing stands under OUT unless the written file was verified.
    """
    from anonym.pipeline import apply_files

    with _progress(quiet or as_json) as progress:
        outcome = apply_files(policy, data, output, force=force, seed=seed, progress=progress)
    _show(outcome.evidence, as_json, quiet)
    if not quiet and not as_json:
        click.echo(f"release  {output}\nreport   {outcome.report}")


@cli.command()
@click.argument("policy", type=ANY)
@click.argument("release", type=ANY)
@_common
def check(policy: Path, release: Path, as_json: bool, quiet: bool) -> None:
    """Recompute the guarantee of POLICY from the file RELEASE alone. Exits 3 where it does not hold."""
    from anonym.pipeline import check_file

    verdict = check_file(policy, release)
    _show(verdict.evidence | {"holds": verdict.holds}, as_json, quiet)
    if not verdict.holds:
        raise GuaranteeError("the guarantee does not hold: " + "; ".join(verdict.reasons))


@cli.command()
@click.argument("policy", type=ANY)
@click.argument("release", type=ANY)
@click.option("--original", type=ANY, help="The table before the release.")
@click.option("--auxiliary", type=ANY, help="What the attacker holds; default: the original.")
@click.option("--control", type=ANY, help="People like the original's who were never released.")
@click.option("--against", type=ANY, help="An earlier release about the same people.")
@click.option("--truth", default=None, help="A column of release and auxiliary that says who is who.")
@_common
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
    from anonym.pipeline.attacking import refuse

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


@cli.command()
@click.argument("policy", type=ANY)
@click.argument("data", nargs=-1, type=ANY)
@click.option("--show-values", is_flag=True, help="Print values that a hierarchy lacks; on a terminal only.")
@_common
def explain(policy: Path, data: tuple[Path, ...], show_values: bool, as_json: bool, quiet: bool) -> None:
    """Say in words what POLICY will do (to DATA)."""
    from anonym.pipeline import explain_policy

    text = explain_policy(policy, data, show_values=show_values and sys.stdout.isatty())
    if not quiet:
        click.echo(json.dumps({"text": text}, ensure_ascii=False) if as_json else text)


@cli.command()
@click.argument("evidence", type=ANY)
@click.option("-o", "--output", type=ANY, default=None, help="Default: the same name, ending in .html.")
@click.option("--format", "kind", type=click.Choice(["html", "markdown", "text"]), default="html", show_default=True)
@click.option("--force", is_flag=True, help="Replace an existing output.")
@_common
def report(evidence: Path, output: Path | None, kind: str, force: bool, as_json: bool, quiet: bool) -> None:
    """Draw the page of an evidence file (*.report.json) again, or its summary as text or Markdown."""
    from anonym.pipeline import draw_report

    text, place = draw_report(evidence, kind, output, force=force)
    if place is None:
        click.echo(json.dumps({"text": text}, ensure_ascii=False) if as_json else text, nl=not text.endswith("\n"))
    elif not quiet:
        click.echo(json.dumps({"report": str(place)}) if as_json else f"report   {place}")


@cli.command()
@click.option("-o", "--output", type=ANY, default=Path("anonym-demo"), show_default=True, help="A new folder.")
@click.option(
    "--rows", type=click.IntRange(min=500), default=4000, show_default=True, help="Rows of the invented table."
)
@click.option("--force", is_flag=True, help="Write into an existing folder.")
@_common
def demo(output: Path, rows: int, force: bool, as_json: bool, quiet: bool) -> None:
    """Make an invented table of support tickets and run everything on it."""
    from anonym.pipeline.demo import run_demo

    with _progress(quiet or as_json) as progress:
        outcome, places = run_demo(output, rows=rows, force=force, progress=progress)
    _show(outcome.evidence, as_json, quiet)
    if not quiet and not as_json:
        click.echo(places)


def _show(evidence: dict[str, Any], as_json: bool, quiet: bool) -> None:
    if as_json:
        from anonym.report.evidence import dump

        click.echo(dump(evidence), nl=False)
    elif not quiet:
        from anonym.report.summary import render_text

        click.echo(render_text(evidence))


@contextlib.contextmanager
def _progress(silent: bool) -> Iterator[Progress]:
    """Bars on a terminal, nothing elsewhere."""
    from anonym.pipeline.progress import Progress, TerminalProgress

    if silent or not sys.stderr.isatty():
        yield Progress()
    else:
        with TerminalProgress() as bars:
            yield bars


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


if __name__ == "__main__":
    main()
