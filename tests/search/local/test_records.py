"""Records from a table: every row finds its own by its keys, nulls and units among them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from anonym.hierarchy.build import build
from anonym.hierarchy.cells import record_keys, records, unit_records
from anonym.hierarchy.encode import domain
from anonym.hierarchy.model import Suppress

FRAME = pl.LazyFrame(
    {
        "zip": ["1", None, "1", "2", "1", None],
        "ill": ["flu", "flu", None, "flu", "flu", "flu"],
        "who": [7, None, 7, 8, 7, None],
    }
)


@pytest.mark.parametrize("unit", [None, "who"])
def test_every_row_finds_its_record(unit: str | None) -> None:
    schema = FRAME.collect_schema()
    values = {name: domain(FRAME, name, schema[name])["value"] for name in ("zip", "ill")}
    hierarchies = [build("zip", Suppress(), values["zip"])]
    sensitive = {"ill": values["ill"]}
    codes, rows, keys, units = unit_records(FRAME, hierarchies, sensitive, unit)
    of_row = FRAME.select(record_keys(hierarchies, sensitive, unit=(unit, schema[unit]) if unit else None)).collect()
    words = [name for name in keys.columns if name != "record"]
    found = of_row.join(keys, on=words, how="left", nulls_equal=True, maintain_order="left")["record"].to_numpy()
    names = ["zip", "ill", *([unit] if unit else [])]
    table = FRAME.select(names).collect().rows()
    assert len(set(found.tolist())) == len(set(table)) == len(rows)
    assert rows.tolist() == np.bincount(found).tolist()
    for row, record in zip(table, found.tolist(), strict=True):
        assert row[:2] == (values["zip"][int(codes[record, 0])], values["ill"][int(codes[record, 1])])
    assert (units is None) == (unit is None)
    if units is not None:
        assert units[found].tolist() == [0, 2, 0, 1, 0, 2]
    if unit is None:
        assert np.array_equal(records(FRAME, hierarchies, sensitive)[0], codes)
