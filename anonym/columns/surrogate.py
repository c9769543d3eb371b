"""Surrogates: invented values that stand for the real ones, the same each time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import polars as pl

from anonym.columns.canonical import canonical_text
from anonym.columns.draws import Draws
from anonym.columns.keys import Key, Keyring
from anonym.errors import InputError

Kind = Literal[
    "person_name",
    "first_name",
    "last_name",
    "company",
    "email",
    "phone",
    "address",
    "postcode",
    "national_id",
    "iban",
    "card",
    "user_name",
    "ip",
    "url",
    "code",
]

ATTEMPTS = 32

Held = Callable[[pl.Series], pl.Series]
"""Of texts that are `plain`, those that are values of an identifier of the table."""


def nobody(texts: pl.Series) -> pl.Series:
    """No identifier holds any."""
    return texts.clear()


@dataclass(frozen=True)
class Surrogate:
    """A value of the same kind, invented, in the place of each value.

    Two cells have the same surrogate when key, kind, domain, scope and canonical text agree (for scope `release` also
    the release). The converse does not hold: two values may share a surrogate, which is counted. Draws follow from
    HMAC(key, ["surrogate", kind, scope, salt or nothing, domain, text]). An outcome that is a value of any identifier
    of the table, but for case and blanks at the ends, is drawn again; after 32 attempts a token `kind-hex` takes its
    place. So a value has one surrogate in all columns of a table, and may have two in two tables, where an identifier
    of one holds the first outcome: that too is counted.
    null stays null; a blank text stays, having nothing to hide.
    """

    kind: Kind
    key: Key
    domain: str | None = None  # None: the column's name
    scope: Literal["release", "project"] = "release"
    locale: str = "en_US"  # of Faker: names, places, and the country of telephone numbers without a country code


@dataclass(frozen=True)
class Invented:
    """The surrogates of one column, and what is to be told of them. `text` and `surrogate` are secret together."""

    name: str
    text: pl.Series  # (distinct,) canonical text, no null
    surrogate: pl.Series  # (distinct,)
    collisions: int  # distinct values that share their surrogate with another one
    redrawn: int  # distinct values whose first outcome was a value of an identifier
    exhausted: int  # distinct values that got a token, since every outcome was a value of an identifier

    def release(self) -> list[pl.Expr]:
        """One String column. Raises InputError, when run, on a value that was not among the distinct ones."""
        from anonym.columns.distinct import DistinctReplacement, hashable  # imports Numba

        surrogates = DistinctReplacement(self._looked_up, limit=len(self.text) + 2)  # null and NaN
        return [
            pl.col(self.name).map_batches(
                lambda batch: surrogates(hashable(batch)), return_dtype=pl.String, is_elementwise=True
            )
        ]

    def _looked_up(self, fresh: pl.Series) -> pl.Series:
        texts, pairs = canonical_text(fresh).alias("text"), pl.DataFrame([self.text, self.surrogate])
        found = texts.to_frame().join(pairs, on="text", how="left", maintain_order="left")["surrogate"]
        if found.null_count() > texts.null_count():
            raise InputError(
                f"column {self.name!r} holds values that it did not hold before: the input changed; run again"
            )
        return found


def released_schema(name: str) -> dict[str, pl.DataType]:
    return {name: pl.String()}


def invent(name: str, distinct: pl.Series, action: Surrogate, keyring: Keyring, held: Held = nobody) -> Invented:
    """Surrogates for the distinct values of column `name`, in any order and type that has a canonical text.

    None is what `held` says to be a value of an identifier. Raises InputError for a type without a canonical text,
    CallError for an unknown locale.
    """
    text = canonical_text(distinct.alias(name)).unique().drop_nulls().sort().alias("text")
    if text.dtype == pl.Binary:
        raise InputError(f"column {name!r} is binary: surrogates need text; use a pseudonym, or drop it")
    outcomes = _apart(text.to_list(), name, action, keyring, held)
    surrogate = pl.Series("surrogate", [outcome for outcome, _ in outcomes], dtype=pl.String)
    attempts = [attempt for _, attempt in outcomes]
    return Invented(
        name=name,
        text=text,
        surrogate=surrogate,
        collisions=int(surrogate.is_duplicated().sum()),
        redrawn=sum(attempt > 0 for attempt in attempts),
        exhausted=sum(attempt == ATTEMPTS for attempt in attempts),
    )


def _apart(values: list[str], name: str, action: Surrogate, keyring: Keyring, held: Held) -> list[tuple[str, int]]:
    """As `_outcomes`, none of them held: those that are get taken, and all is drawn again. Only outcomes are looked up,
    so that identifiers of millions of values need not be kept.
    """
    taken = frozenset(map(_folded, values))
    while True:
        outcomes = list(_outcomes(values, taken, name, action, keyring))
        drawn = pl.Series("drawn", [outcome for outcome, _ in outcomes], dtype=pl.String).unique().to_frame()
        known = held(drawn.select(plain(pl.col("drawn"))).to_series())
        hits = drawn.filter(plain(pl.col("drawn")).is_in(known.implode()))["drawn"]
        fresh = frozenset(map(_folded, hits)) - taken - {""}
        if not fresh:
            return outcomes
        taken |= fresh


def plain(column: pl.Expr) -> pl.Expr:
    """A text or whole number without case and blanks at the ends, for comparing."""
    return column.cast(pl.String).str.strip_chars().str.to_lowercase()


def _outcomes(
    values: list[str], taken: frozenset[str], name: str, action: Surrogate, keyring: Keyring
) -> Iterator[tuple[str, int]]:
    """Each value's surrogate and the attempt that gave it."""
    from anonym.columns.faker_lists import lists  # imports Faker where it is first drawn from
    from anonym.columns.inventions import KINDS

    salt = keyring.salt if action.scope == "release" else b""
    domain = name if action.domain is None else action.domain
    digest_of = keyring[action.key].digester(
        b"surrogate", action.kind.encode(), action.scope.encode(), salt, domain.encode()
    )
    invention, material = KINDS[action.kind], lists(action.locale)
    for value in values:
        if not value.strip():
            yield value, 0
            continue
        digest = digest_of(value.encode())
        for attempt in range(ATTEMPTS):
            outcome = invention(value, Draws(digest, attempt), material)
            if _folded(outcome) not in taken and outcome.strip():
                yield outcome, attempt
                break
        else:
            yield f"{action.kind}-{digest.hex()[:24]}", ATTEMPTS


def _folded(value: str) -> str:
    return value.strip().casefold()
