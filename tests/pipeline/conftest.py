"""Small tables and policies for tests of the whole job."""

from __future__ import annotations

import random
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest


def people(n: int = 600, seed: int = 5) -> pl.DataFrame:
    """An invented table: an identifier, quasi-identifiers of several types, a sensitive column, one to keep."""
    draw = random.Random(seed)
    return pl.DataFrame(
        {
            "id": [f"canary-{i:05d}" for i in range(n)],
            "age": [draw.randint(18, 90) for _ in range(n)],
            "zip": [f"{draw.randint(100, 139)}{draw.randint(0, 9)}" for _ in range(n)],
            "dx": [draw.choice("aaabbcd") for _ in range(n)],
            "plan": [draw.choice(["free", "paid"]) for _ in range(n)],
        }
    )


POLICY: dict[str, Any] = {
    "anonym": 1,
    "name": "people",
    "columns": {
        "id": {"role": "identifier"},
        "age": {"role": "quasi", "hierarchy": {"interval": [5, 10, 20]}},
        "zip": {"role": "quasi", "hierarchy": {"prefix": [3, 2]}},
        "dx": {"role": "sensitive"},
        "plan": {"role": "keep"},
    },
    "guarantee": {"k": 5, "suppression": {"max": 0.05}},
}


@pytest.fixture
def policy() -> dict[str, Any]:
    """A fresh copy, to be changed by a test."""
    import copy

    return copy.deepcopy(POLICY)


@pytest.fixture
def table() -> pl.DataFrame:
    return people()


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Run the command line in an empty folder: (exit status, standard output, standard error)."""
    from anonym import cli

    monkeypatch.chdir(tmp_path)

    before = signal.getsignal(signal.SIGINT)

    def run(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["anonym", *map(str, words)])
        try:
            cli.main()
            status = 0
        except SystemExit as stop:
            status = int(stop.code or 0)
        signal.signal(signal.SIGINT, before)
        said = capsys.readouterr()
        return status, said.out, said.err

    return run
