"""What a value means: null, NaN, zeros, spellings, Decimals, categories; right answers counted by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from cases.desk import AS_IS, SENSITIVE, Run, nothing_released, promise

import anonym

Call = Callable[..., Run]
NAN = float("nan")


def _apply(run: Call, policy: dict[str, Any], table: pl.DataFrame, *words: str) -> Run:
    table.write_parquet("in.parquet")
    return run("apply", policy, "in.parquet", "--quiet", *words)


def _check(policy: dict[str, Any], table: pl.DataFrame) -> Any:
    return anonym.check({"anonym": 1, "name": "case"} | policy, table)


def _l(asked: dict[str, Any], values: list[Any], dtype: Any = None) -> Any:
    """The l that one class of these values has."""
    table = pl.DataFrame({"q": ["x"] * len(values), "s": pl.Series(values, dtype=dtype)})
    policy = promise({"q": AS_IS, "s": {"role": "sensitive", "l": asked}}, 1)
    return _check(policy, table).evidence["guarantee"]["l"]["s"]["achieved"]


@pytest.mark.parametrize(
    ("columns", "k"),
    [
        ({"a": ["x", "x", None, None], "b": [None, None, None, None]}, 2),
        ({"a": ["x", None, None, "x"], "b": [None, "x", "x", None]}, 2),
        ({"a": [None, None, "null", "null", "null"], "b": [1, 1, 1, 1, 1]}, 2),
        ({"a": [None, "", "", ""], "b": [1, 1, 1, 1]}, 1),
        ({"a": [NAN, None, NAN, 1.0, 1.0, 1.0], "b": [0, 0, 0, 0, 0, 0]}, 3),
        ({"a": [0.0, -0.0, NAN, None], "b": [NAN, None, 0.0, -0.0]}, 2),
        ({"a": [True, None, None, True], "b": [1, 1, 1, 1]}, 2),
    ],
)
def test_null_is_a_value_and_what_is_one_value_is_one_class(run: Call, columns: dict[str, list[Any]], k: int) -> None:
    table = pl.DataFrame(columns, strict=False).with_columns(s=pl.lit("v"))
    policy = promise({"a": AS_IS, "b": AS_IS, "s": SENSITIVE}, k)
    assert _check(policy, table).evidence["guarantee"]["k"]["achieved"] == k
    done = _apply(run, policy, table)
    assert done.status == 0, done.err
    assert done.evidence["guarantee"]["k"]["achieved"] == k
    assert done.released.height == table.height
    policy["guarantee"]["k"] = k + 1
    refused = _apply(run, policy, table, "--force")
    assert refused.status == 3


@pytest.mark.parametrize(
    ("values", "dtype", "distinct"),
    [
        (["Flu", "FLU ", "\tflu\n", "ﬂu"], None, 1),  # the last begins with the ligature fl
        (["Straße", "STRASSE", "strasse"], None, 1),
        (["é", "e\u0301", "É"], None, 1),
        (["", "  ", "\u00a0"], None, 1),
        (["", None], None, 1),
        ([None, None], pl.String, 0),
        (["a", "a ", None, "b"], pl.Categorical, 2),
        (["a", "A", "b"], pl.Enum(["a", "A", "b", "unused"]), 2),
        ([0.0, -0.0, NAN, None], None, 1),
        ([1, 2, None, 2], None, 2),
        (["1", "1.0", "01"], None, 3),
        (["\uff11", "1", "①"], None, 1),
    ],
)
def test_spellings_of_one_value_and_null_are_no_diversity(values: list[Any], dtype: Any, distinct: int) -> None:
    assert _l({"distinct": 1}, values, dtype) == distinct


@pytest.mark.parametrize(
    ("asked", "values", "reached"),
    [
        ({"entropy": 1}, ["Flu", "flu", "Cold", "COLD "], 2.0),
        ({"entropy": 1}, ["a", "a", "b", None, None, None], 3 / 2 ** (2 / 3)),  # shares 2/3 and 1/3 of the three
        ({"entropy": 1}, ["a"] * 5, 1.0),
        ({"recursive": {"c": 3, "l": 2}}, ["x", "X", "x ", "y", "z"], {"c": 1.5, "l": 2}),
        ({"recursive": {"c": 3, "l": 3}}, [1, 1, 1, 1, 1, 2, 2, 2, 3, 3], {"c": 2.5, "l": 3}),
        ({"recursive": {"c": 9, "l": 3}}, ["a", "b", "b"], {"c": None, "l": 3}),
        ({"recursive": {"c": 2, "l": 1}}, ["a", "b", "b", None], {"c": 2 / 3, "l": 1}),
    ],
)
def test_entropy_and_recursive_l_by_hand(asked: dict[str, Any], values: list[Any], reached: Any) -> None:
    found = _l(asked, values)
    assert found == (pytest.approx(reached, abs=1e-8) if isinstance(reached, float) else pytest.approx(reached))


def test_entropy_l_holds_at_its_very_bound(run: Call) -> None:
    """exp of the entropy of two halves is 2, whatever the last bit of a logarithm says."""
    table = pl.DataFrame({"q": ["x"] * 6 + ["y"] * 10, "s": list("ababab") + list("ababababab")})
    policy = promise({"q": AS_IS, "s": {"role": "sensitive", "l": {"entropy": 2}}}, 2)
    assert _apply(run, policy, table).status == 0
    policy["columns"]["s"]["l"] = {"entropy": 2.000001}
    assert _apply(run, policy, table, "--force").status == 3


@pytest.mark.parametrize(
    ("share", "rows", "lone", "status"),
    [
        (0.29, 100, 29, 0),  # 28.999999999999996 in floating point
        (0.29, 100, 30, 3),
        (0.07, 100, 7, 0),  # 7.000000000000001
        (0.1, 29, 2, 0),
        (0.1, 29, 3, 3),
        (0.3, 10, 3, 0),
        (0.333, 3, 1, 3),
        ("0.33333333333333333333333333333", 3, 1, 3),  # more digits than a Decimal's context
        (1, 4, 2, 0),
        (0, 3, 1, 3),
    ],
)
def test_a_suppression_limit_is_the_floor_of_the_exact_share(
    run: Call, share: Any, rows: int, lone: int, status: int
) -> None:
    table = pl.DataFrame({"q": [f"lone {i}" for i in range(lone)] + ["many"] * (rows - lone)})
    table.write_parquet("in.parquet")
    Path("policy.yaml").write_text(
        "anonym: 1\nname: case\ncolumns: {q: {role: quasi, hierarchy: suppress, coarsest: 0}}\n"
        f"guarantee: {{k: 2, suppression: {{max: {share}}}}}\n",
        encoding="utf-8",
    )
    done = run("apply", Path("policy.yaml"), "in.parquet", "--quiet")
    assert done.status == status, done.err
    if not status:
        assert done.released.height == rows - lone
        assert done.evidence["suppression"]["rate"] == pytest.approx(lone / rows)


BINS = {
    "9.99": "[5, 10)",
    "10.00": "[10, 15)",
    "-0.01": "[-5, 0)",
    "0.00": "[0, 5)",
    "14.99": "[10, 15)",
    "-5.00": "[-5, 0)",
}


@pytest.mark.parametrize("kind", [pl.Decimal(10, 2), pl.Float64, pl.Float32])
def test_bins_are_half_open_on_both_sides_of_zero(run: Call, kind: Any) -> None:
    numbers = [Decimal(text) for text in BINS]
    table = pl.DataFrame({"q": pl.Series(numbers).cast(kind), "label": list(BINS.values())})
    columns = {
        "q": {"role": "quasi", "hierarchy": {"interval": [5]}, "finest": 1, "coarsest": 1},
        "label": {"role": "keep"},
    }
    done = _apply(run, promise(columns, 1, order="keep"), table)
    assert done.status == 0, done.err
    assert done.released["q"].to_list() == list(BINS.values())


def test_the_loss_of_decimals_is_over_observed_values(run: Call) -> None:
    """0 to 10 in bins of 5: {0, 4} spans 4 of 10, {10} nothing; one row in three is in neither's place: 8/30."""
    table = pl.DataFrame({"q": pl.Series([Decimal("0.00"), Decimal("4.00"), Decimal("10.00")] * 2)})
    columns = {"q": {"role": "quasi", "hierarchy": {"interval": [5]}, "finest": 1, "coarsest": 1}}
    done = _apply(run, promise(columns, 2), table)
    assert done.evidence["loss"]["ncp"] == pytest.approx((0.4 + 0.4 + 0) / 3)


