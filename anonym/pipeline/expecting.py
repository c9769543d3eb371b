"""From a policy to a suite of Great Expectations, as JSON: no data is read, and the library is not needed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from anonym.errors import CallError, OutputError
from anonym.io import guarded, refuse_existing
from anonym.io.source import file_sha256
from anonym.pipeline.facts import facts_of
from anonym.pipeline.reported import read_evidence
from anonym.policy.globs import entries_of, is_glob
from anonym.policy.model import Drop, Policy
from anonym.policy.resolve import ResolvedColumn
from anonym.report.left_in_text import told
from anonym.rules import rules_folder
from anonym.verify.facts import Facts, SensitiveFact

Expectation = dict[str, Any]
INVENTED = ("surrogate", "pseudonym")  # what stands in a text then, rules would take for the real thing


def expectations(
    policy: Policy, evidence: Mapping[str, Any] | None = None, folder: Path | None = None
) -> dict[str, Any]:
    """The suite of `policy`. With the evidence of a release also its suppression, and columns that globs stand for.

    Hierarchy files are named relative to `folder` (default: the working folder), where the suite will be, with their
    hashes; shipped ones by their place in the package.

    Raises CallError where the policy names released columns by globs and no evidence tells which there are, and where
    the evidence is another policy's.
    """
    if evidence is not None and evidence["policy"]["sha256"] != policy.sha256:
        raise CallError("the report is of another policy: give the report of a release under this one")
    facts = facts_of(policy, _columns(policy, evidence))
    found = list(_expected(policy, facts, evidence, folder or Path.cwd()))
    notes = list(_notes(policy, facts, evidence))
    return {
        "name": f"{policy.name}-release",
        "expectations": [one | {"meta": {"policy": policy.sha256}, "severity": "critical"} for one in found],
        "meta": {"anonym": {"policy": policy.sha256, "import": "anonym.report.expectations", "not_checked": notes}},
    }


def write_expectations(policy: Path, output: Path, report: Path | None, *, force: bool) -> dict[str, Any]:
    """Write the suite of a policy file; returns it. Raises CallError where `output` exists and not `force`."""
    refuse_existing(output, force=force)
    evidence = None if report is None else read_evidence(report)
    suite = expectations(Policy.load(policy), evidence, output.absolute().parent)
    with guarded("writing the suite", OutputError):
        output.write_text(json.dumps(suite, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return suite


def _columns(policy: Policy, evidence: Mapping[str, Any] | None) -> tuple[ResolvedColumn, ...]:
    globs = tuple(name for name in policy.columns if is_glob(name))
    if evidence is None:
        if any(not isinstance(policy.columns[name], Drop) for name in globs):
            raise CallError("the policy names columns by globs: say with --report which ones a release has")
        names = [name for name in policy.columns if name not in globs]
    else:
        names = [column["name"] for column in evidence["columns"]]
    patterns = {name: next(iter(entries_of(name, policy.columns, globs)), None) for name in names}
    patterns |= {name: name for name in names if name in policy.columns}
    return tuple(
        ResolvedColumn(name, pl.Null(), policy.columns[pattern] if pattern else Drop(), pattern)
        for name, pattern in patterns.items()
    )


def _unit(facts: Facts) -> str | None:
    """The released column that tells units apart: tokens, or the unit's own column as it was."""
    tokens = [fact.name for fact in facts.identifiers if fact.kind in ("pseudonym", "surrogate")]
    return facts.unit if facts.unit in (*facts.untouched(), *tokens) else None


