"""A release of many files read back: every value of a partition column as it was, with its type."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import polars as pl
import pytest

from anonym.io.partitions import parquet_files, place_of, read_partitions


@pytest.mark.parametrize(
    "values",
    [
        pl.Series(["a.parquet", "../b", "ü =%", "", "0", None]),
        pl.Series([2**64 - 1, 0, None], dtype=pl.UInt64),
        pl.Series([-(2**100), 2**100], dtype=pl.Int128),
        pl.Series([-128, 127], dtype=pl.Int8),
        pl.Series([True, False, None]),
        pl.Series([date(1, 1, 1), date(9999, 12, 31), None]),
    ],
    ids=lambda values: str(values.dtype),
)
def test_values_come_back(tmp_path: Path, values: pl.Series) -> None:
    table = pl.DataFrame({"row": range(len(values)), "value": values})
    for row in range(table.height):
        file = tmp_path / place_of({"value": values[row]})
        file.parent.mkdir()
        table[row].select("row").write_parquet(file)
    assert len(parquet_files(tmp_path)) == table.height
    assert read_partitions(tmp_path, table.schema).collect().sort("row").equals(table)
