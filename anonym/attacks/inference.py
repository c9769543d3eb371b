"""Inference: what does the release tell of a person's sensitive value? Linking is not needed for harm.

The attacker knows the quasi-identifiers, takes the released people whom they fit and guesses the most frequent
sensitive value among them (of equals one at random); for whom nothing fits, the most frequent value of the release.
What this gains on people who were never released is correlation that any table of the kind would teach; only the
advantage over them is the release's own (Giomi et al. 2023).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from anonym.attacks.linkage import Tables
from anonym.attacks.matching import encode, groups, link, numbered, persons
from anonym.attacks.outcome import AttackResult, Counts, Gate, Trial, judge
from anonym.attacks.subgroup import worst_of

_TIE = 1e-9  # weights closer than this are equal: shares of a unit do not add up exactly


@dataclass(frozen=True)
class Guessed:
    """Success of one round of guesses. `matched` people had a released class that fits, `baseline` ignores it."""

    counts: Counts
    matched: int
    baseline: float | None
    worst: dict[str, Any] | None


def inference(
    tables: Tables,
    sensitive: str,
    *,
    gate: Gate | None,
    control: pl.DataFrame | None = None,
    seed: int | None = None,
) -> AttackResult:
    """Infer column `sensitive` of the people in `tables.auxiliary`, whose release it is.

    Who has no sensitive value is no target. A person of several rows counts 1, the mean over them. The positive
    control is the same attack on the table itself. `control` must have the known columns and the sensitive one.
    """
    inside = guess(tables, sensitive)
    outside = None
    if control is not None and {sensitive, *(known.auxiliary for known in tables.known)} <= set(control.columns):
        outside = guess(Tables(tables.released, control, tables.known, tables.unit), sensitive).counts
    raw = tuple(known.before(known.auxiliary) for known in tables.known)
    itself = guess(Tables(tables.auxiliary, tables.auxiliary, raw, tables.unit), sensitive)
    detail = {
        "matched": inside.matched,
        "values": tables.released[sensitive].drop_nulls().n_unique(),
        "worst_subgroup": inside.worst,
    }
    return judge(
        Trial(
            f"inference of {sensitive}",
            tuple(known.name for known in tables.known),
            inside.counts,
            gate,
            inside.baseline,
            outside,
            itself.counts.rate,
            seed,
            detail,
            {"false_accepts": "a value is guessed of everybody: who is not guessed right is guessed wrong"},
        )
    )


def guess(tables: Tables, sensitive: str) -> Guessed:
    """Guess the value of everyone in `tables.auxiliary` who has one."""
    linked = link(encode(tables.released, tables.auxiliary, tables.known), range(len(tables.known)))
    weights = _weights(tables, linked.released, sensitive)
    joined = linked.pairs.join(weights, left_on="released", right_on="tuple")
    guesses = _modes(joined.group_by("auxiliary", "value").agg(pl.col("weight").sum()), "auxiliary")
    usual = _modes(weights.group_by("value").agg(pl.col("weight").sum()).with_columns(all=pl.lit(0)), "all")
    truth = pl.DataFrame({"auxiliary": linked.auxiliary, "value": tables.auxiliary[sensitive].cast(pl.String)})
    rows = truth.with_columns(person=numbered(tables.auxiliary, tables.unit)).drop_nulls("value")
    rows = rows.join(guesses, on=["auxiliary", "value"], how="left", maintain_order="left")
    rows = rows.join(usual.select("value", usual="share"), on="value", how="left", maintain_order="left")
    fitting = guesses.select(pl.col("auxiliary").unique(), fits=True)
    rows = rows.join(fitting, on="auxiliary", how="left", maintain_order="left")
    chance = pl.when("fits").then("share").otherwise("usual").fill_null(0.0)
    each = rows.select("person", "fits", chance=chance, usual=pl.col("usual").fill_null(0.0))
    each = each.group_by("person", maintain_order=True).agg(pl.col("chance", "usual").mean(), pl.col("fits").any())
    counts = Counts(each.height, each.height, float(each["chance"].sum()))
    columns = {known.name: [known.auxiliary] for known in tables.known}
    worst = worst_of(each.select("person", success="chance"), groups(tables.auxiliary, columns, tables.unit))
    baseline = float(each["usual"].sum()) / each.height if each.height else None
    return Guessed(counts, int(each["fits"].sum()), baseline, worst)


def _weights(tables: Tables, tuples: pl.Series, sensitive: str) -> pl.DataFrame:
    """[tuple, value, weight]: a row weighs 1, a unit 1 in each class, shared over its distinct values there."""
    rows = pl.DataFrame({"tuple": tuples, "value": tables.released[sensitive].cast(pl.String)}).drop_nulls("value")
    unit = persons(tables.released, tables.unit)
    if unit is None:
        return rows.group_by("tuple", "value").agg(weight=pl.len().cast(pl.Float64))
    held = pl.DataFrame({"tuple": tuples, "value": tables.released[sensitive].cast(pl.String), "unit": unit})
    held = held.drop_nulls("value").unique(maintain_order=True)
    shared = held.with_columns(weight=1 / pl.len().over("tuple", "unit"))
    return shared.group_by("tuple", "value").agg(pl.col("weight").sum())


def _modes(weights: pl.DataFrame, by: str) -> pl.DataFrame:
    """[by, value, share]: the heaviest values of each group, each with the chance that it is the one guessed."""
    heaviest = weights.filter(pl.col("weight") >= pl.col("weight").max().over(by) - _TIE)
    return heaviest.select(by, "value", share=1 / pl.len().over(by))
