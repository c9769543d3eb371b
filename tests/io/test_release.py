"""What is written comes back from disk as it was, or is refused before anything is computed."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from anonym.errors import CallError
from anonym.io import refuse_unwritable, written

NOON = dt.datetime(2024, 2, 29, 12, 0, 0, 5)
VALUES: list[tuple[Any, pl.DataType]] = [
    *((7, kind()) for kind in (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.Int128)),
    *((7, kind()) for kind in (pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64)),
    (-128, pl.Int8()),
    (2**64 - 1, pl.UInt64()),
    *((1.5, kind()) for kind in (pl.Float32, pl.Float64)),
    (True, pl.Boolean()),
    ('a"\n,\té', pl.String()),
    (dt.date(2024, 2, 29), pl.Date()),
    *((NOON, pl.Datetime(unit, zone)) for unit in ("us", "ns") for zone in (None, "UTC", "Europe/Berlin")),
    (dt.time(1, 2, 3), pl.Time()),
    (dt.time(23, 59, 59, 999_999), pl.Time()),
    (Decimal("-1234567.50"), pl.Decimal(9, 2)),
    (Decimal("123456789012345678901234.5"), pl.Decimal(38, 1)),
    (dt.timedelta(days=1, microseconds=3), pl.Duration("us")),
    (b"x", pl.Binary()),
    (None, pl.Null()),
    ([1, 2], pl.List(pl.Int8())),
    ([dt.date(2024, 2, 29)], pl.List(pl.Date())),
    ([dt.time(1)], pl.List(pl.Time())),
    ([Decimal("1.5")], pl.List(pl.Decimal(9, 2))),
    ([["a"]], pl.List(pl.List(pl.String()))),
    ([b"x"], pl.List(pl.Binary())),
    ([1, 2], pl.Array(pl.Int64(), 2)),
    ({"x": 1, "y": "a"}, pl.Struct({"x": pl.UInt16(), "y": pl.String()})),
    ({"x": dt.timedelta(1)}, pl.Struct({"x": pl.Duration("us")})),
]
LOST = {
    ".csv": (pl.Duration, pl.Binary, pl.Null, pl.List, pl.Array, pl.Struct),
    ".tsv": (pl.Duration, pl.Binary, pl.Null, pl.List, pl.Array, pl.Struct),
    ".jsonl": (pl.Duration, pl.Binary),
    ".arrow": (),
    ".parquet": (),
}


def _sink(frame: pl.DataFrame, path: Path) -> None:
    lazy = frame.lazy()
    match path.suffix:
        case ".csv" | ".tsv":
            lazy.sink_csv(path, separator="\t" if path.suffix == ".tsv" else ",")
        case ".jsonl":
            lazy.sink_ndjson(path)
        case ".arrow":
            lazy.sink_ipc(path)
        case _:
            lazy.sink_parquet(path)


def _fits(ending: str, schema: dict[str, pl.DataType]) -> bool:
    try:
        refuse_unwritable(ending, schema)
    except CallError:
        return False
    return True


@pytest.mark.parametrize(("value", "dtype"), VALUES, ids=str)
@pytest.mark.parametrize("ending", sorted(LOST))
def test_a_column_comes_back_or_is_refused(tmp_path: Path, ending: str, value: Any, dtype: pl.DataType) -> None:
    frame = pl.DataFrame({"odd": pl.Series([value, None], dtype=dtype), "n": [1, 2]})
    if not _fits(ending, dict(frame.schema)):
        assert isinstance(dtype, LOST[ending]) or (ending == ".jsonl" and isinstance(dtype, (pl.List, pl.Struct)))
        return
    path = tmp_path / f"out{ending}"
    _sink(frame, path)
    assert written(path, dict(frame.schema)).collect().equals(frame)
    _sink(frame.clear(), path)
    assert written(path, dict(frame.schema)).collect().equals(frame.clear())


def test_only_what_cannot_be_written_is_refused() -> None:
    refuse_unwritable(".CSV", {"a": pl.String(), "b": pl.Decimal(9, 2), "c": pl.Time()})
    refuse_unwritable(".ndjson", {"a": pl.List(pl.Int8()), "b": pl.Decimal(9, 2), "c": pl.Time()})
    with pytest.raises(CallError, match=r"columns b \(List\(String\)\), c \(Binary\): .*\.parquet"):
        refuse_unwritable(".TSV", {"a": pl.Int8(), "b": pl.List(pl.String()), "c": pl.Binary()})
