"""Identifier actions: what becomes of a column that says who somebody is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, assert_never

import polars as pl

from anonym.columns.canonical import canonical_text
from anonym.columns.keys import Key, Keyring

REDACTED = "[REDACTED]"
TOKEN_DIGITS = 32

__all__ = [
    "REDACTED",
    "TOKEN_DIGITS",
    "Action",
    "DropColumn",
    "Key",
    "Pseudonym",
    "Redact",
    "release",
    "released_schema",
]


@dataclass(frozen=True)
class DropColumn:
    """The column is not released."""


@dataclass(frozen=True)
class Redact:
    """Every value becomes the same mark, `[REDACTED]`; null (and NaN) stays null, so which rows have a value shows."""


@dataclass(frozen=True)
class Pseudonym:
    """HMAC-SHA256 of the value under a key, over `domain` and `scope` (see the table in the policy reference).

    Two tokens are equal exactly when key, domain, scope and canonical text (`columns/canonical.py`) are, and for
    scope `release` also the release: its random salt enters the message. A token is the first 128 bits of
    HMAC(key, ["pseudonym", scope, salt or nothing, domain, text]) as 32 lower-case hex digits; among a thousand
    million distinct values two share a token with odds of 1 in 10^21. null stays null, the empty string is a value.
    Pseudonyms are personal data still: who holds the key can recompute them from a list of candidates.
    """

    key: Key
    domain: str | None = None  # None: the column's name
    scope: Literal["release", "project"] = "release"

    def token(self, name: str, keyring: Keyring) -> Callable[[bytes], str]:
        """From the UTF-8 bytes of a value's canonical text to its token, for the column `name`."""
        salt = keyring.salt if self.scope == "release" else b""
        domain = name if self.domain is None else self.domain
        digest = keyring[self.key].digester(b"pseudonym", self.scope.encode(), salt, domain.encode())
        return lambda text: digest(text).hex()[:TOKEN_DIGITS]


Action = DropColumn | Redact | Pseudonym


def released_schema(name: str, action: Action) -> dict[str, pl.DataType]:
    """The released columns of an identifier column with their types: none, or one String column of the same name."""
    return {} if isinstance(action, DropColumn) else {name: pl.String()}


def release(name: str, dtype: pl.DataType, action: Action, keyring: Keyring) -> list[pl.Expr]:
    """The expressions that give the released columns of `name`, in the order of `released_schema`.

    They are elementwise, so that they stream. Raises InputError where a pseudonym is asked of a type without one text.
    """
    match action:
        case DropColumn():
            return []
        case Redact():
            return [_redacted(name, dtype)]
        case Pseudonym():
            return [_pseudonyms(name, dtype, action, keyring)]
        case _:
            assert_never(action)


def _redacted(name: str, dtype: pl.DataType) -> pl.Expr:
    column = pl.col(name)
    present = column.is_not_null() & column.is_not_nan() if dtype.is_float() else column.is_not_null()
    return pl.when(present).then(pl.lit(REDACTED)).alias(name)


def _pseudonyms(name: str, dtype: pl.DataType, action: Pseudonym, keyring: Keyring) -> pl.Expr:
    from anonym.columns.distinct import derived  # imports Numba

    canonical_text(pl.Series(name, [], dtype))  # refuses the type here, before any row is read
    tokens = derived(action.token(name, keyring), pl.String())
    return pl.col(name).map_batches(tokens, return_dtype=pl.String, is_elementwise=True)