def test_negative_zero_and_nan_leave_no_trace_in_kept_columns(run: Call) -> None:
    table = pl.DataFrame({"q": ["x"] * 4, "f": [0.0, -0.0, 0.0, -0.0], "s": [-0.0, 0.0, NAN, None]})
    columns = {"q": AS_IS, "f": {"role": "keep"}, "s": SENSITIVE}
    done = _apply(run, promise(columns, 2), table)
    assert done.status == 0, done.err
    for name in ("f", "s"):
        cells = [value for value in done.released[name] if value is not None]
        assert all(math.copysign(1, value) > 0 for value in cells)
    assert done.released["s"].null_count() == 2
    assert done.released["s"].is_nan().sum() == 0


def test_a_release_of_masked_rows_only_is_refused_as_check_refuses_it(run: Call) -> None:
    policy = promise({"q": AS_IS}, 2)
    policy["guarantee"]["suppression"] = {"max": 1, "action": "mask"}
    refused = _apply(run, policy, pl.DataFrame({"q": [1, 2, 3]}))
    assert refused.status == 3
    assert "every row would be masked" in refused.err
    nothing_released(refused, beside=("in.parquet",))
    policy["guarantee"]["suppression"]["action"] = "drop"
    assert _apply(run, policy, pl.DataFrame({"q": [1, 2, 3]}), "--force").released.height == 0


