"""Where a release is put: nothing half-written, nothing lost, nothing left."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from anonym.errors import CallError, OutputError
from anonym.io import PrivateFolder, Target


def test_nothing_stands_under_the_name_until_it_is_published(tmp_path: Path) -> None:
    with Target(tmp_path / "out.parquet") as target:
        target.part.write_bytes(b"new")
        assert not target.path.exists()
        assert stat.S_IMODE(target.part.stat().st_mode) == 0o600
        assert target.part.parent == tmp_path
        (tmp_path / "out.rejected.json").touch()
        target.publish({".json": "{}"}, without=(".rejected.json",))
    assert (tmp_path / "out.parquet").read_bytes() == b"new"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.json", "out.parquet"]


def test_nothing_gets_its_name_unless_all_can(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The release is the largest file, and the one whose bytes a full disk refuses last."""
    (tmp_path / "out.parquet").write_bytes(b"old")
    (tmp_path / "out.json").write_text("old")

    def refuse(handle: int) -> None:
        if os.fstat(handle).st_size == len(b"new release"):
            raise OSError(28, "No space left on device")

    with Target(tmp_path / "out.parquet", force=True) as target:
        target.part.write_bytes(b"new release")
        monkeypatch.setattr(os, "fsync", refuse)
        with pytest.raises(OutputError, match="No space left"):
            target.publish({".json": "{}"})
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"out.parquet": "old", "out.json": "old"}


def test_a_failure_leaves_the_old_release_and_no_parts(tmp_path: Path) -> None:
    (tmp_path / "out.parquet").write_bytes(b"old")
    with pytest.raises(ZeroDivisionError), Target(tmp_path / "out.parquet", force=True) as target:
        target.part.write_bytes(b"half" * (1 // 0))
    assert (tmp_path / "out.parquet").read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["out.parquet"]


def test_an_existing_output_needs_force(tmp_path: Path) -> None:
    (tmp_path / "out.parquet").write_bytes(b"old")
    with pytest.raises(CallError, match="--force"), Target(tmp_path / "out.parquet"):
        pass


def test_the_next_run_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    killed = Target(tmp_path / "out.parquet")
    killed.__enter__()
    killed.part.write_bytes(b"half")
    killed._locks.close()  # what the system does for a killed process
    with Target(tmp_path / "out.parquet") as target:
        assert sorted(path.name for path in tmp_path.iterdir()) == [target.part.name]


def test_two_writers_of_one_path_do_not_meet(tmp_path: Path) -> None:
    with (
        Target(tmp_path / "out.parquet"),
        pytest.raises(OutputError, match="another run"),
        Target(tmp_path / "out.parquet"),
    ):
        pass


def test_a_missing_folder_and_a_folder_as_output_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="folder does not exist"), Target(tmp_path / "none" / "out.parquet"):
        pass
    with pytest.raises(CallError, match="is a folder"), Target(tmp_path):
        pass


def test_private_files_are_ours_alone_and_go_with_the_run() -> None:
    with PrivateFolder() as private:
        path = private.file("codes")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(private.path.stat().st_mode) == 0o700
    assert not private.path.exists()


def test_private_files_of_a_killed_run_go_with_the_next() -> None:
    killed = PrivateFolder()
    killed.__enter__()
    os.close(killed._lock)
    with PrivateFolder():
        assert not killed.path.exists()
    with PrivateFolder() as first, PrivateFolder():
        assert first.path.exists()
