"""The shipped schema is the types', and the own check agrees with a full JSON Schema validator."""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path
from typing import Any

import pytest
from golden.report.examples import EXAMPLES
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from anonym.report.evidence import complete, json_schema, validate

SHIPPED = Path(__file__).parents[2] / "rules" / "evidence.schema.json"
COMPLETE = {name: complete(facts()) for name, facts in EXAMPLES.items()}


def test_the_shipped_schema_is_in_step_with_the_types() -> None:
    text = json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"
    if os.environ.get("ANONYM_WRITE_GOLDEN"):
        SHIPPED.write_text(text, encoding="utf-8")
    assert SHIPPED.read_text(encoding="utf-8") == text


def test_the_schema_is_a_schema_and_every_type_says_what_it_is() -> None:
    schema = json_schema()
    Draft202012Validator.check_schema(schema)
    assert all(one["description"] for one in schema["$defs"].values())


def test_optional_fields_are_optional_and_unknown_ones_refused() -> None:
    column = json_schema()["$defs"]["Column"]
    assert column["required"] == ["name", "role", "action", "form", "loss", "levels"]
    assert column["additionalProperties"] is False


@pytest.mark.parametrize("name", EXAMPLES)
def test_complete_evidence_is_valid(name: str) -> None:
    Draft202012Validator(json_schema()).validate(COMPLETE[name])
    assert validate(COMPLETE[name]) == []


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every path into a JSON value."""
    found = [path] if path else []
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return found + [deeper for key, item in inside for deeper in places(item, (*path, key))]


SOUND = COMPLETE["signed"]
PLACES = places(SOUND)
VALIDATOR = Draft202012Validator(json_schema())
scalars = st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([0.5, 7.25, 2.0, "", "quasi", "x" * 64])
values = scalars | st.lists(scalars, max_size=2) | st.dictionaries(st.sampled_from(["c", "l", "rows"]), scalars)


@settings(deadline=None)
@given(st.sampled_from(PLACES), values, st.sampled_from(["replace", "remove", "add"]))
def test_the_own_check_agrees_with_jsonschema(path: tuple[Any, ...], value: Any, change: str) -> None:
    changed: Any = copy.deepcopy(SOUND)
    parent = changed
    for key in path[:-1]:
        parent = parent[key]
    if change == "replace":
        parent[path[-1]] = value
    elif change == "remove":
        del parent[path[-1]]
    elif isinstance(parent, dict):
        parent["unknown"] = value
    assert bool(validate(changed)) == (not VALIDATOR.is_valid(changed))


def test_a_fault_names_its_path_and_what_was_expected_but_no_value() -> None:
    wrong: Any = copy.deepcopy(SOUND)
    wrong["input"]["rows"] = "secret-value"
    wrong["columns"][3]["role"] = "secret-value"
    wrong["suppression"]["rate"] = 1.5
    wrong["policy"]["sha256"] = "secret-value"
    wrong["extra"] = 1
    del wrong["search"]["why"]
    found = validate(wrong)
    assert len(found) == 6
    assert "input.rows: expected integer or null, found string" in found
    assert "search.why: is missing" in found
    assert any(line.startswith("columns[3].role: expected one of 'quasi'") for line in found)
    assert any(line.startswith("extra: is not known here") for line in found)
    assert "secret-value" not in "".join(found)


def test_numbers_that_json_cannot_hold_are_refused() -> None:
    wrong: Any = copy.deepcopy(SOUND)
    wrong["loss"]["ncp"] = float("nan")
    wrong["loss"]["discernibility"] = float("inf")
    assert len(validate(wrong)) == 2
