"""How long a search may run, counted so that it ends at the same place on any machine (but for `seconds`)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal

Budget = Literal["default", "thorough"] | tuple[Literal["tries", "nodes", "seconds"], int]
Progress = Callable[[str], None]

READS = {"default": 400_000_000, "thorough": 4_000_000_000}  # prefixes read, 10 to 15 ns each
REPORT = 500  # checks between two words of progress


class Meter:
    """Counts checks and the entries they read, and says when the budget is spent."""

    def __init__(self, budget: Budget, progress: Progress | None) -> None:
        self.progress = progress
        self.checks = 0
        self.reads = 0
        kind, amount = budget if isinstance(budget, tuple) else ("reads", READS[budget])
        self.most_checks = amount if kind in ("tries", "nodes") else None
        self.most_reads = amount if kind == "reads" else None
        self.end = time.monotonic() + amount if kind == "seconds" else None

    def step(self, reads: int) -> bool:
        """Count a check. False once the budget is spent."""
        self.checks += 1
        self.reads += reads
        if self.progress is not None and self.checks % REPORT == 0:
            self.progress(f"searching: {self.checks:,} checks")
        return self.is_left()

    def is_left(self, share: float = 1.0) -> bool:
        """Whether less than `share` of the budget is spent (of seconds: whether any is left)."""
        if self.most_checks is not None:
            return self.checks < share * self.most_checks
        if self.most_reads is not None:
            return self.reads < share * self.most_reads
        return self.end is None or time.monotonic() < self.end

    def part(self, share: float) -> Callable[[int], bool]:
        """A `step` that ends once `share` of the budget is spent."""
        return lambda reads: self.step(reads) and self.is_left(share)
