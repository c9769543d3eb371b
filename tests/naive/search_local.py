"""What a local recoding must be, read off its released cells and their rows; and the best of all by trial."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from naive import criteria
from naive.search import DIVERSITY, FAVOUR, Column, Table, distance, histogram, is_diverse, members

from anonym.search.local.records import LocalSolution, Records

Cell = Any  # label: a node; set: a frozenset of leaves


@dataclass(frozen=True)
class Words:
    """Under which vocabulary each column is released, and whether its values are text (else whole numbers)."""

    vocabulary: tuple[str, ...]
    is_text: tuple[bool, ...]


def records_of(table: Table, values: Sequence[Any]) -> tuple[Records, list[list[int]]]:
    """The distinct tuples of the rows that are not lost, in order of appearance, and the rows of each."""
    held: dict[Any, list[int]] = {}
    for i, (codes, unit, sensitive) in enumerate(table.rows):
        if not is_lost(table, codes):
            held.setdefault((codes, sensitive, unit if table.units else None), []).append(i)
    keys = list(held)
    code = {value: i for i, value in enumerate(values)}
    width = len(table.rows[0][2])
    units = sorted({unit for _, _, unit in keys}) if table.units else []
    return Records(
        codes=np.array([codes for codes, _, _ in keys], np.int32).reshape(len(keys), len(table.columns)),
        sensitive=np.array([[code[v] for v in s] for _, s, _ in keys], np.int32).reshape(len(keys), width),
        rows=np.array([len(rows) for rows in held.values()], np.int64),
        **({"unit": np.array([units.index(unit) for _, _, unit in keys], np.int32)} if table.units else {}),
    ), list(held.values())


def is_lost(table: Table, codes: Sequence[int]) -> bool:
    return any(code in column.lost for code, column in zip(codes, table.columns, strict=True))


def assigned(rows_of: list[list[int]], solution: LocalSolution) -> dict[int, list[int]]:
    """The rows of each class, -1 for the suppressed, by what `Parts` promises of its order."""
    parts = list(
        zip(*(a.tolist() for a in (solution.parts.record, solution.parts.cls, solution.parts.rows)), strict=True)
    )
    order = [(record, cls if cls >= 0 else 1 << 30) for record, cls, _ in parts]
    assert all(one < other for one, other in pairwise(order))
    assert all(rows >= 1 for _, _, rows in parts)
    found: dict[int, list[int]] = {}
    left = [list(rows) for rows in rows_of]
    for record, cls, rows in parts:
        taken, left[record] = left[record][:rows], left[record][rows:]
        assert len(taken) == rows
        found.setdefault(cls, []).extend(taken)
    assert not any(left)
    return found


def assert_keeps(table: Table, words: Words, rows_of: list[list[int]], solution: LocalSolution) -> None:
    """All that a local solution promises, but that its loss is low."""
    found = assigned(rows_of, solution)
    gone = len(found.pop(-1, [])) + sum(is_lost(table, codes) for codes, _, _ in table.rows)
    assert gone == solution.suppressed_rows <= table.limit
    assert sorted(found) == list(range(solution.classes))
    assert [len(found[c]) for c in range(solution.classes)] == solution.rows.tolist()
    cells = [released(table, words, solution, c) for c in range(solution.classes)]
    assert len(set(cells)) == len(cells)
    held = [held_in(table, words, j) for j in range(len(table.columns))]
    for c, rows in found.items():
        for j, cell in enumerate(cells[c]):
            leaves = {table.rows[i][0][j] for i in rows}
            if words.vocabulary[j] == "label":
                assert all(cell in nodes_of(table.columns[j], leaf) for leaf in leaves)
            else:
                assert leaves <= cell
                assert is_allowed(table, words, j, cell, held[j])
    assert_holds(table, list(found.values()))
    total = Fraction(gone * len(table.columns))
    for c, rows in found.items():
        total += len(rows) * sum((cost(table, words, j, cell) for j, cell in enumerate(cells[c])), Fraction(0))
    assert abs(float(total / (len(table.rows) * len(table.columns))) - solution.loss) < 1e-9


def assert_holds(table: Table, classes: list[list[int]]) -> None:
    """k, l and t, against the rows released."""
    for rows in classes:
        assert members(table, rows) >= table.k
        assert all(is_diverse(table, rows, asked) for asked in table.asked if asked.kind in DIVERSITY)
    for asked in (asked for asked in table.asked if asked.kind not in DIVERSITY):
        counts = [histogram(table, rows, asked.column) for rows in classes]
        reference = criteria.pooled(counts)
        assert all(distance(asked, one, reference) <= asked.value + FAVOUR for one in counts)


def nodes_of(column: Column, leaf: int) -> list[int]:
    """What may be released for a leaf, finest first."""
    return [column.ancestor[level][leaf] for level in range(column.finest, column.coarsest + 1)]


def released(table: Table, words: Words, solution: LocalSolution, c: int) -> tuple[Cell, ...]:
    cells: list[Cell] = []
    for j, column in enumerate(table.columns):
        leaves = range(len(column.ancestor[0]))
        if words.vocabulary[j] == "label":
            cells.append(int(solution.nodes[c, j]))
            continue
        assert solution.nodes[c, j] == -1
        found = solution.sets[j]
        if words.is_text[j]:
            assert found.members is not None
            cells.append(frozenset(leaf for leaf in leaves if int(found.members[c, leaf // 64]) >> (leaf % 64) & 1))
        else:
            assert found.low is not None
            assert found.high is not None
            low, high = int(found.low[c]), int(found.high[c])
            cells.append(frozenset(leaves) if low == -1 else frozenset(range(low, high + 1)))
    return tuple(cells)


def held_in(table: Table, words: Words, j: int) -> list[int]:
    """By leaf, how many units or rows of those not lost hold it."""
    found: list[set[Any]] = [set() for _ in table.columns[j].ancestor[0]]
    for i, (codes, unit, _) in enumerate(table.rows):
        if not is_lost(table, codes):
            found[codes[j]].add(unit if table.units else i)
    return [len(those) for those in found]


def is_numeric(column: Column) -> bool:
    """Whether every node is a range, and none need end at a cut: these trees have no nominal bounds to print there."""
    is_capped = len(column.ancestor) > 1 and len(set(column.ancestor[column.coarsest])) > 1
    return all(list(level) == sorted(level) for level in column.ancestor) and not is_capped


def is_allowed(table: Table, words: Words, j: int, cell: frozenset[int], held: list[int]) -> bool:
    """Whether a set may be released. The trees have no nominal bounds: numbers end where k hold a value, or are `*`."""
    column = table.columns[j]
    leaves = range(len(column.ancestor[0]))
    is_capped = len(column.ancestor) > 1 and len(set(column.ancestor[column.coarsest])) > 1
    if is_capped and len({column.ancestor[column.coarsest][leaf] for leaf in cell}) > 1:
        return False
    if cell == frozenset(leaves):
        return True
    finest = [
        frozenset(x for x in leaves if column.ancestor[column.finest][x] == column.ancestor[column.finest][leaf])
        for leaf in leaves
    ]
    if not all(finest[leaf] <= cell for leaf in cell):
        return False
    if not words.is_text[j]:
        return all(held[end] >= table.k for end in (min(cell), max(cell)))
    good: set[int] = set()
    for level in range(column.finest, column.coarsest + 1):
        for leaf in leaves:
            below = {x for x in leaves if column.ancestor[level][x] == column.ancestor[level][leaf]}
            is_cap = is_capped and level == column.coarsest
            if below <= cell and (is_cap or len(set().union(*(held_by(table, j, x) for x in below))) >= table.k):
                good |= below
    return good == cell


def held_by(table: Table, j: int, leaf: int) -> set[Any]:
    return {
        unit if table.units else i
        for i, (codes, unit, _) in enumerate(table.rows)
        if codes[j] == leaf and not is_lost(table, codes)
    }


def cost(table: Table, words: Words, j: int, cell: Cell) -> Fraction:
    """Values are their codes: numbers lie evenly."""
    if words.vocabulary[j] == "label":
        return table.columns[j].cost[cell]
    leaves = len(table.columns[j].ancestor[0])
    covered = len(cell) - 1 if words.is_text[j] else max(cell) - min(cell)
    return Fraction(covered, max(leaves - 1, 1))


def least_cell(table: Table, words: Words, j: int, leaves: set[int], held: list[int]) -> Fraction | None:
    """The least that a cell over these leaves costs, None if none may be released."""
    column = table.columns[j]
    if words.vocabulary[j] == "label":
        common = [set(nodes_of(column, leaf)) for leaf in leaves]
        shared = set.intersection(*common)
        return min((column.cost[node] for node in shared), default=None)
    every = range(len(column.ancestor[0]))
    cells = [frozenset(x for x in every if bits >> x & 1) for bits in range(1, 1 << len(every))]
    if not words.is_text[j]:
        cells = [frozenset(range(low, high)) for low in every for high in range(low + 1, len(every) + 1)]
    fit = [cell for cell in cells if leaves <= cell and is_allowed(table, words, j, cell, held)]
    return min((cost(table, words, j, cell) for cell in fit), default=None)


def partitions(rows: list[int]) -> Iterator[list[list[int]]]:
    if not rows:
        yield []
        return
    for rest in partitions(rows[1:]):
        yield [[rows[0]], *rest]
        for i, block in enumerate(rest):
            yield [*rest[:i], [rows[0], *block], *rest[i + 1 :]]


def optimum(table: Table, words: Words) -> Fraction | None:
    """The least loss under k of any partition, blocks below k suppressed (as far as the limit goes)."""
    live = [i for i, (codes, _, _) in enumerate(table.rows) if not is_lost(table, codes)]
    held = [held_in(table, words, j) for j in range(len(table.columns))]
    columns, lost = len(table.columns), len(table.rows) - len(live)
    known: dict[frozenset[int], Fraction | None] = {}
    best: Fraction | None = None
    for blocks in partitions(live):
        gone, total = lost, Fraction(0)
        for block in blocks:
            key = frozenset(block)
            if key not in known:
                known[key] = _class_cost(table, words, block, held)
            each = known[key]
            gone += len(block) if each is None else 0
            total += len(block) * (columns if each is None else each)
        if gone <= table.limit and (best is None or total + lost * columns < best):
            best = total + lost * columns
    return None if best is None else best / (len(table.rows) * columns)


def _class_cost(table: Table, words: Words, block: list[int], held: list[list[int]]) -> Fraction | None:
    if members(table, block) < table.k:
        return None
    cells = [
        least_cell(table, words, j, {table.rows[i][0][j] for i in block}, held[j]) for j in range(len(table.columns))
    ]
    return (
        None if any(cell is None for cell in cells) else sum((cell for cell in cells if cell is not None), Fraction(0))
    )


def domain(leaves: int, is_text: bool) -> pl.Series:
    return pl.Series([chr(97 + i) for i in range(leaves)]) if is_text else pl.Series(range(leaves), dtype=pl.Int64)
