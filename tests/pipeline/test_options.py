"""Options of a quasi-identifier from policy to verified release, one case a row."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

import anonym
from anonym.errors import InputError, PolicyError

Column = dict[str, Any]

AGES = pl.Series("q", [18, 21, 22, 34, 37, 88, 93, 95] * 3)
TOWNS = pl.Series("q", ["Bonn", "bonn ", "BONN", "Köln", "Koln", None] * 3)
PLACES = pl.Series("q", ["DE", "FR", "US", "XX"] * 3)
DAYS = pl.Series("q", [date(2023, 12, 31), date(2024, 1, 1), date(2025, 6, 1)] * 3)
LATITUDES = pl.Series("q", [52.5163, 52.5197, 48.8566, 48.8606, -33.8688, -33.8731] * 3)
GEOHASHES = pl.Series("q", ["u33db2", "u33dc1", "u09tvn", "u09tvw", "r3gx2f", "r3gx2u"] * 3)


def released(column: pl.Series, options: Column, k: int = 3, limit: float = 0) -> list[Any]:
    policy = {
        "anonym": 1,
        "columns": {"q": {"role": "quasi", **options}},
        "guarantee": {"k": k, "suppression": {"max": limit}},
        "search": {"strategy": "global"},
        "order": "keep",
    }
    return anonym.apply(policy, column.to_frame()).data.collect()["q"].to_list()


RELEASED: dict[str, tuple[pl.Series, Column, list[Any]]] = {
    "level 0 where it holds": (
        AGES,
        {"hierarchy": {"interval": [10]}},
        ["18", "21", "22", "34", "37", "88", "93", "95"],
    ),
    "finest": (
        AGES,
        {"hierarchy": {"interval": [10, 50]}, "finest": 1},
        ["10-19", "20-29", "20-29", "30-39", "30-39", "80-89", "90-99", "90-99"],
    ),
    "finest at the top": (AGES, {"hierarchy": "suppress", "finest": 1}, ["*"] * 8),
    "finest and coarsest alike": (
        AGES,
        {"hierarchy": {"interval": [10, 50]}, "finest": 2, "coarsest": 2},
        ["0-49"] * 5 + ["50-99"] * 3,
    ),
    "top": (
        AGES,
        {"hierarchy": {"interval": [10]}, "finest": 1, "top": 90},
        ["10-19", "20-29", "20-29", "30-39", "30-39", "80-89", ">=90", ">=90"],
    ),
    "bottom": (
        AGES,
        {"hierarchy": {"interval": [10]}, "finest": 1, "bottom": 21},
        ["<=21", "<=21", "22-29", "30-39", "30-39", "80-89", "90-99", "90-99"],
    ),
    "top and bottom at level 0": (
        AGES,
        {"hierarchy": "suppress", "top": 88, "bottom": 18},
        ["<=18", "21", "22", "34", "37", ">=88", ">=88", ">=88"],
    ),
    "top of dates": (
        DAYS,
        {"hierarchy": {"date": ["year"]}, "finest": 1, "top": date(2025, 1, 1)},
        ["2023", "2024", ">=2025-01-01"],
    ),
    "bottom of dates": (
        DAYS,
        {"hierarchy": {"date": ["year"]}, "finest": 1, "bottom": date(2023, 12, 31)},
        ["<=2023-12-31", "2024", "2025"],
    ),
    "spellings apart": (TOWNS, {"hierarchy": "suppress"}, ["Bonn", "bonn ", "BONN", "Köln", "Koln", None]),
    "trim and casefold": (
        TOWNS,
        {"hierarchy": "suppress", "normalise": ["trim", "casefold"]},
        ["bonn", "bonn", "bonn", "köln", "koln", None],
    ),
    "normalised before a hierarchy": (
        TOWNS,
        {"hierarchy": {"prefix": [1]}, "finest": 1, "normalise": ["trim", "casefold"]},
        ["b***", "b***", "b***", "k***", "k***", None],
    ),
    "uncovered cells at the top": (
        PLACES,
        {"hierarchy": {"taxonomy": "countries"}, "uncovered": "top"},
        ["DE", "FR", "US", "*"],
    ),
    "uncovered cells at the top of a level": (
        PLACES,
        {"hierarchy": {"taxonomy": "countries"}, "uncovered": "top", "finest": 2},
        ["Europe", "Europe", "Americas", "*"],
    ),
    "coordinates on a grid": (
        LATITUDES,
        {"hierarchy": {"round": [2, 1]}, "finest": 2},
        ["52.5", "52.5", "48.9", "48.9", "-33.9", "-33.9"],
    ),
    "geohash cells": (
        GEOHASHES,
        {"hierarchy": {"prefix": [5, 4, 3]}, "finest": 2},
        ["u33d**", "u33d**", "u09t**", "u09t**", "r3gx**", "r3gx**"],
    ),
}


@pytest.mark.parametrize("case", RELEASED)
def test_an_option_does_what_it_says(case: str) -> None:
    column, options, expected = RELEASED[case]
    assert released(column, options) == expected * 3


def test_uncovered_values_are_refused_by_count() -> None:
    with pytest.raises(InputError) as caught:
        released(PLACES, {"hierarchy": {"taxonomy": "countries"}})
    assert "1 distinct value (3 rows) not covered" in str(caught.value)
    assert "XX" not in str(caught.value)


def test_uncovered_rows_are_suppressed_within_the_limit() -> None:
    options = {"hierarchy": {"taxonomy": "countries"}, "uncovered": "suppress"}
    assert released(PLACES, options, limit=0.25) == ["DE", "FR", "US"] * 3
    with pytest.raises(anonym.errors.GuaranteeError):
        released(PLACES, options, limit=0.24)


def test_weight_spares_a_column() -> None:
    """Two columns that could each give way: the heavier one stays."""
    table = pl.DataFrame({"a": [1, 1, 2, 2, 1, 1, 2, 2], "b": [1, 2, 1, 2, 1, 2, 1, 2]})

    def levels(a: float, b: float) -> Any:
        columns = {
            name: {"role": "quasi", "hierarchy": "suppress", "weight": weight} for name, weight in (("a", a), ("b", b))
        }
        policy = {"anonym": 1, "columns": columns, "guarantee": {"k": 3}, "search": {"strategy": "global"}}
        evidence = anonym.apply(policy, table).evidence
        assert evidence["loss"]["ncp"] == 0.5  # whatever the weights
        return evidence["search"]["levels"]

    assert levels(5, 1) == {"a": 0, "b": 1}
    assert levels(1, 5) == {"a": 1, "b": 0}


REFUSED: dict[str, tuple[Column, str, str]] = {
    "finest above the levels": ({"hierarchy": {"interval": [5]}, "finest": 3}, "columns.q.finest", "from 0 to 2"),
    "coarsest below finest": (
        {"hierarchy": {"interval": [5]}, "finest": 2, "coarsest": 1},
        "columns.q.coarsest",
        "not below finest",
    ),
    "a width that does not divide the next": (
        {"hierarchy": {"interval": [5, 12]}},
        "columns.q.hierarchy.interval",
        "each a multiple of the one before",
    ),
    "a top below the bottom": (
        {"hierarchy": {"interval": [5]}, "top": 3, "bottom": 4},
        "columns.q.bottom",
        "less than top",
    ),
    "a date for numbers": (
        {"hierarchy": {"interval": [5]}, "top": date(2024, 1, 1)},
        "columns.q.top",
        "expected a number",
    ),
    "a top of networks": ({"hierarchy": {"ip": [24]}, "top": 5}, "columns.q.top", "this hierarchy reads text"),
    "networks that grow": ({"hierarchy": {"ip": [16, 24]}}, "columns.q.hierarchy.ip", "prefix lengths that decrease"),
    "an unknown taxonomy": (
        {"hierarchy": {"taxonomy": "country"}},
        "columns.q.hierarchy.taxonomy",
        "did you mean countries?",
    ),
    "bounds of a taxonomy": (
        {"hierarchy": {"taxonomy": "countries"}, "form": "bounds"},
        "columns.q.form",
        "bounds are for numbers and dates",
    ),
    "spellings of numbers": (
        {"hierarchy": {"interval": [5]}, "normalise": ["trim"]},
        "columns.q.normalise",
        "spellings are for text",
    ),
    "a weight of nothing": ({"hierarchy": "suppress", "weight": 0}, "columns.q.weight", "a number above 0"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_an_option_cannot_be(case: str) -> None:
    options, path, words = REFUSED[case]
    with pytest.raises(PolicyError) as caught:
        anonym.Policy.load({"anonym": 1, "columns": {"q": {"role": "quasi", **options}}, "guarantee": {"k": 2}})
    assert [(fault.path, words in fault.expected) for fault in caught.value.faults] == [(path, True)]


MISFIT: dict[str, tuple[pl.Series, Column, str]] = {
    "numbers under ip": (AGES, {"hierarchy": {"ip": [24]}}, "its hierarchy reads text"),
    "numbers under codes": (AGES, {"hierarchy": {"taxonomy": "us-zip3"}}, "its hierarchy reads text"),
    "a level that auto lacks": (AGES, {"hierarchy": "auto", "coarsest": 9}, "from 0 to"),
    "text under intervals": (PLACES, {"hierarchy": {"interval": [5]}}, "its hierarchy reads numbers"),
}


@pytest.mark.parametrize("case", MISFIT)
def test_a_column_that_does_not_fit(case: str) -> None:
    column, options, words = MISFIT[case]
    with pytest.raises((InputError, PolicyError), match=words):
        released(column, options)


def test_codes_of_a_csv_file_stay_text(command: Callable[..., tuple[int, str, str]]) -> None:
    """Leading zeros are part of a ZIP code."""
    Path("in.csv").write_text("zip\n" + "02139\n" * 5 + "03601\n" * 5, encoding="utf-8")
    policy = {
        "anonym": 1,
        "columns": {"zip": {"role": "quasi", "hierarchy": {"taxonomy": "us-zip3"}, "finest": 2}},
        "guarantee": {"k": 5},
    }
    Path("policy.yaml").write_text(yaml.safe_dump(policy), encoding="utf-8")
    assert command("apply", "policy.yaml", "in.csv", "-o", "out.csv", "--quiet")[0] == 0
    assert set(Path("out.csv").read_text(encoding="utf-8").split()) == {"zip", "021", "000"}
