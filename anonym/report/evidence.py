"""Evidence of a run: made complete, checked against its schema, written as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Any, cast

from anonym.errors import InternalError
from anonym.report import limits, schema, thresholds, wording
from anonym.report.counts import Group, class_histogram, protect
from anonym.report.fields import Evidence, Verdict

__all__ = [
    "Evidence",
    "Group",
    "class_histogram",
    "complete",
    "dump",
    "json_schema",
    "plain",
    "protect",
    "reopened",
    "validate",
]

VERSION = "anonym.evidence/1"
SCHEMA_ID = "urn:anonym:evidence:1"
UNJUDGED: Verdict = {"holds": None, "draft": False, "sentence": "", "reasons": []}


@cache
def json_schema() -> dict[str, Any]:
    """The JSON Schema of `anonym.evidence/1`, as shipped in `rules/evidence.schema.json`; not to be changed."""
    return schema.of(Evidence, SCHEMA_ID, VERSION)


def validate(evidence: object) -> list[str]:
    """What departs from the schema, a line each with its path; empty where nothing does."""
    return schema.faults(evidence, json_schema())


def complete(facts: Mapping[str, Any]) -> Evidence:
    """Evidence from the facts of a run: plain JSON types, `holds` of every promise, verdict and limits filled in.

    `limits` of the facts come before the computed ones, `verdict.reasons` stand for the computed ones, and a
    `verdict.holds` of False stays.
    Raises InternalError if the facts depart from the schema, which is a fault of the caller.
    """
    evidence = plain({**facts, "schema": VERSION})
    _require_shape({**evidence, "verdict": UNJUDGED, "limits": []})
    wording.judge_promises(evidence)
    thresholds.judge(evidence)
    evidence["verdict"] = wording.verdict(evidence)
    evidence["limits"] = limits.limits(evidence)
    _require_shape(evidence)
    return cast(Evidence, arranged(evidence, json_schema()))


def reopened(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """The facts that complete evidence was made from, to be added to and completed again.

    Limits and reasons that do not follow from the other facts stay; a verdict that has such reasons does not hold
    whatever is added.
    """
    facts = {key: part for key, part in evidence.items() if key not in ("schema", "verdict", "limits")}
    told = limits.limits({**facts, "limits": []})
    facts["limits"] = [said for said in evidence["limits"] if said not in told]
    reasons = evidence["verdict"]["reasons"]
    if set(reasons) - set(wording.verdict(facts)["reasons"]):
        facts["verdict"] = {"holds": False, "reasons": list(reasons)}
    return {**facts, "environment": dict(facts["environment"])}


def _require_shape(evidence: dict[str, Any]) -> None:
    if found := validate(evidence):
        raise InternalError("the evidence is out of shape: " + "; ".join(found))


def dump(evidence: Mapping[str, Any]) -> str:
    """The report's JSON: fields in the schema's order, other keys sorted, numbers rounded, a newline at the end."""
    return json.dumps(arranged(plain(evidence), json_schema()), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def plain(value: Any) -> Any:
    """The value in JSON's types: 9 significant digits, no infinities nor NaN (null), ISO dates, plain NumPy scalars."""
    if hasattr(value, "item") and not isinstance(value, Mapping):
        value = value.item()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, float):
        return float(f"{value:.9g}") + 0.0 if math.isfinite(value) else None
    return value.isoformat() if isinstance(value, date) else value


def arranged(value: Any, part: schema.Schema, definitions: schema.Schema | None = None) -> Any:
    """The value with its keys in the schema's order, and sorted (numbers by size) where the schema names none."""
    if not isinstance(value, dict | list):
        return value
    definitions = part.get("$defs", {}) if definitions is None else definitions
    part = schema.resolve(part, definitions)
    if "anyOf" in part:
        part = next((one for one in part["anyOf"] if not schema.faults(value, {**one, "$defs": definitions})), {})
        return arranged(value, part, definitions) if part else value
    if isinstance(value, list):
        return [arranged(item, part.get("items", {}), definitions) for item in value]
    named: dict[str, Any] = part.get("properties", {})
    others = sorted((key for key in value if key not in named), key=_key_order)
    order = [name for name in named if name in value] + others
    rest: Any = part.get("additionalProperties") or {}
    return {name: arranged(value[name], named.get(name, rest), definitions) for name in order}


def _key_order(key: str) -> tuple[int, str]:
    return (len(key) if key.isdigit() else 0, key)
