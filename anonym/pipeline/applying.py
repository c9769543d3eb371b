"""`apply`: the main job, as a table of contents."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl

from anonym.columns.actions import key_of
from anonym.columns.keys import Key, Keyring, read_keys
from anonym.errors import AnonymError, CallError, GuaranteeError, InconclusiveError, VerificationError
from anonym.hierarchy.model import FileHierarchy, Networks, Prefix
from anonym.io import PrivateFolder, Source, Target, guarded, open_paths
from anonym.io.formats import KINDS
from anonym.io.partitions import refuse_name, refuse_unsuited
from anonym.io.release import refuse_unwritable
from anonym.io.source import ReadOptions, at_hand, file_sha256, same_file
from anonym.pipeline.attack_gates import withstand
from anonym.pipeline.attack_runs import refuse
from anonym.pipeline.estimating import estimate, within
from anonym.pipeline.evidence import Clock, Run, facts_of_run, file_names
from anonym.pipeline.facts import facts_of
from anonym.pipeline.finished import finished, identity
from anonym.pipeline.gates import refuse_beyond_thresholds, refuse_rare_keep_values, refuse_unknown_output
from anonym.pipeline.holding_out import HeldOut, hold_out, keep, refuse_existing
from anonym.pipeline.profile import Profile, profile
from anonym.pipeline.progress import Progress
from anonym.pipeline.recall_gate import gate_recall
from anonym.pipeline.recoding import Recoding
from anonym.pipeline.rejected import rejected_evidence
from anonym.pipeline.replanned import lasting_keys, read_plan, refuse_other_keys
from anonym.pipeline.reported import PLAN, REJECTED, REPORTS, evidence_beside, refuse_another_release
from anonym.pipeline.solve import solve, suppression_limit
from anonym.pipeline.text_days import text_key
from anonym.pipeline.transform import TextLedger, Transform, masks_rows, transform
from anonym.pipeline.uniting import read_earlier, refuse_unasked, solve_jointly
from anonym.pipeline.verifying import Verified, released_schema, verify
from anonym.pipeline.withdrawing import Withdrawn, read_units, what_changed, withdraw
from anonym.pipeline.write import Written, write_release
from anonym.policy import Policy
from anonym.policy.globs import entries_of, is_glob
from anonym.policy.model import Identifier, Quasi, Text
from anonym.policy.resolve import ResolvedColumn
from anonym.report.evidence import complete, dump
from anonym.report.html import render
from anonym.search.plan import Plan
from anonym.verify.digest import keyed_digest
from anonym.verify.facts import Facts
from anonym.verify.release import RARE_KEEP

DONE = "nothing was done: the same run has finished before, and its release stands untouched (--again repeats it)"


@dataclass(frozen=True)
class Outcome:
    """What a run of the command left: the release, its report, its evidence; `said` is for the terminal beside it."""

    output: Path
    report: Path
    evidence: dict[str, Any]
    said: tuple[str, ...] = ()


@dataclass(frozen=True)
class Beside:
    """What a run is given beside its policy and its table."""

    plan: Plan | None = None  # of an earlier release: its levels and nodes are used again
    control: pl.LazyFrame | None = None  # people like the table's, for the attacks only
    withdrawn: Withdrawn | None = None  # who was left out of the table before
    earlier: tuple[Path, ...] = ()  # files released before, with which this batch is judged (batch: union)
    partition_by: tuple[str, ...] = ()  # released columns: the release is then a folder of files
    identity: str | None = None  # of the run, for the evidence
    expected: Mapping[str, Any] | None = None  # evidence of a release that this one must be the same as


NOTHING_BESIDE = Beside()


@dataclass(frozen=True)
class Made:
    """A written, verified part and all that is known of it."""

    run: Run
    written: Written
    verified: Verified
    plan: Plan | None
    evidence: dict[str, Any]
    held: HeldOut  # and what was left of the input, of which the release was made


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
    `plan` is the file of an earlier release's plan: its levels are used, and rows that it does not list suppressed.
    `exclude_units` is a file of units who withdrew: their rows are left out, and nothing of them is printed.
    `partition_by` are released columns: `output` is then a folder with a file for each combination of their values.
    `earlier` are files released before under the plan, with which the batch is judged where the policy says
    `batch: union`. With a `memory_limit` (bytes) the run is refused where more is estimated. `processes` scrub text at
    once. With `force`, unless `again`, nothing is done where the same run has
    finished and its files stand untouched; a run that keeps a hold-out is never the same. `expected` is the evidence of
    a release: any other is refused (InputError).
    """
    clock = Clock()
    refuse_unknown_output(output)
    if partition_by:
        refuse_name(output)
    refuse_existing(keep_hold_out, force=force)
    loaded = with_options(Policy.load(policy), seed, held_share)
    loaded = replace(loaded, text=replace(loaded.text, processes=processes))
    planned = None if plan is None else read_plan(plan, loaded)
    refuse_unasked(loaded, planned, earlier)
    source = open_paths(paths, read_options(loaded))
    if planned is not None and loaded.batch == "union" and not earlier and expected is None:
        raise CallError(
            "`batch: union` under an earlier plan needs the files released before: name them with --earlier"
        )
    inputs = [file.path for file in source.files]
    read = [path for path in (control, exclude_units, plan) if path is not None]
    _refuse_overwriting(output, keep_hold_out, [*inputs, *earlier, *read, policy])
    if control is not None and any(same_file(path, control) for path in inputs):
        raise CallError("the control is one of the inputs: it must be people who are not in them")
    if not force:
        _refuse_namesake(output)
    files = (
        None if keep_hold_out is not None else [path for path in (control, exclude_units, *earlier) if path is not None]
    )
    people = None if control is None else open_paths([control], read_options(loaded)).frame
    units = None if exclude_units is None else read_units(exclude_units, loaded, read_options(loaded))
    form = (output.suffix, *partition_by)
    with Target(output, force=force, folder=bool(partition_by)) as target:
        if not again and (done := _finished(loaded, source, planned, files, form, output)) is not None:
            return Outcome(output, output.with_name(output.stem + REPORTS[0]), done, (DONE,))
        before = evidence_beside(output)
        source, withdrawn = withdraw(loaded, source, units)
        needed = None if memory_limit is None else within(memory_limit, estimate(loaded, source))
        run = _identity(loaded, source, planned, files, form)
        given = Beside(planned, people, withdrawn, tuple(earlier), tuple(partition_by), run, expected)
        outcome = release_to(target, loaded, source, clock, progress or Progress(), keep_hold_out, given)
    used = outcome.evidence["environment"]["peak_memory_mb"]
    told = [f"memory   {used:,} MB at the peak; estimated before: {needed}"] if needed is not None else []
    return replace(outcome, said=(*told, *what_changed(withdrawn, before, outcome.evidence)))


