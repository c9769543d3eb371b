"""JUnit and SARIF say of every gate what the page says, in forms that others read."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from golden.report import examples
from golden.report.examples import EXAMPLES
from jsonschema import Draft4Validator, FormatChecker, ValidationError

from anonym.report.ci import render_junit, render_sarif
from anonym.report.evidence import complete
from anonym.report.gates import RULES, gates

# SARIF 2.1.0 as SchemaStore publishes it (rtm.5, Apache-2.0), without its descriptions.
SARIF = json.loads((Path(__file__).parent / "sarif-2.1.0-rtm.5.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", EXAMPLES)
def test_sarif_fits_its_schema_and_lists_what_does_not_hold(name: str) -> None:
    evidence = complete(EXAMPLES[name]())
    log = json.loads(render_sarif(evidence))
    Draft4Validator(SARIF, format_checker=FormatChecker()).validate(log)
    run = log["runs"][0]
    open_gates = [gate for gate in gates(evidence) if gate.held is not True]
    assert len(run["results"]) == len(open_gates)
    errors = [one for one in run["results"] if one["level"] == "error"]
    assert len(errors) == sum(gate.held is False for gate in open_gates)
    for one in run["results"]:
        assert run["tool"]["driver"]["rules"][one["ruleIndex"]]["id"] == one["ruleId"]


@pytest.mark.parametrize(
    ("place", "wrong"),
    [
        (("version",), "2.2.0"),
        (("runs", 0, "results", 0, "level"), "fatal"),
        (("runs", 0, "results", 0, "ruleIndex"), -2),
        (("runs", 0, "results", 0, "message"), {}),
        (("runs", 0, "tool", "driver", "unknown"), 1),
        (("runs", 0, "results", 0, "locations", 0, "physicalLocation", "region", "startLine"), 0),
    ],
)
def test_the_schema_refuses_what_sarif_has_not(place: tuple[str | int, ...], wrong: object) -> None:
    log = json.loads(render_sarif(complete(examples.refused())))
    part = log
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = wrong
    with pytest.raises(ValidationError):
        Draft4Validator(SARIF).validate(log)


@pytest.mark.parametrize("name", EXAMPLES)
def test_junit_counts_its_cases(name: str) -> None:
    evidence = complete(EXAMPLES[name]())
    text = render_junit(evidence)
    root = ElementTree.fromstring(text.encode())
    [suite] = root
    cases = suite.findall("testcase")
    assert len(cases) == len(gates(evidence)) == int(root.get("tests", ""))
    for word, element in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert len(suite.findall(f"testcase/{element}")) == int(suite.get(word, "")), word
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]", text)


def test_junit_is_read_by_a_parser_of_others() -> None:
    junitparser = pytest.importorskip("junitparser", reason="junitparser is not installed")
    found = junitparser.JUnitXml.fromstring(render_junit(complete(examples.refused())).encode())
    [suite] = list(found)
    failed = [case for case in suite if case.result and isinstance(case.result[0], junitparser.Failure)]
    assert len(failed) == suite.failures > 0


def test_a_refused_run_fails_with_the_gates_of_its_reasons() -> None:
    evidence = complete(examples.refused())
    failed = [gate for gate in gates(evidence) if gate.held is False]
    assert len(failed) == len(evidence["verdict"]["reasons"])
    assert {gate.rule for gate in failed} >= {"k-anonymity", "suppression"}


def test_a_signed_run_fails_nothing_and_an_inconclusive_attack_is_no_pass() -> None:
    held = {gate.name: gate.held for gate in gates(complete(examples.signed()))}
    assert False not in held.values()
    assert held["linkage"] is True
    assert held["inference of topic"] is None
    assert held["review of the policy"] is True


def test_a_draft_is_a_note_and_recall_not_measured_is_one() -> None:
    results = json.loads(render_sarif(complete(examples.tickets())))["runs"][0]["results"]
    notes = {one["ruleId"] for one in results if one["level"] == "note"}
    assert notes >= {"anonym/review", "anonym/text-recall"}


def test_every_gate_has_a_rule() -> None:
    assert {gate.rule for facts in EXAMPLES.values() for gate in gates(complete(facts()))} <= set(RULES)
