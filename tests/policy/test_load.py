"""Good policies, and what becomes of each part of them."""

from __future__ import annotations

import datetime
import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from decimal import Decimal
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pytest
import yaml

from anonym.attacks.options import Match
from anonym.columns.identifiers import DropColumn, Key, Pseudonym, Redact
from anonym.criteria import DistinctL, EntropyL, RecursiveL, TCloseness
from anonym.errors import PolicyError
from anonym.hierarchy.model import (
    Breaks,
    Dates,
    FileHierarchy,
    Identity,
    Interval,
    Prefix,
    Rounded,
    Suppress,
)
from anonym.policy import Policy
from anonym.policy.model import Drop, Guarantee, Identifier, Keep, Quasi, Review, Role, SearchOptions, Sensitive, Text
from anonym.rules import rules_folder
from anonym.text.options import TextOptions

Load = Callable[[str], Policy]

DESIGN = (Path(__file__).parent / "design.yaml").read_text(encoding="utf-8")
"""The example of the policy reference, word for word."""


def column(load: Load, text: str) -> Role:
    return load(f"anonym: 1\ncolumns: {{q: {{role: quasi}}, c: {text}}}\nguarantee: {{k: 2}}").columns["c"]


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("{role: keep}", Keep()),
        ("{role: keep, allow_unique: public already}", Keep("public already")),
        ("{role: drop}", Drop()),
        ("{role: text}", Text()),
        ("{role: identifier}", Identifier(DropColumn())),
        ("{role: identifier, action: drop}", Identifier(DropColumn())),
        ("{role: identifier, action: redact}", Identifier(Redact())),
        (
            "{role: identifier, action: pseudonym, key: env:ANONYM_KEY, domain: person, scope: project}",
            Identifier(Pseudonym(Key("env:ANONYM_KEY"), "person", "project")),
        ),
        ("{role: identifier, action: pseudonym, key: file:key.txt}", Identifier(Pseudonym(Key("file:key.txt")))),
        ("{role: sensitive}", Sensitive()),
        ("{role: sensitive, l: {distinct: 3}}", Sensitive(DistinctL(3))),
        ("{role: sensitive, l: {entropy: 2.5}}", Sensitive(EntropyL(2.5))),
        ("{role: sensitive, l: {recursive: {c: 2.6, l: 3}}}", Sensitive(RecursiveL(2.6, 3))),
        ("{role: sensitive, t: {max: 0.2}}", Sensitive(None, TCloseness(0.2))),
        (
            "{role: sensitive, t: {max: 0, distance: ordered, order: [no, on, '3']}}",
            Sensitive(None, TCloseness(0.0, "ordered", ("no", "on", "3"))),
        ),
        ("{role: quasi}", Quasi()),
        ("{role: quasi, hierarchy: none}", Quasi(Identity())),
        ("{role: quasi, hierarchy: suppress, coarsest: 0}", Quasi(Suppress(), coarsest=0)),
        ("{role: quasi, hierarchy: {interval: [5, 10, 20]}}", Quasi(Interval((Decimal(5), Decimal(10), Decimal(20))))),
        ("{role: quasi, hierarchy: {interval: [0.1, 0.3]}}", Quasi(Interval((Decimal("0.1"), Decimal("0.3"))))),
        ("{role: quasi, hierarchy: {breaks: [18, 30.5]}}", Quasi(Breaks(((Decimal(18), Decimal("30.5")),)))),
        (
            "{role: quasi, hierarchy: {breaks: [[1, 2, 3], [1, 3], [3]]}}",
            Quasi(Breaks(((Decimal(1), Decimal(2), Decimal(3)), (Decimal(1), Decimal(3)), (Decimal(3),)))),
        ),
        ("{role: quasi, hierarchy: {prefix: [5, 3, 1]}, finest: 4}", Quasi(Prefix((5, 3, 1)), finest=4)),
        ("{role: quasi, hierarchy: {date: [day, month, decade]}}", Quasi(Dates(("day", "month", "decade")))),
        ("{role: quasi, hierarchy: {round: [2, 0, -2]}}", Quasi(Rounded((2, 0, -2)))),
        ("{role: quasi, hierarchy: {round: 1}}", Quasi(Rounded((1,)))),
        ("{role: quasi, top: 90, bottom: 17.5}", Quasi(top=Decimal(90), bottom=Decimal("17.5"))),
        (
            "{role: quasi, hierarchy: {date: [year]}, top: 2020-12-31}",
            Quasi(Dates(("year",)), top=datetime.date(2020, 12, 31)),
        ),
        ("{role: quasi, weight: 2, form: bounds, uncovered: top}", Quasi(weight=2.0, form="bounds", uncovered="top")),
        ("{role: quasi, normalise: [trim, nfkc]}", Quasi(normalise=("trim", "nfkc"))),
    ],
)
def test_columns(load: Load, text: str, role: Role) -> None:
    found = column(load, text)
    assert found == role
    if isinstance(found, Quasi):
        assert type(found.top) is type(role.top)  # type: ignore[union-attr]


