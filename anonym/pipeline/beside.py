"""What a report is about, looked for beside it: policy and later attacks by hash, release and plan by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from anonym.errors import CallError, PolicyError
from anonym.io.formats import KINDS
from anonym.io.source import file_sha256
from anonym.pipeline.reported import ATTACKED, PLAN, REPORTS
from anonym.policy.model import Policy


def stems(report: Path) -> Iterator[str]:
    """What the release of a report may be called, without its ending: evidence with later attacks has a longer one."""
    for ending in (REPORTS[1], ATTACKED[1]):
        if report.name.endswith(ending):
            yield report.name.removesuffix(ending)
    yield report.stem


def release_beside(report: Path) -> Path:
    """The released file beside its report. Raises CallError where there is none."""
    for stem in stems(report):
        for ending in KINDS:
            place = report.with_name(stem + ending)
            if place.exists():
                return place
    raise CallError("the release of this report is not beside it: name it with --release")


def plan_beside(report: Path, release: Path | None = None) -> Path:
    """Where the plan of a report's release is: beside the report, or beside the `release`."""
    places = [report.with_name(stem + PLAN) for stem in stems(report)]
    places += [] if release is None else [release.with_name(release.stem + PLAN)]
    return next((place for place in places if place.is_file()), places[0])


def policy_beside(report: Path, evidence: Mapping[str, Any]) -> Path:
    """The policy of a report, found by its hash beside it, above, or in the working folder. Raises CallError."""
    wanted = evidence["policy"]["sha256"]
    for path in (path for ending in ("*.yaml", "*.yml") for path in _near(report, ending)):
        try:
            if Policy.load(path).sha256 == wanted:
                return path
        except PolicyError:
            continue
    raise CallError("the policy of this report is not beside it: name it with --policy")


def attacks_beside(report: Path, sha256: str, named: Sequence[Path]) -> Path | None:
    """The file of a later run of attacks by its hash: one that was named, or one beside the report; else None."""
    return next((path for path in (*named, *_near(report, "*.json")) if file_sha256(path) == sha256), None)


def _near(report: Path, pattern: str) -> Iterator[Path]:
    """Files beside the report, then in the folder above, where `anonym demo` has its policy, then here."""
    here = report.absolute().parent
    for folder in dict.fromkeys([here, here.parent, Path.cwd()]):
        yield from (path for path in sorted(folder.glob(pattern)) if path.is_file())
