"""l-diversity (Machanavajjhala et al. 2007)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DistinctL:
    """Every class holds at least `l` distinct sensitive values (after folding; null adds none)."""

    l: int


@dataclass(frozen=True)
class EntropyL:
    """exp(entropy of the sensitive values) of every class is at least `l`."""

    l: float


@dataclass(frozen=True)
class RecursiveL:
    """Recursive (c, l)-diversity: r1 < c (r_l + ... + r_m), counts in falling order."""

    c: float
    l: int


LDiversity = DistinctL | EntropyL | RecursiveL
