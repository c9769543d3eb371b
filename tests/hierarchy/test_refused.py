"""Ten declarations of every kind of hierarchy, or columns under it, that are refused, and no value is told."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import anonym
from anonym.errors import AnonymError

NUMBERS, TEXTS = pl.Series([1, 2, 4711]), pl.Series(["1", "canary"])
DAYS, MOMENTS = pl.Series([date(2024, 1, 1)]), pl.Series([datetime(2024, 1, 1)])
TIMES, LENGTHS = pl.Series([time(8)]), pl.Series([timedelta(hours=8)])
TRUTH, LISTS, BYTES = pl.Series([True]), pl.Series([[4711]]), pl.Series([b"canary"])
INFINITE = pl.Series([1.0, float("inf")])

Case = tuple[Any, pl.Series]

CASES: dict[str, list[Case]] = {
    "interval": [
        ({"interval": []}, NUMBERS),
        ({"interval": 5}, NUMBERS),
        ({"interval": [0]}, NUMBERS),
        ({"interval": [-5]}, NUMBERS),
        ({"interval": [5, 12]}, NUMBERS),
        ({"interval": [10, 5]}, NUMBERS),
        ({"interval": ["5"]}, NUMBERS),
        ({"interval": [5, "10m"]}, NUMBERS),
        ({"interval": ["15m"]}, NUMBERS),
        ({"interval": [5]}, TIMES),
        ({"interval": ["08:00"]}, TIMES),
        ({"interval": [5]}, DAYS),
        ({"interval": [5]}, TEXTS),
        ({"interval": [5], "widths": [5]}, NUMBERS),
        ({"interval": [5]}, INFINITE),
    ],
    "breaks": [
        ({"breaks": []}, NUMBERS),
        ({"breaks": [[]]}, NUMBERS),
        ({"breaks": 18}, NUMBERS),
        ({"breaks": [30, 18]}, NUMBERS),
        ({"breaks": [18, 18]}, NUMBERS),
        ({"breaks": [[18], [30]]}, NUMBERS),
        ({"breaks": [18, [30]]}, NUMBERS),
        ({"breaks": [None]}, NUMBERS),
        ({"breaks": [True]}, NUMBERS),
        ({"breaks": ["1h", "08:00"]}, LENGTHS),
        ({"breaks": ["1h"]}, TIMES),
        ({"breaks": ["08:00"]}, LENGTHS),
        ({"breaks": [18]}, TRUTH),
    ],
    "prefix": [
        ({"prefix": []}, TEXTS),
        ({"prefix": 3}, TEXTS),
        ({"prefix": [0]}, TEXTS),
        ({"prefix": [-1]}, TEXTS),
        ({"prefix": [1, 3]}, TEXTS),
        ({"prefix": [3, 3]}, TEXTS),
        ({"prefix": [2.5]}, TEXTS),
        ({"prefix": ["3"]}, TEXTS),
        ({"prefix": [3]}, NUMBERS),
        ({"prefix": [3]}, DAYS),
        ({"prefix": [3]}, LISTS),
        ({"prefix": [3]}, BYTES),
    ],
    "date": [
        ({"date": []}, DAYS),
        ({"date": "year"}, DAYS),
        ({"date": ["week"]}, DAYS),
        ({"date": ["year", "month"]}, DAYS),
        ({"date": ["year", "year"]}, DAYS),
        ({"date": ["Year"]}, DAYS),
        ({"date": [2024]}, DAYS),
        ({"date": [None]}, DAYS),
        ({"date": ["year"]}, TEXTS),
        ({"date": ["year"]}, NUMBERS),
        ({"date": ["day"]}, TIMES),
        ({"date": ["day"]}, LENGTHS),
    ],
    "round": [
        ({"round": []}, NUMBERS),
        ({"round": [0, 1]}, NUMBERS),
        ({"round": [1, 1]}, NUMBERS),
        ({"round": [0.5]}, NUMBERS),
        ({"round": ["1"]}, NUMBERS),
        ({"round": [61]}, NUMBERS),
        ({"round": [-61]}, NUMBERS),
        ({"round": None}, NUMBERS),
        ({"round": [0]}, TEXTS),
        ({"round": [0]}, DAYS),
        ({"round": [0]}, LENGTHS),
        ({"round": [0]}, INFINITE),
    ],
    "file": [
        ({"file": "absent.csv"}, TEXTS),
        ({"file": ""}, TEXTS),
        ({"file": 5}, TEXTS),
        ({"file": ["h.csv"]}, TEXTS),
        ({"file": "empty.csv"}, TEXTS),
        ({"file": "one.csv"}, TEXTS),
        ({"file": "uneven.csv"}, TEXTS),
        ({"file": "parents.csv"}, TEXTS),
        ({"file": "roots.csv"}, TEXTS),
        ({"file": "latin.csv"}, TEXTS),
        ({"file": "lacks.csv"}, TEXTS),
        ({"file": "."}, TEXTS),
    ],
    "taxonomy": [
        ({"taxonomy": "country"}, TEXTS),
        ({"taxonomy": ""}, TEXTS),
        ({"taxonomy": "Countries"}, TEXTS),
        ({"taxonomy": "../countries"}, TEXTS),
        ({"taxonomy": 5}, TEXTS),
        ({"taxonomy": ["countries"]}, TEXTS),
        ({"taxonomy": None}, TEXTS),
        ({"taxonomy": "countries"}, TEXTS),
        ({"taxonomy": "countries", "file": "h.csv"}, TEXTS),
        ({"taxonomy": "us-zip3"}, NUMBERS),
        ({"taxonomy": "us-zip3"}, TEXTS),
        ({"taxonomy": "icd10-cm"}, DAYS),
    ],
    "ip": [
        ({"ip": []}, TEXTS),
        ({"ip": 24}, TEXTS),
        ({"ip": [16, 24]}, TEXTS),
        ({"ip": [24, 24]}, TEXTS),
        ({"ip": [129]}, TEXTS),
        ({"ip": [-1]}, TEXTS),
        ({"ip": [24.5]}, TEXTS),
        ({"ip": ["24"]}, TEXTS),
        ({"ip": [24]}, NUMBERS),
        ({"ip": [24]}, BYTES),
        ({"ip": [24]}, TEXTS),
        ({"ip": [24], "prefix": [3]}, TEXTS),
    ],
    "words": [
        ("supress", TEXTS),
        ("Auto", TEXTS),
        ("", TEXTS),
        (5, TEXTS),
        (True, TEXTS),
        (None, TEXTS),
        ([], TEXTS),
        ({}, TEXTS),
        ({"suppress": True}, TEXTS),
        ("suppress", LISTS),
        ("auto", BYTES),
        ("none", LISTS),
        ("suppress", INFINITE),
        ("auto", INFINITE),
    ],
}
FILES = {
    "empty.csv": b"",
    "one.csv": b"canary\n",
    "uneven.csv": b"canary,x,*\n1,*\n",
    "parents.csv": b"canary,x,u,*\n1,x,v,*\n",
    "roots.csv": b"canary,x,all\n1,y,*\n",
    "latin.csv": b"canary,M\xfcnchen,*\n",
    "lacks.csv": b"2,few,*\n",
}


@pytest.mark.parametrize(
    ("kind", "number"), [(kind, number) for kind, cases in CASES.items() for number in range(len(cases))]
)
def test_it_is_refused(kind: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    declared, column = CASES[kind][number]
    policy = {
        "anonym": 1,
        "columns": {"q": {"role": "quasi", "hierarchy": declared}},
        "guarantee": {"k": 1},
        "search": {"strategy": "global"},
    }
    with pytest.raises(AnonymError) as caught:
        anonym.apply(policy, column.alias("q").to_frame())
    assert "canary" not in str(caught.value)
    assert "4711" not in str(caught.value)


def test_every_kind_has_ten() -> None:
    assert all(len(cases) >= 10 for cases in CASES.values())
    assert set(CASES) == {"interval", "breaks", "prefix", "date", "round", "file", "taxonomy", "ip", "words"}
