"""A motivated intruder: what people who really tried claim to have found, and how much of it is right.

The test that the UK's Information Commissioner describes: someone without prior knowledge, but competent, motivated and
with the usual sources, tries to identify people in the release.
"""

from __future__ import annotations

import polars as pl

from anonym.attacks.outcome import AttackResult, Counts, Gate, Trial, judge

WITHOUT = {
    "baseline": "how many people there are to guess among is not known",
    "control": "only people of the sample are looked for",
    "positive_control": "nobody was asked to try the table before the release",
    "worst_subgroup": "too few rows are claimed to tell groups apart",
}
YES = ("yes", "y", "true", "1", "right")
NO = ("no", "n", "false", "0", "wrong")


def sample(released: pl.DataFrame, rows: int, seed: int) -> pl.DataFrame:
    """At most `rows` random rows, in random order, each with its `row` in the release (from 1)."""
    numbered = released.with_row_index("row", offset=1)
    return numbered.sample(min(rows, released.height), shuffle=True, seed=seed)


def scored(
    claims: pl.DataFrame,
    offered: int,
    truths: pl.DataFrame | None,
    *,
    knows: tuple[str, ...],
    gate: Gate | None,
    seed: int | None,
) -> AttackResult:
    """Score claims [row, who, sure, how, right] on `offered` rows, one person each. What guessing names at random would
    find depends on how many people there are, which nobody knows here: there is no baseline.

    `truths` is [row, name]: every way to name the person of a row; a claim is right if it names one, without regard to
    case. Without it the referee's column `right` tells. Of several claims on a row one right one suffices, and none
    counts twice; nobody who names nobody claims anything. `sure` is 0 to 100.
    """
    made = claims.filter(pl.col("who").str.strip_chars().fill_null("") != "")
    judged = made.with_columns(hit=_hits(made, truths)).sort("row", "hit", descending=[False, True])
    best = judged.unique("row", keep="first", maintain_order=True)
    right = int(best["hit"].sum())
    detail = {
        "rows_offered": offered,
        "claims": made.height,
        "sure": {
            name: _mean(best.filter(part)["sure"])
            for name, part in (("right", pl.col("hit")), ("wrong", ~pl.col("hit")))
        },
    }
    counts = Counts(offered, offered, right, best.height - right)
    return judge(Trial("motivated intruder", knows, counts, gate, seed=seed, detail=detail, without=WITHOUT))


def _hits(claims: pl.DataFrame, truths: pl.DataFrame | None) -> pl.Series:
    if truths is None:
        return claims["right"].str.strip_chars().str.to_lowercase().is_in(list(YES)).fill_null(False)
    fold = pl.col("name").str.strip_chars().str.to_lowercase()
    named = truths.select("row", name=fold).drop_nulls().unique()
    asked = claims.select("row", name=pl.col("who").str.strip_chars().str.to_lowercase()).with_row_index("#")
    hits = asked.join(named, on=["row", "name"], how="semi")["#"]
    return asked["#"].is_in(hits.implode())


def _mean(values: pl.Series) -> float | None:
    mean = values.drop_nulls().mean()
    return float(mean) if isinstance(mean, int | float) else None
