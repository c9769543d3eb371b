"""`tune`: a stronger promise costs loss, and models trained on releases are tested on rows kept apart."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

from anonym.errors import CallError
from anonym.pipeline.picturing import page
from anonym.pipeline.tuning import Trade, tune_files

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before scikit-learn counts the cores that other tests use


def people(n: int = 1400) -> pl.DataFrame:
    """Income depends on age and school, and on nothing else."""
    draw = random.Random(4)
    ages = [draw.randint(18, 80) for _ in range(n)]
    schools = [draw.choice(["low", "middle", "high"]) for _ in range(n)]
    odds = [(age > 45) + (school == "high") for age, school in zip(ages, schools, strict=True)]
    return pl.DataFrame(
        {
            "id": [f"canary{i}" for i in range(n)],
            "age": ages,
            "school": schools,
            "town": [draw.choice("abcd") for _ in range(n)],
            "rich": ["yes" if draw.random() < (0.08, 0.5, 0.92)[two] else "no" for two in odds],
        }
    )


POLICY: dict[str, Any] = {
    "anonym": 1,
    "columns": {
        "id": {"role": "identifier"},
        "age": {"role": "quasi", "hierarchy": {"interval": [5, 10, 20]}},
        "school": {"role": "quasi", "hierarchy": "suppress"},
        "town": {"role": "quasi", "hierarchy": "suppress"},
        "rich": {"role": "sensitive"},
    },
    "guarantee": {"k": 5, "suppression": {"max": 0.05}},
    "search": {"strategy": "global"},
}


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "policy.yaml").write_text(yaml.safe_dump(POLICY), encoding="utf-8")
    people().write_parquet(tmp_path / "people.parquet")
    return tmp_path / "policy.yaml", tmp_path / "people.parquet"


def test_loss_rises_and_risk_falls_with_k(files: tuple[Path, Path]) -> None:
    trade = tune_files(files[0], [files[1]], ks=[2, 5, 50], strategies=["global"], drop=False)
    by_k = {p.setting.k: p for p in trade.points if p.setting.suppression == Decimal("0.05")}
    assert by_k[2].loss < by_k[5].loss < by_k[50].loss  # type: ignore[operator]
    assert by_k[50].risk_max <= 1 / 50  # type: ignore[operator]
    assert by_k[2].risk_mean > by_k[50].risk_mean  # type: ignore[operator]
    limits = {p.setting.suppression for p in trade.points if p.setting.k == 5}
    assert limits == {Decimal(0), Decimal("0.02"), Decimal("0.05"), Decimal("0.1")}


def test_one_quasi_identifier_less_loses_less(files: tuple[Path, Path]) -> None:
    trade = tune_files(files[0], [files[1]], ks=[25], suppressions=[Decimal("0.05")], strategies=["global"])
    whole = next(point for point in trade.points if point.setting.without is None)
    without = {point.setting.without: point for point in trade.points if point.setting.without}
    assert set(without) == {"age", "school", "town"}
    assert min(point.loss for point in without.values()) < whole.loss  # type: ignore[type-var, operator]


def test_models_learn_from_releases_what_there_is_to_learn(files: tuple[Path, Path]) -> None:
    pytest.importorskip("sklearn")
    trade = tune_files(
        files[0], [files[1]], target="rich", ks=[5], suppressions=[Decimal("0.05")], strategies=["global"], drop=False
    )
    (point,) = trade.points
    for raw, released in zip(trade.raw, point.accuracy, strict=True):
        assert raw.auc is not None
        assert released.auc is not None
        assert 0.75 < raw.auc < 0.95
        assert released.auc > raw.auc - 0.08
    assert {group.column for group in trade.raw[0].groups} >= {"school"}
    assert trade.tested + 1 < trade.rows


def test_what_l_on_the_target_costs_is_shown(files: tuple[Path, Path]) -> None:
    """Where one town is rich and no other, l = 2 must hide the town, and with it what there is to learn."""
    pytest.importorskip("sklearn")
    mixed = POLICY | {"columns": POLICY["columns"] | {"rich": {"role": "sensitive", "l": {"distinct": 2}}}}
    files[0].write_text(yaml.safe_dump(mixed), encoding="utf-8")
    people().with_columns(rich=pl.col("town") == "a").write_parquet(files[1])
    trade = tune_files(
        files[0], [files[1]], target="rich", ks=[5], suppressions=[Decimal("0.05")], strategies=["local"], drop=False
    )
    asked, plain = trade.points
    assert (asked.setting.unmixed, plain.setting.unmixed) == (None, "rich")
    assert plain.loss < asked.loss  # type: ignore[operator]
    assert plain.accuracy[0].balanced_accuracy >= asked.accuracy[0].balanced_accuracy  # type: ignore[operator]
    assert any("role: sensitive" in note for note in trade.notes)


def test_what_cannot_be_learnt_is_not() -> None:
    """A target that is noise: an AUC of one half, not more."""
    pytest.importorskip("sklearn")
    from anonym.pipeline.models import Task

    table = people().with_columns(rich=pl.Series(random.Random(8).choices(["yes", "no"], k=1400)))
    task = Task.of(table, "rich", ["age", "school", "town"], tested=table[700:])
    for found in task.measure(table[:700]):
        assert found.auc is not None
        assert abs(found.auc - 0.5) < 0.12


@pytest.mark.parametrize("target", ["id", "age", "nowhere"])
def test_a_target_that_is_not_released_as_it_is(files: tuple[Path, Path], target: str) -> None:
    with pytest.raises(CallError, match=target):
        tune_files(files[0], [files[1]], target=target)


def test_the_command_prints_and_draws(command: Callable[..., Any], files: tuple[Path, Path]) -> None:
    words = ("tune", *files, "-k", 5, "--suppression", "0.05", "--strategy", "global", "--no-drop")
    status, said, _ = command(*words, "-o", "tune.html")
    assert status == 0
    assert "guarantee: {k:" in said
    text = Path("tune.html").read_text(encoding="utf-8")
    assert "<svg" in text
    assert "http" not in text
    assert command(*words, "-o", "tune.html")[0] == 2
    found = json.loads(command(*words, "--json")[1])
    assert found["points"][0]["k"] == 5
    assert "canary" not in said + text


def test_a_page_without_points_is_a_page() -> None:
    assert page(Trade(())).startswith("<!doctype html>")


def test_a_setting_that_no_release_can_keep_is_told(files: tuple[Path, Path]) -> None:
    trade = tune_files(
        files[0], [files[1]], ks=[5000], suppressions=[Decimal("0.05")], strategies=["global"], drop=False
    )
    assert trade.points[0].refused is not None
    assert trade.points[0].loss is None
