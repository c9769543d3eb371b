"""Cells against a twin that groups with dictionaries."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import hierarchy as naive

from anonym.hierarchy.build import build
from anonym.hierarchy.cells import CodedCells, coded_cells
from anonym.hierarchy.encode import domain
from anonym.hierarchy.model import Cells, FileHierarchy, Hierarchy, Identity, Interval, SensitiveCounts, Suppress

SCHEMA = {
    "town": pl.Categorical(),
    "ratio": pl.Float64(),
    "price": pl.Decimal(12, 2),
    "born": pl.Date(),
    "dx": pl.String(),
    "score": pl.Float32(),
    "unit": pl.String(),
}
QUASI = ("town", "ratio", "price", "born")
SENSITIVE = ("dx", "score")

ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "town": st.sampled_from(["Avel", "Brun", None]),
            "ratio": st.sampled_from([0.0, -0.0, math.nan, 1.5, None]),
            "price": st.sampled_from([Decimal("1.00"), Decimal("9007199254.99"), None]),
            "born": st.sampled_from([date(1960, 1, 1), date(2000, 2, 29)]),
            "dx": st.sampled_from(["flu", "Flu", "gout", None]),
            "score": st.sampled_from([0.5, math.nan, -0.0]),
            "unit": st.sampled_from(["u1", "u2", "u3", "u4", None]),
        }
    ),
    max_size=40,
)


def table(rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=SCHEMA)


def coded(
    frame: pl.LazyFrame,
    unit: str | None,
    quasi: Sequence[str] = QUASI,
    sensitive: Sequence[str] = SENSITIVE,
    *,
    all_units: bool = False,
) -> tuple[CodedCells, list[Hierarchy]]:
    domains = {name: domain(frame, name, SCHEMA[name])["value"] for name in (*quasi, *sensitive)}
    hierarchies = [build(name, Suppress(), domains[name]) for name in quasi]
    found = coded_cells(frame, hierarchies, {name: domains[name] for name in sensitive}, unit, all_units=all_units)
    return found, hierarchies


def keys_of(cells: Cells, hierarchies: Sequence[Hierarchy]) -> list[naive.Key]:
    domains = [hierarchy.domain.to_list() for hierarchy in hierarchies]
    return [tuple(values[code] for values, code in zip(domains, row, strict=True)) for row in cells.codes.tolist()]


def entries(counts: SensitiveCounts, keys: Sequence[naive.Key]) -> dict[tuple[naive.Key, Any], float]:
    values = counts.values.to_list()
    return {
        (keys[cell], values[value]): weight
        for cell, value, weight in zip(counts.cell.tolist(), counts.value.tolist(), counts.weight.tolist(), strict=True)
    }


@settings(max_examples=200, deadline=None)
@given(ROWS, st.sampled_from([None, "some", "all"]))
def test_cells_are_those_of_the_twin(rows: list[dict[str, Any]], units: str | None) -> None:
    unit = None if units is None else "unit"
    found, hierarchies = coded(table(rows).lazy(), unit, all_units=units == "all")
    cells, keys = found.cells, keys_of(found.cells, hierarchies)
    groups = naive.grouped(rows, QUASI)
    assert dict(zip(keys, cells.rows.tolist(), strict=True)) == {key: len(own) for key, own in groups.items()}
    assert cells.codes.tolist() == sorted(cells.codes.tolist())
    assert cells.total_rows == len(rows)
    listed: set[Any] = set()
    if unit is None:
        assert cells.units is None
    else:
        of_unit = naive.units_by_cell(groups, unit)
        listed = {owner for owner, own in of_unit.items() if len(own) > 1 or units == "all"}
        alone = [next(iter(own)) for owner, own in of_unit.items() if owner not in listed]
        assert cells.units is not None
        assert cells.units.tolist() == [alone.count(key) for key in keys]
        assert shared_pairs(found, keys) == {
            (owner, key): count for owner in listed for key, count in of_unit[owner].items()
        }
    for counts in cells.sensitive:
        expected = naive.weights(groups, counts.column, unit, listed)
        assert entries(counts, keys) == pytest.approx({key: float(weight) for key, weight in expected.items()})
        if unit is not None:
            assert shared_triples(found, counts, keys) == naive.triples(groups, counts.column, unit, listed)
    are_sorted(cells)


def shared_pairs(found: CodedCells, keys: Sequence[naive.Key]) -> dict[tuple[Any, naive.Key], int]:
    cells, units = found.cells, found.units["unit"].to_list()
    triples = zip(cells.shared_unit.tolist(), cells.shared_cell.tolist(), cells.shared_rows.tolist(), strict=True)
    return {(units[unit], keys[cell]): rows for unit, cell, rows in triples}


def shared_triples(found: CodedCells, counts: SensitiveCounts, keys: Sequence[naive.Key]) -> set[Any]:
    units, values = found.units["unit"].to_list(), counts.values.to_list()
    triples = list(
        zip(counts.shared_unit.tolist(), counts.shared_cell.tolist(), counts.shared_value.tolist(), strict=True)
    )
    assert len(set(triples)) == len(triples)
    return {(units[unit], keys[cell], values[value]) for unit, cell, value in triples}


def are_sorted(cells: Cells) -> None:
    """The order that the documentation of Cells and SensitiveCounts gives."""
    pairs = list(zip(cells.shared_unit.tolist(), cells.shared_cell.tolist(), strict=True))
    assert pairs == sorted(pairs)
    for counts in cells.sensitive:
        at = list(zip(counts.cell.tolist(), counts.value.tolist(), strict=True))
        assert at == sorted(set(at))
        shared = list(
            zip(counts.shared_unit.tolist(), counts.shared_cell.tolist(), counts.shared_value.tolist(), strict=True)
        )
        assert shared == sorted(shared)


def arrays(found: CodedCells) -> list[Any]:
    cells = found.cells
    own = [cells.codes, cells.rows, cells.units, cells.shared_unit, cells.shared_cell, cells.shared_rows]
    for counts in cells.sensitive:
        own += [counts.fold, counts.cell, counts.value, counts.weight]
        own += [counts.shared_unit, counts.shared_cell, counts.shared_value]
    return [None if a is None else (a.dtype, a.tolist()) for a in own] + [found.units.to_dict(as_series=False)]


@settings(max_examples=40, deadline=None)
@given(ROWS, st.randoms(use_true_random=False), st.integers(1, 7))
def test_order_chunks_and_files_change_nothing(rows: list[dict[str, Any]], random: Any, size: int) -> None:
    """T35, T12: to the last bit; every chunk and every file with a dictionary of its own."""
    import tempfile

    expected = arrays(coded(table(rows).lazy(), "unit")[0])
    random.shuffle(rows)
    parts = [rows[i : i + size] for i in range(0, len(rows), size)] or [[]]
    assert arrays(coded(pl.concat([table(part) for part in parts], rechunk=False).lazy(), "unit")[0]) == expected
    with tempfile.TemporaryDirectory() as folder:
        for i, part in enumerate(parts):
            table(part).write_parquet(Path(folder) / f"{i}.parquet", row_group_size=2)
        assert arrays(coded(pl.scan_parquet(folder + "/*.parquet"), "unit")[0]) == expected


def test_many_columns_need_several_words() -> None:
    rng = np.random.default_rng(7)
    names = [f"q{i}" for i in range(9)]
    frame = pl.DataFrame({name: rng.integers(0, 1000, 500) for name in names})
    frame = pl.concat([frame, frame[:100]])
    hierarchies = [build(name, Identity(), frame[name].unique().sort()) for name in names]
    cells = coded_cells(frame.lazy(), hierarchies, {}).cells
    expected = frame.group_by(names).len().sort(names)
    assert cells.rows.tolist() == expected["len"].to_list()
    assert keys_of(cells, hierarchies) == expected.select(names).rows()


def test_units_that_lie_in_several_cells_are_listed() -> None:
    """T19: one person's three rows in one cell are one unit, shared over three values."""
    frame = pl.LazyFrame(
        {
            "zone": ["A", "A", "A", "B", "B", "B", "A"],
            "dx": ["gout", "asthma", "eczema", "gout", "asthma", "eczema", "gout"],
            "pid": ["p1", "p1", "p1", "p2", "p3", "p4", "p4"],
        }
    )
    zones = build("zone", Identity(), pl.Series(["A", "B"]))
    found = coded_cells(frame, [zones], {"dx": pl.Series(["asthma", "eczema", "gout"])}, "pid")
    cells = found.cells
    assert cells.rows.tolist() == [4, 3]
    assert cells.units is not None
    assert cells.units.tolist() == [1, 2]
    assert found.units.rows() == [("p4", 0)]
    assert (cells.shared_unit.tolist(), cells.shared_cell.tolist(), cells.shared_rows.tolist()) == (
        [0, 0],
        [0, 1],
        [1, 1],
    )
    (dx,) = cells.sensitive
    assert dx.weight.tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 1, 1])
    assert (dx.shared_cell.tolist(), dx.shared_value.tolist()) == ([0, 1], [2, 1])


