"""`tune`: what a stronger promise costs, in loss and in the accuracy of models trained on the release."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.attacks.options import AttackOptions
from anonym.errors import CallError, GuaranteeError, PolicyError
from anonym.hierarchy.encode import canonical
from anonym.io import PrivateFolder, guarded, open_frame, open_paths
from anonym.pipeline.applying import make, read_options
from anonym.pipeline.evidence import Clock
from anonym.pipeline.progress import Progress
from anonym.policy import Policy
from anonym.policy.model import Drop, Identifier, Keep, Quasi, Role, SearchOptions, Sensitive, Text

if TYPE_CHECKING:
    from anonym.pipeline.models import Accuracy

TEST_SHARE = 0.3
KS = (2, 5, 10, 25)
Strategy = str


@dataclass(frozen=True)
class Setting:
    """One point of the grid; `without` is a quasi-identifier that is not released, `unmixed` a target of which neither
    l nor t is asked."""

    k: int
    suppression: Decimal
    strategy: Strategy
    without: str | None = None
    unmixed: str | None = None

    @property
    def changed(self) -> str:
        """What of the policy was left out besides k, limit and strategy, for tables and pictures."""
        return self.without or (f"l, t of {self.unmixed}" if self.unmixed else "")


@dataclass(frozen=True)
class Point:
    """What a setting costs. Risks are those of the prosecutor: 1 / class size, at most and on average over rows.

    `refused` says why there is none: the other figures are then None. `accuracy` is by model, where a target is named.
    """

    setting: Setting
    loss: float | None = None
    suppressed: float | None = None
    risk_max: float | None = None
    risk_mean: float | None = None
    accuracy: tuple[Accuracy, ...] = ()
    refused: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """For `--json`."""
        setting = self.setting
        return {
            "k": setting.k,
            "suppression": float(setting.suppression),
            "strategy": setting.strategy,
            "without": setting.without,
            "unmixed": setting.unmixed,
            "loss": self.loss,
            "suppressed": self.suppressed,
            "risk_max": self.risk_max,
            "risk_mean": self.risk_mean,
            "accuracy": [one.as_dict() for one in self.accuracy],
            "refused": self.refused,
        }


@dataclass(frozen=True)
class Trade:
    """The grid with its costs; `raw` is the accuracy on the table as it is."""

    points: tuple[Point, ...]
    target: str | None = None
    raw: tuple[Accuracy, ...] = ()
    rows: int = 0
    tested: int = 0
    notes: tuple[str, ...] = field(default=())

    def as_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "target": self.target,
            "rows": self.rows,
            "tested_rows": self.tested,
            "raw": [one.as_dict() for one in self.raw],
            "points": [point.as_dict() for point in self.points],
            "notes": list(self.notes),
        }


def tune_files(
    policy: str | Path,
    paths: Sequence[str | Path],
    *,
    target: str | None = None,
    ks: Sequence[int] = (),
    suppressions: Sequence[Decimal] = (),
    strategies: Sequence[Strategy] = (),
    drop: bool = True,
    seed: int | None = None,
    progress: Progress | None = None,
) -> Trade:
    """Release the files under every setting of a small grid, in private, and measure each. Nothing is written.

    With a target, three rows in ten (units, where one is named) are kept apart: models learn from releases of the
    others and are tested on these as they are. The quasi-identifiers then have form `representative`, so that a model
    reads released and raw rows alike. Raises CallError for a target that cannot be learnt.
    """
    progress = progress or Progress()
    loaded = _bare(Policy.load(policy))
    loaded = loaded if seed is None else replace(loaded, seed=seed)
    if loaded.guarantee is None or not _quasi(loaded):
        raise CallError("the policy names no quasi-identifier, so that there is nothing to trade: add one first")
    source = open_paths(paths, read_options(loaded))
    columns = {column.name: column.role for column in loaded.resolve(source.schema)}
    loaded = replace(loaded, columns=columns)
    with guarded("reading the table"):
        table = source.frame.collect()
    grid = list(_grid(loaded, ks, suppressions, strategies, drop))
    if target is None:
        return Trade(tuple(_points(loaded, table, grid, None, progress)), rows=table.height)
    return _with_target(loaded, table, grid, target, progress)


def _bare(policy: Policy) -> Policy:
    """Without texts, gates and budgets of training, which decide nothing here."""
    roles = {name: Drop() if isinstance(role, Text) else role for name, role in policy.columns.items()}
    return replace(
        policy, columns=roles, text=replace(policy.text, recall=None), attacks=AttackOptions(), training=None
    )


def _quasi(policy: Policy) -> list[str]:
    return [name for name, role in policy.columns.items() if isinstance(role, Quasi)]


def _grid(
    policy: Policy, ks: Sequence[int], suppressions: Sequence[Decimal], strategies: Sequence[Strategy], drop: bool
) -> Iterator[Setting]:
    """Every k with every strategy; then, at the policy's own k, other limits, and one quasi-identifier less."""
    assert policy.guarantee is not None
    own, limit = policy.guarantee.k, policy.guarantee.suppression
    wanted = tuple(strategies) or ("auto",)
    seen: set[Setting] = set()
    every = [Setting(k, limit, strategy) for strategy in wanted for k in sorted({*(ks or (*KS, own))})]
    base = own if not ks or own in ks else min(ks)
    every += [
        Setting(base, share, wanted[0]) for share in (suppressions or (Decimal(0), Decimal("0.02"), Decimal("0.1")))
    ]
    every += (
        [Setting(base, limit, wanted[0], name) for name in _quasi(policy)] if drop and len(_quasi(policy)) > 1 else []
    )
    for setting in every:
        if setting not in seen:
            seen.add(setting)
            yield setting


