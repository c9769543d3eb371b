"""Minimality of l-diversity: a class was merged because a part of it would not have been diverse, and that tells.

The attacker knows everybody's quasi-identifiers, so who is in each part of a class (the people of one tuple), and that
the parts were merged for want of diversity: of all ways to deal the class's sensitive values out to its people, those
in which every part has l distinct values are ruled out (Wong, Fu, Wang and Pei 2007). Parts of fewer than k people
would have been merged in any case, so a class with one tells nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.attacks.linkage import Tables
from anonym.attacks.matching import encode, link
from anonym.attacks.outcome import AttackResult, Counts, Gate, Trial, judge
from anonym.attacks.subgroup import SUBGROUP

DEALS = 4_000  # ways of dealing the values out, drawn at random for each class
PARTS = 64  # of a class; more are left alone


@dataclass(frozen=True)
class _Class:
    """A released class with its people: of each the part and the true value (-1: not in the class)."""

    sizes: list[int]
    values: NDArray[np.int64]  # of the released rows, numbered
    part: NDArray[np.int64]
    truth: NDArray[np.int64]
    usual: int  # people whose value is the most frequent of the release


WITHOUT = {
    "false_accepts": "a value is guessed of everybody: who is not guessed right is guessed wrong",
    "positive_control": "the table before the release was not merged for diversity: the method tells nothing there",
}


def minimality(tables: Tables, sensitive: str, diverse: int, k: int, *, gate: Gate | None, seed: int) -> AttackResult:
    """Guess the sensitive value of everyone in `tables.auxiliary`, who are the people of the release.

    `diverse` is the l of distinct l-diversity. Targets are the people whom exactly one released class covers. The
    control guesses from the class alone, knowing nothing of the method, the baseline the release's usual value.
    """
    generator = np.random.default_rng([seed, 0x3141])
    targets, told, right, blind, usual = 0, 0, 0.0, 0.0, 0
    worst: dict[str, Any] | None = None
    for one in _classes(tables, sensitive):
        share = np.bincount(one.values) / len(one.values)
        chances = np.tile(share, (len(one.sizes), 1))
        dealt = dealt_out(one.sizes, one.values, diverse, generator) if _tells(one, diverse, k) else None
        told += dealt is not None
        here = _right(chances if dealt is None else dealt, one)
        right += here
        if len(one.part) >= SUBGROUP and (worst is None or here / len(one.part) > worst["rate"]):
            worst = {"column": "class", "targets": len(one.part), "rate": here / len(one.part)}
        blind += _right(chances, one)
        targets, usual = targets + len(one.part), usual + one.usual
    knows = ("the policy and the method", *(known.name for known in tables.known))
    detail = {"classes_that_tell": told, "l": diverse, "k": k, "deals": DEALS, "worst_subgroup": worst}
    counts, control = Counts(targets, targets, right), Counts(targets, targets, blind)
    baseline = usual / targets if targets else None
    name = f"minimality of {sensitive}"
    return judge(Trial(name, knows, counts, gate, baseline, control, None, seed, detail, WITHOUT))


def _classes(tables: Tables, sensitive: str) -> Iterator[_Class]:
    linked = link(encode(tables.released, tables.auxiliary, tables.known), range(len(tables.known)))
    alone = linked.pairs.filter(pl.len().over("auxiliary") == 1)
    truths = pl.DataFrame({"auxiliary": linked.auxiliary, "value": tables.auxiliary[sensitive].cast(pl.String)})
    held = pl.DataFrame({"released": linked.released, "value": tables.released[sensitive].cast(pl.String)})
    people = truths.drop_nulls().join(alone, on="auxiliary")
    first = pl.col("auxiliary").min().over("released")  # by the people, as the order of a release is random
    people = people.with_columns(first=first).sort("first", "auxiliary", "value")
    members = {key[0]: part["value"] for key, part in held.drop_nulls().group_by("released")}
    usual = held["value"].drop_nulls().mode().min()
    for (key,), part in people.group_by("released", maintain_order=True):
        if key in members:
            yield _class(part, members[key], str(usual))


def _class(people: pl.DataFrame, values: pl.Series, usual: str) -> _Class:
    distinct, numbers = np.unique(values.to_numpy(), return_inverse=True)
    number = {value: i for i, value in enumerate(distinct.tolist())}
    part = people["auxiliary"].rle_id().to_numpy().astype(np.int64)
    truth = np.array([number.get(value, -1) for value in people["value"]], np.int64)
    same = int((people["value"] == usual).sum())
    return _Class(np.bincount(part).tolist(), np.sort(numbers).astype(np.int64), part, truth, same)


def _tells(one: _Class, diverse: int, k: int) -> bool:
    is_whole = sum(one.sizes) == len(one.values) and int(one.values.max()) + 1 >= diverse
    return is_whole and 1 < len(one.sizes) <= PARTS and min(one.sizes) >= k


def dealt_out(
    sizes: Sequence[int], values: NDArray[np.int64], diverse: int, generator: np.random.Generator
) -> NDArray[np.float64] | None:
    """(parts, values) chance of each value for someone of each part, given that some part has fewer than `diverse`
    distinct values; by DEALS random deals, None where none of them is so."""
    deals = generator.permuted(np.tile(values, (DEALS, 1)), axis=1)
    ends = np.cumsum([0, *sizes])
    width = int(values.max()) + 1
    counts = np.zeros((DEALS, len(sizes), width), np.int64)
    for i in range(len(sizes)):
        for value in range(width):
            counts[:, i, value] = (deals[:, ends[i] : ends[i + 1]] == value).sum(axis=1)
    fails = ((counts > 0).sum(axis=2) < diverse).any(axis=1)
    if not fails.any():
        return None
    found: NDArray[np.float64] = counts[fails].mean(axis=0) / np.asarray(sizes)[:, None]
    return found


def _right(chances: NDArray[np.float64], one: _Class) -> float:
    """How many are right with the likeliest value of their part, one of equals at random."""
    is_best = chances >= chances.max(axis=1, keepdims=True) - 1e-9
    success = is_best / is_best.sum(axis=1, keepdims=True)
    known = one.truth >= 0
    return float(success[one.part[known], one.truth[known]].sum())
