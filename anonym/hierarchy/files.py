"""Hierarchy files: leaf, parent, ..., root on every line; no header."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import polars as pl

from anonym.errors import Fault, PolicyError

ROOT = "*"
SHOWN = 20  # faults listed for one file; a broken file has thousands of the same kind

Line = tuple[int, list[str]]  # line number from 1, cells


@dataclass(frozen=True)
class HierarchyTable:
    """A hierarchy file, checked: every node has one parent, and there is one root, here `*`.

    `rows` is (leaves, levels) String, one row a distinct leaf in the file's order; column `level_0` is the leaf, the
    last column is `*` throughout, and so is every inner cell that repeats the root. An uneven tree repeats the parent.
    """

    rows: pl.DataFrame

    @property
    def levels(self) -> int:
        return self.rows.width

    def labels(self, leaf: str) -> tuple[str, ...] | None:
        """The leaf's label at every level, the leaf first and `*` last; None where the file lacks the leaf."""
        return self._labels.get(leaf)

    def covers(self, label: str, leaf: str) -> bool:
        """Whether a node of this label, at any level, lies over the leaf; `*` lies over unlisted leaves too."""
        return label == ROOT or label in self._labels.get(leaf, ())

    @cached_property
    def _labels(self) -> dict[str, tuple[str, ...]]:
        return {row[0]: row for row in self.rows.iter_rows()}


def read_hierarchy(path: Path) -> HierarchyTable:
    """Read a hierarchy file: UTF-8 (a byte order mark is tolerated), `,` or `;` as on its first line, quotes respected.

    Raises PolicyError with line numbers, and no cell of the file, if it cannot be read, lines differ in length, a
    node has two parents or there are two roots.
    """
    text = _text(path)
    lines = list(_lines(path, text))
    faults = list(_faults(lines))
    if faults:
        more = [f"{len(faults) - SHOWN} more faults of this kind"] if len(faults) > SHOWN else []
        raise _refused(path, faults[:SHOWN] + more)
    root = lines[0][1][-1]
    leaves = {row[0]: (row[0], *(ROOT if label == root else label for label in row[1:])) for _, row in lines}
    columns = zip(*leaves.values(), strict=True)
    return HierarchyTable(pl.DataFrame({f"level_{i}": pl.Series(c, dtype=pl.String) for i, c in enumerate(columns)}))


def _refused(path: Path, faults: list[str]) -> PolicyError:
    return PolicyError(Fault(str(path), fault) for fault in faults)


def _text(path: Path) -> str:
    # Raised outside the handler: a decoding error carries the file's bytes, also as the context of a new error.
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        fault = f"expected a readable hierarchy file, found: {error.strerror or type(error).__name__}"
    except UnicodeDecodeError as error:
        fault = f"expected UTF-8, found another encoding at byte {error.start}"
    raise _refused(path, [fault])


def _lines(path: Path, text: str) -> Iterator[Line]:
    """The lines that are not blank, with their numbers."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(path, text), strict=True)
    while True:
        try:
            row = next(reader, None)
        except csv.Error:
            break
        if row is None:
            return
        if row:
            yield reader.line_num, row
    raise _refused(path, [f"line {reader.line_num}: expected cells that are quoted in full or not at all"])


def _separator(path: Path, text: str) -> str:
    comma, semicolon = _width(text, ","), _width(text, ";")
    if comma == semicolon:
        found = "neither" if comma < 2 else "as many of one as of the other: quote the cells that hold them"
        raise _refused(path, [f"expected `,` or `;` between the cells of the first line, found {found}"])
    return "," if comma > semicolon else ";"


def _width(text: str, separator: str) -> int:
    try:
        return len(next(filter(None, csv.reader(io.StringIO(text, newline=""), delimiter=separator)), ()))
    except csv.Error:
        return 0


def _faults(lines: list[Line]) -> Iterator[str]:
    width = len(lines[0][1])
    uneven = [
        f"line {n}: expected {width} cells as on the first line, found {len(r)}" for n, r in lines if len(r) != width
    ]
    if uneven:
        yield from uneven  # positions mean nothing until these are mended
        return
    root = lines[0][1][-1]
    yield from (f"line {n}: expected the root of the first line in the last cell" for n, r in lines if r[-1] != root)
    for level in range(width - 1):
        yield from _two_parents(lines, level, is_last=level == width - 2)


def _two_parents(lines: list[Line], level: int, *, is_last: bool) -> Iterator[str]:
    """Nodes of one level that lie under two nodes of the next. The last level's parent, the root, is checked apart."""
    if is_last:
        return
    parents: dict[str, tuple[str, int]] = {}
    tops = {ROOT, lines[0][1][-1]}
    for number, row in lines:
        parent, first = parents.setdefault(row[level], (row[level + 1], number))
        if parent != row[level + 1]:
            yield f"line {number}, cell {level + 1}: expected the parent that line {first} gives, found another"
        elif level and row[level] in tops and row[level + 1] not in tops:
            yield f"line {number}, cell {level + 1}: expected the root above the root, found another node"