def test_hierarchy_files_start_at_the_policys_folder(load: Load, folder: Path) -> None:
    role = column(load, "{role: quasi, hierarchy: {file: education.csv}}")
    assert role == Quasi(FileHierarchy(folder / "education.csv"))


def test_the_rest_of_a_policy(load: Load) -> None:
    policy = load("""
        anonym: 1
        name: tickets
        reviewed: {by: "J. Doe", date: 2026-11-30}
        input: {separator: ";", encoding: cp1252, null_values: ["", NA], types: {zip: str}}
        unit: who
        columns: {who: {role: identifier}, zip: {role: quasi}, note: {role: text}}
        unlisted: drop
        guarantee: {k: 10, suppression: {max: 0.02, action: drop}, linkable: null}
        search: {strategy: global, budget: {nodes: 500}}
        text: {language: de, packs: [default], ner: none, secrets: false, replace: mask, also_from: [who]}
        threat_model: {attacker: anyone}
        order: keep
        seed: 7
    """)
    assert policy.name == "tickets"
    assert policy.reviewed == Review("J. Doe", datetime.date(2026, 11, 30))
    assert (policy.input.separator, policy.input.encoding) == (";", "cp1252")
    assert (policy.input.null_values, policy.input.types) == (("", "NA"), {"zip": "str"})
    assert policy.unit == "who"
    assert policy.unlisted == "drop"
    assert policy.guarantee == Guarantee(10, Decimal("0.02"), "drop", None)
    assert policy.search == SearchOptions("global", "loss", ("nodes", 500))
    assert policy.text == TextOptions("de", ("default",), None, (), "mask", ("who",))
    assert policy.threat_model == {"attacker": "anyone"}
    assert (policy.order, policy.seed) == ("keep", 7)


def test_what_is_absent_has_its_default(load: Load) -> None:
    policy = load("anonym: 1\ncolumns: {a: {role: drop}}")
    bare = Policy(policy.name, {"a": Drop()}, base=policy.base, sha256=policy.sha256, raw=policy.raw)
    assert policy == bare
    assert policy.guarantee is None


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("default", "default"),
        ("thorough", "thorough"),
        ("{tries: 3}", ("tries", 3)),
        ("{nodes: 4}", ("nodes", 4)),
        ("{seconds: 5}", ("seconds", 5)),
    ],
)
def test_budgets(load: Load, text: str, budget: Any) -> None:
    assert load(f"anonym: 1\ncolumns: {{a: {{role: drop}}}}\nsearch: {{budget: {text}}}").search.budget == budget


@pytest.mark.parametrize(("text", "columns"), [("none", ()), ("[]", ()), ("[a]", ("a",))])
def test_also_from(load: Load, text: str, columns: tuple[str, ...]) -> None:
    policy = load(f"anonym: 1\ncolumns: {{a: {{role: drop}}}}\ntext: {{also_from: {text}}}")
    assert policy.text.also_from == columns


def test_a_share_is_the_decimal_that_was_printed(load: Load) -> None:
    text = "anonym: 1\ncolumns: {{q: {{role: quasi}}}}\nguarantee: {{k: 2, suppression: {{max: {}}}}}"
    for printed in ("0.29", "1.0e-6", "0.1000000000000000055511151231257827"):
        guarantee = load(text.format(printed)).guarantee
        assert guarantee is not None
        assert guarantee.suppression == Decimal(printed)
    # 0.29 as a binary float is 0.28999999999999998, and of 100 rows it would allow 28
    guarantee = Policy.load(
        {"anonym": 1, "columns": {"q": {"role": "quasi"}}, "guarantee": {"k": 2, "suppression": {"max": 0.29}}}
    ).guarantee
    assert guarantee is not None
    assert int(guarantee.suppression * 100) == 29


