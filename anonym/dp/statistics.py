"""Noisy counts, sums, means and histograms of a table, each charged to the ledger before its noise is drawn.

The noise is OpenDP's (exact sampling, arXiv 2004.00010, from its own secure generator). Sums are exact: values are
clamped and rounded to a fixed grid, so that no rounding of floats changes what one unit can move.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from anonym.dp.accounting import compose, noise_for
from anonym.dp.events import DiscreteLaplace, Event, Laplace, SampledGaussian, positive, whole
from anonym.dp.ledger import Ledger, spent
from anonym.dp.options import HasTraining, TrainingOptions
from anonym.dp.plan import ADJACENCY
from anonym.dp.randomness import Secure
from anonym.dp.statement import at_most, factor, odds
from anonym.dp.units import Units, encode
from anonym.errors import CallError, GuaranteeError, InputError, type_name

if TYPE_CHECKING:
    import polars as pl

Mechanism = Literal["laplace", "discrete_laplace", "gaussian"]

GRID = 20  # bits: a clamped real value is rounded to the bound over 2^20


@dataclass(frozen=True)
class Noisy:
    """A statistic with its noise, and what it cost: `epsilon` at `delta`, which is 0 for Laplace noise. `odds` is e^ε:
    by at most this factor the odds of anything an observer may conclude about one unit change. `total` is ε of
    everything in the ledger so far, at `total_delta` and by `accountant`."""

    name: str
    value: float | int | dict[str, int]
    mechanism: Mechanism
    scale: float
    sensitivity: float
    epsilon: float
    odds: float
    delta: float
    total: float
    total_delta: float
    max_records_per_unit: int
    unit: str
    accountant: str
    adjacency: str = ADJACENCY
    sampler: str = "none: every unit is counted"

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        return (
            f"{self.name}: {self.value} ({self.mechanism}, scale {self.scale:g}, ε {at_most(self.epsilon)} per "
            f"{self.unit} at δ {self.delta:g}, odds × {factor(self.epsilon)}; {self.adjacency}; "
            f"sampler {self.sampler}; the ledger stands at ε {at_most(self.total)} at δ {self.total_delta:g}, "
            f"{self.accountant})"
        )


@dataclass(frozen=True)
class _Query:
    """What is asked: whole-number answers on a grid, and how far one unit moves them (L1 or L2, the same bound)."""

    name: str
    answers: tuple[int, ...]
    sensitivity: int
    step: float = 1.0


class Statistics:
    """Noisy statistics of `frame` under the policy's unit, δ and ε limit.

    At most `max_records_per_unit` rows of a unit are used, drawn by lot once. Raises CallError where the policy has no
    `training` part or no unit, InputError where the unit's column is not in the table.
    """

    def __init__(
        self,
        frame: pl.DataFrame,
        policy: HasTraining,
        ledger: Ledger | str | None = None,
        *,
        max_records_per_unit: int | None = None,
        policy_change: str | None = None,
    ) -> None:
        self.options, self.unit = _declared(policy)
        most = max_records_per_unit or self.options.max_records_per_unit
        if most is None:
            raise CallError("max_records_per_unit: name a bound here or in the policy, not one read off the data")
        whole("max_records_per_unit", most)
        self.most = most
        self.ledger = ledger if isinstance(ledger, Ledger) else Ledger(ledger)
        self.ledger.fix(self.options, self.unit, policy_change)
        self._frame = frame

    @cached_property
    def _used(self) -> pl.DataFrame:
        if self.unit not in self._frame.columns:
            raise InputError(f"the table has no column {self.unit}, which the policy names as the unit")
        units: Units = encode(self._frame[self.unit], self._frame.height)
        return self._frame.filter(units.bounded(self.most, Secure()))

    def count(self, *, epsilon: float, mechanism: Mechanism = "discrete_laplace") -> Noisy:
        """The number of rows."""
        return self._whole(_Query("count", (self._used.height,), self.most), epsilon, mechanism)

    def histogram(
        self, column: str, categories: Sequence[Any], *, epsilon: float, mechanism: Mechanism = "discrete_laplace"
    ) -> Noisy:
        """Rows for each of `categories`, which must come from knowledge and not from the data; other values are not
        counted."""
        if len(set(categories)) != len(categories) or not categories:
            raise CallError("categories: expected a list of different values, written down without a look at the data")
        values = self._column(column)
        counts = tuple(int((values == category).sum()) for category in categories)
        noisy = self._spend(_Query(f"histogram of {column}", counts, self.most), epsilon, mechanism)
        named = dict(zip(map(str, categories), (round(value) for value in noisy[0]), strict=True))
        return self._result(f"histogram of {column}", named, noisy)

    def sum(
        self, column: str, low: float, high: float, *, epsilon: float, mechanism: Mechanism = "discrete_laplace"
    ) -> Noisy:
        """The sum of values clamped to `low` … `high`, bounds that must come from knowledge; null counts as 0."""
        query = self._summed(f"sum of {column}", column, low, high, 0.0)
        noisy = self._spend(query, epsilon, mechanism)
        return self._result(query.name, noisy[0][0] * query.step, noisy)

    def mean(
        self, column: str, low: float, high: float, *, epsilon: float, mechanism: Mechanism = "discrete_laplace"
    ) -> Noisy:
        """The mean of values clamped to `low` … `high`: half of ε for the sum about the middle, half for the count of
        values."""
        middle = (low + high) / 2
        query = self._summed(f"mean of {column}", column, low, high, middle)
        counted = _Query(query.name, (len(_values(self._column(column))),), self.most)
        parts = (self._spend(query, epsilon / 2, mechanism), self._spend(counted, epsilon / 2, mechanism))
        (total,), (rows,) = parts[0][0], parts[1][0]
        value = min(max(middle + total * query.step / max(rows, 1), low), high)
        both = [*parts[0][3], *parts[1][3]]
        return self._result(query.name, value, (parts[0][0], parts[0][1], parts[0][2], both))

    def _column(self, column: str) -> pl.Series:
        if column not in self._used.columns:
            raise InputError(f"the table has no column {column}")
        return self._used[column]

    def _summed(self, name: str, column: str, low: float, high: float, middle: float) -> _Query:
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise CallError("low and high: expected finite bounds, the lower first, chosen without a look at the data")
        values = self._column(column)
        if not values.dtype.is_numeric():
            raise InputError(f"column {column}: expected numbers, found {type_name(values.dtype)}")
        bound = max(abs(low - middle), abs(high - middle))
        exact = values.dtype.is_integer() and float(low).is_integer() and float(high).is_integer() and middle == 0
        step = 1.0 if exact else 2.0 ** (math.floor(math.log2(bound)) - GRID)
        answer = sum(round((value - middle) / step) for value in _values(values).clip(low, high))
        return _Query(name, (answer,), self.most * math.ceil(bound / step), step)

    def _whole(self, query: _Query, epsilon: float, mechanism: Mechanism) -> Noisy:
        noisy = self._spend(query, epsilon, mechanism)
        return self._result(query.name, round(noisy[0][0]), noisy)

    def _spend(
        self, query: _Query, epsilon: float, mechanism: Mechanism
    ) -> tuple[list[float], _Query, tuple[Mechanism, float], list[Event]]:
        """Charged to the ledger, then drawn."""
        positive("epsilon", epsilon)
        if mechanism not in MEASUREMENTS:
            raise CallError(f"mechanism: expected one of {', '.join(MEASUREMENTS)}")
        delta, accountant = self.options.delta, self.options.accountant
        ratio = noise_for(epsilon, delta, 1.0, 1, accountant) if mechanism == "gaussian" else 1 / epsilon
        scale = ratio * query.sensitivity
        event = _event(mechanism, ratio, scale, query.sensitivity)
        head, limit = self.ledger.head, self.options.limit
        total = compose([*self.ledger.events(), event], delta, accountant)
        if total > limit * (1 + 1e-9):
            raise GuaranteeError(
                f"{query.name} would bring the ledger to epsilon {at_most(total)} per {self.unit} at delta {delta:g} "
                f"({accountant}, {ADJACENCY}), above the policy's {limit:g}; it stands at "
                f"{at_most(self.ledger.epsilon(delta, accountant))}. Nothing was drawn and nothing was spent",
                found={"epsilon": total, "limit": limit},
            )
        facts = {"name": query.name, "mechanism": mechanism, "scale": scale, "sensitivity": query.sensitivity}
        self.ledger.append("statistic", {**facts, "events": spent([event])}, after=head)
        return MEASUREMENTS[mechanism](query.answers, scale), query, (mechanism, scale), [event]

    def _result(
        self,
        name: str,
        value: float | int | dict[str, int],
        noisy: tuple[list[float], _Query, tuple[Mechanism, float], list[Event]],
    ) -> Noisy:
        _, query, (mechanism, scale), events = noisy
        cost, delta = _cost(events, self.options)
        return Noisy(
            name=name,
            value=value,
            mechanism=mechanism,
            scale=scale * query.step,
            sensitivity=query.sensitivity * query.step,
            epsilon=cost,
            odds=odds(cost),
            delta=delta,
            total=self.ledger.epsilon(self.options.delta, self.options.accountant),
            total_delta=self.options.delta,
            max_records_per_unit=self.most,
            unit=self.unit,
            accountant=self.options.accountant.upper(),
        )


def _values(column: pl.Series) -> pl.Series:
    """The numbers of a column that are there; NaN is null."""
    return column.cast(float).fill_nan(None).drop_nulls()


def _declared(policy: HasTraining) -> tuple[TrainingOptions, str]:
    if policy.training is None:
        raise CallError("the policy has no part `training`, which fixes epsilon and delta; add it")
    if policy.unit is None:
        raise CallError("the policy names no unit; without one it is not said whom the noise protects")
    return policy.training, policy.unit


def _cost(events: Sequence[Event], options: TrainingOptions) -> tuple[float, float]:
    """ε and δ of a statistic's own noise. Laplace noise needs no δ, and its ε at a δ above 0 would be too small."""
    pure = [event.pure for event in events if isinstance(event, Laplace | DiscreteLaplace)]
    if len(pure) == len(events):
        return sum(pure), 0.0
    return compose(events, options.delta, options.accountant), options.delta


