"""Canonical values, leaf codes and packed words."""

from __future__ import annotations

import math
import unicodedata
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.errors import InputError
from anonym.hierarchy.encode import (
    canonical,
    coder,
    domain,
    fold,
    leaf_code,
    normalised,
    pack,
    pack_codes,
    unpack,
)

TOWNS = ["Brun", "Avel", "Brun", None, "Cort"]
MOMENTS = [datetime(2024, 10, 27, 0, 30), datetime(1960, 1, 1), None, datetime(1960, 1, 1)]

COLUMNS: dict[str, tuple[pl.Series, list[Any], list[int]]] = {
    "text": (pl.Series(TOWNS), ["Avel", "Brun", "Cort", None], [1, 0, 1, 3, 2]),
    "categories": (pl.Series(TOWNS, dtype=pl.Categorical), ["Avel", "Brun", "Cort", None], [1, 0, 1, 3, 2]),
    "an enum in its own order, with an unused value": (
        pl.Series(TOWNS, dtype=pl.Enum(["Zell", "Cort", "Brun", "Avel"])),
        ["Avel", "Brun", "Cort", None],
        [1, 0, 1, 3, 2],
    ),
    "floats": (
        pl.Series([1.5, -0.0, math.nan, 0.0, None, -2.0]),
        [-2.0, 0.0, 1.5, None],
        [2, 1, 3, 1, 3, 0],
    ),
    "single floats": (pl.Series([0.1, math.nan, -0.0], dtype=pl.Float32), None, [1, 2, 0]),
    "small integers": (pl.Series([127, -128, None, 0], dtype=pl.Int8), [-128, 0, 127, None], [2, 0, 3, 1]),
    "integers whose distance passes their type": (
        pl.Series([100, -100, -10, 45], dtype=pl.Int8),
        [-100, -10, 45, 100],
        [3, 0, 1, 2],
    ),
    "unsigned integers": (pl.Series([255, 0, 3], dtype=pl.UInt8), [0, 3, 255], [2, 0, 1]),
    "large unsigned integers": (pl.Series([2**64 - 1, 2**64 - 3], dtype=pl.UInt64), [2**64 - 3, 2**64 - 1], [1, 0]),
    "far integers": (pl.Series([2**62, -(2**62), 5]), [-(2**62), 5, 2**62], [2, 0, 1]),
    "huge integers": (pl.Series([2**100, -5, None], dtype=pl.Int128), [-5, 2**100, None], [1, 0, 2]),
    "decimals": (
        pl.Series([Decimal("9007199254740993.00"), Decimal("9007199254740992.00")], dtype=pl.Decimal(20, 2)),
        [Decimal("9007199254740992.00"), Decimal("9007199254740993.00")],
        [1, 0],
    ),
    "truth": (pl.Series([True, None, False]), [False, True, None], [1, 2, 0]),
    "dates": (
        pl.Series([date(2024, 1, 1), date(1905, 1, 1), None]),
        [date(1905, 1, 1), date(2024, 1, 1), None],
        [1, 0, 2],
    ),
    "timestamps": (pl.Series(MOMENTS), [MOMENTS[1], MOMENTS[0], None], [1, 0, 2, 0]),
    "zoned timestamps": (
        pl.Series(MOMENTS, dtype=pl.Datetime("us", "UTC")),
        [MOMENTS[1].replace(tzinfo=UTC), MOMENTS[0].replace(tzinfo=UTC), None],
        [1, 0, 2, 0],
    ),
    "nothing but null": (pl.Series([None, None], dtype=pl.String), [None], [0, 0]),
    "nothing but null, numbers": (pl.Series([None, None], dtype=pl.Int64), [None], [0, 0]),
    "a column without a type": (pl.Series([None, None]), [None], [0, 0]),
    "no rows": (pl.Series([], dtype=pl.String), [], []),
    "no rows, numbers": (pl.Series([], dtype=pl.Float64), [], []),
}


@pytest.mark.parametrize("case", COLUMNS)
def test_domain_and_leaf_codes(case: str) -> None:
    column, expected, codes = COLUMNS[case]
    frame = column.alias("c").to_frame().lazy()
    found = domain(frame, "c", column.dtype)
    if expected is not None:
        assert found["value"].to_list() == expected
    assert found["rows"].dtype == pl.Int64
    assert found["rows"].sum() == len(column)
    coded = frame.select(leaf_code(found["value"], "c")).collect(engine="streaming")["c"]
    assert coded.dtype == pl.Int32
    assert coded.to_list() == codes


def test_no_negative_zero_is_left() -> None:
    frame = pl.LazyFrame({"c": [-0.0, 1.0]})
    (zero, _) = domain(frame, "c", pl.Float64())["value"].to_list()
    assert math.copysign(1, zero) == 1
    values = frame.select(canonical("c", pl.Float64())).collect()["c"].to_list()
    assert math.copysign(1, values[0]) == 1


