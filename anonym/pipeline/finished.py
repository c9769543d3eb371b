"""Whether a run has been done already: the same files, policy, keys, options, versions, and its release untouched."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from anonym.columns.keys import Keyring
from anonym.io import Source
from anonym.io.source import file_sha256
from anonym.pipeline.evidence import versions
from anonym.pipeline.reported import PLAN, REPORTS, evidence_beside
from anonym.policy.model import Policy
from anonym.search.plan import Plan
from anonym.search.secret_plan import SecretPlan


def identity(
    policy: Policy,
    source: Source,
    keyring: Keyring,
    plan: Plan | SecretPlan | None,
    others: Iterable[Path],
    form: Sequence[str],
) -> str:
    """SHA-256, in hexadecimal, of all that a run depends on.

    Files count by path, size, times and inode, never by content, which a reader of the report could then guess at:
    those of the input, those that the policy names, and `others`. Keys count by id. `form` is the output's ending,
    whether a secret plan is kept, and the columns by which it is partitioned.
    """
    files = [*(mark.path for mark in source.files), *_named(policy.raw, policy.base), *others]
    what = {
        "policy": [policy.sha256, policy.seed, str(policy.attacks.hold_out)],
        "plan": plan.sha256 if isinstance(plan, SecretPlan) else None if plan is None else plan.dump(),
        "files": [_mark(path) for path in files],
        "keys": keyring.ids,
        "versions": versions(),
        "form": list(form),
    }
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()


def finished(output: Path, run: str) -> dict[str, Any] | None:
    """The evidence of the finished run of that identity, if its release, plan and page still stand at `output`.

    The release gets its name last, and its hash is in the evidence: so the evidence is the run's manifest.
    """
    evidence = evidence_beside(output)
    if evidence is None or evidence["environment"].get("run") != run:
        return None
    files = evidence["environment"]["files"]
    places = {"release": output, "plan": output.with_name(output.stem + PLAN)}
    if not all(place.exists() for place in (output.with_name(output.stem + REPORTS[0]), *(places[n] for n in files))):
        return None
    return evidence if all(file_sha256(places[name]) == files[name] for name in files) else None


def _named(raw: Any, base: Path) -> Iterator[Path]:
    """The files that a policy names, wherever it does."""
    if isinstance(raw, Mapping):
        raw = list(raw.values())
    if isinstance(raw, Sequence) and not isinstance(raw, str):
        for inside in raw:
            yield from _named(inside, base)
    elif isinstance(raw, str) and os.path.isfile(base / raw):  # False, too, for what no file can be called
        yield base / raw


def _mark(path: Path) -> list[str | int]:
    """What changes whenever a file does: the time of its last change of state cannot be set by anybody."""
    state = path.stat()
    return [str(path.absolute()), state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino]
