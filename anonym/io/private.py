"""Files that hold raw values: in a folder of mode 0700, outside the release's folder, gone when the run ends."""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

log = logging.getLogger("anonym")

PRIVATE_MARK = ".anonym-private-"


def private_root() -> Path:
    """The folder of all private folders of this user; made with mode 0700, refused if somebody else owns it."""
    root = Path(tempfile.gettempdir()) / f"anonym-{os.getuid()}"
    root.mkdir(mode=0o700, exist_ok=True)
    state = root.lstat()
    if state.st_uid != os.getuid() or root.is_symlink() or state.st_mode & 0o077:
        raise PermissionError(13, "the private folder is not ours alone", str(root))
    return root


class PrivateFolder:
    """A context: `path` is a new folder that is removed on exit, or by the next run if this one is killed.

    A lock inside tells the next run whether the owner still lives.
    """

    path: Path

    def __enter__(self) -> PrivateFolder:
        root = private_root()
        with _alone(root):
            for folder in _abandoned(root):
                with contextlib.suppress(OSError):
                    _remove(folder)
            self.path = Path(tempfile.mkdtemp(prefix="run-", dir=root))
            self._lock = os.open(self.path / "lock", os.O_CREAT | os.O_RDWR, 0o600)
            fcntl.flock(self._lock, fcntl.LOCK_EX)
        log.info("files with raw values are kept in %s (mode 0700) until the run ends", self.path)
        return self

    def __exit__(self, *_error: object) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)

    def file(self, name: str) -> Path:
        """A new, empty file of mode 0600 in the folder."""
        path = self.path / name
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        return path


@contextlib.contextmanager
def private_file(path: Path) -> Iterator[IO[bytes]]:
    """A new file of mode 0600 outside the private folder, for raw values that somebody asked for.

    It gets its name once it is whole; what stood there before, a link too, is replaced and never written into. A lock
    on it tells `anonym clean`, and the next run that writes there, whether its writer still lives.
    """
    _remove_dead_parts(path)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}{PRIVATE_MARK}", dir=path.parent)
    part = Path(name)
    try:
        with open(handle, "wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _remove_dead_parts(path: Path) -> None:
    """What killed runs of this user left of the file that was to stand at `path`; no links."""
    for part in path.parent.iterdir():
        if part.name.startswith(f".{path.name}{PRIVATE_MARK}"):
            state = part.lstat()
            if stat.S_ISREG(state.st_mode) and state.st_uid == os.geteuid() and not is_held(part):
                part.unlink(missing_ok=True)


def sweep_private(*, dry_run: bool) -> dict[Path, int]:
    """Remove the private folders of runs that were killed, or only look: each with the bytes of its files.

    Raises OSError where one cannot be removed.
    """
    root = private_root()
    with _alone(root):
        found = {folder: bytes_of(folder) for folder in _abandoned(root)}
        for folder in found if not dry_run else ():
            _remove(folder)
    return found


@contextlib.contextmanager
def _alone(root: Path) -> Iterator[None]:
    """No other run makes or removes private folders meanwhile, so one without a held lock belongs to a dead run."""
    handle = os.open(root, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _abandoned(root: Path) -> list[Path]:
    return [folder for folder in sorted(root.glob("run-*")) if not is_held(folder / "lock")]


def is_held(path: Path) -> bool:
    """Whether a live process holds the lock on the file or folder at `path`; a missing one is held by nobody."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def bytes_of(path: Path) -> int:
    """The bytes of a file, or of all files in a folder."""
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.lstat().st_size for file in files if not file.is_dir())


def _remove(folder: Path) -> None:
    shutil.rmtree(folder)
    log.info("removed what a killed run had left in %s", folder)
