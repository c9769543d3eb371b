"""Slow, obvious twins of the privacy parts."""

from __future__ import annotations

import math

import numpy as np


def gaussian_delta(epsilon: float, sigma: float) -> float:
    """δ of the Gaussian mechanism at sensitivity 1 (Balle and Wang 2018, theorem 8)."""
    upper, lower = 0.5 / sigma - epsilon * sigma, -0.5 / sigma - epsilon * sigma
    return normal(upper) - math.exp(epsilon) * normal(lower)


def normal(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2))


def mixture_delta(epsilon: float, sigma: float, rate: float, records: int) -> tuple[float, float]:
    """Hockey-stick divergence in both directions, by summing densities on a fine grid."""
    x = np.linspace(-12 * sigma, records + 12 * sigma, 400_001)
    step = x[1] - x[0]
    centre = _density(x, sigma)
    weights = [math.comb(records, j) * rate**j * (1 - rate) ** (records - j) for j in range(records + 1)]
    mixed = sum(weight * _density(x - j, sigma) for j, weight in enumerate(weights))
    factor = math.exp(epsilon)
    return (
        float(np.maximum(mixed - factor * centre, 0).sum() * step),
        float(np.maximum(centre - factor * mixed, 0).sum() * step),
    )


def _density(x: np.ndarray, sigma: float) -> np.ndarray:
    return np.exp(-0.5 * (x / sigma) ** 2) / (sigma * math.sqrt(2 * math.pi))


def clipped_sum(gradients: np.ndarray, units: np.ndarray, bound: float) -> np.ndarray:
    """Mean gradient of each unit, cut to length `bound`, summed: one unit after the other."""
    total = np.zeros(gradients.shape[1])
    for unit in sorted(set(units.tolist())):
        mean = gradients[units == unit].mean(axis=0)
        length = float(np.linalg.norm(mean))
        total += mean * min(1.0, bound / length) if length > 0 else mean
    return total


def exposure(losses: np.ndarray, canary: float) -> float:
    """log2 |R| − log2 rank (Carlini et al. 2019)."""
    rank = 1 + sum(loss < canary for loss in losses)
    return math.log2(len(losses) + 1) - math.log2(rank)


def auc(members: np.ndarray, others: np.ndarray) -> float:
    """The share of pairs in which the member scores higher, ties half."""
    wins = sum((member > other) + 0.5 * (member == other) for member in members for other in others)
    return wins / (len(members) * len(others))
