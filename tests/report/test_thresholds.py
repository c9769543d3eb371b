"""Every key that a policy may limit has a figure in the evidence, and is judged on the right side of its limit."""

from __future__ import annotations

from typing import Any

import pytest
from golden.report import examples

from anonym.policy.schema import AttackLimitShape, ThresholdsShape
from anonym.report import thresholds
from anonym.report.ci import render_junit
from anonym.report.difference import weaker
from anonym.report.evidence import complete
from anonym.report.gates import gates
from anonym.report.html import render
from anonym.report.summary import lines


def limited(limits: dict[str, float]) -> dict[str, Any]:
    return examples.signed() | {"thresholds": {key: {"limit": limit} for key, limit in limits.items()}}


def test_policy_and_evidence_know_the_same_measures() -> None:
    assert set(ThresholdsShape.model_fields) == {*thresholds.MEASURES, "attacks"}
    assert list(AttackLimitShape.model_fields) == ["rate", "advantage"]
    for key, shape in ThresholdsShape.model_fields.items():
        if key != "attacks":
            assert thresholds.MEASURES[key].least == str(shape.description).endswith("at least"), key


@pytest.mark.parametrize("key", [*thresholds.MEASURES, "attacks.linkage.rate", "attacks.linkage.advantage"])
def test_a_figure_holds_up_to_its_limit_and_not_beyond(key: str) -> None:
    found = complete(limited({key: 0.5}))["thresholds"][key]["found"]
    if found is None:
        assert complete(limited({key: 0.5}))["thresholds"][key]["holds"] is None
        return
    least = thresholds.measure(key).least
    for nudge, holds in ((0.0, True), (1e-6, not least), (-1e-6, least)):
        judged = complete(limited({key: found + nudge}))["thresholds"][key] if found + nudge >= 0 else {"holds": holds}
        assert judged["holds"] is holds, (key, found, nudge)


def test_figures_are_those_of_the_evidence() -> None:
    evidence = complete(examples.signed())
    known = {key: thresholds.measure(key).of(evidence) for key in thresholds.MEASURES}
    assert known["loss"] == evidence["loss"]["ncp"]
    assert known["column_loss"] == max(column["loss"] or 0 for column in evidence["columns"])
    assert known["suppressed_group"] == max(
        group["rate"] or 0 for group in evidence["suppression"]["groups"] if not group.get("rest")
    )
    [linkage] = [one for one in evidence["attacks"] if one["name"] == "linkage"]
    assert thresholds.measure("attacks.linkage.rate").of(evidence) == linkage["high"]
    assert thresholds.measure("attacks.linkage.advantage").of(evidence) == linkage["advantage"]


def test_an_attack_that_was_not_run_or_was_too_weak_has_no_figure() -> None:
    facts: Any = limited({"attacks.uniqueness.rate": 0.5, "attacks.linkage.rate": 0.5})
    for one in facts["attacks"]:
        one["verdict"] = "too_weak"
    assert {part["found"] for part in complete(facts)["thresholds"].values()} == {None}


def test_a_limit_that_is_gone_or_looser_is_weaker() -> None:
    before = complete(limited({"loss": 0.5, "k_if_known": 4, "highest_risk": 0.2}))
    after = complete(limited({"loss": 0.6, "k_if_known": 3}))
    said = [one for one in weaker(before, after) if one.startswith("threshold")]
    assert sorted(said) == [
        "threshold highest_risk: 0.2, now none",
        "threshold k_if_known: 4, now 3",
        "threshold loss: 0.5, now 0.6",
    ]
    assert not [one for one in weaker(after, before) if one.startswith("threshold")]
    assert ("thresholds", "2 of 2 hold") in list(lines(complete(limited({"loss": 0.6, "highest_risk": 1}))))
    some = complete(limited({"loss": 0.6, "attacks.row order.rate": 1}))
    assert ("thresholds", "1 of 2 hold, 1 not measured") in list(lines(some))


def test_a_threshold_that_does_not_hold_is_a_reason_a_gate_and_a_row_of_the_page() -> None:
    evidence = complete(limited({"loss": 0.01, "attacks.copies.rate": 0.5}))
    assert evidence["verdict"]["holds"] is False
    assert evidence["verdict"]["reasons"][0].startswith("threshold loss: loss (NCP): 0.")
    judged = {gate.name: gate.held for gate in gates(evidence) if gate.rule == "threshold"}
    assert judged == {"threshold loss": False, "threshold attacks.copies.rate": None}
    assert 'type="threshold"' in render_junit(evidence)
    assert "≤ 0.0100" in render(evidence)
