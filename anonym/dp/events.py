"""What spends privacy, as frozen values: each states its pair of neighbouring output distributions.

Noise is in multiples of the sensitivity, so that an event says nothing of clipping bounds or units of measurement.
Adjacency is add or remove one unit throughout.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from anonym.errors import CallError


def positive(name: str, value: float) -> None:
    """Raises CallError unless `value` is a finite number above 0."""
    if not (isinstance(value, int | float) and math.isfinite(value) and value > 0):
        raise CallError(f"{name}: expected a finite number above 0")


def probability(name: str, value: float) -> None:
    """Raises CallError unless 0 < `value` <= 1."""
    if not (isinstance(value, int | float) and 0 < value <= 1):
        raise CallError(f"{name}: expected a number above 0 and at most 1")


def whole(name: str, value: int) -> None:
    """Raises CallError unless `value` is a whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise CallError(f"{name}: expected a whole number of at least 1")


@dataclass(frozen=True)
class SampledGaussian:
    """`count` times: each unit is in with probability q, then N(0, σ²) is added. N(0, σ²) against (1-q) N(0, σ²) + q
    N(1, σ²) (Abadi et al. 2016, Poisson sampling). `sample_rate` 1 is the plain Gaussian mechanism."""

    kind: ClassVar[str] = "sampled_gaussian"
    noise_multiplier: float
    sample_rate: float
    count: int = 1

    def __post_init__(self) -> None:
        positive("noise_multiplier", self.noise_multiplier)
        probability("sample_rate", self.sample_rate)
        whole("count", self.count)


@dataclass(frozen=True)
class SampledRecords:
    """`count` times: each of a unit's g records is in with probability q, clipped alone. N(0, σ²) against the mixture
    of N(j, σ²), j ~ Binomial(g, q) (Charles et al. 2024, arXiv 2407.07737, example-level sampling)."""

    kind: ClassVar[str] = "sampled_records"
    noise_multiplier: float
    sample_rate: float
    records: int
    count: int = 1

    def __post_init__(self) -> None:
        positive("noise_multiplier", self.noise_multiplier)
        probability("sample_rate", self.sample_rate)
        whole("records", self.records)
        whole("count", self.count)


@dataclass(frozen=True)
class Laplace:
    """`count` times a Laplace draw of scale `noise_multiplier` × the L1 sensitivity."""

    kind: ClassVar[str] = "laplace"
    noise_multiplier: float
    count: int = 1

    def __post_init__(self) -> None:
        positive("noise_multiplier", self.noise_multiplier)
        whole("count", self.count)

    @property
    def pure(self) -> float:
        """ε at δ = 0."""
        return self.count / self.noise_multiplier


@dataclass(frozen=True)
class DiscreteLaplace:
    """`count` times a whole-number Laplace draw, P(x) ∝ exp(-|x| / scale), for a whole L1 sensitivity."""

    kind: ClassVar[str] = "discrete_laplace"
    scale: float
    sensitivity: int
    count: int = 1

    def __post_init__(self) -> None:
        positive("scale", self.scale)
        whole("sensitivity", self.sensitivity)
        whole("count", self.count)

    @property
    def pure(self) -> float:
        """ε at δ = 0."""
        return self.count * self.sensitivity / self.scale


Event = SampledGaussian | SampledRecords | Laplace | DiscreteLaplace


def sampled(noise_multiplier: float, sample_rate: float, steps: int, records: int = 1) -> Event:
    """`steps` noisy sums over Poisson samples: of units, or of the at most `records` records of one."""
    if records == 1:
        return SampledGaussian(noise_multiplier, sample_rate, steps)
    return SampledRecords(noise_multiplier, sample_rate, records, steps)


KINDS: dict[str, type[Event]] = {
    kind.kind: kind for kind in (SampledGaussian, SampledRecords, Laplace, DiscreteLaplace)
}


def as_dict(event: Event) -> dict[str, Any]:
    """The event as JSON-able facts; `from_dict` reads them back."""
    return {"event": event.kind, **asdict(event)}


def from_dict(facts: Mapping[str, Any]) -> Event:
    """The event that `as_dict` wrote. Raises CallError on a kind or a field that no event has."""
    fields = dict(facts)
    kind = fields.pop("event", None)
    if kind not in KINDS:
        raise CallError(f"unknown privacy event; known are {', '.join(KINDS)}")
    try:
        return KINDS[kind](**fields)
    except TypeError:
        raise CallError(f"the fields of the privacy event {kind} do not fit") from None
