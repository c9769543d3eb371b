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
from anonym.errors import GuaranteeError, VerificationError
from anonym.hierarchy.model import Breaks, FileHierarchy, Interval, Networks, Prefix, Rounded
from anonym.io import PrivateFolder, Source, guarded
from anonym.io.partitions import refuse_unsuited
from anonym.io.release import refuse_unwritable
from anonym.io.source import ReadOptions, at_hand, file_sha256
from anonym.pipeline.attack_gates import withstand
from anonym.pipeline.attack_runs import refuse
from anonym.pipeline.evidence import Clock, Run, facts_of_run, file_names
from anonym.pipeline.facts import facts_of
from anonym.pipeline.gates import refuse_beyond_thresholds, refuse_rare_keep_values
from anonym.pipeline.holding_out import HeldOut, hold_out
from anonym.pipeline.keeping_plans import kept_plan
from anonym.pipeline.local_recoding import LocalRecoding
from anonym.pipeline.profile import Profile, profile
from anonym.pipeline.progress import Progress
from anonym.pipeline.recall_gate import gate_recall
from anonym.pipeline.recoding import GlobalRecoding, Recoding
from anonym.pipeline.replanned import lasting_keys, publishable, refuse_other_keys
from anonym.pipeline.replanned_locally import follow, held_to, unmerged
from anonym.pipeline.solve import solve, suppression_limit
from anonym.pipeline.text_days import text_key
from anonym.pipeline.transform import TextLedger, Transform, masks_rows, transform
from anonym.pipeline.uniting import Earlier, read_earlier, solve_jointly
from anonym.pipeline.verifying import Verified, released_schema, verify
from anonym.pipeline.withdrawing import Withdrawn
from anonym.pipeline.write import Written, write_release
from anonym.policy import Policy
from anonym.policy.globs import entries_of, is_glob
from anonym.policy.model import Identifier, Quasi, Role, Sensitive, Text
from anonym.policy.resolve import ResolvedColumn
from anonym.report.evidence import complete
from anonym.search.plan import Plan
from anonym.search.secret_plan import SecretPlan
from anonym.verify.digest import keyed_digest
from anonym.verify.facts import Facts
from anonym.verify.release import GUARANTEE, RARE_KEEP


@dataclass(frozen=True)
class Beside:
    """What a run is given beside its policy and its table."""

    plan: Plan | SecretPlan | None = None  # of an earlier release: its levels and nodes (or classes) are used again
    control: pl.LazyFrame | None = None  # people like the table's, for the attacks only
    withdrawn: Withdrawn | None = None  # who was left out of the table before
    earlier: tuple[Path, ...] = ()  # files released before, with which this batch is judged (batch: union)
    partition_by: tuple[str, ...] = ()  # released columns: the release is then a folder of files
    identity: str | None = None  # of the run, for the evidence
    expected: Mapping[str, Any] | None = None  # evidence of a release that this one must be the same as
    keeps_plan: bool = False  # a plan that can be applied again is to be kept, with raw values where it needs them

    @property
    def secret(self) -> SecretPlan | None:
        return self.plan if isinstance(self.plan, SecretPlan) else None

    @property
    def levels(self) -> Plan | None:
        """The plan, where it is one of levels."""
        return self.plan if isinstance(self.plan, Plan) else None


NOTHING_BESIDE = Beside()


