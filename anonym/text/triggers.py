"""Which texts of a column a rule must see: triggers in Rust's syntax, evaluated by Polars where they could match.

A hundred regular expressions over a column cost more than all else, and one made of them all costs more still (its
automaton outgrows its cache: 9 s a megabyte against 0.25). So every trigger is first asked what each of its matches
must hold, some literals or so many digits. One Aho-Corasick pass finds the literals of all triggers, and a trigger is
evaluated on the rows that hold what it needs, in half the time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.text.syntax import Need, needs, widest

FEW = 20_000
"""Characters of a trigger's rows up to which it counts as fired: reading them takes a rule less time than compiling the
trigger takes Polars."""

LONGEST_RUN = 16
"""Digits in a row up to which runs are told apart."""

_ALIKE = "[ſıİ\u212a]"  # the case of an ASCII letter for a regular expression, and not for `to_lowercase`


def column_trigger(trigger: str) -> str:
    """A trigger as Polars is given it: with ASCII word boundaries, twice as fast over a column, true wherever Unicode's
    are beside an ASCII character, and now and then where they are not, which only shows a row to its rule in vain.
    """
    return trigger.replace(r"\b", r"(?-u:\b)")


SEGMENT, OVERLAP = 512, 160
"""Characters of the pieces in which long texts are shown to triggers, so that one fires for a part of a text, and how
many two neighbours share: more than any match of a trigger that is shown pieces."""


class Column:
    """Texts (no nulls) with the places in which each trigger fired."""

    def __init__(self, texts: Sequence[str], triggers: Iterable[str]) -> None:
        self.texts = list(texts)
        asked = [trigger for trigger in dict.fromkeys(triggers) if trigger]
        self._segments = [(row, *piece) for row, text in enumerate(self.texts) for piece in _segments(len(text))]
        self._fired: dict[str, list[int]] = {}
        if sum(map(len, self.texts)) > FEW:
            local = [trigger for trigger in asked if widest(trigger) < OVERLAP - 1]
            self._fired = dict(_fired([self.texts[row][start:end] for row, start, end in self._segments], local))
            self._fired |= self._of_rows(dict(_fired(self.texts, [each for each in asked if each not in self._fired])))

    def _of_rows(self, fired: Mapping[str, Sequence[int]]) -> dict[str, list[int]]:
        """As segments, the rows in which triggers fired that are too wide for segments."""
        rows = {trigger: set(members) for trigger, members in fired.items()}
        return {
            trigger: [place for place, (row, _, _) in enumerate(self._segments) if row in members]
            for trigger, members in rows.items()
        }

    def rows(self, trigger: str) -> list[int]:
        """Rows in which `trigger` (Rust syntax; empty: every row) matches, and perhaps others where there are few."""
        return list(dict.fromkeys(row for row, _, _ in self._where(trigger)))

    def places(self, trigger: str) -> tuple[list[int], dict[int, list[tuple[int, int]]]]:
        """The short rows among those, and the stretches of long ones in which a match of the trigger lies."""
        short: list[int] = []
        long: dict[int, list[tuple[int, int]]] = {}
        for row, start, end in self._where(trigger):
            if end - start == len(self.texts[row]):
                short.append(row)
            else:
                long.setdefault(row, []).append((start, end))
        return short, long

    def _where(self, trigger: str) -> Sequence[tuple[int, int, int]]:
        if trigger not in self._fired:
            return self._segments
        return [self._segments[place] for place in self._fired[trigger]]

    def holding(self, regex: str) -> list[int]:
        """Rows in which `regex` (Rust syntax) matches, exactly."""
        rows: list[int] = pl.Series(self.texts, dtype=pl.String).str.contains(regex).arg_true().to_list()
        return rows


def _segments(length: int) -> Iterator[tuple[int, int]]:
    start = 0
    while start + SEGMENT + OVERLAP < length:
        yield start, start + SEGMENT + OVERLAP
        start += SEGMENT
    yield start, length


def _fired(texts: Sequence[str], triggers: Sequence[str]) -> Iterator[tuple[str, list[int]]]:
    column = pl.Series(texts, dtype=pl.String)
    candidates = _candidates(column, triggers)
    lengths = column.str.len_chars().to_numpy()
    asked = [trigger for trigger in triggers if lengths[candidates[trigger]].sum() > FEW]
    fired = column.to_frame("text").select(
        pl.lit(pl.Series(candidates[trigger]))
        .filter(pl.col("text").gather(candidates[trigger]).str.contains(trigger))
        .implode()
        .alias(str(place))
        for place, trigger in enumerate(asked)
    )
    found = dict(zip(asked, fired.row(0), strict=True)) if asked else {}
    for trigger in triggers:
        yield trigger, found[trigger] if trigger in found else candidates[trigger].tolist()


def _candidates(column: pl.Series, triggers: Sequence[str]) -> dict[str, NDArray[np.int64]]:
    """By trigger, in order, the rows that hold what it needs."""
    digits = column.str.count_matches(r"\d").to_numpy()
    runs = _runs(column, digits)
    rows_of = _holding(column, {need.literals for trigger in triggers for need in needs(trigger)})

    def meeting(need: Need) -> NDArray[np.int64]:
        rows = rows_of[need.literals]
        return rows[(digits[rows] >= need.digits) & (runs[rows] >= min(need.run, LONGEST_RUN))]

    return {trigger: _united([meeting(need) for need in needs(trigger)]) for trigger in triggers}


def _runs(column: pl.Series, digits: NDArray[np.uint32]) -> NDArray[np.int64]:
    """The length of the longest run of digits in each row, told apart up to `LONGEST_RUN`."""
    runs = np.minimum(digits, 1).astype(np.int64)
    rows = np.flatnonzero(digits)
    for length in range(2, LONGEST_RUN + 1):
        rows = rows[column.gather(rows).str.contains(rf"\d{{{length}}}").to_numpy()]
        runs[rows] = length
    return runs


def _united(parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    return parts[0] if len(parts) == 1 else np.unique(np.concatenate(parts))


def _holding(column: pl.Series, sets: set[frozenset[str]]) -> Mapping[frozenset[str], NDArray[np.int64]]:
    """By set, in order, the rows that hold one of its literals in any case; all rows for the empty set."""
    rows_of = dict.fromkeys(sets, np.arange(0))
    rows_of[frozenset()] = np.arange(len(column))
    numbered = list(rows_of)
    owners = pl.DataFrame(
        [(literal, number) for number, literals in enumerate(numbered) for literal in literals],
        schema={"literal": pl.String, "set": pl.UInt32},
        orient="row",
    )
    if not owners.height:
        return rows_of
    literals = owners["literal"].unique().to_list()
    found = pl.DataFrame({"literal": column.str.to_lowercase().str.extract_many(literals, overlapping=True)})
    if (column.str.len_bytes() > column.str.len_chars()).any():  # a letter like K, the Kelvin sign: as if all were held
        alike = column.str.contains(_ALIKE)
        found = found.with_columns(pl.when(alike).then(pl.lit(literals)).otherwise("literal").alias("literal"))
    pairs = found.with_row_index("row").explode("literal").drop_nulls().join(owners, on="literal")
    for number, rows in pairs.select("set", "row").unique().sort("row").group_by("set").agg("row").iter_rows():
        rows_of[numbered[number]] = np.asarray(rows, dtype=np.int64)
    return rows_of
