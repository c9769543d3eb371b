"""Linkage: whose row is this? The attacker holds a table with names and some of the released columns.

Every released person is compared with everyone in the attacker's table. With n candidates left the attacker picks one
at random: an expected success of 1 / n if the right one is among them (Sweeney 2002; Dankar and El Emam 2010 for the
averages). Where a column names the truth in both tables it is looked up; else the right ones are assumed to be there,
as many as there are candidates: an upper bound, and never over 1 / k in classes of k. Every subset of the known columns
is tried up to a bound and the worst is reported: an error in one column can hide a person from who knows more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import polars as pl

from anonym.attacks.cover import Known
from anonym.attacks.matching import Columns, Linked, candidates, encode, expected, link, numbered, people, persons
from anonym.attacks.outcome import AttackResult, Counts, Gate, Trial, judge
from anonym.attacks.subgroup import worst_of

SUBSETS = 64  # tried at most: all of up to six columns


@dataclass(frozen=True)
class Tables:
    """What an attack is given. `unit` and `truth` are columns, used in the tables that have them."""

    released: pl.DataFrame
    auxiliary: pl.DataFrame
    known: tuple[Known, ...]
    unit: str | None = None
    truth: str | None = None

    @property
    def has_truth(self) -> bool:
        return self.truth is not None and self.truth in self.released.columns and self.truth in self.auxiliary.columns


@dataclass(frozen=True)
class Found:
    """One subset of columns, linked and counted. `targets` is [person, tuples, candidates, right]."""

    subset: tuple[int, ...]
    linked: Linked
    targets: pl.DataFrame

    @property
    def upper(self) -> float:
        return expected(self.targets)

    @property
    def right(self) -> float:
        return expected(self.targets.filter("right"), is_known=True)


def linkage(
    tables: Tables,
    *,
    gate: Gate | None,
    control: pl.DataFrame | None = None,
    raw: pl.DataFrame | None = None,
    seed: int | None = None,
) -> AttackResult:
    """Link `tables.released` to `tables.auxiliary` by the worst subset of the known columns.

    Targets are the released people, or rows where the release has no unit. `control` holds people who were never
    released: each is looked up in the release and counts 1 / candidates, and whoever has a single one is a false
    accept. `raw` is the table before the release, linked in the same way as the positive control.
    """
    columns = encode(tables.released, tables.auxiliary, tables.known)
    tried = [_try(tables, columns, subset) for subset in subsets(len(tables.known))]
    worst = max(tried, key=lambda found: _score(tables, found))  # the first of equals: the one that knows most
    outside = strangers(tables, worst.subset, control)
    counts = _counts(tables, worst, outside)
    knows = tuple(tables.known[i].name for i in worst.subset)
    detail = {
        **_pairs(worst, tables),
        "subsets": {"tried": len(tried), "possible": 2 ** len(tables.known) - 1},
        "wild_card": _wild_card(tables, columns, worst),
        "worst_subgroup": worst_subgroup(columns, worst.subset, worst.targets, tables),
    }
    positive = before(tables, worst.subset, raw)
    baseline = 1 / others if (others := _population(tables)) else None
    return judge(Trial("linkage", knows, counts, gate, baseline, outside, positive, seed, detail))


def subsets(columns: int, most: int = SUBSETS) -> Iterator[tuple[int, ...]]:
    """All columns, all but one, one, all but two, two, ...: at most `most` of them."""
    sizes = sorted(range(1, columns + 1), key=lambda size: (min(columns - size, size - 0.5), -size))
    tried = 0
    for size in sizes:
        for subset in combinations(range(columns), size):
            if tried == most:
                return
            tried += 1
            yield subset


def _score(tables: Tables, found: Found) -> float:
    return found.right if tables.has_truth else found.upper


def _try(tables: Tables, columns: Columns, subset: tuple[int, ...]) -> Found:
    linked = link(columns, subset)
    return Found(subset, linked, _targets(tables, linked))


def _targets(tables: Tables, linked: Linked) -> pl.DataFrame:
    released = people(linked.released, persons(tables.released, tables.unit))
    auxiliary = people(linked.auxiliary, persons(tables.auxiliary, tables.unit))
    targets = candidates(released, linked.pairs.rename({"released": "target", "auxiliary": "other"}), auxiliary)
    if tables.truth is None or not tables.has_truth:
        return targets.with_columns(right=pl.lit(True))
    return targets.with_columns(right=_right(tables, tables.truth, linked, targets))


def _right(tables: Tables, truth: str, linked: Linked, targets: pl.DataFrame) -> pl.Series:
    """Whether the person whom the truth names is in the target's candidate set: fits all tuples that fit anyone."""
    person = numbered(tables.released, tables.unit)
    left = pl.DataFrame({"person": person, "released": linked.released, "truth": tables.released[truth]})
    right = pl.DataFrame({"auxiliary": linked.auxiliary, "truth": tables.auxiliary[truth]}).unique()
    met = left.join(right, on="truth").join(linked.pairs, on=["released", "auxiliary"], how="semi")
    fits = met.group_by("person").agg(met=pl.col("released").n_unique())
    joined = targets.join(fits, on="person", how="left", maintain_order="left")
    return (joined["met"].fill_null(0) == joined["tuples"]) & (joined["tuples"] > 0)


def _population(tables: Tables) -> int:
    unit = persons(tables.auxiliary, tables.unit)
    return tables.auxiliary.height if unit is None else unit.n_unique()


