"""The words of a statement: a bound is never told smaller than it is."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

pytest.importorskip("dp_accounting", reason="pip install 'anonym[dp]'")

from anonym.dp import Ledger, TrainingOptions
from anonym.dp.events import SampledGaussian
from anonym.dp.ledger import spent
from anonym.dp.statement import at_most, factor, odds, training_statement
from anonym.pipeline.training import lines


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (8.0, "8"),
        (60.0, "60"),
        (0.0, "0"),
        (1.7912001, "1.792"),
        (7.9999, "8"),
        (2980.958, "2981"),
        (0.50001, "0.5001"),
    ],
)
def test_a_bound_in_four_digits(value: float, told: str) -> None:
    assert at_most(value) == told


def test_a_bound_is_told_at_least_as_large_and_hardly_larger() -> None:
    draw = random.Random(1)
    for value in (10 ** draw.uniform(-6, 9) for _ in range(2000)):
        assert value * (1 - 1e-8) <= float(at_most(value)) <= value * 1.0011


def stated(event: SampledGaussian, limit: float = 2.0) -> dict[str, Any]:
    ledger = Ledger(None)
    ledger.fix(TrainingOptions("api", {"api": limit}, 1e-5), "customer")
    facts = {
        "unit": "customer", "adjacency": "add or remove one unit", "sampler": "Poisson over units",
        "noise_multiplier": 1.1, "sample_rate": 1 / 31, "steps": 93, "clipping_bound": 1.0, "units": 1000,
        "expected_batch_size": 32.3, "max_records_per_unit": 1, "seeded": False,
    }  # fmt: skip
    ledger.append("training", {"run": "a", "events": spent([event]), **facts})
    return training_statement(ledger)


def test_odds_beyond_all_floats_are_told_as_a_power() -> None:
    assert (factor(0.5), factor(709.0), factor(720.0)) == ("1.649", at_most(math.exp(709)), "e^720")
    assert (odds(0.25), odds(720.0)) == (pytest.approx(1.28, abs=5e-3), math.inf)
    statement = stated(SampledGaussian(0.025, 1, 1), limit=1e4)
    assert statement["epsilon"] > 710
    assert "odds" not in statement, "no number that is too small stands for it"
    assert f"at most e^{at_most(statement['epsilon'])} (" in statement["says"][0]
    assert f"odds × e^{at_most(statement['epsilon'])};" in lines(statement)[0]


def test_a_ledgers_statement_rounds_upwards_and_says_at_what() -> None:
    statement = stated(SampledGaussian(1.1, 1 / 31, 93))
    assert statement["epsilon"] == pytest.approx(1.7912, abs=5e-5)
    assert statement["epsilon"] > 1.791
    told = lines(statement)
    assert told[0].startswith("ε 1.792 per customer at δ 1e-05, PLD; odds × 5.997;")
    assert told[1] == "add or remove one unit; Poisson over units"
    assert "last training: ε 1.792," in told[2]
    assert "at most 5.997 (e^1.792)" in statement["says"][0]
