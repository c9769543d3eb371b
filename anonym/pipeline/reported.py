"""The evidence of a finished run, as it stands beside its release."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from anonym.errors import CallError, InputError
from anonym.io import guarded
from anonym.io.formats import KINDS
from anonym.io.source import file_sha256
from anonym.report.evidence import validate
from anonym.report.figures import plural

REPORTS = (".report.html", ".report.json")
REJECTED = (".rejected.report.html", ".rejected.report.json")
ATTACKED = (".attacked.report.html", ".attacked.report.json")  # with attacks that were run later
PLAN = ".plan.json"


def read_evidence(path: Path) -> dict[str, Any]:
    """The evidence in a file. Raises InputError where it is none of this version."""
    with guarded("reading the evidence"):
        text = path.read_bytes()
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(f"{path.name} is not JSON: name a *.report.json that anonym wrote") from None
    if faults := validate(content):
        raise InputError(f"{path.name} is not evidence of this version ({len(faults)} faults, first: {faults[0]})")
    return dict(content)


def options_of(evidence: Mapping[str, Any]) -> tuple[int | None, Decimal | None]:
    """The seed and the share held out of the run of this evidence; None where they were not recorded.

    Raises InputError where they are no numbers.
    """
    options = evidence["environment"].get("options", {})
    seed, share = options.get("seed"), options.get("hold_out")
    try:
        return None if seed is None else int(seed), None if share is None else Decimal(share)
    except (ValueError, InvalidOperation):
        raise InputError("the report's environment.options (seed, hold_out) are no numbers: it was changed") from None


def refuse_another_release(expected: Mapping[str, Any] | None, found: Mapping[str, Any]) -> None:
    """Raises InputError where the release of `found` is not the one of `expected`, by the digest of its classes."""
    if expected is None:
        return
    was, now = ((part["output"]["digest"], part["output"]["rows"]) for part in (expected, found))
    if was == now:
        return
    old, new = (part["environment"].get("versions", {}) for part in (expected, found))
    changed = [
        f"{name} {old.get(name, 'absent')}, now {new.get(name, 'absent')}"
        for name in old | new
        if old.get(name) != new.get(name)
    ]
    raise InputError(
        "what was made is not the release of the report: "
        f"{expected['input']['rows']} rows in and {was[1]} out then, {found['input']['rows']} in and {now[1]} out now"
        + (f" ({'; '.join(changed)})" if changed else " (the same versions, so another input)")
        + "; nothing was released"
    )


def hashes_of(earlier: Sequence[Path]) -> tuple[str, ...]:
    """The hashes of files released before. Raises CallError where one is named twice: its rows would count double."""
    hashes = tuple(file_sha256(path) for path in earlier)
    if len(set(hashes)) < len(hashes):
        raise CallError("two of the files released before are the same: name each once")
    return hashes


def refuse_other_files(evidence: Mapping[str, Any], earlier: Sequence[Path]) -> None:
    """Raises CallError where these are not the files together with which the release of the evidence was judged."""
    judged = evidence.get("batch", {}).get("sha256", [])
    if sorted(judged) == sorted(hashes_of(earlier)):
        return
    if not judged:
        raise CallError("this release was judged alone: leave out the files released before (--earlier)")
    raise CallError(
        f"this release was judged together with {plural(len(judged), 'file')} released before: name just what was "
        "named then, with --earlier"
    )


def evidence_beside(release: Path) -> dict[str, Any] | None:
    """The evidence beside a release, or None where there is none of this version."""
    try:
        return read_evidence(release.with_name(release.stem + REPORTS[1]))
    except InputError:
        return None


def refuse_namesake(output: Path) -> None:
    """Raises CallError where a release of the same stem stands, whose report and plan this one's would replace."""
    if not output.with_name(output.stem + REPORTS[1]).exists():
        return
    others = (output.with_name(output.stem + ending) for ending in KINDS if ending != output.suffix)
    if other := next((path for path in others if path.exists()), None):
        raise CallError(
            f"{other.name} has a report of the same name, which would be replaced: choose another stem, or add --force"
        )
