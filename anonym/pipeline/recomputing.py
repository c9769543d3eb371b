"""`verify`: the numbers of a report computed again from its files, and which of them hold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from anonym.errors import AnonymError, CallError, GuaranteeError, PolicyError, VerificationError
from anonym.io import PrivateFolder, open_paths
from anonym.io.formats import KINDS
from anonym.io.source import file_sha256
from anonym.pipeline.applying import Beside, make, read_options, with_options
from anonym.pipeline.checking import check_file
from anonym.pipeline.evidence import Clock, policy_part
from anonym.pipeline.following import following
from anonym.pipeline.progress import Progress
from anonym.pipeline.replanned import PLANNED, read_plan
from anonym.pipeline.reported import PLAN, REPORTS, options_of, read_evidence, refuse_other_files
from anonym.pipeline.uniting import WHY
from anonym.pipeline.withdrawing import read_units, withdraw
from anonym.policy.model import Policy
from anonym.report.difference import leaves
from anonym.report.evidence import complete, plain

MEASURED = ("guarantee", "classes", "risk")  # what a released file tells by itself
COMPUTED = ("verdict", "limits")
TOLERANCE = 1e-9  # relative; the report rounds to nine digits
Status = Literal["holds", "differs", "not recomputed"]


@dataclass(frozen=True)
class Line:
    """One number or word of the report. `found` is None where it was not computed again."""

    path: str
    reported: Any
    found: Any
    status: Status


def recompute(
    report: Path,
    *,
    policy: Path | None = None,
    release: Path | None = None,
    original: Sequence[Path] = (),
    exclude_units: Path | None = None,
    earlier: Sequence[Path] = (),
    progress: Progress | None = None,
) -> list[Line]:
    """Every number and word of `report`, but for its environment, beside what the files say.

    From the release alone: what its rows tell, the hashes, and what follows from other numbers of the report. With the
    `original` (and the keys of the policy) the release is made again in private, and everything is compared. The
    policy is looked for by its hash beside the report and in the working folder, the release beside the report;
    `exclude_units` is the file of those who had been left out, `earlier` are the files released before (batch: union).
    Raises CallError where one of them is missing, InputError where the report is none.
    """
    evidence = read_evidence(report)
    refuse_other_files(evidence, earlier)
    path = policy or policy_beside(report, evidence)
    loaded, file = Policy.load(path), release or release_beside(report)
    sources = [
        dict(leaves(_of_files(report, evidence, path, loaded, file, earlier))),
        dict(leaves(plain(following(evidence, loaded, plan_beside(report))))),
    ]
    whole = {"thresholds"}  # parts of which everything that there should be has been found
    if original and loaded.sha256 == evidence["policy"]["sha256"]:
        beside = (exclude_units, tuple(earlier))
        again = _made_again(report, evidence, loaded, file, original, *beside, progress or Progress())
        sources += [dict(leaves(again))]
        whole |= again.keys()
    found = {path: [source[path] for source in sources if path in source] for path in set().union(*sources)}
    reported = dict(leaves({key: part for key, part in evidence.items() if key != "environment"}))
    reported |= dict(leaves({"environment": {"files": evidence["environment"].get("files", {})}}))
    reported = {path: value for path, value in reported.items() if not _is_name(path)}
    anew = _drawn_anew(evidence)
    found = {path: values for path, values in found.items() if not path.startswith(anew)}
    unfound = (path for path in reported.keys() - found.keys() if not path.startswith(anew))
    found |= {path: [None] for path in unfound if path.split(".")[0] in whole}
    missing = {path: None for path in sorted(found.keys() - reported.keys()) if not _is_name(path) and any(found[path])}
    return [_line(path, value, found.get(path, [])) for path, value in (reported | missing).items()]


def refuse(lines: Sequence[Line]) -> None:
    """Raises GuaranteeError where a number does not hold."""
    wrong = [line.path for line in lines if line.status == "differs"]
    if wrong:
        judged = sum(line.status != "not recomputed" for line in lines)
        shown = ", ".join(wrong[:12]) + (f" and {len(wrong) - 12} more" if len(wrong) > 12 else "")
        raise GuaranteeError(f"{len(wrong)} of {judged} numbers do not hold: {shown}")


def _line(path: str, reported: Any, found: Sequence[Any]) -> Line:
    """A number holds where it is what the files say and what was made again."""
    if not found:
        return Line(path, reported, None, "not recomputed")
    wrong = [one for one in found if not _equal(reported, one)]
    return Line(path, reported, wrong[0] if wrong else found[0], "differs" if wrong else "holds")


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, float | int) and isinstance(other, float | int) and not isinstance(one, bool):
        return math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=0.0)
    return bool(one == other)


def _drawn_anew(evidence: Mapping[str, Any]) -> tuple[str, ...]:
    """How the paths begin of counts of surrogates that another run draws anew: those of scope `release`."""
    names = [column["name"] for column in evidence["columns"] if column.get("scope") == "release"]
    counts = (f"columns.{name}.surrogates." for name in names)
    return (*counts, *(f"verification.checks.identifier {name} replaced.detail" for name in names))


def _is_name(path: str) -> bool:
    """Names of files, which say nothing of what is in them."""
    return ".paths." in path


def _of_files(
    report: Path, evidence: Mapping[str, Any], path: Path, policy: Policy, release: Path, earlier: Sequence[Path]
) -> dict[str, Any]:
    """What can be said without the original; what the release does not tell (units it does not hold) is left out."""
    found: dict[str, Any] = {**policy_part(policy), "environment": {"files": {"release": file_sha256(release)}}}
    plan = plan_beside(report)
    if "plan" in evidence["environment"].get("files", {}):
        found["environment"]["files"]["plan"] = file_sha256(plan) if plan.is_file() else None
    alone = check_file(path, release).evidence
    measured = check_file(path, release, earlier).evidence if earlier else alone
    knows_members = policy.unit is None or measured["output"]["units"] is not None
    found |= _known({key: measured[key] for key in MEASURED} if knows_members else _over_rows(measured))
    found["output"] = {"rows": alone["output"]["rows"], "digest": alone["output"]["digest"]}
    if evidence["search"] is not None:
        found |= _arithmetic(evidence, alone)
    found["columns"] = [_told(column, knows_members) for column in measured["columns"]]
    given = {key: part for key, part in evidence.items() if key not in (*COMPUTED, "thresholds")}
    stated = complete(given | policy_part(policy))
    found |= {key: part for key, part in stated.items() if key in (*COMPUTED, "thresholds")}
    return dict(plain(found))


def _told(column: Mapping[str, Any], knows_members: bool) -> dict[str, Any]:
    """What policy and release say of a column."""
    known = {"k_if_known": column["k_if_known"]} if knows_members and "k_if_known" in column else {}
    return {"name": column["name"], "role": column["role"], "form": column["form"], **known}


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
    gone = rows - left
    return {"suppression": {"rows": gone, "rate": gone / rows if rows else None}}


def plan_beside(report: Path) -> Path:
    """Where the plan of a report's release is."""
    return report.with_name(_stem(report) + PLAN)


