"""How long a search may run, counted so that it ends at the same place on any machine (but for `seconds`)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal

Budget = Literal["default", "thorough"] | tuple[Literal["tries", "nodes", "seconds"], int]
Progress = Callable[[str], None]

READS = {"default": 300_000_000, "thorough": 4_000_000_000}  # prefixes read, 10 to 15 ns each
CHECK = 4_000  # prefixes that are read in the time a check takes besides: 50 us
REPORT = 500  # checks between two words of progress


class Meter:
    """Counts checks and what they read, and says when the budget is spent."""

    def __init__(self, budget: Budget, progress: Progress | None) -> None:
        self.progress = progress
        self.checks = 0
        self.reads = 0
        self.kind, self.amount = budget if isinstance(budget, tuple) else ("reads", READS[budget])
        self.began = time.monotonic()

    def step(self, reads: int) -> bool:
        """Count a check. False once the budget is spent."""
        self.checks += 1
        self.reads += reads + CHECK
        if self.progress is not None and self.checks % REPORT == 0:
            self.progress(f"searching: {self.checks:,} checks")
        return self.used() < 1.0

    def prepare(self, reads: int) -> None:
        """Count work that is no check, in the prefixes that are read in its time."""
        self.reads += reads

    def used(self) -> float:
        """The share of the budget that is spent."""
        if self.kind == "seconds":
            spent = time.monotonic() - self.began
        else:
            spent = self.reads if self.kind == "reads" else self.checks
        return spent / self.amount if self.amount else 1.0

    def part(self, share: float, dear: float = 1.0) -> Callable[[int], bool]:
        """A `step` that ends once `share` of the budget is spent; a read counts `dear` times."""
        return lambda reads: self.step(int(dear * reads)) and self.used() < share

    def within(self, share: float) -> Meter:
        """A meter of what is left until `share` of the budget is spent: it counts here too."""
        return _Within(self, share)


class _Within(Meter):
    """The part of another meter's budget from what it has spent so far to a share."""

    def __init__(self, whole: Meter, share: float) -> None:
        self.whole, self.share, self.first = whole, share, whole.used()

    def step(self, reads: int) -> bool:
        return self.whole.step(reads) and self.used() < 1.0

    def prepare(self, reads: int) -> None:
        self.whole.prepare(reads)

    def used(self) -> float:
        room = self.share - self.first
        return (self.whole.used() - self.first) / room if room > 0 else 1.0
