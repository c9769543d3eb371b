"""Every gate of a run, one after another: what the policy requires, and whether it holds. CI formats print these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from anonym.report import figures, thresholds, wording
from anonym.report.attacked import attacks_of

Facts = Mapping[str, Any]

RULES: Mapping[str, str] = {
    "k-anonymity": "Every class of the release has at least k members.",
    "l-diversity": "Every class has enough well-represented sensitive values.",
    "t-closeness": "Every class's sensitive values are distributed like those of all released rows.",
    "suppression": "No more rows are suppressed than the policy allows.",
    "verification": "The written file, read back by separate code, is what was promised.",
    "threshold": "What the policy limits beyond its guarantee stays within its limit.",
    "attack": "No attack on the release succeeds beyond its threshold.",
    "text-recall": "The scrubber finds at least the required share of labelled spans.",
    "epsilon": "Private training stays within the policy's ε.",
    "review": "Somebody has reviewed the policy.",
}
"""Rule to what it asks, in the order in which they are printed."""


@dataclass(frozen=True)
class Gate:
    """One gate. `held` is None where nothing was measured or no threshold was given; `required` is then False if the
    policy asks for nothing."""

    rule: str
    name: str
    held: bool | None
    said: str
    required: bool = True


def gates(evidence: Facts) -> list[Gate]:
    """All gates of complete evidence, in the order of `RULES`."""
    parts = (_promised, _suppressed, _verified, _limited, _attacked, _recalled, _trained, _reviewed)
    return [gate for part in parts for gate in part(evidence)]


def _promised(evidence: Facts) -> Iterator[Gate]:
    guarantee, none = evidence["guarantee"], wording.missing(evidence)
    if (k := guarantee["k"]) is not None:
        achieved, required = figures.count(k["achieved"], none), figures.count(k["required"])
        said = f"k {achieved} over {wording.counted(evidence)}, {required} required"
        yield Gate("k-anonymity", "k-anonymity", k["holds"], said)
    for column, part in guarantee["l"].items():
        achieved = none if part["achieved"] is None else wording.diversity(part["achieved"])
        required = wording.diversity(part["required"], achieved=False)
        yield Gate("l-diversity", f"{part['kind']} l of {column}", part["holds"], f"{achieved}, {required} required")
    for column, part in guarantee["t"].items():
        said = f"{figures.at_most(part['achieved'], none)}, {figures.number(part['required'])} allowed"
        yield Gate("t-closeness", f"{part['distance']} t of {column}", part["holds"], said)


def _suppressed(evidence: Facts) -> Iterator[Gate]:
    part = evidence["suppression"]
    if part["limit"] is not None:
        said = f"{figures.share(part['rate'])} of rows, {figures.share(part['limit'])} allowed"
        yield Gate("suppression", "suppression", wording.within_limit(part), said)


def _verified(evidence: Facts) -> Iterator[Gate]:
    for check in evidence["verification"]["checks"]:
        yield Gate("verification", check["name"], check["held"], check["detail"])


def _limited(evidence: Facts) -> Iterator[Gate]:
    for key, part in (evidence.get("thresholds") or {}).items():
        said = thresholds.said(key, part, wording.missing(evidence))
        yield Gate("threshold", f"threshold {key}", part["holds"], said)


def _attacked(evidence: Facts) -> Iterator[Gate]:
    for one in attacks_of(evidence):
        held = {"pass": True, "fail": False}.get(one["verdict"] or "")
        beside = "" if one["control"] is None else f", control {figures.share(one['control'])}"
        said = f"success {figures.share(one['rate'])}{beside}: {(one['verdict'] or 'no threshold').replace('_', ' ')}"
        yield Gate("attack", one["name"], held, said, required=one["verdict"] is not None)


def _recalled(evidence: Facts) -> Iterator[Gate]:
    if not wording.has_text(evidence):
        return
    recall = evidence["recall"]
    if recall is None:
        yield Gate("text-recall", "text recall", None, "not measured", required=False)
        return
    whole, required = recall["overall"], recall.get("required")
    asked = "" if required is None else f", {figures.share(required)} required"
    said = f"{figures.share(whole['rate'])}, at least {figures.share(whole['low'])}{asked}"
    yield Gate("text-recall", "text recall", recall.get("holds"), said, required=required is not None)


def _trained(evidence: Facts) -> Iterator[Gate]:
    part = evidence["training"]
    if part is not None and "limit" in part:
        said = f"{figures.epsilon(part)}, {figures.number(part['limit'])} allowed"
        yield Gate("epsilon", "ε of private training", part["epsilon"] <= part["limit"] + wording.CLOSE, said)


def _reviewed(evidence: Facts) -> Iterator[Gate]:
    review = evidence["policy"]["reviewed"]
    said = f"reviewed by {review['by']}, {review['date']}" if review else "draft policy, not reviewed"
    yield Gate("review", "review of the policy", True if review else None, said, required=False)
