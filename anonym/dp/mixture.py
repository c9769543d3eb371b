"""The privacy loss of record sampling at user level: N(0, σ²) against a binomial mixture of Gaussians.

dp-accounting has the same distribution (`MixtureOfGaussiansDpEvent`) and inverts the loss by bisection in Python:
300 steps at g = 32 take 158 s there and under 3 s here, with the same connect-the-dots rounding (arXiv 2207.04380).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

TAIL = 10.0  # standard deviations: the mass beyond, 1e-23, is counted as infinite loss
GRID = 40_000  # support points that bracket Newton's method
POINTS = 200_000  # of a discretised privacy loss, at most


class Mixture:
    """σ, the shifts 0 … g and their binomial weights."""

    def __init__(self, sigma: float, rate: float, records: int) -> None:
        from scipy.stats import binom

        shifts = np.arange(records + 1, dtype=float)
        weights = binom(records, rate).pmf(shifts)
        held = weights > 0
        self.sigma, self.shifts, self.weights = sigma, shifts[held], weights[held]
        self.logs = np.log(self.weights)
        self.span = (-TAIL * sigma, float(self.shifts[-1]) + TAIL * sigma)

    def loss(self, x: Floats) -> tuple[Floats, Floats]:
        """log of mixture over centre at each x, and its derivative. Increasing in x."""
        from scipy.special import logsumexp, softmax

        terms = self.logs + (np.multiply.outer(x, self.shifts) - self.shifts**2 / 2) / self.sigma**2
        slope: Floats = softmax(terms, axis=1) @ self.shifts / self.sigma**2
        value: Floats = logsumexp(terms, axis=1)
        return value, slope

    def inverse(self, losses: Floats) -> Floats:
        """x with loss(x) = each loss, by Newton's method inside a bracket of the grid."""
        grid = np.linspace(*self.span, GRID)
        at = np.maximum.accumulate(self.loss(grid)[0])
        right = np.clip(np.searchsorted(at, losses), 1, GRID - 1)
        low, high = grid[right - 1], grid[right]
        x = np.clip(np.interp(losses, at, grid), low, high)
        for _ in range(2):
            value, slope = self.loss(x)
            x = np.clip(x + (losses - value) / np.maximum(slope, 1e-300), low, high)
        return x

    def removal(self, epsilons: Floats) -> Floats:
        """Hockey-stick divergence of the mixture from the centre."""
        from scipy.special import log_ndtr, ndtr

        x = self.inverse(epsilons)
        above = ndtr((self.shifts - x[:, None]) / self.sigma) @ self.weights
        deltas = above - np.exp(epsilons + log_ndtr(-x / self.sigma))
        return _falling(np.where(epsilons <= self._floor(), -np.expm1(epsilons), deltas))

    def addition(self, epsilons: Floats) -> Floats:
        """Hockey-stick divergence of the centre from the mixture."""
        from scipy.special import log_ndtr, logsumexp, ndtr

        x = self.inverse(-epsilons)
        below = logsumexp(log_ndtr((x[:, None] - self.shifts) / self.sigma), axis=1, b=self.weights)
        deltas = ndtr(x / self.sigma) - np.exp(epsilons + below)
        return _falling(np.where(-epsilons <= self._floor(), 0.0, deltas))

    def _floor(self) -> float:
        """The loss cannot be below the log weight of not being sampled at all."""
        return float(self.logs[0]) if self.shifts[0] == 0 else -np.inf

    def ends(self) -> tuple[float, float]:
        """The loss at both ends of the span."""
        low, high = self.loss(np.array(self.span))[0]
        return float(low), float(high)


def interval(width: float) -> float:
    """The finest discretisation, a multiple of 1e-4, with which losses over `width` take at most POINTS points."""
    return 1e-4 * max(1, math.ceil(width / POINTS / 1e-4))


def _falling(deltas: Floats) -> Floats:
    """Clipped and non-increasing, as divergences are; rounding may have broken it upwards of 1e-16."""
    fallen: Floats = np.maximum.accumulate(np.clip(deltas, 0, 1)[::-1])[::-1]
    return fallen


def distribution(mixture: Mixture, interval: float) -> Any:
    """The privacy loss distribution (dp-accounting's) of one step, in both directions."""
    from dp_accounting.pld import pld_pmf, privacy_loss_distribution

    low, high = mixture.ends()

    def dots(start: float, stop: float, delta: Any) -> Any:
        first, last = int(np.floor(start / interval)), int(np.ceil(stop / interval))
        epsilons = np.arange(first, last + 1) * interval
        return pld_pmf.create_pmf_pessimistic_connect_dots_fixed_gap(interval, first, last, delta(epsilons))

    return privacy_loss_distribution.PrivacyLossDistribution(
        dots(low, high, mixture.removal), dots(-high, -low, mixture.addition)
    )
