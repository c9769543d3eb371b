"""`rederive`: a release rebuilt from its evidence, policy and plan, and published only if it is the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from anonym.errors import CallError
from anonym.pipeline.beside import plan_beside, policy_beside
from anonym.pipeline.progress import Progress
from anonym.pipeline.releasing import Outcome, apply_files
from anonym.pipeline.replanned import followed_plan
from anonym.pipeline.reported import options_of, read_evidence, refuse_other_files
from anonym.policy.model import Policy


def rederive(
    report: Path,
    data: Sequence[Path],
    output: Path,
    *,
    policy: Path | None = None,
    exclude_units: Path | None = None,
    control: Path | None = None,
    earlier: Sequence[Path] = (),
    plan: Path | None = None,
    secret_plan: Path | None = None,
    force: bool = False,
    progress: Progress | None = None,
) -> Outcome:
    """Release `data` once more as `report` says, under its seed and, where recoding is global, its plan.

    The policy is looked for by its hash, the plan by the report's name; `plan` is the secret one of a release that
    followed it, and `secret_plan` where that of a local recoding is kept anew. Raises CallError where one is missing or
    another, InputError where the digest of the classes or the number of rows is not the report's; nothing is released
    then. Shuffling, and tokens of scope `release`, are new in every run and in no digest.
    """
    evidence = read_evidence(report)
    refuse_other_files(evidence, earlier)
    path = policy or policy_beside(report, evidence)
    loaded = Policy.load(path)
    if loaded.sha256 != evidence["policy"]["sha256"]:
        raise CallError(f"{path.name} is not the policy of the report: name the one it was made under")
    if exclude_units is None and "excluded_units" in evidence["input"]:
        raise CallError("people who withdrew were left out of this release: name their file with --exclude-units")
    followed_plan(evidence, plan, loaded)
    if plan is None and (evidence["search"] or {}).get("levels") is not None:
        plan = plan_beside(report)
    seed, share = options_of(evidence)
    return apply_files(
        path,
        data,
        output,
        force=force,
        seed=seed,
        held_share=share,
        control=control,
        plan=plan,
        secret_plan=secret_plan,
        exclude_units=exclude_units,
        earlier=earlier,
        expected=evidence,
        progress=progress,
    )
