"""What a policy says of attacks: which are run against every release, on what, and what they may find."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path


@dataclass(frozen=True)
class Match:
    """A column of the attacker's table, and how far its values may be off: in the unit of the column (days of a
    date) by `tolerance`, in a text by `edits` characters inserted, deleted or changed."""

    column: str
    tolerance: Decimal = Decimal(0)
    edits: int = 0


@dataclass(frozen=True)
class LinkageGate:
    """At most the share `max_risk` of the released people may be linked with the table at `auxiliary`."""

    auxiliary: Path
    match: Mapping[str, Match]  # by released column
    max_risk: Decimal


@dataclass(frozen=True)
class AttackOptions:
    """The gates of a policy. `hold_out` is the share of the units that is never released, as a control; `control` is a
    file of people like them who are not in the data."""

    linkage: LinkageGate | None = None
    max_advantage: Decimal | None = None  # of inferring a sensitive value, over the control
    hold_out: Decimal = field(default=Decimal(0))
    control: Path | None = None

    def __bool__(self) -> bool:
        """Whether anything is to be attacked before a release gets its name."""
        return (
            self.linkage is not None or self.max_advantage is not None or self.hold_out > 0 or self.control is not None
        )