@pytest.mark.parametrize("values", [["a", "a", None], [1.0, 1.0, NAN], [1.0, 1.0, None]])
def test_a_kept_null_that_one_row_holds_is_a_rare_value(run: Call, values: list[Any]) -> None:
    """Who lacks the value is singled out by lacking it."""
    table = pl.DataFrame({"q": ["x"] * 3, "v": values})
    refused = _apply(run, promise({"q": AS_IS, "v": {"role": "keep"}}, 2), table)
    assert refused.status == 3
    nothing_released(refused, beside=("in.parquet",))
    allowed = promise({"q": AS_IS, "v": {"role": "keep", "allow_unique": "for this test"}}, 2)
    assert _apply(run, allowed, table, "--force").status == 0


def test_a_kept_value_that_one_unit_holds_on_many_rows_is_rare(run: Call) -> None:
    table = pl.DataFrame({"u": [1, 1, 1, 2, 3], "q": ["x"] * 5, "v": ["a", "a", "a", "b", "b"]})
    columns = {"u": {"role": "identifier"}, "q": AS_IS, "v": {"role": "keep"}}
    assert _apply(run, promise(columns, 2, unit="u"), table).status == 3
    assert _apply(run, promise(columns, 2), table, "--force").status == 0


@pytest.mark.parametrize("kind", [pl.String, pl.Categorical, pl.Enum(["mid", "low", "high"])])
def test_the_order_of_categories_is_declared_or_that_of_their_words(kind: Any) -> None:
    """Whatever number a category has in its column: of low, mid, high the class {low, low} lies 1/2 from the table."""
    table = pl.DataFrame({"q": list("aabb"), "s": pl.Series(["low", "low", "mid", "high"]).cast(kind)})
    close = {"max": 1, "distance": "ordered", "order": ["low", "mid", "high"]}
    found = _check(promise({"q": AS_IS, "s": {"role": "sensitive", "t": close}}, 1), table).evidence
    assert found["guarantee"]["t"]["s"]["achieved"] == pytest.approx((1 / 2 + 1 / 4) / 2)
    del close["order"]  # high, low, mid
    found = _check(promise({"q": AS_IS, "s": {"role": "sensitive", "t": close}}, 1), table).evidence
    assert found["guarantee"]["t"]["s"]["achieved"] == pytest.approx((1 / 4 + 1 / 4) / 2)


def test_a_value_outside_the_declared_order_is_refused_by_count(run: Call) -> None:
    table = pl.DataFrame({"q": ["x"] * 3, "s": ["low", "high", "canary"]})
    close = {"max": 1, "distance": "ordered", "order": ["low", "high"]}
    refused = _apply(run, promise({"q": AS_IS, "s": {"role": "sensitive", "t": close}}, 1), table)
    assert refused.status == 4
    assert "canary" not in refused.said()


UNEVEN = "gastritis;stomach;digestive;any\nulcer;stomach;digestive;any\nflu;flu;respiratory;any\nother;any;any;any\n"


@pytest.mark.parametrize(
    ("first", "second", "distance"),
    [("gastritis", "ulcer", 1 / 3), ("gastritis", "flu", 1), ("flu", "other", 1), ("ulcer", None, 1)],
)
def test_hierarchical_distances_of_an_uneven_tree(
    tmp_path: Path, first: str, second: str | None, distance: float
) -> None:
    """Two classes of one value each lie half of the two values' distance from the table of both."""
    tree = tmp_path / "tree.csv"
    tree.write_text(UNEVEN, encoding="utf-8")
    table = pl.DataFrame({"q": ["a", "a", "b", "b"], "s": [first, first, second, second]})
    close = {"max": 1, "distance": "hierarchical", "hierarchy": {"file": str(tree)}}
    found = _check(promise({"q": AS_IS, "s": {"role": "sensitive", "t": close}}, 1), table).evidence
    assert found["guarantee"]["t"]["s"]["achieved"] == pytest.approx(distance / 2)


@pytest.mark.parametrize("form", ["label", "set"])
def test_null_beside_nodes_of_a_file_is_recoded_locally(run: Call, tmp_path: Path, form: str) -> None:
    """With `finest: 1` the null of a hierarchy file stands for a node above its leaf too."""
    tree = tmp_path / "tree.csv"
    tree.write_text("a;x;*\nb;x;*\nc;y;*\nd;y;*\n", encoding="utf-8")
    leaves = {"role": "quasi", "hierarchy": {"file": str(tree)}, "finest": 1, "form": form}
    table = pl.DataFrame({"q": ["a", "b", "c", "d", None, None] * 2, "r": [1, 2] * 6})
    policy = promise({"q": leaves, "r": {"role": "quasi", "hierarchy": "suppress"}}, 2, search={"strategy": "local"})
    done = _apply(run, policy, table)
    assert done.status == 0, done.err
    assert done.released.height == 12
    cells = done.released["q"].to_list()
    assert sum(cell is None or cell == [None] for cell in cells) >= 4
