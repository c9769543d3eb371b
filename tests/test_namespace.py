"""`frame.anonym`, and the tables that are taken at the door."""

from __future__ import annotations

import random
from typing import Any

import polars as pl
import pytest

import anonym
import anonym.namespace

POLICY: dict[str, Any] = {
    "anonym": 1,
    "columns": {
        "id": {"role": "identifier"},
        "age": {"role": "quasi", "hierarchy": {"interval": [10, 20]}},
        "plan": {"role": "keep"},
    },
    "guarantee": {"k": 5, "suppression": {"max": 0.05}},
}


@pytest.fixture
def table() -> pl.DataFrame:
    draw = random.Random(1)
    return pl.DataFrame(
        {
            "id": range(200),
            "age": [draw.randint(18, 80) for _ in range(200)],
            "plan": [draw.choice("ab") for _ in range(200)],
        }
    )


@pytest.mark.parametrize("lazy", [True, False])
def test_a_frame_is_released_and_checked(table: pl.DataFrame, lazy: bool) -> None:
    frame: Any = table.lazy() if lazy else table
    released = frame.anonym.apply(POLICY)
    assert isinstance(released, pl.LazyFrame)
    assert released.collect_schema().names() == ["age", "plan"]
    assert released.anonym.check(POLICY).holds
    assert not frame.drop("id").anonym.check(POLICY | {"guarantee": {"k": 150}}).holds


def test_the_release_carries_its_evidence(table: pl.DataFrame) -> None:
    assert table.anonym.release(POLICY).evidence["guarantee"]["k"]["achieved"] >= 5  # type: ignore[attr-defined]


def test_arrow_at_the_door(table: pl.DataFrame) -> None:
    assert anonym.apply(POLICY, table.to_arrow()).data.collect().height > 180


def test_pandas_at_the_door(table: pl.DataFrame) -> None:
    pandas = pytest.importorskip("pandas")
    assert anonym.apply(POLICY, pandas.DataFrame(table.to_dict(as_series=False))).data.collect().height > 180


def test_a_dbt_duckdb_model(table: pl.DataFrame) -> None:
    """What the guide shows: a relation's Arrow table in, an Arrow table out that DuckDB reads."""
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as session:
        session.register("customers", table.to_arrow())
        released = anonym.apply(POLICY, session.sql("select * from customers").arrow()).data.collect().to_arrow()
        session.register("released", released)
        assert session.sql("select min(n) from (select count(*) n from released group by age)").fetchall()[0][0] >= 5
