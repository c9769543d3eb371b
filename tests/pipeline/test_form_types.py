"""Types of released columns, by form and strategy: as the input's, whatever that is."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import polars as pl
import pytest

import anonym

N = 24
COLUMNS: dict[str, tuple[pl.Series, Any]] = {
    "small": (pl.Series([n // 2 for n in range(N)], dtype=pl.Int8), {"interval": [4, 8]}),
    "natural": (pl.Series([250 + n // 8 for n in range(N)], dtype=pl.UInt16), {"interval": [2]}),
    "short": (pl.Series([n / 4 for n in range(N)], dtype=pl.Float32), {"interval": [2]}),
    "money": (pl.Series([Decimal(n) / 100 for n in range(N)], dtype=pl.Decimal(10, 2)), {"interval": [0.1]}),
    "day": (pl.Series([date(2024, 1 + n // 3, 1) for n in range(N)]), {"date": ["quarter"]}),
    "moment": (
        pl.Series([datetime(2024, 1 + n // 3, 1, 5) for n in range(N)], dtype=pl.Datetime("ns")),
        {"date": ["month"]},
    ),
    "zoned": (
        pl.Series([date(2024, 3, 1 + n) for n in range(N)]).cast(pl.Datetime("ms", "Europe/Berlin")),
        {"date": ["month"]},
    ),
    "yes": (pl.Series([n % 8 < 4 for n in range(N)]), "suppress"),
    "word": (pl.Series(["ab", "ac", "b"][n % 3] for n in range(N)), {"prefix": [1]}),
}
BOUNDED = [name for name, (column, _) in COLUMNS.items() if column.dtype not in (pl.Boolean, pl.String)]
CASES = [
    *((form, strategy) for form in ("representative", "bounds") for strategy in ("global", "local")),
    ("set", "local"),
]


def released(form: str, strategy: str, names: list[str]) -> pl.Schema:
    table = pl.DataFrame({name: COLUMNS[name][0] for name in names})
    columns = {name: {"role": "quasi", "hierarchy": COLUMNS[name][1], "form": form} for name in names}
    policy = {"anonym": 1, "columns": columns, "guarantee": {"k": 3}, "search": {"strategy": strategy}}
    return anonym.apply(policy, table).data.collect().schema


@pytest.mark.parametrize(("form", "strategy"), CASES)
def test_types_stay(form: str, strategy: str) -> None:
    names = BOUNDED if form == "bounds" else list(COLUMNS)
    found = released(form, strategy, names)
    for name in names:
        dtype = COLUMNS[name][0].dtype
        if form == "bounds":
            assert (found[f"{name}_low"], found[f"{name}_high"]) == (dtype, dtype)
        else:
            assert found[name] == (pl.List(dtype) if form == "set" else dtype)
