"""`apply` on files: what it is called with, what it must not write over, and in which order things get their names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from anonym.columns.keys import read_keys
from anonym.errors import AnonymError, CallError, GuaranteeError, InconclusiveError, VerificationError
from anonym.io import PrivateFolder, Source, Target, guarded, open_paths
from anonym.io.partitions import refuse_name
from anonym.io.source import same_file
from anonym.io.target import refuse_long_name
from anonym.pipeline.applying import Beside, keys_of, make, read_options, with_options
from anonym.pipeline.estimating import estimate, within
from anonym.pipeline.evidence import Clock
from anonym.pipeline.finished import finished, identity
from anonym.pipeline.gates import refuse_unknown_output
from anonym.pipeline.holding_out import keep, refuse_existing
from anonym.pipeline.keeping_plans import keep_plan, refuse_file, refuse_folder, refuse_nothing_to_keep, said_of, stands
from anonym.pipeline.progress import Progress
from anonym.pipeline.rejected import rejected_evidence
from anonym.pipeline.replanned import read_plan
from anonym.pipeline.reported import PLAN, REJECTED, REPORTS, evidence_beside, refuse_another_release, refuse_namesake
from anonym.pipeline.uniting import refuse_unasked
from anonym.pipeline.withdrawing import read_units, what_changed, withdraw
from anonym.policy import Policy
from anonym.report.evidence import dump
from anonym.report.figures import plural
from anonym.report.html import render
from anonym.search.plan import Plan
from anonym.search.secret_plan import SecretPlan

DONE = "nothing was done: the same run has finished before, and its release stands untouched (--again repeats it)"


@dataclass(frozen=True)
class Outcome:
    """What a run of the command left: the release, its report, its evidence; `said` is for the terminal beside it."""

    output: Path
    report: Path
    evidence: dict[str, Any]
    said: tuple[str, ...] = ()


@dataclass(frozen=True)
class Files:
    """The files that a call names beside the policy, the input and the output."""

    plan: Path | None = None
    control: Path | None = None
    exclude_units: Path | None = None
    earlier: tuple[Path, ...] = ()
    keep_hold_out: Path | None = None  # written, not read
    secret_plan: Path | None = None  # written, not read

    @property
    def read(self) -> list[Path]:
        return [path for path in (self.plan, self.control, self.exclude_units, *self.earlier) if path is not None]


def apply_files(
    policy: str | Path,
    paths: Sequence[str | Path],
    output: Path,
    *,
    force: bool = False,
    seed: int | None = None,
    held_share: Decimal | None = None,
    keep_hold_out: Path | None = None,
    control: Path | None = None,
    plan: Path | None = None,
    secret_plan: Path | None = None,
    exclude_units: Path | None = None,
    partition_by: Sequence[str] = (),
    earlier: Sequence[Path] = (),
    memory_limit: int | None = None,
    processes: int = 1,
    again: bool = True,
    expected: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Release the files under the policy. Raises an AnonymError; then nothing new stands at `output`.

    `held_share` replaces the policy's `attacks.hold_out`; who is held out is written to `keep_hold_out` if given.
    `control` is a file of people like the input's, for the attacks only, where nobody is held out.
    `plan` is the file of an earlier release's plan: its levels are used, and rows that it does not list suppressed. A
    local recoding is applied again by its secret plan, which is written to `secret_plan` if given: raw data, mode 0600,
    never in the release's folder. Of a global recoding the publishable plan is written there.
    `exclude_units` is a file of units who withdrew: their rows are left out, and nothing of them is printed.
    `partition_by` are released columns: `output` is then a folder with a file for each combination of their values.
    `earlier` are files released before under the plan, with which the batch is judged where the policy says
    `batch: union`. With a `memory_limit` (bytes) the run is refused where more is estimated. `processes` scrub text at
    once. With `force`, unless `again`, nothing is done where the same run has finished and its files stand untouched; a
    run that keeps a hold-out is never the same. `expected` is the evidence of a release: any other is refused
    (InputError).
    """
    clock, files = Clock(), Files(plan, control, exclude_units, tuple(earlier), keep_hold_out, secret_plan)
    refuse_unnamable(output, partition_by, force=force)
    refuse_existing(keep_hold_out, force=force)
    loaded = with_options(Policy.load(policy), seed, held_share)
    loaded = replace(loaded, text=replace(loaded.text, processes=processes))
    if secret_plan is not None:
        refuse_nothing_to_keep(loaded, is_planned=plan is not None)
    planned = None if plan is None else read_plan(plan, loaded)
    refuse_unasked(loaded, planned, files.earlier, is_repeated=expected is not None)
    source = open_paths(paths, read_options(loaded))
    _refuse_overwriting(output, Path(policy), source, files, force=force)
    people = None if control is None else open_paths([control], read_options(loaded)).frame
    units = None if exclude_units is None else read_units(exclude_units, loaded, read_options(loaded))
    with Target(output, force=force, folder=bool(partition_by)) as target:
        form = (output.suffix, *(["secret plan"] if secret_plan else []), *partition_by)
        run = _identity(loaded, source, planned, files, form)
        done = finished(output, run) if run is not None and not again else None
        if done is not None and stands(secret_plan, done):
            return Outcome(output, target.companion(REPORTS[0]), done, (DONE,))
        before = evidence_beside(output)
        source, withdrawn = withdraw(loaded, source, units)
        needed = None if memory_limit is None else within(memory_limit, estimate(loaded, source))
        given = Beside(
            planned, people, withdrawn, files.earlier, tuple(partition_by), run, expected, secret_plan is not None
        )
        outcome = _release(target, loaded, source, clock, progress or Progress(), files, given)
    changed = what_changed(withdrawn, before, outcome.evidence)
    return replace(outcome, said=(*outcome.said, *_memory(needed, outcome.evidence), *changed))


