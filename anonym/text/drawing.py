"""Drawing texts to label, so that recall measured on them has as narrow an interval as their number allows.

Recall is a ratio over labels, and texts differ in how many they hold. Texts are stratified by what the scrubber finds
in them, and the draw goes where labels are expected (Neyman 1934): under misses that are rare and independent, the
standard deviation of a stratum is the root of its expected labels. Every text carries the weight it stands for.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

BREAKS = (1, 2, 4, 8, 16)
"""Strata: texts with no finding, 1, 2 to 3, 4 to 7, 8 to 15, 16 and more."""

ALL = -1
"""The stratum of texts that are not told apart."""

UNFOUND = 0.02
"""Labels expected per word beyond what is found, so that no stratum counts as empty."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Drawn:
    """The place of a drawn text among those given, its stratum, and how many texts it stands for."""

    index: int
    stratum: str
    weight: float


def draw(texts: Sequence[str], found: Sequence[int], n: int, seed: int, population: int | None = None) -> list[Drawn]:
    """`n` of `texts` (all, if they are fewer), given the number of findings in each, ordered as given.

    `population`: how many texts the given ones stand for, if they were themselves drawn at random.
    """
    scale = (population or len(texts)) / max(len(texts), 1)
    strata: dict[int, list[int]] = {}
    for index, count in enumerate(found):
        strata.setdefault(sum(count >= edge for edge in BREAKS), []).append(index)
    if n < 2 * len(strata):  # too few for strata: one of all
        strata = {ALL: list(range(len(texts)))}
    wanted = allocate(
        {name: len(members) for name, members in strata.items()},
        {name: _spread(texts, found, members) for name, members in strata.items()},
        n,
    )
    dice = random.Random(seed)
    drawn = [
        Drawn(index, _name(stratum), scale * len(members) / wanted[stratum])
        for stratum, members in sorted(strata.items())
        for index in dice.sample(members, wanted[stratum])
    ]
    return sorted(drawn, key=lambda each: each.index)


def _spread(texts: Sequence[str], found: Sequence[int], members: Sequence[int]) -> float:
    expected = sum(found[i] + UNFOUND * len(_WORD.findall(texts[i])) for i in members)
    return math.sqrt(max(expected / len(members), 1e-9))


def _name(stratum: int) -> str:
    if stratum == ALL:
        return "all texts"
    edges = (0, *BREAKS, None)
    low, high = edges[stratum], edges[stratum + 1]
    return f"{low} or more found" if high is None else f"{low} to {high - 1} found"


def allocate(sizes: dict[int, int], spreads: dict[int, float], n: int) -> dict[int, int]:
    """How many of each stratum to draw: in proportion to size times spread (Neyman), two or all at least, never more
    than there are, `n` (two for each stratum at least) together where there are as many.
    """
    n = min(n, sum(sizes.values()))
    taken = {name: min(2, size, n) for name, size in sizes.items()}
    while sum(taken.values()) < n:
        # One at a time, where it lowers the variance most: size² spread² (1/m − 1/(m + 1)).
        open_ = [name for name in sizes if taken[name] < sizes[name]]
        best = max(open_, key=lambda name: (sizes[name] * spreads[name]) ** 2 / (taken[name] * (taken[name] + 1)))
        taken[best] += 1
    return taken
