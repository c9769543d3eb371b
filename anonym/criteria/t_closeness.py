"""t-closeness (Li, Li and Venkatasubramanian 2007)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from anonym.hierarchy.model import FileHierarchy


@dataclass(frozen=True)
class TCloseness:
    """The earth mover's distance of every class's sensitive values from all released rows' is at most `max`."""

    max: float
    distance: Literal["equal", "ordered", "hierarchical"] = "equal"
    order: tuple[str, ...] | None = None
    hierarchy: FileHierarchy | None = None
