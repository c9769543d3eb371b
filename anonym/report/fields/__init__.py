"""The fields of `anonym.evidence/1`, each with its meaning; the shipped JSON Schema is made from these types.

Everywhere null means not measured or not applicable, never 0. No field holds a value of the data, except labels of
groups that at least k units share in the release.
"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from anonym.report.fields.columns import Column, Tree, TreeNode
from anonym.report.fields.promised import (
    Classes,
    Guarantee,
    L,
    Loss,
    Risk,
    SizeBin,
    SuppressedGroup,
    Suppression,
    T,
    Threshold,
)
from anonym.report.fields.run import (
    Batch,
    Environment,
    Input,
    Output,
    PolicyFacts,
    Search,
    ThreatModel,
    Verdict,
    Verification,
)
from anonym.report.fields.tested import Attack, AttackRecord, LaterRun, Proportion, Recall, Text
from anonym.report.fields.training import Training

__all__ = [
    "Attack",
    "AttackRecord",
    "Column",
    "Evidence",
    "L",
    "LaterRun",
    "Proportion",
    "Recall",
    "SizeBin",
    "SuppressedGroup",
    "T",
    "Text",
    "Tree",
    "TreeNode",
    "Verdict",
]


class Evidence(TypedDict):
    """Evidence of one run of anonym: what was promised, done and measured, and what was not."""

    schema: Literal["anonym.evidence/1"]
    holds: NotRequired[Annotated[bool | None, "printed by `anonym check`: the same as verdict.holds"]]
    verdict: Verdict
    policy: PolicyFacts
    threat_model: NotRequired[ThreatModel]
    input: Input
    output: Output
    batch: NotRequired[Batch]
    guarantee: Guarantee
    classes: Classes
    suppression: Suppression
    loss: Loss
    risk: Risk
    thresholds: NotRequired[Annotated[dict[str, Threshold], "by the policy's key; `attacks.NAME.rate` of an attack"]]
    columns: list[Column]
    text: Annotated[dict[str, Text], "by text column"]
    recall: Annotated[Recall | None, "null: not measured"]
    attacks: Annotated[list[Attack], "empty: none was run"]
    later: NotRequired[Annotated[list[LaterRun], "runs of `anonym attack` on the release that were taken up"]]
    training: Annotated[Training | None, "null: none recorded"]
    search: Annotated[Search | None, "null: the policy has no quasi-identifier"]
    verification: Verification
    limits: Annotated[list[str], "what this evidence does not show"]
    environment: Environment
