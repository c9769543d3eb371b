"""Bins from policy to verified release."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import polars as pl
import pytest

import anonym
from anonym.errors import GuaranteeError, InputError, PolicyError


def paid(table: pl.DataFrame) -> pl.DataFrame:
    """Every class has many salaries; the old earn 50 to 59 thousand, whatever the exact sum."""
    low = pl.when(pl.col("age") >= 60).then(50_000).otherwise(20_000 + 20_000 * (pl.int_range(pl.len()) % 3))
    return table.with_columns(dx=low + pl.int_range(pl.len()) % 977)


def policy_of(**sensitive: Any) -> dict[str, Any]:
    return {
        "anonym": 1,
        "unlisted": "drop",
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"breaks": [60]}, "coarsest": 2},
            "dx": {"role": "sensitive", **sensitive},
        },
        "guarantee": {"k": 5},
    }


@pytest.mark.parametrize("strategy", ["global", "local"])
def test_l_counts_bins_and_exact_values_are_released(table: pl.DataFrame, strategy: str) -> None:
    policy = policy_of(l={"distinct": 2}, bins={"interval": [10_000]}) | {"search": {"strategy": strategy}}
    release = anonym.apply(policy, paid(table))
    data = release.data.collect()
    assert data["dx"].is_in(paid(table)["dx"].implode()).all()
    bins = defaultdict(set)
    for age, dx in data.iter_rows():
        bins[age].add(dx // 10_000)
    assert min(len(found) for found in bins.values()) >= 2
    assert release.evidence["guarantee"]["l"]["dx"]["holds"] is True
    assert {c["name"]: c.get("bins") for c in release.evidence["columns"]}["dx"] == "widths of 10000"
    assert any("the exact values are released: dx (widths of 10000)" in limit for limit in release.evidence["limits"])
    assert anonym.check(policy, data).holds


def test_without_bins_the_exact_sums_seem_diverse(table: pl.DataFrame) -> None:
    """So it is the bins that make the class of the old fail."""
    release = anonym.apply(policy_of(l={"distinct": 2}) | {"search": {"strategy": "global"}}, paid(table))
    assert release.evidence["search"]["levels"] == {"age": 1}
    with_bins = policy_of(l={"distinct": 2}, bins={"interval": [10_000]}) | {"search": {"strategy": "global"}}
    assert anonym.apply(with_bins, paid(table)).evidence["search"]["levels"] == {"age": 2}
    with_bins["columns"]["age"]["coarsest"] = 1
    with pytest.raises(GuaranteeError):
        anonym.apply(with_bins, paid(table))


def test_t_is_taken_between_bins_and_nulls_are_a_bin(table: pl.DataFrame) -> None:
    frame = paid(table).with_columns(dx=pl.when(pl.int_range(pl.len()) % 5 > 0).then("dx"))
    policy = policy_of(t={"max": 0.2, "distance": "ordered"}, bins={"breaks": [30_000, 45_000]})
    release = anonym.apply(policy, frame)
    assert release.evidence["guarantee"]["t"]["dx"]["achieved"] <= 0.2
    assert release.evidence["guarantee"]["t"]["dx"]["against_input"] is not None
    assert release.data.collect()["dx"].null_count() > 0


def test_several_sensitive_columns_with_and_without_bins(table: pl.DataFrame) -> None:
    policy = policy_of(l={"distinct": 2}, bins={"interval": [10_000]})
    policy["columns"]["plan"] = {"role": "sensitive", "l": {"entropy": 1.5}}
    policy["columns"]["zip"] = {"role": "sensitive", "l": {"recursive": {"c": 3, "l": 2}}}
    policy["unit"] = "id"
    policy["columns"]["id"] = {"role": "identifier"}
    release = anonym.apply(policy, paid(table))
    assert all(found["holds"] for found in release.evidence["guarantee"]["l"].values())
    assert set(release.evidence["guarantee"]["l"]) == {"dx", "plan", "zip"}


REFUSED: dict[str, tuple[dict[str, Any], str, str]] = {
    "several widths": ({"bins": {"interval": [5, 10]}}, "columns.dx.bins", "one level"),
    "several lists of cuts": ({"bins": {"breaks": [[5, 10], [5]]}}, "columns.dx.bins", "one level"),
    "an order beside": (
        {"bins": {"interval": [5]}, "t": {"max": 0.1, "distance": "ordered", "order": ["a"]}},
        "columns.dx.t.order",
        "in the order of their values",
    ),
    "cuts that fall": ({"bins": {"breaks": [5, 3]}}, "columns.dx.bins.breaks", "cuts that increase"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_bins_cannot_be(case: str) -> None:
    sensitive, path, words = REFUSED[case]
    with pytest.raises(PolicyError) as caught:
        anonym.Policy.load(policy_of(**sensitive))
    assert [(fault.path, words in fault.expected) for fault in caught.value.faults] == [(path, True)]


@pytest.mark.parametrize("strategy", ["global", "local"])
@pytest.mark.parametrize(
    ("unit", "bins"), [(pl.Duration("us"), {"interval": ["1h"]}), (pl.Time(), {"breaks": ["02:00", "04:00"]})]
)
def test_lengths_and_times_of_day_have_bins(
    table: pl.DataFrame, strategy: str, unit: pl.DataType, bins: dict[str, Any]
) -> None:
    """Minutes and seconds differ, and make no class diverse."""
    hour = pl.when(pl.col("age") >= 60).then(5).otherwise(1 + 2 * (pl.int_range(pl.len()) % 3))
    seconds = hour * 3600 + pl.int_range(pl.len()) % 3599
    ticks = seconds * (10**9 if unit == pl.Time else 10**6)
    frame = table.with_columns(dx=ticks.cast(unit))
    policy = policy_of(l={"distinct": 2}, bins=bins) | {"search": {"strategy": strategy}}
    release = anonym.apply(policy, frame)
    assert release.data.collect().schema["dx"] == unit
    hours = defaultdict(set)
    for age, dx in release.data.collect().with_columns(pl.col("dx").to_physical() // ticks_of_hour(unit)).iter_rows():
        hours[age].add(dx)
    assert min(len(found) for found in hours.values()) >= 2
    assert anonym.check(policy, release.data.collect()).holds
    exact = policy_of(l={"distinct": 2}) | {"search": {"strategy": "global"}}
    assert anonym.apply(exact, frame).evidence["search"]["levels"] == {"age": 1}, "without bins the old seem diverse"


def ticks_of_hour(unit: pl.DataType) -> int:
    return 3600 * (10**9 if unit == pl.Time else 10**6)


UNFIT = {
    "numbers for lengths": (pl.Duration("us"), {"interval": [5]}, "need numbers, found Duration.*interval: .15m, 1h"),
    "numbers for times": (pl.Time(), {"breaks": [5]}, "need numbers, found Time.*08:00"),
    "lengths for numbers": (pl.Int64(), {"interval": ["1h"]}, "need times of day or durations, found Int64"),
    "numbers for dates": (pl.Date(), {"interval": [5]}, "need numbers, found Date; derive a column of its years"),
}


@pytest.mark.parametrize("case", UNFIT)
def test_bins_of_another_kind_are_refused_with_what_to_write(table: pl.DataFrame, case: str) -> None:
    dtype, bins, words = UNFIT[case]
    frame = table.with_columns(dx=pl.int_range(pl.len()).cast(dtype))
    with pytest.raises(InputError, match=f"column dx: bins {words}"):
        anonym.apply(policy_of(bins=bins), frame)


def test_text_has_no_bins(table: pl.DataFrame) -> None:
    with pytest.raises(InputError, match="column dx: bins need numbers, found String"):
        anonym.apply(policy_of(bins={"interval": [5]}), table)
