"""The smaller verbs: explain a policy, draw a report again, scrub one column of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from anonym.columns.keys import Key, read_keys
from anonym.errors import CallError, InputError, OutputError
from anonym.io import guarded, open_paths, refuse_existing
from anonym.io.source import same_file
from anonym.pipeline.applying import read_options
from anonym.pipeline.attack_records import with_attacks
from anonym.pipeline.beside import stems
from anonym.pipeline.estimating import estimate
from anonym.pipeline.joining import join_releases
from anonym.pipeline.looking import Look, look
from anonym.pipeline.reported import ATTACKED, read_evidence
from anonym.pipeline.text_days import text_key
from anonym.pipeline.trees import trees
from anonym.policy.explain import explain
from anonym.policy.model import Policy
from anonym.report.ci import render_junit, render_sarif
from anonym.report.difference import Change, changes, weaker
from anonym.report.evidence import dump
from anonym.report.html import render
from anonym.report.summary import render_markdown, render_text

if TYPE_CHECKING:
    from anonym.text.scrub import Scrubbed


def explain_policy(policy: str | Path, data: Sequence[Path], *, show_values: bool = False) -> str:
    """What the policy will do, in words; with data, to its columns."""
    loaded = Policy.load(policy)
    if not data:
        return explain(loaded)
    source = open_paths(data, read_options(loaded))
    columns = loaded.resolve(source.schema)
    seen = look(loaded, source, columns)
    lacking = "\n".join(_uncovered(seen, show_values))
    text = explain(loaded, columns, seen.notes)
    drawn = "\n".join(f"  {line}" for line in trees(loaded, source, columns, show_values=show_values))
    text += f"\nHierarchies over this data\n{drawn}\n" if drawn else ""
    text += f"\nMemory\n  {estimate(loaded, source)}\n"
    return text + (f"\nValues that a hierarchy lacks\n{lacking}\n" if lacking else "")


def _uncovered(seen: Look, show_values: bool) -> Iterator[str]:
    """Counts of what each hierarchy lacks; the values only where they are asked for on a terminal."""
    for name, gone in seen.lacking.items():
        yield f"  {name}: {gone.height} distinct values in {gone['rows'].sum()} rows"
        if show_values:
            yield from (f"    {text}" for text in gone["text"].sort())


def draw_report(
    evidence: Path,
    kind: str,
    output: Path | None,
    *,
    force: bool,
    since: Path | None = None,
    original: Path | None = None,
    attacks: Sequence[Path] = (),
) -> tuple[str, Path | None]:
    """The page or summary of an evidence file, and where it was written (None: nowhere, it is to be printed).

    A page goes beside its evidence, anything else only where `output` says. `since` is the evidence of an earlier
    release: page and Markdown then say what changed, and what the two released files beside them tell joined, by the
    `original` of both where no released column says who is who. `attacks` are files that `anonym attack -o` wrote:
    they are in what is drawn, a page gets evidence of its own beside it, and the evidence given stays as it is. Raises
    CallError where the place is taken and not `force`.
    """
    content = with_attacks(evidence, attacks) if attacks else read_evidence(evidence)
    before = None if since is None else read_evidence(since)
    place = output or (_page_of(evidence, with_later=bool(attacks)) if kind == "html" else None)
    beside = place.with_suffix(".json") if place is not None and attacks and kind == "html" else None
    if beside is not None and same_file(beside, evidence):
        raise CallError("the evidence with these attacks would replace the one it is made of: choose another --output")
    refuse_existing(*(path for path in (place, beside) if path is not None), force=force)
    joined = None if since is None else join_releases(evidence, since, original)
    text = _drawn(content, before, joined, kind)
    with guarded("writing the report", OutputError):
        if place is not None:
            place.write_text(text, encoding="utf-8")
        if beside is not None:
            beside.write_text(dump(content), encoding="utf-8")
    return text, place


def _page_of(evidence: Path, *, with_later: bool) -> Path:
    """Where the page of an evidence file goes if nobody says."""
    if not with_later:
        return evidence.with_suffix(".html")
    return evidence.with_name(next(stems(evidence)) + ATTACKED[0])


def _drawn(
    content: Mapping[str, Any], before: Mapping[str, Any] | None, joined: Mapping[str, Any] | None, kind: str
) -> str:
    if kind == "html":
        return render(content, before, joined)
    if kind == "markdown":
        return render_markdown(content, before, joined)
    return {"text": render_text, "junit": render_junit, "sarif": render_sarif}[kind](content)


def compare_reports(before: Path, after: Path) -> tuple[list[str], list[Change]]:
    """What is weaker in the second of two evidence files, in words, and all that differs."""
    one, other = read_evidence(before), read_evidence(after)
    return weaker(one, other), changes(one, other)


def scrub(policy: Policy | Mapping[str, Any] | str | Path, series: pl.Series) -> Scrubbed:
    """Scrub one column of text by the policy's text options.

    Returns the text and its spans: row, start, end (code points, end exclusive), entity, score, rule. Under
    `deduplicate` a text that repeats an earlier one is null. Raises CallError where the policy's key is missing.
    """
    from anonym.text.duplicates import duplicates
    from anonym.text.scrub import Scrubber

    loaded = policy if isinstance(policy, Policy) else Policy.load(policy)
    if series.dtype not in (pl.String, pl.Categorical, pl.Enum, pl.Null):
        raise InputError(f"a column of text is expected, found {series.dtype.base_type()}")
    keyring = read_keys([Key(loaded.text.key)] if loaded.text.key is not None else [], loaded.base)
    result = Scrubber(loaded.text, text_key(loaded, keyring)).scrub(series.cast(pl.String))
    repeated = duplicates(loaded.text.deduplicate)
    if repeated is None:
        return result
    return replace(result, text=result.text.set(~repeated.first(result.text), None))
