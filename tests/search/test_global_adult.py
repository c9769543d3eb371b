"""The optimum of UCI Adult that the best known tool finds, at every suppression limit (benchmarks/README.md)."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from anonym.criteria import DistinctL, TCloseness
from anonym.hierarchy.build import build
from anonym.hierarchy.cells import coded_cells
from anonym.hierarchy.encode import domain
from anonym.hierarchy.model import FileHierarchy
from anonym.search.global_ import solve
from anonym.search.problem import Problem

K = 5


def problem(folder: Path, percent: int, sensitive: str | None = None, **asked: object) -> Problem:
    frame = pl.scan_csv(folder / "adult.csv", separator=";", schema_overrides={"age": pl.String})
    frame = frame.with_columns(pl.col("age").cast(pl.Int64))
    schema = frame.collect_schema()
    names = [name for name in schema if name != sensitive]
    hierarchies = []
    for name in names:
        values = domain(frame, name, schema[name])
        file = FileHierarchy(folder / f"adult_hierarchy_{name}.csv")
        hierarchies.append(build(name, file, values["value"], rows=values["rows"]))
    held = {} if sensitive is None else {sensitive: domain(frame, sensitive, schema[sensitive])["value"]}
    cells = coded_cells(frame, tuple(hierarchies), held, None).cells
    rows = cells.total_rows
    return Problem(cells, tuple(hierarchies), K, rows * percent // 100, rows, **asked)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def adult(bench_data: Path) -> Path:
    return bench_data / "adult"


@pytest.mark.parametrize(
    ("percent", "levels", "loss"),
    [
        (0, (0, 4, 1, 1, 3, 2, 2, 1, 0), 0.63555),
        (2, (0, 3, 0, 2, 2, 1, 1, 2, 0), 0.36856),
        (5, (0, 3, 0, 0, 2, 1, 1, 2, 0), 0.28039),
        (100, (0, 3, 0, 0, 2, 1, 1, 1, 0), 0.23802),
    ],
)
def test_optimum_under_k(adult: Path, percent: int, levels: tuple[int, ...], loss: float) -> None:
    solution = solve(problem(adult, percent))
    assert solution.levels == levels
    assert solution.loss <= loss
    assert solution.optimal
    assert solution.checks < 4000


def test_optimum_under_l(adult: Path) -> None:
    solution = solve(problem(adult, 5, "occupation", diversity=((0, DistinctL(3)),)))
    assert solution.optimal
    assert solution.loss == pytest.approx(0.191956, abs=1e-6)


def test_optimum_under_t(adult: Path) -> None:
    solution = solve(problem(adult, 5, "occupation", closeness=((0, TCloseness(0.2)),)))
    assert solution.optimal
    assert solution.loss == pytest.approx(0.839694, abs=1e-6)
