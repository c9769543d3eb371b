"""Every identifier action behind one verb: what is released in an identifier's place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import assert_never

import polars as pl

from anonym.columns import identifiers, shift, surrogate
from anonym.columns.identifiers import DropColumn, Pseudonym, Redact
from anonym.columns.keys import Key, Keyring
from anonym.columns.shift import Shift
from anonym.columns.surrogate import Surrogate
from anonym.errors import InternalError

Keyed = Pseudonym | Surrogate | Shift
Action = DropColumn | Redact | Keyed


@dataclass(frozen=True)
class Table:
    """What an action may need of the table besides its column."""

    keyring: Keyring
    distinct: Callable[[str], pl.Series]  # the distinct values of a column, read when asked for
    unit: tuple[str, pl.DataType] | None = None
    held: surrogate.Held = surrogate.nobody  # which texts are values of an identifier


@dataclass(frozen=True)
class Replaced:
    """The released columns of one identifier, and counts to be told of them."""

    columns: list[pl.Expr]
    counts: dict[str, int] = field(default_factory=dict)


def name_of(action: Action) -> str:
    """The action's word in a policy."""
    match action:
        case DropColumn():
            return "drop"
        case Redact():
            return "redact"
        case Pseudonym():
            return "pseudonym"
        case Surrogate():
            return "surrogate"
        case Shift():
            return "shift"
        case _:
            assert_never(action)


def key_of(action: Action) -> Key | None:
    """The key that the action draws from."""
    return action.key if isinstance(action, Keyed) else None


def joins_rows(action: Action) -> bool:
    """Whether equal values stay recognisable as equal: by such a column a reader can join a unit's rows."""
    return isinstance(action, Pseudonym | Surrogate)


def released_schema(name: str, dtype: pl.DataType, action: Action) -> dict[str, pl.DataType]:
    """Names and types of what is released."""
    match action:
        case Surrogate():
            return surrogate.released_schema(name)
        case Shift():
            return shift.released_schema(name, dtype)
        case _:
            return identifiers.released_schema(name, action)


def release(name: str, dtype: pl.DataType, action: Action, table: Table) -> Replaced:
    """The expressions for the released columns. Raises InputError where the column's type does not fit."""
    match action:
        case Surrogate():
            invented = surrogate.invent(name, table.distinct(name), action, table.keyring, table.held)
            counts = {"shared": invented.collisions, "redrawn": invented.redrawn, "tokens": invented.exhausted}
            return Replaced(invented.release(), counts)
        case Shift():
            if table.unit is None:
                raise InternalError("a shift needs a unit: the policy should have been refused")
            return Replaced(shift.release(name, dtype, action, *table.unit, table.keyring))
        case _:
            return Replaced(identifiers.release(name, dtype, action, table.keyring))
