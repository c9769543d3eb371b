"""Identifiers in their own row's text: as words, in any case, in any script."""

from __future__ import annotations

import re

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.verify.leaks import rows_with_own

TABLE = [
    ("Ms Brenthwick called", "Brenthwick", True),
    ("ms BRENTHWICK called", "Brenthwick", True),
    ("brenthwick", " Brenthwick ", True),
    ("Brenthwicks called", "Brenthwick", False),
    ("mail a.b@mail.example today", "a.b@mail.example", True),
    ("mail axb@mail.example today", "a.b@mail.example", False),
    ("in der GROSSSTRASSE", "Großstraße", True),
    ("chez ÉLODIE", "Élodie", True),
    ("chez Elodie", "Élodie", False),
    ("古田さん 古田太郎 さん", "古田太郎", True),
    ("call Li today", "Li", False),
    ("order 12345, thanks", "12345", True),
    ("order 123456", "12345", False),
    ("SSSS", "ßß", True),
    (None, "Brenthwick", False),
    (None, "Élodie", False),
    ("", "Brenthwick", False),
    ("nothing", None, False),
    ("null and void", "", False),
    ("a (b) [c] *", "(b) [c]", True),
]


@pytest.mark.parametrize(("text", "own", "expected"), TABLE)
def test_own_identifiers_are_found_as_words(text: str | None, own: str | None, expected: bool) -> None:
    table = pl.DataFrame({"text": [own], "other": ["elsewhere"]}, schema={"text": pl.String, "other": pl.String})
    assert rows_with_own(pl.Series([text], dtype=pl.String), table) == expected


def test_each_row_is_compared_with_its_own_values_only() -> None:
    texts = pl.Series(["Odalys wrote", "Odalys wrote", "b@c.de wrote"])
    own = pl.DataFrame({"name": ["Odalys", "Ileana", "Jorik"], "mail": ["a@c.de", "b@c.de", "b@c.de"]})
    assert rows_with_own(texts, own) == 2


letters = st.text("aB1 é.ßS", max_size=9)


@settings(max_examples=150, deadline=None)
@given(rows=st.lists(st.tuples(st.none() | letters, st.none() | letters, st.none() | letters), max_size=6))
def test_the_engine_narrows_down_without_loss(rows: list[tuple[str | None, str | None, str | None]]) -> None:
    def holds(text: str | None, *own: str | None) -> bool:
        wanted = [value.strip().casefold() for value in own if value]
        return any(
            len(value) >= 4 and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", (text or "").casefold())
            for value in wanted
        )

    frame = pl.DataFrame(rows, schema={"text": pl.String, "a": pl.String, "b": pl.String}, orient="row")
    assert rows_with_own(frame["text"], frame.select("a", "b")) == sum(holds(*row) for row in rows)
