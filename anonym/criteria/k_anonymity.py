"""k-anonymity (Sweeney 2002): every equivalence class has at least k members."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class KAnonymity:
    """Every class has at least `k` members: distinct units where the policy names a unit, else rows."""

    k: int
