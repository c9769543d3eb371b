"""By how many days the dates in a row's text move: as the row's date columns do, by one secret number a unit."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from anonym.columns.keys import Key, Keyring, SecretKey
from anonym.columns.shift import Shift
from anonym.policy.model import Identifier, Policy, Text

DAYS = 365
"""The largest move where no column of the policy is shifted."""


def text_key(policy: Policy, keyring: Keyring) -> bytes | None:
    """The key of replacements in text: the same in every release under the policy's key, else new for each release."""
    secret = SecretKey(keyring.salt) if policy.text.key is None else keyring[Key(policy.text.key)]
    return secret.digest(b"text")


def days_by_unit(policy: Policy, keyring: Keyring) -> Callable[[pl.Series], pl.Series] | None:
    """From a batch of the unit's column to Int32 days; None where dates in text do not move: without a unit, or where
    replacements are no surrogates.
    """
    roles = policy.columns.values()
    if policy.unit is None or policy.text.replace != "surrogate" or not any(isinstance(role, Text) for role in roles):
        return None
    return _shift(policy).offsets(policy.unit, keyring)


def _shift(policy: Policy) -> Shift:
    for role in policy.columns.values():
        if isinstance(role, Identifier) and isinstance(role.action, Shift):
            return role.action
    if policy.text.key is None:
        return Shift(DAYS)
    return Shift(DAYS, Key(policy.text.key), "project")
