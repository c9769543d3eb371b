"""`apply` in Python: a frame in, a Release out, verified like the command's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from anonym.io import PrivateFolder, Target, open_frame
from anonym.pipeline.applying import Beside, Made, make, refuse_failed, verified_evidence
from anonym.pipeline.evidence import Clock
from anonym.pipeline.gates import refuse_unknown_output
from anonym.pipeline.progress import Progress
from anonym.pipeline.releasing import publish
from anonym.pipeline.replanned import refuse_another
from anonym.pipeline.reported import refuse_namesake
from anonym.pipeline.transform import masks_rows
from anonym.pipeline.verifying import released_schema, verify
from anonym.pipeline.withdrawing import withdraw
from anonym.pipeline.write import sink
from anonym.policy.model import Policy
from anonym.search.plan import Plan


@dataclass(frozen=True)
class Release:
    """A verified release. `data` is what may be handed over, `evidence` what was promised, done and measured."""

    data: pl.LazyFrame
    plan: Plan | None
    evidence: Mapping[str, Any]
    _made: Made = field(repr=False)

    def write(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the release with its report and plan; the file is verified before it gets its name.

        Raises CallError if `path` exists (unless `force`), OutputError if it cannot be written, VerificationError if
        the written file does not keep what was promised; an earlier file at `path` survives all of these.
        """
        place, clock = Path(path), Clock()
        refuse_unknown_output(place)
        if not force:
            refuse_namesake(place)
        with Target(place, force=force) as target:
            sink(self.data, target.part)
            run = self._made.run
            verified = verify(
                target.part,
                self._made.held.source,
                self._made.written,
                self._made.verified.facts,
                released_schema(run.profile.columns, masks=masks_rows(run.policy)),
            )
            evidence = verified_evidence(run, verified, self._made.written, target.part, clock)
            refuse_failed(verified, evidence)
            publish(target, evidence, self.plan)
        return place


def apply(
    policy: Policy | Mapping[str, Any] | str | Path,
    table: Any,
    *,
    plan: Plan | None = None,
    control: Any = None,
    exclude_units: Sequence[Any] | pl.Series | None = None,
    progress: Progress | None = None,
) -> Release:
    """Release `table` (Polars frame, lazy or not, pandas or Arrow) under the policy.

    `plan` is an earlier release's: its levels are used again, and rows that it does not list are suppressed.
    `control` are people like the table's who are not in it, for the attacks of the policy, where nobody is held out.
    `exclude_units` are values of the policy's unit column, whose rows are left out.

    Everything is done as on the command line, with the written file in a private folder: searched, applied, verified.
    Raises an AnonymError (see anonym.errors) and returns nothing where the promise cannot be kept.
    """
    clock, source = Clock(), open_frame(table)
    loaded = policy if isinstance(policy, Policy) else Policy.load(policy)
    if plan is not None:
        refuse_another(plan, loaded)
    with PrivateFolder() as private:
        part = private.file("release.parquet")
        others = None if control is None else open_frame(control).frame
        source, withdrawn = withdraw(loaded, source, None if exclude_units is None else pl.Series(exclude_units))
        beside = Beside(plan, others, withdrawn)
        made = make(loaded, source, part, private, clock, progress or Progress(), beside)
        data = pl.read_parquet(part)
    return Release(data.lazy(), made.run.plan, made.evidence, made)
