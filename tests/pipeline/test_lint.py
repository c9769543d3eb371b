"""What a careful reviewer would say, item by item: of a table that calls for it, and not of one that does not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

from anonym import Policy
from anonym.errors import PolicyError

Run = Callable[..., tuple[int, str, str]]

N = 60
PEOPLE = [f"canary-{i // 2:03d}" for i in range(N)]  # two rows each
TENS = {"hierarchy": {"interval": [10, 50]}}

# column, what calls for the note, what does not, and the note
ITEMS: dict[str, tuple[dict[str, Any], list[Any], list[Any], str]] = {
    "a level that changes nothing": (
        TENS,
        [10 * (i % 4) for i in range(N)],
        [i % 40 for i in range(0, 2 * N, 2)],
        "columns.c: level 1 changes nothing here: 4 groups, as at level 0",
    ),
    "a first step that merges everything": (
        {"hierarchy": {"interval": [100, 200]}},
        [i % 40 for i in range(0, 2 * N, 2)],
        [60 * (i % 4) for i in range(N)],
        "columns.c: level 1 merges all 20 values into one",
    ),
    "values that only one unit holds": (
        TENS,
        [777 if i < 2 else i % 4 for i in range(N)],
        [i % 4 for i in range(N)],
        "columns.c: 1 of its 5 values are held by one unit only, 1 by fewer than k",
    ),
    "a quasi-identifier that is unique": (
        TENS,
        [777 + i // 2 for i in range(N)],
        [i % 5 for i in range(N)],
        "columns.c: each of its 30 values is held by one unit only: it identifies",
    ),
    "a top that bites nobody": (
        TENS | {"top": 90},
        [i % 40 for i in range(N)],
        [i % 40 + 60 for i in range(N)],
        "columns.c: top 90 bites nobody: no value lies there",
    ),
    "a bottom that bites nobody": (
        TENS | {"bottom": 5},
        [i % 40 + 6 for i in range(N)],
        [i % 40 for i in range(N)],
        "columns.c: bottom 5 bites nobody: no value lies there",
    ),
    "a column to keep that tells an identifier": (
        {"role": "keep"},
        [777 + i // 2 for i in range(N)],
        [i % 5 for i in range(N)],
        "columns.c: 30 of its 30 values occur with one value of the identifier who only",
    ),
    "a hierarchy that the values do not fit": (
        {"hierarchy": {"ip": [24, 16]}},
        [f"777.1.1.{i}" for i in range(N)],
        [f"10.1.1.{i % 4}" for i in range(N)],
        "60 distinct values in 60 rows",
    ),
}


def explained(command: Run, column: dict[str, Any], values: list[Any]) -> str:
    policy = {
        "anonym": 1,
        "unit": "who",
        "columns": {"who": {"role": "identifier"}, "c": {"role": "quasi"} | column, "q": {"role": "quasi"}},
        "guarantee": {"k": 3},
    }
    Path("policy.yaml").write_text(yaml.safe_dump(policy), encoding="utf-8")
    pl.DataFrame({"who": PEOPLE, "c": values, "q": [0] * N}).write_parquet("in.parquet")
    status, out, err = command("explain", "policy.yaml", "in.parquet")
    assert (status, err) == (0, "")
    return out


@pytest.mark.parametrize("item", ITEMS)
def test_it_is_said_where_it_is_so(command: Run, item: str) -> None:
    column, values, _, note = ITEMS[item]
    said = explained(command, column, values)
    assert note in said
    assert "canary" not in said
    assert "777" not in said


@pytest.mark.parametrize("item", ITEMS)
def test_it_is_not_said_where_it_is_not(command: Run, item: str) -> None:
    column, _, values, note = ITEMS[item]
    words = note.partition(": ")[2] or note
    telling = " ".join(word for word in words.split() if not word.isdigit())[:24]
    assert telling not in " ".join(word for word in explained(command, column, values).split() if not word.isdigit())


# what already shows without data: refused, or said by `explain`
WIDTHS = {
    "a width that does not divide the next": ([5, 12], "step 2 is not"),
    "a length of time that does not divide the next": (["15m", "40m"], "step 2 is not"),
    "numbers and lengths": ([5, "15m"], "numbers only, or lengths of time only"),
}


@pytest.mark.parametrize("case", WIDTHS)
def test_intervals_that_do_not_nest_are_refused_at_load(case: str) -> None:
    widths, words = WIDTHS[case]
    column = {"role": "quasi", "hierarchy": {"interval": widths}}
    with pytest.raises(PolicyError) as caught:
        Policy.load({"anonym": 1, "columns": {"c": column}, "guarantee": {"k": 2}})
    assert [(fault.path, words in fault.expected) for fault in caught.value.faults] == [
        ("columns.c.hierarchy.interval", True)
    ]
    Policy.load({"anonym": 1, "columns": {"c": column | {"hierarchy": {"interval": [5, 10]}}}, "guarantee": {"k": 2}})
