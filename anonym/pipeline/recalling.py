"""`recall`: what the scrubber of a policy misses, measured on a labelled sample; the gate on it; samples to label."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from anonym.errors import CallError, InputError, OutputError
from anonym.io import Source, guarded, open_paths, private_file
from anonym.pipeline.applying import read_options
from anonym.pipeline.recall_gate import evidence_of, measured, sample_of
from anonym.policy.model import Identifier, Policy, Text
from anonym.policy.resolve import ResolvedColumn
from anonym.text.options import RecallGate

if TYPE_CHECKING:
    from anonym.text.labelled import Labelled, Offsets, Style
    from anonym.text.recall import Missed, Recall

PILOT, PILOT_LEAST = 20, 2_000
"""Texts that are scrubbed to stratify a draw: this many times the sample, and at least so many."""


def recall(
    policy: Policy | Mapping[str, Any] | str | Path,
    labelled: str | Path | Iterable[Mapping[str, Any]] | None = None,
    *,
    offsets: Offsets | None = None,
    style: Style = "auto",
) -> Recall:
    """The recall of the policy's scrubber on a labelled sample: a file in one of the known formats, or mappings of
    `text` and `spans`; by default the sample that the policy names.

    Nothing is compared with a gate here: ask `.holds(least)`. Raises InputError for a sample that does not fit.
    """
    loaded = policy if isinstance(policy, Policy) else Policy.load(policy)
    return measured(loaded, sample_of(loaded, labelled, offsets, style), None)


def gated(policy: Policy, least: Decimal | None) -> RecallGate | None:
    """The policy's gate, with another bound if one is given."""
    gate = policy.text.recall
    if least is None:
        return gate
    return RecallGate(gate.labelled if gate else Path(), least, gate.entities if gate else ())


# words ---------------------------------------------------------------------------------------------------------------


def recall_file(
    policy: str | Path,
    labelled: Path | None,
    *,
    offsets: Offsets | None = None,
    style: Style = "auto",
    least: Decimal | None = None,
) -> tuple[Recall, list[Labelled], RecallGate | None]:
    """The measure of the command line, with the sample and the gate it is to pass."""
    loaded = Policy.load(policy)
    sample = sample_of(loaded, labelled, offsets, style)
    return measured(loaded, sample, None), sample, gated(loaded, least)


def in_words(found: Recall, sample: Sequence[Labelled], *, show_text: bool) -> Iterator[str]:
    """Lines for a terminal. Text of the sample only where it was asked for."""
    yield f"{found.documents} labelled texts, models: {', '.join(found.ner) or 'none'}"
    if found.withheld:
        yield f"  {found.withheld} of them could not be processed and are withheld: all in them counts as masked"
    parts = {
        "labelled spans masked whole": found.whole,
        "masked at least in part": found.touched,
        "labelled tokens masked": found.tokens,
        "masked tokens that were labelled": found.token_precision,
        "texts in which nothing was missed": found.clean,
        "direct identifiers, every mention": found.direct,
        "quasi-identifiers, every mention": found.quasi,
    }
    for name, part in parts.items():
        if part.of or name not in ("direct identifiers, every mention", "quasi-identifiers, every mention"):
            yield f"  {name:<34} {_figure(part)}"
    if found.f2 is not None:
        yield f"  {'F2 over tokens':<34} {found.f2:.4f}"
    facts = found.evidence()
    for entity, part in found.entities.items():
        score = facts["f2"][entity]
        yield f"  {entity[:34]:<34} {_figure(part)}" + ("" if score is None else f"  F2 {score:.4f}")
    if found.missed:
        yield f"missed ({len(found.missed)}), by text, position and type:"
        yield from (f"  {_place(missed, sample, show_text=show_text)}" for missed in found.missed)


def _figure(part: Any) -> str:
    if part.rate is None:
        return "not measured"
    weighted = "" if part.share is None else " drawn, weighted"
    return f"{part.rate:.4f} [{part.low:.4f}, {part.high:.4f}], {part.found} of {part.of}{weighted}"


