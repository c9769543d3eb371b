"""From the counts of an attack to its rate, interval, advantage and verdict: the last of three stages.

Attacks count (`Counts`); nothing here knows what was attacked. The three never mix, so that the statistics can be
tested without an attack and an attack against brute force without statistics.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from anonym.attacks.interval import CONFIDENCE, clopper_pearson, wilson

Verdict = Literal["pass", "fail", "inconclusive", "too_weak"]
Interval = Callable[[float, int, float], tuple[float, float]]
Measure = Literal["rate", "advantage"]

_WITHIN = 1e-9  # rates are compared in favour of an attack that only ties with guessing
_MOST = 10**8  # beyond so many targets no number is named


@dataclass(frozen=True)
class Counts:
    """What an attack counted. `correct` may be an expected count: a set of n candidates that covers counts 1 / n."""

    targets: int
    attempts: int
    correct: float
    false_accepts: int | None = None

    @property
    def rate(self) -> float | None:
        return min(1.0, self.correct / self.targets) if self.targets and self.attempts else None


@dataclass(frozen=True)
class Gate:
    """What may not be exceeded: the rate itself, or the advantage over the control."""

    limit: float
    measure: Measure = "rate"


@dataclass(frozen=True)
class AttackResult:
    """One attack, judged. `rate` is correct / targets with its 95 % Clopper-Pearson interval `low` to `high`.

    `baseline` is guessing without the release's structure, `control` the same attack on people who were never
    released, `advantage` (attack - control) / (1 - control): null without a control, and where the control succeeds
    throughout, because then nothing can be measured. `detail` holds counts and shares, never a value of the data, and
    under `not_measured` the reason of every part that is null.
    """

    name: str
    knows: tuple[str, ...]
    targets: int
    attempts: int
    correct: float
    false_accepts: int | None
    rate: float | None
    low: float | None
    high: float | None
    baseline: float | None
    control: float | None
    advantage: float | None
    verdict: Verdict | None  # None: no limit was given, and nothing speaks against the attack
    seed: int | None
    detail: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """The result as it stands in the evidence."""
        return asdict(self) | {"knows": list(self.knows), "detail": dict(self.detail)}


@dataclass(frozen=True)
class Trial:
    """Everything that is needed to judge an attack. `positive` is its rate on the raw data, where it must succeed;
    `gate` None only describes. `without` says of parts that the attack cannot have why it has none."""

    name: str
    knows: tuple[str, ...]
    counts: Counts
    gate: Gate | None
    baseline: float | None = None
    control: Counts | None = None
    positive: float | None = None
    seed: int | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)
    without: Mapping[str, str] = field(default_factory=dict)


LACKING = {
    "false_accepts": "without a control or a truth nobody tells a wrong claim from a right one",
    "baseline": "there is nobody to guess among",
    "control": "no control was given that has the columns known",
    "positive_control": "the table before the release was not given, or lacks a column",
    "worst_subgroup": "no subgroup has enough people",
}
"""Why a part of a result is null, where the attack has no reason of its own."""


def advantage(rate: float | None, control: float | None) -> float | None:
    """(attack - control) / (1 - control): the share of what the control leaves that the attack gains.

    None where one of them is missing or the control succeeds throughout: 0 / 0 is not "no risk".
    """
    if rate is None or control is None or control >= 1:
        return None
    return (rate - control) / (1 - control)


def judge(trial: Trial) -> AttackResult:
    """The verdict on an attack, with every number it rests on."""
    counts, control = trial.counts, trial.control.rate if trial.control else None
    low, high = clopper_pearson(counts.correct, counts.targets) if counts.rate is not None else (None, None)
    verdict, why = _verdict(trial)
    gate = asdict(trial.gate) if trial.gate is not None else None
    shown = {"confidence": CONFIDENCE, "gate": gate, "positive_control": trial.positive, "worst_subgroup": None}
    detail = {**shown, **_control_shown(trial.control), **trial.detail, **why}
    return AttackResult(
        name=trial.name,
        knows=trial.knows,
        targets=counts.targets,
        attempts=counts.attempts,
        correct=counts.correct,
        false_accepts=counts.false_accepts,
        rate=counts.rate,
        low=low,
        high=high,
        baseline=trial.baseline,
        control=control,
        advantage=advantage(counts.rate, control),
        verdict=verdict,
        seed=trial.seed,
        detail={**detail, "not_measured": _not_measured(trial, detail)},
    )


def _not_measured(trial: Trial, detail: Mapping[str, Any]) -> dict[str, str]:
    """The parts of a result that are null, each with its reason."""
    held = {
        "false_accepts": trial.counts.false_accepts,
        "baseline": trial.baseline,
        "control": trial.control.rate if trial.control else None,
        "positive_control": trial.positive,
        "worst_subgroup": detail["worst_subgroup"],
    }
    return {part: trial.without.get(part, LACKING[part]) for part, value in held.items() if value is None}


def _control_shown(control: Counts | None) -> dict[str, Any]:
    return {"control": asdict(control)} if control else {}


def _verdict(trial: Trial) -> tuple[Verdict | None, dict[str, Any]]:
    """The verdict and why it is no other.

    pass where the upper bound is not over the limit, fail where the lower bound is over it, too_weak where guessing
    does better or the attack fails on the raw data; else inconclusive, with the targets it would take.
    """
    rate, control = trial.counts.rate, trial.control.rate if trial.control else None
    if rate is None:
        return "inconclusive", {"why": "nobody could be attacked: this is no evidence"}
    if trial.gate is not None and control is not None and control >= 1:
        return "inconclusive", {"why": "not measurable: the control succeeds throughout"}
    weak = _weakness(trial, rate)
    if weak:
        return "too_weak", {"why": weak}
    if trial.gate is None:
        return None, {}
    low, high = _bounds(trial, trial.gate)
    if high <= trial.gate.limit:
        return "pass", {}
    if low > trial.gate.limit:
        return "fail", {}
    return "inconclusive", {"targets_needed": _targets_needed(trial, trial.gate)}


def _weakness(trial: Trial, rate: float) -> str | None:
    if trial.baseline is not None and rate < trial.baseline - _WITHIN:
        return "attack too weak, no conclusion: guessing does better"
    if trial.positive is not None and trial.baseline is not None and trial.positive < trial.baseline - _WITHIN:
        return "attack too weak, no conclusion: it fails on the raw data"
    if trial.positive == 0 and trial.gate is not None and trial.gate.measure == "advantage":
        return "attack too weak, no conclusion: it gains nothing on the raw data"
    return None


def _bounds(trial: Trial, gate: Gate, interval: Interval = clopper_pearson, scale: float = 1) -> tuple[float, float]:
    """Bounds of what the gate measures, had there been `scale` times as many targets with the same rates.

    An advantage takes the worst ends of two intervals of 97.5 % each (Bonferroni); it grows with the attack and falls
    with the control. Without a control anything from 0 to 1 may be: it can pass on its rate alone, and never fail.
    """
    if gate.measure == "rate":
        return _scaled(trial.counts, interval, scale, CONFIDENCE)
    both = 1 - (1 - CONFIDENCE) / 2
    low, high = _scaled(trial.counts, interval, scale, both)
    least, most = 0.0, 1.0
    if trial.control is not None and trial.control.rate is not None:
        least, most = _scaled(trial.control, interval, scale, both)
    lowest = advantage(low, most)
    return -float("inf") if lowest is None else lowest, advantage(high, least) or 0.0


def _scaled(counts: Counts, interval: Interval, scale: float, confidence: float) -> tuple[float, float]:
    targets = max(1, round(counts.targets * scale))
    return interval(min(targets, counts.correct * targets / counts.targets), targets, confidence)


def _targets_needed(trial: Trial, gate: Gate) -> int | None:
    """About how many targets would decide, if the rates stayed as they are; None where no number would."""
    targets = trial.counts.targets
    if gate.measure == "advantage" and trial.control is None:
        return None  # without a control no number of targets tells
    most = 2.0
    while not _decides(trial, gate, most):
        most *= 2
        if most * targets > _MOST:
            return None
    least = most / 2
    while (most - least) * targets > max(1.0, most * targets / 100):  # to one per cent
        middle = (least + most) / 2
        least, most = (least, middle) if _decides(trial, gate, middle) else (middle, most)
    return round(most * targets)


def _decides(trial: Trial, gate: Gate, scale: float) -> bool:
    low, high = _bounds(trial, gate, wilson, scale)
    return high <= gate.limit or low > gate.limit
