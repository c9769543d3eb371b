"""What the files of a report tell of its numbers: the released file, its plan and policy, later attacks, a ledger."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonym import __version__
from anonym.errors import InputError
from anonym.io.formats import KINDS
from anonym.io.source import file_sha256
from anonym.pipeline.attack_records import taken_up
from anonym.pipeline.beside import attacks_beside, plan_beside, stems
from anonym.pipeline.checking import check_file
from anonym.pipeline.column_evidence import action_of
from anonym.pipeline.evidence import policy_part
from anonym.pipeline.reported import REPORTS
from anonym.pipeline.training import of_release, state_ledger
from anonym.policy.model import Policy
from anonym.report.asked import NO_EARLIER
from anonym.report.evidence import complete, plain
from anonym.report.html import render

MEASURED = ("guarantee", "classes", "risk")  # what a released file tells by itself
COMPUTED = ("verdict", "limits")
TYPED = ("parquet", "arrow")  # formats that keep the types of columns


@dataclass(frozen=True)
class Named:
    """The files that a call names; what it does not name is looked for beside the report."""

    policy: Path | None = None
    release: Path | None = None
    original: Sequence[Path] = ()
    exclude_units: Path | None = None
    earlier: tuple[Path, ...] = ()
    attacks: Sequence[Path] = ()
    ledger: Path | None = None
    plan: Path | None = None  # the secret plan that the release followed; of another one it is beside the report


@dataclass(frozen=True)
class Report:
    """A report with the files that it is about."""

    path: Path
    evidence: Mapping[str, Any]
    policy_path: Path
    policy: Policy
    release: Path
    named: Named

    @property
    def plan(self) -> Path:
        return plan_beside(self.path, self.release)

    @property
    def files(self) -> Mapping[str, str]:
        """The hashes that the report tells of files."""
        return self.evidence["environment"].get("files", {})  # type: ignore[no-any-return]


def of_files(report: Report) -> dict[str, Any]:
    """What can be said without the original; what the release does not tell (units it does not hold) is left out."""
    evidence, policy = report.evidence, report.policy
    found: dict[str, Any] = {**policy_part(policy), "environment": {"files": dict(_hashes(report))}}
    try:
        alone = check_file(report.policy_path, report.release).evidence
    except InputError:
        if policy.sha256 == evidence["policy"]["sha256"]:
            raise
        return dict(plain(found))  # another policy, of other columns: nothing of it can be measured on this release
    earlier = report.named.earlier
    measured = check_file(report.policy_path, report.release, earlier).evidence if earlier else alone
    knows_members = policy.unit is None or measured["output"]["units"] is not None
    found |= _known({key: measured[key] for key in MEASURED} if knows_members else _over_rows(measured))
    found["output"] = {"rows": alone["output"]["rows"], **_digest(alone, report.release)}
    if evidence["search"] is not None:
        found |= _arithmetic(evidence, alone)
    found["columns"] = [_told(column, policy, knows_members) for column in measured["columns"]]
    given = {key: part for key, part in evidence.items() if key not in (*COMPUTED, "thresholds")}
    stated = complete(given | policy_part(policy))
    found |= {key: part for key, part in stated.items() if key in (*COMPUTED, "thresholds")}
    return dict(plain(found))


def _digest(alone: Mapping[str, Any], release: Path) -> dict[str, Any]:
    """The digest, where the file keeps the types that it goes by. Of CSV and JSON lines the hash stands for it."""
    return {"digest": alone["output"]["digest"]} if KINDS.get(release.suffix.lower()) in TYPED else {}


def _hashes(report: Report) -> Iterator[tuple[str, str | None]]:
    """Of the files that the report tells the hash of; None where one is not there."""
    yield "release", file_sha256(report.release)
    if "plan" in report.files:
        yield "plan", file_sha256(report.plan) if report.plan.is_file() else None
    places = (report.path.with_name(stem + REPORTS[1]) for stem in stems(report.path))
    before = next((place for place in places if place.is_file() and place != report.path), None)
    if "evidence" in report.files and before is not None:
        yield "evidence", file_sha256(before)


def _told(column: Mapping[str, Any], policy: Policy, knows_members: bool) -> dict[str, Any]:
    """What policy and release say of a column."""
    name = column["name"]
    known = {"k_if_known": column["k_if_known"]} if knows_members and "k_if_known" in column else {}
    action = {"action": action_of(policy.columns[name])} if name in policy.columns else {}
    return {"name": name, "role": column["role"], "form": column["form"], **action, **known}


def _over_rows(measured: Mapping[str, Any]) -> dict[str, Any]:
    """What a release that does not hold its units tells all the same."""
    k, classes = measured["guarantee"]["k"], measured["classes"]
    return {
        "guarantee": {"k": None if k is None else {"required": k["required"], "rows": k["rows"]}},
        "classes": {"count": classes["count"], "average": classes["average"]},
    }


def _known(part: Any) -> Any:
    """The part without what is null in it: that was not measured."""
    if isinstance(part, Mapping):
        return {key: _known(item) for key, item in part.items() if item is not None}
    return part


def _arithmetic(evidence: Mapping[str, Any], measured: Mapping[str, Any]) -> dict[str, Any]:
    """What follows from the numbers of rows."""
    rows, left = evidence["input"]["rows"], measured["output"]["rows"] - (measured["suppression"]["rows"] or 0)
    if rows is None:
        return {}
    gone = rows - left
    return {"suppression": {"rows": gone, "rate": gone / rows if rows else None}}


def later_runs(report: Report) -> tuple[list[dict[str, Any]], bool]:
    """Later attacks by their files, and whether all files are at hand; of one that is not, what it must be about."""
    runs = report.evidence.get("later", ())
    paths = [attacks_beside(report.path, run["sha256"], report.named.attacks) for run in runs]
    about = {"release": file_sha256(report.release), "policy": report.policy.sha256}
    found = [about if path is None else taken_up(path) | about for path in paths]
    return list(plain(found)), None not in paths


def trained(report: Report, ledger: Path) -> dict[str, Any]:
    """The statement of a ledger on private training, without what was declared beside it."""
    statement = of_release(state_ledger(ledger), report.evidence)
    return dict(plain({key: part for key, part in statement.items() if key != "outside"}))


def pages(report: Report) -> tuple[str | None, str | None]:
    """SHA-256 of the page beside the report, and of the page that this evidence draws.

    The first is None where there is no page, the second where the page cannot be drawn again: it was drawn by another
    version, or beside an earlier report.
    """
    page = report.path.with_suffix(".html")
    if not page.is_file():
        return None, None
    here = report.evidence["environment"].get("versions", {}).get("anonym") == __version__
    alone = NO_EARLIER in page.read_text(encoding="utf-8", errors="replace")
    drawn = hashlib.sha256(render(report.evidence).encode()).hexdigest() if here and alone else None
    return file_sha256(page), drawn
