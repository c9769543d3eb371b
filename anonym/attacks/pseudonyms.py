"""Linkage through pseudonyms: does a token join two releases, whatever they did to everything else?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from anonym.attacks.matching import groups, numbered
from anonym.attacks.outcome import AttackResult, Counts, Gate, Trial, judge
from anonym.attacks.subgroup import worst_of

WITHOUT = {
    "control": "who was never released has no token",
    "positive_control": "the earlier release's own identifiers are not at hand; a token always meets itself",
}


def pseudonyms(
    released: pl.DataFrame,
    against: pl.DataFrame,
    column: str,
    *,
    gate: Gate | None,
    truth: str | None = None,
    seed: int | None = None,
    cells: Sequence[str] = (),
) -> AttackResult:
    """The share of the tokens in `column` that stand in an earlier release too.

    Targets are the distinct tokens. With `truth`, a column of both releases, a join is right if it names the same
    person in both, and a false accept if not; else every join counts. Tokens of one release each join nobody, so the
    baseline is 0. `cells` are released columns by which the worst subgroup is told.
    """
    sides = [_tokens(frame, column, truth) for frame in (released, against)]
    joined = sides[0].join(sides[1], on="token", suffix="_then")
    right = joined.filter(pl.col("truth") == pl.col("truth_then")) if "truth" in joined.columns else joined
    correct, tokens = right["token"].n_unique(), sides[0]["token"].n_unique()
    wrong = joined["token"].n_unique() - correct
    detail: dict[str, Any] = {
        "tokens_then": sides[1]["token"].n_unique(),
        "joined": joined["token"].n_unique(),
        "worst_subgroup": _worst(released, column, cells, right["token"]),
    }
    name, counts = f"pseudonyms of {column}", Counts(tokens, tokens, correct, wrong)
    return judge(Trial(name, (column,), counts, gate, 0.0, seed=seed, detail=detail, without=WITHOUT))


def _worst(released: pl.DataFrame, column: str, cells: Sequence[str], right: pl.Series) -> dict[str, Any] | None:
    """By the released columns, over the rows that have a token."""
    held = released.filter(pl.col(column).is_not_null())
    rows = groups(held, {name: [name] for name in cells}, column)
    who = held.select(token=pl.col(column).cast(pl.String), person=numbered(held, column))
    found = who.unique(maintain_order=True).with_columns(
        success=pl.col("token").is_in(right.implode()).cast(pl.Float64)
    )
    return worst_of(found.select("person", "success"), rows)


def _tokens(frame: pl.DataFrame, column: str, truth: str | None) -> pl.DataFrame:
    token = pl.col(column).cast(pl.String).alias("token")
    if truth is None or truth not in frame.columns or truth == column:
        return frame.select(token).drop_nulls().unique(maintain_order=True)
    return frame.select(token, truth=pl.col(truth)).drop_nulls("token").unique("token", maintain_order=True)