def _counts(tables: Tables, found: Found, outside: Counts | None) -> Counts:
    targets = found.targets
    false_accepts = outside.false_accepts if outside else None
    if tables.has_truth:
        false_accepts = targets.filter((pl.col("candidates") == 1) & ~pl.col("right")).height
    attempts = targets.filter(pl.col("candidates") > 0).height
    return Counts(targets.height, attempts, _score(tables, found), false_accepts)


# controls ------------------------------------------------------------------------------------------------------------


def looked_up(tables: Tables, subset: Sequence[int]) -> pl.DataFrame:
    """The other direction: [person, tuples, candidates], how many released people each of the attacker's may be."""
    known = tuple(tables.known[i] for i in subset)
    linked = link(encode(tables.released, tables.auxiliary, known), range(len(known)))
    targets = people(linked.auxiliary, persons(tables.auxiliary, tables.unit))
    others = people(linked.released, persons(tables.released, tables.unit))
    return candidates(targets, linked.pairs.rename({"auxiliary": "target", "released": "other"}), others)


def strangers(tables: Tables, subset: Sequence[int], control: pl.DataFrame | None) -> Counts | None:
    """Success on people who were never released. With a truth to look up they cannot be linked rightly.

    None where `control` lacks one of the columns.
    """
    if control is None:
        return None
    known = tuple(tables.known[i].among(control) for i in subset)
    if not all(one.auxiliary in control.columns for one in known):
        return None
    targets = looked_up(Tables(tables.released, control, known, tables.unit), range(len(known)))
    accepted = targets.filter(pl.col("candidates") == 1).height
    return Counts(targets.height, targets.height, 0.0 if tables.has_truth else expected(targets), accepted)


def before(tables: Tables, subset: Sequence[int], raw: pl.DataFrame | None) -> float | None:
    """The rate on the table as it was before: its own columns, linked to the same attacker's table."""
    if raw is None or not all(tables.known[i].name in raw.columns for i in subset) or not raw.height:
        return None
    known = tuple(tables.known[i].before(tables.known[i].name) for i in subset)
    itself = Tables(raw, tables.auxiliary, known, tables.unit, tables.truth)
    found = _try(itself, encode(raw, tables.auxiliary, known), tuple(range(len(known))))
    return _score(itself, found) / found.targets.height


# what else is shown --------------------------------------------------------------------------------------------------


def _pairs(found: Found, tables: Tables) -> dict[str, Any]:
    targets, linked = found.targets, found.linked
    matched = targets.filter(pl.col("candidates") > 0).height
    shown = {
        "pairs": int(targets["candidates"].sum()),
        "released_with_match": matched,
        "not_attackable": targets.height - matched,  # by this key: a null, or nobody fits
        "unique_match_forward": targets.filter(pl.col("candidates") == 1).height,
        "pinned_both_ways": _pinned(tables, linked, targets),
        "expected_correct_upper": found.upper,
        "rate_upper": found.upper / targets.height if targets.height else None,
    }
    if tables.has_truth:
        shown["expected_truly_correct"] = found.right
        shown["true_rate"] = found.right / targets.height if targets.height else None
    return shown


def _pinned(tables: Tables, linked: Linked, targets: pl.DataFrame) -> int:
    """Released people with one candidate, who in turn may be nobody else."""
    pairs = linked.pairs
    released = people(linked.released, persons(tables.released, tables.unit))
    auxiliary = people(linked.auxiliary, persons(tables.auxiliary, tables.unit))
    back = candidates(auxiliary, pairs.rename({"auxiliary": "target", "released": "other"}), released)
    alone = auxiliary.join(back.filter(pl.col("candidates") == 1), on="person", how="semi")
    single = released.join(targets.filter(pl.col("candidates") == 1), on="person", how="semi")
    met = single.join(pairs, left_on="tuple", right_on="released")
    return met.join(alone, left_on="auxiliary", right_on="tuple", how="semi")["person"].n_unique()


def _wild_card(tables: Tables, columns: Columns, found: Found) -> dict[str, Any] | None:
    """A null taken for any value, for those only whom the strict join matched with nobody: it can only add.

    None where no column of the subset has a null: the strict join says everything.
    """
    if not any(len(columns.null_cells[i]) or len(columns.null_values[i]) for i in found.subset):
        return None
    wild = _targets(tables, link(columns, found.subset, wild=True))
    rest = wild.join(found.targets.filter(pl.col("candidates") == 0), on="person", how="semi")
    more = expected(rest.filter("right"), is_known=tables.has_truth)
    correct = _score(tables, found) + more
    return {
        "attempts_more": rest.filter(pl.col("candidates") > 0).height,
        "rate": correct / found.targets.height if found.targets.height else None,
    }


def worst_subgroup(
    columns: Columns, subset: Sequence[int], targets: pl.DataFrame, tables: Tables
) -> dict[str, Any] | None:
    """The released value of one known column whose people fare worst, of those with enough people; unnamed."""
    unit = persons(tables.released, tables.unit)
    inside = 1.0 if tables.has_truth else pl.min_horizontal(1, pl.col("candidates") / pl.col("sharing"))
    is_right = pl.col("right") & (pl.col("candidates") > 0)
    scored = targets.select("person", success=pl.when(is_right).then(inside / pl.col("candidates")).otherwise(0.0))
    groups = {columns.known[i].name: people(columns.released[str(i)], unit).rename({"tuple": "group"}) for i in subset}
    return worst_of(scored, groups)
