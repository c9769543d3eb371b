"""Membership inference from losses: how well an attacker tells records trained on from records held out.

Definitions only, on arrays of losses; higher scores mean member. `loss_threshold` is Yeom et al. 2018, `rmia`
Zarifzadeh et al. 2024 (arXiv 2312.03262), `lira` Carlini et al. 2022 (arXiv 2112.03570).
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

GAMMA = 1.0  # RMIA: a population record is dominated where the ratio of ratios is at least this
SMALLEST_SPREAD = 1e-6


@dataclass(frozen=True)
class Membership:
    """One attack: AUC, the best advantage (true minus false positive rate), and true positives at few false ones."""

    attack: str
    members: int
    others: int
    auc: float
    advantage: float
    tpr_at_1: float  # true positive rate at 1 % false positives
    tpr_at_01: float  # at 0.1 %

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def measured(attack: str, scores: Floats, member: Flags) -> Membership:
    """The attack's success from its scores. Raises CallError where members or others are missing."""
    if member.all() or not member.any() or len(scores) != len(member):
        raise CallError("membership inference needs records that were trained on and records that were not")
    inside, outside = np.sort(scores[member]), np.sort(scores[~member])
    cuts = np.concatenate([[np.inf], np.unique(scores)[::-1]])
    hits = 1 - np.searchsorted(inside, cuts, side="left") / len(inside)
    alarms = 1 - np.searchsorted(outside, cuts, side="left") / len(outside)
    return Membership(
        attack=attack,
        members=len(inside),
        others=len(outside),
        auc=auc(inside, outside),
        advantage=float((hits - alarms).max()),
        tpr_at_1=float(hits[alarms <= 0.01].max()),
        tpr_at_01=float(hits[alarms <= 0.001].max()),
    )


def auc(inside: Floats, outside: Floats) -> float:
    """The share of pairs in which the member scores higher, ties half (Mann and Whitney)."""
    outside = np.sort(outside)
    below = np.searchsorted(outside, inside, side="left") + np.searchsorted(outside, inside, side="right")
    return float(below.mean() / 2 / len(outside))


def loss_threshold(losses: Floats) -> Floats:
    """Members have smaller losses."""
    return -losses


def rmia(losses: Floats, references: Floats) -> Floats:
    """The share of all records whose likelihood, relative to the `references` (models, records), rose less.

    References were trained on halves of the same records, so their mean likelihood has each record in and out.
    """
    ratios = np.exp(-losses) / np.maximum(np.exp(-references).mean(axis=0), 1e-12)
    dominated: Floats = np.searchsorted(np.sort(ratios), ratios / GAMMA, side="right") / len(ratios)
    return dominated


def lira(losses: Floats, references: Floats, trained_on: Flags) -> Floats:
    """Log likelihood ratio of the target's confidence under normal distributions of models that were (`trained_on`:
    models, records) and were not trained on the record, with one spread for all records: for few models."""
    confidence, known = _logit(losses), _logit(references)
    spreads, centres = [], []
    for flags in (trained_on, ~trained_on):
        counts = np.maximum(flags.sum(axis=0), 1)
        centre = np.where(flags, known, 0).sum(axis=0) / counts
        centre = np.where(flags.any(axis=0), centre, known[flags].mean())
        centres.append(centre)
        spreads.append(max(float((known - centre)[flags].std()), SMALLEST_SPREAD))
    inside, outside = (
        -((confidence - centre) ** 2) / (2 * spread**2) - math.log(spread)
        for centre, spread in zip(centres, spreads, strict=True)
    )
    scores: Floats = inside - outside
    return scores


def _logit(losses: Floats) -> Floats:
    """log p / (1 - p) of the probability p = e^-loss of the true label."""
    bounded = np.clip(losses, 1e-7, 50)
    logits: Floats = -bounded - np.log(-np.expm1(-bounded))
    return logits
