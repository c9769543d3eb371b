"""Attacks that were run on a release after it was made: written to a file, and taken up into evidence of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

from anonym.attacks.outcome import AttackResult
from anonym.errors import CallError, InputError, OutputError
from anonym.io import guarded, open_paths, refuse_existing
from anonym.io.source import file_sha256
from anonym.pipeline.applying import read_options
from anonym.pipeline.checking import release_options
from anonym.pipeline.reported import read_evidence
from anonym.policy.model import Policy
from anonym.report import schema
from anonym.report.evidence import complete, plain, reopened
from anonym.report.fields import AttackRecord

VERSION = "anonym.attacks/1"


def write_record(
    output: Path,
    policy: Path,
    release: Path,
    results: Sequence[AttackResult],
    *,
    tables: Mapping[str, Sequence[Path]],
    options: Mapping[str, object],
    force: bool,
) -> None:
    """Write what a run of attacks found to `output`, with the hashes of the release and of the policy.

    Of the `tables` only the number of rows is told: a hash of a raw table would let anyone test a guess of it. Raises
    CallError where the place is taken and not `force`.
    """
    refuse_existing(output, force=force)
    loaded = Policy.load(policy)
    record = {
        "schema": VERSION,
        "release": file_sha256(release),
        "policy": loaded.sha256,
        "rows": {name: _rows(loaded, name, paths) for name, paths in tables.items() if paths},
        "options": {name: str(value) for name, value in options.items() if value},
        "attacks": [result.as_dict() for result in results],
    }
    text = json.dumps(plain(record), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    with guarded("writing the attacks", OutputError):
        output.write_text(text, encoding="utf-8")


def _rows(policy: Policy, name: str, paths: Sequence[Path]) -> int:
    options = release_options(policy) if name == "against" else read_options(policy)
    with guarded("counting the rows of a table of the attack"):
        return sum(open_paths([path], options).frame.select(pl.len()).collect().item() for path in paths)


@cache
def record_schema() -> dict[str, Any]:
    """The JSON Schema of `anonym.attacks/1`; not to be changed."""
    return schema.of(AttackRecord, "urn:anonym:attacks:1", VERSION)


def read_record(path: Path) -> dict[str, Any]:
    """What `anonym attack -o` wrote. Raises InputError where it is none of this version."""
    with guarded("reading the attacks"):
        text = path.read_bytes()
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(f"{path.name} is not JSON: name a file that `anonym attack -o` wrote") from None
    if faults := schema.faults(content, record_schema()):
        raise InputError(
            f"{path.name} is not what `anonym attack -o` writes ({len(faults)} faults, first: {faults[0]})"
        )
    return dict(content)


def taken_up(path: Path) -> dict[str, Any]:
    """A later run as it stands in evidence."""
    record = read_record(path)
    return {"sha256": file_sha256(path), **{key: part for key, part in record.items() if key != "schema"}}


def with_attacks(evidence: Path, records: Sequence[Path]) -> dict[str, Any]:
    """The evidence with the attacks of `records` too, judged anew; the file itself stays as it is.

    Raises CallError where a record is of another file or policy than the evidence, or is in it already.
    """
    facts = reopened(read_evidence(evidence))
    files = facts["environment"].get("files", {})
    later = [*facts.get("later", ())]
    for path in records:
        run = taken_up(path)
        _refuse_strange(path, run, facts, later)
        later.append(run)
    facts["later"] = later
    facts["environment"] |= {"files": {"evidence": file_sha256(evidence), **files}}
    return dict(complete(facts))


def _refuse_strange(
    path: Path, run: Mapping[str, Any], facts: Mapping[str, Any], later: Sequence[Mapping[str, Any]]
) -> None:
    released = facts["environment"].get("files", {}).get("release")
    if released is None:
        raise CallError("this evidence is of no released file, so no attack on one belongs to it")
    if run["release"] != released:
        raise CallError(f"{path.name} is of another file than the release of this report: attack that one")
    if run["policy"] != facts["policy"]["sha256"]:
        raise CallError(f"{path.name} was made under another policy than this report: attack under that one")
    if run["sha256"] in [one["sha256"] for one in later]:
        raise CallError(f"the attacks of {path.name} are in this report already: name each file once")
