"""Every form, strategy and type from the command line: applied, checked and verified, types as they should be."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

N = 48
draw = random.Random(11)
PLACES = [draw.randrange(12) for _ in range(N)]


def column(make: Callable[[int], Any], dtype: Any) -> pl.Series:
    """Twelve values and null, each held by about four rows."""
    return pl.Series([None if i % 13 == 5 else make(place) for i, place in enumerate(PLACES)], dtype=dtype)


def moment(n: int) -> datetime:
    return datetime(2024, 1 + n, 1 + n, n, 5 * n, 0, n)


WORDS = ["ab", "abc", "b", "ba", "bb", "c", "ca", "cab", "d", "da", "dab", "e"]
INTEGERS = (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.Int128, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64, pl.UInt128)
COLUMNS: dict[str, tuple[pl.Series, Any]] = {
    **{str(dtype): (column(lambda n: 7 * n, dtype), {"interval": [10, 40]}) for dtype in INTEGERS},
    "Int64 by breaks": (column(lambda n: 7 * n - 30, pl.Int64), {"breaks": [[0, 20], [20]]}),
    "Float32": (column(lambda n: n / 4, pl.Float32), {"interval": [0.5, 2]}),
    "Float64": (column(lambda n: n / 10, pl.Float64), {"round": [0, -1]}),
    "Decimal": (column(lambda n: Decimal(n) / 100, pl.Decimal(10, 2)), {"interval": [0.05, 0.5]}),
    "Boolean": (column(lambda n: n % 2 == 0, pl.Boolean), "suppress"),
    "Date": (column(lambda n: date(2024, 1 + n, 28), pl.Date), {"date": ["quarter", "year"]}),
    "Datetime ms": (column(moment, pl.Datetime("ms")), {"date": ["day", "quarter"]}),
    "Datetime us": (column(moment, pl.Datetime("us")), {"date": ["month", "quarter"]}),
    "Datetime ns": (column(moment, pl.Datetime("ns")), {"date": ["quarter"]}),
    "Datetime of a zone": (column(moment, pl.Datetime("us", "America/New_York")), {"date": ["month", "quarter"]}),
    "Time": (column(lambda n: time(2 * n, 5 * n, 0, n), pl.Time), {"interval": ["15m", "6h"]}),
    "Time by breaks": (column(lambda n: time(2 * n), pl.Time), {"breaks": ["06:00", "18:00"]}),
    "Duration ms": (column(lambda n: timedelta(hours=n - 2), pl.Duration("ms")), {"interval": ["3h", "6h"]}),
    "Duration us": (column(lambda n: timedelta(hours=5 * n), pl.Duration("us")), {"breaks": ["8h", "1d"]}),
    "Duration ns": (column(lambda n: timedelta(microseconds=n), pl.Duration("ns")), {"interval": ["2us", "6us"]}),
    "String": (column(WORDS.__getitem__, pl.String), {"prefix": [2, 1]}),
    "Categorical": (column(WORDS.__getitem__, pl.Categorical), {"prefix": [1]}),
    "Enum": (column(WORDS.__getitem__, pl.Enum([*WORDS[::-1], "unused"])), "suppress"),
    "Null": (column(lambda _n: None, pl.Null), "suppress"),
    **{
        f"auto on {name}": (values, "auto")
        for name, values in {
            "Int16": column(lambda n: 7 * n, pl.Int16),
            "Float64": column(lambda n: n / 10, pl.Float64),
            "Decimal": column(lambda n: Decimal(n) / 100, pl.Decimal(10, 2)),
            "Date": column(lambda n: date(2024, 1 + n, 28), pl.Date),
            "Time": column(lambda n: time(2 * n), pl.Time),
            "Duration": column(lambda n: timedelta(hours=n), pl.Duration("us")),
            "String": column(WORDS.__getitem__, pl.String),
            "Enum": column(WORDS.__getitem__, pl.Enum(WORDS)),
        }.items()
    },
}
FORMS = [
    *((form, strategy) for form in ("label", "bounds", "representative") for strategy in ("global", "local")),
    ("set", "local"),
]
Run = Callable[..., tuple[int, str, str]]


def plain(dtype: pl.DataType) -> pl.DataType:
    """What stands for a value of the type; a category type would name all categories."""
    return pl.String() if isinstance(dtype, pl.Categorical | pl.Enum | pl.Null) else dtype


def expected(form: str, dtype: pl.DataType) -> dict[str, pl.DataType]:
    match form:
        case "label":
            return {"q": pl.String()}
        case "bounds":
            return {"q_low": dtype, "q_high": dtype}
        case "set":
            return {"q": pl.List(plain(dtype))}
    return {"q": plain(dtype)}


def has_bounds(dtype: pl.DataType) -> bool:
    return dtype.is_numeric() or dtype.is_temporal()


CASES = [
    (name, form, strategy)
    for name, (values, _) in COLUMNS.items()
    for form, strategy in FORMS
    if form != "bounds" or has_bounds(values.dtype)
]


@pytest.mark.parametrize(("name", "form", "strategy"), CASES, ids=map("-".join, CASES))
def test_it_is_released_checked_and_verified(command: Run, name: str, form: str, strategy: str) -> None:
    values, hierarchy = COLUMNS[name]
    policy = {
        "anonym": 1,
        "columns": {
            "q": {"role": "quasi", "hierarchy": hierarchy, "form": form},
            "other": {"role": "quasi", "hierarchy": "suppress"},
        },
        "guarantee": {"k": 3, "suppression": {"max": 0.2}},
        "search": {"strategy": strategy},
    }
    Path("policy.yaml").write_text(yaml.safe_dump(policy), encoding="utf-8")
    pl.DataFrame({"q": values, "other": [i % 2 for i in range(N)]}).write_parquet("in.parquet")
    status, _, err = command("apply", "policy.yaml", "in.parquet", "-o", "out.parquet", "--quiet")
    assert (status, err) == (0, "")
    released = pl.read_parquet("out.parquet")
    assert {column: dtype for column, dtype in released.schema.items() if column != "other"} == expected(
        form, values.dtype
    )
    assert command("check", "policy.yaml", "out.parquet", "--quiet")[0] == 0
    assert command("verify", "out.report.json", "--original", "in.parquet", "--quiet")[0] == 0
