"""A release's place: written beside under another name, synced, renamed last; locked against a second writer."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import logging
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from anonym.errors import CallError, OutputError
from anonym.io.guard import guarded
from anonym.io.partitions import exchange, refuse_foreign, refuse_unexchangeable
from anonym.io.private import private_root

log = logging.getLogger("anonym")

MARK = ".anonym-part"
LONGEST = 200  # bytes; file systems take 255, and parts add up to 42


class Target:
    """A context around one output path and its companions.

    `part` is where the release is written (mode 0600, same folder); with `folder` it is a folder of files (mode 0700),
    and replaces one that holds nothing but such files. `publish` gives every file its name, the release
    last. On any other exit the parts are removed and what stood there before is untouched.
    """

    def __init__(self, path: Path, *, force: bool = False, folder: bool = False) -> None:
        self.path = path
        self.force = force
        self.folder = folder

    def __enter__(self) -> Target:
        with guarded("preparing the output", OutputError):
            folder = self.path.parent
            if not folder.is_dir():
                raise OutputError(f"the output's folder does not exist: {folder}")
            if self.path.is_dir() and not self.folder:
                raise CallError(f"{self.path} is a folder: name a file")
            refuse_existing(self.path, force=self.force)
            if self.folder and self.path.exists():
                _refuse_other_folder(self.path)
            with contextlib.ExitStack() as locks:
                locks.callback(os.close, take_lock(self.path))
                # The part is locked as well, for those who do not share our private folder.
                if self.folder:
                    self._part(self.path).mkdir(mode=0o700, exist_ok=True)
                locks.callback(os.close, _locked(self._part(self.path), self.path))
                locks.callback(_remove_parts, self.path)  # also where the run is interrupted right here
                self.part = self._new_part(self.path)
                if self.folder and self.path.exists():
                    refuse_unexchangeable(self.part)
                self._locks = locks.pop_all()
        return self

    def __exit__(self, *_error: object) -> None:
        self._locks.close()

    def companion(self, ending: str) -> Path:
        """OUT-stem + ending, for example `release.report.json`."""
        return self.path.with_name(self.path.stem + ending)

    def write_companions(self, texts: Mapping[str, str]) -> None:
        """Write OUT-stem + ending for each text, each complete or not at all."""
        with guarded("writing the report", OutputError):
            _settle([self._written(ending, text) for ending, text in texts.items()])

    def publish(self, texts: Mapping[str, str], *, without: tuple[str, ...] = ()) -> None:
        """Give the companions and, last, the verified part their names; all are on the disk before the first gets it.

        `without` are the endings of companions of an earlier run that no longer describe what stands there.
        """
        with guarded("writing the release", OutputError):
            for ending in without:
                self.companion(ending).unlink(missing_ok=True)
            parts = [self._written(ending, text) for ending, text in texts.items()]
            _settle([*parts, (self.part, self.path)])

    def _written(self, ending: str, text: str) -> tuple[Path, Path]:
        """A companion's part and the name that it is to get."""
        part = self._new_part(self.companion(ending))
        part.write_text(text, encoding="utf-8")
        return part, self.companion(ending)

    def _new_part(self, final: Path) -> Path:
        """An empty file of mode 0600 (or folder of 0700) beside the output, whatever a killed run left of this name."""
        part = self._part(final)
        if part.is_dir():
            part.chmod(0o700)
            for inside in part.iterdir():
                remove(inside)
            return part
        handle = os.open(part, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_NOFOLLOW, 0o600)
        os.fchmod(handle, 0o600)
        os.close(handle)
        return part

    def _part(self, final: Path) -> Path:
        kind = ".folder" if self.folder and final == self.path else ""
        return self.path.with_name(f".{self.path.name}{MARK}{kind}{final.name.removeprefix(self.path.stem)}")


def _settle(parts: Sequence[tuple[Path, Path]]) -> None:
    """Sync, set the mode a new file of this user has (or the replaced one had), rename, sync the folder."""
    for part, final in parts:
        for inside in part.rglob("*") if part.is_dir() else ():
            _sync(inside)
            inside.chmod((0o777 if inside.is_dir() else 0o666) & ~_umask())
        _sync(part)
        part.chmod(final.stat().st_mode & 0o777 if final.exists() else (0o777 if part.is_dir() else 0o666) & ~_umask())
    for part, final in parts:
        # Of two folders, the old release gets the part's name, and goes with it.
        (exchange if part.is_dir() and final.exists() else os.replace)(part, final)
    for folder in {final.parent for _, final in parts}:
        _sync_folder(folder)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _sync_folder(folder: Path) -> None:
    """Best effort: the files have their names already, and a refusal here must not be told as their absence."""
    try:
        _sync(folder)
    except OSError:
        log.warning("%s could not be synced: the release stands, but may be lost if the machine fails now", folder)


def _refuse_other_folder(path: Path) -> None:
    if not path.is_dir() or path.is_symlink():
        raise CallError(f"{path} is no folder: name one, or leave --partition-by out")
    refuse_foreign(path)


def refuse_long_name(path: Path) -> None:
    """Raises CallError for a name that leaves no room for those of the parts and companions, which are longer."""
    size = len(os.fsencode(path.name))
    if size > LONGEST:
        raise CallError(f"a name of {size} bytes: take a shorter one, of at most {LONGEST}")


def refuse_existing(*paths: Path, force: bool) -> None:
    """Raise CallError where something stands at one of `paths`, unless it is to be replaced."""
    there = next((path for path in paths if path.exists()), None)
    if there is not None and not force:
        raise CallError(f"{there} exists: choose another name, or say --force to replace it")


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _remove_parts(path: Path) -> None:
    for stale in path.parent.iterdir():
        if stale.name.startswith(f".{path.name}{MARK}"):
            with contextlib.suppress(OSError):
                remove(stale)


def remove(path: Path) -> None:
    """Remove a file, or a folder with all that is in it."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def take_lock(path: Path) -> int:
    """An exclusive lock for this output path, held outside its folder, so that nothing is left there."""
    name = hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:32]
    folder = private_root() / "locks"
    folder.mkdir(mode=0o700, exist_ok=True)
    return _locked(folder / name, path)


def _locked(file: Path, path: Path) -> int:
    """A handle of `file` with an exclusive lock. Raises OutputError where another run, writing `path`, has it."""
    how = os.O_RDONLY if file.is_dir() else os.O_CREAT | os.O_RDWR
    lock = os.open(file, how | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise OutputError(f"another run is writing {path}: wait for it, or choose another name") from None
    return lock
