"""The evidence of a run, made again from its input where nobody sees it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from anonym.errors import AnonymError, CallError, GuaranteeError, VerificationError
from anonym.io import PrivateFolder, open_paths
from anonym.io.partitions import read_partitions
from anonym.pipeline.applying import Beside, make, read_options, with_options
from anonym.pipeline.checking import release_options
from anonym.pipeline.evidence import Clock
from anonym.pipeline.progress import Progress
from anonym.pipeline.replanned import PLANNED, followed_plan, read_plan
from anonym.pipeline.reported import options_of
from anonym.pipeline.told_by_files import COMPUTED, Report
from anonym.pipeline.uniting import WHY
from anonym.pipeline.withdrawing import read_units, withdraw
from anonym.policy.model import Identifier, Policy, Text
from anonym.report.evidence import complete, plain
from anonym.search.plan import Plan
from anonym.search.secret_plan import SecretPlan
from anonym.verify.contents import same_rows

SAME = "those that the run makes"


def made_again(report: Report, progress: Progress) -> dict[str, Any]:
    """The evidence of the same run, made again where nobody sees it, and under `rows` what the released ones are beside
    those made again. Training and later attacks came after the run, and stay as reported."""
    evidence, named, policy = report.evidence, report.named, report.policy
    search = evidence["search"] or {}
    plan: Plan | SecretPlan | None = followed_plan(evidence, named.plan, policy)
    if search.get("why") in (PLANNED, WHY):
        plan = read_plan(report.plan, policy)
    if named.exclude_units is None and "excluded_units" in evidence["input"]:
        raise CallError("people who withdrew were left out of this release: name their file with --exclude-units")
    options = read_options(policy)
    policy = with_options(policy, *options_of(evidence))
    units = None if named.exclude_units is None else read_units(named.exclude_units, policy, options)
    source, withdrawn = withdraw(policy, open_paths(named.original, options), units)
    keeps = evidence["environment"].get("secret_plan", {}).get("use") == "written"
    beside = Beside(plan, withdrawn=withdrawn, earlier=named.earlier, keeps_plan=keeps)
    with PrivateFolder() as private:
        part = private.file(f"release{report.release.suffix}")
        try:
            again = make(policy, source, part, private, Clock(), progress, beside).evidence
        except (GuaranteeError, VerificationError) as error:
            raise CallError(f"the release cannot be made again from this original: {_first(error)}") from None
        rows = SAME if _same_rows(policy, report.release, part) else "others"
    facts = {key: part for key, part in again.items() if key not in COMPUTED}
    after = {"training": evidence["training"]} | ({"later": evidence["later"]} if "later" in evidence else {})
    apart = ("environment", "later") + (("training",) if evidence["training"] else ())
    return {**plain({key: part for key, part in complete(facts | after).items() if key not in apart}), "rows": rows}


def _same_rows(policy: Policy, release: Path, again: Path) -> bool:
    """Whether the release holds the rows made again, in the columns that every run makes alike."""
    options = release_options(policy)
    made = open_paths([again], options)
    found = read_partitions(release, made.schema) if release.is_dir() else open_paths([release], options).frame
    if set(found.collect_schema()) != set(made.schema):
        return False
    anew = set(_drawn_anew(policy))
    return same_rows(found, made.frame, [name for name in made.schema if name not in anew])


def _drawn_anew(policy: Policy) -> Iterator[str]:
    """The columns that no two runs make alike: tokens, surrogates and days of scope `release`, and those in text."""
    anew = [
        name
        for name, role in policy.columns.items()
        if isinstance(role, Identifier) and getattr(role.action, "scope", None) == "release"
    ]
    yield from anew
    if policy.text.replace in ("pseudonym", "surrogate") and (policy.text.key is None or anew):
        yield from (name for name, role in policy.columns.items() if isinstance(role, Text))


def _first(error: AnonymError) -> str:
    return str(error).splitlines()[0]
