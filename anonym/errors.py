"""Every error a user can meet, each with its exit status (the table in `anonym help exit-status`).

No message may hold a value of the data: columns, types, counts and positions only.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar


class AnonymError(Exception):
    """The root. `status` is the exit status of the command line."""

    status: ClassVar[int] = 1


class InternalError(AnonymError):
    """A promise of our own was broken, for example a release that failed its verification."""


@dataclass(frozen=True, order=True)
class Fault:
    """One thing wrong in a policy: where, and what was expected there."""

    path: str
    expected: str

    def __str__(self) -> str:
        return f"{self.path}: {self.expected}" if self.path else self.expected


class PolicyError(AnonymError):
    """The policy is at fault. Carries every fault, not only the first."""

    status = 2

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__(
            f"{len(self.faults)} fault{'s' if len(self.faults) != 1 else ''} in the policy\n"
            + "\n".join(f"  {fault}" for fault in self.faults)
        )


class CallError(AnonymError):
    """The call is at fault: an output that exists, a missing key, a plan of another policy."""

    status = 2


class GuaranteeError(AnonymError):
    """The guarantee or a gate does not hold, or no release can satisfy it.

    `found` carries the best solution known and what it misses, `evidence` the report of a release that was written.
    """

    status = 3

    def __init__(
        self, message: str, found: dict[str, Any] | None = None, evidence: dict[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.found = found or {}
        self.evidence = evidence or {}


class InputError(AnonymError):
    """The input does not fit: schema, unlisted column, uncovered value, unreadable or changed file."""

    status = 4


class InconclusiveError(AnonymError):
    """A gate on attacks or recall has no evidence or not enough of it. `evidence`: of a release that was written."""

    status = 5

    def __init__(self, message: str, evidence: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.evidence = evidence or {}


class OutputError(AnonymError):
    """The output could not be written."""

    status = 6


class VerificationError(InternalError):
    """The written release does not keep a promise. `failures` says which, in counts only; `evidence` is its report."""

    def __init__(self, failures: Iterable[str], evidence: dict[str, Any] | None = None) -> None:
        self.failures = tuple(failures)
        self.evidence = evidence or {}
        super().__init__("the written release failed its verification: " + "; ".join(self.failures))


def type_name(dtype: object) -> str:
    """A column's type in words; one with an Enum in it without its parameters, for categories are data."""
    text = str(dtype)
    return type(dtype).__name__ if "Enum" in text else text
