"""What is installed, and what is missing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from anonym.cli.options import common

if TYPE_CHECKING:
    from anonym.pipeline.diagnosing import Diagnosis


@click.command()
@common
def doctor(as_json: bool, quiet: bool) -> None:
    """Say what is installed (versions, extras, models), what the machine has, and what would help."""
    from anonym.pipeline.diagnosing import diagnose

    found = diagnose()
    if as_json:
        click.echo(json.dumps(found.as_dict(), indent=2))
    elif not quiet:
        click.echo("\n".join(_lines(found)))


def _lines(found: Diagnosis) -> list[str]:
    from anonym.pipeline.diagnosing import EXTRAS

    lines = ["versions", *(f"  {name:<18} {version or 'missing'}" for name, version in found.versions.items())]
    lines.append("extras")
    for name, (_, words) in EXTRAS.items():
        state = "installed" if found.extras[name] else f"pip install 'anonym[{name}]'"
        lines.append(f"  {name:<18} {state:<32} {words}")
    lines.append("models that find names")
    lines += [f"  {language:<18} {package}" for language, package in found.models.items()] or ["  none"]
    machine = found.machine
    memory = machine["memory_bytes"]
    lines += [
        "machine",
        f"  {'system':<18} {machine['system']}, {machine['cores']} cores"
        + (f", {memory / 2**30:.1f} GiB of memory" if memory else ""),
        f"  {'private files':<18} {machine['private_folder']}, {machine['private_free_bytes'] / 2**30:.1f} GiB free",
        f"  {'rules':<18} {machine['rules']}",
        "network: never used",
    ]
    lines += [f"to do: {words}" for words in found.advice] or ["nothing to do"]
    return lines
