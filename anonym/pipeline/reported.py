"""The evidence of a finished run, as it stands beside its release."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from anonym.errors import InputError
from anonym.io import guarded
from anonym.report.evidence import validate

REPORTS = (".report.html", ".report.json")
REJECTED = (".rejected.report.html", ".rejected.report.json")
PLAN = ".plan.json"


def read_evidence(path: Path) -> dict[str, Any]:
    """The evidence in a file. Raises InputError where it is none of this version."""
    with guarded("reading the evidence"):
        text = path.read_bytes()
    try:
        content = json.loads(text)
    except ValueError:
        raise InputError(f"{path.name} is not JSON: name a *.report.json that anonym wrote") from None
    if faults := validate(content):
        raise InputError(f"{path.name} is not evidence of this version ({len(faults)} faults, first: {faults[0]})")
    return dict(content)


def evidence_beside(release: Path) -> dict[str, Any] | None:
    """The evidence beside a release, or None where there is none of this version."""
    try:
        return read_evidence(release.with_name(release.stem + REPORTS[1]))
    except InputError:
        return None