@dataclass(frozen=True)
class Made:
    """A written, verified part and all that is known of it."""

    run: Run
    written: Written
    verified: Verified
    evidence: dict[str, Any]
    held: HeldOut  # and what was left of the input, of which the release was made


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
    secret = beside.secret
    columns = policy.resolve(source.schema)
    columns = columns if secret is None else held_to(secret, columns)
    schema = released_schema(columns, masks=masks_rows(policy))
    refuse_unwritable(part.suffix, schema)
    refuse_unsuited(beside.partition_by, schema)
    held = hold_out(policy, at_hand(source, private), private, beside.control)
    source, plan = held.source, None if beside.plan is None else publishable(beside.plan)
    keyring = read_keys(keys_of(policy, columns), policy.base)
    refuse_other_keys(plan, columns, keyring)
    scrubber = _scrubber(policy, columns, keyring)
    recall = gate_recall(policy, columns, scrubber)
    seen = profile(policy if secret is None else unmerged(policy), source, columns, progress, beside.levels)
    refuse_rare_keep_values(policy, columns, source)
    earlier = read_earlier(beside.earlier, plan, schema, policy)
    recoding = _recoding(policy, seen, source, keyring, earlier, progress, beside)
    released = transform(policy, source, seen, recoding, keyring, scrubber)
    with contextlib.closing(scrubber) if scrubber is not None else contextlib.nullcontext():
        written = _written(released, seen, recoding, policy, part, private, progress, beside.partition_by)
    promised = _promised(policy, seen, recoding, released)
    plan = plan or _new_plan(policy, recoding, columns, keyring)
    kept = kept_plan(recoding, plan) if beside.keeps_plan else None
    ledgers, replaced = released.ledgers, released.replaced
    del released  # with the codes of all rows, of which no more is needed
    seen, recoding = _without_row_codes(seen, recoding)
    progress.stage("verifying the written file", written.rows)
    verified = verify(part, source, written, promised, schema, earlier)
    run = Run(
        policy,
        seen,
        recoding,
        keyring,
        ledgers,
        scrubber,
        file_names(source.paths),
        held.rows,
        held.units,
        withdrawn=beside.withdrawn,
        identity=beside.identity,
        earlier=earlier,
        recall=recall,
        plan=plan,
        kept_plan=kept,
        input_digest=_input_digest(policy, columns, keyring, source),
        replaced=replaced,
    )
    return _withstood(Made(run, written, verified, {}, held), part, schema, clock, progress)


def _recoding(
    policy: Policy,
    seen: Profile,
    source: Source,
    keyring: Keyring,
    earlier: Earlier | None,
    progress: Progress,
    beside: Beside,
) -> Recoding | None:
    """Searched for, or as an earlier plan has it."""
    if beside.secret is not None:
        return follow(policy, seen, source, beside.secret, earlier, keyring)
    if earlier is not None:
        return solve_jointly(policy, seen, source, earlier, keyring)
    is_planned = beside.plan is not None
    return solve(policy, seen, source, progress, is_planned=is_planned, keeps_plan=beside.keeps_plan)


def _withstood(made: Made, part: Path, schema: Mapping[str, pl.DataType], clock: Clock, progress: Progress) -> Made:
    """The release with its evidence, once its checks hold, its attacks failed and no threshold is passed."""
    run, written, verified, policy = made.run, made.written, made.verified, made.run.policy
    if verified.failures:
        made.held.source.refuse_change()  # or else the failure is ours
        refuse_failed(verified, verified_evidence(run, verified, written, part, clock))
    columns, options = run.profile.columns, read_options(policy)
    found = withstand(policy, columns, part, schema, options, made.held, written, progress)
    run = replace(run, attacks=tuple(result.as_dict() for result in found))
    evidence = verified_evidence(run, verified, written, part, clock)
    refuse(found, evidence)
    refuse_beyond_thresholds(evidence)
    return replace(made, run=run, evidence=evidence)


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
        formulas=policy.formulas,
    )


def _without_row_codes(seen: Profile, recoding: Recoding | None) -> tuple[Profile, Recoding | None]:
    """Both without the codes of rows: 8 bytes a row that verification can use."""
    rest = replace(seen, row_codes=None)
    if isinstance(recoding, GlobalRecoding | LocalRecoding):
        return rest, replace(recoding, profile=rest)
    return rest, recoding


def _new_plan(
    policy: Policy, recoding: Recoding | None, columns: Sequence[ResolvedColumn], keyring: Keyring
) -> Plan | None:
    made = recoding.plan(policy.sha256) if recoding is not None else None
    return None if made is None else replace(made, keys=lasting_keys(columns, keyring))


