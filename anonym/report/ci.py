"""The gates of a run for continuous integration: JUnit XML, and SARIF 2.1.0 (OASIS)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

from anonym.report import figures
from anonym.report.gates import RULES, Gate, gates

Facts = Mapping[str, Any]

SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
# XML 1.0 has no place for these, not even as references.
NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render_junit(evidence: Facts) -> str:
    """One suite: a gate that fails is a failure, one that was required and not measured an error, others are skipped
    where there is no figure to judge."""
    found = gates(evidence)
    name = _xml(evidence["policy"]["name"])
    counts = {
        "tests": str(len(found)),
        "failures": str(sum(gate.held is False for gate in found)),
        "errors": str(sum(gate.held is None and gate.required for gate in found)),
        "skipped": str(sum(gate.held is None and not gate.required for gate in found)),
        "time": "0",
    }
    root = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(root, "testsuite", {"name": f"anonym: {name}", **counts})
    for gate in found:
        _case(suite, gate)
    ElementTree.SubElement(suite, "system-out").text = _xml(evidence["verdict"]["sentence"])
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _case(suite: ElementTree.Element, gate: Gate) -> None:
    given = {"classname": f"anonym.{gate.rule}", "name": _xml(gate.name), "time": "0"}
    case = ElementTree.SubElement(suite, "testcase", given)
    said = _xml(gate.said)
    if gate.held is False:
        ElementTree.SubElement(case, "failure", {"message": said, "type": gate.rule}).text = RULES[gate.rule]
    elif gate.held is None and gate.required:
        ElementTree.SubElement(case, "error", {"message": said, "type": gate.rule}).text = RULES[gate.rule]
    elif gate.held is None:
        ElementTree.SubElement(case, "skipped", {"message": said})
    else:
        ElementTree.SubElement(case, "system-out").text = said


def _xml(said: str) -> str:
    return NO_XML.sub("\ufffd", figures.visible(said))


def render_sarif(evidence: Facts) -> str:
    """A run whose rules are the kinds of gates judged, and whose results are the gates that do not hold.

    A gate that fails is an error, one that was required and not measured a warning, what nobody asked for and nobody
    measured a note. Gates that hold are no results: code-scanning services make an alert of every result.
    """
    found = gates(evidence)
    used = [rule for rule in RULES if any(gate.rule == rule for gate in found)]
    place = _place(evidence)
    log = {
        "$schema": SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "anonym",
                        "version": evidence["environment"].get("versions", {}).get("anonym", "unknown"),
                        "rules": [_rule(rule) for rule in used],
                    }
                },
                "automationDetails": {"id": f"anonym/{evidence['policy']['sha256'][:12]}/"},
                "columnKind": "unicodeCodePoints",
                "results": [_result(gate, used.index(gate.rule), place) for gate in found if gate.held is not True],
                "properties": {"verdict": figures.visible(evidence["verdict"]["sentence"])},
            }
        ],
    }
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _rule(rule: str) -> dict[str, Any]:
    return {
        "id": f"anonym/{rule}",
        "name": "".join(part.capitalize() for part in rule.split("-")),
        "shortDescription": {"text": RULES[rule]},
        "defaultConfiguration": {"level": "error"},
    }


def _result(gate: Gate, index: int, place: str) -> dict[str, Any]:
    return {
        "ruleId": f"anonym/{gate.rule}",
        "ruleIndex": index,
        "kind": "fail",
        "level": "error" if gate.held is False else "warning" if gate.required else "note",
        "message": {"text": figures.visible(f"{gate.name}: {gate.said}")},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": place}, "region": {"startLine": 1}}}],
        "partialFingerprints": {"gate/v1": figures.visible(f"{gate.rule}:{gate.name}")},
    }


def _place(evidence: Facts) -> str:
    """The released file, without its folder, else the report."""
    names = evidence["output"].get("paths") or ["release.report.json"]
    return quote(names[0].encode("utf-8", "replace"))
