"""Identifier actions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Key:
    """Where a secret key is found: `env:NAME` or `file:PATH`. The key itself never enters a policy."""

    source: str


@dataclass(frozen=True)
class DropColumn:
    """The column is not released."""


@dataclass(frozen=True)
class Redact:
    """Every value becomes the same mark."""


@dataclass(frozen=True)
class Pseudonym:
    """HMAC-SHA256 of the value under a key, over `domain` and `scope` (see the table in the policy reference)."""

    key: Key
    domain: str | None = None  # None: the column's name
    scope: Literal["release", "project"] = "release"


Action = DropColumn | Redact | Pseudonym
