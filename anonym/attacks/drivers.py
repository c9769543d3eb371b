"""Drivers of uniqueness: which columns, and which few of them together, make people unique.

A minimal sample unique is a set of values that one person has alone, none of them to spare. Found as by SUDA2 (Manning,
Haglin and Keane 2008), here breadth first over the sets of columns: who is unique on a set and on no set one smaller.
Small sets weigh more: one of s columns scores (m - s)(m - s - 1)..., down to m - M, of m columns and sets of up to M
(Elliot, Manning and Ford 2002).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.attacks.matching import classes, groups, numbered
from anonym.attacks.outcome import AttackResult, Counts, Trial, judge
from anonym.attacks.subgroup import worst_of

MOST_SETS = 2_000  # sets of columns looked at; larger sets than fit are left out
LARGEST = 5  # columns of a set

Set = tuple[int, ...]


@dataclass(frozen=True)
class Uniques:
    """Minimal sample uniques: by set of columns the people who have one. `alone` are unique on all columns together."""

    found: dict[Set, NDArray[np.int64]]
    people: int
    alone: int
    largest: int


WITHOUT = {
    "false_accepts": "classes are counted, nobody is named",
    "baseline": "a description of the release: nothing is guessed",
    "control": "a description of the release: nobody else takes part",
}


def drivers(
    frame: pl.DataFrame,
    columns: Sequence[str],
    *,
    unit: str | None,
    seed: int | None,
    raw: tuple[pl.DataFrame, Sequence[str]] | None = None,
) -> AttackResult:
    """The share of people with a minimal sample unique, and by column its share of the score of all of them (null where
    nobody has one). Sets of up to `largest_set` columns are looked at; `unique_on_all` are unique on all columns.

    `frame` is a release (or the table before it); a null is a value of its own. Never judged: it says why, not whether.
    `raw` is the table before the release with its columns of the same meaning: the share unique on all of them, which
    is the share with a minimal unique of any size, is the positive control.
    """
    uniques = minimal_uniques(frame, columns, unit=unit)
    singled = np.unique(np.concatenate([np.zeros(0, np.int64), *uniques.found.values()]))
    scores = {
        names: len(rows) * weight(len(names), len(columns), uniques.largest) for names, rows in uniques.found.items()
    }
    total = sum(scores.values())
    detail = {
        "largest_set": uniques.largest,
        "unique_on_all": uniques.alone,
        "uniques": {
            size: sum(len(r) for s, r in uniques.found.items() if len(s) == size)
            for size in range(1, uniques.largest + 1)
        },
        "contribution": {
            name: sum(score for names, score in scores.items() if i in names) / total if total else None
            for i, name in enumerate(columns)
        },
        "worst_subgroup": _worst(frame, columns, unit, singled),
    }
    tried = uniques.people if uniques.largest or not uniques.alone else 0  # more columns than sets are looked at
    counts = Counts(uniques.people, tried, len(singled))
    knows, positive = tuple(columns), None if raw is None else _unique_share(*raw, unit)
    trial = Trial("drivers of uniqueness", knows, counts, None, None, None, positive, seed, detail, WITHOUT)
    return judge(trial)


def _unique_share(frame: pl.DataFrame, columns: Sequence[str], unit: str | None) -> float:
    """Of the people in a table of one row or more, who has values that nobody else has."""
    who = numbered(frame, unit).cast(pl.Int64)
    rows = pl.DataFrame({"0": classes(frame, columns), "person": who})
    return len(_alone(rows, range(1))) / who.n_unique()


def weight(size: int, columns: int, largest: int) -> int:
    """The score of a minimal sample unique of `size` columns of `columns`."""
    return math.prod(columns - i for i in range(size, min(largest, columns - 1) + 1))


def minimal_uniques(
    frame: pl.DataFrame, columns: Sequence[str], *, unit: str | None, largest: int = LARGEST, most: int = MOST_SETS
) -> Uniques:
    """All minimal sample uniques of up to `largest` columns, or of as many as make `most` sets.

    With a unit a value is unique if one unit has it, in however many rows; rows are then numbered by unit.
    """
    who = numbered(frame, unit)
    codes = pl.DataFrame([classes(frame, [name]).alias(str(i)) for i, name in enumerate(columns)])
    rows = codes.with_columns(person=who.cast(pl.Int64))
    everyone = int(who.n_unique())
    alone = set(_alone(rows, range(len(columns))).tolist())
    largest = _affordable(len(columns), largest, most) if alone else 0
    below: dict[Set, set[int]] = {(): set()}
    found: dict[Set, NDArray[np.int64]] = {}
    for size in range(1, largest + 1):
        here: dict[Set, set[int]] = {}
        for names in combinations(range(len(columns)), size):
            here[names] = set(_alone(rows, names).tolist())
            smaller = (below[tuple(i for i in names if i != left)] for left in names) if size > 1 else ()
            if minimal := here[names].difference(*smaller):
                found[names] = np.array(sorted(minimal), np.int64)
        below = here
    return Uniques(found, everyone, len(alone), largest)


def _alone(rows: pl.DataFrame, names: Sequence[int] | range) -> NDArray[np.int64]:
    """Who has some values of these columns that nobody else has."""
    groups = (
        rows.lazy().group_by([str(i) for i in names]).agg(first=pl.col("person").min(), last=pl.col("person").max())
    )
    return groups.filter(pl.col("first") == pl.col("last")).select("first").unique().collect().to_series().to_numpy()


def _affordable(columns: int, largest: int, most: int) -> int:
    size, sets = 0, 0
    while size < min(largest, columns) and sets + math.comb(columns, size + 1) <= most:
        size += 1
        sets += math.comb(columns, size)
    return size


def _worst(
    frame: pl.DataFrame, columns: Sequence[str], unit: str | None, singled: NDArray[np.int64]
) -> dict[str, object] | None:
    everyone = pl.DataFrame({"person": numbered(frame, unit).unique().sort()})
    is_single = everyone["person"].cast(pl.Int64).is_in(pl.Series(singled, dtype=pl.Int64).implode())
    return worst_of(
        everyone.with_columns(success=is_single.cast(pl.Float64)),
        groups(frame, {name: [name] for name in columns}, unit),
    )
