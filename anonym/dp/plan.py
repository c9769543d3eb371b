"""A training run before it begins: whom it protects, how it samples, how much noise it needs. No torch."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from anonym.dp.accounting import compose, noise_for
from anonym.dp.events import Event, positive, sampled, whole
from anonym.dp.ledger import Ledger, spent
from anonym.dp.options import HasTraining, TrainingOptions
from anonym.dp.units import Units, encode
from anonym.errors import CallError, GuaranteeError

Protect = Literal["unit", "record"]
Sample = Literal["units", "records"]

ADJACENCY = "add or remove one unit"

OUTSIDE = (
    "profiling, search and suppression by count before training: epsilon is relative to the released table",
    "scrubbing of text, where it looks across rows or was tuned on them",
    "the number of units, which is treated as public",
    "losses, accuracies and audits computed on private records and looked at",
)
"""Steps on private data that no accountant of a training run covers."""


def _adjacency(protect: Protect) -> str:
    return ADJACENCY if protect == "unit" else "add or remove one record"


@dataclass(frozen=True)
class Plan:
    """What is fixed before the first step. `sampled` are the units (or records) that a step draws from."""

    unit: str
    sample: Sample
    protect: Protect
    units: Units
    frame: int  # units, or records, in the Poisson frame: those without a usable record too
    sample_rate: float
    noise_multiplier: float
    steps: int
    bound: float  # C
    records: int  # g, at most so many of one unit
    options: TrainingOptions

    @property
    def event(self) -> Event:
        records = self.records if self.sample == "records" else 1
        return sampled(self.noise_multiplier, self.sample_rate, self.steps, records)

    @property
    def expected(self) -> float:
        """Units (or records) that a step expects; what the noisy sum is divided by."""
        return self.sample_rate * self.frame

    @property
    def alone(self) -> bool:
        """Whether each record is drawn and clipped for itself, and not with the others of its unit."""
        return self.sample == "records" or self.protect == "record"

    @property
    def sampler(self) -> str:
        if self.alone:
            return "Poisson over records, gradients clipped per record"
        return "Poisson over units, gradients averaged and clipped per unit"

    def facts(self) -> dict[str, Any]:
        """The run as its ledger entry holds it."""
        return {
            "unit": self.unit,
            "adjacency": _adjacency(self.protect),
            "sampler": self.sampler,
            "noise_multiplier": self.noise_multiplier,
            "sample_rate": self.sample_rate,
            "steps": self.steps,
            "clipping_bound": self.bound,
            "units": self.frame if self.sample == "units" else self.units.count,
            "expected_batch_size": self.expected,
            "max_records_per_unit": self.records,
            "events": spent([self.event]),
        }


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a caller may ask of private training, by name."""

    expected_batch_size: float  # units (or records) that a step expects; the noisy sum is divided by it
    units: Any = None  # to whom each record belongs, in the dataset's order
    protect: Protect = "unit"  # "record": nothing beyond one record is promised, and the statement says so
    sample: Sample = "units"  # "records": records are drawn and clipped alone, a unit's accounted for together
    steps: int | None = None  # either these
    epochs: float | None = None  # or these, in passes over the units
    noise_multiplier: float | None = None  # None: the least with which the ledger stays within the policy's epsilon
    max_grad_norm: float = 1.0  # C, the longest gradient of a unit
    max_records_per_unit: int | None = None  # None: the policy's
    frame: int | None = None  # units to sample from, where some have no records
    micro_batch_size: int = 256  # records in memory at a time; units are never split
    collate: Callable[[list[Any]], Any] | None = None  # records to a batch, as for a DataLoader
    clipping: Literal["auto", "ghost", "hooks"] = "auto"
    ledger: Ledger | str | Path | None = None  # None: in memory, which the statement tells
    tuning: bool = False  # the run only chooses settings; it is charged all the same
    policy_change: str | None = None  # why the epsilon policy differs from the one the ledger fixed
    groups: Mapping[str, Sequence[Any]] = field(default_factory=dict)  # subgroups for which dropped rows are told
    outside: Sequence[str] = ()  # steps on private data that no accountant covers, in words
    checkpoint: str | Path | None = None  # a killed run goes on from here, under the budget it has
    checkpoint_every: int = 50  # steps
    also: Mapping[str, Any] = field(default_factory=dict)  # objects with a state_dict, kept with the checkpoint
    seed: int | None = None  # noise and samples can be drawn again, and the result is marked as not for release

    def __post_init__(self) -> None:
        for name in ("micro_batch_size", "checkpoint_every"):
            whole(name, getattr(self, name))


