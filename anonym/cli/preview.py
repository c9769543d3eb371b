"""A few rows before and after."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anonym.cli.options import ANY, common, progressing
from anonym.errors import CallError

if TYPE_CHECKING:
    from rich.text import Text

    from anonym.pipeline.previewing import Cell, PreviewRow

COLOURS = ("red", "green", "yellow", "blue", "magenta", "cyan", "bright_red", "bright_green", "bright_blue")


@click.command()
@click.argument("policy", type=ANY)
@click.argument("data", nargs=-1, required=True, type=ANY)
@click.option("-n", "--rows", type=click.IntRange(min=1, max=1000), default=5, show_default=True, help="Rows to show.")
@common
def preview(policy: Path, data: tuple[Path, ...], rows: int, as_json: bool, quiet: bool) -> None:
    """Show rows of DATA before and after a release under POLICY; on a terminal only, since it shows values.

    What was found in texts is coloured by its type and named with its rule. Nothing is written.
    """
    from anonym.pipeline.previewing import preview_rows

    if as_json or not sys.stdout.isatty():
        raise CallError(
            "preview shows values of the data, so it writes to a terminal only: no pipe, no file, no --json"
        )
    with progressing(quiet) as progress:
        shown = preview_rows(policy, data, rows, progress=progress)
    draw(shown)


def draw(shown: list[PreviewRow]) -> None:
    """Print the rows on standard output; colours as the terminal has them, none under NO_COLOR."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = Console()
    for row in shown:
        end = ", suppressed: it would not be released" if row.suppressed else ""
        table = Table(box=box.SIMPLE, title=f"row {row.row}{end}", title_justify="left", expand=False)
        for heading in ("column", "role", "before", "after"):
            table.add_column(heading, overflow="fold")
        for cell in row.cells:
            table.add_row(_safe(cell.name), cell.role, _marked(cell), _after(cell))
        console.print(table)


def _marked(cell: Cell) -> Text:
    """The value before, every finding in the colour of its type and followed by type and rule."""
    from rich.text import Text

    if cell.before is None:
        return Text("null", style="dim")
    marked, end = Text(), 0
    for found in cell.found:
        colour = COLOURS[sum(map(ord, found.entity)) % len(COLOURS)]
        marked.append(_safe(cell.before[end : found.start]))
        marked.append(_safe(cell.before[found.start : found.end]), style=f"bold {colour}")
        marked.append(f" [{found.entity}, {found.rule}]", style=colour)
        end = found.end
    return marked.append(_safe(cell.before[end:]))


def _after(cell: Cell) -> Text:
    from rich.text import Text

    if cell.after is None:
        return Text("not released", style="dim")
    return Text(_safe(cell.after), style="" if cell.after == cell.before else "bold")


def _safe(text: str) -> str:
    """Without characters that steer a terminal."""
    return "".join(letter if letter.isprintable() or letter == "\n" else "�" for letter in text)
