"""Patterns that a user brings, on an engine that cannot be made to hang.

Polars runs Rust's regex engine, which is linear in the text but gives no offsets. It can put a mark on either side of
every match, though, and the marks are noncharacters that no text needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import polars as pl

from anonym.errors import Fault, PolicyError
from anonym.text.options import UserPattern
from anonym.text.scanner import Column, Regex
from anonym.text.spans import Span

_OPEN, _CLOSE = "\ufdd1", "\ufdd2"
_NO_MARKS = str.maketrans({_OPEN: "\ufffd", _CLOSE: "\ufffd"})


class UserPatterns:
    """Patterns of a policy. Raises PolicyError with every one that the engine does not take."""

    def __init__(self, patterns: Iterable[UserPattern]) -> None:
        self._patterns = tuple(patterns)
        faults = [fault for pattern in self._patterns for fault in _faults(pattern)]
        if faults:
            raise PolicyError(faults)

    @property
    def expressions(self) -> tuple[Regex, ...]:
        """None: Rust's engine is asked of every row."""
        return ()

    def detect(self, column: Column) -> Iterator[tuple[int, Span]]:
        """Every finding in a column with its row; an empty match is none."""
        for pattern in self._patterns:
            rows = column.holding(pattern.regex)
            texts = pl.Series([column.texts[row].translate(_NO_MARKS) for row in rows], dtype=pl.String)
            marked = texts.str.replace_all(pattern.regex, f"{_OPEN}${{0}}{_CLOSE}").to_list()
            for row, text in zip(rows, marked, strict=True):
                for start, end in _between(text):
                    yield row, Span(start, end, pattern.entity, 0.9, f"user:{pattern.name}")


def _faults(pattern: UserPattern) -> Iterator[Fault]:
    try:
        pl.Series(["a"]).str.contains(pattern.regex)
    except pl.exceptions.ComputeError:
        yield Fault(
            f"text.patterns.{pattern.name}",
            "expected a regular expression in Rust's syntax, without look-around and back-references",
        )


def _between(marked: str) -> Iterator[tuple[int, int]]:
    """Where the marked stretches lie in the text without the marks."""
    marks = 0
    start = marked.find(_OPEN)
    while start >= 0:
        end = marked.index(_CLOSE, start)
        if end - start > 1:
            yield start - marks, end - 1 - marks
        marks += 2
        start = marked.find(_OPEN, end)
