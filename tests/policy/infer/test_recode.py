"""Hierarchies from values."""

from __future__ import annotations

from datetime import date, timedelta

import polars as pl
import pytest

from anonym.policy.infer.facts import Facts, profile_columns
from anonym.policy.infer.ordered import READS
from anonym.policy.infer.recode import recode


def facts(values: object, name: str = "x", dtype: pl.DataType | None = None) -> Facts:
    data = pl.DataFrame({name: pl.Series(values, dtype=dtype)})  # type: ignore[arg-type]
    return profile_columns(data.lazy(), dict(data.schema))[0]


@pytest.mark.parametrize(
    ("values", "concept", "hierarchy"),
    [
        (list(range(18, 90)), "age", "{interval: [5, 10, 20, 40]}"),
        ([True, False, None], "unknown", "suppress"),
        (
            [date(1950, 1, 1) + timedelta(days=40 * i) for i in range(300)],
            "birth",
            "{date: [month, quarter, year, decade]}",
        ),
        ([date(2024, 1, 1) + timedelta(days=i) for i in range(60)], "date", "{date: [month]}"),
        ([f"{i:05d}" for i in range(100)], "postcode", "{prefix: [4, 3, 2, 1]}"),
        ([i / 100 for i in range(-5000, 5000)], "latitude", "{round: [2, 1, 0]}"),
        ([i / 1000 for i in range(1000)], "unknown", "{interval: [0.05, 0.1, 0.2, 0.4]}"),
        (["2024-01-02", "2023-04-05", "2020-02-02"], "date", "{prefix: [10, 7, 4]}"),
    ],
)
def test_steps(values: object, concept: str, hierarchy: str) -> None:
    assert recode(facts(values), concept).hierarchy == hierarchy


def test_skewed_numbers_get_cuts_that_widen() -> None:
    found = recode(facts([1] * 500 + [3] * 300 + list(range(10, 1000, 10))), "unknown")
    assert found.hierarchy.startswith("{breaks: [[0, 1, 2, 5, 10, 20, 50, 100")


def test_rare_values_are_grouped_ever_more() -> None:
    values = ["a"] * 600 + ["b"] * 300 + ["c"] * 70 + ["d"] * 20 + ["e"] * 6 + ["f"] * 4
    lines = {line[0]: line[1:] for line in recode(facts(values), "unknown").lines}
    assert lines["a"] == ("a", "a", "a", "*")
    assert lines["d"] == ("d", "other", "other", "*")
    assert lines["f"] == ("other", "other", "other", "*")


def test_a_value_called_other_is_not_the_group() -> None:
    values = ["other"] * 500 + ["b"] * 300 + [f"r{i}" for i in range(50)]
    lines = {line[0]: line[1] for line in recode(facts(values), "unknown").lines}
    assert lines["other"] == "other"
    assert lines["r1"] == "(other)"


def test_dates_as_people_write_them() -> None:
    lines = {line[0]: line[1:] for line in recode(facts(["31.12.1980", "01.02.1979", "05.06.2001"]), "birth").lines}
    assert lines["31.12.1980"] == ("1980-12", "1980", "1980s", "*")


def grouped(values: list[object], concept: str) -> dict[str, tuple[str, ...]]:
    return {line[0]: line[1:] for line in recode(facts(values), concept).lines}


def test_days_are_read_in_one_form() -> None:
    assert grouped(["03/04/2025", "12/25/2025", "07/30/2025"], "date")["03/04/2025"][0] == "2025-03"
    assert grouped(["03/04/2025", "25/12/2025", "30/07/2025"], "date")["03/04/2025"][0] == "2025-04"


def test_days_in_one_number_and_two_digits_of_a_year() -> None:
    assert grouped([19800131, 19790201, 20010605], "birth")["19800131"] == ("1980-01", "1980", "1980s", "*")
    assert grouped(["01JAN40", "05MAR85", "07JUL01"], "birth")["01JAN40"] == ("1940-01", "1940", "1940s", "*")
    log = "01/Mar/2025:10:00:00 +0000"
    assert grouped([log, log.replace("01/", "02/"), log.replace("Mar", "Apr")], "date")[log][0] == "2025-03"


def test_times_of_a_day() -> None:
    lines = grouped(["09:41", "9:05 pm", "12:10 AM", "23h59", "12:00:00.5"], "clock")
    assert lines["09:41"] == ("09:00-09:59", "06:00-11:59", "*")
    assert [lines[text][0][:2] for text in ("9:05 pm", "12:10 AM", "23h59", "12:00:00.5")] == ["21", "00", "23", "12"]


def test_countries_that_the_shipped_taxonomy_has() -> None:
    assert recode(facts(["Germany", "France", "Kenya"] * 9), "country").hierarchy == "{taxonomy: countries}"
    assert recode(facts(["Germany", "France", "Kenya", "Atlantis"] * 9), "country").hierarchy != "{taxonomy: countries}"


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("20240131093000", ("2024-01", "2024", "2020s")),
        ("2024-06-01-23-10", ("2024-06", "2024", "2020s")),
        ("05/Jan/2025:10:22:01 +0000", ("2025-01", "2025", "2020s")),
        ("Mon Jan  5 10:22:01 2025", ("2025-01", "2025", "2020s")),
        ("Monday, 05.01.2025 10:22", ("2025-01", "2025", "2020s")),
        ("Q1 2024", ("2024", "2020s")),
        ("2024-05", ("2024", "2020s")),
        ("2024W07", ("2024", "2020s")),
    ],
)
def test_dates_and_times_as_machines_write_them(text: str, labels: tuple[str, ...]) -> None:
    assert next(found for read, _ in READS if (found := read(text)) is not None) == labels
