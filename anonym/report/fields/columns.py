"""Fields on what became of each column, and its hierarchy."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from anonym.report.fields.kinds import Count, Level, Share

Role = Literal["quasi", "sensitive", "identifier", "text", "keep", "drop"]


class TreeNode(TypedDict):
    """A group of a hierarchy that at least k units share in the release."""

    label: Annotated[str | None, "null: the null value"]
    level: Level
    below: NotRequired[list[TreeNode]]
    more: NotRequired[Annotated[Count, "groups below it that are not shown: rarer, or beyond the 40 most frequent"]]


class Tree(TypedDict):
    """A hierarchy, from its top down to the level of the release."""

    level: Annotated[Level, "of the release; under local recoding that at which suppression is told by group"]
    groups: Annotated[dict[str, Count], "level to the number of its groups over the input"]
    below: list[TreeNode]
    more: NotRequired[Count]


class Column(TypedDict):
    """What became of one input column."""

    name: str
    role: Role
    action: Annotated[
        str, "generalise, keep, scrub, drop, redact, pseudonym, surrogate, shift, ...; none: no action in this run"
    ]
    form: Annotated[Literal["label", "set", "bounds", "representative"] | None, "of a quasi-identifier; else null"]
    loss: Annotated[Share | None, "NCP of this column over all input rows; null if it is not a quasi-identifier"]
    levels: Annotated[
        dict[str, str] | None, "level number to description, from the finest to the coarsest that the policy allows"
    ]
    dtype: NotRequired[Annotated[str, "of the input column"]]
    key_id: NotRequired[Annotated[str, "which key; not the key"]]
    scope: NotRequired[Annotated[Literal["release", "project"], "project: the same token in every release"]]
    k_if_known: NotRequired[
        Annotated[Count | None, "k for an attacker who knows the quasi-identifiers and this column too"]
    ]
    reason: NotRequired[Annotated[str | None, "why values that fewer than k units hold may stay (`allow_unique`)"]]
    surrogates: NotRequired[
        Annotated[
            dict[str, Count],
            "distinct values that share their surrogate with another, that were drawn again, that got a token instead",
        ]
    ]
    tree: NotRequired[Annotated[Tree, "of a quasi-identifier"]]
    bins: NotRequired[Annotated[str, "of a sensitive column whose numbers count by bins for l and t: which bins"]]