def policy_beside(report: Path, evidence: Mapping[str, Any]) -> Path:
    """The policy of a report, found by its hash beside it or in the working folder. Raises CallError."""
    wanted = evidence["policy"]["sha256"]
    folders = dict.fromkeys([report.absolute().parent, Path.cwd()])
    for path in (path for folder in folders for ending in ("*.yaml", "*.yml") for path in sorted(folder.glob(ending))):
        try:
            if Policy.load(path).sha256 == wanted:
                return path
        except PolicyError:
            continue
    raise CallError("the policy of this report is not beside it: name it with --policy")


def release_beside(report: Path) -> Path:
    """The released file beside its report. Raises CallError where there is none."""
    for ending in KINDS:
        place = report.with_name(_stem(report) + ending)
        if place.exists():
            return place
    raise CallError("the release of this report is not beside it: name it with --release")


def _stem(report: Path) -> str:
    return report.name.removesuffix(REPORTS[1]) if report.name.endswith(REPORTS[1]) else report.stem


def _made_again(
    report: Path,
    evidence: Mapping[str, Any],
    policy: Policy,
    release: Path,
    original: Sequence[Path],
    exclude_units: Path | None,
    earlier: tuple[Path, ...],
    progress: Progress,
) -> dict[str, Any]:
    """The evidence of the same run, made again where nobody sees it. Training came after it, and stays as reported."""
    search = evidence["search"] or {}
    plan = read_plan(plan_beside(report), policy) if search.get("why") in (PLANNED, WHY) else None
    if exclude_units is None and "excluded_units" in evidence["input"]:
        raise CallError("people who withdrew were left out of this release: name their file with --exclude-units")
    options = read_options(policy)
    policy = with_options(policy, *options_of(evidence))
    units = None if exclude_units is None else read_units(exclude_units, policy, options)
    source, withdrawn = withdraw(policy, open_paths(original, options), units)
    beside = Beside(plan, withdrawn=withdrawn, earlier=earlier)
    with PrivateFolder() as private:
        part = private.file(f"release{release.suffix}")
        try:
            again = make(policy, source, part, private, Clock(), progress, beside).evidence
        except (GuaranteeError, VerificationError) as error:
            raise CallError(f"the release cannot be made again from this original: {_first(error)}") from None
    facts = {key: part for key, part in again.items() if key not in COMPUTED}
    whole = complete(facts | {"training": evidence["training"]})
    apart = ("environment", "training") if evidence["training"] else ("environment",)
    return dict(plain({key: part for key, part in whole.items() if key not in apart}))


def _first(error: AnonymError) -> str:
    return str(error).splitlines()[0]
