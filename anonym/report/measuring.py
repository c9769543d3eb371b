"""k, l and t of a batch, by the code that verifies releases: whether they hold, the figure, and counts beside it.

Nothing holds of a batch without rows: an empty table is what a join leaves that found no partner.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

from anonym.report.batches import Rows
from anonym.verify.facts import Bins, Closeness, Diversity, Facts, IdentifierFact, QuasiFact, SensitiveFact
from anonym.verify.measure import Measured, Reached, measure

Judged = tuple[bool, Any, dict[str, Any]]


def k_of(rows: Rows, k: int, *, linkable: bool) -> Judged:
    """Whether every class (with a unit that recurs: every profile) has k members; k; classes and rows below."""
    measured = _measured(rows, Facts(k=k, linkable=linkable))
    classes, few = measured.below
    details = {"counted": measured.counted, "classes_below": classes, "rows_below": few}
    return measured.k is not None and measured.k >= k, measured.k, details


def l_of(rows: Rows, wanted: Sequence[Any], bins: Sequence[Any] | None) -> Judged:
    """Whether every class is diverse; the worst class's l (recursive: its c); classes and rows that fall short."""
    diversity = cast(Diversity, ("distinct", int(wanted[1])) if wanted[0] == "distinct" else tuple(wanted))
    fact = SensitiveFact("value", diversity, None, _bins(bins))
    [reached] = _measured(rows, Facts(sensitive=(fact,))).diversity
    return _judged(reached)


def t_of(rows: Rows, wanted: Sequence[Any], bins: Sequence[Any] | None) -> Judged:
    """Whether every class is close to all rows; the largest distance; classes and rows that are too far."""
    largest, distance, order, file = wanted
    closeness = Closeness(largest, distance, tuple(order) if order else None, Path(file) if file else None)
    fact = SensitiveFact("value", None, closeness, _bins(bins))
    [reached] = _measured(rows, Facts(sensitive=(fact,))).closeness
    return _judged(reached)


def _judged(reached: Reached) -> Judged:
    achieved = reached.achieved
    shown = None if achieved is None or math.isinf(achieved) else round(achieved, 9)
    holds = achieved is not None and not reached.classes
    return holds, shown, {"classes_below": reached.classes, "rows_below": reached.rows}


def _measured(rows: Rows, facts: Facts) -> Measured:
    has_unit = "unit" in rows.frame.columns
    tokens = (IdentifierFact("unit", True, "pseudonym"),) if has_unit else ()
    promised = Facts(
        quasi=tuple(QuasiFact(name, (name,)) for name in rows.classes),
        sensitive=facts.sensitive,
        identifiers=tokens,
        unit="unit" if has_unit else None,
        linkable=facts.linkable,
        k=facts.k,
    )
    frame = rows.frame.lazy()
    return measure(frame, promised, frame.select("unit") if has_unit else None)


def _bins(bins: Sequence[Any] | None) -> Bins | None:
    return None if bins is None else (bins[0], tuple(Decimal(str(one)) for one in bins[1]))
