"""Membership by distance: whoever lies closer to a released row than people who were never released is taken for one.

The attacker knows the columns of a person and asks whether that person is in the release. The threshold is chosen on
one half of the people and of the control, where it separates them best, and judged on the other halves (Yeom et al.
2018, with the distance to the closest record as the score).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.attacks.linkage import Tables
from anonym.attacks.matching import groups, numbered
from anonym.attacks.neighbours import nearest_to
from anonym.attacks.outcome import AttackResult, Counts, Gate, Trial, judge
from anonym.attacks.subgroup import worst_of

Floats = NDArray[np.float64]
STRANGERS = 0.9  # taken for members, at most: near 1 the advantage, a share of what is left, says nothing
POSITIVE = 1_000  # people of either kind for the positive control: raw tables have as many groups as rows


def membership(
    tables: Tables, control: pl.DataFrame, *, gate: Gate | None, seed: int, raw: pl.DataFrame | None = None
) -> AttackResult:
    """Tell the people in `tables.auxiliary`, who are in the release, from those in `control`, who are not.

    Of a person with several rows the closest counts. `raw` is the table before the release: nobody lies closer than
    a member there, so the same attack on it is the positive control.
    """
    names = [known.auxiliary for known in tables.known]
    members, fresh = (numbered(frame, tables.unit).to_numpy() for frame in (tables.auxiliary, control))
    both = pl.concat([tables.auxiliary.select(names), control.select(names)], how="vertical_relaxed")
    distance = nearest_to(tables.released, both, tables.known, tables.auxiliary).distance
    inside = _closest(distance[: len(members)], members)
    outside = _closest(distance[len(members) :], fresh)
    threshold, halves = _calibrated(inside, outside, seed)
    counts, others = _accepted(inside[halves[0]], threshold), _accepted(outside[halves[1]], threshold)
    detail = {
        "threshold": float(threshold) if np.isfinite(threshold) else None,
        "median_distance": {"members": _median(inside), "control": _median(outside)},
        "calibrated_on": [len(inside) - counts.targets, len(outside) - others.targets],
        "worst_subgroup": _worst(tables, inside, halves[0], threshold),
    }
    positive = _positive(tables, raw, both, (members, fresh), seed) if raw is not None else None
    knows = tuple(known.name for known in tables.known)
    counts = Counts(counts.targets, counts.attempts, counts.correct, int(others.correct))
    without = {"baseline": "guessing without the release takes members and strangers alike: the control is that rate"}
    return judge(Trial("membership by distance", knows, counts, gate, None, others, positive, seed, detail, without))


def _closest(distance: Floats, people: NDArray[np.uint32]) -> Floats:
    """The least distance of each person."""
    least = np.full(int(people.max()) + 1 if len(people) else 0, np.inf)
    np.minimum.at(least, people, distance)
    return least


def _calibrated(inside: Floats, outside: Floats, seed: int) -> tuple[float, tuple[NDArray[Any], NDArray[Any]]]:
    """The threshold that separates the first halves best, and who is in the second halves; -inf, which takes nobody for
    a member, where none separates them."""
    generator = np.random.default_rng([seed, 0xD157])
    first, second = zip(*(_halves(len(side), generator) for side in (inside, outside)), strict=True)
    tried = np.unique(np.concatenate([[-np.inf], inside[first[0]], outside[first[1]]]))
    sides = zip((inside, outside), first, strict=True)
    shares = [np.searchsorted(np.sort(side[half]), tried, "right") / max(1, len(half)) for side, half in sides]
    gains = np.where(shares[1] <= STRANGERS, shares[0] - shares[1], -np.inf)
    return float(tried[int(np.argmax(gains))]), (second[0], second[1])


def _halves(people: int, generator: np.random.Generator) -> tuple[NDArray[Any], NDArray[Any]]:
    order = generator.permutation(people)
    return order[: people // 2], order[people // 2 :]


def _accepted(distance: Floats, threshold: float) -> Counts:
    return Counts(len(distance), len(distance), int((distance <= threshold).sum()))


def _median(distance: Floats) -> float | None:
    return float(np.median(distance)) if len(distance) and np.isfinite(distance).all() else None


def _worst(tables: Tables, inside: Floats, judged: NDArray[Any], threshold: float) -> dict[str, Any] | None:
    success = pl.DataFrame({"person": judged, "success": (inside[judged] <= threshold).astype(np.float64)})
    columns = {known.name: [known.auxiliary] for known in tables.known}
    return worst_of(success.cast({"person": pl.UInt32}), groups(tables.auxiliary, columns, tables.unit))


def _positive(
    tables: Tables, raw: pl.DataFrame, both: pl.DataFrame, people: Sequence[NDArray[np.uint32]], seed: int
) -> float | None:
    if not {known.name for known in tables.known} <= set(raw.columns):
        return None
    known = tuple(one.before(one.name) for one in tables.known)
    rows = [side < POSITIVE for side in people]
    distance = nearest_to(raw, both.filter(pl.Series(np.concatenate(rows))), known, tables.auxiliary).distance
    members, fresh = (side[chosen] for side, chosen in zip(people, rows, strict=True))
    inside = _closest(distance[: len(members)], members)
    outside = _closest(distance[len(members) :], fresh)
    threshold, halves = _calibrated(inside, outside, seed)
    return _accepted(inside[halves[0]], threshold).rate
