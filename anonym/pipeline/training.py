"""Private training into the release's report: the ledger's statement in its place, the page drawn again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from anonym.dp import extra
from anonym.dp.ledger import SPENDING, Ledger
from anonym.dp.plan import OUTSIDE
from anonym.dp.statement import at_most, factor, training_statement
from anonym.errors import InputError, OutputError
from anonym.io import guarded, private_file
from anonym.pipeline.reported import read_evidence
from anonym.report.evidence import complete, dump, reopened
from anonym.report.html import render

WHOLE = "From input to model: the release changed each row by itself and under a fixed plan, so epsilon covers it too."


def read_ledger(path: Path) -> Ledger:
    """The ledger in a file. Raises InputError where there is none or its chain is broken."""
    if not path.exists():
        raise InputError(f"there is no ledger {path.name}")
    with guarded("reading the ledger"):
        return Ledger(path)


def state_ledger(path: Path, audits: Sequence[Mapping[str, Any]] = (), outside: Sequence[str] = ()) -> dict[str, Any]:
    """The statement on a ledger's last training run and on everything spent with it, computed from the file alone.

    Raises CallError where there was no training, or where the extra `dp` is not installed.
    """
    with extra.needed():
        statement = training_statement(read_ledger(path), outside=[*outside, *OUTSIDE])
    return {**statement, "audits": [dict(audit) for audit in audits]} if audits else statement


def record_training(report: Path, statement: Mapping[str, Any]) -> dict[str, Any]:
    """Put a statement (of a run, or of a ledger) into the evidence at `report`, and draw its page again.

    The statement's `says` gains what is true of this release: end-to-end ε is claimed only where the release was made
    row by row under a plan that no row had a part in. Raises InputError where `report` is no evidence, OutputError
    where it cannot be written.
    """
    evidence = read_evidence(report)
    found = complete(reopened(evidence) | {"training": of_release(statement, evidence)})
    _replace(report, dump(found))
    page = report.with_suffix(".html")
    if page.exists():
        _replace(page, render(found))
    return dict(found)


def of_release(statement: Mapping[str, Any], evidence: Mapping[str, Any]) -> dict[str, Any]:
    """The statement as it stands in the evidence of a release."""
    whole = row_wise(evidence)
    return {**statement, "says": [*statement.get("says", ()), *([WHOLE] if whole else [])], "end_to_end": whole}


def row_wise(evidence: Mapping[str, Any]) -> bool:
    """Whether the release was made of each row alone: no search, no suppression by count, no repeated text left out."""
    text = evidence["text"].values()
    return (
        evidence["search"] is None
        and evidence["guarantee"]["k"] is None
        and not evidence["suppression"]["rows"]
        and not any(part.get("duplicates") for part in text)
    )


def _replace(path: Path, text: str) -> None:
    """Whole or not at all, with the mode that the file has."""
    with guarded("writing the report", OutputError):
        mode = path.stat().st_mode & 0o777
        with private_file(path) as file:
            file.write(text.encode())
        path.chmod(mode)


def read_audits(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """The results that `anonym audit --json` printed to files."""
    found: list[dict[str, Any]] = []
    for path in paths:
        with guarded("reading an audit"):
            text = path.read_text(encoding="utf-8")
        try:
            content = json.loads(text)
        except (ValueError, RecursionError):
            content = None
        if not isinstance(content, dict) or "audit" not in content:
            raise InputError(f"{path.name} is not what `anonym audit --json` prints")
        found.append(content)
    return found


def lines(statement: Mapping[str, Any]) -> list[str]:
    """A statement as lines of text."""
    held = statement["ledger"]
    spent = ", ".join(f"{held[kind]} {kind}{'s' if kind == 'statistic' else ' runs'}" for kind in SPENDING)
    return [
        f"ε {at_most(statement['epsilon'])} per {statement['unit']} at δ {statement['delta']:g}, "
        f"{statement['accountant']}; odds × {factor(statement['epsilon'])}; the policy allows {statement['limit']:g} "
        f"for {statement['exposure']}",
        f"{statement['adjacency']}; {statement['sampler']}",
        f"last training: ε {at_most(statement['epsilon_of_run'])}, σ {statement['noise_multiplier']:.4g}, "
        f"q {statement['sample_rate']:.4g}, {statement['steps']} steps, C {statement['clipping_bound']:g}, "
        f"N {statement['units']}",
        f"ledger: {held['entries']} entries ({spent}), head {held['head']}",
        *statement["says"],
        "Outside the accountant:",
        *(f"  {step}" for step in statement["outside"]),
    ]
