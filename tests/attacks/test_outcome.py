"""Verdicts from counts alone."""

from __future__ import annotations

import json

import pytest

from anonym.attacks.outcome import Counts, Gate, Trial, advantage, judge

RISK = Gate(0.2)
GAIN = Gate(0.1, "advantage")


def trial(correct: float, targets: int = 1000, gate: Gate = RISK, **more: object) -> Trial:
    return Trial("any", ("age",), Counts(targets, targets, correct), gate, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("correct", "verdict"), [(0, "pass"), (150, "pass"), (190, "inconclusive"), (210, "inconclusive"), (260, "fail")]
)
def test_the_verdict_is_by_the_bounds_and_not_by_the_rate(correct: int, verdict: str) -> None:
    assert judge(trial(correct)).verdict == verdict


def test_inconclusive_says_how_many_targets_would_decide() -> None:
    result = judge(trial(19, 100))
    needed = result.detail["targets_needed"]
    assert result.verdict == "inconclusive"
    assert judge(trial(round(0.19 * needed * 1.03), round(needed * 1.03))).verdict == "pass"
    assert judge(trial(round(0.19 * needed * 0.8), round(needed * 0.8))).verdict == "inconclusive"


def test_on_the_limit_no_number_of_targets_decides() -> None:
    assert judge(trial(200)).detail["targets_needed"] is None


def test_advantage_is_what_the_control_leaves() -> None:
    assert advantage(0.6, 0.2) == pytest.approx(0.5)
    assert advantage(0.1, 0.2) == pytest.approx(-0.125)  # worse than the control is shown, not hidden
    assert advantage(None, 0.2) is None
    assert advantage(0.5, None) is None


def test_a_control_that_always_succeeds_is_not_measurable_and_never_zero() -> None:
    result = judge(trial(1000, control=Counts(500, 500, 500)))
    assert (result.rate, result.high, result.control) == (1.0, 1.0, 1.0)
    assert result.advantage is None
    assert result.verdict == "inconclusive"
    assert "not measurable" in result.detail["why"]


def test_full_success_is_a_fail_with_an_interval_inside_one() -> None:
    result = judge(trial(50, 50))
    assert (result.rate, result.high, result.verdict) == (1.0, 1.0, "fail")
    assert 0.92 < (result.low or 0) < 0.93


@pytest.mark.parametrize("counts", [Counts(0, 0, 0), Counts(7, 0, 0)])
def test_without_an_attempt_there_is_no_rate_and_no_pass(counts: Counts) -> None:
    result = judge(Trial("any", (), counts, RISK, baseline=0.1, control=Counts(0, 0, 0)))
    assert (result.rate, result.low, result.high, result.advantage) == (None, None, None, None)
    assert result.verdict == "inconclusive"


def test_an_attack_that_guessing_beats_concludes_nothing() -> None:
    assert judge(trial(10, baseline=0.05)).verdict == "too_weak"
    assert judge(trial(50, baseline=0.05)).verdict == "pass"


def test_an_attack_that_fails_on_the_raw_data_concludes_nothing() -> None:
    assert judge(trial(60, baseline=0.05, positive=0.01)).verdict == "too_weak"
    assert judge(trial(60, baseline=0.05, positive=0.9)).verdict == "pass"


def test_an_advantage_is_judged_by_the_worst_ends_of_both_intervals() -> None:
    assert judge(trial(5000, 10_000, GAIN, control=Counts(10_000, 10_000, 4900))).verdict == "pass"
    assert judge(trial(5000, 10_000, GAIN, control=Counts(100, 100, 49))).verdict == "inconclusive"
    assert judge(trial(7000, 10_000, GAIN, control=Counts(10_000, 10_000, 4900))).verdict == "fail"


def test_an_advantage_without_a_control_can_pass_on_the_rate_alone_and_never_fail() -> None:
    assert judge(trial(50, 1000, GAIN)).verdict == "pass"
    assert judge(trial(900, 1000, GAIN)).verdict == "inconclusive"


def test_the_result_is_plain_json_for_the_evidence() -> None:
    shown = judge(trial(5, control=Counts(9, 9, 1))).as_dict()
    assert json.loads(json.dumps(shown)) == shown
    assert set(shown) == {
        *("name", "knows", "targets", "attempts", "correct", "false_accepts", "rate", "low", "high"),
        *("baseline", "control", "advantage", "verdict", "seed", "detail"),
    }


def test_an_advantage_that_is_nothing_on_the_raw_data_concludes_nothing() -> None:
    weak = Trial("x", ("q",), Counts(100, 100, 0), Gate(0.1, "advantage"), control=Counts(100, 100, 0), positive=0.0)
    assert judge(weak).verdict == "too_weak"
    assert "raw data" in judge(weak).detail["why"]
