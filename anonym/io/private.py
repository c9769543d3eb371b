"""Files that hold raw values: in a folder of mode 0700, outside the release's folder, gone when the run ends."""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

log = logging.getLogger("anonym")


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
        _sweep(root)
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

    It gets its name once it is whole; what stood there before, a link too, is replaced and never written into.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _sweep(root: Path) -> None:
    """Remove the folders of runs that were killed: those whose lock nobody holds."""
    for folder in root.glob("run-*"):
        with contextlib.suppress(OSError):
            lock = os.open(folder / "lock", os.O_RDWR)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
                log.info("removed what a killed run had left in %s", folder)
            finally:
                os.close(lock)
