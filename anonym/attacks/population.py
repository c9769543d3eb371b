"""How many of a population are unique, judged from a sample of it: two models as the ends of a band, never as a gate.

* Pitman: class sizes follow the sampling formula of two parameters (Pitman 1995; Hoshino 2001), fitted by maximum
  likelihood; the expected number of singletons among N follows exactly.
* Zayatz (1991): the chance that someone unique in the sample is so in the population, taking the sample's class sizes
  for the population's.

Both can be far off, mostly too high: in trials with a known truth up to seventyfold.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import polars as pl

from anonym.attacks.drivers import WITHOUT
from anonym.attacks.matching import groups, profiles
from anonym.attacks.outcome import AttackResult, Counts, Trial, judge
from anonym.attacks.subgroup import worst_of

_STEPS = 60  # halvings of an interval of a parameter
_GOLDEN = (math.sqrt(5) - 1) / 2


def population_uniqueness(
    released: pl.DataFrame,
    cells: Sequence[str],
    knows: Sequence[str],
    population: int,
    *,
    unit: str | None,
    seed: int | None,
    raw: tuple[pl.DataFrame, Sequence[str]] | None = None,
) -> AttackResult:
    """The share of people unique in the sample; in `detail` the band of how many of them, and of the `population`
    people that they are a sample of, are unique there. Someone of several rows has the set of their classes. `raw` is
    the table before the release with its columns of the same meaning: the share unique there is the positive control.
    """
    members = profiles(released, cells, unit)
    histogram = _class_sizes(members)
    sample, unique = members.height, histogram.get(1, 0)
    population = max(population, sample)
    models = {"pitman": pitman(histogram, population), "zayatz": zayatz(histogram, population)} if unique else {}
    band = [min(models.values()), max(models.values())] if models else [0.0 if sample else None] * 2
    detail = {
        "population": population,
        "sample": sample,
        "sample_unique": unique,
        "population_unique": {**models, "band": band},
        "population_unique_share": [None if end is None else end / population for end in band],
        "why": "a band of two models, both of which can be far off; no release is judged by it",
    }
    counts = Counts(sample, sample, unique)
    positive = None
    if raw is not None:
        before = profiles(*raw, unit)
        positive = _class_sizes(before).get(1, 0) / before.height
    shown = detail | {"worst_subgroup": _worst(members, released, cells, unit)}
    trial = Trial("population uniqueness", tuple(knows), counts, None, None, None, positive, seed, shown, WITHOUT)
    return judge(trial)


def _class_sizes(members: pl.DataFrame) -> dict[int, int]:
    """By size how many classes [person, class] has of it."""
    sizes = members.group_by("class").len().group_by("len").agg(classes=pl.len())
    return {int(size): int(number) for size, number in sizes.sort("len").iter_rows()}


def _worst(
    members: pl.DataFrame, released: pl.DataFrame, cells: Sequence[str], unit: str | None
) -> dict[str, object] | None:
    alone = members.select("person", success=(pl.len().over("class") == 1).cast(pl.Float64))
    return worst_of(alone, groups(released, {name: [name] for name in cells}, unit))


def zayatz(histogram: Mapping[int, int], population: int) -> float:
    """Expected uniques of a population of N, from sample classes by size (Zayatz 1991)."""
    sample, all_classes = sum(size * number for size, number in histogram.items()), sum(histogram.values())
    seen_once = sum(number / all_classes * _drawn_once(size, sample, population) for size, number in histogram.items())
    if not seen_once:
        return 0.0
    chance = histogram.get(1, 0) / all_classes * (sample / population) / seen_once
    return histogram.get(1, 0) * chance * population / sample


def _drawn_once(size: int, sample: int, population: int) -> float:
    """P(one of `size` people is in a sample of n of N): hypergeometric."""
    if population - size < sample - 1:
        return 0.0
    return math.exp(math.log(size) + _log_choose(population - size, sample - 1) - _log_choose(population, sample))


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def pitman(histogram: Mapping[int, int], population: int) -> float:
    """Expected singletons among N people of Pitman's partition, its parameters fitted to the sample."""
    theta, alpha = fitted(histogram)
    return singletons(theta, alpha, population)


def singletons(theta: float, alpha: float, people: int) -> float:
    """N times the chance that nobody of the N - 1 others joins the first: exact."""
    log = math.lgamma(theta + alpha + people - 1) - math.lgamma(theta + people)
    return min(float(people), people * math.exp(log + math.lgamma(theta + 1) - math.lgamma(theta + alpha)))


def fitted(histogram: Mapping[int, int]) -> tuple[float, float]:
    """The parameters (theta, alpha), 0 < alpha < 1, of greatest likelihood."""
    low, high = 1e-6, 1 - 1e-6
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at = {alpha: _profile(histogram, alpha) for alpha in (left, right)}
    for _ in range(_STEPS):
        if at[left][0] >= at[right][0]:
            high, right = right, left
            left = high - _GOLDEN * (high - low)
            at[left] = _profile(histogram, left)
        else:
            low, left = left, right
            right = low + _GOLDEN * (high - low)
            at[right] = _profile(histogram, right)
    alpha = (low + high) / 2
    return _profile(histogram, alpha)[1], alpha


def _profile(histogram: Mapping[int, int], alpha: float) -> tuple[float, float]:
    """The greatest log-likelihood for one alpha, and its theta."""
    sample, groups = sum(size * number for size, number in histogram.items()), sum(histogram.values())
    theta = _theta(sample, groups, alpha)
    log = (groups - 1) * math.log(alpha) + math.lgamma(theta / alpha + groups) - math.lgamma(theta / alpha + 1)
    log -= math.lgamma(theta + sample) - math.lgamma(theta + 1)
    log += sum(number * (math.lgamma(size - alpha) - math.lgamma(1 - alpha)) for size, number in histogram.items())
    return log, theta


def _theta(sample: int, groups: int, alpha: float) -> float:
    """Where the likelihood is flat in theta, in (-alpha, 10 sample]; the end where it is nowhere."""

    def slope(theta: float) -> float:
        rise = (_digamma(theta / alpha + groups) - _digamma(theta / alpha + 1)) / alpha
        return rise - (_digamma(theta + sample) - _digamma(theta + 1))

    low, high = -alpha + 1e-9, 10.0 * sample + 1
    if slope(high) >= 0:
        return high
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    return (low + high) / 2


def _digamma(x: float) -> float:
    """Derivative of log gamma, for x > 0: recurrence up to 12, then the asymptotic series."""
    found = 0.0
    while x < 12:
        found -= 1 / x
        x += 1
    inverse = 1 / (x * x)
    return found + math.log(x) - 1 / (2 * x) - inverse * (1 / 12 - inverse * (1 / 120 - inverse / 252))
