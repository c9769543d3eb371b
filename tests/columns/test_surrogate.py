"""Surrogate columns: consistent, never a value of the input, and counted honestly."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.columns.inventions import KINDS
from anonym.columns.keys import Key, Keyring, SecretKey
from anonym.columns.surrogate import ATTEMPTS, Invented, Surrogate, invent, released_schema
from anonym.errors import InputError

KEY, OTHER = Key("env:SAMPLE_KEY"), Key("env:OTHER_KEY")
SECRET = b"0123456789abcdef0123456789abcdef"
RING = Keyring({KEY: SecretKey(SECRET), OTHER: SecretKey(SECRET[::-1])}, salt=b"s" * 32)
NAMES = Surrogate("person_name", KEY, domain="person", scope="project")


def invented(values: list[Any], action: Surrogate = NAMES, ring: Keyring = RING, name: str = "id") -> Invented:
    return invent(name, pl.Series(name, values), action, ring)


def mapping(values: list[Any], action: Surrogate = NAMES, ring: Keyring = RING, name: str = "id") -> dict[str, str]:
    result = invented(values, action, ring, name)
    return dict(zip(result.text.to_list(), result.surrogate.to_list(), strict=True))


def released(column: pl.Series, action: Surrogate = NAMES) -> pl.Series:
    expressions = invent(column.name, column, action, RING).release()
    return column.to_frame().lazy().select(expressions).collect()[column.name]


kinds = st.sampled_from(sorted(KINDS))
values = st.lists(st.text("aB1 -@.", min_size=1, max_size=4), min_size=1, max_size=15)


@settings(deadline=None, max_examples=150)
@given(values, kinds)
def test_no_surrogate_is_a_value_of_the_column(column: list[str], kind: Any) -> None:
    result = invented(column, replace(NAMES, kind=kind))
    hidden = [s for text, s in zip(result.text, result.surrogate, strict=True) if text.strip()]
    assert not {s.strip().casefold() for s in hidden} & {v.strip().casefold() for v in column}
    assert all(s.strip() for s in hidden)


@settings(deadline=None, max_examples=50)
@given(values, kinds)
def test_a_surrogate_depends_on_its_value_and_not_on_order_or_repetition(column: list[str], kind: Any) -> None:
    action = replace(NAMES, kind=kind)
    assert mapping(column, action) == mapping([*column[::-1], *column], action)


def test_the_same_person_has_the_same_surrogate_in_two_columns_of_one_domain() -> None:
    action = Surrogate("email", KEY, domain="person", scope="project")
    first, second = (
        mapping(["a.b@acme.com", extra], action, name=name) for extra, name in (("x@y", "m1"), ("z@y", "m2"))
    )
    assert first["a.b@acme.com"] == second["a.b@acme.com"]


@pytest.mark.parametrize(
    ("action", "ring", "name", "same"),
    [
        (Surrogate("code", KEY), RING, "id", True),
        (Surrogate("code", KEY, domain="id"), RING, "other", True),
        (Surrogate("code", KEY), RING, "other", False),
        (Surrogate("code", OTHER), RING, "id", False),
        (Surrogate("code", KEY, domain="x"), RING, "id", False),
        (Surrogate("code", KEY, scope="project"), RING, "id", False),
        (Surrogate("postcode", KEY), RING, "id", False),
        (Surrogate("code", KEY), replace(RING, salt=b"t" * 32), "id", False),
    ],
)
def test_it_is_the_same_exactly_when_key_kind_domain_scope_and_release_agree(
    action: Surrogate, ring: Keyring, name: str, same: bool
) -> None:
    reference = mapping(["abcdefghijkl"], Surrogate("code", KEY))
    assert (mapping(["abcdefghijkl"], action, ring, name) == reference) is same


def test_scope_project_ignores_the_release() -> None:
    action = Surrogate("code", KEY, scope="project")
    assert mapping(["abcdefghijkl"], action) == mapping(["abcdefghijkl"], action, replace(RING, salt=b"t" * 32))


def test_collisions_redraws_and_exhaustion_are_counted() -> None:
    digits = [str(d) for d in range(10)]
    full = invented(digits, Surrogate("code", KEY, scope="project"))
    assert full.redrawn == 10
    assert full.exhausted == 0
    assert all(len(s) > 1 for s in full.surrogate)
    cards = invented([f"4{n:015}" for n in range(100)], Surrogate("card", KEY))
    assert cards.collisions > 80
    assert cards.collisions == 100 - cards.surrogate.value_counts().filter(pl.col("count") == 1).height
    free = invented(["AAAAAAAAAAAA", "BBBBBBBBBBBB"], Surrogate("code", KEY))
    assert (free.collisions, free.redrawn, free.exhausted) == (0, 0, 0)


def test_where_every_outcome_is_taken_a_token_stands_in() -> None:
    from anonym.columns.inventions import TEST_CARDS

    result = invented(list(TEST_CARDS), Surrogate("card", KEY))
    assert result.exhausted > 0
    assert not set(result.surrogate) & set(TEST_CARDS)
    assert all(s.startswith("card-") for s in result.surrogate if s not in TEST_CARDS and not s.isdigit())
    assert ATTEMPTS == 32


COLUMNS = {
    "text": pl.Series("id", ["Ada Byron", None, "", "Ada Byron", " "]),
    "category": pl.Series("id", ["Ada Byron", None], dtype=pl.Categorical),
    "integer": pl.Series("id", [1234567, None, 7654321]),
    "float": pl.Series("id", [12345.0, None, float("nan")]),
    "nulls": pl.Series("id", [None, None]),
    "no rows": pl.Series("id", [], dtype=pl.String),
}


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS.keys())
def test_the_schema_is_as_stated_null_stays_null_and_blank_stays_blank(column: pl.Series) -> None:
    output = released(column, Surrogate("code", KEY))
    assert {"id": output.dtype} == released_schema("id")
    empty = column.is_null() | (column.is_nan() if column.dtype.is_float() else column.is_null())
    assert output.is_null().to_list() == empty.to_list()
    if column.dtype == pl.String:
        assert [s for s in output if s is not None and not s.strip()] == [
            s for s in column if s is not None and not s.strip()
        ]


def test_rows_get_the_surrogate_of_their_value() -> None:
    column = pl.Series("id", ["Ada Byron", "Grace Hopper", "Ada Byron", None])
    known = mapping(column.to_list())
    assert released(column).to_list() == [known["Ada Byron"], known["Grace Hopper"], known["Ada Byron"], None]


def test_a_value_that_came_later_stops_the_run_and_is_not_shown() -> None:
    expressions = invented(["Ada Byron"]).release()
    frame = pl.DataFrame({"id": ["Ada Byron", "Grace Hopper"]})
    with pytest.raises(
        (InputError, pl.exceptions.ComputeError), match="'id' holds values that it did not hold"
    ) as caught:
        frame.lazy().select(expressions).collect()
    assert "Grace" not in str(caught.value)


def test_binary_is_refused() -> None:
    with pytest.raises(InputError, match="binary"):
        invented([b"x"])
