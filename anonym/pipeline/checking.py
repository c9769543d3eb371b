"""`check`: the guarantee recomputed from a released table alone."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from anonym.errors import CallError, InputError
from anonym.io import Source, guarded, open_frame, open_paths
from anonym.io.source import ReadOptions, file_sha256
from anonym.pipeline.column_evidence import role_name
from anonym.pipeline.evidence import Clock, blank, policy_part
from anonym.pipeline.facts import facts_of, promised_columns
from anonym.pipeline.measured_evidence import measured_part
from anonym.pipeline.reported import hashes_of
from anonym.pipeline.transform import masks_rows
from anonym.policy.model import Keep, Policy, Quasi, Sensitive
from anonym.report.evidence import complete
from anonym.report.figures import listed, plural
from anonym.verify.facts import Facts
from anonym.verify.measure import Measured, Reached, holds, measure
from anonym.verify.rows import MARK


@dataclass(frozen=True)
class Verdict:
    """Whether the guarantee holds of a released table, why not, and what was measured."""

    holds: bool
    reasons: tuple[str, ...]
    evidence: dict[str, Any]


def check_file(policy: str | Path, release: Path, earlier: Sequence[Path] = ()) -> Verdict:
    """Check a released file, under `batch: union` together with those released `earlier`.

    Raises InputError where it lacks a column of the policy or has one more.
    """
    loaded = Policy.load(policy)
    if earlier and loaded.batch != "union":
        raise CallError("earlier files count only under `batch: union`: leave them out")
    told = _told(release)
    source, own = open_paths([release], release_options(loaded, _texts(told))), told is not None
    if not earlier:
        return _check(loaded, source.frame, source.schema, own=own, name=release.name)
    with guarded("reading the files released before"):
        _, *hashes = hashes_of([release, *earlier])
        before = pl.concat([_before(path, loaded, source) for path in earlier], how="vertical_relaxed")
        kept = before.filter(~pl.col(MARK).fill_null(False)) if masks_rows(loaded) else before
        rows = int(kept.select(pl.len()).collect().item())
        frame = pl.concat([source.frame, before], how="vertical_relaxed")
    batch = {"kind": "union", "files": len(earlier), "rows": rows, "sha256": hashes}
    return _check(loaded, frame, source.schema, own=own, name=release.name, batch=batch)


def _before(path: Path, policy: Policy, source: Source) -> pl.LazyFrame:
    """A file released before, its columns in the order of the release's."""
    found = open_paths([path], release_options(policy))
    if set(found.schema) != set(source.schema):
        raise InputError(f"{path.name} has other columns than the release: it is of another policy")
    return found.frame.select(list(source.schema))


def check(policy: Policy | Mapping[str, Any] | str | Path, table: Any) -> Verdict:
    """Check a released table in memory. Rows that are `*` throughout count as suppressed, unless all rows are."""
    loaded = policy if isinstance(policy, Policy) else Policy.load(policy)
    source = open_frame(table)
    return _check(loaded, source.frame, source.schema, own=False, name=None)


def release_options(policy: Policy, texts: Collection[str] = ()) -> ReadOptions:
    """Labels in a CSV release are text: `01` and `1` are two of them. So are the columns `texts`."""
    quasi = {name for name, role in policy.columns.items() if isinstance(role, Quasi)}
    return ReadOptions(
        as_text=lambda name: name in quasi or name in texts, quoted=policy.formulas == "quote", hive_ok=True
    )


