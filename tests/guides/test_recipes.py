"""The recipes of `anonym help embed`, run as they stand there.

Dagster and Prefect stand in as decorators that change nothing where they are not installed: what is tested is our part.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import textwrap
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import polars as pl
import pytest
import yaml

GUIDE = Path(__file__).parents[2] / "anonym" / "guides" / "embed.md"
POLICY: dict[str, Any] = {
    "anonym": 1,
    "columns": {"id": {"role": "identifier"}, "age": {"role": "quasi", "hierarchy": {"interval": [10, 20]}}},
    "guarantee": {"k": 5, "suppression": {"max": 0.05}},
}


def recipe(name: str) -> str:
    found = re.search(rf"<!-- recipe: {name} -->\n\n((?:(?:    .*)?\n)+)", GUIDE.read_text(encoding="utf-8"))
    assert found is not None
    return textwrap.dedent(found[1])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    draw = random.Random(2)
    (tmp_path / "policy.yaml").write_text(yaml.safe_dump(POLICY), encoding="utf-8")
    table = pl.DataFrame({"id": range(300), "age": [draw.randint(18, 80) for _ in range(300)]})
    table.write_parquet(tmp_path / "tickets.parquet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def standing_in(monkeypatch: pytest.MonkeyPatch, name: str, **parts: Any) -> None:
    """A module of this name, if there is none."""
    if find_spec(name) is None:
        module = ModuleType(name)
        vars(module).update(parts)
        monkeypatch.setitem(sys.modules, name, module)


def test_cron(folder: Path) -> None:
    line = recipe("cron").split(maxsplit=5)[5].split()
    words = [sys.executable, "-m", "anonym", *line[1:]]
    assert [subprocess.run(words, check=False).returncode for _ in range(2)] == [0, 0]
    before = (folder / "out.parquet").read_bytes()
    impossible = POLICY | {"guarantee": {"k": 1000}}
    (folder / "policy.yaml").write_text(yaml.safe_dump(impossible), encoding="utf-8")
    assert subprocess.run(words, check=False, capture_output=True).returncode == 3
    assert (folder / "out.parquet").read_bytes() == before


def test_dbt(folder: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    space: dict[str, Any] = {}
    exec(recipe("dbt"), space)
    with duckdb.connect() as session:
        dbt = SimpleNamespace(ref=lambda _name: session.sql("select * from 'tickets.parquet'"))
        released = pl.from_arrow(space["model"](dbt, session))
    assert isinstance(released, pl.DataFrame)
    assert released.group_by("age").len()["len"].min() >= 5  # type: ignore[operator]


def test_prefect_then_dagster(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    standing_in(monkeypatch, "prefect", task=lambda function: function)
    standing_in(
        monkeypatch, "dagster", asset_check=lambda **_: lambda function: function, AssetCheckResult=SimpleNamespace
    )
    space: dict[str, Any] = {}
    exec(recipe("prefect"), space)
    getattr(space["release"], "fn", space["release"])()  # the task's function: Prefect itself would start a server
    exec(recipe("dagster"), space)
    assert space["guarantee_holds"]().passed


def test_completion_is_clicks_own() -> None:
    def said(**variables: str) -> str:
        words = [sys.executable, "-c", "import sys; sys.argv[0] = 'anonym'; from anonym.cli import main; main()"]
        return subprocess.run(words, env=os.environ | variables, capture_output=True, text=True, check=False).stdout

    assert "complete" in said(_ANONYM_COMPLETE="bash_source")
    assert "plain,init" in said(_ANONYM_COMPLETE="bash_complete", COMP_WORDS="anonym in", COMP_CWORD="1")