def _event(mechanism: Mechanism, ratio: float, scale: float, sensitivity: int) -> Event:
    if mechanism == "gaussian":
        return SampledGaussian(ratio, 1.0)
    # A fine grid makes the discrete Laplace distribution a continuous one: same ε, and a shorter way to it.
    small = mechanism == "discrete_laplace" and sensitivity <= 1000
    return DiscreteLaplace(scale, sensitivity) if small else Laplace(ratio)


def _discrete_laplace(answers: Sequence[int], scale: float) -> list[float]:
    import opendp.prelude as opendp

    opendp.enable_features("contrib")
    space = opendp.vector_domain(opendp.atom_domain(T="i64")), opendp.l1_distance(T="i64")
    return [float(value) for value in opendp.m.make_laplace(*space, scale=scale)(list(answers))]


def _laplace(answers: Sequence[int], scale: float) -> list[float]:
    import opendp.prelude as opendp

    opendp.enable_features("contrib")
    space = opendp.vector_domain(opendp.atom_domain(T="f64", nan=False)), opendp.l1_distance(T="f64")
    return [float(value) for value in opendp.m.make_laplace(*space, scale=scale)([float(one) for one in answers])]


def _gaussian(answers: Sequence[int], scale: float) -> list[float]:
    import opendp.prelude as opendp

    opendp.enable_features("contrib")
    space = opendp.vector_domain(opendp.atom_domain(T="f64", nan=False)), opendp.l2_distance(T="f64")
    return [float(value) for value in opendp.m.make_gaussian(*space, scale=scale)([float(one) for one in answers])]


MEASUREMENTS: dict[str, Callable[[Sequence[int], float], list[float]]] = {
    "laplace": _laplace,
    "discrete_laplace": _discrete_laplace,
    "gaussian": _gaussian,
}
