"""What was left in text: names and contact values of people, still found in a released note.

The attacker has the identifiers of the people (names, addresses, numbers) and searches every note for them, whole and
without regard to case. A note is linked to whoever has a value that stands in it, at random among several.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from anonym.attacks.matching import expected
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
    raw: pl.Series | None = None,
    seed: int | None = None,
) -> AttackResult:
    """Link the notes in column `text` to the people in `auxiliary` by their columns `identifiers`.

    Targets are the notes. Without `truth`, a column of both tables, a note counts 1 / candidates. `control` holds
    people who were never released: a note in which their values stand would be linked to them wrongly. `raw` are the
    notes as they were, searched as the positive control.
    """
    has_truth = truth is not None and truth in released.columns and truth in auxiliary.columns
    found = _found(released[text], auxiliary, identifiers)
    right = _right(found, released[truth], auxiliary[truth]) if truth is not None and has_truth else found
    counts = found.group_by("note").agg(candidates=pl.len(), sharing=pl.lit(1))
    success = counts.join(right, on="note", how="semi")
    wrong = counts.filter(pl.col("candidates") == 1).join(success, on="note", how="anti").height if has_truth else None
    targets = released[text].drop_nulls().len()
    outside = _control(released[text], control, identifiers, targets, has_truth=has_truth)
    if wrong is None and outside is not None:
        wrong = outside.false_accepts
    tried = Counts(targets, targets, expected(success, is_known=has_truth), wrong)
    detail = {
        "notes_with_values": counts.height,
        "values": _values(auxiliary, identifiers)["value"].n_unique(),
        "worst_subgroup": _worst(released[text], auxiliary, identifiers, targets),
    }
    positive = None
    if raw is not None and (notes := raw.drop_nulls().len()):
        positive = _found(raw, auxiliary, identifiers)["note"].n_unique() / notes
    name = f"identifiers left in {text}"
    # who finds nothing does not guess: the baseline of this attack is a note that says nothing
    return judge(Trial(name, tuple(identifiers), tried, gate, 0.0, outside, positive, seed, detail))


def _worst(
    notes: pl.Series, auxiliary: pl.DataFrame, identifiers: Sequence[str], targets: int
) -> dict[str, Any] | None:
    """The identifier that is left in most notes."""
    left = {name: _found(notes, auxiliary, [name])["note"].n_unique() for name in identifiers} if targets else {}
    if not left:
        return None
    worst = max(left, key=lambda name: left[name])
    return {"column": worst, "targets": targets, "rate": left[worst] / targets}


def _right(found: pl.DataFrame, notes: pl.Series, holders: pl.Series) -> pl.DataFrame:
    """The hits where the truth of the note is that of the person."""
    of_notes = pl.DataFrame({"truth": notes}).with_row_index("note")
    of_people = pl.DataFrame({"truth": holders}).with_row_index("person")
    return found.join(of_notes, on="note").join(of_people, on=["person", "truth"], how="semi")


def _control(
    notes: pl.Series, control: pl.DataFrame | None, identifiers: Sequence[str], targets: int, *, has_truth: bool
) -> Counts | None:
    if control is None or not set(identifiers) <= set(control.columns):
        return None
    counts = _found(notes, control, identifiers).group_by("note").agg(candidates=pl.len(), sharing=pl.lit(1))
    alone = counts.filter(pl.col("candidates") == 1).height
    return Counts(targets, targets, 0.0 if has_truth else expected(counts), alone)


def _found(notes: pl.Series, auxiliary: pl.DataFrame, identifiers: Sequence[str]) -> pl.DataFrame:
    """Distinct [note, person] where a value of the person stands in the note, with no letter or digit beside it."""
    values = _values(auxiliary, identifiers)
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


def _values(auxiliary: pl.DataFrame, identifiers: Sequence[str]) -> pl.DataFrame:
    """Distinct [value, person], lower case, long enough to be told from any text."""
    parts = [
        pl.DataFrame({"value": auxiliary[name].cast(pl.String).str.strip_chars().str.to_lowercase()}).with_row_index(
            "person"
        )
        for name in identifiers
    ]
    values = pl.concat(parts).drop_nulls().filter(pl.col("value").str.len_chars() >= SHORTEST)
    return values.select("value", "person").unique(maintain_order=True)