def test_words_of_yaml_1_1_stay_words(load: Load) -> None:
    policy = load("anonym: 1\nname: on\ncolumns: {no: {role: drop}, off: {role: keep}, 2020: {role: keep}}")
    assert policy.name == "on"
    assert list(policy.columns) == ["no", "off", "2020"]


def test_a_file_gives_folder_and_name(folder: Path) -> None:
    path = folder / "my-policy.yaml"
    path.write_text("anonym: 1\ncolumns: {e: {role: quasi, hierarchy: {file: education.csv}}}\nguarantee: {k: 2}")
    for source in (path, str(path)):
        policy = Policy.load(source)
        assert policy.base == folder
        assert policy.name == "my-policy"
        assert policy.columns["e"] == Quasi(FileHierarchy(folder / "education.csv"))


def test_a_relative_path_gives_the_same_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "p.yaml").write_text("anonym: 1\ncolumns: {a: {role: drop}}")
    monkeypatch.chdir(folder)
    assert Policy.load("p.yaml").base == folder


def test_a_mapping_starts_at_the_working_directory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    columns = {"e": {"role": "quasi", "hierarchy": {"file": PurePosixPath("education.csv")}}}
    policy = Policy.load({"anonym": 1, "columns": columns, "guarantee": {"k": 2}})
    assert policy.base == Path.cwd()
    assert policy.columns["e"] == Quasi(FileHierarchy(Path.cwd() / "education.csv"))


def test_a_mapping_may_hold_what_python_writes() -> None:
    policy = Policy.load(
        {
            "anonym": np.int64(1),
            "reviewed": {"by": "J", "date": datetime.date(2026, 11, 30)},
            "columns": {"q": {"role": "quasi", "hierarchy": {"interval": (np.float64(0.1), Decimal("0.2"), 1)}}},
            "guarantee": {"k": 5, "suppression": {"max": 0.05}},
        }
    )
    assert policy.columns["q"] == Quasi(Interval((Decimal("0.1"), Decimal("0.2"), Decimal(1))))
    assert policy.raw["reviewed"]["date"] == "2026-11-30"
    assert policy.raw["columns"]["q"]["hierarchy"]["interval"] == [0.1, 0.2, 1]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("data.csv", "data.csv is a table by its ending: the policy comes first"),
        ("no-such-file.yaml", "no-such-file.yaml cannot be read: No such file"),
        (".", "cannot be read: Is a directory"),
        ("a\0b", "not a path"),
        ("anonym: 1\ncolumns: {}", "text of several lines"),
        (None, "found nothing"),
        (12, "found a whole number"),
        (["a"], "found a list"),
        (b"anonym: 1", "found something else"),
        ({"anonym": 1, "columns": {1: {"role": "keep"}}}, "columns: expected keys of text, found a whole number"),
        ({"anonym": 1, "columns": {"a": {"role": object()}}}, "columns.a.role: expected text, a number"),
        ({"anonym": 1, "columns": {"a": {"role": datetime.datetime(2020, 1, 1)}}}, "columns.a.role: expected text"),
        ({"anonym": float("nan"), "columns": {"a": {"role": "drop"}}}, "anonym: expected a finite number"),
        ({"anonym": 1, "columns": {"a": {"role": "drop"}}, "seed": 10**5000}, "seed: expected a finite number"),
        ({"anonym": 1, "columns": {"a": {"role": "drop"}}, "name": "\ud800"}, "name: expected valid Unicode text"),
        ({"anonym": 1, "columns": {"\0quasi": {"role": "drop"}}}, "columns: expected keys of valid Unicode text"),
    ],
    ids=lambda part: None,
)
def test_sources_that_are_no_policy(source: Any, words: str) -> None:
    with pytest.raises(PolicyError) as caught:
        Policy.load(source)
    assert words in str(caught.value)
    assert caught.value.status == 2


