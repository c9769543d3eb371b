"""The reported cases: a loader, and the command line run on them in an empty folder with every word of it kept."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cases.desk import Case, Run


@pytest.fixture(scope="session")
def cases_folder() -> Path:
    """The folder of the reported cases, or a skip that says how to get it."""
    given = os.environ.get("ANONYM_CASES")
    folder = Path(given) if given else Path(__file__).parents[3] / "shared" / "cases"
    if not (folder / "cases.jsonl").is_file():
        pytest.skip("no reported cases: set ANONYM_CASES to the folder that holds cases.jsonl and files/")
    return folder.resolve()


@pytest.fixture(scope="session")
def case(cases_folder: Path) -> Callable[[str], Case]:
    """`case("T01")`: one reported case."""
    lines = (cases_folder / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    found = {read["id"]: read for read in map(json.loads, filter(str.strip, lines))}

    def load(name: str) -> Case:
        read = found[name]
        return Case(name, read["right_behaviour"], read["expect"] or {}, cases_folder)

    return load


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Run]:
    """`run("apply", policy, data, …)` in an empty folder, with `-o out.parquet`, or another `out`, for apply.

    `policy` is a mapping (without version and name) or the path of a file. No run of any case may end in an internal
    error or a traceback.
    """
    from anonym import cli

    monkeypatch.chdir(tmp_path)

    def call(verb: str, policy: dict[str, Any] | Path, *words: object, out: str = "out.parquet") -> Run:
        given = policy
        if isinstance(policy, dict):
            given = tmp_path / "policy.yaml"
            given.write_text(json.dumps({"anonym": 1, "name": "case"} | policy), encoding="utf-8")
        output = ["-o", out] if verb == "apply" else []
        monkeypatch.setattr("sys.argv", ["anonym", verb, str(given), *map(str, words), *output])
        capsys.readouterr()
        status = 0
        try:
            cli.main()
        except SystemExit as stop:
            status = int(stop.code or 0)
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        assert "internal error" not in said.err
        return Run(status, said.out, said.err, tmp_path)

    return call
