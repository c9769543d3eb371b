"""The policy as the engine uses it: frozen, complete, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from anonym.attacks.options import AttackOptions
from anonym.columns.actions import Action
from anonym.criteria import LDiversity, TCloseness
from anonym.dp.options import TrainingOptions
from anonym.hierarchy.bins import Bins
from anonym.hierarchy.clock import End
from anonym.hierarchy.model import Declaration, Identity
from anonym.text.options import TextOptions

if TYPE_CHECKING:
    import polars as pl

    from anonym.policy.resolve import ResolvedColumn

Form = Literal["label", "bounds", "set", "representative"]
Uncovered = Literal["refuse", "suppress", "top"]


@dataclass(frozen=True)
class Quasi:
    """A quasi-identifier and how it may be generalised."""

    hierarchy: Declaration = field(default_factory=Identity)
    form: Form = "label"
    finest: int = 0
    coarsest: int | None = None  # None: up to `*`
    top: End | None = None
    bottom: End | None = None
    uncovered: Uncovered = "refuse"
    weight: float = 1.0
    normalise: tuple[Literal["trim", "casefold", "nfkc"], ...] = ()


@dataclass(frozen=True)
class Sensitive:
    """A sensitive column, released as it is, and what must hold of it in every class."""

    l: LDiversity | None = None  # noqa: E741
    t: TCloseness | None = None
    bins: Bins | None = None  # numbers of one bin count as one value for l and t


@dataclass(frozen=True)
class Identifier:
    action: Action


@dataclass(frozen=True)
class Text:
    """Free text, scrubbed under the policy's text options."""


@dataclass(frozen=True)
class Keep:
    """Released as it is. `allow_unique` is the reason why values that fewer than k units hold may stay."""

    allow_unique: str | None = None


@dataclass(frozen=True)
class Drop:
    """Not released."""


Role = Quasi | Sensitive | Identifier | Text | Keep | Drop


@dataclass(frozen=True)
class Review:
    by: str
    date: date


@dataclass(frozen=True)
class InputOptions:
    separator: str = ","
    encoding: str = "utf-8"
    null_values: tuple[str, ...] = ()
    types: Mapping[str, str] = field(default_factory=dict)
    flatten: tuple[str, ...] = ()  # struct columns whose fields are columns of their own, `address.city`


@dataclass(frozen=True)
class Guarantee:
    k: int
    suppression: Decimal = Decimal(0)
    action: Literal["drop", "mask"] = "drop"
    linkable: str | None = None


@dataclass(frozen=True)
class SearchOptions:
    strategy: Literal["auto", "global", "local"] = "auto"
    objective: Literal["loss", "discernibility", "class_size", "entropy"] = "loss"
    budget: Literal["default", "thorough"] | tuple[Literal["tries", "nodes", "seconds"], int] = "default"


@dataclass(frozen=True)
class Policy:
    """A whole policy. `columns` keeps the declared order; keys are exact names or globs."""

    name: str
    columns: Mapping[str, Role]
    reviewed: Review | None = None
    input: InputOptions = field(default_factory=InputOptions)
    unit: str | None = None
    unlisted: Literal["refuse", "drop"] = "refuse"
    guarantee: Guarantee | None = None
    search: SearchOptions = field(default_factory=SearchOptions)
    text: TextOptions = field(default_factory=TextOptions)
    attacks: AttackOptions = field(default_factory=AttackOptions)
    training: TrainingOptions | None = None
    thresholds: Mapping[str, float] = field(default_factory=dict)  # by key; `attacks.NAME.rate` of an attack
    threat_model: Mapping[str, str] = field(default_factory=dict)
    batch: Literal["own", "union"] = "own"
    order: Literal["shuffle", "keep"] = "shuffle"
    formulas: Literal["keep", "quote", "refuse"] = "keep"  # in CSV, of text that a spreadsheet would run
    seed: int = 0
    base: Path = field(default_factory=Path)  # file paths of the policy are relative to this folder
    sha256: str = ""  # of the canonical JSON of what was parsed
    raw: Mapping[str, Any] = field(default_factory=dict)  # what was parsed, after YAML; holds no keys and no data

    @staticmethod
    def load(source: str | Path | Mapping[str, Any]) -> Policy:
        """The policy in a YAML file or a mapping. Raises PolicyError with every fault in it."""
        from anonym.policy.load import load

        return load(source)

    def resolve(self, schema: Mapping[str, pl.DataType]) -> tuple[ResolvedColumn, ...]:
        """What becomes of each column of an input, in its order. Raises InputError where the policy does not fit it."""
        from anonym.policy.resolve import resolve

        return resolve(self, schema)
