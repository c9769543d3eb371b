"""Every question of the table is answered from the evidence, and never better than the evidence is."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import yaml
from golden.report import examples
from golden.report.examples import EXAMPLES

from anonym.report import regulators
from anonym.report.evidence import complete
from anonym.report.html import render
from anonym.report.summary import render_markdown
from anonym.rules import rules_folder

WANTED = ["WP29", "EDPB", "800-188", "800-226", "27559", "Safe Harbor", "Expert Determination", "AML.T0137", "LLM02"]
WANTED += ["SI-19", "ICO"]


def answer(evidence: Any, framework: str, asks: str) -> regulators.Answer:
    return next(
        one
        for named, found in regulators.answers(evidence)
        if framework in named.name
        for one in found
        if asks in one.question.asks
    )


def test_every_framework_is_there_with_its_source() -> None:
    names = [one.name for one in regulators.frameworks()]
    for wanted in WANTED:
        assert any(wanted in name for name in names), wanted
    assert all(one.url.startswith("https://") and one.questions for one in regulators.frameworks())


def test_the_data_name_nothing_unknown_and_every_measure_is_asked_for() -> None:
    content = yaml.safe_load((rules_folder() / "regulators.yaml").read_text(encoding="utf-8"))
    items = [item for one in content["frameworks"] for item in one["items"]]
    assert {name for item in items for name in item.get("by", ())} == set(regulators.MEASURES)
    assert {name for item in items for name in item.get("told", ())} == set(regulators.DECLARED)
    with pytest.raises(KeyError, match="nonsense"):
        regulators._question({"asks": "?", "by": ["nonsense"]})


def test_nothing_but_hashes_is_covered_by_evidence_of_nothing() -> None:
    facts = examples.infeasible() | {"threat_model": {}, "columns": [], "text": {}, "verification": {"checks": []}}
    facts["guarantee"] = {"k": None, "l": {}, "t": {}}
    facts["suppression"] |= {"rows": None, "rate": None}
    facts["policy"]["reviewed"] = None
    found = [one for _, some in regulators.answers(complete(facts)) for one in some]
    assert {one.status for one in found} == {"measured", "not covered"}
    assert all("SHA-256" in said for one in found for said in one.found)
    assert all(one.lacking for one in found if one.status == "not covered")


def test_a_number_stands_beside_measured_and_goes_when_the_measure_goes() -> None:
    evidence = complete(examples.signed())
    said = answer(evidence, "WP29", "Linkability")
    assert said.status == "measured"
    assert "linkage 2.1 %" in "; ".join(said.found)
    facts = examples.signed()
    facts["attacks"] = []
    facts["guarantee"]["k"]["profiles"] = None
    without = answer(complete(facts), "WP29", "Linkability")
    assert without.status == "not covered"
    assert "linkage attack" in without.lacking


def test_an_attack_too_weak_to_tell_measures_nothing() -> None:
    facts = examples.signed()
    facts["attacks"] = [one | {"verdict": "too_weak"} for one in facts["attacks"]]
    assert answer(complete(facts), "ICO", "could look up").status == "declared by the user"


def test_without_an_identifier_column_no_search_for_identifiers_was_made() -> None:
    facts: Any = examples.signed()
    facts["verification"]["checks"] = [{"name": "dropped columns", "held": True, "detail": "0 of 4 are there"}]
    assert (
        answer(complete(facts), "800-53", "named elements").found[0].startswith("3 identifier columns; 1 of 1 search")
    )
    for column in facts["columns"]:
        column["role"] = "drop" if column["role"] == "identifier" else column["role"]
    assert "search for identifiers" in answer(complete(facts), "800-53", "named elements").lacking


def test_recall_and_epsilon() -> None:
    signed, draft = complete(examples.signed()), complete(examples.tickets())
    assert "text recall 97" in answer(signed, "Safe Harbor", "free text").found[0]
    assert "text recall" in answer(draft, "Safe Harbor", "free text").lacking
    assert answer(signed, "800-226", "ε and δ").status == "measured"
    assert answer(draft, "800-226", "ε and δ").status == "not covered"


def test_what_is_declared_is_said_to_be_declared() -> None:
    evidence = complete(examples.tickets())
    assert answer(evidence, "ICO", "intruder and motive").status == "declared by the user"
    assert answer(evidence, "EDPB", "somebody answers").status == "not covered"
    assert answer(complete(examples.signed()), "EDPB", "somebody answers").status == "declared by the user"


@pytest.mark.parametrize("name", EXAMPLES)
def test_page_and_markdown_have_every_question(name: str) -> None:
    evidence = complete(EXAMPLES[name]())
    before = copy.deepcopy(evidence)
    page, words = render(evidence), render_markdown(evidence)
    assert "What regulators ask" in page
    assert all(one.name in words.replace("\\", "") for one in regulators.frameworks())
    assert sum(regulators.totals(evidence).values()) == sum(len(one.questions) for one in regulators.frameworks())
    assert evidence == before


def test_nowhere_is_it_found_that_data_are_anonymous() -> None:
    for name, facts in EXAMPLES.items():
        for _, found in regulators.answers(complete(facts())):
            assert not any("anonymous" in said for one in found for said in one.found), name
