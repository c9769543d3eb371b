"""`--secret-plan`: a local recoding with the raw values that it needs, kept outside the release's folder."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.columns.cells import interval_ends, member_sets
from anonym.errors import CallError, OutputError
from anonym.hierarchy.ends import STAR
from anonym.hierarchy.holders import holders
from anonym.hierarchy.model import Auto, Hierarchy
from anonym.io import guarded, private_file
from anonym.io.source import file_sha256, same_file
from anonym.io.target import refuse_existing, refuse_long_name
from anonym.pipeline.local_recoding import LocalRecoding
from anonym.pipeline.recoding import Recoding
from anonym.policy.model import Form, Policy, Quasi
from anonym.report.figures import plural
from anonym.search.local.records import SUPPRESSED, SetColumn
from anonym.search.plan import Plan
from anonym.search.secret_plan import KINDS, SecretPlan

log = logging.getLogger("anonym")


@dataclass(frozen=True)
class KeptPlan:
    """What is to stand in the file: of a global recoding the publishable plan, which has no raw combinations."""

    content: bytes
    sha256: str
    combinations: int
    is_public: bool = False

    def evidence(self) -> dict[str, Any]:
        return {"use": "written", "sha256": self.sha256, "combinations": self.combinations}


def refuse_folder(path: Path, output: Path) -> None:
    """Raises CallError where a secret plan would stand in the release's folder or below, which is handed over."""
    if path.parent.resolve().is_relative_to(output.parent.resolve()):
        raise CallError(
            "a secret plan holds raw values, and who is given the release is given its folder: name a place that is "
            "not in the release's folder nor below it"
        )


def refuse_file(path: Path, read: Iterable[Path], *, force: bool) -> None:
    """Raises CallError where a secret plan may not be written to `path`, OutputError where it cannot."""
    refuse_long_name(path)
    if not path.parent.is_dir():
        raise OutputError(f"the secret plan's folder does not exist: {path.parent}")
    if path.is_dir():
        raise CallError(f"{path} is a folder: name a file for the secret plan")
    if any(same_file(path, one) for one in read):
        raise CallError("the secret plan would stand in the place of a file that is read: name another")
    refuse_existing(path, force=force)


def refuse_nothing_to_keep(policy: Policy, *, is_planned: bool) -> None:
    """Raises CallError where no secret plan can be made."""
    if is_planned:
        raise CallError("a batch under an earlier plan makes no new one: leave out --secret-plan, or --plan")
    if not any(isinstance(role, Quasi) for role in policy.columns.values()):
        raise CallError("a policy without quasi-identifiers has no plan: leave out --secret-plan")


def kept_plan(recoding: Recoding | None, plan: Plan | None) -> KeptPlan | None:
    """What is to be kept of a recoding whose publishable plan is `plan`; None where there is no quasi-identifier."""
    if recoding is None or plan is None:
        return None
    if not isinstance(recoding, LocalRecoding):
        content = plan.dump().encode()
        return KeptPlan(content, hashlib.sha256(content).hexdigest(), 0, is_public=True)
    secret = secret_plan(recoding, plan)
    return KeptPlan(secret.content, secret.sha256, secret.count)


def keep_plan(kept: KeptPlan, path: Path) -> None:
    """Write it with mode 0600, whole or not at all. Raises OutputError."""
    with guarded("keeping the secret plan", OutputError), private_file(path) as file:
        file.write(kept.content)
    log.info("raw values are kept in the secret plan %s (mode 0600), as asked for", path)


def stands(path: Path | None, evidence: Mapping[str, Any]) -> bool:
    """Whether the secret plan that a finished run was asked for is where it is asked for now."""
    told = evidence["environment"].get("secret_plan", {})
    return path is None or (path.is_file() and file_sha256(path) == told.get("sha256"))


def said_of(kept: KeptPlan | None, path: Path | None) -> list[str]:
    """A line for the terminal."""
    if kept is None or path is None:
        return []
    if kept.is_public:
        return [f"plan     {path}: no raw value is in it, for recoding is global; the *.plan.json does as well"]
    return [f"secret   {path}: {plural(kept.combinations, 'raw combination')}, for --plan; hand it to nobody"]


# from a recoding to its plan -----------------------------------------------------------------------------------------


