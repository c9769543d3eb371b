"""k-anonymity (Sweeney 2002): every equivalence class has at least k members."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from anonym.criteria.faults import refuse, whole
from anonym.criteria.monotone import Operation


@dataclass(frozen=True)
class KAnonymity:
    """Every class has at least `k` members: distinct units where the policy names a unit, else rows.

    Against an attacker who knows every quasi-identifier of a person, that person cannot be told from k - 1 others.
    Says nothing about what the k have in common.

    L. Sweeney, k-anonymity: a model for protecting privacy, IJUFKS 10(5), 2002.
    """

    k: int

    monotone: ClassVar[frozenset[Operation]] = frozenset({"generalise", "suppress", "subset"})

    def __post_init__(self) -> None:
        refuse("k", "an integer of at least 1", unless=whole(self.k) and self.k >= 1)

    def achieved(self, members: NDArray[np.int64]) -> NDArray[np.int64]:
        """The k of each class: its number of members (classes,)."""
        return members

    def holds(self, members: NDArray[np.int64]) -> NDArray[np.bool_]:
        """(classes,) bool."""
        return self.achieved(members) >= self.k
