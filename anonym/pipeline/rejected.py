"""The evidence of a run that was refused: what was promised, what was found, and that nothing was released."""

from __future__ import annotations

from typing import Any

import polars as pl

from anonym.errors import AnonymError, GuaranteeError, InconclusiveError, VerificationError
from anonym.io import Source, guarded
from anonym.pipeline.column_evidence import role_name
from anonym.pipeline.evidence import Clock, blank, file_names, policy_part
from anonym.pipeline.recall_gate import NoEvidence
from anonym.policy.model import Policy, Quasi
from anonym.report.evidence import complete


def rejected_evidence(policy: Policy, source: Source, error: AnonymError, clock: Clock) -> dict[str, Any]:
    """Evidence with a verdict that does not hold. `error` may carry the facts of a written, rejected release."""
    reasons = (
        error.failures
        if isinstance(error, VerificationError)
        else [line.strip() for line in str(error).splitlines() if line.strip()]
    )
    written = error.evidence if isinstance(error, GuaranteeError | InconclusiveError | VerificationError) else {}
    facts = (written or _nothing_written(policy, source, error)) | {
        "verdict": {"holds": False, "reasons": list(reasons)}
    }
    facts.setdefault("environment", clock.environment(None, {}))
    return dict(complete(facts))


def _nothing_written(policy: Policy, source: Source, error: AnonymError) -> dict[str, Any]:
    found = error.found if isinstance(error, GuaranteeError | NoEvidence) else {}
    facts = blank(policy) | policy_part(policy)
    with guarded("counting rows"):
        rows = source.frame.select(pl.len()).collect().item()
    facts["input"] |= {"rows": rows, "paths": file_names(source.paths)}
    if facts["guarantee"]["k"] is not None:
        facts["guarantee"]["k"]["achieved"] = found.get("k")
    facts["recall"] = found.get("recall")
    facts["columns"] = [
        {
            "name": column.name,
            "role": role_name(column.role),
            "action": "none",
            "form": column.role.form if isinstance(column.role, Quasi) else None,
            "loss": None,
            "levels": None,
        }
        for column in policy.resolve(source.schema)
    ]
    return facts