def _refuse_overwriting(output: Path, keep_hold_out: Path | None, read: Sequence[str | Path]) -> None:
    """Raises CallError where what is written would stand in the place of what is read, or of the release."""
    if any(same_file(Path(path), output) for path in read):
        raise CallError("the output is one of the inputs: write the release to another place")
    if keep_hold_out is None:
        return
    if keep_hold_out.absolute() == output.absolute() or any(
        same_file(Path(path), keep_hold_out) for path in (output, *read)
    ):
        raise CallError("who is held out would be kept in the place of the release or of a file that is read")


def _refuse_namesake(output: Path) -> None:
    """Raises CallError where a release of the same stem stands, whose report and plan this one's would replace."""
    if not output.with_name(output.stem + REPORTS[1]).exists():
        return
    for ending in KINDS:
        other = output.with_name(output.stem + ending)
        if ending != output.suffix and other.exists():
            raise CallError(
                f"{other.name} has a report of the same name, which would be replaced: "
                "choose another stem, or add --force"
            )


def release_to(
    target: Target,
    policy: Policy,
    source: Source,
    clock: Clock,
    progress: Progress,
    keep_hold_out: Path | None = None,
    beside: Beside = NOTHING_BESIDE,
) -> Outcome:
    """Make, verify and publish a release at `target`; a refused run leaves its evidence beside it."""
    try:
        with PrivateFolder() as private:
            made = make(policy, source, target.part, private, clock, progress, beside)
            refuse_another_release(beside.expected, made.evidence)
            if keep_hold_out is not None:
                keep(made.held, keep_hold_out)
    except (GuaranteeError, InconclusiveError, VerificationError) as error:
        evidence = rejected_evidence(policy, source, error, clock)
        target.write_companions(dict(zip(REJECTED, (render(evidence), dump(evidence)), strict=True)))
        raise
    source.refuse_change()
    publish(target, made.evidence, made.plan)
    return Outcome(target.path, target.companion(REPORTS[0]), made.evidence)


