"""Uniqueness: how far the quasi-identifiers alone point at one person, in closed form.

* prosecutor: the attacker knows that the target is in the release; the chance is 1 / f, f people of the same class.
* journalist: the attacker only knows a population; the chance is 1 / F, F people of the population whom the class
  covers.
* marketer: the attacker links everybody; the share that is right is (1 / n) sum of f / F over the classes.

Dankar and El Emam, "A method for evaluating marketer re-identification risk" (2010). f and F count people where there
is a unit, and a person in several classes is taken in the smallest.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from anonym.attacks.linkage import Tables
from anonym.attacks.matching import candidates, classes, encode, expected, link, people, persons
from anonym.attacks.outcome import AttackResult, Counts, Gate, Trial, judge


def prosecutor(
    released: pl.DataFrame,
    cells: Sequence[str],
    knows: Sequence[str],
    *,
    unit: str | None,
    gate: Gate,
    seed: int | None,
) -> AttackResult:
    """The mean of 1 / f over the people in the release; the denominator is everyone in it.

    A null is a value of its own here: who shares it shares the class.
    """
    tuples = classes(released, cells)
    members = people(tuples, persons(released, unit))
    sizes = members.with_columns(candidates=pl.len().over("tuple")).group_by("person").agg(pl.col("candidates").min())
    sizes = sizes.with_columns(sharing=pl.lit(1))
    smallest = sizes["candidates"].min()
    detail = {
        "denominator": "people in the release",
        "unique": sizes.filter(pl.col("candidates") == 1).height,
        "classes": tuples.n_unique(),
        "highest": 1 / smallest if isinstance(smallest, int) else None,
    }
    counts = Counts(sizes.height, sizes.height, expected(sizes))
    baseline = 1 / sizes.height if sizes.height else None
    return judge(Trial("uniqueness (prosecutor)", tuple(knows), counts, gate, baseline, seed=seed, detail=detail))


def marketer(tables: Tables, *, gate: Gate, seed: int | None) -> AttackResult:
    """(1 / n) sum of f / F, with the population in `tables.auxiliary`; the journalist's highest 1 / F in `detail`."""
    linked = link(encode(tables.released, tables.auxiliary, tables.known), range(len(tables.known)))
    members = people(linked.released, persons(tables.released, tables.unit))
    population = people(linked.auxiliary, persons(tables.auxiliary, tables.unit))
    pairs = linked.pairs.rename({"released": "target", "auxiliary": "other"})
    found = candidates(members, pairs, population)
    covered = found.filter(pl.col("candidates") > 0)
    fewest = covered["candidates"].min()
    others = population["person"].n_unique()
    detail = {
        "denominator": "people in the release",
        "population": others,
        "outside_population": found.height - covered.height,
        "journalist_highest": 1 / fewest if isinstance(fewest, int) else None,
        "population_unique": covered.filter(pl.col("candidates") == 1).height,
    }
    counts = Counts(found.height, covered.height, expected(found))
    knows = tuple(known.name for known in tables.known)
    baseline = 1 / others if others else None
    return judge(Trial("uniqueness (marketer)", knows, counts, gate, baseline, seed=seed, detail=detail))