def test_null_is_a_value_of_its_own() -> None:
    """T01: class sizes 3, 3 and 1, the row without a job alone."""
    frame = pl.LazyFrame({"sex": [*"FFFMMM", "F"], "job": [*["nurse"] * 3, *["driver"] * 3, None]})
    hierarchies = [
        build("sex", Identity(), pl.Series(["F", "M"])),
        build("job", Identity(), pl.Series(["driver", "nurse", None])),
    ]
    assert coded_cells(frame, hierarchies, {}).cells.rows.tolist() == [3, 1, 3]


def test_rows_that_cannot_be_covered_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("1,x,*\n2,x,*\n", encoding="utf-8")
    frame = pl.LazyFrame({"c": [1, 2, 9, 9], "u": ["a", "b", "b", "c"]})
    domain_c = pl.Series([1, 2, 9])
    hierarchy = build("c", FileHierarchy(tmp_path / "h.csv"), domain_c, uncovered="suppress")
    cells = coded_cells(frame, [hierarchy], {}, "u").cells
    assert cells.rows.tolist() == [1, 1]
    assert cells.units is not None
    assert cells.units.tolist() == [1, 1]  # what is left of b lies in one cell


def test_spellings_are_made_equal_where_declared() -> None:
    frame = pl.LazyFrame({"c": ["A", "a", "b"]})
    values = domain(frame, "c", pl.String(), ("casefold",))["value"]
    hierarchy = build("c", Identity(), values)
    cells = coded_cells(frame, [hierarchy], {}, normalise={"c": ("casefold",)}).cells
    assert cells.rows.tolist() == [2, 1]


