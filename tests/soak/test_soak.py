"""The final path is absent, old, or new and verified: after every kill, and after every write that fails."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent


def _drive(tmp_path: Path, runs: int, seed: int, *kinds: str) -> dict[str, Any]:
    work, private = tmp_path / "work", tmp_path / "private"
    work.mkdir()
    private.mkdir()
    environment = os.environ | {"TMPDIR": str(private), "POLARS_MAX_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    if "fail" in kinds:
        environment["LD_PRELOAD"] = str(_faults(tmp_path))
    words = [sys.executable, str(HERE / "drive.py"), str(work), str(runs), str(seed), ",".join(kinds)]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    print(found)  # noqa: T201
    return found


def _faults(tmp_path: Path) -> Path:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler: the n-th write is let fail by a small preloaded library")
    library = tmp_path / "faults.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, HERE / "faults.c", "-ldl"], check=True)
    return library


def _is_sound(found: dict[str, Any]) -> None:
    assert found["wrong"] == []
    assert found["left"] == []
    assert sum(found["found"].values()) == found["runs"]


def test_a_few_runs_leave_old_or_new(tmp_path: Path) -> None:
    _is_sound(_drive(tmp_path, 2, 7, "kill", "fail"))


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["kill", "fail"])
def test_two_hundred_runs_of_each_kind_leave_old_or_new(tmp_path: Path, kind: str, seed: int) -> None:
    found = _drive(tmp_path, 50, seed, kind)
    _is_sound(found)
    assert found["found"]["new"]
    assert found["found"]["old"] + found["found"].get("absent", 0)
