"""Intersection of releases about the same people: each hides a person among k, all together perhaps not.

A person's joint class are the people who share the class in every release (Ganta, Kasiviswanathan and Smith 2008).
Two rows belong to one person by a column that both releases have (`by`), or, with the table they were made of at
hand, by the classes that cover the person in each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from anonym.attacks.linkage import Tables
from anonym.attacks.matching import classes, encode, link, people, persons, profiles
from anonym.attacks.outcome import AttackResult, Counts, Gate, Trial, judge
from anonym.attacks.subgroup import worst_of

PEOPLE = " people"  # of a class, in its whole release
LATER = {3: "third", 4: "fourth", 5: "fifth"}
WITHOUT = {
    "false_accepts": "classes are counted, nobody is named",
    "control": "who was never released is in no class of any release",
}


def intersection(
    joint: pl.DataFrame,
    k: int,
    knows: Sequence[str],
    *,
    gate: Gate | None,
    seed: int | None = None,
    raw: tuple[pl.DataFrame, Sequence[str]] | None = None,
    unit: str | None = None,
) -> AttackResult:
    """The share of people in a joint class under k. `joint` is [person, first, second, ...], from `by_column` or
    `by_original`, or several of them `together`, each class with the people of its whole release. The baseline is the
    share that is in a class under k in the worst of the releases alone.

    `raw` is the table that both were made of with its columns: the positive control is the share of its people, told
    apart by column `unit`, in a class under k.
    """
    sides = [name for name in joint.columns[1:] if not name.endswith(PEOPLE)]
    sizes = joint.select("person", *sides).with_columns(size=pl.len().over(sides))
    small = sizes.filter(pl.col("size") < k).height
    alone = [joint.filter(pl.col(side + PEOPLE) < k).height / joint.height for side in sides if joint.height]
    least = sizes["size"].min()
    detail: dict[str, Any] = {"k": k, "joint_classes": joint.select(sides).n_unique(), "smallest": least}
    detail["releases"] = len(sides)
    detail["worst_subgroup"] = _worst(sizes, k)
    counts = Counts(joint.height, joint.height, small)
    baseline = max(alone, default=None)
    positive = None
    if raw is not None:
        before = profiles(*raw, unit).with_columns(size=pl.len().over("class"))
        positive = before.filter(pl.col("size") < k).height / before.height
    return judge(Trial("intersection", tuple(knows), counts, gate, baseline, None, positive, seed, detail, WITHOUT))


def _worst(sizes: pl.DataFrame, k: int) -> dict[str, Any] | None:
    """The class of one release that the others take apart most."""
    numbered = sizes.drop("person").with_row_index("person")
    rows = numbered.with_columns(success=(pl.col("size") < k).cast(pl.Float64))
    groups = {
        f"class of the {side} release": rows.select("person", group=pl.col("person").first().over(side))
        for side in sizes.columns[1:-1]
    }
    return worst_of(rows.select("person", "success"), groups)


def together(joints: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The people in all of several joint tables of one release with others: [person, first, second, third, ...]."""
    both = joints[0]
    for place, more in enumerate(joints[1:], 3):
        name = LATER.get(place, f"{place}th")
        renamed = {"second": name, "second" + PEOPLE: name + PEOPLE}
        both = both.join(more.select("person", *renamed).rename(renamed), on="person")
    return both


def by_column(
    first: tuple[pl.DataFrame, Sequence[str]], second: tuple[pl.DataFrame, Sequence[str]], by: str
) -> pl.DataFrame:
    """[person, first, second] and the people of each class, of the people in both releases.

    People are told apart by column `by`; null is nobody.

    Each release comes with its quasi-identifier columns. Several rows of a person count as the set of their classes.
    """
    sides = []
    for (frame, cells), name in ((first, "first"), (second, "second")):
        rows = pl.DataFrame({"person": frame[by], name: classes(frame, cells)}).drop_nulls("person")
        sides.append(_counted(rows.group_by("person").agg(pl.col(name).unique().sort()), name))
    return sides[0].join(sides[1], on="person")


def _counted(side: pl.DataFrame, name: str) -> pl.DataFrame:
    """With how many people of the release are in the same class, or set of classes."""
    return side.with_columns(pl.len().over(name).alias(name + PEOPLE))


def by_original(first: Tables, second: Tables) -> pl.DataFrame:
    """[person, first, second] and the people of each class, of the people whom some class of both releases covers.

    `auxiliary` of both is the one original. Where classes overlap, people are told apart by the set of classes that
    cover them. People who were suppressed in either are in the joint table only where a class of others covers them.
    """
    sides = [_covering(first, "first"), _covering(second, "second")]
    return sides[0].join(sides[1], on="person")


def _covering(tables: Tables, name: str) -> pl.DataFrame:
    linked = link(encode(tables.released, tables.auxiliary, tables.known), range(len(tables.known)))
    held = people(linked.auxiliary, persons(tables.auxiliary, tables.unit)).join(
        linked.pairs, left_on="tuple", right_on="auxiliary"
    )
    return _counted(held.group_by("person").agg(pl.col("released").unique().sort().alias(name)), name)
