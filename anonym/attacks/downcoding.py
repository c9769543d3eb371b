"""Downcoding: what minimal generalisation gives away below the released label.

Whoever knows that each row was generalised as little as possible knows more than the label says: had the row's values
been inside a finer class of the same release, it would stand there. So of the values that a class covers those of the
finer classes inside it are ruled out, and what is left may be less than the label (Wong et al. 2007; Cohen 2022). The
attacker knows the quasi-identifiers of a population, not who has which. Global recoding has no classes inside others,
so nothing is narrowed there by this rule.
"""

from __future__ import annotations

import math
from typing import Any

import polars as pl

from anonym.attacks.linkage import Tables
from anonym.attacks.matching import Columns, Linked, encode, joined, link, numbered
from anonym.attacks.outcome import AttackResult, Counts, Gate, Trial, judge
from anonym.attacks.subgroup import SUBGROUP

CLASSES = 5_000  # looked into, at most
WITHOUT = {
    "false_accepts": "no truth was given that tells a wrong claim from a right one",
    "baseline": "the control guesses: it claims the same shares and knows only the population",
    "positive_control": "the table before the release has no generalised cell to narrow",
}


def downcoding(tables: Tables, *, gate: Gate | None, seed: int | None) -> AttackResult:
    """The share of generalised cells whose value the attacker rightly places in less than the label covers.

    `tables.auxiliary` is the population (the original). A generalised cell covers more than one of its values. Targets
    are the people who have one, each of whom counts by the share of such cells that is narrowed: the cells of a row
    come and go together, and a share varies no more than a success would, so the interval is that of so many people.
    False accepts are people with a wrong claim. A claim is checked by `tables.truth`, a row's own; without it as many
    are right as can be, an upper bound. The control claims the same shares at random: an attacker who knows the
    population, but not how it was generalised.
    """
    columns = encode(tables.released, tables.auxiliary, tables.known)
    linked = link(columns, range(len(tables.known)))
    weights = pl.DataFrame({"auxiliary": linked.auxiliary}).group_by("auxiliary").agg(people=pl.len())
    chosen = _chosen(linked)
    pairs = linked.pairs.join(chosen, on="released", how="semi")
    covered = pairs.join(weights, on="auxiliary").join(_tuples(columns, linked), on="auxiliary")
    left = covered.join(_ruled_out(columns, linked, chosen), on=["released", "auxiliary"], how="anti")
    names = [str(i) for i in range(len(tables.known))]
    sizes = pl.DataFrame({"released": linked.released}).group_by("released").agg(rows=pl.len())
    cells = pl.concat([_cells(covered, left, sizes, name) for name in names])
    rows = _rows(tables, linked, cells)
    narrowed = cells.filter(pl.col("left") < pl.col("covered"))
    claims = _claims(tables, columns, rows, left, narrowed)
    targets = rows["person"].n_unique()
    detail = {
        "cells": int(cells.filter(pl.col("covered") > 1)["rows"].sum()),
        "cells_narrowed": claims.height,
        "cells_right": math.fsum(claims["right"]),
        "classes_tried": chosen.height,
        "classes_narrowed": narrowed["released"].n_unique(),
        "by_column": {
            known.name: claims.filter(pl.col("column") == name).height
            for known, name in zip(tables.known, names, strict=True)
        },
        "is_upper_bound": not tables.has_truth,
        "worst_subgroup": _worst(tables, cells, claims),
    }
    wrong = claims.filter(pl.col("right") == 0)["person"].n_unique() if tables.has_truth else None
    # exactly rounded sums: the order of the rows is random, and the evidence is not
    right, chance = (min(math.fsum(claims["weight"] * claims[part]), float(targets)) for part in ("right", "share"))
    counts, control = Counts(targets, targets, right, wrong), Counts(targets, targets, chance)
    knows = ("the policy and the method", *(known.name for known in tables.known))
    return judge(Trial("downcoding", knows, counts, gate, None, control, None, seed, detail, WITHOUT))


def _tuples(columns: Columns, linked: Linked) -> pl.DataFrame:
    """[auxiliary, 0, 1, ...]: the codes of each distinct tuple of the population."""
    return columns.auxiliary.with_columns(auxiliary=linked.auxiliary).unique("auxiliary", maintain_order=True)


