"""Tables for the benchmark of the search: UCI Adult and generated ones, with the policy of their quasi-identifiers, and
the same as codes, which every peer reads and whose loss is computed by one definition."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import anonym
from anonym.hierarchy.build import build
from anonym.hierarchy.encode import domain
from anonym.policy.model import Quasi

DATA = Path(os.environ.get("ANONYM_BENCH_DATA", Path(__file__).parents[2] / "shared" / "data")) / "adult"
Columns = dict[str, dict[str, Any]]


def adult(rows: int | None = None) -> tuple[pl.DataFrame, Columns]:
    """UCI Adult, or its first rows."""
    frame = pl.read_csv(DATA / "adult.csv", separator=";", infer_schema_length=0)
    roles: Columns = {
        name: {"role": "quasi", "hierarchy": {"file": str(DATA / f"adult_hierarchy_{name}.csv")}}
        for name in frame.columns
    }
    return frame.with_columns(pl.col("age").cast(pl.Int64)).slice(0, rows), roles


def mixed(rows: int, columns: int, seed: int = 0) -> tuple[pl.DataFrame, Columns]:
    """Skewed, wide, binary and dated columns in turn, independent of each other."""
    draw = np.random.default_rng(seed)
    made: dict[str, tuple[pl.Series, Any]] = {}
    while len(made) < columns:
        age = pl.Series(np.clip(draw.normal(45, 18, rows), 0, 105).astype(np.int16))
        zips = pl.Series(np.minimum(draw.zipf(1.2, rows), 900) + 9999).cast(pl.String)
        sex, born = pl.Series(draw.integers(0, 2, rows)).cast(pl.String), pl.Series(draw.integers(0, 9_000, rows))
        for name, values, hierarchy in (
            ("age", age, {"interval": [5, 10, 20]}),
            ("zip", zips, {"prefix": [4, 3, 2, 1]}),
            ("sex", sex, "suppress"),
            ("born", born.cast(pl.Int32).cast(pl.Date), {"date": ["month", "quarter", "year", "decade"]}),
        ):
            made[f"{name}{len(made)}"] = (values, hierarchy)
    return _table(dict(list(made.items())[:columns]))


def few(rows: int) -> tuple[pl.DataFrame, Columns]:
    return mixed(rows, 3)


def many(rows: int) -> tuple[pl.DataFrame, Columns]:
    """Twenty columns of two to six values that hang together by forty kinds of people."""
    draw = np.random.default_rng(1)
    kind = draw.integers(0, 40, rows)
    made: dict[str, tuple[pl.Series, Any]] = {}
    for i in range(20):
        values = 2 + i % 5
        usual = draw.integers(0, values, 40)[kind]
        own = np.where(draw.random(rows) < 0.05, draw.integers(0, values, rows), usual)
        made[f"answer{i}"] = (pl.Series(own).cast(pl.String), "suppress")
    return _table(made)


def skewed(rows: int) -> tuple[pl.DataFrame, Columns]:
    """Six columns of codes, most rows in a few of them."""
    draw = np.random.default_rng(2)
    codes = [np.minimum(draw.zipf(1.0 + 0.15 * (i + 1), rows), 5_000) + 9_999 for i in range(6)]
    return _table({f"code{i}": (pl.Series(c).cast(pl.String), {"prefix": [4, 3, 2, 1]}) for i, c in enumerate(codes)})


def wide(rows: int) -> tuple[pl.DataFrame, Columns]:
    """Four columns of as many values as rows allow."""
    draw = np.random.default_rng(3)
    zips = [pl.Series(draw.integers(10_000, 99_999, rows)).cast(pl.String) for _ in range(2)]
    income = pl.Series(np.round(draw.lognormal(10, 0.8, rows)).astype(np.int64))
    weight = pl.Series(draw.integers(0, 100_000, rows))
    return _table(
        {
            **{f"zip{i}": (values, {"prefix": [4, 3, 2, 1]}) for i, values in enumerate(zips)},
            "income": (income, {"interval": [1_000, 5_000, 25_000, 100_000]}),
            "weight": (weight, {"interval": [100, 1_000, 10_000]}),
        }
    )


def deep(rows: int) -> tuple[pl.DataFrame, Columns]:
    """Five columns of twelve levels each."""
    draw = np.random.default_rng(4)
    steps = {"interval": [2**i for i in range(1, 11)]}
    return _table({f"n{i}": (pl.Series(draw.beta(2, 2 + i, rows) * 2_000).cast(pl.Int64), steps) for i in range(5)})


SHAPES = {
    "few: 3 QIs": few,
    "many: 20 QIs of 2 to 6 values": many,
    "skewed: 6 QIs": skewed,
    "wide: 4 QIs": wide,
    "deep: 5 QIs of 12 levels": deep,
}


def _table(made: Mapping[str, tuple[pl.Series, Any]]) -> tuple[pl.DataFrame, Columns]:
    frame = pl.DataFrame({name: values for name, (values, _) in made.items()})
    return frame, {name: {"role": "quasi", "hierarchy": hierarchy} for name, (_, hierarchy) in made.items()}


@dataclass(frozen=True)
class Coded:
    """A column as peers get it: a number as its distance from the least, any other value as `c` and its place."""

    rows: pl.Series
    numeric: bool
    levels: dict[int, list[str]]  # the label of each distinct value, level by level; anjana's form
    places: np.ndarray[Any, Any]  # (distinct values,) where numbers lie

    def cost(self, leaves: Iterable[int]) -> float:
        """NCP of a label that covers these leaves."""
        at = self.places[list(leaves)]
        span = float(self.places.max() - self.places.min())
        if not self.numeric:
            return (at.size - 1) / max(self.places.size - 1, 1)
        return float(at.max() - at.min()) / span if span else 0.0

    def costs(self) -> dict[str, float]:
        """NCP by label of any level."""
        covered: dict[str, list[int]] = {}
        for labels in self.levels.values():
            own: dict[str, list[int]] = {}
            for leaf, label in enumerate(labels):
                own.setdefault(label, []).append(leaf)
            covered |= own
        return {label: self.cost(leaves) for label, leaves in covered.items()}

    def cost_of_set(self, label: str) -> float:
        """NCP of `lo-hi` or `c1,c2,...`."""
        if self.numeric:
            ends = [int(end) for end in label.split("-")]
            span = float(self.places.max())
            return (ends[-1] - ends[0]) / span if span else 0.0
        return (len(label.split(",")) - 1) / max(self.places.size - 1, 1)


def coded(frame: pl.DataFrame, columns: Columns) -> dict[str, Coded]:
    policy = anonym.Policy.load({"anonym": 1, "columns": columns, "guarantee": {"k": 2}})
    found: dict[str, Coded] = {}
    for column in policy.resolve(frame.schema):
        assert isinstance(column.role, Quasi)
        values = domain(frame.lazy(), column.name, column.dtype)
        hierarchy = build(column.name, column.role.hierarchy, values["value"], rows=values["rows"])
        numeric = column.dtype.is_numeric() or column.dtype.is_temporal()
        leaf = pl.Series(range(hierarchy.leaves), dtype=pl.Int64)
        physical = values["value"].to_physical().cast(pl.Int64) if numeric else leaf
        places = (physical - physical.min()).to_numpy()
        labels = [str(place) if numeric else f"c{place}" for place in places.tolist()]
        levels = {0: labels}
        for level in range(1, hierarchy.levels):
            levels[level] = [f"{level}:{node}" for node in hierarchy.ancestor[level].tolist()]
        rows = frame[column.name].replace_strict(values["value"], pl.Series(labels), return_dtype=pl.String)
        found[column.name] = Coded(rows, numeric, levels, places)
    return found


def measured(columns: dict[str, Coded], released: pl.DataFrame, rows: int, k: int) -> dict[str, Any]:
    """What a peer's classes cost: `released` has a label a column (text) and `rows`; rows that are missing cost 1."""
    gone = rows - int(released["rows"].sum())
    total = float(gone * len(columns))
    for name, column in columns.items():
        by_level = column.costs()
        costs = [by_level[label] if label in by_level else column.cost_of_set(label) for label in released[name]]
        total += float(np.dot(costs, released["rows"].to_numpy()))
    sizes = released.group_by(list(columns)).agg(pl.col("rows").sum())["rows"]
    return {
        "ncp": total / (rows * len(columns)),
        "suppressed": gone / rows,
        "classes": sizes.len(),
        "discernibility": int((sizes.filter(sizes >= k) ** 2).sum()) + rows * gone,
        "k": sizes.min(),
    }
