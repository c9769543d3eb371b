"""What was left in text: names and contact values of people, still found in a released note.

The attacker has the identifiers of the people (names, addresses, numbers) and searches every note for them, whole and
without regard to case. A note is linked to whoever has a value that stands in it, at random among several.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from anonym.attacks.matching import numbered
from anonym.attacks.outcome import AttackResult, Counts, Gate, Trial, judge

SHORTEST = 4  # characters of a value that is searched for: shorter ones stand in any text


def residue(
    released: pl.DataFrame,
    text: str,
    auxiliary: pl.DataFrame,
    identifiers: Sequence[str],
    *,
    gate: Gate | None,
    truth: str | None = None,
    control: pl.DataFrame | None = None,
    raw: pl.DataFrame | None = None,
    seed: int | None = None,
    unit: str | None = None,
) -> AttackResult:
    """Link the notes in column `text` to the people in `auxiliary` by their columns `identifiers`.

    Targets are the notes, or the people of column `unit` where the release has it: each by the best of their notes.
    Without `truth`, a column of both tables, a note counts 1 / candidates. `control` holds people who were never
    released: a note in which their values stand would be linked to them wrongly. `raw` is the table before the
    release, whose notes are attacked as the positive control.
    """
    theirs = _Attacker(auxiliary, tuple(identifiers), numbered(auxiliary, unit))
    owner = unit if unit in released.columns else None
    found = _linked(released, text, theirs, truth, owner)
    outside = None
    if control is not None and set(identifiers) <= set(control.columns):
        strangers = _Attacker(control, theirs.names, numbered(control, unit))
        outside = _control(released, text, strangers, owner, has_truth=found.is_known)
    wrong = found.wrong if found.is_known else outside.false_accepts if outside is not None else None
    tried = Counts(found.people, found.people, found.right, wrong)
    before = _linked(raw, text, theirs, truth, owner) if raw is not None else None
    by_column = [(name, _linked(released, text, replace(theirs, names=(name,)), truth, owner)) for name in identifiers]
    detail = {
        "notes": released[text].drop_nulls().len(),
        "notes_with_values": found.hit,
        "values": _values(theirs)["value"].n_unique(),
        "worst_subgroup": _worst(by_column) if found.people else None,
    }
    positive = before.right / before.people if before is not None and before.people else None
    name = f"identifiers left in {text}"
    # who finds nothing does not guess: the baseline of this attack is a note that says nothing
    return judge(Trial(name, tuple(identifiers), tried, gate, 0.0, outside, positive, seed, detail))


@dataclass(frozen=True)
class _Attacker:
    """Who is searched for, by the columns `names` of `table`; `people` is the number of each row's person."""

    table: pl.DataFrame
    names: tuple[str, ...]
    people: pl.Series


@dataclass(frozen=True)
class _Linked:
    """How many people have a note, in how many notes some value stands, and the expected number of people who are
    linked rightly. `wrong` are those linked to one person alone who is another, where a truth `is_known`."""

    people: int
    hit: int
    right: float
    wrong: int
    is_known: bool


def _linked(table: pl.DataFrame, text: str, theirs: _Attacker, truth: str | None, unit: str | None) -> _Linked:
    is_known = truth is not None and truth in table.columns and truth in theirs.table.columns
    found = _found(table[text], theirs)
    right = _right(found, table[truth], theirs, truth) if truth is not None and is_known else found
    owners = _owners(table, text, unit)
    counts = _candidates(found, owners)
    success = counts.join(right, on="note", how="semi")
    wrong = counts.filter(pl.col("candidates") == 1).join(success, on="note", how="anti")["owner"].n_unique()
    return _Linked(owners["owner"].n_unique(), counts.height, _expected(success), wrong, is_known)


def _owners(table: pl.DataFrame, text: str, unit: str | None) -> pl.DataFrame:
    """[note, owner]: whose note it is, everyone their own where no unit is known; no empty ones."""
    owners = pl.DataFrame({"owner": numbered(table, unit)}).with_row_index("note")
    return owners.filter(table[text].is_not_null())


def _candidates(found: pl.DataFrame, owners: pl.DataFrame) -> pl.DataFrame:
    """[note, candidates, owner] of the notes in which a value stands."""
    return found.group_by("note").agg(candidates=pl.len()).join(owners, on="note")


def _expected(counts: pl.DataFrame) -> float:
    """Of each owner the note with the fewest candidates, one of whom is taken at random."""
    fewest = counts.group_by("owner").agg(pl.col("candidates").min())
    return math.fsum(1 / fewest["candidates"])


def _worst(by_column: Sequence[tuple[str, _Linked]]) -> dict[str, Any]:
    """The identifier by which most notes are linked rightly."""
    name, found = max(by_column, key=lambda one: one[1].right)
    return {"column": name, "targets": found.people, "rate": found.right / found.people}


def _right(found: pl.DataFrame, notes: pl.Series, theirs: _Attacker, truth: str) -> pl.DataFrame:
    """The hits where the truth of the note is that of the person."""
    of_notes = pl.DataFrame({"truth": notes}).with_row_index("note")
    of_people = pl.DataFrame({"person": theirs.people, "truth": theirs.table[truth]})
    return found.join(of_notes, on="note").join(of_people, on=["person", "truth"], how="semi")


def _control(released: pl.DataFrame, text: str, strangers: _Attacker, unit: str | None, *, has_truth: bool) -> Counts:
    owners = _owners(released, text, unit)
    counts, targets = _candidates(_found(released[text], strangers), owners), owners["owner"].n_unique()
    alone = counts.filter(pl.col("candidates") == 1)["owner"].n_unique()
    return Counts(targets, targets, 0.0 if has_truth else _expected(counts), alone)


def _found(notes: pl.Series, theirs: _Attacker) -> pl.DataFrame:
    """Distinct [note, person] where a value of the person stands in the note, with no letter or digit beside it."""
    values = _values(theirs)
    patterns = values["value"].unique(maintain_order=True)
    lower = pl.DataFrame({"text": notes.cast(pl.String).str.to_lowercase()}).with_row_index("note").drop_nulls()
    if not patterns.len():
        return pl.DataFrame(schema={"note": pl.UInt32, "person": pl.UInt32})
    hits = lower.with_columns(value=pl.col("text").str.extract_many(patterns.implode(), overlapping=True))
    hits = hits.explode("value", empty_as_null=True).drop_nulls("value").unique(["note", "value"], maintain_order=True)
    whole = hits.filter(_whole(hits)) if hits.height else hits
    return whole.join(values, on="value").select("note", "person").unique(maintain_order=True)


def _whole(hits: pl.DataFrame) -> pl.Series:
    """Whether the value stands somewhere in its note as whole words."""
    pattern = r"(?:^|[^\pL\pN])" + hits["value"].str.escape_regex() + r"(?:$|[^\pL\pN])"
    found = hits.with_columns(pattern=pattern).select(pl.col("text").str.contains(pl.col("pattern")))
    return found.to_series()


def _values(theirs: _Attacker) -> pl.DataFrame:
    """Distinct [value, person], lower case, long enough to be told from any text."""
    lower = [theirs.table[name].cast(pl.String).str.strip_chars().str.to_lowercase() for name in theirs.names]
    values = pl.concat([pl.DataFrame({"value": values, "person": theirs.people}) for values in lower]).drop_nulls()
    return values.filter(pl.col("value").str.len_chars() >= SHORTEST).unique(maintain_order=True)
