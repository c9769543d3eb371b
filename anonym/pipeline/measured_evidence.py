"""What the evidence says that was recomputed from a released file."""

from __future__ import annotations

from typing import Any

from anonym.policy.model import Policy
from anonym.report.evidence import class_histogram
from anonym.verify.facts import Facts
from anonym.verify.measure import Measured, Reached


def measured_part(policy: Policy, measured: Measured, facts: Facts) -> dict[str, Any]:
    """What was recomputed from a released file: guarantee, classes, risk."""
    sizes = measured.sizes
    return {
        "guarantee": {
            "k": _k(policy, measured) if facts.k is not None and facts.quasi else None,
            "l": {r.column: _l(r) for r in measured.diversity if r.required is not None},
            "t": {r.column: _t(r) for r in measured.closeness if r.required is not None},
        },
        "classes": {
            "count": sizes.count,
            "average": sizes.average_rows,
            "counted": "rows" if measured.units is None else "units",
            "sizes": class_histogram(
                {members: (count, sizes.rows[members]) for members, count in sizes.histogram.items()}, facts.k or 1
            ),
        },
        "risk": {
            "prosecutor_max": sizes.prosecutor_max,
            "prosecutor_mean": sizes.prosecutor_mean,
            "journalist": None,
            "marketer": sizes.marketer,
        },
    }


def _k(policy: Policy, measured: Measured) -> dict[str, Any]:
    assert policy.guarantee is not None
    return {
        "required": policy.guarantee.k,
        "achieved": measured.k,
        "rows": measured.sizes.k_rows,
        "units": measured.sizes.k_units,
        "profiles": measured.profiles.k if measured.profiles else None,
        "counted": measured.counted,
        "linkable": policy.guarantee.linkable,
        "classes_failing": measured.below[0],
    }


def _l(reached: Reached) -> dict[str, Any]:
    pair = reached.kind == "recursive"
    return {
        "kind": reached.kind,
        "required": {"c": reached.required, "l": reached.l} if pair else reached.required,
        "achieved": {"c": reached.achieved, "l": reached.l} if pair else reached.achieved,
        "classes_failing": reached.classes,
        "holds": _holds(reached),
    }


def _t(reached: Reached) -> dict[str, Any]:
    return {
        "distance": reached.kind,
        "required": reached.required,
        "achieved": reached.achieved,
        "against_input": reached.against_input,
        "moved": reached.moved,
        "classes_failing": reached.classes,
        "holds": _holds(reached),
    }


def _holds(reached: Reached) -> bool | None:
    """Said here, since an infinite measure prints as null; None where nothing was measured."""
    return None if reached.achieved is None else reached.classes == 0
