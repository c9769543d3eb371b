"""Noisy statistics: scale, unit-level bounds, charges, and noise that is neither too small nor too large."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

pytest.importorskip("opendp", reason="pip install 'anonym[dp]'")
pytest.importorskip("dp_accounting", reason="pip install 'anonym[dp]'")

from anonym.dp import Ledger, Statistics, TrainingOptions
from anonym.dp.statistics import MEASUREMENTS
from anonym.errors import CallError, GuaranteeError, InputError


@dataclass(frozen=True)
class Declared:
    """As much of a policy as statistics need."""

    training: TrainingOptions | None = field(
        default_factory=lambda: TrainingOptions("internal", {"internal": 4.0}, 1e-5, max_records_per_unit=1)
    )
    unit: str | None = "person"


@pytest.fixture
def frame() -> pl.DataFrame:
    """300 people, every third with 5 rows and the others with one."""
    people = [person for person in range(300) for _ in range(5 if person % 3 == 0 else 1)]
    ages = [20 + person % 60 for person in people]
    towns = [("north", "south")[person % 2] for person in people]
    return pl.DataFrame({"person": people, "age": ages, "town": towns, "wage": [age * 10.5 for age in ages]})


def test_the_scale_of_a_count_and_its_odds(frame: pl.DataFrame) -> None:
    found = Statistics(frame, Declared()).count(epsilon=0.5)
    assert found.scale == 2.0
    assert found.sensitivity == 1
    assert (found.epsilon, found.delta) == (0.5, 0.0)
    assert found.odds == pytest.approx(1.65, abs=0.005)
    assert isinstance(found.value, int)
    assert abs(found.value - 300) < 60
    told = str(found)
    assert "ε 0.5 per person at δ 0, odds × 1.649" in told
    assert "add or remove one unit; sampler none" in told
    assert "the ledger stands at ε 0.5 at δ 1e-05, PLD" in told


def test_ten_counts_at_a_tenth_bring_the_ledger_to_one(frame: pl.DataFrame) -> None:
    statistics = Statistics(frame, Declared(TrainingOptions("internal", {"internal": 4.0}, 1e-12, "pld", 1)))
    for _ in range(10):
        found = statistics.count(epsilon=0.1)
    assert found.total == pytest.approx(1.0, abs=2e-3)
    assert len(statistics.ledger.spending()) == 10


@pytest.mark.parametrize("mechanism", MEASUREMENTS)
def test_each_statistic_is_near_the_truth_of_the_rows_used(frame: pl.DataFrame, mechanism: str) -> None:
    options = TrainingOptions("internal", {"internal": 400.0}, 1e-5, max_records_per_unit=5)
    statistics = Statistics(frame, Declared(options))
    ask = {"epsilon": 5.0, "mechanism": mechanism}
    assert statistics.count(**ask).value == pytest.approx(700, abs=20)
    assert statistics.sum("age", 0, 100, **ask).value == pytest.approx(frame["age"].sum(), abs=2000)
    assert statistics.mean("wage", 0, 1000, **ask).value == pytest.approx(frame["wage"].mean(), abs=60)
    histogram = statistics.histogram("town", ["north", "south", "west"], **ask)
    assert isinstance(histogram.value, dict)
    assert histogram.value["west"] == pytest.approx(0, abs=20)
    assert sum(histogram.value.values()) == pytest.approx(700, abs=35)


def test_a_unit_counts_with_at_most_its_bound(frame: pl.DataFrame) -> None:
    """100 units have 5 rows and 200 have one: at most 2 of each are 400 rows."""
    wide = TrainingOptions("internal", {"internal": 1000.0}, 1e-5)
    found = Statistics(frame, Declared(wide), max_records_per_unit=2).count(epsilon=100.0)
    assert found.value == pytest.approx(400, abs=2)
    assert found.sensitivity == 2


def test_removing_a_unit_moves_a_sum_by_at_most_the_sensitivity(frame: pl.DataFrame) -> None:
    wide = TrainingOptions("internal", {"internal": 1e3}, 1e-5, max_records_per_unit=5)
    whole = Statistics(frame, Declared(wide)).sum("age", 0, 60, epsilon=200.0)
    without = Statistics(frame.filter(pl.col("person") != 0), Declared(wide)).sum("age", 0, 60, epsilon=200.0)
    assert isinstance(whole.value, float)
    assert isinstance(without.value, float)
    assert abs(whole.value - without.value) <= whole.sensitivity + 40 == 340


def test_a_charge_above_the_limit_is_refused_and_nothing_is_drawn(frame: pl.DataFrame) -> None:
    statistics = Statistics(frame, Declared())
    statistics.count(epsilon=3.5)
    entries = statistics.ledger.entries
    with pytest.raises(GuaranteeError, match="Nothing was drawn"):
        statistics.count(epsilon=1.0)
    assert statistics.ledger.entries == entries


def test_a_ledger_that_moved_stops_a_charge(frame: pl.DataFrame, tmp_path: Path) -> None:
    ours = Statistics(frame, Declared(), Ledger(tmp_path / "spent.jsonl"))
    Statistics(frame, Declared(), Ledger(tmp_path / "spent.jsonl")).count(epsilon=3.0)
    with pytest.raises(CallError, match="meanwhile"):
        ours.count(epsilon=3.0)
    with pytest.raises(GuaranteeError, match="it stands at 3"):
        ours.count(epsilon=3.0)
    assert ours.count(epsilon=0.5).total == pytest.approx(3.5, abs=1e-2)


def test_laplace_noise_costs_its_epsilon_without_a_delta(frame: pl.DataFrame) -> None:
    """At δ 0.1 a count at 0.5 has ε 0.29, which is no statement at δ 0."""
    wide = TrainingOptions("internal", {"internal": 40.0}, 0.1, "pld", 1)
    statistics = Statistics(frame, Declared(wide))
    for mechanism in ("laplace", "discrete_laplace"):
        found = statistics.count(epsilon=0.5, mechanism=mechanism)
        assert (found.epsilon, found.delta) == (pytest.approx(0.5), 0.0)
    mean = statistics.mean("wage", 0, 1000, epsilon=0.5)
    assert (mean.epsilon, mean.delta) == (pytest.approx(0.5), 0.0)
    assert statistics.count(epsilon=0.5, mechanism="gaussian").delta == 0.1


def test_a_value_that_is_no_number_is_null_in_a_mean(frame: pl.DataFrame) -> None:
    wide = TrainingOptions("internal", {"internal": 400.0}, 1e-5, "pld", 5)
    half = frame.with_columns(
        pl.when(pl.int_range(pl.len()) % 2 == 0).then(900.0).otherwise(math.nan).alias("nan"),
        pl.when(pl.int_range(pl.len()) % 2 == 0).then(900.0).alias("null"),
    )
    statistics = Statistics(half, Declared(wide))
    for column in ("nan", "null"):
        assert statistics.mean(column, 0, 1000, epsilon=100.0).value == pytest.approx(900, abs=5)


def test_the_policys_accountant_counts(frame: pl.DataFrame) -> None:
    """What the accountant cannot state would leave a ledger of which no ε can be told: refused before it is spent."""
    by_rdp = Statistics(frame, Declared(TrainingOptions("internal", {"internal": 40.0}, 1e-5, "rdp", 1)))
    with pytest.raises(CallError, match="accountant rdp has no statement for discrete_laplace"):
        by_rdp.count(epsilon=0.5)
    assert by_rdp.ledger.spending() == ()
    found = by_rdp.count(epsilon=0.5, mechanism="laplace")
    assert found.accountant == "RDP"
    assert found.total == by_rdp.ledger.epsilon()


def test_the_noise_has_its_scale_and_not_a_third_more_or_less() -> None:
    """2,000 draws: the standard error of a standard deviation is 1.6 % (Gaussian) to 2.5 % (Laplace)."""
    draws = 2000
    for name, spread in (("laplace", math.sqrt(2)), ("discrete_laplace", math.sqrt(2)), ("gaussian", 1.0)):
        scale = 8.0
        seen = np.std(MEASUREMENTS[name]([0] * draws, scale))
        assert abs(seen / (spread * scale) - 1) < 0.12
        for wrong in (0.7, 1.3):
            assert abs(seen / (spread * scale * wrong) - 1) > 0.12


def test_our_scales_are_what_opendp_says_of_them() -> None:
    import opendp.prelude as opendp

    opendp.enable_features("contrib")
    space = opendp.vector_domain(opendp.atom_domain(T="i64")), opendp.l1_distance(T="i64")
    assert opendp.m.make_laplace(*space, scale=6.0).map(3) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda s: s.count(epsilon=0), "epsilon"),
        (lambda s: s.count(epsilon=1, mechanism="geometric"), "mechanism"),
        (lambda s: s.sum("age", 5, 5, epsilon=1), "low and high"),
        (lambda s: s.sum("age", 0, math.inf, epsilon=1), "low and high"),
        (lambda s: s.sum("salary", 0, 1, epsilon=1), "no column salary"),
        (lambda s: s.sum("town", 0, 1, epsilon=1), "expected numbers"),
        (lambda s: s.histogram("town", [], epsilon=1), "categories"),
        (lambda s: s.histogram("town", ["a", "a"], epsilon=1), "categories"),
    ],
)
def test_wrong_calls_cost_nothing(frame: pl.DataFrame, call: Callable[[Statistics], Any], said: str) -> None:
    statistics = Statistics(frame, Declared())
    with pytest.raises((CallError, InputError), match=said):
        call(statistics)
    assert statistics.ledger.spending() == ()


def test_policies_that_do_not_say_whom_or_how_much(frame: pl.DataFrame) -> None:
    for policy, said in (
        (Declared(training=None), "no part `training`"),
        (Declared(unit=None), "no unit"),
        (Declared(TrainingOptions("internal", {"internal": 1.0})), "max_records_per_unit"),
    ):
        with pytest.raises(CallError, match=said):
            Statistics(frame, policy)
    with pytest.raises(InputError, match="no column person"):
        Statistics(frame.drop("person"), Declared()).count(epsilon=1.0)
