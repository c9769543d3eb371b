"""Bad policies: every fault with its exact path, once, without the value that is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import yaml

from anonym.errors import PolicyError
from anonym.policy import Policy

Faults = Callable[[str], list[tuple[str, str]]]

HEAD = "anonym: 1\nguarantee: {k: 2}\n"


def column(text: str) -> str:
    return f"{HEAD}columns:\n  q: {{role: quasi}}\n  c: {text}\n"


def quasi(text: str) -> str:
    return column(f"{{role: quasi, {text}}}")


def sensitive(text: str) -> str:
    return column(f"{{role: sensitive, {text}}}")


def section(text: str) -> str:
    return f"{HEAD}columns:\n  q: {{role: quasi}}\n  note: {{role: text}}\n{text}\n"


ONE_FAULT: list[tuple[str, str, str]] = [
    # the whole
    ("columns: {q: {role: drop}}", "anonym", "required: the version of this format, 1"),
    ("anonym: 2\ncolumns: {q: {role: drop}}", "anonym", "expected the number 1"),
    ("anonym: '1'\ncolumns: {q: {role: drop}}", "anonym", "expected the number 1, found text; without the quotes"),
    ("anonym: true\ncolumns: {q: {role: drop}}", "anonym", "expected the number 1, found true or false"),
    ("anonym: 1", "columns", "required: every column of the input"),
    ("anonym: 1\ncolumns: {}", "columns", "expected at least one entry"),
    ("anonym: 1\ncolumns: [a]", "columns", "expected a mapping, found a list"),
    ("anonym: 1\ncolumns:", "columns", "expected a mapping, found nothing"),
    ("- anonym: 1", "", "expected a mapping, found a list"),
    ("anonym", "", "expected a mapping, found text"),
    ("---\n", "", "expected a mapping, found nothing"),
    ("", "", "expected a policy, found an empty file"),
    (section("name: 12"), "name", "found a whole number; put it in quotes"),
    (section("name: ''"), "name", "expected text that is not empty"),
    (section("colums: {}"), "colums", "no such key; known here: anonym, name"),
    (section("serach: {strategy: global}"), "serach", "no such key; did you mean search?"),
    (section("seed: 1.5"), "seed", "expected a whole number from 0"),
    (section("seed: -1"), "seed", "expected a whole number from 0"),
    (section("unlisted: keep"), "unlisted", "expected one of refuse, drop"),
    (section("order: shufle"), "order", "expected one of shuffle, keep; did you mean shuffle?"),
    (section("batch: all"), "batch", "expected one of own, union"),
    (section("unit: nobody"), "unit", "expected a column that is listed under columns"),
    (section("unit: nota"), "unit", "did you mean note?"),
    (section("unit: note"), "unit", "expected a column that is not of role text"),
    (section("reviewed: yes"), "reviewed", "expected a mapping, found text"),
    (section("reviewed: {by: J}"), "reviewed.date", "required: the day of the review"),
    (section("reviewed: {by: J, date: 30.11.2026}"), "reviewed.date", "expected a date written YYYY-MM-DD"),
    (section("reviewed: {by: J, date: 2026-02-30}"), "reviewed.date", "one that exists in the calendar"),
    (section("threat_model: {atacker: x}"), "threat_model.atacker", "did you mean attacker?"),
    # input
    (section("input: {separator: ';;'}"), "input.separator", "expected one character"),
    (section("input: {encoding: klingon}"), "input.encoding", "expected the name of an encoding that Python knows"),
    (section("input: {null_values: NA}"), "input.null_values", "expected a list, found text"),
    (section("input: {null_values: [-999]}"), "input.null_values[0]", "found a whole number; put it in quotes"),
    (section("input: {types: {q: string}}"), "input.types.q", "did you mean str?"),
    (section("input: {types: {z: str}}"), "input.types.z", "expected a column that is listed"),
    # columns and roles
    (column("keep"), "columns.c", "expected a mapping with a role, such as {role: keep}"),
    (column("{}"), "columns.c.role", "required: one of quasi, sensitive, identifier, text, keep, drop"),
    (column("{role: quazi}"), "columns.c.role", "did you mean quasi?"),
    (column("{role: direct}"), "columns.c.role", "expected one of quasi, sensitive"),
    (column("{role: [quasi]}"), "columns.c.role", "found a list"),
    (column("{rol: keep}"), "columns.c.rol", "no such key; did you mean role?"),
    (column("{role: keep, hierarchy: none}"), "columns.c.hierarchy", "it belongs to role quasi"),
    (column("{role: keep, allow_unique: true}"), "columns.c.allow_unique", "found true or false; put it in quotes"),
    (column("{role: keep, allow_uniqe: r}"), "columns.c.allow_uniqe", "did you mean allow_unique?"),
    (column("{role: text, language: en}"), "columns.c.language", "no such key; known here: role"),
    (column("{role: quasi, action: null}"), "columns.c.action", "it belongs to role identifier"),
    (column("{role: quasi, action: hash}"), "columns.c.action", "it belongs to role identifier"),
    (column("{role: drop, action: drop}"), "columns.c.action", "it belongs to role identifier"),
    # identifiers
    (column("{role: identifier, action: hash}"), "columns.c.action", "expected one of drop, redact, pseudonym"),
    (column("{role: identifier, action: pseudonim, key: env:K}"), "columns.c.action", "did you mean pseudonym?"),
    (column("{role: identifier, action: pseudonym}"), "columns.c.key", "required: where the secret key"),
    (column("{role: identifier, action: pseudonym, key: hunter2}"), "columns.c.key", "never written into a policy"),
    (column("{role: identifier, action: pseudonym, key: 'env:'}"), "columns.c.key", "env:NAME or file:PATH"),
    (
        column("{role: identifier, action: pseudonym, key: env:a3f5c81e9b274d06a3f5c81e9b274d06}"),
        "columns.c.key",
        "this looks like a key itself",
    ),
    (column("{role: identifier, key: env:K}"), "columns.c.key", "it belongs to action pseudonym"),
    (
        column("{role: identifier, action: pseudonym, key: env:K, scope: projct}"),
        "columns.c.scope",
        "did you mean project?",
    ),
    # hierarchies
    (quasi("hierarchy: supress"), "columns.c.hierarchy", "did you mean suppress?"),
    (quasi("hierarchy: 5"), "columns.c.hierarchy", "expected a hierarchy: a mapping with one of the keys"),
    (quasi("hierarchy: [5, 10]"), "columns.c.hierarchy", "expected a hierarchy: a mapping with one of the keys"),
    (quasi("hierarchy:"), "columns.c.hierarchy", "expected a hierarchy: a mapping with one of the keys"),
    (quasi("hierarchy: {intervals: [5]}"), "columns.c.hierarchy.intervals", "did you mean interval?"),
    (
        quasi("hierarchy: {interval: [5], prefix: [3]}"),
        "columns.c.hierarchy.prefix",
        "no such key; known here: interval",
    ),
    (quasi("hierarchy: {interval: 5}"), "columns.c.hierarchy.interval", "expected a list, found a whole number"),
    (quasi("hierarchy: {interval: []}"), "columns.c.hierarchy.interval", "expected at least one entry"),
    (
        quasi("hierarchy: {interval: [5, x]}"),
        "columns.c.hierarchy.interval[1]",
        "expected a number above 0 or a length of time such as 15m or 1h30m, found text",
    ),
    (quasi("hierarchy: {interval: [0]}"), "columns.c.hierarchy.interval[0]", "expected a number above 0"),
    (quasi("hierarchy: {interval: [5, 12]}"), "columns.c.hierarchy.interval", "step 2 is not"),
    (quasi("hierarchy: {interval: [10, 5]}"), "columns.c.hierarchy.interval", "a multiple of the one before"),
    (quasi("hierarchy: {interval: [0.1, 0.25]}"), "columns.c.hierarchy.interval", "step 2 is not"),
    (quasi("hierarchy: {interval: [2, 3, 7]}"), "columns.c.hierarchy.interval", "steps 2, 3 are not"),
    (quasi("hierarchy: {breaks: [30, 18]}"), "columns.c.hierarchy.breaks", "expected cuts that increase"),
    (quasi("hierarchy: {breaks: [18, 18]}"), "columns.c.hierarchy.breaks", "expected cuts that increase"),
    (quasi("hierarchy: {breaks: [[1, 2], [3]]}"), "columns.c.hierarchy.breaks[1]", "only cuts of the level before"),
    (quasi("hierarchy: {breaks: [[1, 2], [2, 1]]}"), "columns.c.hierarchy.breaks[1]", "expected cuts that increase"),
    (
        quasi("hierarchy: {breaks: [1, [2]]}"),
        "columns.c.hierarchy.breaks[1]",
        "such as 08:30, found a list",
    ),
    (quasi("hierarchy: {breaks: [[1], 2]}"), "columns.c.hierarchy.breaks[1]", "expected a list, found a whole number"),
    (quasi("hierarchy: {prefix: [1, 3]}"), "columns.c.hierarchy.prefix", "expected lengths that decrease"),
    (quasi("hierarchy: {prefix: [3, 3]}"), "columns.c.hierarchy.prefix", "expected lengths that decrease"),
    (quasi("hierarchy: {prefix: [3, 0]}"), "columns.c.hierarchy.prefix[1]", "expected a whole number from 1"),
    (quasi("hierarchy: {date: [year, month]}"), "columns.c.hierarchy.date", "periods that become coarser"),
    (quasi("hierarchy: {date: [month, week]}"), "columns.c.hierarchy.date[1]", "expected one of day, month"),
    (quasi("hierarchy: {round: [0, 1]}"), "columns.c.hierarchy.round", "expected decimals that decrease"),
    (quasi("hierarchy: {round: 0.5}"), "columns.c.hierarchy.round", "expected a whole number from -60 to 60"),
    (quasi("hierarchy: {file: missing.csv}"), "columns.c.hierarchy.file", "no such file: missing.csv"),
    (quasi("hierarchy: {file: ''}"), "columns.c.hierarchy.file", "expected the path of a file"),
    (quasi("hierarchy: {file: .}"), "columns.c.hierarchy.file", "no such file"),
    (quasi("hierarchy: {ip: [8, 16]}"), "columns.c.hierarchy.ip", "prefix lengths that decrease"),
    # levels, ends, forms
    (quasi("finest: -1"), "columns.c.finest", "expected a whole number from 0"),
    (quasi("finest: 1"), "columns.c.finest", "expected a level from 0 to 0"),
    (quasi("hierarchy: {interval: [5]}, coarsest: 3"), "columns.c.coarsest", "expected a level from 0 to 2"),
    (quasi("hierarchy: suppress, coarsest: 2"), "columns.c.coarsest", "expected a level from 0 to 1"),
    (quasi("hierarchy: {prefix: [3, 2]}, finest: 2, coarsest: 1"), "columns.c.coarsest", "not below finest"),
    (quasi("hierarchy: {interval: [5]}, top: 5, bottom: 5"), "columns.c.bottom", "expected less than top"),
    (quasi("top: 2020-01-01, bottom: 3"), "columns.c.bottom", "expected the kind that top has"),
    (quasi("top: old"), "columns.c.top", "a time of day such as 08:30 or a date written YYYY-MM-DD"),
    (quasi("hierarchy: {date: [year]}, top: 2020"), "columns.c.top", "expected a date written YYYY-MM-DD"),
    (quasi("hierarchy: {interval: [5]}, top: 2020-01-01"), "columns.c.top", "expected a number"),
    (quasi("hierarchy: {prefix: [3]}, top: 90"), "columns.c.top", "top and bottom are for numbers and dates"),
    (quasi("top: .inf"), "columns.c.top", "expected a finite number"),
    (quasi("uncovered: drop"), "columns.c.uncovered", "expected one of refuse, suppress, top"),
    (quasi("form: lable"), "columns.c.form", "did you mean label?"),
    (quasi("hierarchy: {prefix: [3]}, form: bounds"), "columns.c.form", "bounds are for numbers and dates"),
    (quasi("weight: 0"), "columns.c.weight", "expected a number above 0"),
    (quasi("normalise: trim"), "columns.c.normalise", "expected a list, found text"),
    (quasi("normalise: [lower]"), "columns.c.normalise[0]", "expected one of trim, casefold, nfkc"),
    (quasi("hierarchy: {round: 1}, normalise: [trim]"), "columns.c.normalise", "spellings are for text"),
    # sensitive columns
    (sensitive("l: 3"), "columns.c.l", "such as {distinct: 3}"),
    (sensitive("l:"), "columns.c.l", "such as {distinct: 3}"),
    (sensitive("l: {distinct: 0}"), "columns.c.l.distinct", "expected a whole number from 1"),
    (sensitive("l: {distinct: 2.5}"), "columns.c.l.distinct", "expected a whole number from 1, found a number"),
    (sensitive("l: {entropy: 0.5}"), "columns.c.l.entropy", "expected a number from 1"),
    (sensitive("l: {recursive: {c: 2}}"), "columns.c.l.recursive.l", "required: l: the tail begins"),
    (sensitive("l: {recursive: {c: 0, l: 2}}"), "columns.c.l.recursive.c", "expected a number above 0"),
    (sensitive("l: {distnct: 2}"), "columns.c.l.distnct", "did you mean distinct?"),
    (sensitive("t: {max: 1.1}"), "columns.c.t.max", "expected a number from 0 to 1"),
    (sensitive("t: {}"), "columns.c.t.max", "required: t, the largest distance"),
    (sensitive("t: {max: 0.2, distance: emd}"), "columns.c.t.distance", "expected one of equal, ordered"),
    (sensitive("t: {max: 0.2, order: [a, b]}"), "columns.c.t.order", "an order is for distance ordered"),
    (sensitive("t: {max: 0.2, distance: ordered, order: [a, a]}"), "columns.c.t.order", "expected every value once"),
    (sensitive("t: {max: 0.2, distance: ordered, order: [1]}"), "columns.c.t.order[0]", "put it in quotes"),
    (sensitive("t: {max: 0.2, hierarchy: {file: icd.csv}}"), "columns.c.t.hierarchy", "is for distance hierarchical"),
    (
        "anonym: 1\ncolumns: {c: {role: sensitive, l: {distinct: 2}}}",
        "columns.c.l",
        "without quasi columns there are none",
    ),
    # guarantee
    ("anonym: 1\ncolumns: {q: {role: quasi}}", "guarantee", "required where there are quasi columns"),
    ("anonym: 1\ncolumns: {q: {role: quasi}}\nguarantee:", "guarantee", "expected a mapping, found nothing"),
    ("anonym: 1\ncolumns: {q: {role: quasi}}\nguarantee: {}", "guarantee.k", "required: members of every class"),
    ("anonym: 1\ncolumns: {q: {role: quasi}}\nguarantee: {k: 0}", "guarantee.k", "expected a whole number from 1"),
    ("anonym: 1\ncolumns: {q: {role: quasi}}\nguarantee: {k: on}", "guarantee.k", "a whole number from 1, found text"),
    (
        "anonym: 1\ncolumns: {q: {role: quasi}}\nguarantee: {k: 2, suppression: 0.1}",
        "guarantee.suppression",
        "expected a mapping, found a number",
    ),
    (
        "anonym: 1\ncolumns: {q: {role: quasi}}\nguarantee: {k: 2, suppression: {max: 2}}",
        "guarantee.suppression.max",
        "expected a number from 0 to 1",
    ),
    (
        "anonym: 1\ncolumns: {q: {role: quasi}}\nguarantee: {k: 2, linkable: true}",
        "guarantee.linkable",
        "expected the reason, in words, found true or false",
    ),
    # globs
    (f"{HEAD}columns: {{'a*': {{role: quasi}}, 'ab*': {{role: keep}}}}", "columns.ab*", "overlaps a*"),
    # search
    (section("search: {strategy: best}"), "search.strategy", "expected one of auto, global, local"),
    (section("search: {budget: fast}"), "search.budget", "expected one of default, thorough, {tries: n}"),
    (section("search: {budget: {tries: 0}}"), "search.budget.tries", "expected a whole number from 1"),
    (section("search: {budget: {hours: 1}}"), "search.budget", "expected a budget: default, thorough"),
    (section("search: {budget: 5}"), "search.budget", "expected a budget: default, thorough"),
    (section("search: {budget: {tries: 5, nodes: 5}}"), "search.budget.nodes", "no such key; known here: tries"),
    # text
    (section("text: {language: English}"), "text.language", "expected a language code, such as en"),
    (section("text: {ner: spacy}"), "text.ner", "expected a list out of spacy, rampart, or the word none"),
    (section("text: {ner: [spcy]}"), "text.ner[0]", "did you mean spacy?"),
    (section("text: {packs: [defualt]}"), "text.packs[0]", "did you mean default?"),
    (
        section("text: {secrets: no}"),
        "text.secrets",
        "expected true, false, or a list out of detect-secrets",
    ),
    (section("text: {replace: star}"), "text.replace", "expected one of tag, mask, surrogate, pseudonym"),
    (section("text: {also_from: q}"), "text.also_from", "expected a list of columns, or the word none"),
    (section("text: {also_from: [q, nam]}"), "text.also_from[1]", "expected a column that is listed"),
    (section("text: {also_from: [note]}"), "text.also_from[0]", "expected a column that is not of role text"),
    (section("text: {deduplicate: fuzzy}"), "text.deduplicate", "expected one of none, exact, near"),
]


@pytest.mark.parametrize(("text", "path", "words"), ONE_FAULT, ids=lambda part: None)
def test_one_fault_is_reported_once_with_its_path(faults: Faults, text: str, path: str, words: str) -> None:
    found = faults(text)
    assert [where for where, _ in found] == [path]
    assert words in found[0][1]


def test_more_globs_than_can_be_compared_are_refused(faults: Faults) -> None:
    globs = ", ".join(f"a{number}_*: {{role: drop}}" for number in range(201))
    assert faults(f"anonym: 1\ncolumns: {{{globs}}}") == [
        ("columns", "expected at most 200 entries with *, ? or [ (line 2)")
    ]


PATTERNS = [
    (r"(?=a)b", "look-around"),
    (r"(?<!x)y", "look-around"),
    (r"(a)\1", "back-reference"),
    (r"(?P<x>a)(?P=x)", "back-reference"),
    (r"a(", "Rust's regex crate"),
]


@pytest.mark.parametrize(("pattern", "words"), PATTERNS)
def test_patterns_that_may_be_slow_or_do_not_compile_are_refused(faults: Faults, pattern: str, words: str) -> None:
    found = dict(faults(section(f"text: {{patterns: {{CASE: '{pattern}'}}}}")))
    assert words in found["text.patterns.CASE"]


def test_a_pattern_that_only_looks_like_look_around_is_not_refused_for_it(faults: Faults) -> None:
    found = faults(section(r"text: {patterns: {CASE: '[(?=]+\\1', OTHER: a(}}"))
    assert [path for path, _ in found] == ["text.patterns.OTHER"]


def test_faults_of_many_sections_are_reported_at_once(faults: Faults) -> None:
    text = """
        anonym: 1
        columns:
          a: {role: quasi, hierarchy: {taxonomy: 5}}
          b: {role: identifier, action: surrogate, kind: person_name}
          c: {role: sensitive, bins: {interval: [7]}, t: {max: 0.1, distance: hierarchical}}
          d: {role: identifier, action: shift, days: 0}
        unit: d
        guarantee: {k: 2}
        attacks: {linkage: {auxiliary: v.parquet, match: {z: z}, max_risk: 2}}
        training: {exposure: api, epsilon: {internal: 8}, delta: 0}
    """
    assert [path for path, _ in faults(text)] == [
        "columns.a.hierarchy.taxonomy",
        "columns.b.key",
        "columns.c.t.distance",
        "columns.c.t.hierarchy",
        "columns.d.days",
        "attacks.linkage.max_risk",
        "training.delta",
    ]


def test_all_faults_of_all_kinds_are_reported_at_once(faults: Faults) -> None:
    text = """
        anonym: 1
        unit: nobody
        columns:
          a: {role: quazi, hierarchy: {intervall: [5]}, finest: -1}
          b: {role: quasi, hierarchy: {interval: [5, 12]}, coarsest: 9, weight: none}
          c: {role: identifier, action: pseudonym, key: &k env:KEY}
          d: {role: sensitive, l: {distinct: 0}, t: {max: 0.1, order: [x, x]}}
          d: {role: keep}
          e: {role: quasi, hierarchy: auto, top: 3, bottom: 4}
        text: {also_from: [x]}
        search: {strategy: fast}
    """
    assert [path for path, _ in faults(text)] == [
        "guarantee",
        "unit",
        "columns.a.role",
        "columns.a.hierarchy.intervall",
        "columns.a.finest",
        "columns.b.weight",
        "columns.b.hierarchy.interval",
        "columns.b.coarsest",
        "columns.c.key",
        "columns.d.l.distinct",
        "columns.d.t.order",
        "columns.d.t.order",
        "columns.d",
        "columns.e.bottom",
        "text.also_from[0]",
        "search.strategy",
    ]


def test_a_misspelt_role_does_not_hide_what_the_meant_one_would_check(faults: Faults) -> None:
    found = faults(column("{role: quazi, hierarchy: {interval: [5, 12]}}"))
    assert [path for path, _ in found] == ["columns.c.role", "columns.c.hierarchy.interval"]


def test_a_fault_hides_only_what_depends_on_it(faults: Faults) -> None:
    """Levels of a hierarchy that cannot be read are not judged, nor names in columns that cannot be read."""
    found = faults(quasi("hierarchy: {interval: [x]}, finest: 3, coarsest: 2") + "input: {types: {c: str}}\n")
    assert [path for path, _ in found] == ["columns.c.hierarchy.interval[0]", "columns.c.coarsest"]


def test_an_alias_says_nothing_but_that_it_is_one(faults: Faults) -> None:
    found = faults(f"{HEAD}columns:\n  q: {{role: quasi}}\n  c: *x\n  d: {{role: *y}}\n")
    assert [path for path, _ in found] == ["columns.c", "columns.d.role"]
    assert all("alias" in said for _, said in found)


SECRET = "hunter2-correct-horse"


@pytest.mark.parametrize(
    "text",
    [
        column(f"{{role: identifier, action: pseudonym, key: {SECRET}}}"),
        column(f"{{role: {SECRET}}}"),
        column(f"{{role: keep, allow_unique: [{SECRET}]}}"),
        quasi(f"hierarchy: {SECRET}"),
        quasi(f"top: {SECRET}"),
        quasi(f"hierarchy: {{prefix: [{SECRET}]}}"),
        section(f"seed: {SECRET}"),
        section(f"unit: {SECRET}"),
        section(f"unlisted: {SECRET}"),
        section(f"text: {{also_from: [{SECRET}], packs: ['{SECRET} ']}}"),
        section(f"input: {{encoding: {SECRET}}}"),
        section(f"training: {SECRET}"),
        section(f"x: !{SECRET} 1"),
        section(f"x: &{SECRET} 1"),
        section(f"x: *{SECRET}"),
        section(f'x: "\\q{SECRET}'),
        section(f"{SECRET}: [{SECRET}"),
        f"{SECRET}\n{SECRET}",
    ],
)
def test_no_value_is_repeated_in_a_message(faults: Faults, load: Any, text: str) -> None:
    for _, said in faults(text):
        assert SECRET not in said
    with pytest.raises(PolicyError) as caught:
        load(text)
    assert SECRET not in str(caught.value).replace(f"\n  {SECRET}:", "")


def test_a_key_of_the_policy_that_looks_like_a_pasted_secret_is_hidden(faults: Faults) -> None:
    pasted = "a3f5c81e9b274d06a3f5c81e9b274d06a3f5c81e9b274d06"
    found = faults(column(f"{{role: keep, {pasted}: 1}}") + f"{pasted}: 2\n")
    assert [path for path, _ in found] == ["columns.c.(a key)", "(a key)"]


def test_lines_are_given_for_files_and_not_for_mappings(faults: Faults) -> None:
    assert faults(section("seed: x"))[0][1].endswith("(line 6)")
    with pytest.raises(PolicyError) as caught:
        Policy.load(yaml.safe_load(section("seed: x")))
    assert "line" not in str(caught.value)


def test_names_with_dots_and_blanks_are_quoted_in_paths(faults: Faults) -> None:
    text = f'{HEAD}columns: {{q: {{role: quasi}}, "a.b": {{role: x}}, "c d": {{role: x}}, "*[0]": {{role: x}}}}'
    assert [path for path, _ in faults(text)] == ['columns."a.b".role', 'columns."c d".role', 'columns."*[0]".role']


def test_gates_on_attacks_need_their_columns_and_their_file(faults: Faults) -> None:
    text = """
        anonym: 1
        columns: {q: {role: quasi}, k: {role: keep}}
        guarantee: {k: 2}
        attacks:
          linkage: {auxiliary: none.parquet, match: {k: k, z: z, q: {column: q, edits: 9}}, max_risk: 0.1}
          inference: {max_advantage: 0.1}
    """
    assert [path for path, _ in faults(text)] == ["attacks.linkage.match.q.edits", "attacks.linkage.match.z"]
    sound = text.replace(", q: {column: q, edits: 9}", "").replace(", z: z", "")
    assert [path for path, _ in faults(sound)] == [
        "attacks.linkage.auxiliary",
        "attacks.linkage.match.k",
        "attacks.inference",
    ]
    both = "attacks: {control: none.parquet, hold_out: 0.1}"
    assert [path for path, _ in faults(f"anonym: 1\ncolumns: {{q: {{role: keep}}}}\n{both}")] == ["attacks.control"] * 2
