"""What a policy says about private training (`training` in the policy), without torch."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from anonym.errors import CallError

Exposure = Literal["internal", "api", "customer_hosted", "weights"]

EXPOSURES: tuple[Exposure, ...] = ("internal", "api", "customer_hosted", "weights")


@dataclass(frozen=True)
class TrainingOptions:
    """The largest ε at each exposure, δ, and how it is accounted for. `exposure` is who gets at this model."""

    exposure: Exposure
    epsilon: Mapping[str, float] = field(default_factory=dict)
    delta: float = 1e-6
    accountant: Literal["pld", "prv", "rdp"] = "pld"
    max_records_per_unit: int | None = None

    @property
    def limit(self) -> float:
        """The largest ε at this exposure. Raises CallError where the policy names none."""
        if self.exposure not in self.epsilon:
            raise CallError(f"training.epsilon names no epsilon for the exposure {self.exposure}")
        return self.epsilon[self.exposure]

    def facts(self, unit: str) -> dict[str, Any]:
        """The part that is fixed before training, JSON-able, with its hash."""
        fixed = {
            "unit": unit,
            "exposure": self.exposure,
            "epsilon": {name: self.epsilon[name] for name in EXPOSURES if name in self.epsilon},
            "delta": self.delta,
            "accountant": self.accountant,
        }
        return {**fixed, "sha256": hashlib.sha256(canonical(fixed)).hexdigest()}


class HasTraining(Protocol):
    """A policy, as far as training needs it."""

    @property
    def unit(self) -> str | None: ...
    @property
    def training(self) -> TrainingOptions | None: ...


def canonical(facts: Any) -> bytes:
    """JSON with sorted keys and no spaces: what is hashed."""
    return json.dumps(facts, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode()
