"""The label grammar: what covers a value and what does not, form by form, against the plain meaning."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.errors import InternalError
from anonym.verify.covers import misplaced_rows, uncovered_rows
from anonym.verify.facts import QuasiFact


def covers(original: Any, label: str | None, dtype: pl.DataType | None = None, **fact: Any) -> bool:
    values = pl.Series("q", [original], dtype=dtype)
    released = pl.DataFrame({"q": pl.Series([label], dtype=pl.String)})
    return not uncovered_rows(values, released, QuasiFact("q", ("q",), **fact))


INT, FLOAT, TEXT = pl.Int64(), pl.Float64(), pl.String()
MONEY = pl.Decimal(20, 2)

TABLE = [
    # integers
    (INT, "interval", 30, "30-39", True),
    (INT, "interval", 39, "30-39", True),
    (INT, "interval", 40, "30-39", False),
    (INT, "interval", 29, "30-39", False),
    (INT, "interval", -5, "-9--1", True),
    (INT, "interval", 5, "-9--1", False),
    (INT, "interval", 30, "30", True),
    (INT, "interval", 31, "30", False),
    (INT, "breaks", 17, "<=17", True),
    (INT, "breaks", 18, "<=17", False),
    (INT, "breaks", 65, ">=65", True),
    (INT, "breaks", 64, ">=65", False),
    (INT, "interval", 30, "*", True),
    (INT, "interval", None, "*", True),
    (INT, "interval", None, None, True),
    (INT, "interval", 30, None, False),
    (INT, "interval", None, "30-39", False),
    (INT, "interval", 30, "thirties", False),
    (INT, "interval", 30, "[30, 40]x", False),
    (pl.UInt64(), "none", 2**64 - 1, str(2**64 - 1), True),
    (pl.UInt64(), "none", 2**64 - 2, str(2**64 - 1), False),
    (pl.Int8(), "interval", 127, "120-129", True),
    # floats stand for the decimal they print as
    (FLOAT, "interval", 30.0, "[30, 40)", True),
    (FLOAT, "interval", 40.0, "[30, 40)", False),
    (FLOAT, "interval", 39.99999, "[30, 40)", True),
    (FLOAT, "interval", 0.3, "[0.3, 0.4)", True),
    (FLOAT, "interval", 0.1 + 0.2, "[0.2, 0.3)", False),
    (FLOAT, "interval", 5.0, "(5, 10)", False),
    (FLOAT, "interval", 5.000001, "(5, 10)", True),
    (FLOAT, "interval", 1e22, ">5", True),
    (FLOAT, "interval", 30.0, "30-39", True),
    (FLOAT, "interval", 39.5, "30-39", False),
    (FLOAT, "none", 3.0, "3.0", True),
    (FLOAT, "none", 1e-7, "1e-7", True),
    (FLOAT, "none", float("nan"), None, True),
    (FLOAT, "none", float("nan"), "NaN", False),
    (FLOAT, "none", -0.0, "0.0", True),
    (pl.Float32(), "interval", 0.1, "[0.1, 0.2)", True),
    (pl.Float32(), "none", 0.1, "0.1", True),
    (pl.Float32(), "none", 0.1, "0.2", False),
    # decimals, exactly
    (MONEY, "interval", Decimal("9.99"), "[0, 10)", True),
    (MONEY, "interval", Decimal("10.00"), "[0, 10)", False),
    (MONEY, "none", Decimal("9007199254740993.00"), "9007199254740993.00", True),
    (MONEY, "none", Decimal("9007199254740993.00"), "9007199254740992.00", False),
    # dates and timestamps
    (pl.Date(), "date", date(2024, 1, 31), "2024-01", True),
    (pl.Date(), "date", date(2024, 2, 1), "2024-01", False),
    (pl.Date(), "date", date(2024, 3, 31), "2024-Q1", True),
    (pl.Date(), "date", date(2024, 4, 1), "2024-Q1", False),
    (pl.Date(), "date", date(2024, 12, 31), "2024", True),
    (pl.Date(), "date", date(2025, 1, 1), "2024", False),
    (pl.Date(), "date", date(2029, 12, 31), "2020s", True),
    (pl.Date(), "date", date(2030, 1, 1), "2020s", False),
    (pl.Date(), "date", date(2024, 2, 29), "2024-02-29", True),
    (pl.Date(), "date", date(2024, 2, 28), "2024-02-29", False),
    (pl.Date(), "date", date(2024, 2, 28), "2023-02-29", False),
    (pl.Date(), "date", date(2024, 2, 28), "2024-13", False),
    (pl.Date(), "date", date(2024, 2, 28), "2024s", False),
    (pl.Date(), "date", date(1969, 12, 31), "1960s", True),
    (pl.Datetime("us"), "date", datetime(2024, 1, 31, 23, 59, 59, 999999), "2024-01", True),
    (pl.Datetime("us"), "date", datetime(2024, 2, 1), "2024-01", False),
    (pl.Datetime("ms"), "date", datetime(2024, 2, 1, 12), "2024-02-01", True),
    (pl.Datetime("us"), "none", datetime(2024, 2, 1, 12, 30), "2024-02-01T12:30:00", True),
    (pl.Datetime("us"), "none", datetime(2024, 2, 1, 12, 31), "2024-02-01T12:30:00", False),
    # text
    (TEXT, "prefix", "11234", "112**", True),
    (TEXT, "prefix", "11334", "112**", False),
    (TEXT, "prefix", "11", "11***", True),
    (TEXT, "prefix", "12", "11***", False),
    (TEXT, "prefix", "11234", "11234", True),
    (TEXT, "prefix", "a*", "a*", True),
    (TEXT, "prefix", "11234", "*****", True),
    (INT, "prefix", 11234, "112**", True),
    (TEXT, "suppress", "Lyon", "Lyon", True),
    (TEXT, "suppress", "Lyon", "Porto", False),
    (TEXT, "suppress", "Lyon", "*", True),
    (TEXT, "none", "", "", True),
    (TEXT, "none", "", None, False),
    (TEXT, "suppress", "11234", "11***", False),
    (TEXT, "suppress", "35", "30-39", False),
    (pl.Boolean(), "suppress", True, "true", True),
    (pl.Boolean(), "suppress", False, "true", False),
]


@pytest.mark.parametrize(("dtype", "kind", "original", "label", "expected"), TABLE)
def test_the_grammar(dtype: pl.DataType, kind: str, original: Any, label: str | None, expected: bool) -> None:
    assert covers(original, label, dtype, kind=kind) is expected


def test_dictionary_columns_are_text() -> None:
    assert covers("Lyon", "Lyon", pl.Categorical(), kind="suppress")
    assert covers("Lyon", "L***", pl.Enum(["Lyon", "Porto"]), kind="prefix")


def test_local_time_decides_the_period() -> None:
    zone = pl.Datetime("us", "America/New_York")
    late = datetime(2024, 2, 1, 3, tzinfo=UTC)  # 31 January, ten in the evening
    assert covers(late, "2024-01", zone, kind="date")
    assert not covers(late, "2024-02", zone, kind="date")
    assert covers(late, "2024-01-31T22:00:00-05:00", zone)


@pytest.mark.parametrize(
    ("original", "label", "expected"),
    [(90, ">=90", True), (95, ">=90", True), (89, ">=90", False), (95, "95", False), (95, "90-99", False),
     (95, "*", True), (5, "<=5", True), (6, "<=5", False), (3, "3", False), (3, "0-9", False), (42, "40-49", True),
     (None, None, True)],
)  # fmt: skip
def test_beyond_a_coded_end_only_the_code_will_do(original: int | None, label: str | None, expected: bool) -> None:
    assert covers(original, label, INT, kind="interval", top=Decimal(90), bottom=Decimal(5)) is expected


def test_coded_dates() -> None:
    coded = {"kind": "date", "top": date(2000, 1, 1), "bottom": date(1920, 12, 31)}
    assert covers(date(2000, 1, 1), ">=2000-01-01", pl.Date(), **coded)
    assert not covers(date(2000, 1, 1), "2000", pl.Date(), **coded)
    assert covers(datetime(1920, 12, 31, 23), "<=1920-12-31", pl.Datetime("us"), **coded)
    with pytest.raises(InternalError, match="top or bottom does not fit"):
        covers("x", "x", TEXT, top=Decimal(3))


def test_rounded_labels_reach_half_a_unit_of_every_level() -> None:
    asked = {"kind": "round", "parameters": (1, 0)}
    for original, label, expected in (
        (1.46, "1.5", True),
        (1.56, "1.5", False),
        (0.46, "0", True),
        (0.54, "0", True),
        (0.56, "0", False),
    ):
        assert covers(original, label, FLOAT, **asked) is expected


def test_files_decide_by_their_table_never_by_the_label(tmp_path: Path) -> None:
    file = tmp_path / "h.csv"
    file.write_text("31,30-35,all\n32,30-35,all\n99,31-32,all\n")
    asked = {"kind": "file", "parameters": (file,)}
    assert covers(31, "30-35", INT, **asked)
    assert covers(31, "31", INT, **asked)
    assert covers(31, "*", INT, **asked)
    assert not covers(31, "31-32", INT, **asked)  # reads as if it covered
    assert covers(99, "31-32", INT, **asked)
    assert covers(31.0, "31", FLOAT, **asked)
    assert covers(Decimal("31.00"), "30-35", MONEY, **asked)
    assert not covers(33, "30-35", INT, **asked)
    assert not covers(33, "*", INT, **asked)
    assert covers(33, "*", INT, uncovered_top=True, **asked)
    assert covers(None, "*", INT, **asked)
    assert covers(120, ">=100", INT, top=Decimal(100), **asked)
    assert not covers(99, ">=100", INT, top=Decimal(100), **asked)


def test_normalised_originals() -> None:
    assert covers(" Lyon ", "lyon", TEXT, normalise=("trim", "casefold"))
    assert not covers(" Lyon ", "lyon", TEXT, normalise=("trim",))
    assert covers("\u00a0㎒", "mhz", TEXT, normalise=("trim", "casefold", "nfkc"))


@pytest.mark.parametrize(
    ("original", "low", "high", "expected"),
    [(5, 0, 9, True), (5, 6, 9, False), (5, 0, 4, False), (5, 5, 5, True), (None, None, None, True),
     (5, None, None, True), (None, 0, 9, False), (95, 90, None, True), (95, 90, 99, False), (5, 90, None, False),
     (5, None, 9, True)],
)  # fmt: skip
def test_bounds(original: int | None, low: int | None, high: int | None, expected: bool) -> None:
    fact = QuasiFact("q", ("q_low", "q_high"), "bounds", "interval", top=Decimal(90))
    released = pl.DataFrame({"q_low": [low], "q_high": [high]}, schema={"q_low": INT, "q_high": INT})
    assert bool(uncovered_rows(pl.Series([original], dtype=INT), released, fact)) is not expected


def test_unknown_forms_are_refused() -> None:
    with pytest.raises(InternalError, match="the form representative in 1 columns cannot be verified"):
        covers(1, "1", INT, form="representative")
    with pytest.raises(InternalError, match="sets of List\\(String\\) cannot be verified against Int64"):
        uncovered_rows(pl.Series([1]), pl.DataFrame({"q": [["1"]]}), QuasiFact("q", ("q",), "set"))


@pytest.mark.parametrize(
    ("original", "cell", "expected"),
    [(5, [0, 9], True), (5, [6, 9], False), (5, [5, 5], True), (5, [5], False), (5, [], False), (5, [4, 5, 6], False),
     (5, None, True), (None, None, True), (None, [None], True), (5, [None], False), (None, [0, 9], False),
     (95, [90, None], True), (95, [90, 99], False), (5, [90, None], False), (5, [None, 9], True),
     (5, [None, None], False), (None, [None, None], False)],
)  # fmt: skip
def test_sets_of_numbers(original: int | None, cell: list[int | None] | None, expected: bool) -> None:
    fact = QuasiFact("q", ("q",), "set", "interval", top=Decimal(90))
    released = pl.DataFrame({"q": [cell]}, schema={"q": pl.List(INT)})
    assert bool(uncovered_rows(pl.Series([original], dtype=INT), released, fact)) is not expected


@pytest.mark.parametrize(
    ("original", "cell", "expected"),
    [("a", ["a"], True), ("a", ["b", "c"], False), ("a", ["a", None], True), (None, ["a", None], True),
     (None, ["a"], False), (None, [None], True), ("a", [None], False), ("a", None, True), (" A", ["a"], True),
     ("a", [], False)],
)  # fmt: skip
def test_sets_of_words(original: str | None, cell: list[str | None] | None, expected: bool) -> None:
    fact = QuasiFact("q", ("q",), "set", "suppress", normalise=("trim", "casefold"))
    released = pl.DataFrame({"q": [cell]}, schema={"q": pl.List(TEXT)})
    assert bool(uncovered_rows(pl.Series([original], dtype=TEXT), released, fact)) is not expected


@pytest.mark.parametrize(
    ("originals", "released", "group", "wrong"),
    [
        ([1, 5, 9], [4, 4, 9], [0, 0, 1], 0),
        ([1, 5, 9], [4, 4, 5], [0, 0, 1], 1),
        ([1, 5, 9], [0, 6, 9], [0, 0, 1], 2),
        ([1, None, 9], [None, None, None], [0, 0, 1], 0),
        ([1, None, 9], [1, 1, 9], [0, 0, 1], 1),
        ([95, 99, 2], [90, 90, 2], [0, 0, 1], 0),
        ([95, 99, 2], [97, 97, 2], [0, 0, 1], 2),
        ([88, 99, 2], [89, 89, 2], [0, 0, 1], 0),
    ],
)
def test_representatives(originals: list[int | None], released: list[int | None], group: list[int], wrong: int) -> None:
    fact = QuasiFact("q", ("q",), "representative", "interval", top=Decimal(90), bottom=Decimal(0))
    pair = (pl.Series(values, dtype=INT) for values in (originals, released))
    assert misplaced_rows(*pair, np.array(group), fact) == wrong


def test_representatives_of_words_are_words_of_their_group() -> None:
    fact = QuasiFact("q", ("q",), "representative", "suppress")
    originals, released = pl.Series(["a", "b", "c", None]), pl.Series(["a", "a", "b", "b"])
    assert misplaced_rows(originals, released, np.array([0, 0, 1, 1]), fact) == 2
    assert misplaced_rows(originals, pl.Series(["a", "a", "c", "c"]), np.array([0, 0, 1, 1]), fact) == 0
    with pytest.raises(InternalError, match="String cannot stand for Int64"):
        misplaced_rows(pl.Series([1]), pl.Series(["1"]), np.array([0]), fact)


@pytest.mark.parametrize("dtype", [pl.String(), pl.Categorical(), pl.Enum(["ß", "SS ", "b"])])
def test_representatives_of_categories_are_of_their_normalised_words(dtype: pl.DataType) -> None:
    fact = QuasiFact("q", ("q",), "representative", "suppress", normalise=("trim", "casefold"))
    originals, group = pl.Series(["ß", "SS ", "b"], dtype=dtype), np.array([0, 0, 1])
    assert misplaced_rows(originals, pl.Series(["ss", "ss", "b"]), group, fact) == 0
    assert misplaced_rows(originals, pl.Series(["ß", "ss", "ss"]), group, fact) == 2


@settings(deadline=None)
@given(value=st.integers(-10_000, 10_000), low=st.integers(-10_000, 10_000), width=st.integers(1, 500))
def test_integer_labels_mean_what_they_say(value: int, low: int, width: int) -> None:
    assert covers(value, f"{low}-{low + width - 1}", INT) is (low <= value < low + width)
    assert covers(value, f"[{low}, {low + width})", INT) is (low <= value < low + width)


@settings(deadline=None)
@given(cents=st.integers(-5000, 5000), low=st.integers(-5000, 5000), width=st.integers(1, 500))
def test_decimal_and_float_labels_mean_what_they_say(cents: int, low: int, width: int) -> None:
    ends = [str(Decimal(n) / 100) for n in (low, low + width)]
    label = f"[{ends[0]}, {ends[1]})"
    expected = low <= cents < low + width
    assert covers(Decimal(cents) / 100, label, MONEY) is expected
    assert covers(cents / 100, label, FLOAT) is expected
    assert covers(cents / 100, f"({ends[0]}, {ends[1]}]", FLOAT) is (low < cents <= low + width)


@settings(max_examples=40, deadline=None)
@given(day=st.dates(date(1500, 1, 1), date(2400, 12, 31)), other=st.dates(date(1500, 1, 1), date(2400, 12, 31)))
def test_periods_mean_what_they_say(day: date, other: date) -> None:
    quarter = (other.month + 2) // 3
    labels = {
        other.isoformat(): day == other,
        f"{other:%Y-%m}": (day.year, day.month) == (other.year, other.month),
        f"{other.year}-Q{quarter}": (day.year, (day.month + 2) // 3) == (other.year, quarter),
        f"{other.year}": day.year == other.year,
        f"{other.year // 10 * 10}s": day.year // 10 == other.year // 10,
        f">={other}": day >= other,
        f"<={other}": day <= other,
    }
    for label, expected in labels.items():
        assert covers(day, label, pl.Date(), kind="date") is expected
        assert covers(datetime(day.year, day.month, day.day, 13, 5), label, pl.Datetime("us"), kind="date") is expected
