"""The records of a problem as arrays for the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from anonym.search.lattice import pack
from anonym.search.local.atoms import KINDS as COLUMN_KINDS
from anonym.search.local.atoms import Atoms, atoms_of
from anonym.search.local.price import AT, FIELDS, FIRST_PAIR, HEAD, MORE, SIZE
from anonym.search.local.promises import Promise, promise_of
from anonym.search.local.records import Records, Vocabulary
from anonym.search.local.world import (
    COLUMNS,
    COUNT,
    DICE,
    FIRST,
    FREE,
    GONE,
    KINDS,
    LOOK,
    LOSS,
    MADE,
    MAY_GO,
    PLACE,
    ROWS,
    RULE,
    RULE_FIELDS,
    RULES,
    SLOTS,
    SPARE,
    SPARES,
    STRICT,
    TUPLES,
    UNUSED,
    WIDTH,
    K,
    World,
)
from anonym.search.problem import Problem

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]

ITEMS_LEAST, ITEMS_EACH = 1_024, 16  # room of a pool, at least and for each row of k
GOLDEN = 0x9E3779B97F4A7C15


@dataclass(frozen=True)
class Space:
    """Distinct tuples with their rows, sorted by part, then code, then bins, and the tables of `price`."""

    code: Codes  # (tuples, columns) atoms, columns in the order of their kinds
    tab: Codes
    rows: Ints  # (tuples,)
    part: Codes  # (tuples,) tuples of different parts never share a class
    promise: Promise
    width: int  # of a slot, without its histogram

    @property
    def count(self) -> int:
        return int(self.rows.size)

    def of(self, tuples: Ints, rows: Ints | None = None) -> Space:
        """Some of the tuples, with all their rows or with those given."""
        return replace(
            self,
            code=np.ascontiguousarray(self.code[tuples]),
            rows=self.rows[tuples] if rows is None else rows,
            part=self.part[tuples],
            promise=self.promise.of(tuples),
        )


@dataclass(frozen=True)
class Layout:
    """The space of all records, and the way back to them."""

    space: Space
    columns: tuple[Atoms, ...]  # of the problem, in its order
    order: tuple[int, ...]  # which of them stands where in `space.code`
    tuple_of: Ints  # (records,)
    gone: int  # what a suppressed row costs, in fixed point


def layout(problem: Problem, records: Records, vocabulary: Sequence[Vocabulary]) -> Layout:
    columns = _columns(problem, vocabulary)
    order = tuple(sorted(range(len(columns)), key=lambda j: COLUMN_KINDS.index(columns[j].kind)))
    tab, width = _tables([columns[j] for j in order])
    promise = promise_of(problem, records)
    codes = [columns[j].atom[records.codes[:, j]] for j in order]
    caps = [column.cap[records.codes[:, j]] for j, column in enumerate(columns) if np.unique(column.cap).size > 1]
    sort, first = sorted_groups([*caps, *codes, *promise.bins.T], records.count)
    tuple_of = _by_group(sort, first)
    at = sort[first]
    table = np.stack(codes, axis=1) if codes else np.empty((records.count, 0), np.int32)
    space = Space(
        code=np.ascontiguousarray(table[at]),
        tab=tab,
        rows=np.bincount(tuple_of, weights=records.rows).astype(np.int64),
        part=_numbered([cap[at] for cap in caps], at.size),
        promise=promise.of(at),
        width=width,
    )
    return Layout(space, columns, order, tuple_of, sum(_whole(column) for column in columns))


def parts_of(part: Codes) -> list[Ints]:
    """The places of each part in a list sorted by it."""
    return np.split(np.arange(part.size), np.flatnonzero(part[1:] != part[:-1]) + 1) if part.size else []


def world_of(space: Space, near: Codes, k: int, limit: int, gone: int, seed: int, look: int) -> World:
    """The space without classes, ready for moves that look at so many near tuples each.

    `gone` is what a suppressed row costs, `limit` how many may be.
    """
    promise, total = space.promise, int(space.rows.sum())
    items = max(ITEMS_LEAST, ITEMS_EACH * k)
    classes = total // k + MADE
    entries = min(total, space.count + 4 * items + total // 2) + 4 * items
    code = np.zeros((space.count + items, space.code.shape[1] + promise.bins.shape[1] + 1), np.int32)
    code[: space.count] = np.concatenate([space.code, promise.bins, promise.kinds[:, None]], axis=1)
    kinds = int(promise.kinds.max(initial=-1)) + 1
    links = np.full((max(entries, classes + 1, space.count), 16), -1, np.int64)
    _empty(links, classes, entries, gone)
    rules = len(promise.rules)
    state = np.zeros(RULE + RULE_FIELDS * rules, np.int64)
    state[[UNUSED, SPARES, K, MAY_GO, LOOK]] = classes, entries, k, limit, look
    state[STRICT] = k
    state[[COLUMNS, TUPLES, WIDTH, RULES, KINDS]] = space.code.shape[1], space.count, space.width, rules, kinds
    state[DICE] = np.array([(2 * seed + 1) * GOLDEN % 2**64], np.uint64).view(np.int64)[0]
    state[RULE:] = np.array(promise.rules, np.int64).reshape(-1)
    real = np.concatenate([np.array(promise.limits, np.float64).reshape(-1), promise.ref, np.full(2 * kinds, -1.0)])
    slots = np.zeros((int(SLOTS) + classes + 1, space.width + promise.ref.size), np.int32)
    return World(code, space.tab, slots, near, links, np.zeros((2 * items, 16), np.int64), state, real)


def _empty(links: Ints, classes: int, entries: int, gone: int) -> None:
    links[:, [COUNT, FIRST, ROWS, LOSS, PLACE]] = 0, -1, 0, 0, -1
    links[:classes, FREE] = np.arange(classes, 0, -1)
    links[:entries, SPARE] = np.arange(entries - 1, -1, -1)
    links[GONE, LOSS] = gone


def _columns(problem: Problem, vocabulary: Sequence[Vocabulary]) -> tuple[Atoms, ...]:
    weights = np.asarray(problem.weights or (1.0,) * len(problem.hierarchies), np.float64)
    heaviest = float(weights.max(initial=0.0))
    weights = weights / heaviest if heaviest > 0 else np.ones(weights.size)
    columns = []
    for j, (hierarchy, words) in enumerate(zip(problem.hierarchies, vocabulary, strict=True)):
        columns.append(atoms_of(hierarchy, words, problem.cells, j, problem.k, float(weights[j])))
    return tuple(columns)


def _whole(column: Atoms) -> int:
    """What `*` costs in a column."""
    return column.unit * (column.cap.size - 1) if column.kind == "member" else column.unit


def _tables(columns: Sequence[Atoms]) -> tuple[Codes, int]:
    """`tab` for columns in the order of their kinds, and the width of a slot."""
    kinds = [COLUMN_KINDS.index(column.kind) for column in columns]
    head = np.zeros(HEAD + FIELDS * len(columns), np.int32)
    head[:HEAD] = len(columns), *np.searchsorted(kinds, [0, 1, 2], side="right")
    parts: list[Codes] = [head]
    filled, width = head.size, FIRST_PAIR + 2 * len(columns)
    for j, column in enumerate(columns):
        at, more, lists = filled, filled + column.table.size, column.more.copy()
        if column.kind == "member":
            at = width
            width += column.cap.size
            lists[: column.cap.size + 1] += more
        col = HEAD + FIELDS * j
        head[[col + AT, col + MORE]] = at, more
        head[col + SIZE] = column.table.shape[1] if column.kind in ("pair", "path") else column.unit
        parts += [column.table.reshape(-1), lists]
        filled += column.table.size + lists.size
    return np.concatenate(parts).astype(np.int32), width


def numbered(keys: Sequence[Codes], count: int) -> Ints:
    """(records,) the number of each among those of different keys."""
    return _by_group(*sorted_groups(keys, count))


def _by_group(sort: Ints, first: NDArray[np.bool_]) -> Ints:
    number = np.empty(sort.size, np.int64)
    number[sort] = np.cumsum(first) - 1
    return number


def sorted_groups(keys: Sequence[Codes], count: int) -> tuple[Ints, NDArray[np.bool_]]:
    """(order of the records, whether each in that order is the first of its equals)."""
    if not keys:
        return np.arange(count), np.arange(count) == 0
    return grouped(packed(keys))


def packed(keys: Sequence[Codes]) -> list[Ints]:
    """Words that order as the keys do."""
    lowest = [int(key.min(initial=0)) for key in keys]
    shifted = [key - low for key, low in zip(keys, lowest, strict=True)]
    return pack(shifted, [int(key.max(initial=0)) + 1 for key in shifted])


def grouped(words: Sequence[Ints]) -> tuple[Ints, NDArray[np.bool_]]:
    """As `sorted_groups`, by words, most significant first."""
    sort = sorted_by(words)
    first = np.zeros(sort.size, np.bool_)
    first[:1] = True
    for word in words:
        inside = word[sort]
        first[1:] |= inside[1:] != inside[:-1]
    return sort, first


def sorted_by(words: Sequence[Ints] | Sequence[NDArray[np.uint64]]) -> Ints:
    """The order by words, most significant first; equal ones stay in order. Sorting by the first word, then its ties,
    takes a third of the time of `np.lexsort` where ties are few."""
    sort = np.argsort(words[0])
    inside = words[0][sort]
    is_tied = np.zeros(sort.size, np.bool_)
    is_tied[1:] = inside[1:] == inside[:-1]
    is_tied[:-1] |= is_tied[1:]
    tied = np.sort(sort[is_tied])
    sort[is_tied] = tied[np.lexsort([word[tied] for word in reversed(words)])]
    return sort


def _numbered(caps: Sequence[Codes], count: int) -> Codes:
    """(tuples,) number of the combination of caps. Tuples are sorted by it."""
    fresh = np.zeros(count, np.bool_)
    for cap in caps:
        fresh[1:] |= cap[1:] != cap[:-1]
    return np.cumsum(fresh).astype(np.int32)
