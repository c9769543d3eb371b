"""`verify`: the numbers of a report computed again from its files, and which of them hold."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from anonym.errors import GuaranteeError
from anonym.pipeline.beside import policy_beside, release_beside
from anonym.pipeline.following import following
from anonym.pipeline.made_again import SAME, made_again
from anonym.pipeline.progress import Progress
from anonym.pipeline.reported import read_evidence, refuse_other_files
from anonym.pipeline.told_by_files import Named, Report, later_runs, of_files, pages, trained
from anonym.policy.model import Policy
from anonym.report.difference import leaves
from anonym.report.evidence import plain

TOLERANCE = 1e-9  # relative; the report rounds to nine digits
Status = Literal["holds", "differs", "not recomputed", "only recorded"]
"""`only recorded`: what no file tells, such as when a run was and how long it took."""


@dataclass(frozen=True)
class Line:
    """One number or word of the report. `found` is None where it was not computed again."""

    path: str
    reported: Any
    found: Any
    status: Status


NOTHING_NAMED = Named()


def recompute(report: Path, named: Named = NOTHING_NAMED, progress: Progress | None = None) -> list[Line]:
    """Every number and word of `report`, beside what the files say.

    From the release alone: what its rows tell, the hashes, and what follows from other numbers of the report. With the
    original (and the keys of the policy) the release is made again in private, and everything is compared but for what
    only the run knew. What is not `named` is looked for: the policy by its hash beside the report and in the working
    folder, the release beside the report, later attacks by their hash. Raises CallError where one is missing,
    InputError where the report is none.
    """
    evidence = read_evidence(report)
    refuse_other_files(evidence, named.earlier)
    path = named.policy or policy_beside(report, evidence)
    whole = Report(report, evidence, path, Policy.load(path), named.release or release_beside(report), named)
    return list(_lines(whole, progress or Progress()))


def refuse(lines: Sequence[Line]) -> None:
    """Raises GuaranteeError where a number does not hold."""
    wrong = [line.path for line in lines if line.status == "differs"]
    if wrong:
        judged = sum(line.status in ("holds", "differs") for line in lines)
        shown = ", ".join(wrong[:12]) + (f" and {len(wrong) - 12} more" if len(wrong) > 12 else "")
        raise GuaranteeError(f"{len(wrong)} of {judged} numbers do not hold: {shown}")


# lines ---------------------------------------------------------------------------------------------------------------


def _lines(report: Report, progress: Progress) -> Iterator[Line]:
    """A line for each leaf of the report, then for each that should be there and is not."""
    parts, whole = _found(report, progress)
    follows = leaves(plain(following(report.evidence, report.policy, report.plan)))
    sources = [{path: value for path, value in follows if not path.endswith(".name")}]
    sources += [dict(leaves(part)) for part in parts]
    found = {path: [source[path] for source in sources if path in source] for path in set().union(*sources)}
    reported, recorded = dict(leaves(report.evidence)), _only_recorded(report.evidence)
    if "rows" in whole:
        reported["rows"] = SAME
    for path, value in reported.items():
        if _is_recorded(path, recorded):
            yield Line(path, value, None, "only recorded")
        elif path in found or path.split(".")[0] not in whole:
            yield _line(path, value, found.get(path, []))
        else:
            yield _line(path, value, [None])
    for path in sorted(found.keys() - reported.keys()):
        if not _is_recorded(path, recorded) and any(one is not None for one in found[path]):
            yield _line(path, None, found[path])
    page, drawn = pages(report)
    if page is not None:
        yield _line("page", page, [] if drawn is None else [drawn])


def _found(report: Report, progress: Progress) -> tuple[list[dict[str, Any]], set[str]]:
    """What was found, and the parts of which everything that there should be has been found."""
    later, is_whole = later_runs(report)
    parts = [of_files(report), {"later": later}]
    whole = {"thresholds", *(["later"] if is_whole else [])}
    if report.named.ledger is not None:
        parts.append({"training": trained(report, report.named.ledger)})
    if report.named.original and report.policy.sha256 == report.evidence["policy"]["sha256"]:
        parts.append(made_again(report, progress))
        whole |= parts[-1].keys()
    return parts, whole


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


def _only_recorded(evidence: Mapping[str, Any]) -> tuple[str, ...]:
    """How the paths begin of what no file tells: versions and times of the run, what it was called with, and counts of
    surrogates of scope `release`, which every run draws anew."""
    names = [column["name"] for column in evidence["columns"] if column.get("scope") == "release"]
    drawn = (f"columns.{name}.surrogates." for name in names)
    checked = (f"verification.checks.identifier {name} replaced.detail" for name in names)
    of_run = (f"environment.{key}" for key in evidence["environment"] if key != "files")
    return (*drawn, *checked, *of_run, "training.outside")


def _is_recorded(path: str, recorded: tuple[str, ...]) -> bool:
    """Also names of files, which say nothing of what is in them."""
    return path.startswith(recorded) or ".paths." in path
