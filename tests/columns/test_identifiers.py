"""Identifier actions: drop, redact, pseudonym."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.identifiers import token

from anonym.columns import identifiers
from anonym.columns.identifiers import Action, DropColumn, Key, Pseudonym, Redact
from anonym.columns.keys import Keyring, SecretKey
from anonym.errors import InputError

KEY, OTHER = Key("env:SAMPLE_KEY"), Key("env:OTHER_KEY")
SECRET = b"0123456789abcdef0123456789abcdef"
RING = Keyring({KEY: SecretKey(SECRET), OTHER: SecretKey(SECRET[::-1])}, salt=b"s" * 32)
PROJECT = Pseudonym(KEY, domain="person", scope="project")


def released(values: pl.Series, action: Action, ring: Keyring = RING) -> pl.DataFrame:
    expressions = identifiers.release(values.name, values.dtype, action, ring)
    return values.to_frame().lazy().select(expressions).collect()


def tokens(values: list[Any], action: Action, ring: Keyring = RING, name: str = "id", **kind: Any) -> list[str | None]:
    return released(pl.Series(name, values, **kind), action, ring)[name].to_list()


COLUMNS = {
    "text": pl.Series("id", ["a", None, "", "a"]),
    "category": pl.Series("id", ["a", None, "a"], dtype=pl.Categorical),
    "enum": pl.Series("id", ["a", None, "a"], dtype=pl.Enum(["b", "a"])),
    "integer": pl.Series("id", [5, None, -7], dtype=pl.Int16),
    "float": pl.Series("id", [0.5, None, float("nan"), -0.0, 0.0, 5.0]),
    "half float": pl.Series("id", [0.5, 3.0], dtype=pl.Float16),
    "decimal": pl.Series("id", [Decimal("5.00"), None, Decimal("5.10")]),
    "boolean": pl.Series("id", [True, None, False]),
    "date": pl.Series("id", [date(2024, 1, 31), None]),
    "timestamp": pl.Series("id", [datetime(2024, 1, 31, 10), None]),
    "time": pl.Series("id", [time(10, 5), None]),
    "binary": pl.Series("id", [b"a\xff", None]),
    "nulls": pl.Series("id", [None, None]),
    "no rows": pl.Series("id", [], dtype=pl.String),
}


@pytest.mark.parametrize("action", [DropColumn(), Redact(), PROJECT, Pseudonym(KEY)], ids=lambda a: type(a).__name__)
@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS.keys())
def test_the_schema_is_as_stated_and_null_stays_null(column: pl.Series, action: Action) -> None:
    output = released(column, action)
    assert dict(output.schema) == identifiers.released_schema("id", action)
    if not isinstance(action, DropColumn):
        empty = column.is_null() | (column.is_nan() if column.dtype.is_float() else column.is_null())
        assert output["id"].is_null().to_list() == empty.to_list()


def test_redact_leaves_one_mark() -> None:
    assert tokens(["x", None, ""], Redact()) == ["[REDACTED]", None, "[REDACTED]"]


def test_a_token_is_the_documented_hmac() -> None:
    """Constants from `openssl dgst -sha256 -mac HMAC` over the length-prefixed parts."""
    known = ["3457d8b25baa773e2bc881729b86cdc5", None, "0bef50fb7d9e230a959626a5e69cb943"]
    assert tokens(["Ada", None, ""], PROJECT) == known


def test_a_token_is_32_hex_digits() -> None:
    assert all(re.fullmatch("[0-9a-f]{32}", str(t)) for t in tokens(["x", "Zoë", "\n", "x" * 500], Pseudonym(KEY)))


SAME = [
    (pl.Series("id", [5, -7, 0]), pl.Series("id", ["5", "-7", "0"])),
    (pl.Series("id", [5.0, -0.0, 0.5]), pl.Series("id", ["5", "0", "0.5"])),
    (pl.Series("id", [5.0, 2.5], dtype=pl.Float32), pl.Series("id", [5.0, 2.5])),
    (pl.Series("id", [2**53, 7], dtype=pl.Float64), pl.Series("id", [2**53, 7], dtype=pl.Int64)),
    (pl.Series("id", [Decimal("5.00"), Decimal("0.50"), Decimal("100.0")]), pl.Series("id", ["5", "0.5", "100"])),
    (pl.Series("id", ["a", "b"], dtype=pl.Categorical), pl.Series("id", ["a", "b"])),
    (pl.Series("id", [True, False]), pl.Series("id", ["true", "false"])),
    (pl.Series("id", [date(2024, 1, 31)]), pl.Series("id", ["2024-01-31"])),
    (pl.Series("id", [datetime(2024, 1, 31, 10)]), pl.Series("id", ["2024-01-31T10:00:00"])),
    (
        pl.Series("id", [datetime(2024, 1, 31, 10)], dtype=pl.Datetime("ns", "Europe/Paris")),
        pl.Series("id", [datetime(2024, 1, 31, 10)], dtype=pl.Datetime("ms", "UTC")),
    ),
    (pl.Series("id", [b"a"]), pl.Series("id", ["a"])),
]


@pytest.mark.parametrize(("one", "other"), SAME, ids=[f"{a.dtype}-{b.dtype}" for a, b in SAME])
def test_the_same_value_in_another_type_has_the_same_token(one: pl.Series, other: pl.Series) -> None:
    assert released(one, PROJECT).equals(released(other, PROJECT))


@pytest.mark.parametrize(
    ("one", "other"),
    [("Ada", "ada"), ("Ada", "Ada "), ("e\u0301", "\u00e9"), ("5", "5.0"), ("5", "05"), ("", " ")],
)
def test_texts_that_differ_have_different_tokens(one: str, other: str) -> None:
    assert len(set(tokens([one, other], PROJECT))) == 2


def test_scope_release_differs_between_releases_and_project_does_not() -> None:
    later = replace(RING, salt=b"t" * 32)
    assert tokens(["x"], Pseudonym(KEY), RING) != tokens(["x"], Pseudonym(KEY), later)
    assert tokens(["x"], PROJECT, RING) == tokens(["x"], PROJECT, later)


def test_the_domain_is_the_columns_name_unless_declared() -> None:
    assert tokens(["x"], Pseudonym(KEY), name="id") != tokens(["x"], Pseudonym(KEY), name="customer")
    assert tokens(["x"], Pseudonym(KEY, "id"), name="customer") == tokens(["x"], Pseudonym(KEY), name="id")
    assert tokens(["x"], PROJECT, name="id") == tokens(["x"], PROJECT, name="customer")


@pytest.mark.parametrize(
    "dtype", [pl.List(pl.Int8), pl.Struct({"a": pl.Int8}), pl.Duration("us"), pl.Object()], ids=str
)
def test_a_type_without_one_text_is_refused_before_any_row(dtype: pl.DataType) -> None:
    with pytest.raises(InputError, match="'id' has type"):
        identifiers.release("id", dtype, PROJECT, RING)
    identifiers.release("id", dtype, DropColumn(), RING)


def test_durations_are_refused_and_no_value_is_told() -> None:
    with pytest.raises(InputError) as caught:
        released(pl.Series("id", [timedelta(days=4711)]), PROJECT)
    assert "4711" not in str(caught.value)


texts = st.lists(st.none() | st.text(max_size=8), max_size=30)
actions = st.builds(
    Pseudonym, st.sampled_from([KEY, OTHER]), st.none() | st.text(max_size=4), st.sampled_from(["release", "project"])
)
salts = st.sampled_from([b"s" * 32, b"t" * 32])


@settings(deadline=None)  # the first call compiles
@given(texts, actions, salts)
def test_pseudonyms_equal_the_naive_twin(values: list[str | None], action: Pseudonym, salt: bytes) -> None:
    ring = replace(RING, salt=salt)
    domain = "id" if action.domain is None else action.domain
    mixed = salt if action.scope == "release" else b""
    secret = RING[action.key].secret
    assert tokens(values, action, ring, dtype=pl.String) == [
        token(secret, action.scope, mixed, domain, value) for value in values
    ]


short = st.text("ab", max_size=2)


@settings(deadline=None)
@given(short, actions, salts, short, actions, salts)
def test_same_token_exactly_when_everything_agrees(
    one: str, action: Pseudonym, salt: bytes, other: str, action2: Pseudonym, salt2: bytes
) -> None:
    def identity(value: str, a: Pseudonym, s: bytes) -> tuple[object, ...]:
        return (value, a.key, "id" if a.domain is None else a.domain, a.scope, s if a.scope == "release" else None)

    same = tokens([one], action, replace(RING, salt=salt)) == tokens([other], action2, replace(RING, salt=salt2))
    assert same == (identity(one, action, salt) == identity(other, action2, salt2))


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 20), max_size=60), st.integers(1, 60))
def test_batches_do_not_matter(values: list[int], size: int) -> None:
    whole = tokens(values, PROJECT, dtype=pl.Int64)
    parts = [t for i in range(0, len(values), size) for t in tokens(values[i : i + size], PROJECT, dtype=pl.Int64)]
    assert whole == parts
