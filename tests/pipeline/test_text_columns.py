"""Text options of a policy, end to end: patterns, keyed replacements, dates by unit, repeated texts."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

import polars as pl
import pytest

import anonym
from anonym.errors import CallError, PolicyError

KEY = "env:ANONYM_TEXT_KEY"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANONYM_TEXT_KEY", "k" * 32)


def policy(unit: str | None = None, **text: Any) -> dict[str, Any]:
    columns: dict[str, Any] = {"who": {"role": "identifier"}, "note": {"role": "text"}, "more": {"role": "text"}}
    return {
        "anonym": 1,
        "name": "notes",
        "columns": columns,
        "order": "keep",
        "text": {"ner": "none", **text},
        **({"unit": unit} if unit else {}),
    }


def table(notes: list[str | None], more: list[str | None] | None = None, who: list[str] | None = None) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "who": who or [f"id-{i}" for i in range(len(notes))],
            "note": notes,
            "more": more or [None] * len(notes),
        },
        schema={"who": pl.String, "note": pl.String, "more": pl.String},
    )


def test_patterns_of_ones_own_are_found_and_tagged() -> None:
    given = policy(patterns={"BADGE": r"\bBX-\d{4}\b"})
    release = anonym.apply(given, table(["badge BX-1234, not BX-123", "none"]))
    assert release.data.collect()["note"].to_list() == ["badge <BADGE>, not BX-123", "none"]
    assert release.evidence["text"]["note"]["spans"] == {"BADGE": 1}
    with pytest.raises(PolicyError, match="look-around"):
        anonym.Policy.load(policy(patterns={"BADGE": r"(?<=x)BX"}))


def test_pseudonyms_are_equal_across_columns_tables_and_runs_under_one_key() -> None:
    given = policy(replace="pseudonym", key=KEY)
    notes = ["mail a.one@x.example", "or A.One@x.example, b.two@x.example"]
    first = anonym.apply(given, table(notes, ["a.one@x.example", None])).data.collect()
    tokens = re.findall(r"<EMAIL_ADDRESS_[0-9A-F]{16}>", " ".join(first["note"].to_list()))
    assert tokens[0] == tokens[1] != tokens[2]
    assert first["more"][0] == tokens[0]
    again = anonym.scrub(given, pl.Series(["again a.one@x.example"])).text[0]
    assert again == f"again {tokens[0]}"
    with pytest.raises(PolicyError, match=r"text\.key"):
        anonym.Policy.load(policy(replace="pseudonym"))
    with pytest.raises(PolicyError, match="no use"):
        anonym.Policy.load(policy(replace="tag", key=KEY))
    with pytest.raises(CallError):
        anonym.scrub(policy(replace="pseudonym", key="env:ABSENT_KEY"), pl.Series(["a"]))


def test_without_a_key_surrogates_differ_between_releases() -> None:
    given = policy(replace="surrogate")
    series = pl.Series(["mail a.one@x.example"] * 2)
    one, other = anonym.scrub(given, series).text, anonym.scrub(given, series).text
    assert one[0] == one[1]
    assert one[0] != other[0]
    assert "a.one@x.example" not in one[0]


def dates(texts: list[str]) -> list[date]:
    return [date.fromisoformat(found) for text in texts for found in re.findall(r"\d{4}-\d\d-\d\d", text)]


@pytest.mark.parametrize("shifted_column", [False, True])
def test_dates_in_text_move_by_unit_and_keep_their_intervals(shifted_column: bool) -> None:
    given = policy(unit="who", replace="surrogate")
    who = ["a", "a", "b", "b"]
    notes = ["seen 2020-01-01", "again 2020-01-31", "seen 2020-01-01", "again 2020-03-01 18:22"]
    data = table(notes, who=who)
    if shifted_column:
        given["columns"]["came"] = {"role": "identifier", "action": "shift", "days": 5_000, "key": KEY}
        data = data.with_columns(came=pl.lit(date(2020, 1, 1)))
    release = anonym.apply(given, data).data.collect()
    moved = dates(release["note"].to_list())
    assert (moved[1] - moved[0]).days == 30
    assert (moved[3] - moved[2]).days == 60
    assert all(new > old for new, old in zip(moved, dates(notes), strict=True))
    if shifted_column:
        assert moved[0] == release["came"][0]
        assert moved[2] == release["came"][2]
        assert moved[0] != moved[2]  # two units move alike with odds of 1 in 5,000, and under this key they do not


@pytest.mark.parametrize("how", ["exact", "near"])
def test_repeated_texts_become_null_and_are_counted(how: str) -> None:
    if how == "near":
        pytest.importorskip("datasketch")
    long = " ".join(f"word{i}" for i in range(90))
    notes = ["write to a@x.example", "write to b@x.example", None, long, long + " more", "something else"]
    release = anonym.apply(policy(deduplicate=how), table(notes))
    kept = release.data.collect()["note"]
    assert kept[0] == "write to <EMAIL_ADDRESS>"
    assert kept[1] is None  # equal once scrubbed
    assert (kept[4] is None) == (how == "near")
    assert release.evidence["text"]["note"]["duplicates"] == (2 if how == "near" else 1)
    assert release.data.collect().height == 6
    scrubbed = anonym.scrub(policy(deduplicate=how), pl.Series(["x", "x", None]))
    assert scrubbed.text.to_list() == ["x", None, None]


def test_a_column_named_twice_is_looked_for_once() -> None:
    released = anonym.apply(policy(also_from=["who", "who"]), table(["id-0 rang", "nothing"]))
    assert released.data.collect()["note"].to_list() == ["<IDENTIFIER> rang", "nothing"]
