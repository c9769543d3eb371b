"""A batch of a warehouse as verification sees a release: the class, the sensitive value and the unit of each row."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from anonym.report.left_in_text import left_in

MARK = "suppressed"  # the column that `action: mask` adds
ADDRESS = r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}"
TOKEN = "^[0-9a-f]{32}$"
TEXTS = 5_000  # read at once


@dataclass(frozen=True)
class Wanted:
    """What is read of a batch. `quasi` ends with the columns that the release did not have: `added`."""

    quasi: tuple[str, ...]
    added: tuple[str, ...]
    column: str | None
    unit: str | None
    masks: bool
    missing: tuple[str, ...]

    @staticmethod
    def of(given: Mapping[str, Any], columns: Sequence[str]) -> Wanted:
        """From an expectation's arguments and the batch's columns."""
        released, there = list(given["released"]), [str(name) for name in columns]
        masks = bool(given.get("masks"))
        ours = {*released, MARK} if masks else set(released)
        added = tuple(name for name in there if name not in ours)
        column, unit = given.get("column"), given.get("unit")
        needed = [*given["quasi"], *(name for name in (column, unit) if name), *([MARK] if masks else [])]
        missing = tuple(name for name in dict.fromkeys(needed) if name not in there)
        return Wanted((*given["quasi"], *added), added, column, unit, masks, missing)


@dataclass(frozen=True)
class Rows:
    """A row for each counted row of the batch: `q0`, `q1`, … tell its class, `value` and `unit` where asked for."""

    frame: pl.DataFrame
    added: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def classes(self) -> list[str]:
        return [name for name in self.frame.columns if name.startswith("q")]


def rows_of_pandas(table: Any, wanted: Wanted) -> Rows:
    """From a pandas frame."""
    if wanted.missing:
        return Rows(pl.DataFrame(), wanted.added, wanted.missing)
    named = {f"q{place}": name for place, name in enumerate(wanted.quasi)}
    named |= {key: name for key, name in (("value", wanted.column), ("unit", wanted.unit)) if name}
    frame = pl.DataFrame({key: pl.from_pandas(table[name], nan_to_null=True) for key, name in named.items()})
    if wanted.masks:
        emptied = pl.Series(MARK, table[MARK].fillna(False).astype(bool).to_numpy())
        frame = frame.filter(~emptied)
    return Rows(frame, wanted.added)


def rows_of_sql(engine: Any, table: Any, wanted: Wanted) -> Rows:
    """From a table of a database: classes and units as ranks, counted there."""
    import sqlalchemy as sa

    if wanted.missing:
        return Rows(pl.DataFrame(), wanted.added, wanted.missing)
    rank = sa.func.dense_rank()
    parts = [rank.over(order_by=[sa.column(name) for name in wanted.quasi]).label("q0")]
    if wanted.column:
        parts.append(sa.column(wanted.column).label("value"))
    if wanted.unit:
        parts.append(rank.over(order_by=sa.column(wanted.unit)).label("unit"))
    rows = sa.select(*parts).select_from(table)
    if wanted.masks:
        rows = rows.where(sa.func.coalesce(sa.column(MARK), sa.false()) == sa.false())
    ranked = rows.subquery()
    counted = sa.select(*ranked.c, sa.func.count().label("rows")).group_by(*ranked.c)
    found = _fetched(engine, counted)
    names = [*(column.name for column in ranked.c), "rows"]
    tallied = pl.DataFrame(
        {name: pl.Series(name, [row[place] for row in found], strict=False) for place, name in enumerate(names)}
    )
    return Rows(_repeated(tallied), wanted.added)


def _fetched(engine: Any, query: Any) -> Sequence[Any]:
    """The rows of a query, read while its connection is open: DuckDB has none afterwards."""
    with engine.get_connection() as connection:
        return list(connection.execute(query).fetchall())


def _repeated(tallied: pl.DataFrame) -> pl.DataFrame:
    """Each line as often as its `rows` says."""
    if not tallied.height:
        return tallied.drop("rows")
    lines = np.repeat(np.arange(tallied.height), tallied["rows"].to_numpy())
    return tallied.drop("rows")[lines]


# identifiers ---------------------------------------------------------------------------------------------------------

Left = dict[str, Any]
Texts = Callable[[str], Iterator[Sequence[str]]]
"""The texts of a column, some at a time."""


def left_in_pandas(table: Any, given: Mapping[str, Any], columns: Sequence[str]) -> Left:
    """What looks like an identifier, by column: counts of cells. Empty where nothing is left."""
    searched = _searched(given, columns)
    found = {name: _matching(table[name], re.compile(ADDRESS), whole=False) for name in searched}
    odd = {name: _matching(table[name], re.compile(TOKEN), whole=True) for name in _there(given["tokens"], columns)}
    marks = {name: int(table[name].nunique()) for name in _there(given["redacted"], columns)}

    def texts(name: str) -> Iterator[Sequence[str]]:
        there = [text for text in table[name].dropna() if isinstance(text, str)]
        return (there[start : start + TEXTS] for start in range(0, len(there), TEXTS))

    return _left(given, columns, found, odd, marks, texts)


def _matching(series: Any, pattern: re.Pattern[str], *, whole: bool) -> int:
    """Cells that hold the pattern; with `whole`, cells that are not it as a whole."""
    texts = series.dropna()
    return sum(bool(pattern.search(text)) != whole for text in texts if isinstance(text, str))


def left_in_sql(engine: Any, table: Any, given: Mapping[str, Any], columns: Sequence[str]) -> Left:
    """The same, counted in the database; texts are read from it, as their rules are not SQL."""
    import sqlalchemy as sa

    def holds(name: str, pattern: str) -> Any:
        text = sa.cast(sa.column(name), sa.String)
        partly = engine.dialect_name == "duckdb"  # its `~` matches whole texts
        return sa.func.regexp_matches(text, pattern) if partly else text.regexp_match(pattern)

    def cells(condition: Any) -> Any:
        return sa.func.sum(sa.case((condition, 1), else_=0))

    def texts(name: str) -> Iterator[Sequence[str]]:
        text = sa.select(sa.cast(sa.column(name), sa.String).label("text")).select_from(table).subquery()
        with engine.get_connection() as connection:
            told = sa.select(text).where(text.c.text.is_not(None)).execution_options(stream_results=True)
            result = connection.execute(told)
            while rows := result.fetchmany(TEXTS):
                yield [row[0] for row in rows]

    searched, tokens = _searched(given, columns), _there(given["tokens"], columns)
    redacted = _there(given["redacted"], columns)
    asked = [cells(holds(name, ADDRESS)) for name in searched]
    asked += [cells(sa.not_(holds(name, TOKEN))) for name in tokens]
    asked += [sa.func.count(sa.distinct(sa.column(name))) for name in redacted]
    row = _fetched(engine, sa.select(*asked).select_from(table))[0] if asked else ()
    counts = [int(count or 0) for count in row]
    middle, last = len(searched), len(searched) + len(tokens)
    found, odd = dict(zip(searched, counts[:middle], strict=True)), dict(zip(tokens, counts[middle:last], strict=True))
    return _left(given, columns, found, odd, dict(zip(redacted, counts[last:], strict=True)), texts)


def _searched(given: Mapping[str, Any], columns: Sequence[str]) -> list[str]:
    """The columns searched for addresses; rules find those of texts among the rest."""
    apart = (*given["unsearched"], *given["texts"])
    return [str(name) for name in columns if name not in apart]


def _there(names: Sequence[str], columns: Sequence[str]) -> list[str]:
    return [name for name in names if name in columns]


def _left(
    given: Mapping[str, Any],
    columns: Sequence[str],
    found: Mapping[str, int],
    odd: Mapping[str, int],
    marks: Mapping[str, int],
    texts: Texts,
) -> Left:
    gone = {name.casefold() for name in given["gone"]}
    ruled = {name: left_in(texts(name), given["rules"]) for name in _there(given["texts"], columns)}
    parts: Iterator[tuple[str, Any]] = iter(
        (
            ("columns_not_dropped", [str(name) for name in columns if str(name).casefold() in gone]),
            ("cells_with_addresses", {name: count for name, count in found.items() if count}),
            ("texts_with_identifiers", {name: counts for name, counts in ruled.items() if counts}),
            ("cells_that_are_no_tokens", {name: count for name, count in odd.items() if count}),
            ("marks_in_redacted", {name: count for name, count in marks.items() if count > 1}),
        )
    )
    return {key: part for key, part in parts if part}
