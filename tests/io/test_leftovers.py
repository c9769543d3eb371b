"""What killed runs left goes, what live runs write and what is not ours stays, and every removal is said."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from anonym.cli.clean import clean
from anonym.errors import CallError, OutputError
from anonym.io import PrivateFolder, Target, private_file
from anonym.io.leftovers import sweep
from anonym.io.private import private_root

KILLED = """
import os, signal, sys
from pathlib import Path
from anonym.io import PrivateFolder, Target, private_file
with PrivateFolder() as private, Target(Path(sys.argv[1])) as target, private_file(Path(sys.argv[2])) as kept:
    target.part.write_bytes(b"12345")
    target._new_part(target.companion(".report.json")).write_text("{}")
    private.file("codes").write_bytes(b"123")
    kept.write(b"1234567")
    kept.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(autouse=True)
def own_private_root(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Private folders of this test alone, also in processes that it starts."""
    place = tmp_path_factory.mktemp("private")
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return place


def _kill(folder: Path) -> None:
    words = [sys.executable, "-c", KILLED, str(folder / "out.parquet"), str(folder / "held.parquet")]
    assert subprocess.run(words, check=False).returncode == -9


def test_all_that_a_killed_run_left_goes_and_is_counted(tmp_path: Path) -> None:
    (tmp_path / "mine.anonym-part").write_text("not hidden")
    (tmp_path / ".mine.part").write_text("not ours")
    before = sorted(tmp_path.iterdir())
    _kill(tmp_path)
    seen = sweep(tmp_path, dry_run=True)
    assert sorted(seen.found.values()) == [2, 3, 5, 7]
    assert len(list(tmp_path.iterdir())) == len(before) + 3
    assert sweep(tmp_path, dry_run=False) == seen
    assert sorted(tmp_path.iterdir()) == before
    assert not list(private_root().glob("run-*"))
    assert sweep(tmp_path, dry_run=False).found == {}


def test_what_live_runs_write_stays(tmp_path: Path) -> None:
    with (
        PrivateFolder() as private,
        Target(tmp_path / "out.parquet") as target,
        private_file(tmp_path / "held") as kept,
    ):
        there = sorted(tmp_path.iterdir())
        left = sweep(tmp_path, dry_run=False)
        assert (left.found, left.live) == ({}, (tmp_path / "held", target.path))
        assert sorted(tmp_path.iterdir()) == there
        assert private.path.exists()
        assert not kept.closed


def test_a_run_with_another_private_folder_is_seen_by_its_part(
    tmp_path: Path, own_private_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Target(tmp_path / "out.parquet") as target:
        monkeypatch.setattr(tempfile, "tempdir", str(own_private_root.parent))
        assert sweep(tmp_path, dry_run=False).live == (target.path,)
        assert target.part.exists()


def test_links_and_other_names_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    (tmp_path / ".out.csv.anonym-part.csv").symlink_to(tmp_path / "mine")
    below = tmp_path / "below"
    below.mkdir()
    (below / ".out.csv.anonym-part.csv").touch()
    assert sweep(tmp_path, dry_run=False).found == {}
    assert (tmp_path / "mine").read_text() == "mine"
    assert list(below.iterdir())


def test_a_private_folder_without_a_lock_is_of_a_run_killed_at_its_start(tmp_path: Path) -> None:
    (private_root() / "run-x").mkdir()
    assert list(sweep(tmp_path, dry_run=False).found) == [private_root() / "run-x"]


def test_what_cannot_be_removed_is_no_removal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (private_root() / "run-x").mkdir()

    def refused(path: Path, ignore_errors: bool = False) -> None:
        if not ignore_errors:
            raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("anonym.io.private.shutil.rmtree", refused)
    with pytest.raises(OutputError, match="permission denied"):
        sweep(tmp_path, dry_run=False)
    with PrivateFolder() as private:  # a run does not depend on it
        assert private.path.is_dir()


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CallError, match="not a folder"):
        sweep(tmp_path / "none", dry_run=False)


def test_the_command_says_what_it_does(tmp_path: Path) -> None:
    part = tmp_path / ".out.csv.anonym-part.csv"
    part.write_bytes(b"12345")
    run = CliRunner().invoke
    assert run(clean, [str(tmp_path), "--dry-run"]).output == f"would remove  {part}  (5 bytes)\n"
    assert part.exists()
    said = json.loads(run(clean, [str(tmp_path), "--json"]).output)
    assert said == {"dry_run": False, "removed": [{"path": str(part), "bytes": 5}], "live": []}
    assert run(clean, [str(tmp_path)]).output == "nothing was left by a killed run\n"
    assert os.listdir(tmp_path) == []
