"""`apply` in Python: a frame in, a Release out, verified like the command's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl

from anonym.errors import CallError
from anonym.io import PrivateFolder, Target, open_frame
from anonym.io.partitions import refuse_unsuited
from anonym.io.release import refuse_unwritable
from anonym.pipeline.applying import Beside, Made, make, refuse_failed, verified_evidence, with_options
from anonym.pipeline.estimating import estimate, within
from anonym.pipeline.evidence import Clock
from anonym.pipeline.keeping_plans import keep_plan, refuse_file, refuse_folder, refuse_nothing_to_keep
from anonym.pipeline.progress import Progress
from anonym.pipeline.releasing import publish, refuse_unnamable
from anonym.pipeline.replanned import read_plan, refuse_another
from anonym.pipeline.transform import masks_rows
from anonym.pipeline.uniting import refuse_unasked
from anonym.pipeline.verifying import released_schema, verify
from anonym.pipeline.withdrawing import withdraw
from anonym.pipeline.write import Written, write_release
from anonym.policy.model import Policy
from anonym.search.plan import Plan
from anonym.search.secret_plan import SecretPlan


@dataclass(frozen=True)
class Release:
    """A verified release. `data` is what may be handed over, `evidence` what was promised, done and measured."""

    data: pl.LazyFrame
    plan: Plan | None
    evidence: Mapping[str, Any]
    _made: Made = field(repr=False)
    _secret_plan: Path | None = field(default=None, repr=False)  # where one was kept

    def write(self, path: str | Path, *, force: bool = False, partition_by: Sequence[str] = ()) -> Path:
        """Write the release with its report and plan; the file is verified before it gets its name.

        `partition_by` are released columns: `path` is then a folder with a file for each combination of their values.

        Raises CallError if `path` exists (unless `force`) or the columns are unsuited, OutputError if it cannot be
        written, VerificationError if the written file does not keep what was promised; an earlier file at `path`
        survives all of these.
        """
        place, clock, run = Path(path), Clock(), self._made.run
        schema = released_schema(run.profile.columns, masks=masks_rows(run.policy))
        refuse_unnamable(place, partition_by, force=force)
        refuse_unwritable(place.suffix, schema)
        refuse_unsuited(partition_by, schema)
        if self._secret_plan is not None:
            refuse_folder(self._secret_plan, place)
        with Target(place, force=force, folder=bool(partition_by)) as target:
            written = self._written(target.part, partition_by)
            verified = verify(
                target.part, self._made.held.source, written, self._made.verified.facts, schema, run.earlier
            )
            evidence = verified_evidence(run, verified, written, target.part, clock)
            refuse_failed(verified, evidence)
            publish(target, evidence, self.plan)
        return place

    def _written(self, part: Path, partition_by: Sequence[str]) -> Written:
        """The release written once more, in its order or, partition after partition, that of its files."""
        aligned = pl.concat([self.data, self._made.written.alignment.lazy()], how="horizontal")
        with PrivateFolder() as private:
            return write_release(
                aligned,
                part,
                order="keep",
                rows=self._made.written.rows,
                private=private,
                progress=Progress(),
                partition_by=partition_by,
                formulas=self._made.run.policy.formulas,
            )


def apply(
    policy: Policy | Mapping[str, Any] | str | Path,
    table: Any,
    *,
    plan: Plan | SecretPlan | str | Path | None = None,
    secret_plan: str | Path | None = None,
    control: Any = None,
    exclude_units: Sequence[Any] | pl.Series | None = None,
    earlier: str | Path | Sequence[str | Path] = (),
    seed: int | None = None,
    hold_out: Decimal | float | None = None,
    memory_limit: int | None = None,
    processes: int = 1,
    force: bool = False,
    progress: Progress | None = None,
) -> Release:
    """Release `table` (Polars frame, lazy or not, pandas or Arrow) under the policy.

    `plan` is an earlier release's, or its file: its levels are used again, and rows that it does not list are
    suppressed. A local recoding is applied again by its secret plan, which is written to `secret_plan` if given, before
    anything is returned: raw data, mode 0600, and never in the folder that the release is written to. What stands there
    is replaced only with `force`.
    `control` are people like the table's who are not in it, for the attacks of the policy, where nobody is held out.
    `exclude_units` are values of the policy's unit column, whose rows are left out. `earlier` are files released before
    under the plan, with which the table is judged where the policy says `batch: union`. `seed` and `hold_out` (a share)
    replace the policy's; with a `memory_limit` (bytes) nothing is done where more is estimated; `processes` scrub text
    at once.

    Everything is done as on the command line, with the written file in a private folder: searched, applied, verified.
    Raises an AnonymError (see anonym.errors) and returns nothing where the promise cannot be kept.
    """
    clock = Clock()
    loaded = policy if isinstance(policy, Policy) else Policy.load(policy)
    source = open_frame(table, loaded.input.flatten)
    loaded = with_options(loaded, seed, None if hold_out is None else _share(hold_out))
    loaded = replace(loaded, text=replace(loaded.text, processes=processes))
    before = _files(earlier)
    place = None if secret_plan is None else Path(secret_plan)
    if place is not None:
        refuse_nothing_to_keep(loaded, is_planned=plan is not None)
        refuse_file(place, before, force=force)
    planned = _plan(plan, loaded)
    refuse_unasked(loaded, planned, before)
    with PrivateFolder() as private:
        part = private.file("release.parquet")
        others = None if control is None else open_frame(control, loaded.input.flatten).frame
        source, withdrawn = withdraw(loaded, source, None if exclude_units is None else pl.Series(exclude_units))
        if memory_limit is not None:
            within(memory_limit, estimate(loaded, source))
        beside = Beside(planned, others, withdrawn, before, keeps_plan=place is not None)
        made = make(loaded, source, part, private, clock, progress or Progress(), beside)
        data = pl.read_parquet(part)
        if place is not None and made.run.kept_plan is not None:
            keep_plan(made.run.kept_plan, place)
    return Release(data.lazy(), made.run.plan, made.evidence, made, place)


def _files(earlier: str | Path | Sequence[str | Path]) -> tuple[Path, ...]:
    """Raises CallError for what is no file: the evidence tells by hashes of files what a batch was judged with."""
    given = [earlier] if isinstance(earlier, str | Path) else list(earlier)
    if not all(isinstance(one, str | Path) for one in given):
        raise CallError(
            "earlier: expected paths of released files, as only a file has a hash by which the evidence can say, and "
            "`verify` can check, what the batch was judged with, and its plan beside it: write the frame with "
            "Release.write, and name the file"
        )
    return tuple(map(Path, given))


def _plan(given: Plan | SecretPlan | str | Path | None, policy: Policy) -> Plan | SecretPlan | None:
    if isinstance(given, str | Path):
        return read_plan(Path(given), policy)
    if given is not None:
        refuse_another(given, policy)
    return given


def _share(given: Decimal | float) -> Decimal:
    """A share as the exact decimal that it is written as. Raises CallError for what is none."""
    share = Decimal(str(given))
    if not 0 <= share < 1:
        raise CallError("hold_out: expected a share from 0 to below 1, such as 0.1")
    return share
