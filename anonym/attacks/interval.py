"""Clopper-Pearson intervals from the exact binomial tail, without SciPy."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

CONFIDENCE = 0.95
_NEGLIGIBLE = 1e-18  # a term this much smaller than the sum ends it
_STEPS = 100  # halvings of [0, 1]; a double has no more than 53 and its exponent
_SLACK = 1e-9  # rounding of a sum of fractions, before it is rounded to whole successes


def clopper_pearson(correct: float, trials: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The exact two-sided interval of a proportion (Clopper and Pearson 1934): covers it at least so often.

    An expected count (a sum of 1 / candidates) may have a fraction: the lower end is that of the whole number below
    it, the upper end that of the one above, so that the interval only grows.
    Raises ValueError unless 0 <= correct <= trials and trials >= 1.
    """
    if trials < 1 or not -_SLACK <= correct <= trials + _SLACK:
        raise ValueError(f"expected 0 <= correct <= trials and trials >= 1, found {correct} of {trials}")
    tail = (1 - confidence) / 2
    below, above = max(0, math.floor(correct + _SLACK)), min(trials, math.ceil(correct - _SLACK))
    low = 0.0 if below == 0 else _crossing(lambda p: at_least(below, trials, p) < tail)
    high = 1.0 if above == trials else _crossing(lambda p: 1 - at_least(above + 1, trials, p) >= tail)
    return low, high


def wilson(correct: float, trials: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Wilson's interval with the correction for continuity (Newcombe 1998): close to the exact one, at no cost.

    Only to say how many targets an attack would take, never for a verdict.
    """
    z, p = NormalDist().inv_cdf((1 + confidence) / 2), correct / trials
    spread = [z * z - 1 / trials + 4 * trials * p * (1 - p) + sign * (4 * p - 2) for sign in (1, -1)]
    low, high = (
        (2 * correct + z * z + sign * (1 + z * math.sqrt(max(0.0, root)))) / (2 * (trials + z * z))
        for sign, root in zip((-1, 1), spread, strict=True)
    )
    return max(0.0, low) if correct else 0.0, min(1.0, high) if correct < trials else 1.0


def _crossing(is_left: Callable[[float], bool]) -> float:
    """The p in [0, 1] where a condition that holds on the left ceases to hold."""
    left, right = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (left + right) / 2
        if middle in (left, right):
            break
        left, right = (middle, right) if is_left(middle) else (left, middle)
    return (left + right) / 2


def at_least(successes: int, trials: int, p: float) -> float:
    """P(X >= successes) of the binomial distribution.

    The side away from the mode is summed, where terms fall geometrically: about sqrt(trials) of them.
    """
    if successes <= 0:
        return 1.0
    if p <= 0.0 or successes > trials:
        return 0.0
    if p >= 1.0:
        return 1.0
    if successes >= trials * p:
        return _tail(successes, trials, p)
    return 1.0 - _tail(trials - successes + 1, trials, 1.0 - p)


def _tail(successes: int, trials: int, p: float) -> float:
    first = (
        math.lgamma(trials + 1)
        - math.lgamma(successes + 1)
        - math.lgamma(trials - successes + 1)
        + successes * math.log(p)
        + (trials - successes) * math.log1p(-p)
    )
    odds = p / (1.0 - p)
    term = total = 1.0
    for i in range(successes, trials):
        term *= (trials - i) / (i + 1) * odds
        total += term
        if term < total * _NEGLIGIBLE:
            break
    return math.exp(first + math.log(total)) if first + math.log(total) < 0 else 1.0
