"""A new batch under an earlier plan: its levels and nodes, and nothing that it does not list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from anonym.columns.actions import Keyed
from anonym.columns.keys import Keyring
from anonym.errors import CallError
from anonym.hierarchy.model import Hierarchy, Prefix
from anonym.policy.model import Identifier, Policy
from anonym.policy.resolve import ResolvedColumn
from anonym.search.plan import Plan, PlanColumn, hierarchy_sha256
from anonym.search.secret_plan import SecretPlan, is_secret_plan

STAR = "*"
PLANNED = "the levels of an earlier plan"  # why a search chose what it chose


def read_plan(path: Path, policy: Policy) -> Plan | SecretPlan:
    """The plan in a file. Raises CallError where it cannot be read or belongs to another policy."""
    try:
        content = path.read_bytes()
        plan = SecretPlan.load(content) if is_secret_plan(content) else Plan.load(content.decode())
    except (OSError, UnicodeDecodeError):
        raise CallError(f"the plan {path.name} cannot be read") from None
    refuse_another(plan, policy)
    return plan


def refuse_another(plan: Plan | SecretPlan, policy: Policy) -> None:
    """Raises CallError for the plan of another policy, or one that cannot be applied again."""
    if publishable(plan).policy != policy.sha256:
        raise CallError("the plan is of another policy: use the policy it was made under, or make a new plan")
    if isinstance(plan, Plan) and any(column.level is None for column in plan.columns):
        raise CallError(
            "a plan of local recoding cannot be applied again, for it does not say which values went together: "
            "search.strategy global makes one that can, and --secret-plan keeps one that does (private data)"
        )


def followed_plan(evidence: Mapping[str, Any], path: Path | None, policy: Policy) -> SecretPlan | None:
    """The secret plan at `path`, under which the release of the evidence was made; None where it followed none.

    Raises CallError where it is missing or another, or named for a release that followed none.
    """
    told = evidence["environment"].get("secret_plan", {})
    if told.get("use") != "followed":
        if path is not None:
            raise CallError("this release was not made under a secret plan: leave out --plan")
        return None
    if path is None:
        raise CallError("this release was made under a secret plan: name its file with --plan")
    plan = read_plan(path, policy)
    if not isinstance(plan, SecretPlan) or plan.sha256 != told["sha256"]:
        raise CallError(f"{path.name} is not the secret plan that this release was made under, by its hash")
    return plan


def publishable(plan: Plan | SecretPlan) -> Plan:
    """What may be published of a plan."""
    return plan.plan if isinstance(plan, SecretPlan) else plan


def lasting_keys(columns: Sequence[ResolvedColumn], keyring: Keyring) -> dict[str, str]:
    """The key id of each column whose tokens, surrogates or shifts are the same in every release."""
    return {
        column.name: keyring[key].id
        for column in columns
        if isinstance(column.role, Identifier)
        and isinstance(action := column.role.action, Keyed)
        and action.scope == "project"
        and (key := action.key) is not None
    }


def refuse_other_keys(plan: Plan | None, columns: Sequence[ResolvedColumn], keyring: Keyring) -> None:
    """Raises CallError where a key was changed since the plan's release: two keys' tokens must not be mixed."""
    now = lasting_keys(columns, keyring)
    changed = [name for name, key in (plan.keys.items() if plan else ()) if now.get(name) != key]
    if changed:
        raise CallError(
            f"the key of {', '.join(changed)} is not the one of the plan's release, and its tokens would not match "
            "those: use the earlier key for this batch, or release the whole table anew under the new key"
        )


def followed(plan: Plan, hierarchies: Sequence[Hierarchy]) -> tuple[Hierarchy, ...]:
    """The hierarchies of a new batch held to the plan: one level each, rows under a node it does not list suppressed.

    Raises CallError where a hierarchy is not the one the plan was made with.
    """
    listed = {column.name: column for column in plan.columns}
    if set(listed) != {hierarchy.column for hierarchy in hierarchies}:
        raise CallError("the plan is of another table: its quasi-identifiers are others")
    return tuple(_held(hierarchy, listed[hierarchy.column]) for hierarchy in hierarchies)


def same_hierarchy(hierarchy: Hierarchy, column: PlanColumn) -> Hierarchy:
    """The hierarchy of a column of a local plan, its labels as wide as then. Raises CallError where it is another."""
    if hierarchy_sha256(hierarchy) != column.hierarchy:
        raise _another(column)
    for level in range(1, hierarchy.levels):
        hierarchy = replace(hierarchy, labels=_as_wide(hierarchy, level, column.nodes))
    return hierarchy


def _another(column: PlanColumn) -> CallError:
    return CallError(
        f"column {column.name}: its hierarchy is not the one of the plan: its file has changed, or it is `auto`, "
        "which is drawn up from each table anew. Declare the hierarchy in the policy to apply its plans to new tables"
    )


def _held(hierarchy: Hierarchy, column: PlanColumn) -> Hierarchy:
    level = column.level
    assert level is not None
    if hierarchy_sha256(hierarchy) != column.hierarchy or not hierarchy.finest <= level <= hierarchy.coarsest:
        raise _another(column)
    hierarchy = replace(hierarchy, labels=_as_wide(hierarchy, level, column.nodes))
    labels = hierarchy.labels.gather(hierarchy.ancestor[level].astype(np.int64))
    known = labels.is_in(pl.Series(column.nodes, dtype=pl.String).implode(), nulls_equal=True).to_numpy()
    return replace(hierarchy, finest=level, coarsest=level, suppressed=hierarchy.suppressed | ~known)


def _as_wide(hierarchy: Hierarchy, level: int, nodes: Sequence[str | None]) -> pl.Series:
    """The labels, prefixes with as many `*` as in the plan: the longest value of this batch may be a longer one."""
    declared, labels = hierarchy.declaration, hierarchy.labels
    if not isinstance(declared, Prefix) or not 1 <= level <= len(declared.lengths):
        return labels
    width = max((len(label) for label in nodes if label is not None and label != STAR), default=0)
    is_prefix = pl.Series(np.isin(np.arange(len(labels)), hierarchy.ancestor[level])) & (labels != STAR)
    return labels.str.head(declared.lengths[level - 1]).str.pad_end(width, STAR).zip_with(is_prefix, labels)
