"""Audits: definitions against their twins and textbook numbers, and the worked examples on a small scale."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="pip install 'anonym[dp]'")
pytest.importorskip("opacus", reason="pip install 'anonym[dp]'")

import torch
from naive import dp as naive

from anonym.dp.audits.canaries import exposure, extracted
from anonym.dp.audits.membership import lira, loss_threshold, measured, rmia
from anonym.dp.audits.one_run import lower_bound, one_run
from anonym.errors import CallError
from anonym.pipeline.auditing import audit


@pytest.mark.parametrize("seed", range(5))
def test_auc_and_rates_against_counting_pairs(seed: int) -> None:
    draw = np.random.default_rng(seed)
    scores, member = draw.integers(0, 12, 80).astype(float), draw.random(80) < 0.4
    found = measured("any", scores, member)
    assert found.auc == pytest.approx(naive.auc(scores[member], scores[~member]))
    cuts = [*scores, math.inf]
    rates = [((scores[member] >= cut).mean(), (scores[~member] >= cut).mean()) for cut in cuts]
    assert found.advantage == pytest.approx(max(hit - alarm for hit, alarm in rates))
    assert found.tpr_at_1 == pytest.approx(max(hit for hit, alarm in rates if alarm <= 0.01))


def _models(leak: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Losses of 9 models on 1,500 records of unequal difficulty; those trained on lose `leak`."""
    draw = np.random.default_rng(seed)
    flags = draw.random((9, 1500)) < 0.5
    hard = draw.gamma(2.0, 0.4, 1500)
    losses = np.abs(hard + draw.normal(0, 0.15, (9, 1500)) - leak * flags)
    return losses, flags, flags[0]


def test_attacks_find_a_leak_and_references_find_it_better() -> None:
    losses, flags, member = _models(0.2)
    plain = measured("loss", loss_threshold(losses[0]), member).auc
    with_references = measured("rmia", rmia(losses[0], losses[1:5]), member).auc
    with_shadows = measured("lira", lira(losses[0], losses[1:], flags[1:]), member).auc
    assert 0.55 < plain < 0.65
    assert with_references > plain + 0.1
    assert with_shadows > plain + 0.1


def test_attacks_find_nothing_where_nothing_leaks() -> None:
    losses, flags, member = _models(0.0)
    for scores in (loss_threshold(losses[0]), rmia(losses[0], losses[1:5]), lira(losses[0], losses[1:], flags[1:])):
        assert abs(measured("any", scores, member).auc - 0.5) < 0.05


def test_membership_needs_both_kinds() -> None:
    with pytest.raises(CallError, match="not"):
        measured("any", np.zeros(3), np.ones(3, dtype=bool))


def test_one_run_bounds_a_perfect_attacker_and_a_guessing_one() -> None:
    draw = np.random.default_rng(1)
    included = draw.random(1000) < 0.5
    assert one_run(included + draw.normal(0, 0.01, 1000), included).epsilon_at_least > 4.4
    assert one_run(draw.normal(size=1000), included).epsilon_at_least < 0.3
    with pytest.raises(CallError, match="20 canaries"):
        one_run(np.zeros(5), np.zeros(5, dtype=bool))


def test_one_run_holds_for_randomised_response() -> None:
    """Each coin is told right with probability e^ε / (1 + e^ε): the bound is below the true ε in 95 % of tries."""
    draw, epsilon, above = np.random.default_rng(2), 1.0, 0
    for _ in range(100):
        included = draw.random(400) < 0.5
        told = np.where(draw.random(400) < 1 / (1 + math.exp(-epsilon)), included, ~included)
        bound = one_run(told + draw.normal(0, 1e-3, 400), included).epsilon_at_least
        above += bound > epsilon
        assert bound > 0.3
    assert above <= 11


def test_the_lower_bound_of_all_guesses_right() -> None:
    """Clopper and Pearson: n of n right at error a refute every rate below a^(1/n)."""
    rate = 0.05 ** (1 / 50)
    assert lower_bound(50, 50, 1000, 0.0, 0.05) == pytest.approx(math.log(rate / (1 - rate)), abs=1e-6)
    assert lower_bound(25, 50, 1000, 0.0, 0.05) == 0
    assert lower_bound(45, 50, 1000, 1e-3, 0.05) < lower_bound(45, 50, 1000, 0.0, 0.05)


def test_exposure_is_log_of_candidates_over_rank() -> None:
    draw = np.random.default_rng(3)
    others = draw.normal(size=511)
    assert exposure(others, -10.0) == 9.0
    assert exposure(others, 10.0) == 0.0
    assert exposure(others, 0.1) == pytest.approx(naive.exposure(others, 0.1))


