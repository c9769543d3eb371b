"""Attacks on a release: those of the run that made it, and those of later runs that its evidence took up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def attacks_of(evidence: Mapping[str, Any]) -> list[Any]:
    """Every attack of the evidence, the run's own first, then later ones in the order in which they were taken up."""
    return [*evidence["attacks"], *(one for run in evidence.get("later") or () for one in run["attacks"])]