def planned(wish: Settings, policy: HasTraining, rows: int, ledger: Ledger) -> Plan:
    """The plan for `rows` records, with the noise that keeps the ledger within the policy's ε.

    Raises CallError for what does not fit together, GuaranteeError where the ε cannot be kept.
    """
    options = _options(policy)
    units, most = _units(wish, policy, options, rows)
    frame = _frame(wish, units, most, rows)
    positive("expected_batch_size", wish.expected_batch_size)
    positive("max_grad_norm", wish.max_grad_norm)
    rate = wish.expected_batch_size / frame
    if rate > 1:
        raise CallError(
            f"expected_batch_size: at most the {frame} {wish.sample} that are sampled from, "
            f"found {wish.expected_batch_size:g}"
        )
    steps = _steps(wish, rate)
    records = most if wish.sample == "records" else 1
    noise = _noise(wish, options, ledger, rate, steps, records)
    label = (policy.unit or "unit") if wish.protect == "unit" else "one record"
    return Plan(
        unit=label,
        sample=wish.sample,
        protect=wish.protect,
        units=units,
        frame=frame,
        sample_rate=rate,
        noise_multiplier=noise,
        steps=steps,
        bound=float(wish.max_grad_norm),
        records=most,
        options=options,
    )


def _options(policy: HasTraining) -> TrainingOptions:
    if policy.training is None:
        raise CallError("the policy has no part `training`, which fixes epsilon and delta before training; add it")
    return policy.training


def _units(wish: Settings, policy: HasTraining, options: TrainingOptions, rows: int) -> tuple[Units, int]:
    """Who owns which record, and the bound on records of one owner."""
    if wish.protect == "record":
        if wish.units is not None:
            raise CallError("protect='record' takes no units: it protects single records, whoever they belong to")
        return Units(np.arange(rows, dtype=np.int64), rows), 1
    if wish.protect != "unit" or wish.sample not in ("units", "records"):
        raise CallError("expected protect 'unit' or 'record', and sample 'units' or 'records'")
    if wish.units is None:
        raise CallError(
            f"units: expected the {policy.unit or 'unit'} of each record, which is whom epsilon protects. If every "
            "record is a person of its own, or if no more is to be promised, declare protect='record'; the statement "
            "will then say so"
        )
    most = wish.max_records_per_unit or options.max_records_per_unit
    if most is None:
        raise CallError(
            "max_records_per_unit: name a bound here or in the policy, from knowledge and not from a look at the data"
        )
    whole("max_records_per_unit", most)
    return encode(wish.units, rows), most


def _frame(wish: Settings, units: Units, most: int, rows: int) -> int:
    """Units that may be sampled. Those without records belong to it too: they are in the population all the same."""
    if wish.protect == "record":
        return rows
    if wish.sample == "records":
        return int(np.minimum(np.bincount(units.codes, minlength=units.count), most).sum())
    if wish.frame is None:
        return units.count
    whole("frame", wish.frame)
    if wish.frame < units.count:
        raise CallError(f"frame: expected at least the {units.count} units that have records")
    return wish.frame


def _steps(wish: Settings, rate: float) -> int:
    if wish.steps is not None and wish.epochs is None:
        whole("steps", wish.steps)
        return wish.steps
    if wish.epochs is not None and wish.steps is None:
        positive("epochs", wish.epochs)
        return math.ceil(wish.epochs / rate)
    raise CallError("name either steps or epochs")


def _noise(wish: Settings, options: TrainingOptions, ledger: Ledger, rate: float, steps: int, records: int) -> float:
    """As asked for, if the ledger then stays within the policy's ε; else the least that keeps it."""
    before, limit = ledger.events(), options.limit
    if wish.noise_multiplier is None:
        return noise_for(limit, options.delta, rate, steps, options.accountant, records, before)
    positive("noise_multiplier", wish.noise_multiplier)
    noise = float(wish.noise_multiplier)
    total = compose([*before, sampled(noise, rate, steps, records)], options.delta, options.accountant)
    if total > limit:
        raise GuaranteeError(
            f"noise multiplier {noise:g} would bring the ledger to epsilon {total:.4g} at delta {options.delta:g} "
            f"({options.accountant}, {_adjacency(wish.protect)}), above the policy's {limit:g} for the exposure "
            f"{options.exposure}. Leave noise_multiplier out and it is solved for",
            found={"epsilon": total, "limit": limit},
        )
    return noise


def outside(plan: Plan, policy: HasTraining, ledger: Ledger, declared: Sequence[str]) -> list[str]:
    """Everything that ε does not cover, the caller's own list first."""
    steps = [*declared, *OUTSIDE]
    if plan.protect == "record" and policy.unit is not None:
        steps.append(f"the other records of a {policy.unit}: only single records are protected")
    if ledger.path is None:
        steps.append("earlier and later uses of the data: the ledger was kept in memory only")
    return steps
