"""Hierarchies as text trees: labels of large groups only, unless values are asked for."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from anonym.io import open_frame
from anonym.pipeline.trees import trees
from anonym.policy import Policy


def drawn(columns: dict[str, Any], table: pl.DataFrame, *, values: bool = False, unit: str | None = None) -> list[str]:
    policy = Policy.load({"anonym": 1, "columns": columns, "guarantee": {"k": 3}} | ({"unit": unit} if unit else {}))
    source = open_frame(table)
    return list(trees(policy, source, policy.resolve(source.schema), show_values=values))


AGES = pl.DataFrame({"age": [20, 21, 22, 31, 33, 47, 47, 47]})
COLUMNS = {"age": {"role": "quasi", "hierarchy": {"interval": [10, 20]}}}


def test_groups_of_k_have_labels_and_rare_ones_are_counted() -> None:
    assert drawn(COLUMNS, AGES) == [
        "age",
        "  groups a level: 0: 6, 1: 3, 2: 2, 3: 1",
        "  └─ *  (6 values, 8 rows)",
        "     ├─ 20-39  (5 values, 5 rows)",
        "     │  ├─ 20-29  (3 values, 3 rows)",
        "     │  └─ 1 more group",
        "     └─ 40-59  (1 value, 3 rows)",
    ]


def test_single_values_are_drawn_only_where_they_are_asked_for() -> None:
    hidden, shown = drawn(COLUMNS, AGES), drawn(COLUMNS, AGES, values=True)
    assert not any("33" in line for line in hidden)
    assert any("33  (1 value, 1 rows)" in line for line in shown)


def test_units_are_counted_from_below() -> None:
    table = AGES.with_columns(who=pl.Series(["a", "a", "a", "b", "c", "d", "e", "f"]))
    lines = drawn(COLUMNS | {"who": {"role": "identifier"}}, table, unit="who")
    assert "  └─ *  (6 values, at least 3 units)" in lines
    assert not any("20-29" in line for line in lines)


@pytest.mark.parametrize("values", [True, False])
def test_an_empty_table_has_no_tree(values: bool) -> None:
    assert drawn(COLUMNS, AGES.clear(), values=values)[0] == "age"
