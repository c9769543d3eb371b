"""The policy in words, and what is worth a second look."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from anonym.policy import Policy, explain
from anonym.policy.lint import notes
from anonym.rules import rules_folder

Load = Callable[[str], Policy]


def policy(columns: dict[str, Any], **more: Any) -> Policy:
    return Policy.load({"anonym": 1, "columns": columns, "guarantee": {"k": 5}} | more)


def quasi(**more: Any) -> Policy:
    return policy({"c": {"role": "quasi", **more}})


@pytest.mark.parametrize(
    ("spec", "line"),
    [
        (
            {"hierarchy": {"interval": [5, 10, 0.5 * 40]}},
            "levels: 0: the value as it is, 1: widths of 5, 2: widths of 10, 3: widths of 20, 4: `*`",
        ),
        (
            {"hierarchy": {"breaks": [[18, 30, 65], [30]]}},
            "levels: 0: the value as it is, 1: intervals cut at 18, 30, 65, 2: intervals cut at 30, 3: `*`",
        ),
        (
            {"hierarchy": {"breaks": list(range(20))}},
            "levels: 0: the value as it is, 1: intervals between 20 cuts from 0 to 19, 2: `*`",
        ),
        (
            {"hierarchy": {"prefix": [3, 1]}},
            "levels: 0: the value as it is, 1: the first 3 characters, 2: the first 1 character, 3: `*`",
        ),
        (
            {"hierarchy": {"date": ["month", "decade"]}},
            "levels: 0: the value as it is, 1: the month, 2: the decade, 3: `*`",
        ),
        (
            {"hierarchy": {"round": [2, 1, 0, -2]}},
            "levels: 0: the value as it is, 1: rounded to 2 decimals, 2: rounded to 1 decimal, "
            "3: rounded to whole numbers, 4: rounded to multiples of 100, 5: `*`",
        ),
        ({"hierarchy": "suppress"}, "levels: 0: the value as it is, 1: `*`"),
        ({}, "levels: 0: the value as it is"),
        ({"hierarchy": {"interval": [5]}, "finest": 1}, "a release uses levels from 1 on only"),
        ({"hierarchy": {"interval": [5]}, "coarsest": 1}, "a release uses levels from 0 to 1 only"),
        ({"top": 90}, "values from 90 on become one, `>=90`, before anything else"),
        ({"bottom": 5}, "values up to 5 become one, `<=5`, before anything else"),
        ({"weight": 2.5}, "the search spares it with weight 2.5; the loss that is printed ignores weights"),
        ({"normalise": ["trim", "nfkc"]}, "spellings count as one value after trim, nfkc"),
    ],
)
def test_levels_are_spelled_out(spec: dict[str, Any], line: str) -> None:
    assert f"    {line}\n" in explain(quasi(**spec))


def test_the_file_of_a_hierarchy_is_named(load: Load) -> None:
    text = explain(
        load(
            "{anonym: 1, guarantee: {k: 2}, "
            "columns: {e: {role: quasi, hierarchy: {file: education.csv}, uncovered: top}}}"
        )
    )
    assert "then the columns of education.csv, the last one as `*`" in text
    assert "a value that the file lacks: it is released as `*`" in text


SPECS: dict[str, dict[str, Any]] = {
    "q": {"role": "quasi", "form": "bounds"},
    "s": {
        "role": "sensitive",
        "l": {"recursive": {"c": 2.5, "l": 3}},
        "t": {"max": 0.2, "distance": "ordered"},
    },
    "gone": {"role": "identifier"},
    "marked": {"role": "identifier", "action": "redact"},
    "token": {"role": "identifier", "action": "pseudonym", "key": "env:KEY", "scope": "project"},
    "note": {"role": "text"},
    "kept": {"role": "keep", "allow_unique": "public\x1b[2J already"},
    "dropped": {"role": "drop"},
}


def test_every_role_and_section_is_told() -> None:
    text = explain(
        policy(
            SPECS,
            name="all",
            unit="gone",
            reviewed={"by": "J. Doe", "date": "2026-11-30"},
            guarantee={"k": 5, "suppression": {"max": 0.025}, "linkable": "agreed"},
            search={"budget": {"seconds": 9}},
            threat_model={"attacker": "anyone"},
            text={"also_from": ["gone"]},
            order="keep",
            seed=4,
        )
    )
    for line in (
        "Policy all, sha256 ",
        "Reviewed by J. Doe on 2026-11-30.",
        "Threat model, attacker: anyone",
        "q: quasi-identifier, generalised and released as two columns, the lowest and the highest value of the class",
        "s: sensitive, released as it is",
        "the most frequent value is rarer than 2.5 times those from rank 3 on",
        "within 0.2 of all released rows, values as far apart as their ranks (t-closeness)",
        "gone: identifier, not released",
        "marked: identifier, every value becomes the same mark",
        "token: identifier, replaced by a keyed token (HMAC-SHA256, key from env:KEY, domain token)",
        "in every release under this key",
        "note: free text, scrubbed (see Text)",
        "kept: released as it is; values that fewer than k units hold are allowed, because: public [2J already",
        "dropped: not released",
        "any other column: the run stops (status 4)",
        "every class, the rows that agree on q, has at least 5 units (distinct values of gone)",
        "at most 2.5 % of the input rows are left out to get there",
        "rows of one unit may be joined in the release, because: agreed",
        "budget: 9 seconds; the evidence is marked as not reproducible",
        "seed 4, never used for keys",
        "the row's own values of gone are looked for in its text",
        "rows keep their order",
        "k, l and t do not add up over releases",
        "protection of s, kept: released untouched",
        "who holds the key can recompute them",
    ):
        assert line in text, line
    assert "\x1b" not in text


def test_without_quasi_columns_nothing_is_promised() -> None:
    text = explain(Policy.load({"anonym": 1, "columns": {"n": {"role": "text"}}}))
    assert "none: no column is a quasi-identifier" in text
    assert "Search" not in text
    assert "do not add up" not in text


def test_resolved_columns_stand_in_the_inputs_order_with_what_named_them() -> None:
    one = policy({"q": {"role": "quasi"}, "a_*": {"role": "drop"}}, unlisted="drop")
    text = explain(one, one.resolve({"a_2": pl.Int8(), "x": pl.Int8(), "q": pl.Int8()}))
    lines = text.split("Columns\n")[1].splitlines()
    assert lines[0] == "  a_2 (by a_*): not released"
    assert lines[1] == "  x (by `unlisted`): not released"
    assert lines[2].startswith("  q: quasi-identifier")
    assert "any other column" not in text


NUMBER = {"role": "identifier", "action": "surrogate", "kind": "national_id", "key": "env:KEY"}
NOTED: list[tuple[Policy, str]] = [
    (quasi(hierarchy={"interval": [5, 5, 10]}), "columns.c: level 2 changes nothing: it is the same as level 1"),
    (quasi(hierarchy={"breaks": [[1, 2], [1, 2]]}), "columns.c: level 2 changes nothing: it is the same as level 1"),
    (quasi(), "columns.c: it has no hierarchy"),
    (quasi(uncovered="top"), "columns.c: uncovered has no effect"),
    (quasi(hierarchy={"interval": [5]}, finest=1, coarsest=1), "columns.c: level 1 is the only one allowed"),
    (quasi(form="bounds"), "columns.c: form bounds writes the value twice"),
    (policy({"q": {"role": "quasi"}, "s": {"role": "sensitive"}}), "columns.s: neither l nor t is asked for"),
    (
        policy({"q": {"role": "quasi"}, "s": {"role": "sensitive", "l": {"distinct": 1}}}),
        "columns.s: l-diversity of 1 promises nothing",
    ),
    (
        policy({"q": {"role": "quasi"}, "s": {"role": "sensitive", "t": {"max": 1}}}),
        "columns.s: t-closeness of 1 promises nothing",
    ),
    (policy({"k": {"role": "keep"}}), "guarantee: no column is a quasi-identifier"),
    (policy({"k": {"role": "keep"}}), "whoever knows the kept columns of a row can find it"),
    (policy({"q": {"role": "quasi"}}, guarantee={"k": 1}), "guarantee.k: 1 promises nothing"),
    (policy({"q": {"role": "quasi"}}, guarantee={"k": 2, "linkable": "x"}), "guarantee.linkable: no effect"),
    (policy({"q": {"role": "quasi"}}, guarantee={"k": 2, "suppression": {"max": 1}}), "allows a release without rows"),
    (policy({"q": {"role": "quasi"}}), "unit: absent, so that k counts rows"),
    (policy({"q": {"role": "quasi"}}, text={"language": "en"}), "text: no column has the role text"),
    (policy({"t": {"role": "text"}}, text={"ner": "none"}), "text.ner: none"),
    (policy({"t": {"role": "text"}}, text={"secrets": False}), "text.secrets: passwords"),
    (
        policy({"t": {"role": "text"}, "i": {"role": "identifier"}}, text={"also_from": "none"}),
        "text.also_from: what the row's identifiers say",
    ),
    (policy({"i": NUMBER | {"locale": "ja_JP"}}), "columns.i: no national numbers of JP are known"),
    (policy({"i": NUMBER | {"locale": "nl_NL"}}), "columns.i: NL keeps no national numbers free"),
    (quasi(hierarchy={"interval": [20]}, top=90), "columns.c: top 90 lies inside an interval of level 1"),
    (policy({"q": {"role": "drop"}}), "columns: every column is dropped"),
    (policy({"q": {"role": "drop"}}, unlisted="drop"), "unlisted: columns that are not listed are dropped"),
    (policy({"q": {"role": "drop"}}, order="keep"), "order: the order of the rows"),
    (policy({"q": {"role": "drop"}}, search={"budget": {"seconds": 3}}), "search.budget: seconds depend"),
]


@pytest.mark.parametrize(("noted", "words"), NOTED, ids=lambda part: part if isinstance(part, str) else "")
def test_notes(noted: Policy, words: str) -> None:
    assert any(words in note for note in notes(noted))
    assert "To look at\n" in explain(noted)


def test_a_sound_policy_has_no_notes() -> None:
    sound = policy(
        {
            "who": {"role": "identifier"},
            "pesel": NUMBER | {"locale": "pl_PL"},
            "nhs": NUMBER | {"locale": "en_GB"},
            "age": {"role": "quasi", "hierarchy": {"interval": [5, 10]}, "top": 90},
            "dx": {"role": "sensitive", "l": {"distinct": 2}},
        },
        unit="who",
    )
    assert notes(sound) == []
    assert "To look at" not in explain(sound)


@pytest.mark.parametrize(
    ("hierarchy", "dtype", "idle"),
    [
        ({"interval": [0.5, 1, 5]}, pl.Int64(), [1, 2]),
        ({"interval": [0.5, 1, 5]}, pl.Float64(), []),
        ({"round": [1, 0, -1]}, pl.UInt8(), [1, 2]),
        ({"round": [1, 0, -1]}, pl.Decimal(9, 2), []),
        ({"date": ["day", "year"]}, pl.Date(), [1]),
        ({"date": ["day", "year"]}, pl.Datetime("us"), []),
    ],
)
def test_steps_that_change_nothing_for_a_type(hierarchy: dict[str, Any], dtype: pl.DataType, idle: list[int]) -> None:
    one = quasi(hierarchy=hierarchy)
    found = [note for note in notes(one, one.resolve({"c": dtype})) if "values of this type" in note]
    assert found == [f"columns.c: level {level} changes nothing for values of this type" for level in idle]


def test_ranks_of_words_need_an_order() -> None:
    ranked = {"role": "sensitive", "t": {"max": 0.2, "distance": "ordered"}}
    one = policy({"q": {"role": "quasi"}, "s": ranked})
    assert "columns.s: its values are ranked as text; give their order in t.order" in notes(
        one, one.resolve({"q": pl.Int8(), "s": pl.String()})
    )
    assert not any("ranked" in note for note in notes(one, one.resolve({"q": pl.Int8(), "s": pl.Int8()})))


@pytest.mark.parametrize("path", sorted((rules_folder() / "policies").glob("*.yaml")), ids=lambda path: path.stem)
def test_shipped_policies_are_explained(path: Path) -> None:
    text = explain(Policy.load(path))
    assert "Draft policy, not reviewed." in text
    assert all(len(line) < 200 for line in text.splitlines() if not line.startswith("  every class"))


def test_attacks_are_said_with_their_limits(load: Load) -> None:
    said = explain(
        load(
            """
            anonym: 1
            columns: {age: {role: quasi}, dx: {role: sensitive}}
            guarantee: {k: 5}
            attacks:
              linkage: {auxiliary: voters.parquet, match: {age: {column: years, tolerance: 1}}, max_risk: 0.1}
              inference: {max_advantage: 0.05}
              hold_out: 0.125
            """
        )
    )
    assert "12.5 % of the rows are held out" in said
    assert "linking by age with voters.parquet must find at most 10 %" in said
    assert "gain at most 0.05" in said
    control = "anonym: 1\ncolumns: {age: {role: keep}}\nattacks: {control: voters.parquet}"
    assert "the people in voters.parquet are the control" in explain(load(control))
