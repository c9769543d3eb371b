"""Keys from policy to release: who has the same token as whom, and that two keys' tokens are never mixed."""

from __future__ import annotations

from itertools import product
from typing import Any

import polars as pl
import pytest

import anonym
from anonym.errors import CallError, PolicyError
from anonym.report.evidence import validate

OLD, NEW = "o" * 40, "n" * 40


@pytest.fixture
def keyed(policy: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setenv("KEY_A", OLD)
    policy["columns"]["id"] = {"role": "identifier", "action": "pseudonym", "key": "env:KEY_A", "scope": "project"}
    policy["search"] = {"strategy": "global"}
    return policy


def tokens(policy: dict[str, Any], table: pl.DataFrame) -> list[str]:
    return anonym.apply({**policy, "order": "keep"}, table).data.collect()["id"].to_list()


def with_tokens(**parts: Any) -> dict[str, Any]:
    return {
        "anonym": 1,
        "columns": {"id": {"role": "identifier", "action": "pseudonym", "key": "env:KEY_A", **parts}},
    }


@pytest.mark.parametrize(("key", "domain", "scope", "value"), list(product([False, True], repeat=4)))
def test_the_same_token_exactly_when_everything_agrees(
    monkeypatch: pytest.MonkeyPatch, key: bool, domain: bool, scope: bool, value: bool
) -> None:
    monkeypatch.setenv("KEY_A", OLD)
    [one] = tokens(with_tokens(domain="person", scope="project"), pl.DataFrame({"id": ["ann"]}))
    monkeypatch.setenv("KEY_A", OLD if key else NEW)
    again = with_tokens(domain="person" if domain else "firm", scope="project" if scope else "release")
    [two] = tokens(again, pl.DataFrame({"id": ["ann" if value else "bob"]}))
    assert (one == two) is (key and domain and scope and value)


def test_tokens_of_a_release_are_new_every_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY_A", OLD)
    table = pl.DataFrame({"id": ["ann"]})
    assert tokens(with_tokens(), table) != tokens(with_tokens(), table)


def test_a_new_key_gives_new_tokens_and_a_new_key_id(
    monkeypatch: pytest.MonkeyPatch, keyed: dict[str, Any], table: pl.DataFrame
) -> None:
    before = anonym.apply(keyed, table)
    monkeypatch.setenv("KEY_A", NEW)
    after = anonym.apply(keyed, table)
    ids = [release.evidence["columns"][0]["key_id"] for release in (before, after)]
    assert ids[0] != ids[1]
    assert not set(before.data.collect()["id"]) & set(after.data.collect()["id"])


def test_a_batch_under_another_key_is_refused(
    monkeypatch: pytest.MonkeyPatch, keyed: dict[str, Any], table: pl.DataFrame
) -> None:
    first = anonym.apply(keyed, table)
    assert first.plan is not None
    assert list(first.plan.keys) == ["id"]
    batch = table.sample(fraction=1, shuffle=True, seed=1)
    same = anonym.apply(keyed, batch, plan=first.plan).data.collect()
    assert set(same["id"]) <= set(first.data.collect()["id"])
    monkeypatch.setenv("KEY_A", NEW)
    with pytest.raises(CallError, match="the key of id is not the one of the plan's release") as caught:
        anonym.apply(keyed, batch, plan=first.plan)
    assert NEW not in str(caught.value)


def test_tokens_of_one_release_need_no_lasting_key(
    monkeypatch: pytest.MonkeyPatch, keyed: dict[str, Any], table: pl.DataFrame
) -> None:
    keyed["columns"]["id"]["scope"] = "release"
    first = anonym.apply(keyed, table)
    assert first.plan is not None
    assert first.plan.keys == {}
    monkeypatch.setenv("KEY_A", NEW)
    assert anonym.apply(keyed, table, plan=first.plan).data.collect().height


TWO_KEYS = {
    "one domain": ({"domain": "person"}, {"domain": "person"}, True),
    "the name of the other column": ({}, {"domain": "a"}, True),
    "domains of their own": ({}, {}, False),
    "different domains": ({"domain": "person"}, {"domain": "firm"}, False),
}


@pytest.mark.parametrize("case", TWO_KEYS)
def test_one_domain_has_one_key(case: str) -> None:
    one, two, refused = TWO_KEYS[case]
    token = {"role": "identifier", "action": "pseudonym"}
    columns = {"a": token | {"key": "env:KEY_A"} | one, "b": token | {"key": "env:KEY_B"} | two}
    if not refused:
        anonym.Policy.load({"anonym": 1, "columns": columns})
        return
    with pytest.raises(PolicyError) as caught:
        anonym.Policy.load({"anonym": 1, "columns": columns})
    assert [fault.path for fault in caught.value.faults] == ["columns.b.key"]


def test_the_same_person_has_one_token_in_two_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY_A", OLD)
    people, orders = pl.DataFrame({"id": ["ann", "bob"]}), pl.DataFrame({"buyer": ["bob", "ann", "bob"]})
    policy = with_tokens(domain="person", scope="project")
    other = {"anonym": 1, "columns": {"buyer": policy["columns"]["id"]}}
    ann, bob = tokens(policy, people)
    assert anonym.apply({**other, "order": "keep"}, orders).data.collect()["buyer"].to_list() == [bob, ann, bob]


def test_surrogates_that_two_values_share_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY_A", OLD)
    policy = {
        "anonym": 1,
        "columns": {"id": {"role": "identifier", "action": "surrogate", "kind": "first_name", "key": "env:KEY_A"}},
    }
    names = pl.DataFrame({"id": [f"Name{i}" for i in range(2000)]})
    release = anonym.apply(policy, names)
    counts = release.evidence["columns"][0]["surrogates"]
    released = release.data.collect()["id"]
    assert counts == {"shared": int(released.is_duplicated().sum()), "redrawn": 0, "tokens": 0}
    assert counts["shared"] > 0
    assert validate(dict(release.evidence)) == []