def _place(missed: Missed, sample: Sequence[Labelled], *, show_text: bool) -> str:
    rules = f", in part by {', '.join(missed.rules)}" if missed.rules else ""
    said = f"text {missed.document + 1}, {missed.start} to {missed.end}, {missed.entity}{rules}"
    if not show_text:
        return said
    text = sample[missed.document].text
    return f"{said}: {text[max(0, missed.start - 30) : missed.end + 30]!r}"


def as_json(found: Recall, gate: RecallGate | None) -> dict[str, Any]:
    """For `--json`: the evidence, the misses by position, and what each rule masked."""
    return evidence_of(found, gate) | {
        "missed": [
            {
                "document": missed.document,
                "start": missed.start,
                "end": missed.end,
                "entity": missed.entity,
                "rules": list(missed.rules),
            }
            for missed in found.missed
        ],
        "rules": {name: part.evidence() for name, part in found.rules.items()},
    }


# samples to label ----------------------------------------------------------------------------------------------------


def draw_sample(
    policy: str | Path, paths: Sequence[Path], n: int, output: Path, *, seed: int | None = None, force: bool = False
) -> int:
    """Write `n` texts of the policy's text columns to label: JSON lines of mode 0600, with the weight of each.

    Returns how many were written. The file holds raw text and the row's own identifiers, which scrubbing looks for.
    """
    if n < 1:
        raise CallError("a sample has at least one text")
    if output.exists() and not force:
        raise CallError(f"{output} exists: choose another name, or say --force to replace it")
    loaded = Policy.load(policy)
    source = open_paths(paths, read_options(loaded))
    drawn = list(_drawn(loaded, source, n, loaded.seed if seed is None else seed))
    from anonym.text.labelled import write_lines

    with guarded("writing the sample", OutputError), private_file(output) as file:
        file.write(write_lines(drawn).encode())
    return len(drawn)


def _drawn(policy: Policy, source: Source, n: int, seed: int) -> Iterator[dict[str, Any]]:
    from anonym.text.drawing import draw
    from anonym.text.scrub import Scrubber

    columns = policy.resolve(source.schema)
    texts = [column.name for column in columns if isinstance(column.role, Text)]
    if not texts:
        raise InputError("the policy has no text column of which a sample could be drawn")
    known = _known(policy, columns)
    table, population = _pilot(source, texts, known, max(PILOT * n, PILOT_LEAST), seed)
    result = Scrubber(policy.text).scrub(table["text"], table.select(known) if known else None)
    counts = dict(result.spans.group_by("row").len().iter_rows())
    found = [counts.get(row, 0) for row in range(table.height)]
    for each in draw(table["text"].to_list(), found, n, seed, population):
        row = table.row(each.index, named=True)
        yield {
            "text": row["text"],
            "spans": [],
            "column": row["column"],
            "stratum": each.stratum,
            "weight": each.weight,
            "known": {name: row[name] for name in known if row[name] is not None},
        }


def _known(policy: Policy, columns: Sequence[ResolvedColumn]) -> list[str]:
    if policy.text.also_from is not None:
        return list(policy.text.also_from)
    return [
        column.name
        for column in columns
        if isinstance(column.role, Identifier) and not column.dtype.is_nested() and column.dtype != pl.Binary
    ]


def _pilot(
    source: Source, texts: Sequence[str], known: Sequence[str], most: int, seed: int
) -> tuple[pl.DataFrame, int]:
    """At most so many of all texts, drawn at random (columns `text`, `column`, and `known`), and how many there are."""
    with guarded("drawing texts"):
        population = int(source.frame.select(pl.sum_horizontal(pl.col(texts).is_not_null().sum())).collect().item())
        chosen = sorted(random.Random(seed).sample(range(population), min(most, population)))
        parts: list[pl.DataFrame] = []
        before = 0
        for name in texts:
            values = source.frame.filter(pl.col(name).is_not_null()).select(
                pl.col(name).cast(pl.String).alias("text"),
                pl.lit(name).alias("column"),
                *(pl.col(other).cast(pl.String) for other in known),
            )
            count = int(values.select(pl.len()).collect().item())
            wanted = pl.Series([at - before for at in chosen if before <= at < before + count], dtype=pl.UInt32)
            numbered = values.with_row_index("\0at").filter(pl.col("\0at").is_in(wanted.implode()))
            parts.append(numbered.drop("\0at").collect())
            before += count
    return pl.concat(parts), population