def _with_target(policy: Policy, table: pl.DataFrame, grid: list[Setting], target: str, progress: Progress) -> Trade:
    from anonym.pipeline.models import Task

    _refuse_target(policy, target)
    policy = replace(policy, columns={name: _readable(role) for name, role in policy.columns.items()})
    kept = [name for name, role in policy.columns.items() if not isinstance(role, Identifier | Drop) and name != target]
    untouched = pl.Series(_apart(policy, table))
    test, rest = table.filter(untouched), table.filter(~untouched)
    if _mixes(policy, target):
        plain = (replace(one, unmixed=target) for one in grid if one.without is None)
        grid = [*grid, *plain]
    task = Task.of(table, target, kept, tested=test)
    progress.stage("training on the table as it is", None)
    raw = task.measure(rest)
    points = tuple(_points(policy, rest, grid, task, progress))
    return Trade(points, target, raw, table.height, test.height, (*task.notes, *_limits(policy, target)))


def _refuse_target(policy: Policy, target: str) -> None:
    role = policy.columns.get(target)
    if role is None:
        fit = [name for name, role in policy.columns.items() if isinstance(role, Sensitive | Keep)]
        raise CallError(f"no column {target}: name one that is released as it is ({', '.join(fit) or 'there is none'})")
    if isinstance(role, Quasi | Identifier | Drop):
        word = type(role).__name__.lower()
        raise CallError(
            f"the target {target} has the role {word}, so it is not released as it is: give it sensitive or keep"
        )


def _mixes(policy: Policy, target: str) -> bool:
    """Whether the policy asks that every class holds several values of the target, of which models then learn less."""
    role = policy.columns[target]
    return isinstance(role, Sensitive) and (role.l is not None or role.t is not None)


def _limits(policy: Policy, target: str) -> Iterator[str]:
    if _mixes(policy, target):
        yield (
            f"the policy asks l or t of {target}: classes are mixed on purpose, and models learn less of it; "
            "the settings without show what that costs"
        )
        yield (
            f"to give it up, write `{target}: {{role: sensitive}}`; then whoever knows somebody's class may read "
            f"{target} off it: decide by who gets the release, and write down why"
        )


def _readable(role: Role) -> Role:
    return replace(role, form="representative") if isinstance(role, Quasi) else role


def _apart(policy: Policy, table: pl.DataFrame) -> NDArray[np.bool_]:
    """(rows,) whether a row is kept apart for testing: whole units, drawn under the policy's seed."""
    draw = np.random.default_rng([policy.seed, 3])
    if policy.unit is None:
        return draw.random(table.height) < TEST_SHARE
    unit = table.select(canonical(policy.unit, table.schema[policy.unit])).to_series()
    codes = unit.rank("dense").fill_null(0).to_numpy()
    tested: NDArray[np.bool_] = (draw.random(int(codes.max(initial=0)) + 1) < TEST_SHARE)[codes]
    return tested


def _points(policy: Policy, table: pl.DataFrame, grid: list[Setting], task: Any, progress: Progress) -> Iterator[Point]:
    progress.stage("trying settings (compiling at first use)", len(grid))
    for setting in grid:
        yield _point(_set(policy, setting), table, setting, task)
        progress.advance(1)


def _set(policy: Policy, setting: Setting) -> Policy:
    assert policy.guarantee is not None
    columns = {name: _role(name, role, setting) for name, role in policy.columns.items()}
    guarantee = replace(policy.guarantee, k=setting.k, suppression=setting.suppression)
    search: SearchOptions = replace(policy.search, strategy=setting.strategy)  # type: ignore[arg-type]  # checked by click
    return replace(policy, columns=columns, guarantee=guarantee, search=search)


def _role(name: str, role: Role, setting: Setting) -> Role:
    if name == setting.without:
        return Drop()
    return replace(role, l=None, t=None) if name == setting.unmixed and isinstance(role, Sensitive) else role


def _point(policy: Policy, table: pl.DataFrame, setting: Setting, task: Any) -> Point:
    try:
        with PrivateFolder() as private:
            part = private.file("tuned.parquet")
            made = make(policy, open_frame(table), part, private, Clock(), Progress())
            accuracy = task.measure(pl.read_parquet(part)) if task is not None else ()
    except (GuaranteeError, PolicyError) as error:
        return Point(setting, refused=str(error).splitlines()[0])
    evidence = made.evidence
    risk = evidence["risk"]
    return Point(
        setting,
        evidence["loss"]["ncp"],
        evidence["suppression"]["rate"],
        risk["prosecutor_max"],
        risk["prosecutor_mean"],
        accuracy,
    )
