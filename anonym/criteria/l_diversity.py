"""l-diversity (Machanavajjhala et al. 2007).

Each kind takes a class histogram whose values are already folded (`ClassHistograms.folded`): values equal after trim,
casefold and NFKC are one, null is left out and so adds no diversity. A class of nulls only has none: it fails.

A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam, l-diversity: privacy beyond k-anonymity,
TKDD 1(1), 2007.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from anonym.criteria.faults import real, refuse, whole
from anonym.criteria.histograms import ClassHistograms
from anonym.criteria.monotone import Operation

FAVOUR = 1e-9  # how far a computed real may fall short of what was asked and still hold
EXACT = 2**62  # products below this are exact in int64


@dataclass(frozen=True)
class DistinctL:
    """Every class holds at least `l` distinct sensitive values (after folding; null adds none).

    With units, the smaller of distinct values and distinct units: one person's many values protect nobody.
    """

    l: int  # noqa: E741

    monotone: ClassVar[frozenset[Operation]] = frozenset({"generalise", "suppress", "subset"})

    def __post_init__(self) -> None:
        refuse("distinct", "an integer of at least 1", unless=whole(self.l) and self.l >= 1)

    def achieved(self, folded: ClassHistograms, units: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """The distinct l of each class (classes,)."""
        distinct = np.diff(folded.start)
        return distinct if units is None else np.minimum(distinct, units)

    def holds(self, folded: ClassHistograms, units: NDArray[np.int64] | None = None) -> NDArray[np.bool_]:
        return self.achieved(folded, units) >= self.l

    def least_removal(self, folded: ClassHistograms, units: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
        """The least weight that must leave each class (inf: all of it) for the rest to split into classes that hold."""
        return np.where(self.holds(folded, units), 0.0, np.inf)


@dataclass(frozen=True)
class EntropyL:
    """exp(entropy of the sensitive values) of every class is at least `l`, within 1e-9 in favour of holding."""

    l: float  # noqa: E741

    monotone: ClassVar[frozenset[Operation]] = frozenset({"generalise", "suppress"})

    def __post_init__(self) -> None:
        refuse("entropy", "a number of at least 1", unless=real(self.l) and self.l >= 1)

    def achieved(self, folded: ClassHistograms) -> NDArray[np.float64]:
        """exp(H) of each class (classes,); 0 where there is no value."""
        from anonym.criteria import kernels

        return kernels.exp_entropy(folded.start, folded.weight)

    def holds(self, folded: ClassHistograms) -> NDArray[np.bool_]:
        return self.achieved(folded) >= self.l - FAVOUR

    def least_removal(self, folded: ClassHistograms) -> NDArray[np.float64]:
        """The least weight that must leave each class (inf: all of it) for the rest to split into classes that hold.

        Entropy is concave: classes that hold make a union that holds. So what is left of a class must itself reach l,
        and of all ways to take a given weight away, cutting the largest counts to one height leaves most entropy.
        """
        from anonym.criteria import kernels

        return kernels.removal_for_entropy(folded.start, folded.weight, float(self.l) - FAVOUR)


@dataclass(frozen=True)
class RecursiveL:
    """Recursive (c, l)-diversity: r1 < c (r_l + ... + r_m) in every class, counts r in falling order.

    Strict, and exact for counts of rows, with `c` taken as the decimal it prints as. For fractional weights of units
    the inequality must hold by 1e-9, so that a rounding error never lets equality pass.
    """

    c: float
    l: int  # noqa: E741

    monotone: ClassVar[frozenset[Operation]] = frozenset({"generalise", "suppress"})

    def __post_init__(self) -> None:
        refuse("recursive.c", "a number above 0", unless=real(self.c) and self.c > 0)
        refuse("recursive.l", "an integer of at least 1", unless=whole(self.l) and self.l >= 1)

    def achieved(self, folded: ClassHistograms) -> NDArray[np.float64]:
        """r1 / (r_l + ... + r_m) of each class (classes,): holds for every c above it; inf with fewer than l values."""
        head, tail = self._head_and_tail(folded)
        ratio = np.full(head.shape, np.inf)
        np.divide(head, tail, out=ratio, where=tail > 0)
        return ratio

    def holds(self, folded: ClassHistograms) -> NDArray[np.bool_]:
        head, tail = self._head_and_tail(folded)
        if not np.array_equal(folded.weight, np.rint(folded.weight)):
            return head + FAVOUR < self.c * tail
        exact = Fraction(repr(self.c))
        most = int(max(head.max(initial=0), tail.max(initial=0))) * max(exact.numerator, exact.denominator)
        kind = np.int64 if most < EXACT else object
        left, right = head.astype(np.int64).astype(kind), tail.astype(np.int64).astype(kind)
        return np.asarray(left * exact.denominator < right * exact.numerator, dtype=np.bool_)

    def least_removal(self, folded: ClassHistograms) -> NDArray[np.float64]:
        """The least weight that must leave each class (inf: all of it) for the rest to split into classes that hold.

        Over a union r1 is at most the sum of the parts' r1 and the tail at least the sum of their tails, so what is
        left of a class must itself hold; with r1 at most h, cutting every count to h leaves the largest tail.
        """
        from anonym.criteria import kernels

        return kernels.removal_for_recursive(folded.start, folded.weight, float(self.c), self.l)

    def _head_and_tail(self, folded: ClassHistograms) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        from anonym.criteria import kernels

        return kernels.head_and_tail(folded.start, folded.weight, self.l)


LDiversity = DistinctL | EntropyL | RecursiveL