def _expected(policy: Policy, facts: Facts, evidence: Mapping[str, Any] | None, folder: Path) -> Iterator[Expectation]:
    guarantee = policy.guarantee
    common: dict[str, Any] = {
        "quasi": [name for quasi in facts.quasi for name in quasi.released],
        "released": sorted(facts.released()),
        "unit": _unit(facts),
        "masks": guarantee is not None and guarantee.action == "mask",
    }
    if guarantee is not None and facts.quasi:
        yield _one("k_anonymous", common, k=guarantee.k, linkable=facts.linkable)
        yield from (one for fact in facts.sensitive for one in _of_sensitive(fact, common, facts, folder))
        if evidence is not None and evidence["suppression"].get("limit_rows") is not None:
            rows = {"rows_in": evidence["input"]["rows"], "rows_out": evidence["output"]["rows"]}
            counted = common | {"unit": None}
            if common["masks"]:  # empty rows stand in the file and are not counted
                rows["rows_out"] = evidence["input"]["rows"]
            limit_rows = evidence["suppression"]["limit_rows"]
            yield _one("suppression_within_limit", counted, **rows, limit_rows=limit_rows)
    yield _identifiers(policy, facts)


def _one(name: str, common: Mapping[str, Any], **more: Any) -> Expectation:
    given = {key: value for key, value in {**common, **more}.items() if value is not None}
    return {"type": f"expect_release_{name}", "kwargs": given}


def _of_sensitive(fact: SensitiveFact, common: Mapping[str, Any], facts: Facts, folder: Path) -> Iterator[Expectation]:
    bins = None if fact.bins is None else [fact.bins[0], [str(one) for one in fact.bins[1]]]
    if fact.l is not None and (fact.l[0] == "distinct" or not _unjudged(facts)):
        kind, *figures = fact.l  # recursive: c, then l
        c = figures[0] if kind == "recursive" else None
        yield _one("l_diverse", common, column=fact.name, kind=kind, bins=bins, l=figures[-1], c=c)
    if fact.t is not None and not _unjudged(facts):
        yield _one(
            "t_close",
            common,
            column=fact.name,
            max=fact.t.max,
            distance=fact.t.distance,
            order=list(fact.t.order) if fact.t.order else None,
            hierarchy=None if fact.t.file is None else _place(fact.t.file, folder),
            bins=bins,
        )


def _place(file: Path, folder: Path) -> dict[str, str]:
    """Where a hierarchy file is for whoever reads the suite, and that it is still the same."""
    place, shipped = file.resolve(), rules_folder().resolve()
    if place.is_relative_to(shipped):
        return {"shipped": place.relative_to(shipped).as_posix(), "sha256": file_sha256(place)}
    return {"path": Path(os.path.relpath(place, folder.resolve())).as_posix(), "sha256": file_sha256(place)}


def _unjudged(facts: Facts) -> bool:
    """Whether units are promised and the release does not tell them apart: rows then say nothing of t and entropy."""
    return facts.unit is not None and _unit(facts) is None


def _identifiers(policy: Policy, facts: Facts) -> Expectation:
    kinds = {fact.name: fact.kind for fact in facts.identifiers}
    surrogates = [name for name, kind in kinds.items() if kind == "surrogate"]
    invents = policy.text.replace in INVENTED
    given = {
        "gone": sorted([*facts.dropped, *(name for name, kind in kinds.items() if kind == "dropped")]),
        "redacted": [name for name, kind in kinds.items() if kind == "redacted"],
        "tokens": [name for name, kind in kinds.items() if kind == "pseudonym"],
        "unsearched": [*surrogates, *(facts.text if invents else ())],
        "texts": [] if invents else list(facts.text),
        "rules": told(policy.text),
    }
    return {"type": "expect_release_no_identifiers_left", "kwargs": given}


def _notes(policy: Policy, facts: Facts, evidence: Mapping[str, Any] | None) -> Iterator[str]:
    """What the suite does not check."""
    if evidence is None:
        yield "suppression: the policy does not tell how many rows there were (--report does)"
    if _unjudged(facts):
        yield "units: the release does not hold the unit, so k and distinct l are counted over rows"
        yield "entropy l, recursive l and t: over rows they say nothing of units"
    if facts.text and policy.text.replace in INVENTED:
        yield f"text: not searched, as it holds {policy.text.replace}s"
    elif facts.text:
        yield "text: searched by the scrubber's rules only; names that it takes a model to find are not"
