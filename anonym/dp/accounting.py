"""From events to ε: Google's privacy loss distributions as the reference, PRV and RDP beside them.

Reference listing (σ 1.1, q 1/31, 93 steps, δ 1e-5): PLD 1.7912, PRV 1.8014, RDP 2.1334.
"""

from __future__ import annotations

import logging
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from anonym.dp import mixture
from anonym.dp.events import DiscreteLaplace, Event, Laplace, SampledGaussian, SampledRecords, positive, sampled
from anonym.errors import CallError, GuaranteeError

LARGEST_NOISE = 1000.0
"""The largest noise multiplier tried for a target ε; a model trained with more learns nothing."""

SMALLEST_NOISE = 1e-3
"""The smallest noise multiplier answered, for targets that need hardly any."""

TOLERANCE = 1.001
"""A calibrated noise multiplier reaches at least the target ε over this factor, or is so close to one that fails."""


def epsilon(
    noise_multiplier: float,
    sample_rate: float,
    steps: int,
    delta: float,
    accountant: str = "pld",
    records_per_unit: int = 1,
) -> float:
    """ε of `steps` noisy sums over a Poisson sample at rate `sample_rate`, add or remove one unit, at `delta`.

    `records_per_unit` above 1: records are sampled, and a unit has at most so many (PLD only). Raises CallError on
    values out of range and on accountants that cannot say it.
    """
    return compose([sampled(noise_multiplier, sample_rate, steps, records_per_unit)], delta, accountant)


def compose(events: Sequence[Event], delta: float, accountant: str = "pld") -> float:
    """ε of all events together, in any order, at `delta`; 0 for none. Raises CallError as `epsilon` does."""
    if not (isinstance(delta, int | float) and 0 < delta < 1):
        raise CallError("delta: expected a number above 0 and below 1")
    account = ACCOUNTANTS[known(accountant)]
    return account(_gathered(events), float(delta)) if events else 0.0


def known(accountant: str) -> str:
    """The accountant's name. Raises CallError for one that is not offered, with the reason."""
    name = str(accountant).lower()
    if name == "gdp":
        raise CallError(
            "accountant gdp is refused: its central limit lies about a quarter below the true epsilon. Use pld, prv or "
            "rdp"
        )
    if name not in ACCOUNTANTS:
        raise CallError(f"accountant: expected one of {', '.join(ACCOUNTANTS)}")
    return name


def _gathered(events: Sequence[Event]) -> tuple[Event, ...]:
    """Equal events as one with their counts added, in a fixed order, so that equal spending is equal."""
    counts: Counter[Event] = Counter()
    for event in events:
        counts[replace(event, count=1)] += event.count
    return tuple(sorted((replace(event, count=count) for event, count in counts.items()), key=repr))


# privacy loss distributions ------------------------------------------------------------------------------------------


@lru_cache(maxsize=512)
def _pld(events: tuple[Event, ...], delta: float) -> float:
    from dp_accounting.pld import privacy_loss_distribution

    interval = max(_interval(event) for event in events)
    total = privacy_loss_distribution.identity(value_discretization_interval=interval)
    for event in events:
        total = total.compose(_loss(event, interval))
    return float(total.get_epsilon_for_delta(delta))


def _interval(event: Event) -> float:
    """1e-4, and coarser where little noise makes losses so large that a step would have over 200,000 of them."""
    match event:
        case SampledRecords(sigma, rate, records):
            low, high = mixture.Mixture(sigma, rate, records).ends()
            return mixture.interval(high - low)
        case SampledGaussian(sigma):
            return mixture.interval(0.5 / sigma**2 + mixture.TAIL / sigma)
        case DiscreteLaplace(scale, sensitivity):
            return mixture.interval(2 * sensitivity / scale)
        case Laplace(scale):
            return mixture.interval(2 / scale)


def _loss(event: Event, interval: float) -> Any:
    """The privacy loss distribution of an event with all its repetitions."""
    from dp_accounting.pld import privacy_loss_distribution as pld

    match event:
        case SampledGaussian(sigma, rate, count) if rate == 1:
            return pld.from_gaussian_mechanism(sigma / math.sqrt(count), value_discretization_interval=interval)
        case SampledGaussian(sigma, rate, count):
            one = pld.from_gaussian_mechanism(sigma, value_discretization_interval=interval, sampling_prob=rate)
        case SampledRecords(sigma, rate, records, count):
            one = mixture.distribution(mixture.Mixture(sigma, rate, records), interval)
        case Laplace(scale, count):
            one = pld.from_laplace_mechanism(scale, value_discretization_interval=interval)
        case DiscreteLaplace(scale, sensitivity, count):
            one = pld.from_discrete_laplace_mechanism(1 / scale, sensitivity, value_discretization_interval=interval)
    return one.self_compose(count)