@pytest.mark.parametrize("unit", [None, "unit"])
def test_no_rows_make_no_cells(unit: str | None) -> None:
    found, _ = coded(table([]).lazy(), unit)
    assert found.cells.count == 0
    assert found.cells.codes.shape == (0, 4)
    assert found.cells.total_rows == 0
    assert found.units.height == 0


def test_weights_of_many_values_add_up() -> None:
    rows = [{**dict.fromkeys(SCHEMA), "dx": f"d{i}", "unit": "u"} for i in range(7)]
    found, _ = coded(table(rows).lazy(), "unit")
    assert found.cells.sensitive[0].weight.tolist() == [float(Fraction(1, 7))] * 7


def test_adult_has_as_many_cells_as_polars_finds(bench_data: Path) -> None:
    frame = pl.read_csv(bench_data / "adult" / "adult.csv", separator=";", schema_overrides={"age": pl.Int64})
    quasi = [name for name in frame.columns if name != "occupation"]
    hierarchies = [build(name, Suppress(), frame[name].unique().sort()) for name in quasi]
    hierarchies[quasi.index("age")] = build("age", Interval((Decimal(5),)), frame["age"].unique().sort())
    cells = coded_cells(frame.lazy(), hierarchies, {"occupation": frame["occupation"].unique().sort()}).cells
    expected = frame.group_by(quasi).len().sort(quasi)
    assert cells.rows.tolist() == expected["len"].to_list()
    assert len(cells.sensitive[0].cell) == frame.unique().height
