"""Linkage through row order: does a row's place in the release tell its place in the table it was made of?

The attacker walks both files from the top and takes each released row for the first of the next few original rows that
it covers, so that suppressed rows are stepped over. In a release that kept its order this finds every row; in a
shuffled one no more than in the same release shuffled again, which is the control.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.attacks.linkage import Tables
from anonym.attacks.matching import Linked, encode, groups, link, numbered
from anonym.attacks.outcome import AttackResult, Counts, Gate, Trial, judge
from anonym.attacks.subgroup import worst_of

Places = NDArray[np.int64]

AHEAD = 16  # original rows looked at for each released one
WITHOUT = {
    "false_accepts": "no truth was given that tells a wrong pair from a right one",
    "baseline": "a shuffled copy of the release, which is the control, is what guessing finds",
}


def order(tables: Tables, *, gate: Gate | None, seed: int, targets: int) -> AttackResult:
    """Align the first `targets` released rows with `tables.auxiliary`, the original in its own order.

    Counted are their people, found by any of those rows; false accepts are people with only wrong ones.
    With `tables.truth` a pair is right if both rows have the same; without it every covering pair counts, which is why
    only the advantage over the shuffled control says something.
    """
    linked = link(encode(tables.released, tables.auxiliary, tables.known), range(len(tables.known)))
    fits = _fitting(linked)
    rows, originals = linked.released.to_numpy(), linked.auxiliary.to_numpy()
    shuffled = np.random.default_rng([seed, 0x0DE5]).permutation(len(rows))
    tried = min(targets, len(rows))
    found = _walk(rows[:tried], originals, fits)
    chance = _walk(rows[shuffled[:tried]], originals, fits)
    first, others = np.arange(tried), shuffled[:tried]
    is_right, by_chance = _right(tables, first, found), _right(tables, others, chance)
    who = numbered(tables.released, tables.unit).to_numpy()
    right, met = _people(who[first[is_right]]), _people(who[first[found >= 0]])
    detail = {
        "rows": tried,
        "matched": int((found >= 0).sum()),
        "matched_by_chance": int((chance >= 0).sum()),
        "ahead": AHEAD,
        "worst_subgroup": _worst(tables, is_right),
    }
    everyone, drawn = _people(who[first]), _people(who[others])
    counts = Counts(everyone, everyone, right, met - right if tables.has_truth else None)
    control = Counts(drawn, drawn, _people(who[others[by_chance]]))
    knows = ("order of the rows", *(known.name for known in tables.known))
    positive = _positive(tables, tried)
    return judge(Trial("row order", knows, counts, gate, None, control, positive, seed, detail, WITHOUT))


def _people(who: NDArray[np.uint32]) -> int:
    return len(np.unique(who))


def _positive(tables: Tables, tried: int) -> float | None:
    """The rate on the first rows of the original, aligned with itself: what lacks a known value is not found."""
    known = tuple(one.before(one.auxiliary) for one in tables.known)
    itself = Tables(tables.auxiliary.head(tried), tables.auxiliary.head(tried + AHEAD), known, truth=tables.truth)
    linked = link(encode(itself.released, itself.auxiliary, known), range(len(known)))
    rows, originals = linked.released.to_numpy(), linked.auxiliary.to_numpy()
    is_right = _right(itself, np.arange(len(rows)), _walk(rows, originals, _fitting(linked)))
    unit = tables.unit if tables.unit in tables.released.columns else None
    who = numbered(itself.released, unit).to_numpy()
    return _people(who[is_right]) / _people(who) if len(rows) else None


def _fitting(linked: Linked) -> dict[int, set[int]]:
    """The tuples of the original that each released tuple covers."""
    fits: dict[int, set[int]] = {}
    for left, right in linked.pairs.iter_rows():
        fits.setdefault(left, set()).add(right)
    return fits


def _walk(rows: NDArray[np.uint32], originals: NDArray[np.uint32], fits: dict[int, set[int]]) -> Places:
    """For each released tuple the place of the original row taken for it, -1 for none."""
    taken, at = np.full(len(rows), -1, np.int64), 0
    for i, row in enumerate(rows.tolist()):
        covered = fits.get(row, ())
        place = next((j for j in range(at, min(at + AHEAD, len(originals))) if int(originals[j]) in covered), None)
        if place is not None:
            taken[i], at = place, place + 1
    return taken


def _right(tables: Tables, rows: Places, taken: Places) -> NDArray[np.bool_]:
    """Which of the released rows were taken for the right one."""
    met = taken >= 0
    if tables.truth is None or not tables.has_truth:
        return met
    ours = tables.released[tables.truth].gather(pl.Series(rows[met]))
    theirs = tables.auxiliary[tables.truth].gather(pl.Series(taken[met]))
    met[met] = (ours == theirs).fill_null(False).to_numpy()
    return met


def _worst(tables: Tables, is_right: NDArray[np.bool_]) -> dict[str, Any] | None:
    first = tables.released.head(len(is_right))
    rows = pl.DataFrame({"person": numbered(first, tables.unit), "success": is_right.astype(np.float64)})
    success = rows.group_by("person", maintain_order=True).agg(pl.col("success").max())
    return worst_of(success, groups(first, {known.name: known.cells for known in tables.known}, tables.unit))