def refuse_failed(verified: Verified, evidence: dict[str, Any]) -> None:
    """Raise where a check of the written file failed.

    Suppression can leave too few holders of a kept value, or masked rows only: then the policy's rule does not hold
    (GuaranteeError). Any other failure is ours (VerificationError).
    """
    if not verified.failures:
        return
    broken = {check.name for check in verified.checks if not check.held}
    if broken == {GUARANTEE} and not verified.measured.sizes.count:
        raise GuaranteeError(
            "every row would be masked, and k of no class is nothing; allow coarser levels, a lower k, or leave the "
            "rows out (`action: drop`)",
            evidence=evidence,
        )
    if broken == {RARE_KEEP}:
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
    return ReadOptions(
        given.separator,
        given.encoding,
        given.null_values,
        given.types,
        _where(policy, _stays_text),
        _where(policy, _counts),
        given.flatten,
    )


def _where(policy: Policy, fits: Callable[[Role], bool]) -> Callable[[str], bool]:
    """Whether a column of this name has a role that `fits`."""
    globs = tuple(entry for entry in policy.columns if is_glob(entry))
    return lambda name: any(fits(policy.columns[entry]) for entry in entries_of(name, policy.columns, globs))


def _stays_text(role: Role) -> bool:
    coded = Prefix | FileHierarchy | Networks
    return isinstance(role, Identifier) or (isinstance(role, Quasi) and isinstance(role.hierarchy, coded))


def _counts(role: Role) -> bool:
    """Whether the policy counts with the values, so that `07` is 7."""
    match role:
        case Quasi(hierarchy=Interval() | Breaks() | Rounded()):
            return True
        case Quasi(top=top, bottom=bottom):
            return top is not None or bottom is not None
        case Sensitive(bins=bins, t=close):
            return bins is not None or (close is not None and close.distance == "ordered")
    return False


def keys_of(policy: Policy, columns: Sequence[ResolvedColumn]) -> Iterator[Key]:
    """The keys that the policy needs for these columns."""
    for column in columns:
        if isinstance(column.role, Identifier) and (key := key_of(column.role.action)) is not None:
            yield key
    if policy.text.key is not None and any(isinstance(column.role, Text) for column in columns):
        yield Key(policy.text.key)


def _scrubber(policy: Policy, columns: Sequence[ResolvedColumn], keyring: Keyring) -> Any:
    if not any(isinstance(column.role, Text) for column in columns):
        return None
    from anonym.text.scrub import Scrubber

    return Scrubber(policy.text, text_key(policy, keyring))


def _text_from(ledgers: Sequence[TextLedger]) -> tuple[str, ...] | None:
    return tuple(dict.fromkeys(name for ledger in ledgers for name in ledger.also_from)) if ledgers else None


def verified_evidence(run: Run, verified: Verified, written: Written, part: Path, clock: Clock) -> dict[str, Any]:
    """The evidence of a written and verified file."""
    output: dict[str, Any] = {"rows": written.rows, "units": verified.own.units, "digest": verified.digest}
    if written.formulas:
        output["formulas"] = {"action": run.policy.formulas, "cells": written.formulas}
    facts = facts_of_run(run, verified.measured, verified.checks, verified.facts, output, run.input_digest)
    files = {"release": file_sha256(part)}
    if run.plan is not None:
        files["plan"] = hashlib.sha256(run.plan.dump().encode()).hexdigest()
    known: dict[str, Any] = {} if run.identity is None else {"run": run.identity}
    if run.secret_plan is not None:
        known["secret_plan"] = run.secret_plan
    options = {"seed": str(run.policy.seed), "hold_out": str(run.policy.attacks.hold_out)}
    facts["environment"] = clock.environment(run.recoding, files) | known | {"options": options}
    return dict(complete(facts))


def _input_digest(policy: Policy, columns: Sequence[ResolvedColumn], keyring: Keyring, source: Source) -> str | None:
    """An HMAC of the input's class table under the policy's first key; None without a key."""
    for key in keys_of(policy, columns):
        with guarded("computing the input's digest"):
            return keyed_digest(keyring[key].digest(b"input digest"), source.frame, facts_of(policy, columns))
    return None
