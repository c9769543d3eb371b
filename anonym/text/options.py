"""What a policy says of free text."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Literal


@dataclass(frozen=True)
class RecallGate:
    """A labelled sample and the lowest acceptable lower bound of recall."""

    labelled: Path
    min: Decimal
    entities: tuple[str, ...] = ()  # labels that must reach the bound each for itself
    offsets: Literal["code-points", "utf-16", "bytes"] | None = None  # None: as the file's format has them


@dataclass(frozen=True)
class UserPattern:
    """A pattern of the policy's own, in the syntax of Rust's regex: no look-around, no back-references."""

    name: str
    regex: str
    entity: str = "CUSTOM"


@dataclass(frozen=True)
class LocalModel:
    """A model of the user's own. `source`: the folder of a transformers or GLiNER model; for Presidio, the YAML file of
    an NLP engine, or a recogniser as `module.Class`. `labels`: what GLiNER is asked for.
    """

    kind: Literal["transformers", "gliner", "presidio"]
    source: str
    labels: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.kind} ({Path(self.source).name})"


@dataclass(frozen=True)
class TextOptions:
    """How text columns are scrubbed. `also_from` None means the default: the row's own identifiers and coarser QIs."""

    language: str = "en"
    packs: tuple[str, ...] = ("default",)
    ner: tuple[str | LocalModel, ...] | None = ("spacy",)  # None: `ner: none`, declared
    secrets: tuple[str, ...] = ("detect-secrets",)  # scanners beside our own rules; none: secrets are not looked for
    replace: Literal["tag", "mask", "surrogate", "pseudonym"] = "tag"
    also_from: tuple[str, ...] | None = None
    deduplicate: Literal["none", "exact", "near"] = "none"
    recall: RecallGate | None = None
    patterns: tuple[UserPattern, ...] = ()
    key: str | None = None  # where the key of replacements is found; None: a random one for this release
    longest: int = 20_000_000  # characters; a longer text is withheld, not read
    processes: int = 1  # that scrub large columns at once; a matter of the machine, not of the policy
