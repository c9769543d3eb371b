"""Words of errors that many places share."""

from __future__ import annotations

import polars as pl
import pytest

from anonym.errors import type_name


@pytest.mark.parametrize(
    ("dtype", "said"),
    [
        (pl.Int64(), "Int64"),
        (pl.Datetime("us", "UTC"), "Datetime(time_unit='us', time_zone='UTC')"),
        (pl.List(pl.Int8()), "List(Int8)"),
        (pl.Enum(["canary"]), "Enum"),
        (pl.List(pl.Enum(["canary"])), "List"),
        (pl.Struct({"x": pl.Enum(["canary"])}), "Struct"),
    ],
)
def test_a_type_is_named_without_its_categories(dtype: pl.DataType, said: str) -> None:
    assert type_name(dtype) == said
    assert "canary" not in type_name(dtype)
