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

from anonym.attacks.linkage import Tables, before, strangers
from anonym.attacks.matching import candidates, classes, encode, expected, groups, link, people, persons
from anonym.attacks.outcome import AttackResult, Counts, Gate, Trial, judge
from anonym.attacks.subgroup import worst_of


def prosecutor(
    released: pl.DataFrame,
    cells: Sequence[str],
    knows: Sequence[str],
    *,
    unit: str | None,
    gate: Gate | None,
    seed: int | None,
    raw: tuple[pl.DataFrame, Sequence[str]] | None = None,
    outside: Counts | None = None,
) -> AttackResult:
    """The mean of 1 / f over the people in the release; the denominator is everyone in it.

    A null is a value of its own here: who shares it shares the class. `raw` is the table before the release with its
    columns of the same meaning, as the positive control; `outside` what looking up people who were never released
    finds (`linkage.strangers`).
    """
    tuples = classes(released, cells)
    sizes = _smallest(tuples, released, unit)
    smallest = sizes["candidates"].min()
    detail = {
        "denominator": "people in the release",
        "unique": sizes.filter(pl.col("candidates") == 1).height,
        "classes": tuples.n_unique(),
        "highest": 1 / smallest if isinstance(smallest, int) else None,
        "worst_subgroup": worst_of(
            sizes.select("person", success=1 / pl.col("candidates")),
            groups(released, {name: [name] for name in cells}, unit),
        ),
    }
    counts = Counts(sizes.height, sizes.height, expected(sizes), outside.false_accepts if outside else None)
    baseline = 1 / sizes.height if sizes.height else None
    positive = None
    if raw is not None:
        sharp = _smallest(classes(*raw), raw[0], unit)
        positive = expected(sharp) / sharp.height
    return judge(
        Trial("uniqueness (prosecutor)", tuple(knows), counts, gate, baseline, outside, positive, seed, detail)
    )


def _smallest(tuples: pl.Series, frame: pl.DataFrame, unit: str | None) -> pl.DataFrame:
    """[person, candidates, sharing]: the size of the smallest class that each person is in."""
    members = people(tuples, persons(frame, unit)).with_columns(candidates=pl.len().over("tuple"))
    sizes = members.group_by("person").agg(pl.col("candidates").min()).sort("person")
    return sizes.with_columns(sharing=pl.lit(1))


def marketer(
    tables: Tables,
    *,
    gate: Gate | None,
    seed: int | None,
    control: pl.DataFrame | None = None,
    raw: pl.DataFrame | None = None,
) -> AttackResult:
    """(1 / n) sum of f / F, with the population in `tables.auxiliary`; the journalist's highest 1 / F in `detail`.

    `control` and `raw` as in `linkage`, of which this is the attack by all known columns.
    """
    everything = range(len(tables.known))
    linked = link(encode(tables.released, tables.auxiliary, tables.known), everything)
    members = people(linked.released, persons(tables.released, tables.unit))
    population = people(linked.auxiliary, persons(tables.auxiliary, tables.unit))
    pairs = linked.pairs.rename({"released": "target", "auxiliary": "other"})
    found = candidates(members, pairs, population)
    covered = found.filter(pl.col("candidates") > 0)
    fewest = covered["candidates"].min()
    cells = [cell for known in tables.known for cell in known.cells]
    others = population["person"].n_unique()
    detail = {
        "denominator": "people in the release",
        "population": others,
        "outside_population": found.height - covered.height,
        "journalist_highest": 1 / fewest if isinstance(fewest, int) else None,
        "population_unique": covered.filter(pl.col("candidates") == 1).height,
        "worst_subgroup": worst_of(
            _chance(found), groups(tables.released, {name: [name] for name in cells}, tables.unit)
        ),
    }
    outside = strangers(tables, everything, control)
    counts = Counts(found.height, covered.height, expected(found), outside.false_accepts if outside else None)
    knows = tuple(known.name for known in tables.known)
    baseline = 1 / others if others else None
    positive = before(tables, everything, raw)
    return judge(Trial("uniqueness (marketer)", knows, counts, gate, baseline, outside, positive, seed, detail))


def _chance(found: pl.DataFrame) -> pl.DataFrame:
    inside = pl.min_horizontal(1, pl.col("candidates") / pl.col("sharing")) / pl.col("candidates")
    return found.select("person", success=pl.when(pl.col("candidates") > 0).then(inside).otherwise(0.0))
