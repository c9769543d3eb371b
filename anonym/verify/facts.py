"""What a release promises, as plain values: all that verification is told about the policy."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Literal, NamedTuple

Form = Literal["label", "bounds", "set", "representative"]
Kind = Literal["interval", "breaks", "prefix", "date", "round", "file", "codes", "ip", "auto", "suppress", "none"]
Distance = Literal["equal", "ordered", "hierarchical"]
IdentifierKind = Literal["dropped", "redacted", "pseudonym", "surrogate", "shifted"]
Bins = tuple[Literal["interval", "breaks"], tuple[Decimal, ...]]  # one width, or the cuts
Diversity = tuple[Literal["distinct"], int] | tuple[Literal["entropy"], float] | tuple[Literal["recursive"], float, int]


class Closeness(NamedTuple):
    """The largest distance allowed, its kind, the declared order of the values, and the file of their hierarchy."""

    max: float
    distance: Distance = "equal"
    order: tuple[str, ...] | None = None
    file: Path | None = None


@dataclass(frozen=True)
class QuasiFact:
    """A quasi-identifier: the released columns that stand for `name`, and how its cells were generalised.

    `parameters` by kind: widths, cut lists, lengths, units, decimals, or the one path of a hierarchy file. `codes` is a
    file whose leaves are beginnings of values. Ends of times and durations are texts, `22:00` and `1h30m`.
    """

    name: str
    released: tuple[str, ...]
    form: Form = "label"
    kind: Kind = "none"
    parameters: tuple[object, ...] = ()
    top: Decimal | date | str | None = None
    bottom: Decimal | date | str | None = None
    uncovered_top: bool = False  # a value that the file lacks is released as `*`
    normalise: tuple[str, ...] = ()
    by_class: bool = False  # a representative stands for its class (local recoding), not for one generalised value


@dataclass(frozen=True)
class SensitiveFact:
    """A sensitive column and what every class must satisfy: l as (kind, l), or ("recursive", c, l)."""

    name: str
    l: Diversity | None = None  # noqa: E741  the field's own letter
    t: Closeness | None = None
    bins: Bins | None = None  # values of one bin count as one for l and t


@dataclass(frozen=True)
class KeepFact:
    """A column released as it is; `allow_unique` where the policy accepts values that fewer than k units hold."""

    name: str
    allow_unique: bool = False


@dataclass(frozen=True)
class IdentifierFact:
    name: str
    released: bool
    kind: IdentifierKind


@dataclass(frozen=True)
class Facts:
    """Every column of the input by its role, and the guarantee.

    `linkable` is true where the policy accepts, with a reason, that a unit's rows can be joined. `quoted` is
    true where text that begins like a formula has an apostrophe before it in a CSV file. `text_from` lists the
    columns whose values were scrubbed from their own row's text; None means all identifiers.
    """

    quasi: tuple[QuasiFact, ...] = ()
    sensitive: tuple[SensitiveFact, ...] = ()
    keep: tuple[KeepFact, ...] = ()
    identifiers: tuple[IdentifierFact, ...] = ()
    text: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    unit: str | None = None
    linkable: bool = False
    k: int | None = None
    suppression_limit_rows: int | None = None
    text_from: tuple[str, ...] | None = None
    quoted: bool = False

    def untouched(self) -> tuple[str, ...]:
        """The columns released as they are: keep and sensitive."""
        return (*(column.name for column in self.keep), *(column.name for column in self.sensitive))

    def released(self) -> tuple[str, ...]:
        """The names of all released columns, in no particular order."""
        return (
            *(name for quasi in self.quasi for name in quasi.released),
            *self.untouched(),
            *(column.name for column in self.identifiers if column.released),
            *self.text,
        )
