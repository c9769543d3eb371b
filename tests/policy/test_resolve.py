"""What becomes of each column of an input, and which inputs do not fit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from anonym.errors import InputError, PolicyError
from anonym.policy import Policy, ResolvedColumn
from anonym.policy.model import Drop, Identifier, Keep, Quasi, Text

Load = Callable[[str], Policy]


def policy(columns: dict[str, Any], **more: Any) -> Policy:
    quasi = any(column.get("role") == "quasi" for column in columns.values())
    return Policy.load({"anonym": 1, "columns": columns} | ({"guarantee": {"k": 2}} if quasi else {}) | more)


def misfit(spec: dict[str, Any], dtype: pl.DataType) -> str:
    with pytest.raises(InputError) as caught:
        policy({"c": spec}).resolve({"c": dtype})
    assert caught.value.status == 4
    head, *lines = str(caught.value).splitlines()
    assert head == "the input does not fit the policy"
    assert len(lines) == 1
    return lines[0].strip()


def test_columns_come_in_the_inputs_order_with_their_entry() -> None:
    schema = {"note": pl.String(), "addr_zip": pl.String(), "id": pl.Int64(), "addr_no": pl.Int8()}
    found = policy(
        {
            "id": {"role": "identifier"},
            "addr_*": {"role": "keep"},
            "addr_zip": {"role": "quasi"},
            "note": {"role": "text"},
        }
    ).resolve(schema)
    assert [(column.name, column.pattern) for column in found] == [
        ("note", "note"),
        ("addr_zip", "addr_zip"),
        ("id", "id"),
        ("addr_no", "addr_*"),
    ]
    assert [type(column.role) for column in found] == [Text, Quasi, Identifier, Keep]
    assert [column.dtype for column in found] == list(schema.values())


def test_a_column_with_the_name_of_a_glob_is_meant_by_it() -> None:
    found = policy({"items[0]": {"role": "keep"}}).resolve({"items[0]": pl.Int8()})
    assert found == (ResolvedColumn("items[0]", pl.Int8(), Keep(), "items[0]"),)


def test_a_column_that_is_not_listed_is_refused_by_name() -> None:
    with pytest.raises(InputError) as caught:
        policy({"age_band": {"role": "quasi"}, "dx": {"role": "sensitive"}}).resolve(
            {"age_band": pl.String(), "dx": pl.String(), "bounce_recipient": pl.String(), "x y": pl.Int8()}
        )
    text = str(caught.value)
    assert "2 columns of the input are not listed in the policy: bounce_recipient, x y" in text
    assert "unlisted: drop" in text


def test_a_column_that_is_not_listed_is_dropped_if_the_policy_says_so() -> None:
    found = policy({"a": {"role": "keep"}}, unlisted="drop").resolve({"a": pl.Int8(), "b": pl.List(pl.Int8())})
    assert found[1] == ResolvedColumn("b", pl.List(pl.Int8()), Drop(), None)


def test_columns_that_the_input_lacks_are_named() -> None:
    with pytest.raises(InputError, match="the policy lists 2 columns that the input lacks: b, c"):
        policy({name: {"role": "keep"} for name in "abc"}).resolve({"a": pl.Int8()})


def test_a_glob_that_matches_nothing_is_named() -> None:
    with pytest.raises(InputError, match=r"no column of the input matches x_\*"):
        policy({"a": {"role": "keep"}, "x_*": {"role": "drop"}}).resolve({"a": pl.Int8()})


def test_globs_that_overlap_on_a_column_are_refused() -> None:
    overlapping = policy({"id_*": {"role": "drop"}, "*_name": {"role": "keep"}})
    assert len(overlapping.resolve({"id_a": pl.Int8(), "b_name": pl.Int8()})) == 2
    with pytest.raises(PolicyError) as caught:
        overlapping.resolve({"id_a": pl.Int8(), "b_name": pl.Int8(), "id_name": pl.Int8()})
    assert [fault.path for fault in caught.value.faults] == ["columns.*_name"]
    assert "overlaps id_* on column id_name" in str(caught.value)


def test_a_name_settles_an_overlap() -> None:
    columns = {"id_*": {"role": "drop"}, "*_name": {"role": "keep"}, "id_name": {"role": "identifier"}}
    found = policy(columns).resolve({"id_a": pl.Int8(), "b_name": pl.Int8(), "id_name": pl.Int8()})
    assert found[2].pattern == "id_name"


def test_unit_and_also_from_must_be_there() -> None:
    with pytest.raises(InputError, match="unit names who, which the input lacks"):
        policy({"a": {"role": "keep"}}, unit="who", unlisted="drop").resolve({"a": pl.Int8()})
    with pytest.raises(InputError, match=r"text.also_from names id_2, which the input lacks"):
        policy({"id_*": {"role": "drop"}}, text={"also_from": ["id_2"]}).resolve({"id_1": pl.Int8()})


def test_a_unit_has_one_value() -> None:
    with pytest.raises(InputError, match="unit a cannot be of type List"):
        policy({"a": {"role": "drop"}}, unit="a").resolve({"a": pl.List(pl.String())})


NESTED = [pl.List(pl.Int8()), pl.Array(pl.Int8(), 2), pl.Struct({"x": pl.Int8()}), pl.Object(), pl.Binary()]
PSEUDONYM = {"role": "identifier", "action": "pseudonym", "key": "env:K"}


@pytest.mark.parametrize("dtype", NESTED, ids=lambda dtype: str(dtype.base_type()))
@pytest.mark.parametrize(
    ("spec", "who"),
    [
        ({"role": "quasi"}, "role quasi"),
        ({"role": "sensitive"}, "role sensitive"),
        ({"role": "text"}, "role text"),
        ({"role": "keep"}, "role keep without allow_unique"),
        (PSEUDONYM, "action pseudonym"),
    ],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_nested_types_are_refused(spec: dict[str, Any], who: str, dtype: pl.DataType) -> None:
    assert misfit(spec, dtype).startswith(f"column c: {who} cannot be of type {dtype.base_type()}")


@pytest.mark.parametrize("dtype", NESTED, ids=lambda dtype: str(dtype.base_type()))
@pytest.mark.parametrize(
    "spec",
    [
        {"role": "drop"},
        {"role": "identifier"},
        {"role": "identifier", "action": "redact"},
        {"role": "keep", "allow_unique": "public already"},
    ],
    ids=lambda spec: spec["role"],
)
def test_nested_types_are_no_matter_where_nothing_reads_them(spec: dict[str, Any], dtype: pl.DataType) -> None:
    assert policy({"c": spec}).resolve({"c": dtype})


ENUM = pl.Enum(["secret-category", "other"])
NUMBERS = [pl.Int8(), pl.UInt64(), pl.Float32(), pl.Decimal(10, 2)]
DATES = [pl.Date(), pl.Datetime("us"), pl.Datetime("ms", "UTC")]
TEXTS = [pl.String(), pl.Categorical(), ENUM]
TIMES, LENGTHS = [pl.Time()], [pl.Duration("ms"), pl.Duration("ns")]
OTHERS = [pl.Boolean(), *TIMES, *LENGTHS, pl.Null()]


@pytest.mark.parametrize(
    ("spec", "fits", "words"),
    [
        ({"hierarchy": {"interval": [5]}}, NUMBERS, "its hierarchy reads numbers"),
        ({"hierarchy": {"breaks": [5]}}, NUMBERS, "its hierarchy reads numbers"),
        ({"hierarchy": {"round": [0]}}, NUMBERS, "its hierarchy reads numbers"),
        ({"hierarchy": {"date": ["year"]}}, DATES, "its hierarchy reads dates"),
        ({"hierarchy": {"interval": ["15m", "1h"]}}, TIMES + LENGTHS, "its hierarchy reads times of day or durations"),
        ({"hierarchy": {"breaks": ["08:00", "18:00"]}}, TIMES, "its hierarchy reads times of day"),
        ({"hierarchy": {"breaks": ["1h", "1d"]}}, LENGTHS, "its hierarchy reads durations"),
        ({"hierarchy": {"prefix": [3]}}, TEXTS, "prefix reads text"),
        ({"hierarchy": "suppress"}, NUMBERS + DATES + TEXTS + OTHERS, ""),
        ({}, NUMBERS + DATES + TEXTS + OTHERS, ""),
        ({"top": 90}, NUMBERS, "its top is a number"),
        ({"bottom": 5}, NUMBERS, "its bottom is a number"),
        ({"top": "2020-01-01"}, DATES, "its top is a date"),
        ({"top": "22:00"}, TIMES, "its top is a time of day"),
        ({"bottom": "-1h30m"}, LENGTHS, "its bottom is a length of time"),
        ({"form": "bounds"}, NUMBERS + DATES + TIMES + LENGTHS, "form bounds needs numbers or dates"),
        ({"normalise": ["trim"]}, TEXTS, "normalise needs text"),
    ],
    ids=lambda part: str(part) if isinstance(part, dict) else "",
)
def test_which_types_fit_a_quasi_identifier(spec: dict[str, Any], fits: list[pl.DataType], words: str) -> None:
    for dtype in NUMBERS + DATES + TEXTS + OTHERS:
        if any(dtype == fit for fit in fits):
            assert policy({"c": {"role": "quasi"} | spec}).resolve({"c": dtype})
        else:
            assert words in misfit({"role": "quasi"} | spec, dtype)


HINTS = [
    ({"round": [0]}, pl.Time(), "as in {interval: [15m, 1h]}"),
    ({"round": [0]}, pl.Duration("us"), "as in {interval: [15m, 1h]}"),
    ({"round": [0]}, pl.Date(), "as in {date: [month, year]}"),
    ({"interval": [5]}, pl.Datetime("us"), "as in {date: [month, year]}"),
    ({"interval": [5]}, pl.Time(), "as in {interval: [15m, 1h]}"),
    ({"breaks": [5]}, pl.Date(), "as in {date: [month, year]}"),
    ({"breaks": [5]}, pl.Time(), "as in {breaks: [08:00, 12:00, 18:00]}"),
    ({"breaks": ["08:00"]}, pl.Duration("us"), "as in {breaks: [1h, 8h, 1d]}"),
    ({"date": ["year"]}, pl.Time(), "as in {interval: [15m, 1h]}"),
    ({"round": [0]}, pl.String(), "cast the column"),
    ({"date": ["year"]}, pl.Int64(), "cast the column"),
]


@pytest.mark.parametrize(("hierarchy", "dtype", "hint"), HINTS, ids=str)
def test_a_hierarchy_of_another_type_says_what_to_write(
    hierarchy: dict[str, Any], dtype: pl.DataType, hint: str
) -> None:
    assert hint in misfit({"role": "quasi", "hierarchy": hierarchy}, dtype)


def test_prefix_of_a_number_says_what_to_do() -> None:
    assert "set its input.types to str" in misfit({"role": "quasi", "hierarchy": {"prefix": [3]}}, pl.Int64())


def test_text_needs_text() -> None:
    for dtype in TEXTS:
        assert policy({"c": {"role": "text"}}).resolve({"c": dtype})
    assert misfit({"role": "text"}, pl.Int64()) == "column c: role text needs text, found Int64"


def test_categories_are_not_named() -> None:
    assert "secret-category" not in misfit({"role": "quasi", "hierarchy": {"interval": [5]}}, ENUM)


def test_bounds_do_not_overwrite_a_column() -> None:
    bounds = {"role": "quasi", "form": "bounds"}
    with pytest.raises(InputError, match="column a: form bounds would write a_low, which is there already"):
        policy({"a": bounds, "a_low": {"role": "keep"}}).resolve({"a": pl.Int8(), "a_low": pl.Int8()})
    with pytest.raises(InputError, match="a_low_high"):
        policy({"a": bounds, "a_low": bounds, "a_low_high": {"role": "keep"}}).resolve(
            {"a": pl.Int8(), "a_low": pl.Int8(), "a_low_high": pl.Int8()}
        )
    assert policy({"a": bounds, "b": bounds}).resolve({"a": pl.Int8(), "b": pl.Int8()})


def test_everything_that_does_not_fit_is_said_at_once() -> None:
    columns = {"a": {"role": "quasi", "hierarchy": {"interval": [5]}}, "b": {"role": "text"}, "c": {"role": "keep"}}
    with pytest.raises(InputError) as caught:
        policy(columns).resolve({"a": pl.String(), "b": pl.Int8(), "d": pl.Int8()})
    assert len(str(caught.value).splitlines()) == 5


def test_an_empty_input_schema_lacks_everything() -> None:
    with pytest.raises(InputError, match="lists 1 column that the input lacks: a"):
        policy({"a": {"role": "keep"}}).resolve({})


def test_many_columns_are_resolved() -> None:
    schema = {f"c{i}": pl.Int8() for i in range(5_000)}
    assert len(policy({"c*": {"role": "keep"}, "c7": {"role": "drop"}}).resolve(schema)) == 5_000


@pytest.mark.parametrize("form", ["set", "bounds", "representative"])
def test_coded_ends_need_a_hierarchy_that_knows_what_lies_between(form: str, tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text("1,*\n2,*\n", encoding="utf-8")
    column = {"role": "quasi", "hierarchy": {"file": str(tmp_path / "n.csv")}, "top": 90, "form": form}
    said = f"form {form} with top or bottom needs a hierarchy that knows what lies between"
    with pytest.raises(InputError, match=said):
        policy({"n": column}).resolve({"n": pl.Int64()})
    policy({"n": column | {"form": "label"}}).resolve({"n": pl.Int64()})