def test_a_mapping_that_holds_itself_is_refused() -> None:
    circle: dict[str, Any] = {"anonym": 1}
    circle["columns"] = circle
    with pytest.raises(PolicyError, match="levels of nesting"):
        Policy.load(circle)


def test_a_mapping_that_shares_parts_without_end_is_refused() -> None:
    part: list[Any] = ["x"] * 9
    for _ in range(9):
        part = [part] * 9
    with pytest.raises(PolicyError, match="values"):
        Policy.load({"anonym": 1, "columns": part})


def test_a_python_tag_does_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "p.yaml"
    path.write_text("columns: !!python/object/apply:os.system ['touch ./made']\n")
    with pytest.raises(PolicyError, match="a tag"):
        Policy.load(path)
    assert os.listdir(tmp_path) == ["p.yaml"]


def test_the_hash_is_of_what_was_parsed_whatever_the_order_and_style(load: Load) -> None:
    text = "anonym: 1\nname: x\ncolumns:\n  a: {role: keep}\n  b: {role: quasi, weight: 0.5}\nguarantee: {k: 2}\n"
    other = '{guarantee: {"k": 2}, columns: {b: {weight: .50, role: "quasi"}, a: {role: keep}}, name: x, anonym: 1}'
    policy = load(text)
    assert load(other).sha256 == policy.sha256
    assert Policy.load(yaml.safe_load(text)).sha256 == policy.sha256
    assert load(text.replace("k: 2", "k: 3")).sha256 != policy.sha256
    canonical = json.dumps(policy.raw, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert policy.sha256 == hashlib.sha256(canonical.encode()).hexdigest()


def test_what_was_parsed_is_kept_without_defaults_and_apart_from_the_source() -> None:
    source: dict[str, Any] = {"anonym": 1, "columns": {"a": {"role": "drop"}}}
    policy = Policy.load(source)
    source["columns"]["a"]["role"] = "keep"
    assert policy.raw == {"anonym": 1, "columns": {"a": {"role": "drop"}}}


def test_a_policy_is_frozen(load: Load) -> None:
    with pytest.raises(FrozenInstanceError):
        load("anonym: 1\ncolumns: {a: {role: drop}}").seed = 3  # type: ignore[misc]


def test_the_example_of_the_reference_is_read_whole(load: Load) -> None:
    policy = load(DESIGN)
    assert len(policy.columns) == 15
    country, salary = policy.columns["country"], policy.columns["salary"]
    assert isinstance(country, Quasi)
    assert isinstance(country.hierarchy, FileHierarchy)
    assert (country.hierarchy.taxonomy, country.hierarchy.by_prefix) == ("countries", False)
    assert isinstance(salary, Sensitive)
    assert salary.bins == Interval((Decimal(5000),))


@pytest.mark.parametrize("path", sorted((rules_folder() / "policies").glob("*.yaml")), ids=lambda path: path.stem)
def test_shipped_policies_load(path: Path) -> None:
    assert Policy.load(path).columns


def test_attacks_become_gates(load: Load, folder: Path) -> None:
    match = "{age: {column: years, tolerance: 1}, zip: {column: code, edits: 2}}"
    attacks = load(
        f"""
        anonym: 1
        columns: {{age: {{role: quasi}}, zip: {{role: quasi}}, dx: {{role: sensitive}}}}
        guarantee: {{k: 5}}
        attacks: {{linkage: {{auxiliary: voters.parquet, match: {match}, max_risk: 0.1}}, hold_out: 0.1}}
        """
    ).attacks
    assert attacks.linkage is not None
    assert attacks.linkage.auxiliary == folder / "voters.parquet"
    assert attacks.linkage.match == {"age": Match("years", Decimal(1)), "zip": Match("code", edits=2)}
    assert (attacks.hold_out, attacks.max_advantage, bool(attacks)) == (Decimal("0.1"), None, True)
    assert not load("anonym: 1\ncolumns: {a: {role: drop}}").attacks
    by_file = load("anonym: 1\ncolumns: {a: {role: drop}}\nattacks: {control: voters.parquet}").attacks
    assert (by_file.control, bool(by_file)) == (folder / "voters.parquet", True)