def _told(release: Path) -> Mapping[str, Any] | None:
    """The report beside the file, where it is about this very file: then it is ours."""
    report = release.with_name(release.stem + ".report.json")
    try:
        evidence = json.loads(report.read_text(encoding="utf-8"))
        files = evidence["environment"]["files"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return evidence if isinstance(files, dict) and files.get("release") == file_sha256(release) else None


def _texts(evidence: Mapping[str, Any] | None) -> frozenset[str]:
    """The columns that were text in the input: in a CSV file nothing else tells the text `01` from a number."""
    columns = [] if evidence is None else evidence.get("columns", [])
    return frozenset(column["name"] for column in columns if column.get("dtype") in ("String", "Categorical", "Enum"))


def _check(
    policy: Policy,
    frame: pl.LazyFrame,
    schema: Mapping[str, pl.DataType],
    *,
    own: bool,
    name: str | None,
    batch: Mapping[str, Any] | None = None,
) -> Verdict:
    clock = Clock()
    columns = promised_columns(policy, schema)
    facts = facts_of(policy, columns)
    unit = _unit_codes(frame, facts, schema)
    measured = measure(frame, facts, unit, own=own)
    broken = (str(failure) for failure in holds(measured, facts))
    reasons = (*broken, *_left(facts, schema), *_unredacted(frame, facts, schema))
    evidence = _evidence(policy, facts, measured, name, batch) | {
        "columns": [_column(column.name, column.role, measured) for column in columns],
        "verdict": {"holds": not reasons if measured.rows else None, "reasons": list(reasons)},
        "environment": clock.environment(None, {}),
    }
    whole = complete(evidence)  # adds what goes by the figures: thresholds
    return Verdict(not whole["verdict"]["reasons"], tuple(whole["verdict"]["reasons"]), dict(whole))


def _unit_codes(frame: pl.LazyFrame, facts: Facts, schema: Mapping[str, pl.DataType]) -> pl.LazyFrame | None:
    """The unit's own column, where the release has it as it was or as tokens, which tell units apart. Surrogates, which
    two units may share, and generalised, redacted and shifted values do not: units are then not checked, and the
    evidence says so.
    """
    tokens = [fact.name for fact in facts.identifiers if fact.kind == "pseudonym"]
    known = facts.unit in schema and facts.unit in (*facts.untouched(), *tokens)
    return frame.select(facts.unit) if facts.unit is not None and known else None


def _left(facts: Facts, schema: Mapping[str, pl.DataType]) -> Iterator[str]:
    gone = [*facts.dropped, *(fact.name for fact in facts.identifiers if not fact.released)]
    for name in gone:
        if name in schema:
            yield f"column {name} should have been dropped and is there"


def _unredacted(frame: pl.LazyFrame, facts: Facts, schema: Mapping[str, pl.DataType]) -> Iterator[str]:
    names = [fact.name for fact in facts.identifiers if fact.kind == "redacted" and fact.name in schema]
    for name in names:
        with guarded(f"reading column {name}"):
            marks = frame.select(pl.col(name).drop_nulls().n_unique()).collect().item()
        if marks > 1:
            yield f"column {name} should hold one redaction mark and holds {marks} different values"


def _column(name: str, role: object, measured: Measured) -> dict[str, Any]:
    form = role.form if isinstance(role, Quasi) else None
    known = {"k_if_known": measured.known.get(name)} if isinstance(role, Keep | Sensitive) else {}
    return {
        "name": name,
        "role": role_name(role),
        "action": "none",
        "form": form,
        "loss": None,
        "levels": None,
        **known,
    }


def _evidence(
    policy: Policy,
    facts: Facts,
    measured: Measured,
    name: str | None,
    batch: Mapping[str, Any] | None,
) -> dict[str, Any]:
    output = {
        "rows": measured.rows,
        "units": measured.units,
        "digest": measured.digest,
        "paths": [name] if name else [],
    }
    known = measured_part(policy, measured, facts) | {"output": output}
    limits = [*_of_batch(policy, batch), *_limits(measured, facts)]
    evidence = blank(policy) | policy_part(policy) | known | {"limits": limits}
    if batch is not None:
        evidence["batch"] = batch
    evidence["suppression"] |= {"rows": measured.suppressed}
    for reached in measured.diversity:
        if reached.required is not None and reached.achieved is None:  # a pair of nothing would read as unbounded
            evidence["guarantee"]["l"][reached.column]["achieved"] = None
    return evidence


def _of_batch(policy: Policy, batch: Mapping[str, Any] | None) -> Iterator[str]:
    """What the figures are of, where the policy counts classes over several files."""
    if batch is not None:
        files = plural(batch["files"], "file")
        yield f"All figures are of this file and {files} released before, read as one release."
    elif policy.batch == "union":
        yield "The files released before (batch: union) were not named: the file was checked alone."


def _limits(measured: Measured, facts: Facts) -> Iterator[str]:
    """What a released table cannot show: how many rows its input had, and what holds over a unit it does not have."""
    if facts.k is not None and facts.quasi:
        yield "The suppression limit was not checked: the release does not tell how many rows its input had."
    if facts.unit is None or measured.units is not None:
        return
    unjudged = [one for one in (*measured.diversity, *measured.closeness) if one.required is not None]
    distinct = [one.column for one in unjudged if one.kind == "distinct"]
    over_rows = [_named(one) for one in unjudged if one.over_rows is not None]
    if over_rows:
        yield (
            "l and t over units were not checked: the release does not hold the unit. "
            f"Over rows, which says nothing of units: {listed(over_rows)}."
        )
    if distinct:
        yield f"Distinct l of {listed(distinct)} was counted over rows: over units it may be less."


def _named(reached: Reached) -> str:
    """A measure over rows: `recursive l of dx (c 3, l 2)`, `ordered t of pay 0.25`."""
    figure = "unbounded" if reached.over_rows == math.inf else f"{reached.over_rows:.6g}"
    if reached.kind == "recursive":
        return f"recursive l of {reached.column} (c {figure}, l {reached.l})"
    return f"{reached.kind} {'l' if reached.kind == 'entropy' else 't'} of {reached.column} {figure}"
