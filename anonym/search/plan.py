"""The plan: a small, serialisable recoding. What stands in its file may be published with the release."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonym.errors import CallError
from anonym.hierarchy.model import FileHierarchy, Hierarchy
from anonym.search.lattice import pack
from anonym.search.problem import Problem, Solution

SCHEMA = "anonym.plan/1"
NOT_ONE = f"not a plan of version {SCHEMA}: it was cut off or changed by hand"


@dataclass(frozen=True)
class PlanColumn:
    """One quasi-identifier: its level (None under local recoding) and the labels of released classes.

    Each label is shared by k units or more.
    """

    name: str
    form: str
    level: int | None
    hierarchy: str  # SHA-256 of the hierarchy's declaration and, for a file, of its bytes
    nodes: tuple[str | None, ...]

    def is_sound(self) -> bool:
        """Whether everything is of its type."""
        return (
            all(isinstance(text, str) for text in (self.name, self.form, self.hierarchy))
            and (self.level is None or type(self.level) is int)
            and all(node is None or isinstance(node, str) for node in self.nodes)
        )


@dataclass(frozen=True)
class Plan:
    """A recoding. A row whose labels are not among `nodes` is suppressed when the plan is used again."""

    policy: str
    strategy: str
    columns: tuple[PlanColumn, ...]
    keys: Mapping[str, str] = field(default_factory=dict)  # key id by column, of tokens that stay across releases

    def dump(self) -> str:
        """JSON text, deterministic, ending in a newline."""
        content = {"schema": SCHEMA, **asdict(self)}
        return json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True) + "\n"

    @staticmethod
    def load(text: str) -> Plan:
        """Raises CallError for anything that is not a plan of this version."""
        try:
            content: dict[str, Any] = json.loads(text)
            if content.pop("schema") != SCHEMA:
                raise CallError(f"not a plan of version {SCHEMA}")
            columns = tuple(PlanColumn(**{**c, "nodes": tuple(c["nodes"])}) for c in content.pop("columns"))
            plan = Plan(columns=columns, **content)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise CallError(NOT_ONE) from None
        if not (plan._is_sound() and all(column.is_sound() for column in columns)):
            raise CallError(NOT_ONE)
        return plan

    def _is_sound(self) -> bool:
        """Whether everything is of its type: JSON can be changed by hand."""
        texts = [self.policy, self.strategy]
        return (
            all(isinstance(text, str) for text in texts)
            and isinstance(self.keys, dict)
            and all(isinstance(word, str) for word in (*self.keys, *self.keys.values()))
            and len({column.name for column in self.columns if isinstance(column.name, str)}) == len(self.columns)
        )


def plan_of(problem: Problem, solution: Solution, forms: tuple[str, ...], policy_sha256: str) -> Plan:
    """The plan of a global solution."""
    nodes = class_nodes(problem, solution)
    return plan_of_nodes(problem.hierarchies, nodes, solution.levels, forms, solution.strategy, policy_sha256)


def plan_of_nodes(
    hierarchies: tuple[Hierarchy, ...],
    nodes: NDArray[np.int32],
    levels: tuple[int, ...] | None,
    forms: tuple[str, ...],
    strategy: str,
    policy_sha256: str,
) -> Plan:
    """The plan of released classes (classes, columns). Without `levels` they differ between classes."""
    columns = tuple(
        PlanColumn(
            hierarchy.column,
            form,
            None if levels is None else int(levels[column]),
            hierarchy_sha256(hierarchy),
            _labels(hierarchy, nodes[:, column]),
        )
        for column, (hierarchy, form) in enumerate(zip(hierarchies, forms, strict=True))
    )
    return Plan(policy_sha256, strategy, columns)


def class_nodes(problem: Problem, solution: Solution) -> NDArray[np.int32]:
    """(classes, columns): the node tuples of the released classes, sorted."""
    codes = problem.cells.codes[solution.kept]
    if not len(codes):
        return np.empty((0, len(problem.hierarchies)), np.int32)
    columns = [
        hierarchy.ancestor[level][codes[:, column]]
        for column, (hierarchy, level) in enumerate(zip(problem.hierarchies, solution.levels, strict=True))
    ]
    words = pack(columns, [int(hierarchy.ancestor.max(initial=0)) + 1 for hierarchy in problem.hierarchies])
    order = np.lexsort(words[::-1]) if len(words) > 1 else np.argsort(words[0])  # 20 times as fast as rows of nodes
    is_new = np.ones(len(order), np.bool_)
    is_new[1:] = np.logical_or.reduce([word[order[1:]] != word[order[:-1]] for word in words])
    first = order[is_new]
    return np.stack([column[first] for column in columns], axis=1)


def _labels(hierarchy: Hierarchy, nodes: NDArray[np.int32]) -> tuple[str | None, ...]:
    """Cells that are no nodes (-1, sets) have none."""
    return tuple(hierarchy.labels.gather(np.unique(nodes[nodes >= 0]).astype(np.int64)).to_list())


def hierarchy_sha256(hierarchy: Hierarchy) -> str:
    """What identifies a hierarchy: its kind and parameters, a file by its bytes (not by its name)."""
    declaration = hierarchy.declaration
    if isinstance(declaration, FileHierarchy):
        return hashlib.sha256(b"file\x00" + declaration.path.read_bytes()).hexdigest()
    return hashlib.sha256(repr(declaration).encode()).hexdigest()
