"""Release forms: labels and bounds of a global level, or of a node a row."""

from __future__ import annotations

import math
from datetime import date
from decimal import Decimal as D
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.columns.forms import node_tables, release, release_tables, released_schema
from anonym.errors import PolicyError
from anonym.hierarchy.build import build
from anonym.hierarchy.encode import domain
from anonym.hierarchy.model import Dates, Declaration, FileHierarchy, Hierarchy, Interval, Prefix, Suppress


def hierarchy_of(column: pl.Series, declared: Declaration, **options: D | date) -> Hierarchy:
    values = domain(column.to_frame().lazy(), column.name, column.dtype)["value"]
    return build(column.name, declared, values, **options)  # type: ignore[arg-type]


def released(column: pl.Series, hierarchy: Hierarchy, level: int, form: str = "label") -> pl.DataFrame:
    return column.to_frame().lazy().select(release(hierarchy, level, form)).collect(engine="streaming")  # type: ignore[arg-type]


CASES = {
    "integers": (
        pl.Series("c", [31, None, 88, 95], dtype=pl.UInt8),
        Interval((D(10),)),
        {"top": D(90)},
        ["30-39", None, "80-89", ">=90"],
    ),
    "floats": (pl.Series("c", [0.3, math.nan, -0.0]), Interval((D("0.1"),)), {}, ["[0.3, 0.4)", None, "[0, 0.1)"]),
    "categories": (pl.Series("c", ["b", "a", None], dtype=pl.Categorical), Prefix((1,)), {}, ["b", "a", None]),
    "an enum": (pl.Series("c", ["b", "a"], dtype=pl.Enum(["b", "a", "unused"])), Suppress(), {}, ["*", "*"]),
    "dates": (pl.Series("c", [date(2024, 2, 29), date(1969, 1, 1)]), Dates(("quarter",)), {}, ["2024-Q1", "1969-Q1"]),
}


@pytest.mark.parametrize("case", CASES)
def test_labels_are_plain_text(case: str) -> None:
    column, declared, options, expected = CASES[case]
    frame = released(column, hierarchy_of(column, declared, **options), 1)
    assert frame.schema == {"c": pl.String}
    assert frame["c"].to_list() == expected


def test_level_zero_is_text_too() -> None:
    column = pl.Series("c", [1.5, 3.0, -0.0, None])
    assert released(column, hierarchy_of(column, Suppress()), 0)["c"].to_list() == ["1.5", "3.0", "0.0", None]


def test_bounds_are_two_columns_of_the_own_type() -> None:
    column = pl.Series("age", [31, None, 88, 95], dtype=pl.Int8)
    hierarchy = hierarchy_of(column, Interval((D(10),)), top=D(90))
    frame = released(column, hierarchy, 1, "bounds")
    assert frame.schema == {"age_low": pl.Int8, "age_high": pl.Int8} == released_schema("age", pl.Int8(), "bounds")
    assert frame.rows() == [(30, 39), (None, None), (80, 89), (90, None)]
    assert released(column, hierarchy, 2, "bounds").rows() == [(None, None)] * 4


def test_bounds_of_what_has_none_are_refused(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("1,*\n", encoding="utf-8")
    for column, declared in (
        (pl.Series("c", ["a"]), Suppress()),
        (pl.Series("c", [1]), FileHierarchy(tmp_path / "h.csv")),
    ):
        with pytest.raises(
            PolicyError, match=r"columns\.c\.form: expected `label`, for `bounds` needs numbers or dates"
        ):
            release(hierarchy_of(column, declared), 1, "bounds")


def test_forms_of_local_recoding_are_refused_here() -> None:
    column = pl.Series("c", [1])
    with pytest.raises(PolicyError, match="sets need local recoding"):
        release(hierarchy_of(column, Suppress()), 1, "set")


def test_given_codes_are_used() -> None:
    column = pl.Series("c", ["a", "b"])
    frame = pl.LazyFrame({"code": pl.Series([1, 0, 1], dtype=pl.Int32)})
    assert frame.select(release(hierarchy_of(column, Suppress()), 0, "label", pl.col("code"))).collect().rows() == [
        ("b",),
        ("a",),
        ("b",),
    ]


def test_any_node_can_be_released() -> None:
    column = pl.Series("c", [31, 44])
    hierarchy = hierarchy_of(column, Interval((D(10),)))
    nodes = pl.LazyFrame({"node": pl.Series([0, 3, 4, None], dtype=pl.Int32)})
    assert nodes.select(release_tables(node_tables(hierarchy, "label"), pl.col("node"))).collect()["c"].to_list() == [
        "31",
        "40-49",
        "*",
        None,
    ]
    bounds = nodes.select(release_tables(node_tables(hierarchy, "bounds"), pl.col("node"))).collect()
    assert bounds.rows() == [(31, 31), (40, 49), (None, None), (None, None)]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.one_of(st.none(), st.integers(-30, 130)), max_size=60), st.integers(0, 3), st.integers(1, 9))
def test_rows_of_many_chunks_get_their_own_node(values: list[int | None], level: int, size: int) -> None:
    column = pl.Series("c", values, dtype=pl.Int64)
    hierarchy = hierarchy_of(column, Interval((D(5), D(10))), top=D(90), bottom=D(0))
    leaves = hierarchy.domain.to_list()
    expected = [hierarchy.labels[int(hierarchy.ancestor[level, leaves.index(value)])] for value in values]
    chunks = [column[i : i + size] for i in range(0, len(column), size)] or [column]
    assert released(pl.concat(chunks, rechunk=False), hierarchy, level)["c"].to_list() == expected


def test_no_unused_label_is_in_the_written_file(tmp_path: Path) -> None:
    """A dictionary page must not name values that no row has."""
    column = pl.Series("c", ["canary", "plain", "plain"], dtype=pl.Categorical)
    hierarchy = hierarchy_of(column, Suppress())
    frame = column.to_frame().lazy().filter(pl.col("c") != "canary")
    frame.select(release(hierarchy, 0)).sink_parquet(tmp_path / "r.parquet", compression="uncompressed")
    assert pq.read_table(tmp_path / "r.parquet")["c"].to_pylist() == ["plain", "plain"]
    assert b"canary" not in (tmp_path / "r.parquet").read_bytes()


SCHEMAS = {
    "label": {"c": pl.String()},
    "bounds": {"c_low": pl.Date(), "c_high": pl.Date()},
    "representative": {"c": pl.Date()},
    "set": {"c": pl.List(pl.Date())},
}


@pytest.mark.parametrize("form", SCHEMAS)
def test_released_schema(form: str) -> None:
    assert released_schema("c", pl.Date(), form) == SCHEMAS[form]  # type: ignore[arg-type]


def test_members_of_categories_are_text() -> None:
    assert released_schema("c", pl.Categorical(), "set") == {"c": pl.List(pl.String())}


def test_level_of_each_node_is_what_the_label_says() -> None:
    column = pl.Series("c", np.arange(100, dtype=np.int16))
    hierarchy = hierarchy_of(column, Interval((D(10), D(50))))
    for level, width in ((1, 10), (2, 50)):
        found = released(column, hierarchy, level)["c"].to_list()
        assert found == [f"{i // width * width}-{i // width * width + width - 1}" for i in range(100)]
