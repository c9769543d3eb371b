"""What killed runs left: parts beside releases and files of raw values, told from those of runs that live by locks."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from anonym.errors import CallError, OutputError
from anonym.io.guard import guarded
from anonym.io.private import PRIVATE_MARK, bytes_of, is_held, sweep_private
from anonym.io.target import MARK, remove, take_lock

_PART = re.compile(rf"\.(?P<name>.+){re.escape(MARK)}(\..*)?", re.DOTALL)
_PRIVATE = re.compile(rf"\.(?P<name>.+){re.escape(PRIVATE_MARK)}[^.]+", re.DOTALL)


@dataclass(frozen=True)
class Leftovers:
    """Paths that were left, with their bytes; `live` are outputs that a run is writing, whose parts stay."""

    found: dict[Path, int] = field(default_factory=dict)
    live: tuple[Path, ...] = ()


def sweep(folder: Path, *, dry_run: bool) -> Leftovers:
    """Remove what killed runs of this user left in `folder` (not below it) and in the private folder, or only look.

    Raises CallError where there is no such folder, OutputError where something cannot be removed.
    """
    if not folder.is_dir():
        raise CallError(f"{folder} is not a folder: name the one that holds the releases")
    found: dict[Path, int] = {}
    live: list[Path] = []
    with guarded("removing what killed runs left", OutputError):
        for output, parts in sorted(_of_outputs(folder).items()):
            with _unless_written(output, parts) as is_dead:
                if not is_dead:
                    live.append(output)
                    continue
                found |= {part: bytes_of(part) for part in parts}
                for part in parts if not dry_run else ():
                    remove(part)
        return Leftovers(found | sweep_private(dry_run=dry_run), tuple(live))


def _of_outputs(folder: Path) -> dict[Path, list[Path]]:
    """Our parts in the folder by the output they were written for: plain files and folders of this user, no links."""
    outputs: dict[Path, list[Path]] = {}
    for entry in sorted(folder.iterdir()):
        state = entry.lstat()
        is_plain = stat.S_ISREG(state.st_mode) or stat.S_ISDIR(state.st_mode)
        found = _PART.fullmatch(entry.name) or _PRIVATE.fullmatch(entry.name)
        if found and is_plain and state.st_uid == os.geteuid():
            outputs.setdefault(folder / found["name"], []).append(entry)
    return outputs


@contextlib.contextmanager
def _unless_written(output: Path, parts: list[Path]) -> Iterator[bool]:
    """Whether no live run writes the output; none can begin to until the context is left."""
    try:
        lock = take_lock(output)
    except OutputError:
        yield False
        return
    try:
        yield not any(is_held(part) for part in parts)
    finally:
        os.close(lock)