def _chosen(linked: Linked) -> pl.DataFrame:
    """[released]: at most CLASSES classes, spread evenly over the population in its order."""
    covered = pl.col("auxiliary")
    place = linked.pairs.group_by("released").agg(covered.min(), last=covered.max(), sum=covered.sum(), size=pl.len())
    ordered = place.sort("auxiliary", "last", "sum", "size", "released")
    return ordered.gather_every(-(-ordered.height // CLASSES) or 1).select("released")


def _ruled_out(columns: Columns, linked: Linked, chosen: pl.DataFrame) -> pl.DataFrame:
    """[released, auxiliary]: what a finer class inside each chosen one covers too."""
    rows = columns.released.with_columns(released=linked.released).unique("released", maintain_order=True)
    inside = {str(i): _within(columns.covers[i]) for i in range(len(columns.known))}
    outer = rows.join(chosen, on="released", how="semi")
    nested = joined(outer, rows.rename({"released": "auxiliary"}), inside)
    pairs = nested.rename({"released": "outer", "auxiliary": "inner"})
    alike = rows.select("released", *(_alike(rows[name], table).alias(name) for name, table in inside.items()))
    same = pairs.join(alike, left_on="outer", right_on="released").join(
        alike, left_on=["inner", *inside], right_on=["released", *inside], how="semi"
    )
    strict = pairs.join(same, on=["outer", "inner"], how="anti")
    held = linked.pairs.rename({"released": "inner"})
    return strict.join(held, on="inner").select(released="outer", auxiliary="auxiliary").unique()


def _within(covers: pl.DataFrame) -> pl.DataFrame:
    """[cell, value] in the sense of a join: cell `value` covers nothing but what `cell` covers."""
    sizes = covers.group_by("cell").agg(size=pl.len())
    shared = covers.join(covers, on="value", suffix="_in").group_by("cell", "cell_in").agg(met=pl.len())
    held = shared.join(sizes, left_on="cell_in", right_on="cell")
    return held.filter(pl.col("met") == pl.col("size")).select("cell", value="cell_in")


def _alike(cells: pl.Series, within: pl.DataFrame) -> pl.Series:
    """For each cell the first that covers the same values."""
    mutual = within.join(within.select(cell="value", value="cell"), on=["cell", "value"], how="semi")
    first = mutual.group_by("cell").agg(pl.col("value").min())
    return cells.to_frame("cell").join(first, on="cell", how="left", maintain_order="left")["value"]


def _cells(covered: pl.DataFrame, left: pl.DataFrame, sizes: pl.DataFrame, name: str) -> pl.DataFrame:
    """[released, column, covered, left, share, rows]: distinct values that the label covers and that are left, and
    the share of the population under the label that has them."""
    whole = covered.group_by("released").agg(covered=pl.col(name).n_unique(), everyone=pl.col("people").sum())
    some = left.select("released", name).unique()
    rest = some.group_by("released").agg(left=pl.len())
    with_them = covered.join(some, on=["released", name], how="semi").group_by("released").agg(pl.col("people").sum())
    found = whole.join(rest, on="released").join(with_them, on="released").join(sizes, on="released")
    return found.select(
        "released", "covered", "left", "rows", column=pl.lit(name), share=pl.col("people") / pl.col("everyone")
    )


def _rows(tables: Tables, linked: Linked, cells: pl.DataFrame) -> pl.DataFrame:
    """[row, released, person, weight] of the rows with a generalised cell, and what each such cell of theirs weighs:
    all of a person's together weigh 1, those of every row as much."""
    held = cells.filter(pl.col("covered") > 1).group_by("released").agg(held=pl.len())
    who = numbered(tables.released, tables.unit)
    rows = pl.DataFrame({"released": linked.released, "person": who}).with_row_index("row").join(held, on="released")
    return rows.select("row", "released", "person", weight=1 / (pl.col("held") * pl.len().over("person")))


def _claims(
    tables: Tables, columns: Columns, rows: pl.DataFrame, left: pl.DataFrame, narrowed: pl.DataFrame
) -> pl.DataFrame:
    """[row, released, person, weight, column, share, right]: the narrowed cells, `right` 1 where the value is in what
    is left; without a truth as many of a class as there are people left for it."""
    claimed = rows.join(narrowed.select("released", "column", "share", "rows"), on="released")
    if tables.truth is None or not tables.has_truth:
        people = left.group_by("released").agg(pl.col("people").sum())
        return claimed.join(people, on="released").with_columns(right=pl.min_horizontal(1.0, pl.col("people") / "rows"))
    truth = tables.released[tables.truth].gather(claimed["row"])
    theirs = columns.auxiliary.with_columns(truth=tables.auxiliary[tables.truth]).unique("truth", keep="none")
    values = theirs.unpivot(index="truth", variable_name="column")
    names = columns.auxiliary.columns
    kept = pl.concat([left.select("released", column=pl.lit(name), value=name).unique() for name in names])
    known = claimed.with_columns(truth=truth).join(values, on=["truth", "column"])
    met = known.join(kept, on=["released", "column", "value"], how="semi").select("row", "column", right=pl.lit(1.0))
    return claimed.join(met, on=["row", "column"], how="left").with_columns(pl.col("right").fill_null(0.0))


def _worst(tables: Tables, cells: pl.DataFrame, claims: pl.DataFrame) -> dict[str, Any] | None:
    """The column that is narrowed most, of those with enough cells."""
    rates = []
    for i, known in enumerate(tables.known):
        of_column = pl.col("column") == str(i)
        held = int(cells.filter(of_column & (pl.col("covered") > 1))["rows"].sum())
        if held >= SUBGROUP:
            right = math.fsum(claims.filter(of_column)["right"])
            rates.append({"column": known.name, "targets": held, "rate": right / held})
    return max(rates, key=lambda one: one["rate"], default=None)  # type: ignore[return-value, arg-type]
