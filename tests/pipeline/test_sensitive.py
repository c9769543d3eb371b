"""Several sensitive columns at once: declared order, bins, a hierarchy, nulls; every written value read again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import anonym
from anonym.errors import AnonymError, InputError

N = 240
ORDER = ["none", "mild", "grave"]


def table() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "q": [i % 12 for i in range(N)],
            "severity": [None if i % 17 == 0 else ORDER[i % 3] for i in range(N)],
            "pay": [None if i % 19 == 0 else 1000 + 37 * (i % 50) for i in range(N)],
            "dx": ["E11", "I10", "J45", "M54"][0:4] * (N // 4),
            "yes": [i % 5 < 3 for i in range(N)],
        }
    )


def policy(folder: Path, strategy: str, **severity: Any) -> dict[str, Any]:
    (folder / "icd.csv").write_text("E11,E,*\nI10,I,*\nJ45,J,*\nM54,M,*\n", encoding="utf-8")
    return {
        "anonym": 1,
        "columns": {
            "q": {"role": "quasi", "hierarchy": {"interval": [2, 4, 12]}},
            "severity": {
                "role": "sensitive",
                "l": {"distinct": 3},
                "t": {"max": 0.3, "distance": "ordered", "order": ORDER} | severity,
            },
            "pay": {
                "role": "sensitive",
                "bins": {"interval": [500]},
                "l": {"entropy": 2},
                "t": {"max": 0.4, "distance": "ordered"},
            },
            "dx": {
                "role": "sensitive",
                "l": {"recursive": {"c": 2, "l": 2}},
                "t": {"max": 0.4, "distance": "hierarchical", "hierarchy": {"file": str(folder / "icd.csv")}},
            },
            "yes": {"role": "sensitive"},
        },
        "guarantee": {"k": 5},
        "search": {"strategy": strategy},
        "order": "keep",
    }


@pytest.mark.parametrize("strategy", ["global", "local"])
def test_all_promises_hold_at_once_and_every_value_is_as_it_was(tmp_path: Path, strategy: str) -> None:
    given = policy(tmp_path, strategy)
    release = anonym.apply(given, table())
    released = release.data.collect()
    assert released.drop("q").equals(table().drop("q"))
    evidence = release.evidence["guarantee"]
    assert set(evidence["l"]) == set(evidence["t"]) == {"severity", "pay", "dx"}
    assert all(promise["holds"] for kind in "lt" for promise in evidence[kind].values())
    checked = anonym.check(given, released)
    assert checked.holds
    assert checked.evidence["guarantee"]["l"] == evidence["l"]


def test_a_value_that_the_declared_order_lacks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AnonymError) as caught:
        anonym.apply(policy(tmp_path, "global", order=["none", "mild"]), table())
    assert "severity" in str(caught.value)
    assert "grave" not in str(caught.value)


def test_a_promise_that_one_of_them_cannot_keep_names_it(tmp_path: Path) -> None:
    given = policy(tmp_path, "global")
    given["columns"]["yes"]["l"] = {"distinct": 3}
    with pytest.raises(AnonymError, match="yes"):
        anonym.apply(given, table())


def test_a_sensitive_date_without_a_year_is_refused_in_words() -> None:
    day = pl.Series([2**31 - 1, 0, 5] * 4, dtype=pl.Int32).cast(pl.Date)
    policy = {
        "anonym": 1,
        "columns": {"q": {"role": "quasi"}, "day": {"role": "sensitive", "l": {"distinct": 2}}},
        "guarantee": {"k": 2},
    }
    with pytest.raises(InputError, match=r"beyond the calendar's years \(1 distinct"):
        anonym.apply(policy, pl.DataFrame({"q": [1] * 12, "day": day}))
