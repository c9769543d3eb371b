"""Small tables for the search, as plain rows and as the coded problem, and a Hypothesis strategy for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from hypothesis import strategies as st
from naive.search import Asked, Column, Table, released, suppressed

from anonym.criteria import DistinctL, EntropyL, RecursiveL, TCloseness
from anonym.hierarchy.model import Cells, FileHierarchy, Hierarchy, SensitiveCounts, Suppress
from anonym.search.problem import Problem

VALUES = ("A", "a", "b", "c", None)  # sorted, null last; A and a fold to one
FOLD = {"A": "a", "a": "a", "b": "b", "c": "c", None: None}
PATHS = {
    "A": ("A", "x", "*"),
    "a": ("a", "x", "*"),
    "b": ("b", "y", "*"),
    "c": ("c", "y", "*"),
    None: (None, None, "*"),
}
TREE = "A,x,*\na,x,*\nb,y,*\nc,y,*\n"
NONE = np.empty(0, np.int32)


@dataclass(frozen=True)
class Case:
    table: Table
    problem: Problem


def problem_of(table: Table, folder: Path | None = None, **changes: Any) -> Problem:
    """The table as the search sees it. `folder` is where the hierarchy of sensitive values is written, if any."""
    rows = list(table.rows)
    cells = cells_of(rows, len(table.columns), table.units, every=bool(changes.get("profiles")))
    return Problem(
        cells=cells,
        hierarchies=tuple(hierarchy_of(f"q{i}", column) for i, column in enumerate(table.columns)),
        k=table.k,
        limit=table.limit,
        rows=len(rows),
        diversity=tuple(
            (a.column, _diversity(a)) for a in table.asked if a.kind in ("distinct", "entropy", "recursive")
        ),
        closeness=tuple(
            (a.column, _closeness(a, folder)) for a in table.asked if a.kind in ("equal", "ordered", "hierarchical")
        ),
        weights=tuple(float(column.weight) for column in table.columns),
        **changes,
    )


def _diversity(asked: Asked) -> Any:
    if asked.kind == "recursive":
        return RecursiveL(*asked.value)
    return DistinctL(asked.value) if asked.kind == "distinct" else EntropyL(asked.value)


def _closeness(asked: Asked, folder: Path | None) -> TCloseness:
    if asked.kind == "hierarchical":
        assert folder is not None
        path = folder / "tree.csv"
        path.write_text(TREE, encoding="utf-8")
        return TCloseness(asked.value, "hierarchical", hierarchy=FileHierarchy(path))
    return TCloseness(asked.value, asked.kind)  # type: ignore[arg-type]


def hierarchy_of(name: str, column: Column) -> Hierarchy:
    ancestor = np.array(column.ancestor, np.int32)
    leaves = ancestor.shape[1]
    return Hierarchy(
        column=name,
        declaration=Suppress(),
        domain=pl.Series(name, range(leaves)),
        ancestor=ancestor,
        labels=pl.Series([str(node) for node in range(len(column.cost))]),
        low=None,
        high=None,
        covered=np.array(
            [max((level == node).sum() for level in ancestor) for node in range(len(column.cost))], np.int64
        ),
        cost=np.array([float(cost) for cost in column.cost]),
        finest=column.finest,
        coarsest=column.coarsest,
        suppressed=np.isin(np.arange(leaves), list(column.lost)),
    )


def cells_of(
    rows: Sequence[tuple[tuple[int, ...], Hashable, tuple[Hashable, ...]]],
    width: int,
    units: bool,
    *,
    every: bool = False,
) -> Cells:
    """`every`: all units are listed, not only those of several cells."""
    tuples = sorted({codes for codes, _, _ in rows})
    index = {codes: i for i, codes in enumerate(tuples)}
    pairs = Counter((unit, index[codes]) for codes, unit, _ in rows)
    cells_of_unit = Counter(unit for unit, _ in pairs)
    shared = sorted({unit for unit, count in cells_of_unit.items() if every or count > 1}, key=repr) if units else []
    number = {unit: i for i, unit in enumerate(shared)}
    several = sorted((number[unit], cell, count) for (unit, cell), count in pairs.items() if unit in number)
    alone = Counter(cell for (unit, cell) in pairs if unit not in number)
    return Cells(
        codes=np.array(tuples, np.int32).reshape(len(tuples), width),
        rows=np.array([sum(codes == t for codes, _, _ in rows) for t in tuples], np.int64),
        units=np.array([alone[i] for i in range(len(tuples))], np.int64) if units else None,
        shared_unit=np.array([unit for unit, _, _ in several], np.int32),
        shared_cell=np.array([cell for _, cell, _ in several], np.int32),
        shared_rows=np.array([count for _, _, count in several], np.int64),
        sensitive=tuple(_sensitive(rows, index, s, units, number) for s in range(len(rows[0][2]) if rows else 0)),
    )


def _sensitive(rows: Any, index: dict[Any, int], s: int, units: bool, number: dict[Hashable, int]) -> SensitiveCounts:
    code = {value: i for i, value in enumerate(VALUES)}
    triples = {(unit, index[codes], code[values[s]]) for codes, unit, values in rows}
    per_pair = Counter((unit, cell) for unit, cell, _ in triples)
    weight: dict[tuple[int, int], Fraction] = {}
    if units:
        for unit, cell, value in triples:
            if unit not in number:
                weight[cell, value] = weight.get((cell, value), Fraction(0)) + Fraction(1, per_pair[unit, cell])
    else:
        for codes, _, values in rows:
            at = index[codes], code[values[s]]
            weight[at] = weight.get(at, Fraction(0)) + 1
    shared = sorted((number[unit], cell, value) for unit, cell, value in triples if unit in number)
    entries = sorted(weight)
    folds = list(dict.fromkeys(f for f in FOLD.values() if f is not None))
    return SensitiveCounts(
        column=f"s{s}",
        values=pl.Series(VALUES, dtype=pl.String),
        fold=np.array([-1 if FOLD[v] is None else folds.index(FOLD[v]) for v in VALUES], np.int32),
        cell=np.array([cell for cell, _ in entries], np.int32),
        value=np.array([value for _, value in entries], np.int32),
        weight=np.array([float(weight[entry]) for entry in entries]),
        shared_unit=np.array([unit for unit, _, _ in shared], np.int32),
        shared_cell=np.array([cell for _, cell, _ in shared], np.int32),
        shared_value=np.array([value for _, _, value in shared], np.int32),
    )


@st.composite
def columns(draw: st.DrawFn, *, weighted: bool = True) -> Column:
    """A nested hierarchy over 1 to 5 leaves, one step at most two nodes into one."""
    leaves = draw(st.integers(1, 5))
    level, base, ancestor, costs = list(range(leaves)), 0, [], []
    for _ in range(draw(st.integers(1, 4))):
        width = max(level) + 1
        ancestor.append([base + node for node in level])
        costs += [Fraction(level.count(node) - 1, max(leaves - 1, 1)) for node in range(width)]
        base += width
        merged = draw(st.lists(st.integers(0, max(width - 2, 0)), min_size=width, max_size=width))
        renumber = {node: i for i, node in enumerate(dict.fromkeys(merged))}
        level = [renumber[merged[node]] for node in level]
    finest = draw(st.sampled_from([0, 0, 0, len(ancestor) - 1]))
    coarsest = draw(st.sampled_from([len(ancestor) - 1, len(ancestor) - 1, finest]))
    lost = draw(st.sampled_from([frozenset[int](), frozenset[int](), frozenset({0})]))
    weight = draw(st.sampled_from([Fraction(1), Fraction(1), Fraction(2), Fraction(1, 4)])) if weighted else Fraction(1)
    return Column(ancestor, costs, finest, coarsest, lost, weight)


def _asked(column: int) -> st.SearchStrategy[Asked]:
    return st.one_of(
        st.builds(lambda v: Asked(column, "distinct", v, fold=FOLD), st.integers(1, 3)),
        st.builds(lambda v: Asked(column, "entropy", v, fold=FOLD), st.sampled_from([1.2, 1.7, 2.0, 2.5])),
        st.builds(
            lambda v: Asked(column, "recursive", v, fold=FOLD),
            st.sampled_from([(0.5, 1), (1.5, 2), (3.0, 2), (2.0, 3)]),
        ),
        st.builds(lambda v: Asked(column, "equal", v), st.sampled_from([0.0, 0.1, 0.25, 0.4])),
        st.builds(lambda v: Asked(column, "ordered", v, order=VALUES), st.sampled_from([0.05, 0.1, 0.2, 0.3])),
        st.builds(lambda v: Asked(column, "hierarchical", v, paths=PATHS), st.sampled_from([0.1, 0.2, 0.3])),
    )


@st.composite
def tables(draw: st.DrawFn, *, asked: bool = True, units: bool | None = None, weighted: bool = True) -> Table:
    """Up to 24 rows over up to 3 quasi-identifiers, with nulls, units and several criteria."""
    found = draw(st.lists(columns(weighted=weighted), min_size=1, max_size=3))
    codes = st.tuples(*(st.integers(0, len(column.ancestor[0]) - 1) for column in found))
    values = st.tuples(st.sampled_from(VALUES), st.sampled_from(VALUES))
    rows = draw(st.lists(st.tuples(codes, st.integers(0, 7), values), min_size=1, max_size=24))
    return Table(
        rows=rows,
        columns=found,
        units=draw(st.booleans()) if units is None else units,
        k=draw(st.integers(1, 5)),
        limit=draw(st.integers(0, len(rows))),
        asked=draw(st.lists(st.integers(0, 1).flatmap(_asked), max_size=3)) if asked else [],
    )


def skewed_table(seed: int, *, units: bool | None = None) -> Table:
    """A table on which illegal cuts show: a criterion that fails at the top and can hold below, and a limit that some
    recoding uses up exactly."""
    rng = np.random.default_rng(seed)
    found = [_binary_tree(rng) for _ in range(rng.integers(1, 4))]
    size = int(rng.integers(6, 50))
    kind = str(rng.choice(["entropy", "recursive", "equal", "ordered", "hierarchical"]))
    asked = {
        "entropy": lambda: Asked(0, "entropy", float(rng.choice([1.3, 1.6, 2.0])), fold=FOLD),
        "recursive": lambda: Asked(0, "recursive", [(0.6, 1), (1.2, 2), (2.0, 2)][rng.integers(3)], fold=FOLD),
        "equal": lambda: Asked(0, "equal", float(rng.choice([0.0, 0.1, 0.2]))),
        "ordered": lambda: Asked(0, "ordered", float(rng.choice([0.0, 0.1, 0.2])), order=VALUES),
        "hierarchical": lambda: Asked(0, "hierarchical", float(rng.choice([0.0, 0.1, 0.2])), paths=PATHS),
    }[kind]()
    share = rng.dirichlet(np.full(len(VALUES), 0.4))
    rows = []
    for _ in range(size):
        codes = tuple(int(rng.integers(len(column.ancestor[0]))) for column in found)
        own = rng.integers(len(VALUES)) if codes[0] == 0 else rng.choice(len(VALUES), p=share)
        rows.append((codes, int(rng.integers(size)), (VALUES[own], None)))
    with_units = bool(rng.integers(2)) if units is None else units
    table = Table(rows, found, with_units, int(rng.integers(1, 3)), 0, [asked])
    chosen = tuple(int(rng.integers(column.coarsest + 1)) for column in found)
    return replace(table, limit=suppressed(table, released(table, chosen)))


def _binary_tree(rng: np.random.Generator) -> Column:
    leaves = int(rng.integers(2, 6))
    ancestor, costs, base, level = [], [], 0, list(range(leaves))
    while True:
        ancestor.append([base + node for node in level])
        costs += [Fraction(level.count(node) - 1, leaves - 1) for node in range(max(level) + 1)]
        base += max(level) + 1
        if max(level) == 0:
            break
        level = [node // 2 for node in level]
    coarsest = int(rng.choice([len(ancestor) - 1, len(ancestor) - 2]))
    return Column(ancestor, costs, 0, coarsest)
