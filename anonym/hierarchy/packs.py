"""Shipped hierarchies: `rules/hierarchies/NAME.csv` is the table, `NAME.yaml` says where it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from anonym.hierarchy.model import FileHierarchy
from anonym.rules import rules_folder


@dataclass(frozen=True)
class Pack:
    """A shipped hierarchy. `levels` says in words what the columns above the leaf are, without the root."""

    name: str
    title: str
    values: str  # which spellings it reads
    levels: tuple[str, ...]
    source: str
    licence: str
    by_prefix: bool

    @property
    def path(self) -> Path:
        return packs_folder() / f"{self.name}.csv"


def packs_folder() -> Path:
    return rules_folder() / "hierarchies"


def pack_names() -> tuple[str, ...]:
    """Every taxonomy that a policy may name."""
    return tuple(sorted(path.stem for path in packs_folder().glob("*.yaml")))


@cache
def pack(name: str) -> Pack:
    """The pack of that name, which must be one of `pack_names`."""
    text = (packs_folder() / f"{name}.yaml").read_text(encoding="utf-8")
    content: Mapping[str, Any] = yaml.load(text, Loader=yaml.CSafeLoader)
    return Pack(name=name, **{**content, "levels": tuple(content["levels"])})


def taxonomy(name: str) -> FileHierarchy:
    """What a policy's `taxonomy: NAME` declares."""
    found = pack(name)
    return FileHierarchy(found.path, name, found.by_prefix)
