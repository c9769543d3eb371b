"""Linkage through row order: does a row's place in the release tell its place in the table it was made of?

The attacker walks both files from the top and takes each released row for the first of the next few original rows that
it covers, so that suppressed rows are stepped over. In a release that kept its order this finds every row; in a
shuffled one no more than in the same release shuffled again, which is the control.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from anonym.attacks.linkage import Tables
from anonym.attacks.matching import encode, link
from anonym.attacks.outcome import AttackResult, Counts, Gate, Trial, judge

AHEAD = 16  # original rows looked at for each released one


def order(tables: Tables, *, gate: Gate | None, seed: int, targets: int) -> AttackResult:
    """Align the first `targets` released rows with `tables.auxiliary`, the original in its own order.

    With `tables.truth` a pair is right if both rows have the same; without it every covering pair counts, which is why
    only the advantage over the shuffled control says something.
    """
    linked = link(encode(tables.released, tables.auxiliary, tables.known), range(len(tables.known)))
    fits: dict[int, set[int]] = {}
    for left, right in linked.pairs.iter_rows():
        fits.setdefault(left, set()).add(right)
    rows, originals = linked.released.to_numpy(), linked.auxiliary.to_numpy()
    shuffled = np.random.default_rng([seed, 0x0DE5]).permutation(len(rows))
    tried = min(targets, len(rows))
    found = _walk(rows[:tried], originals, fits)
    chance = _walk(rows[shuffled[:tried]], originals, fits)
    right, by_chance = (_right(tables, *pairs) for pairs in ((np.arange(tried), found), (shuffled[:tried], chance)))
    detail = {"matched": int((found >= 0).sum()), "matched_by_chance": int((chance >= 0).sum()), "ahead": AHEAD}
    wrong = int((found >= 0).sum()) - right if tables.has_truth else None
    counts, control = Counts(tried, tried, right, wrong), Counts(tried, tried, by_chance)
    knows = ("order of the rows", *(known.name for known in tables.known))
    return judge(Trial("row order", knows, counts, gate, None, control, 1.0 if tried else None, seed, detail))


def _walk(
    rows: np.ndarray[tuple[int], np.dtype[np.uint32]],
    originals: np.ndarray[tuple[int], np.dtype[np.uint32]],
    fits: dict[int, set[int]],
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """For each released tuple the place of the original row taken for it, -1 for none."""
    taken, at = np.full(len(rows), -1, np.int64), 0
    for i, row in enumerate(rows.tolist()):
        covered = fits.get(row, ())
        place = next((j for j in range(at, min(at + AHEAD, len(originals))) if int(originals[j]) in covered), None)
        if place is not None:
            taken[i], at = place, place + 1
    return taken


def _right(
    tables: Tables, rows: np.ndarray[tuple[int], np.dtype[np.int64]], taken: np.ndarray[tuple[int], np.dtype[np.int64]]
) -> int:
    met = taken >= 0
    if tables.truth is None or not tables.has_truth:
        return int(met.sum())
    ours = tables.released[tables.truth].gather(pl.Series(rows[met]))
    theirs = tables.auxiliary[tables.truth].gather(pl.Series(taken[met]))
    return int((ours == theirs).sum())