def secret_plan(recoding: LocalRecoding, plan: Plan) -> SecretPlan:
    """The plan of a local recoding with the raw combinations that it was found for."""
    shares = _shares(recoding)
    used = np.unique(shares["combination"].to_numpy())
    codes = recoding.problem.cells.codes[used]
    hierarchies = recoding.problem.hierarchies
    quasi = dict(zip((h.column for h in hierarchies), (role for _, role in recoding.profile.quasi), strict=True))
    number = pl.Series(np.searchsorted(used, shares["combination"].to_numpy()), dtype=pl.Int64)
    released: dict[str, pl.Series] = {}
    covered: dict[str, pl.Series] = {}
    for column, hierarchy in enumerate(hierarchies):
        form = quasi[hierarchy.column].form
        released |= {} if form == "representative" else recoding.tables(column, form)
        covered |= _covered(recoding, column, form)
    return SecretPlan(
        plan,
        pl.DataFrame({h.column: h.domain.gather(codes[:, j].astype(np.int64)) for j, h in enumerate(hierarchies)}),
        shares.with_columns(combination=number),
        pl.DataFrame(released),
        pl.DataFrame(covered),
        drawn={h.column: h.declaration for h in hierarchies if isinstance(quasi[h.column].hierarchy, Auto)},
    )


def _shares(recoding: LocalRecoding) -> pl.DataFrame:
    """DataFrame[combination, class, rows] in the order of the records, for combinations that some class has."""
    parts = recoding.solution.parts
    went = pl.DataFrame({"combination": recoding.cell[parts.record], "class": parts.cls, "rows": parts.rows})
    went = went.with_columns(pl.when(pl.col("class") != SUPPRESSED).then("class"))
    runs = went.group_by(pl.struct("combination", "class").rle_id().alias("run"), maintain_order=True)
    together = runs.agg(pl.col("combination", "class").first(), pl.col("rows").sum()).drop("run")
    return together.filter(pl.col("class").is_not_null().any().over("combination"))


def _covered(recoding: LocalRecoding, column: int, form: Form) -> dict[str, pl.Series]:
    """What the cells of a column cover, by class: see `SecretPlan.cells`."""
    hierarchy, cells = recoding.problem.hierarchies[column], recoding.solution.sets.get(column)
    name = hierarchy.column
    if cells is None:
        return {f"level:{name}": pl.Series(_levels(recoding, column), dtype=pl.Int32)}
    if cells.members is not None:
        return {f"members:{name}": member_sets(hierarchy, cells.members)}
    kinds = pl.Series(_kinds(hierarchy, cells), dtype=pl.Int32)
    if form == "representative":  # says nothing of where its cell ends
        codes = pl.DataFrame({"low": cells.low, "high": cells.high, "kind": kinds})
        codes = codes.select(
            pl.when(pl.col("kind") == KINDS["interval"]).then(one).alias(one) for one in ("low", "high")
        )
        low, high = hierarchy.domain.gather(codes["low"]), hierarchy.domain.gather(codes["high"])
    else:
        assert cells.low is not None
        assert cells.high is not None
        held = holders(recoding.problem.cells, column, hierarchy.leaves)
        low, high = interval_ends(hierarchy, cells.low, cells.high, held, recoding.problem.k)
    return {f"kind:{name}": kinds, f"low:{name}": low, f"high:{name}": high}


def _kinds(hierarchy: Hierarchy, cells: SetColumn) -> NDArray[np.int64]:
    """(classes,) see KINDS."""
    assert cells.low is not None
    is_star, is_alone = cells.low == STAR, cells.low >= len(hierarchy.domain.drop_nulls())
    return np.where(is_star, KINDS["star"], np.where(is_alone, KINDS["alone"], KINDS["interval"]))


def _levels(recoding: LocalRecoding, column: int) -> NDArray[np.int64]:
    """(classes,) the finest allowed level at which the node of the class covers the leaves of its rows."""
    hierarchy, nodes = recoding.problem.hierarchies[column], recoding.solution.nodes[:, column]
    leaf = _one_leaf(recoding, column)
    is_there = hierarchy.ancestor[hierarchy.finest :, leaf] == nodes
    level: NDArray[np.int64] = is_there.argmax(axis=0) + hierarchy.finest
    return level


def _one_leaf(recoding: LocalRecoding, column: int) -> NDArray[np.int32]:
    """(classes,) the leaf of some row of each class."""
    parts = recoding.solution.parts
    leaf = np.zeros(recoding.solution.classes, np.int32)
    kept = parts.cls != SUPPRESSED
    leaf[parts.cls[kept]] = recoding.coded.records.codes[parts.record[kept], column]
    return leaf