def publish(target: Target, evidence: dict[str, Any], plan: Plan | None) -> None:
    """Report and plan first, the release last."""
    texts = dict(zip(REPORTS, (render(evidence), dump(evidence)), strict=True))
    if plan is not None:
        texts[PLAN] = plan.dump()
    target.publish(texts, without=REJECTED)


def make(
    policy: Policy,
    source: Source,
    part: Path,
    private: PrivateFolder,
    clock: Clock,
    progress: Progress,
    beside: Beside = NOTHING_BESIDE,
) -> Made:
    """Profile, search, apply, verify: the release is written to `part` and read again from there."""
    columns = policy.resolve(source.schema)
    schema = released_schema(columns, masks=masks_rows(policy))
    refuse_unwritable(part.suffix, schema)
    refuse_unsuited(beside.partition_by, schema)
    held = hold_out(policy, at_hand(source, private), private, beside.control)
    source, plan = held.source, beside.plan
    keyring = read_keys(_keys(policy, columns), policy.base)
    refuse_other_keys(plan, columns, keyring)
    scrubber = _scrubber(policy, columns, keyring)
    recall = gate_recall(policy, columns, scrubber)
    seen = profile(policy, source, columns, progress, plan)
    refuse_rare_keep_values(policy, columns, source)
    earlier = read_earlier(beside.earlier, plan, schema)
    recoding = (
        solve(policy, seen, source, progress, is_planned=plan is not None)
        if earlier is None
        else solve_jointly(policy, seen, source, earlier, keyring)
    )
    released = transform(policy, source, seen, recoding, keyring, scrubber)
    with contextlib.closing(scrubber) if scrubber is not None else contextlib.nullcontext():
        written = _written(released, seen, recoding, policy, part, private, progress, beside.partition_by)
    progress.stage("verifying the written file", written.rows)
    verified = verify(part, source, written, _promised(policy, seen, recoding, released), schema, earlier)
    run = Run(
        policy,
        seen,
        recoding,
        keyring,
        released.ledgers,
        scrubber,
        file_names(source.paths),
        held.rows,
        held.units,
        withdrawn=beside.withdrawn,
        identity=beside.identity,
        earlier=earlier,
        recall=recall,
        plan=plan or _new_plan(policy, recoding, columns, keyring),
        input_digest=_input_digest(policy, columns, keyring, source),
        replaced=released.replaced,
    )
    if verified.failures:
        refuse_failed(verified, verified_evidence(run, verified, written, part, clock))
    found = withstand(policy, columns, part, schema, read_options(policy), held, written, progress)
    run = replace(run, attacks=tuple(result.as_dict() for result in found))
    evidence = verified_evidence(run, verified, written, part, clock)
    refuse(found, evidence)
    refuse_beyond_thresholds(evidence)
    return Made(run, written, verified, run.plan, evidence, held)


def _promised(policy: Policy, seen: Profile, recoding: Recoding | None, released: Transform) -> Facts:
    """All that verification is told."""
    return facts_of(
        policy,
        seen.columns,
        limit_rows=suppression_limit(policy, seen.rows),
        text_from=_text_from(released.ledgers),
        by_class=recoding is not None and recoding.levels is None,
    )


def _written(
    released: Transform,
    seen: Profile,
    recoding: Recoding | None,
    policy: Policy,
    part: Path,
    private: PrivateFolder,
    progress: Progress,
    partition_by: Sequence[str],
) -> Written:
    """The release in its file: masked rows stay, suppressed ones are gone."""
    gone = 0 if recoding is None or masks_rows(policy) else recoding.found.suppressed_rows
    progress.stage("writing the release", seen.rows - gone)
    return write_release(
        released.frame,
        part,
        order=policy.order,
        rows=seen.rows - gone,
        private=private,
        progress=progress,
        partition_by=partition_by,
    )


def _new_plan(
    policy: Policy, recoding: Recoding | None, columns: Sequence[ResolvedColumn], keyring: Keyring
) -> Plan | None:
    made = recoding.plan(policy.sha256) if recoding is not None else None
    return None if made is None else replace(made, keys=lasting_keys(columns, keyring))


