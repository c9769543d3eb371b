"""Canaries and extraction: secrets planted in the training text, and what comes out again when the model is asked."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

Detector = Callable[[Sequence[str]], list[list[str]]]
"""The identifiers in each text, as they stand there."""


def exposure(others: Floats, canary: float) -> float:
    """log2 |R| - log2 rank of a canary among the candidates R it was drawn from, itself included, in bits (Carlini et
    al. 2019, arXiv 1802.08232). `others` are the losses of the other candidates; ties rank halfway."""
    rank = 1 + float((others < canary).sum()) + float((others == canary).sum()) / 2
    return math.log2(len(others) + 1) - math.log2(rank)


def extracted(texts: Sequence[str], known: Iterable[str], detect: Detector) -> dict[str, Any]:
    """How many of the model's `texts` hold an identifier of the training set; per 10,000, and how many different."""
    trained, found, hits = {plain(one) for one in known}, set(), 0
    for identifiers in detect(texts):
        mine = {plain(one) for one in identifiers} & trained
        hits += bool(mine)
        found |= mine
    return {
        "probes": len(texts),
        "hits": hits,
        "hits_per_10000": hits * 10_000 / len(texts) if texts else None,
        "different": len(found),
        "known": len(trained),
    }


def plain(identifier: str) -> str:
    """Without spelling: letters and digits, lower case."""
    return "".join(letter for letter in identifier.casefold() if letter.isalnum())


def by_repetition(values: Mapping[int, Sequence[float]]) -> list[dict[str, Any]]:
    """Mean and most by how often a canary was planted."""
    return [
        {"planted": times, "canaries": len(found), "mean": float(np.mean(found)), "most": max(found)}
        for times, found in sorted(values.items())
    ]