# RDP and PRV ---------------------------------------------------------------------------------------------------------


def _unless_left_out(record: logging.LogRecord) -> bool:
    return "Excluding this order" not in record.getMessage()


@lru_cache(maxsize=512)
def _rdp(events: tuple[Event, ...], delta: float) -> float:
    import dp_accounting
    from dp_accounting.rdp import RdpAccountant

    account = RdpAccountant()
    # It says for each order that does not converge that it leaves it out; the others bound epsilon all the same.
    logging.getLogger("absl").addFilter(_unless_left_out)
    for event in events:
        match event:
            case SampledGaussian(sigma, rate, count):
                one = dp_accounting.PoissonSampledDpEvent(rate, dp_accounting.GaussianDpEvent(sigma))
            case Laplace(scale, count):
                one = dp_accounting.LaplaceDpEvent(scale)
            case _:
                raise _cannot("rdp", event)
        account.compose(one, count)
    return float(account.get_epsilon(delta))


@lru_cache(maxsize=512)
def _prv(events: tuple[Event, ...], delta: float) -> float:
    from opacus.accountants import PRVAccountant

    account = PRVAccountant()
    for event in events:
        if not isinstance(event, SampledGaussian):
            raise _cannot("prv", event)
        account.history.append((event.noise_multiplier, event.sample_rate, event.count))
    return float(account.get_epsilon(delta))


def _cannot(accountant: str, event: Event) -> CallError:
    return CallError(f"accountant {accountant} has no statement for {event.kind}; use pld")


ACCOUNTANTS: dict[str, Callable[[tuple[Event, ...], float], float]] = {"pld": _pld, "prv": _prv, "rdp": _rdp}


# a target ------------------------------------------------------------------------------------------------------------


def noise_for(
    epsilon: float,
    delta: float,
    sample_rate: float,
    steps: int,
    accountant: str = "pld",
    records_per_unit: int = 1,
    spent: Sequence[Event] = (),
) -> float:
    """The noise multiplier with which `steps` steps, after the events already `spent`, stay within `epsilon`.

    Never above the target, at most 0.1 % below it. Raises GuaranteeError with the best reachable ε
    where even a noise multiplier of 1,000 does not reach the target, CallError on values out of range.
    """
    positive("epsilon", epsilon)
    return _noise_for(
        float(epsilon), float(delta), sample_rate, steps, known(accountant), records_per_unit, tuple(spent)
    )


@lru_cache(maxsize=256)
def _noise_for(
    target: float, delta: float, rate: float, steps: int, accountant: str, records: int, spent: tuple[Event, ...]
) -> float:
    def reached(sigma: float) -> float:
        return compose([*spent, sampled(sigma, rate, steps, records)], delta, accountant)

    low, high = (0.0, math.inf), (1.0, reached(1.0))
    while high[1] > target:
        if high[0] >= LARGEST_NOISE:
            raise _unreachable(target, delta, rate, steps, accountant, high)
        low, high = high, _tried(reached, min(high[0] * 2, LARGEST_NOISE))
    while low[0] == 0 and high[0] > SMALLEST_NOISE:
        below = _tried(reached, high[0] / 2)
        low, high = (below, high) if below[1] > target else (low, below)
    return _narrowed(reached, target, low, high)


Try = tuple[float, float]  # a noise multiplier and the ε it reaches


def _tried(reached: Callable[[float], float], sigma: float) -> Try:
    return sigma, reached(sigma)


def _narrowed(reached: Callable[[float], float], target: float, low: Try, high: Try) -> float:
    """The upper end, once it is within TOLERANCE of the target or of the lower end. Log ε is almost linear in log σ,
    so interpolation takes 3 to 5 tries where bisection took 12."""
    turn = 0
    while low[0] and high[1] * TOLERANCE < target and high[0] / low[0] > TOLERANCE:
        part = math.log(low[1] * TOLERANCE**0.5 / target) / math.log(low[1] / high[1])
        part = 0.5 if turn % 4 == 3 else min(max(part, 0.02), 0.98)
        middle = _tried(reached, low[0] * (high[0] / low[0]) ** part)
        low, high = (low, middle) if middle[1] <= target else (middle, high)
        turn += 1
    return high[0]


def _unreachable(target: float, delta: float, rate: float, steps: int, accountant: str, best: Try) -> GuaranteeError:
    return GuaranteeError(
        f"epsilon {target:g} at delta {delta:g} ({accountant}, add or remove one unit) cannot be reached with {steps} "
        f"steps over Poisson samples at rate {rate:g}: the best is {best[1]:.4g}, at noise multiplier {best[0]:g}. "
        "Lower the sampling rate or the number of steps, or raise the target",
        found={"epsilon": best[1], "noise_multiplier": best[0]},
    )