def _memory(needed: object, evidence: Mapping[str, Any]) -> Iterator[str]:
    if needed is not None:
        used = evidence["environment"]["peak_memory_mb"]
        yield f"memory   {used:,} MB at the peak; estimated before: {needed}"


def _formulas(evidence: Mapping[str, Any]) -> Iterator[str]:
    if (found := evidence["output"].get("formulas")) is not None:
        done = "have an apostrophe before them" if found["action"] == "quote" else "stand as they are"
        hint = "" if found["action"] == "quote" else " (`output: {formulas: quote}` in the policy)"
        yield f"formulas {plural(found['cells'], 'cell')} that a spreadsheet would run {done}{hint}"


def refuse_unnamable(output: Path, partition_by: Sequence[str], *, force: bool) -> None:
    """Raises CallError for a name that a release cannot have, whatever the policy and the input."""
    refuse_unknown_output(output)
    refuse_long_name(output)
    if partition_by:
        refuse_name(output)
    if not force:
        refuse_namesake(output)


def _refuse_overwriting(output: Path, policy: Path, source: Source, files: Files, *, force: bool) -> None:
    """Raises CallError where what is written would stand in the place of what is read, or of the release."""
    read = [policy, *(file.path for file in source.files), *files.read]
    if any(same_file(path, output) for path in read):
        raise CallError("the output is one of the inputs: write the release to another place")
    kept = files.keep_hold_out
    if files.secret_plan is not None:
        refuse_folder(files.secret_plan, output)
        refuse_file(files.secret_plan, [*read, *filter(None, [kept])], force=force)
    if kept is None:
        return
    if kept.absolute() == output.absolute() or any(same_file(path, kept) for path in (output, *read)):
        raise CallError("who is held out would be kept in the place of the release or of a file that is read")


def _release(
    target: Target,
    policy: Policy,
    source: Source,
    clock: Clock,
    progress: Progress,
    files: Files,
    beside: Beside,
) -> Outcome:
    """Make, verify and publish a release at `target`; a refused run leaves its evidence beside it."""
    try:
        with PrivateFolder() as private:
            made = make(policy, source, target.part, private, clock, progress, beside)
            refuse_another_release(beside.expected, made.evidence)
            source.refuse_change()
            if files.keep_hold_out is not None:
                keep(made.held, files.keep_hold_out)
            if files.secret_plan is not None and made.run.kept_plan is not None:
                keep_plan(made.run.kept_plan, files.secret_plan)
    except (GuaranteeError, InconclusiveError, VerificationError) as error:
        evidence = rejected_evidence(policy, source, error, clock)
        target.write_companions(dict(zip(REJECTED, (render(evidence), dump(evidence)), strict=True)))
        raise
    publish(target, made.evidence, made.run.plan)
    said = (*said_of(made.run.kept_plan, files.secret_plan), *_formulas(made.evidence))
    return Outcome(target.path, target.companion(REPORTS[0]), made.evidence, said)


def publish(target: Target, evidence: dict[str, Any], plan: Plan | None) -> None:
    """Report and plan first, the release last."""
    texts = dict(zip(REPORTS, (render(evidence), dump(evidence)), strict=True))
    if plan is not None:
        texts[PLAN] = plan.dump()
    target.publish(texts, without=REJECTED)


def _identity(
    policy: Policy, source: Source, plan: Plan | SecretPlan | None, files: Files, form: Sequence[str]
) -> str | None:
    """None where no two runs are known to be the same: a hold-out is kept, or objects are remote. A call at fault has
    none either: the run itself says why, in the order of the exit statuses.
    """
    if files.keep_hold_out is not None or source.url is not None:
        return None
    others = [path for path in files.read if path != files.plan]  # the plan counts by what it says
    try:
        keyring = read_keys(keys_of(policy, policy.resolve(source.schema)), policy.base)
        with guarded("looking at the files of the run"):
            return identity(policy, source, keyring, plan, others, form)
    except AnonymError:
        return None
