"""What the evidence says of each column of the input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from anonym.columns.actions import Keyed, name_of
from anonym.columns.keys import Keyring
from anonym.hierarchy.model import FileHierarchy, Hierarchy
from anonym.pipeline.profile import Profile
from anonym.pipeline.recoding import Recoding
from anonym.pipeline.subgroups import trees
from anonym.policy.explain_columns import levels as level_words
from anonym.policy.model import Drop, Identifier, Keep, Quasi, Sensitive, Text
from anonym.policy.resolve import ResolvedColumn
from anonym.verify.measure import Measured


def columns_part(
    profile: Profile,
    recoding: Recoding | None,
    keyring: Keyring,
    measured: Measured,
    replaced: Mapping[str, Mapping[str, int]],
) -> Iterator[dict[str, Any]]:
    """Every column of the input: its role, what became of it, what it lost, and its hierarchy as a tree."""
    losses = recoding.column_losses() if recoding else {}
    hierarchies = {hierarchy.column: hierarchy for hierarchy in profile.hierarchies}
    grown = trees(recoding) if recoding else {}
    for column in profile.columns:
        yield {
            "name": column.name,
            "role": role_name(column.role),
            "action": action_of(column.role),
            "form": column.role.form if isinstance(column.role, Quasi) else None,
            "loss": losses.get(column.name),
            "levels": _levels(hierarchies[column.name], column.role) if isinstance(column.role, Quasi) else None,
            "dtype": str(column.dtype.base_type()),  # an Enum prints its categories, which are data
            **({"tree": grown[column.name]} if column.name in grown else {}),
            **_of_role(column, keyring, measured),
            **({"surrogates": dict(counts)} if (counts := replaced.get(column.name)) else {}),
        }


def role_name(role: object) -> str:
    names = {Quasi: "quasi", Sensitive: "sensitive", Identifier: "identifier", Text: "text", Keep: "keep", Drop: "drop"}
    return names[type(role)]


def action_of(role: object) -> str:
    """What a role of the policy does to its column."""
    match role:
        case Quasi():
            return "generalise"
        case Identifier(action):
            return name_of(action)
        case Text():
            return "scrub"
        case Drop():
            return "drop"
        case _:
            return "keep"


def _levels(hierarchy: Hierarchy, quasi: Quasi) -> dict[str, str]:
    words = level_words(hierarchy.declaration)
    if isinstance(quasi.hierarchy, FileHierarchy) and quasi.hierarchy.taxonomy is None:
        middle = [f"column {level + 1} of the file" for level in range(1, hierarchy.levels - 1)]
        words = [*words, *middle, "`*`"][: hierarchy.levels]
    return {str(level): words[level] for level in range(hierarchy.finest, hierarchy.coarsest + 1)}


def _of_role(column: ResolvedColumn, keyring: Keyring, measured: Measured) -> dict[str, Any]:
    role = column.role
    if isinstance(role, Identifier) and isinstance(role.action, Keyed):
        key = role.action.key
        return {"scope": role.action.scope} | ({"key_id": keyring[key].id} if key else {})
    if isinstance(role, Keep):
        return {"k_if_known": measured.known.get(column.name), "reason": role.allow_unique}
    if isinstance(role, Sensitive):
        known = {"k_if_known": measured.known.get(column.name)}
        return known if role.bins is None else {**known, "bins": level_words(role.bins)[1]}
    return {}
