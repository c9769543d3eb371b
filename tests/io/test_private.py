"""Files that hold raw values: theirs alone to read, whole or not there, never written through a link."""

from __future__ import annotations

from pathlib import Path

import pytest

from anonym.errors import CallError
from anonym.io import private_file, refuse_existing
from anonym.io.private import PRIVATE_MARK


def _write(path: Path, content: bytes) -> None:
    with private_file(path) as file:
        file.write(content)


def test_only_the_owner_can_read_it_whatever_stood_there(tmp_path: Path) -> None:
    path = tmp_path / "raw.csv"
    path.write_text("old")
    path.chmod(0o644)
    _write(path, b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    other, path = tmp_path / "other", tmp_path / "raw.csv"
    other.write_text("mine")
    path.symlink_to(other)
    _write(path, b"new")
    assert other.read_text() == "mine"
    assert not path.is_symlink()


def test_a_failed_write_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "raw.csv"
    path.write_text("old")
    with pytest.raises(TypeError, match="bytes"), private_file(path) as file:
        file.write("half of it is text")  # type: ignore[arg-type]
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_exists_is_replaced_only_by_force(tmp_path: Path) -> None:
    there, free = tmp_path / "a", tmp_path / "b"
    there.touch()
    refuse_existing(free, force=False)
    refuse_existing(there, free, force=True)
    with pytest.raises(CallError, match="a exists: choose another name, or say --force"):
        refuse_existing(free, there, force=False)


def test_what_a_killed_run_left_of_it_goes_and_nothing_else(tmp_path: Path) -> None:
    path, other = tmp_path / "raw.csv", tmp_path / "other"
    other.write_text("mine")
    (tmp_path / f".raw.csv{PRIVATE_MARK}killed").write_text("raw")
    kept = {other, tmp_path / f".raw.csv{PRIVATE_MARK}link", tmp_path / f".else.csv{PRIVATE_MARK}killed"}
    (tmp_path / f".raw.csv{PRIVATE_MARK}link").symlink_to(other)
    (tmp_path / f".else.csv{PRIVATE_MARK}killed").write_text("another's")
    _write(path, b"new")
    assert set(tmp_path.iterdir()) == {path, *kept}
