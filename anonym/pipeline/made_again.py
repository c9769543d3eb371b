"""The evidence of a run, made again from its input where nobody sees it."""

from __future__ import annotations

from typing import Any

from anonym.errors import AnonymError, CallError, GuaranteeError, VerificationError
from anonym.io import PrivateFolder, open_paths
from anonym.pipeline.applying import Beside, make, read_options, with_options
from anonym.pipeline.evidence import Clock
from anonym.pipeline.progress import Progress
from anonym.pipeline.replanned import PLANNED, read_plan
from anonym.pipeline.reported import options_of
from anonym.pipeline.told_by_files import COMPUTED, Report
from anonym.pipeline.uniting import WHY
from anonym.pipeline.withdrawing import read_units, withdraw
from anonym.report.evidence import complete, plain


def made_again(report: Report, progress: Progress) -> dict[str, Any]:
    """The evidence of the same run, made again where nobody sees it. Training and later attacks came after it, and stay
    as reported."""
    evidence, named, policy = report.evidence, report.named, report.policy
    search = evidence["search"] or {}
    plan = read_plan(report.plan, policy) if search.get("why") in (PLANNED, WHY) else None
    if named.exclude_units is None and "excluded_units" in evidence["input"]:
        raise CallError("people who withdrew were left out of this release: name their file with --exclude-units")
    options = read_options(policy)
    policy = with_options(policy, *options_of(evidence))
    units = None if named.exclude_units is None else read_units(named.exclude_units, policy, options)
    source, withdrawn = withdraw(policy, open_paths(named.original, options), units)
    beside = Beside(plan, withdrawn=withdrawn, earlier=named.earlier)
    with PrivateFolder() as private:
        part = private.file(f"release{report.release.suffix}")
        try:
            again = make(policy, source, part, private, Clock(), progress, beside).evidence
        except (GuaranteeError, VerificationError) as error:
            raise CallError(f"the release cannot be made again from this original: {_first(error)}") from None
    facts = {key: part for key, part in again.items() if key not in COMPUTED}
    after = {"training": evidence["training"]} | ({"later": evidence["later"]} if "later" in evidence else {})
    apart = ("environment", "later") + (("training",) if evidence["training"] else ())
    return dict(plain({key: part for key, part in complete(facts | after).items() if key not in apart}))


def _first(error: AnonymError) -> str:
    return str(error).splitlines()[0]