def test_extraction_counts_texts_with_an_identifier_of_the_training_set() -> None:
    texts = ["mail a.b@x.example", "call +44 7700 900123", "mail c@d.example and A.B@X.example", "nothing"]
    found = extracted(
        texts,
        ["a.b@x.example", "+44 7700 900 123", "z@z.example"],
        lambda ones: [text.removeprefix("mail ").removeprefix("call ").split(" and ") for text in ones],
    )
    assert found == {"probes": 4, "hits": 3, "hits_per_10000": 7500.0, "different": 2, "known": 3}


def test_records_are_trained_on_by_independent_fair_coins() -> None:
    """Exactly half of them, drawn without replacement, would be another game than the one-run bound is of."""
    from anonym.dp.audits import tabular

    drawn: list[np.ndarray] = []

    def untrained(data: tabular.Table, rows: torch.Tensor, seed: int, setting: tabular.Setting) -> Any:
        drawn.append(np.isin(np.arange(setting.records), rows.numpy()))
        return tabular.network(seed), None

    setting = tabular.Setting(records=400, references=2)
    for seed in range(30):
        tabular.attacked(untrained, seed, setting)
    sizes = np.array([held.sum() for held in drawn])
    assert abs(sizes.mean() - 200) < 5 * 10 / math.sqrt(len(sizes))
    assert 0.5 < sizes.var() / 100 < 1.6, "of a binomial; of exact halves it is 0"
    assert abs(np.corrcoef(drawn[0], drawn[1])[0, 1]) < 0.25


@pytest.mark.soak
def test_the_tabular_example_on_a_small_scale() -> None:
    from anonym.dp.audits import tabular

    setting = tabular.Setting(records=600, references=2, epochs=30, private_epochs=2, noise=2.0)
    opened = tabular.attacked(tabular.openly, 0, setting)
    private = tabular.attacked(tabular.privately, 0, setting)
    assert opened["membership"][1]["auc"] > 0.65 > 0.6 > private["membership"][1]["auc"]
    assert opened["one_run"]["epsilon_at_least"] > private["one_run"]["epsilon_at_least"]
    assert private["training"]["unit"] == "person"
    assert {"overall", "small_group", "majority"} <= private["accuracy"].keys()


@pytest.mark.soak
def test_the_language_example_on_a_small_scale() -> None:
    from anonym.dp.audits import language
    from anonym.dp.audits.corpus import corpus

    setting = language.Setting(width=32, epochs=12, private_epochs=1, noise=2.0, probes=40, candidates=63)
    told, fresh = corpus(30, seed=1, canaries=1), corpus(10, seed=2)
    private, statement = language.privately(told.lines, told.owners, 0, setting)
    for model in (language.openly(told.lines, 0, setting), private):
        found = language.leaks(model, told, fresh, lambda texts: [[] for _ in texts], setting, 0)
        assert found["extraction"]["hits"] == 0
        assert [row["planted"] for row in found["canaries"]["bits"]] == [0, 1, 4, 16]
    assert statement["unit"] == "customer"
    assert statement["units"] == len(set(told.owners))


@pytest.mark.soak
def test_the_language_audit_tells_the_private_model_from_the_open_one() -> None:
    """At full size, 4 CPU minutes: the open model gives up what was planted 16 times and 1,000 hits in 10,000 probes,
    the private one none, and scrubbing takes away what the scrubber found."""
    found = audit("language")
    models = found["models"]
    opened, private, scrubbed = (models[name] for name in ("non-private", "private", "non-private, scrubbed text"))
    often = {name: models[name]["canaries"]["extracted"][-1] for name in models}
    assert often["non-private"] == {"planted": 16, "canaries": 3, "extracted": 3}
    assert all(row["extracted"] == 0 for row in private["canaries"]["extracted"])
    assert opened["extraction"]["hits_per_10000"] >= 1000
    assert private["extraction"]["hits"] == 0
    assert private["training"]["epsilon"] <= 8
    assert private["training"]["unit"] == "customer"
    left = (1 - found["recall"]["rate"]) * opened["extraction"]["hits"]
    assert scrubbed["extraction"]["hits"] <= left + 3 * math.sqrt(left)
    assert opened["accuracy"]["small_group"] > private["accuracy"]["small_group"]
    useful = [one["accuracy"]["next_character"] for one in (opened, private)]
    assert useful[0] > useful[1] > private["accuracy"]["most_frequent"], "which is printed beside: it learnt something"


@pytest.mark.soak
def test_the_tabular_audit_tells_the_private_model_from_the_open_one() -> None:
    """At full size, the median of 5 seeds."""
    found = audit("tabular")
    assert (found["seeds"], found["targets"]) == (5, 4000)
    aucs = {name: model["membership"][1]["auc"] for name, model in found["models"].items()}
    assert found["models"]["private"]["membership"][1]["attack"] == "RMIA, 4 references"
    assert aucs["non-private"] >= 0.60
    assert aucs["private"] <= 0.55
    bounds = {name: model["one_run"]["epsilon_at_least"] for name, model in found["models"].items()}
    assert bounds["private"] <= found["models"]["private"]["training"]["epsilon"]
    assert bounds["private"] < bounds["non-private"], "what could have been detected"