def refuse_failed(verified: Verified, evidence: dict[str, Any]) -> None:
    """Raise where a check of the written file failed.

    Suppression can leave too few holders of a kept value: then the policy's rule does not hold (GuaranteeError).
    Any other failure is ours (VerificationError).
    """
    if not verified.failures:
        return
    if {check.name for check in verified.checks if not check.held} == {RARE_KEEP}:
        raise GuaranteeError(
            f"after suppression, {verified.failures[0]}; give the column a hierarchy, drop it, or accept it with "
            "`allow_unique: <reason>`",
            evidence=evidence,
        )
    raise VerificationError(verified.failures, evidence)


def with_options(policy: Policy, seed: int | None, held_share: Decimal | None) -> Policy:
    """The policy with what the call says in place of what it says itself."""
    if held_share is not None:
        policy = replace(policy, attacks=replace(policy.attacks, hold_out=held_share))
    return policy if seed is None else replace(policy, seed=seed)


def read_options(policy: Policy) -> ReadOptions:
    """How files are read under the policy; codes and identifiers of a CSV file stay text."""
    given = policy.input
    return ReadOptions(given.separator, given.encoding, given.null_values, given.types, _stays_text(policy))


def _stays_text(policy: Policy) -> Callable[[str], bool]:
    globs = tuple(entry for entry in policy.columns if is_glob(entry))

    def stays_text(name: str) -> bool:
        roles = [policy.columns[entry] for entry in entries_of(name, policy.columns, globs)]
        return any(
            isinstance(role, Identifier)
            or (isinstance(role, Quasi) and isinstance(role.hierarchy, Prefix | FileHierarchy | Networks))
            for role in roles
        )

    return stays_text


def _keys(policy: Policy, columns: Sequence[ResolvedColumn]) -> Iterator[Key]:
    for column in columns:
        if isinstance(column.role, Identifier) and (key := key_of(column.role.action)) is not None:
            yield key
    if policy.text.key is not None and any(isinstance(column.role, Text) for column in columns):
        yield Key(policy.text.key)


def _identity(
    policy: Policy, source: Source, plan: Plan | None, others: Sequence[Path] | None, form: Sequence[str]
) -> str | None:
    """None where `others` is, or for remote objects: then no two runs are known to be the same."""
    if others is None or source.url is not None:
        return None
    keyring = read_keys(_keys(policy, policy.resolve(source.schema)), policy.base)
    with guarded("looking at the files of the run"):
        return identity(policy, source, keyring, plan, others, form)


def _finished(
    policy: Policy,
    source: Source,
    plan: Plan | None,
    others: Sequence[Path] | None,
    form: Sequence[str],
    output: Path,
) -> dict[str, Any] | None:
    try:
        run = _identity(policy, source, plan, others, form)
    except AnonymError:
        return None  # the run itself says why, in the order of the exit statuses
    return None if run is None else finished(output, run)


def _scrubber(policy: Policy, columns: Sequence[ResolvedColumn], keyring: Keyring) -> Any:
    if not any(isinstance(column.role, Text) for column in columns):
        return None
    from anonym.text.scrub import Scrubber

    return Scrubber(policy.text, text_key(policy, keyring))


def _text_from(ledgers: Sequence[TextLedger]) -> tuple[str, ...] | None:
    return tuple(dict.fromkeys(name for ledger in ledgers for name in ledger.also_from)) if ledgers else None


def verified_evidence(run: Run, verified: Verified, written: Written, part: Path, clock: Clock) -> dict[str, Any]:
    """The evidence of a written and verified file."""
    output = {"rows": written.rows, "units": verified.own.units, "digest": verified.digest}
    facts = facts_of_run(run, verified.measured, verified.checks, verified.facts, output, run.input_digest)
    files = {"release": file_sha256(part)}
    if run.plan is not None:
        files["plan"] = hashlib.sha256(run.plan.dump().encode()).hexdigest()
    known = {} if run.identity is None else {"run": run.identity}
    options = {"seed": str(run.policy.seed), "hold_out": str(run.policy.attacks.hold_out)}
    facts["environment"] = clock.environment(run.recoding, files) | known | {"options": options}
    return dict(complete(facts))


def _input_digest(policy: Policy, columns: Sequence[ResolvedColumn], keyring: Keyring, source: Source) -> str | None:
    """An HMAC of the input's class table under the policy's first key; None without a key."""
    for key in _keys(policy, columns):
        with guarded("computing the input's digest"):
            return keyed_digest(keyring[key].digest(b"input digest"), source.frame, facts_of(policy, columns))
    return None