CHANGED: dict[str, tuple[pl.Series, pl.Series]] = {
    "another text": (pl.Series(["a", "b"]), pl.Series(["a", "canary"])),
    "another text beside null": (pl.Series(["a", None]), pl.Series(["canary"])),
    "another number beside null": (pl.Series([1, None]), pl.Series([4711])),
    "another number": (pl.Series([1, 31337]), pl.Series([1, 4711])),
    "a number beyond": (pl.Series([1, 3]), pl.Series([4711])),
    "a far number": (pl.Series([0, 2**62]), pl.Series([4711])),
    "another decimal": (pl.Series([Decimal("1.0")]), pl.Series([Decimal("4711.0")])),
    "a null among texts": (pl.Series(["a", "b"]), pl.Series(["a", None])),
    "a null among numbers": (pl.Series([1.5]), pl.Series([None], dtype=pl.Float64)),
    "NaN among numbers": (pl.Series([1.5]), pl.Series([math.nan])),
    "a value where there was none": (pl.Series([], dtype=pl.Int64), pl.Series([4711])),
    "another type": (pl.Series([1]), pl.Series([4711.5])),
}


@pytest.mark.parametrize("case", CHANGED)
def test_a_changed_input_is_refused_without_its_value(case: str) -> None:
    before, after = CHANGED[case]
    values = domain(before.alias("c").to_frame().lazy(), "c", before.dtype)["value"]
    coded = after.alias("c").to_frame().lazy().select(leaf_code(values, "c"))
    with pytest.raises(InputError, match="the input changed between two passes: column 'c'") as caught:
        coded.collect(engine="streaming")
    assert not any(word in str(caught.value) for word in ("canary", "4711", "31337", "expression"))


FOLDED = {
    "trim": ((" a", "a\u00a0", "a\t"), ("trim",), {"a"}),
    "full case folding": (("STRASSE", "straße"), ("casefold",), {"strasse"}),
    "lower case keeps what folding joins": (("ς", "σ", "Σ"), ("casefold",), {"σ"}),
    "compatibility": (("ﬁ", "fi", "\uff46i"), ("nfkc",), {"fi"}),
    "composed and decomposed": (("é", "e\u0301"), ("nfkc",), {"é"}),
    "all of them": ((" Ｆ\u00a0", "f"), ("trim", "casefold", "nfkc"), {"f"}),
    "nothing else": (("A", "a "), ("nfkc",), {"A", "a "}),
}


@pytest.mark.parametrize("case", FOLDED)
def test_spellings_are_made_equal(case: str) -> None:
    texts, steps, expected = FOLDED[case]
    column = pl.Series("c", [*texts, None, *texts])
    assert set(normalised(column, steps).drop_nulls()) == expected
    frame = column.to_frame().lazy()
    values = domain(frame, "c", column.dtype, steps)["value"]
    assert set(values.drop_nulls()) == expected
    coded = frame.select(leaf_code(values, "c", steps)).collect()["c"]
    assert values.gather(coded.cast(pl.UInt32)).to_list() == normalised(column, steps).to_list()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(max_size=6)))
def test_folding_is_that_of_python_and_stable(texts: list[str]) -> None:
    once = normalised(pl.Series(texts, dtype=pl.String))
    for text, folded in zip(texts, once.to_list(), strict=True):
        assert folded == unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).strip()


def test_sensitive_values_that_read_alike_are_one_class() -> None:
    assert fold(pl.Series(["Flu", "flu ", "gout", None])).tolist() == [0, 0, 1, -1]
    assert fold(pl.Series([1, 2, None])).tolist() == [0, 1, -1]
    assert fold(pl.Series([], dtype=pl.String)).tolist() == []


SIZES = st.lists(st.one_of(st.integers(1, 5), st.integers(1, 2**31 - 1)), min_size=1, max_size=12)


@settings(max_examples=100, deadline=None)
@given(SIZES, st.randoms(use_true_random=False))
def test_packed_words_are_exact_and_sort_like_the_tuples(sizes: list[int], random: Any) -> None:
    tuples = [[random.choice([0, size - 1, random.randrange(size)]) for size in sizes] for _ in range(20)]
    codes = np.array(tuples, dtype=np.int32)
    words = pack_codes(codes, sizes)
    assert unpack(words, sizes).tolist() == codes.tolist()
    columns = pl.DataFrame({str(j): codes[:, j] for j in range(len(sizes))})
    by_expression = columns.lazy().select(pack([pl.col(str(j)) for j in range(len(sizes))], sizes)).collect()
    assert by_expression.equals(words)
    assert words.with_row_index("i").sort(words.columns, maintain_order=True)["i"].to_list() == sorted(
        range(20), key=lambda i: tuples[i]
    )
    assert words.width <= 1 + sum(max(1, (size - 1).bit_length()) for size in sizes) // 32


def test_a_word_is_filled_to_its_last_bit() -> None:
    sizes = [2**31] * 2 + [4]
    codes = np.array([[2**31 - 1, 2**31 - 1, 3], [0, 0, 0]], dtype=np.int32)
    words = pack_codes(codes, sizes)
    assert words.width == 1
    assert words["key_0"].to_list() == [2**64 - 1, 0]


@settings(max_examples=150, deadline=None)
@given(
    keys=st.one_of(
        st.sets(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=60),
        st.sets(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=60),
        st.sets(st.integers(0, 2**40).map(lambda i: i * 1000), min_size=1, max_size=60),
    ),
    strangers=st.lists(st.floats(-1e12, 1e12), max_size=20),
)
def test_every_number_is_found_and_no_stranger_is(keys: set[Any], strangers: list[float]) -> None:
    domain = pl.Series(sorted(keys))
    code = coder(domain, "c")
    assert code(domain.reverse()).to_list() == list(range(len(domain)))[::-1]
    others = [value for value in strangers if value not in keys]
    for value in others if domain.dtype == pl.Float64 else ():
        with pytest.raises(InputError):
            code(pl.Series([value]))
