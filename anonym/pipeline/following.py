"""What a report says that follows from its policy, its plan, and other numbers in it: no table is read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anonym.attacks.interval import clopper_pearson
from anonym.attacks.outcome import advantage
from anonym.pipeline.solve import suppression_limit
from anonym.policy.model import Policy
from anonym.report.evidence import VERSION
from anonym.search.plan import Plan

Facts = Mapping[str, Any]
ROUNDED = 1e-8  # figures computed from such as are kept to nine digits


def following(evidence: Facts, policy: Policy, plan: Path) -> dict[str, Any]:
    """The part of the evidence that has to be so, given the rest; names of attacks only say which a figure is of."""
    found: dict[str, Any] = {
        "schema": VERSION,
        "input": {"unit": policy.unit},
        "output": {"order": policy.order},
        "suppression": _suppression(evidence, policy),
        "loss": _loss(evidence),
        "attacks": [_attack(one) for one in evidence["attacks"]],
        "later": [{"attacks": list(map(_attack, run["attacks"]))} for run in evidence.get("later", ())],
    }
    if evidence["recall"] is not None:
        found["recall"] = _rates(evidence["recall"])
    if evidence["search"] is not None and plan.is_file():
        found["search"] = _planned(Plan.load(plan.read_text(encoding="utf-8")))
    return found


def _suppression(evidence: Facts, policy: Policy) -> dict[str, Any]:
    part, rows = evidence["suppression"], evidence["input"]["rows"]
    groups = [{"rate": _share(one["rows"], one.get("of"))} for one in part["groups"]]
    found: dict[str, Any] = {"groups": groups}
    if part.get("units") is not None:
        found["units_rate"] = _share(part["units"], evidence["input"]["units"])
    if policy.guarantee is not None and part.get("limit_rows") is not None and rows is not None:
        limit = policy.guarantee.suppression
        found |= {"limit": float(limit), "limit_rows": suppression_limit(policy, rows)}
        found["action"] = policy.guarantee.action
    return found


def _loss(evidence: Facts) -> dict[str, Any]:
    """C_AVG, and the mean of what the columns lose."""
    average, k = evidence["classes"]["average"], evidence["guarantee"]["k"]
    if evidence["search"] is None or average is None or not (k and k["required"]):
        return {}
    lost = [column["loss"] for column in evidence["columns"] if column["loss"] is not None]
    mean = {"ncp": sum(lost) / len(lost)} if lost and evidence["input"]["rows"] else {}
    return _near(evidence["loss"], {"average_class_size": average / k["required"], **mean})


def _attack(one: Facts) -> dict[str, Any]:
    """Rate, interval and advantage, from counts."""
    found: dict[str, Any] = {"name": one["name"]}
    if one["rate"] is not None and one["targets"]:
        rate = one["correct"] / one["targets"]
        low, high = clopper_pearson(one["correct"], one["targets"]) if rate <= 1 else (None, None)
        found |= {"rate": rate, "low": low, "high": high}
    detail = one["detail"] if isinstance(one["detail"], dict) else {}
    if isinstance(control := detail.get("control"), dict):
        found["control"] = _share(control.get("correct"), control.get("targets"))
    return _near(one, found | {"advantage": advantage(one["rate"], one["control"])})


def _rates(part: Facts) -> dict[str, Any]:
    """The rate of every proportion in a part of the evidence."""
    if "found" in part and "of" in part:
        return {"rate": _share(part["found"], part["of"])}
    return {key: _rates(one) for key, one in part.items() if isinstance(one, Mapping)}


def _near(reported: Facts, found: dict[str, Any]) -> dict[str, Any]:
    """The reported figure where it is the one found but for the rounding of what it was computed from."""
    return {
        key: reported[key] if isinstance(value, float) and _is_near(reported[key], value) else value
        for key, value in found.items()
    }


def _is_near(one: float | None, other: float) -> bool:
    return one is not None and math.isclose(one, other, rel_tol=ROUNDED, abs_tol=ROUNDED)


def _share(count: float | None, of: float | None) -> float | None:
    return None if count is None or not of else count / of


def _planned(plan: Plan) -> dict[str, Any]:
    levels = {column.name: column.level for column in plan.columns}
    return {"strategy": plan.strategy, "levels": None if None in levels.values() else levels}
