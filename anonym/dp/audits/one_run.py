"""Auditing in one training run (Steinke, Nasr and Jagielski 2023, arXiv 2305.08846).

Each of m canaries is in the training set by a fair coin. Whoever looks at the model guesses for the r of which it is
surest; under (ε, δ)-DP at most a Binomial(r, e^ε/(1 + e^ε)) of the guesses is right, and δ adds little. So many right
guesses show that ε is larger than claimed. Few show nothing: with 1,000 canaries even a model without noise rarely
shows more than ε = 1 to 3, so the twin's bound is printed as what could have been detected.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from anonym.errors import CallError

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

CONFIDENCE = 0.95
SHARES = (0.02, 0.05, 0.1, 0.2, 0.4, 1.0)  # of the canaries that are guessed; the bound is corrected for six tries


@dataclass(frozen=True)
class OneRun:
    """The lower bound on ε at `delta`, one canary added or removed, and the guesses behind it."""

    canaries: int
    guesses: int
    right: int
    epsilon_at_least: float
    delta: float
    confidence: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def one_run(scores: Floats, included: Flags, delta: float = 0.0) -> OneRun:
    """The largest lower bound over a few numbers of guesses. `scores`: higher for canaries held to be in.

    Raises CallError for fewer than 20 canaries.
    """
    if len(scores) < 20 or len(scores) != len(included):
        raise CallError("one-run auditing needs at least 20 canaries and a coin for each")
    order = np.argsort(scores, kind="stable")
    found = []
    for share in SHARES:
        half = max(int(len(scores) * share) // 2, 1)
        right = int(included[order[-half:]].sum() + (~included[order[:half]]).sum())
        bound = lower_bound(right, 2 * half, len(scores), delta, (1 - CONFIDENCE) / len(SHARES))
        found.append(OneRun(len(scores), 2 * half, right, bound, delta, CONFIDENCE))
    return max(found, key=lambda one: one.epsilon_at_least)


def lower_bound(right: int, guesses: int, canaries: int, delta: float, error: float) -> float:
    """The largest ε that so many right guesses refute at level `error`, by bisection; 0 where none is."""
    if _chance(0.0, right, guesses, canaries, delta) > error:
        return 0.0
    low, high = 0.0, 20.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if _chance(middle, right, guesses, canaries, delta) <= error else (low, middle)
    return low


def _chance(epsilon: float, right: int, guesses: int, canaries: int, delta: float) -> float:
    """At most this often an (ε, δ)-DP model lets so many guesses be right (theorem 5.2 there)."""
    from scipy.special import bdtrc

    rate = 1 / (1 + math.exp(-epsilon))
    tail = float(bdtrc(right - 1, guesses, rate)) if right else 1.0
    if not delta:
        return tail
    steps = np.arange(1, right)
    spread = (bdtrc(right - steps - 1, guesses, rate) - tail) / steps
    return tail + 2 * canaries * delta * float(spread.max(initial=0.0))
