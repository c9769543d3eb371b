"""The recipes of `anonym help embed`, run as they stand there.

Where Dagster, Prefect, Airflow and dbt are installed they run the recipes themselves. Where the first three are not,
decorators that change nothing stand in, so that our part of a recipe is run wherever the tests are.
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

import anonym
from anonym.errors import GuaranteeError

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
    """A module of this name, and the packages above it, if there are none."""
    words = name.split(".")
    if find_spec(words[0]) is None:
        for end in range(1, len(words) + 1):
            monkeypatch.setitem(sys.modules, ".".join(words[:end]), ModuleType(".".join(words[:end])))
        vars(sys.modules[name]).update(parts)


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


def defined(name: str) -> dict[str, Any]:
    """What a recipe defines."""
    space: dict[str, Any] = {}
    exec(recipe(name), space)
    return space


def refuse_to_release(folder: Path) -> None:
    (folder / "policy.yaml").write_text(yaml.safe_dump(POLICY | {"guarantee": {"k": 1000}}), encoding="utf-8")


@pytest.mark.parametrize("module", ["prefect", "airflow.sdk"])
def test_a_task(folder: Path, monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    """The function that the decorator holds: Prefect calls it `fn`, Airflow `function`."""
    standing_in(monkeypatch, module, task=lambda function: function)
    task = defined(module.partition(".")[0])["release"]
    run = getattr(task, "fn", None) or getattr(task, "function", task)
    run()
    before = (folder / "out.parquet").read_bytes()
    refuse_to_release(folder)
    with pytest.raises(GuaranteeError):
        run()
    assert (folder / "out.parquet").read_bytes() == before


def test_a_prefect_flow_runs_the_task(folder: Path) -> None:
    prefect = pytest.importorskip("prefect")
    harness = pytest.importorskip("prefect.testing.utilities").prefect_test_harness
    task = defined("prefect")["release"]
    with harness(server_startup_timeout=300):  # it starts a server of its own
        prefect.flow(lambda: task(), name="nightly")()
    assert (folder / "out.parquet").is_file()


def test_dagster(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    anonym.apply("policy.yaml", pl.scan_parquet("tickets.parquet")).write("out.parquet")
    standing_in(
        monkeypatch, "dagster", asset_check=lambda **_: lambda function: function, AssetCheckResult=SimpleNamespace
    )
    assert defined("dagster")["guarantee_holds"]().passed


def test_dagster_evaluates_the_check(folder: Path) -> None:
    """After the asset is made, once with a release that holds and once with rows that hold nothing."""
    dagster = pytest.importorskip("dagster")
    check = defined("dagster")["guarantee_holds"]

    @dagster.asset  # type: ignore[untyped-decorator, unused-ignore]
    def released() -> None:
        anonym.apply("policy.yaml", pl.scan_parquet("tickets.parquet")).write("out.parquet", force=True)

    def passed(asset: Any) -> bool:
        (found,) = dagster.materialize([asset, check]).get_asset_check_evaluations()
        return bool(found.passed)

    @dagster.asset(name="released")  # type: ignore[untyped-decorator, unused-ignore]
    def raw() -> None:
        pl.read_parquet("tickets.parquet").drop("id").cast(pl.String).write_parquet("out.parquet")

    assert passed(released)
    assert not passed(raw)


def test_dbt_runs_the_model(folder: Path) -> None:
    runner = pytest.importorskip("dbt.cli.main").dbtRunner
    pytest.importorskip("dbt.adapters.duckdb")
    import duckdb

    (folder / "models").mkdir()
    (folder / "models" / "customers.sql").write_text("select * from 'tickets.parquet'", encoding="utf-8")
    (folder / "models" / "released.py").write_text(recipe("dbt"), encoding="utf-8")
    project = {"name": "shop", "version": "1.0.0", "profile": "shop", "model-paths": ["models"]}
    (folder / "dbt_project.yml").write_text(yaml.safe_dump(project), encoding="utf-8")
    output = {"type": "duckdb", "path": "shop.duckdb"}
    profile = {"shop": {"target": "dev", "outputs": {"dev": output}}}
    (folder / "profiles.yml").write_text(yaml.safe_dump(profile), encoding="utf-8")
    assert runner().invoke(["run", "--profiles-dir", "."]).success
    with duckdb.connect("shop.duckdb") as session:
        counts = session.sql("select count(*) from released group by age").fetchall()
    assert min(rows for (rows,) in counts) >= 5


def test_completion_is_clicks_own() -> None:
    def said(**variables: str) -> str:
        words = [sys.executable, "-c", "import sys; sys.argv[0] = 'anonym'; from anonym.cli import main; main()"]
        return subprocess.run(words, env=os.environ | variables, capture_output=True, text=True, check=False).stdout

    assert "complete" in said(_ANONYM_COMPLETE="bash_source")
    assert "plain,init" in said(_ANONYM_COMPLETE="bash_complete", COMP_WORDS="anonym in", COMP_CWORD="1")
