"""Nothing that is given as a policy makes loading fail otherwise than by PolicyError."""

from __future__ import annotations

import datetime
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.errors import PolicyError
from anonym.policy import Policy, explain
from anonym.policy.load import parse

DESIGN = (Path(__file__).parent / "design.yaml").read_text(encoding="utf-8")
WORDS = sorted(set(re.findall(r"[a-z_]+", re.sub(r"#.*", "", DESIGN))))

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.decimals()
    | st.text(max_size=8)
    | st.sampled_from(WORDS)
    | st.dates()
    | st.datetimes()
    | st.binary(max_size=3)
    | st.just(10**400)
)
KEYS = st.text(max_size=8) | st.sampled_from(WORDS) | st.integers() | st.none()
NESTED = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


def attempt(read: Callable[[Any], Policy], source: Any) -> None:
    """Read `source` as a policy: either it is one, and can be explained, or PolicyError says why not."""
    refused: PolicyError | None = None
    try:
        explain(read(source))
    except PolicyError as error:
        refused = error
    if refused is not None:
        assert refused.faults
        assert refused.__cause__ is None


@settings(deadline=None)
@given(NESTED)
def test_any_nested_structure(source: Any) -> None:
    attempt(Policy.load, source if isinstance(source, dict) else {"anonym": 1, "columns": source})


@settings(deadline=None)
@given(
    st.dictionaries(st.text(max_size=5), NESTED, max_size=3),
    st.dictionaries(st.sampled_from(WORDS), NESTED, max_size=4),
)
def test_any_content_of_known_sections(columns: dict[str, Any], rest: dict[str, Any]) -> None:
    attempt(Policy.load, {"anonym": 1, "columns": columns} | rest)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_policy_with_any_part_of_it_replaced(data: st.DataObject) -> None:
    """The reference's example, with one place after the other put in disorder."""
    import yaml

    policy: Any = yaml.safe_load(DESIGN)
    for _ in range(data.draw(st.integers(1, 3))):
        place, key = policy, None
        while isinstance(place, dict | list) and place and (key is None or data.draw(st.booleans())):
            keys = list(place) if isinstance(place, dict) else range(len(place))
            parent, key = place, data.draw(st.sampled_from(keys))
            place = place[key]
        if key is not None:
            parent[key] = data.draw(NESTED)
    attempt(Policy.load, policy)


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes(content: bytes) -> None:
    attempt(parse, content)


@settings(deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 6))
def test_the_example_with_characters_changed(seed: int, changes: int) -> None:
    dice = random.Random(seed)
    content = bytearray(DESIGN.encode())
    for _ in range(changes):
        at = dice.randrange(len(content))
        content[at : at + dice.randrange(3)] = bytes(dice.choices(b"{}[]:,&*!'\"\n -x09.\\#", k=dice.randrange(3)))
    attempt(parse, bytes(content))


def test_dates_of_any_kind_are_no_reason_to_fail() -> None:
    for value in (datetime.date(1, 1, 1), datetime.datetime(2020, 1, 1), datetime.timedelta(1)):
        columns = {"a": {"role": "quasi", "top": value}}
        attempt(Policy.load, {"anonym": 1, "columns": columns, "guarantee": {"k": value}})
