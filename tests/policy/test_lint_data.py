"""Notes on data, by name: what is said, and that nothing is said of a sound column."""

from __future__ import annotations

from decimal import Decimal as D
from typing import Any

import polars as pl
import pytest

from anonym.hierarchy.build import build
from anonym.hierarchy.encode import domain
from anonym.hierarchy.model import Auto, Declaration, Identity, Interval, Prefix, Suppress
from anonym.policy.lint_data import of_kept, of_quasi
from anonym.policy.model import Quasi

AGES = pl.Series([20, 20, 20, 34, 34, 34, 51, 51, 51])

CASES: dict[str, tuple[pl.Series, Declaration, dict[str, Any], list[str]]] = {
    "nothing to say": (AGES, Interval((D(30),)), {}, []),
    "a level that changes nothing": (
        AGES,
        Interval((D(10), D(30))),
        {},
        ["level 1 changes nothing here: 3 groups, as at level 0"],
    ),
    "a first step that merges everything": (
        AGES,
        Interval((D(100),)),
        {},
        ["level 1 merges all 3 values into one: no finer step is left to the search"],
    ),
    "a top that bites nobody": (AGES, Interval((D(30),)), {"top": D(90)}, ["top 90 bites nobody: no value lies there"]),
    "a bottom that bites nobody": (
        AGES,
        Interval((D(30),)),
        {"bottom": D(5)},
        ["bottom 5 bites nobody: no value lies there"],
    ),
    "a top that takes all": (AGES, Suppress(), {"top": D(20)}, ["top 20 takes all values: nothing else is left"]),
    "an end that bites": (AGES, Suppress(), {"top": D(50), "bottom": D(20)}, []),
    "rare values": (
        pl.Series(["aa", "aa", "aa", "ab", "ac", "ac"]),
        Suppress(),
        {},
        ["1 of its 3 values are held by one row only, 2 by fewer than k"],
    ),
    "a value each": (
        pl.Series(["x1", "y2", "z3"]),
        Prefix((1,)),
        {},
        [
            "each of its 3 values is held by one row only: it identifies; consider role identifier",
            "level 1 changes nothing here: 3 groups, as at level 0",
        ],
    ),
    "nulls only": (pl.Series([None, None], dtype=pl.Int64), Suppress(), {}, ["it has no values: every row is null"]),
    "nulls are left aside": (
        pl.Series(["a"] * 4 + ["b"] * 4 + [None]),
        Suppress(),
        {},
        [],
    ),
    "no hierarchy": (AGES, Identity(), {}, []),
    "auto": (AGES, Auto(), {}, []),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_said_of_a_column(case: str) -> None:
    column, declared, options, expected = CASES[case]
    counts = domain(column.alias("c").to_frame().lazy(), "c", column.dtype)
    hierarchy = build("c", declared, counts["value"], rows=counts["rows"], k=3, **options)
    assert list(of_quasi(Quasi(declared, **options), hierarchy, counts["rows"], 3, "row")) == expected


KEPT = {
    "one to one": ([1, 1, 1, 1], 1),
    "mostly": ([1, 1, 1, 2], 1),
    "by half": ([1, 1, 2, 2], 0),
    "two plans": ([1], 0),
    "free of it": ([7, 9, 8, 5], 0),
}


@pytest.mark.parametrize("case", KEPT)
def test_a_kept_column_that_tells_an_identifier(case: str) -> None:
    identifiers, notes = KEPT[case]
    found = list(of_kept(pl.DataFrame({"identifiers": identifiers}), "email", 3))
    assert len(found) == notes
    assert all("identifier email only" in note for note in found)
