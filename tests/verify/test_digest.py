"""Digests: equal for equal class tables however they are stored, different for everything else."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.verify.digest import digest, keyed_digest
from anonym.verify.facts import Facts, QuasiFact, SensitiveFact

FACTS = Facts(
    quasi=(QuasiFact("q", ("q_low", "q_high"), "bounds"), QuasiFact("r", ("r",))), sensitive=(SensitiveFact("dx"),)
)
SCHEMA = {"q_low": pl.Int64, "q_high": pl.Int64, "r": pl.String, "dx": pl.String}
text = st.sampled_from([None, "", "a", "b", "a:b", "1:a", "-", "*", "é", "a\nb"])
number = st.sampled_from([None, 1, 2, 11])
table = st.lists(st.tuples(number, number, text, text), max_size=8)


def frame(rows: list[Any]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


@settings(max_examples=200, deadline=None)
@given(one=table, other=table, data=st.data())
def test_the_digest_tells_class_tables_apart(one: list[Any], other: list[Any], data: st.DataObject) -> None:
    first = digest(frame(one).lazy(), FACTS)
    assert digest(frame(data.draw(st.permutations(one))).lazy(), FACTS) == first
    assert (digest(frame(other).lazy(), FACTS) == first) is (Counter(one) == Counter(other))


def test_layout_and_dictionaries_do_not_matter(tmp_path: Path) -> None:
    rows = frame([(1, 2, "a", "x"), (1, 2, "b", None), (None, None, None, "x"), (1, 2, "a", "y")])
    expected = digest(rows.lazy(), FACTS)
    rows.sample(fraction=1, shuffle=True, seed=3).cast({"r": pl.Categorical, "q_low": pl.Int8}).write_parquet(
        tmp_path / "r.parquet", row_group_size=1
    )
    assert digest(pl.scan_parquet(tmp_path / "r.parquet"), FACTS) == expected
    assert len(expected) == 64


def test_names_and_kinds_matter() -> None:
    rows = pl.LazyFrame({"a": [1, 2], "b": ["1", "2"]})
    seen = {
        digest(rows, Facts(quasi=(QuasiFact("a", ("a",)),))),
        digest(rows.rename({"a": "c"}), Facts(quasi=(QuasiFact("c", ("c",)),))),
        digest(rows.cast({"a": pl.String}), Facts(quasi=(QuasiFact("a", ("a",)),))),
        digest(rows, Facts(sensitive=(SensitiveFact("a"),))),
        digest(rows, Facts(quasi=(QuasiFact("a", ("a",)), QuasiFact("b", ("b",))))),
        digest(rows, Facts(quasi=(QuasiFact("a", ("a",)),), sensitive=(SensitiveFact("b"),))),
        digest(rows.clear(), Facts(quasi=(QuasiFact("a", ("a",)),))),
    }
    assert len(seen) == 7


def test_the_inputs_digest_needs_its_key() -> None:
    rows = pl.LazyFrame({"q": [1.0, float("nan"), -0.0], "r": ["a", "b", None], "dx": ["x", "y", "x"]})
    one, two = b"k" * 32, b"l" * 32
    assert keyed_digest(one, rows, FACTS) == keyed_digest(one, rows.reverse(), FACTS)
    assert keyed_digest(one, rows, FACTS) != keyed_digest(two, rows, FACTS)
    same = rows.with_columns(pl.Series("q", [1.0, None, 0.0]))
    assert keyed_digest(one, rows, FACTS) == keyed_digest(one, same, FACTS)


def test_nested_values_have_a_digest() -> None:
    facts = Facts(sensitive=(SensitiveFact("v"),))
    rows = pl.LazyFrame({"v": [[1, 2], [3], None, [1, 2]]})
    assert digest(rows, facts) == digest(rows.reverse(), facts)
    assert digest(rows, facts) != digest(pl.LazyFrame({"v": [[1], [2, 3], None, [1]]}), facts)


def test_counts_matter_without_a_sensitive_column() -> None:
    facts = Facts(quasi=(QuasiFact("a", ("a",)),))
    assert digest(pl.LazyFrame({"a": ["x", "x", "y"]}), facts) != digest(pl.LazyFrame({"a": ["x", "y", "y"]}), facts)


@pytest.mark.parametrize("dtype", [pl.Duration("ms"), pl.Time, pl.Binary])
def test_values_without_a_text_of_their_own_have_a_digest(dtype: Any) -> None:
    asked = Facts(quasi=(QuasiFact("q", ("q",)),), sensitive=(SensitiveFact("s"),))

    def of(values: list[Any]) -> str:
        cells = pl.Series([bytes([255 - v]) for v in values]) if dtype == pl.Binary else pl.Series(values).cast(dtype)
        return digest(pl.DataFrame({"q": ["a"] * len(values), "s": cells}).lazy(), asked)

    assert of([0, 1, 2]) == of([2, 0, 1]) != of([0, 1, 3])
