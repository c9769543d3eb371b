"""The verdict says what was measured, never more; the limits follow from what was done."""

from __future__ import annotations

import re
from typing import Any

import pytest
from golden.report import examples
from golden.report.examples import EXAMPLES

from anonym.report import limits
from anonym.report.evidence import complete, dump
from anonym.report.html import render
from anonym.report.summary import render_markdown, render_text


def verdict(facts: Any) -> Any:
    return complete(facts)["verdict"]


def test_a_policy_without_review_is_a_draft() -> None:
    assert verdict(examples.tickets())["sentence"].startswith("Draft policy, not reviewed")
    assert render_text(complete(examples.tickets())).startswith("Draft policy, not reviewed")
    assert "Draft" not in verdict(examples.signed())["sentence"]


def test_text_without_recall_says_so() -> None:
    assert verdict(examples.tickets())["sentence"].endswith("; text: recall not measured.")
    assert "recall" not in verdict(examples.signed())["sentence"]
    assert "recall" not in verdict(examples.plain_table())["sentence"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_no_page_calls_data_anonymous(name: str) -> None:
    evidence = complete(EXAMPLES[name]())
    for text in (dump(evidence), render(evidence), render_text(evidence), render_markdown(evidence)):
        assert not re.search(r"\banonym(ous|ised|ized)\b", text, re.IGNORECASE)


def test_holding_names_the_figures() -> None:
    said = verdict(examples.signed())["sentence"]
    assert said == (
        "The promise holds on the written file: every profile has at least 11 units of customer_id (10 required), "
        "at least 4 distinct values of topic (3 required) and t of topic at most 0.1715 (0.2 allowed)."
    )


def test_what_holds_over_several_files_is_not_said_of_one() -> None:
    facts = examples.signed()
    facts["batch"] = {"kind": "union", "files": 2, "rows": 9, "sha256": ["0" * 64, "1" * 64]}
    together = "together with 2 files released before"
    evidence = complete(facts)
    assert evidence["verdict"]["sentence"].startswith(f"The promise holds on the written file {together}: every")
    assert "with 2 files released before" in render_text(evidence)
    page = render(evidence)
    assert f"recomputed from the written file {together} by" in page
    assert f"rows on average, in this release {together}." in page


def test_every_failure_is_a_reason() -> None:
    found = verdict(examples.refused())
    assert found["holds"] is False
    assert found["reasons"] == [
        "k is 1 where 10 is required, in 12 classes",
        "l of topic is (c 7.25, l 2) where (c 3, l 2) is required, in 3 classes",
        "t of topic is 0.2001 where at most 0.2 is allowed, in 2 classes",
        "410 rows were suppressed, more than the limit of 2 % allows",
        "verification: k recomputed: 12 classes below 10 units",
        "attack linkage: success 34 %, over its threshold",
    ]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("guarantee.k.achieved", 9),
        ("guarantee.l.topic.achieved", 2),
        ("guarantee.t.topic.achieved", 0.2 + 2e-9),
        ("suppression.rows", 81),
        ("verification.checks.0.held", False),
        ("recall", {"documents": 1, "overall": None, "entities": {}, "required": 0.95, "holds": False}),
        ("verdict", {"holds": False}),
    ],
)
def test_each_single_failure_is_enough(path: str, value: Any) -> None:
    facts = examples.signed()
    place: Any = facts
    *parents, last = path.split(".")
    for key in parents:
        place = place[int(key) if key.isdigit() else key]
    if path == "recall":
        value = value | {"overall": facts["recall"]["overall"]}
    place[last] = value
    assert verdict(facts)["holds"] is False


def test_distances_and_entropy_hold_within_a_billionth_and_counts_exactly() -> None:
    facts = examples.signed()
    facts["guarantee"]["t"]["topic"]["achieved"] = 0.2 + 5e-10
    facts["guarantee"]["l"]["topic"] |= {"kind": "entropy", "achieved": 3 - 5e-10}
    assert verdict(facts)["holds"] is True
    facts["guarantee"]["l"]["topic"] |= {
        "kind": "recursive",
        "required": {"c": 3, "l": 2},
        "achieved": {"c": 3, "l": 2},
    }
    assert verdict(facts)["holds"] is False


def test_a_file_checked_alone_claims_only_what_was_checked() -> None:
    evidence = complete(examples.checked())
    assert evidence["verdict"]["holds"] is True
    assert "at least 12 rows (10 required)" in evidence["verdict"]["sentence"]
    assert evidence["verdict"]["sentence"].endswith("text: recall not measured.")
    assert any(said.startswith("Units were not checked") for said in evidence["limits"])
    assert "Released: 3,921 rows" in render(evidence)


def test_a_promise_that_was_not_measured_does_not_hold() -> None:
    facts = examples.checked()
    facts["guarantee"]["t"]["topic"]["achieved"] = None
    assert verdict(facts)["holds"] is None
    assert "Part of what was promised was not measured" in verdict(facts)["sentence"]


def test_the_callers_reasons_stand_for_the_computed_ones() -> None:
    facts = examples.refused() | {"verdict": {"holds": False, "reasons": ["k over units: required 10, reached 1"]}}
    assert verdict(facts)["reasons"] == ["k over units: required 10, reached 1"]


def test_nothing_to_judge_is_no_pass() -> None:
    for name, words in (("empty", "No row was released"), ("text_only", "asks for no guarantee")):
        found = verdict(EXAMPLES[name]())
        assert found["holds"] is None
        assert words in found["sentence"]


def test_the_limits_that_k_l_and_t_always_have() -> None:
    for name in ("tickets", "signed", "plain_table", "refused", "wide"):
        said = complete(EXAMPLES[name]())["limits"]
        assert {limits.COMPOSITION, limits.MINIMALITY, limits.INFERENCE} <= set(said)
        assert any("Released untouched" in sentence for sentence in said) or name == "plain_table"


def test_limits_follow_from_the_facts() -> None:
    draft, signed = complete(examples.tickets())["limits"], complete(examples.signed())["limits"]
    assert limits.ATTACKS in draft
    assert limits.ATTACKS not in signed
    assert limits.TRAINING in draft
    assert limits.TRAINING not in signed
    assert any("recall was not measured" in said for said in draft)
    assert not any("recall was not measured" in said for said in signed)
    assert any("k falls below 10" in said and "topic (classes down to 1)" in said for said in draft)
    assert any("the same in every release of the project" in said for said in draft)
    assert not any("No unit is named" in said for said in draft)


def test_limits_of_a_table_without_unit_in_input_order() -> None:
    said = " ".join(complete(examples.plain_table())["limits"])
    assert "k counts rows" in said
    assert "Rows keep the order of the input" in said
    assert "budget in seconds" in said


def test_limits_of_a_linkable_release_and_unchecked_units() -> None:
    facts = examples.tickets()
    facts["guarantee"]["k"] |= {"linkable": "the task needs histories", "counted": "rows"}
    said = " ".join(complete(facts)["limits"])
    assert "the task needs histories" in said
    assert "Units were not checked" in said


def test_limits_of_text_without_names_or_identifiers() -> None:
    said = " ".join(complete(examples.text_only())["limits"])
    assert "only rules and patterns" in said
    assert "identifiers were not scrubbed" in said
    assert "3 texts could not be processed" in said
    assert "nothing keeps a released row from being linked" in said
