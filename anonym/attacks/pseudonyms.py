"""Linkage through pseudonyms: does a token join two releases, whatever they did to everything else?"""

from __future__ import annotations

from typing import Any

import polars as pl

from anonym.attacks.outcome import AttackResult, Counts, Gate, Trial, judge


def pseudonyms(
    released: pl.DataFrame,
    against: pl.DataFrame,
    column: str,
    *,
    gate: Gate | None,
    truth: str | None = None,
    seed: int | None = None,
) -> AttackResult:
    """The share of the tokens in `column` that stand in an earlier release too.

    Targets are the distinct tokens. With `truth`, a column of both releases, a join is right if it names the same
    person in both, and a false accept if not; else every join counts. Tokens of one release each join nobody, so the
    baseline is 0.
    """
    sides = [_tokens(frame, column, truth) for frame in (released, against)]
    joined = sides[0].join(sides[1], on="token", suffix="_then")
    right = joined.filter(pl.col("truth") == pl.col("truth_then")) if "truth" in joined.columns else joined
    correct = right["token"].n_unique()
    counts = Counts(
        sides[0]["token"].n_unique(), sides[0]["token"].n_unique(), correct, joined["token"].n_unique() - correct
    )
    detail: dict[str, Any] = {"tokens_then": sides[1]["token"].n_unique(), "joined": joined["token"].n_unique()}
    name = f"pseudonyms of {column}"
    return judge(Trial(name, (column,), counts, gate, 0.0, seed=seed, detail=detail))


def _tokens(frame: pl.DataFrame, column: str, truth: str | None) -> pl.DataFrame:
    token = pl.col(column).cast(pl.String).alias("token")
    if truth is None or truth not in frame.columns or truth == column:
        return frame.select(token).drop_nulls().unique(maintain_order=True)
    return frame.select(token, truth=pl.col(truth)).drop_nulls("token").unique("token", maintain_order=True)
