"""The JSON Schema is the shipped one, is valid, and agrees with the loader on every policy that the tests know."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, FormatChecker

from anonym.hierarchy.packs import pack_names
from anonym.io.source import TYPES
from anonym.policy.faults import shaped
from anonym.policy.plain import Plain, jsonable
from anonym.policy.schema import InputShape, PolicyShape, json_schema, text
from anonym.policy.shape import Shape
from anonym.policy.yaml_reader import read
from anonym.rules import rules_folder

HERE = Path(__file__).parent


def sibling(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"policy_{name}", HERE / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


VALIDATOR = Draft202012Validator(json_schema(), format_checker=FormatChecker())
KNOWN = sibling("test_bad_policies")


def test_the_shipped_file_is_up_to_date() -> None:
    path = rules_folder() / "policy.schema.json"
    assert path.read_text(encoding="utf-8") == text(), "write anonym.policy.schema.text() to rules/policy.schema.json"


def test_the_reference_lists_every_taxonomy_and_every_kind_of_surrogate() -> None:
    shapes = json_schema()["$defs"]
    told = shapes["TaxonomyShape"]["properties"]["taxonomy"]["description"]
    assert tuple(told.removeprefix("one of ").split(", ")) == pack_names()
    kinds = shapes["SurrogateShape"]["properties"]["kind"]
    assert kinds["description"] == "the kind of value: " + ", ".join(kinds["enum"])


def test_it_is_a_valid_schema_of_its_draft() -> None:
    schema = json_schema()
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(schema)


def test_the_example_of_the_reference_is_valid() -> None:
    example = read((HERE / "design.yaml").read_bytes()).value
    assert not list(VALIDATOR.iter_errors(jsonable(example)))
    assert set(example) == set(PolicyShape.model_fields), "the example shows every section"


def _properties(schema: Any, where: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, part in schema.get("$defs", {}).items():
        yield from _properties(part, name)
    for key, part in schema.get("properties", {}).items():
        yield f"{where}.{key}", part


def test_every_key_has_a_title_and_a_description() -> None:
    for where, part in _properties(json_schema()):
        assert part["title"] == where.rpartition(".")[2]
        assert len(part["description"]) > 10, where


def test_every_mapping_is_described_and_closed() -> None:
    for name, part in json_schema()["$defs"].items():
        assert part["description"], name
        assert part["additionalProperties"] is False, name


def test_no_default_is_null_or_a_number_in_quotes() -> None:
    for where, part in _properties(json_schema()):
        assert part.get("default", 0) is not None, where
        if part.get("type") in ("number", "integer"):
            assert isinstance(part.get("default", 0), int | float), where


def _shapes(shape: type[Shape]) -> Iterator[type[Shape]]:
    for sub in shape.__subclasses__():
        yield sub
        yield from _shapes(sub)


def test_required_keys_say_what_they_are() -> None:
    for shape in _shapes(Shape):
        for name, field in shape.model_fields.items():
            assert field.description, f"{shape.__name__}.{name}"


def test_the_types_of_input_columns_are_those_that_can_be_read() -> None:
    _, kind = get_args(InputShape.model_fields["types"].annotation)
    assert set(get_args(get_args(kind)[0])) == set(TYPES)


def agree(content: bytes) -> None:
    """Schema and loader call the same documents well shaped."""
    document = read(content)
    plain = Plain()
    data = plain.read(document.value)
    if document.findings or plain.findings or not isinstance(data, dict):
        return
    by_loader = not shaped(data).findings
    by_schema = VALIDATOR.is_valid(jsonable(data))
    assert by_schema == by_loader


@pytest.mark.parametrize("content", [case[0] for case in KNOWN.ONE_FAULT], ids=lambda part: None)
def test_schema_and_loader_agree_on_bad_policies(content: str) -> None:
    agree(content.encode())


@pytest.mark.parametrize("path", sorted((rules_folder() / "policies").glob("*.yaml")), ids=lambda path: path.stem)
def test_schema_and_loader_agree_on_shipped_policies(path: Path) -> None:
    agree(path.read_bytes())


VALUES = st.sampled_from(
    [None, True, 0, 1, -1, 0.5, 2, "none", "auto", "suppress", "drop", "pseudonym", "env:K", "2020-01-01", "x", ""]
)
KEYS = st.sampled_from(
    sorted({name for shape in _shapes(Shape) for name in shape.model_fields} | {"colum", "intervall", "x"})
)
PARTS = st.recursive(
    VALUES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
ROLES = st.sampled_from(["quasi", "sensitive", "identifier", "text", "keep", "drop", "quazi"])
COLUMNS = st.builds(
    lambda role, rest: {"role": role} | rest,
    ROLES,
    st.dictionaries(KEYS, PARTS, max_size=3),
)


@settings(deadline=None)
@given(
    st.builds(
        lambda columns, rest: {"anonym": 1, "columns": columns} | rest,
        st.dictionaries(st.sampled_from(["a", "b", "a*"]), COLUMNS | PARTS, max_size=3),
        st.dictionaries(KEYS, PARTS, max_size=3),
    )
)
def test_schema_and_loader_agree_on_any_mapping(data: dict[str, Any]) -> None:
    agree(json.dumps(data).encode())


EXAMPLE = jsonable(read((HERE / "design.yaml").read_bytes()).value)


def _places(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*above, key)
        yield from _places(item, (*above, key))


@settings(deadline=None)
@given(st.sampled_from(list(_places(EXAMPLE))), PARTS, st.none() | KEYS)
def test_schema_and_loader_agree_on_the_example_with_one_part_replaced(
    place: tuple[Any, ...], part: Any, key: str | None
) -> None:
    changed = json.loads(json.dumps(EXAMPLE))
    parent = changed
    for step in place[:-1]:
        parent = parent[step]
    if key is None or not isinstance(parent, dict):
        parent[place[-1]] = part
    else:
        parent[key] = parent.pop(place[-1])
    agree(json.dumps(changed).encode())
