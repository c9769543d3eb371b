"""What a policy must satisfy as a whole, looked at apart from its shape so that one fault does not hide another."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from pathlib import Path
from typing import Any

from anonym.policy import hierarchy_checks
from anonym.policy.column_shapes import (
    ROLES,
    ClosenessShape,
    PseudonymShape,
    QuasiShape,
    SensitiveShape,
    ShiftShape,
    SurrogateShape,
)
from anonym.policy.faults import Shaped
from anonym.policy.globs import contains, entries_of, is_glob
from anonym.policy.hierarchy_shapes import FileShape
from anonym.policy.plain import At, Finding
from anonym.policy.saying import MANY, meant
from anonym.policy.schema import PolicyShape

LOOK_AROUND = re.compile(r"\(\?<?[=!]")
BACK_REFERENCE = re.compile(r"\\[1-9k]|\(\?P=")
MAX_GLOBS = 200
PASTED = 32
"""Characters from which a name without `_`, `.` or `/` is taken for a key that somebody pasted."""


@dataclass(frozen=True)
class Subject:
    """A policy under check: what of its shape is sound, and the names as they were written."""

    shaped: Shaped
    raw: Mapping[str, Any]
    base: Path

    @property
    def shape(self) -> PolicyShape:
        return self.shaped.shape

    @cached_property
    def columns(self) -> Mapping[str, Any]:
        """Every entry of `columns`, sound or not."""
        columns = self.raw.get("columns")
        return columns if isinstance(columns, dict) else {}

    @cached_property
    def roles(self) -> Mapping[str, str | None]:
        """The role of every entry; None where it is missing or unknown."""
        given = {
            name: column.get("role") if isinstance(column, dict) else None for name, column in self.columns.items()
        }
        return {name: role if role in ROLES else None for name, role in given.items()}

    @cached_property
    def globs(self) -> tuple[str, ...]:
        return tuple(name for name in self.columns if is_glob(name))

    def entries_of(self, name: str) -> tuple[str, ...]:
        """The entries of `columns` that speak for a column of this name."""
        return entries_of(name, self.columns, self.globs)

    def of(self, *shapes: type) -> Iterator[tuple[At, Any]]:
        """Every sound column of these shapes, with its place."""
        for name, column in self.shape.columns.items():
            if isinstance(column, shapes) and name in self.columns:
                yield ("columns", name), column


def _quasi(subject: Subject) -> Iterator[Finding]:
    for at, column in subject.of(QuasiShape):
        yield from hierarchy_checks.nesting((*at, "hierarchy"), column.hierarchy)
        yield from hierarchy_checks.levels(subject.shaped, at, column)
        yield from hierarchy_checks.ends(at, column)
        yield from hierarchy_checks.fitting(at, column)
        if isinstance(column.hierarchy, FileShape):
            yield from _file((*at, "hierarchy", "file"), subject.base, column.hierarchy.file)
        if column.form == "set" and subject.shape.search.strategy == "global":
            yield Finding((*at, "form"), "the form set needs search.strategy local or auto")


def _file(at: At, base: Path, name: str) -> Iterator[Finding]:
    try:
        there = (base / name).is_file()
    except (OSError, ValueError):  # a name that no file system takes
        there = False
    if not there:
        yield Finding(at, f"no such file: {Path(name).name} (paths are relative to the policy's folder)")


def _sensitive(subject: Subject) -> Iterator[Finding]:
    roles = subject.roles.values()
    classes = "quasi" in roles or None in roles
    for at, column in subject.of(SensitiveShape):
        for key in ("l", "t"):
            if getattr(column, key) is not None and not classes:
                yield Finding((*at, key), "l and t speak of classes, and without quasi columns there are none")
        if column.bins is not None:
            yield from hierarchy_checks.bins(at, column)
        if column.t is not None:
            yield from _closeness(subject, (*at, "t"), column.t)


def _closeness(subject: Subject, at: At, t: ClosenessShape) -> Iterator[Finding]:
    if t.hierarchy is not None:
        yield from _file((*at, "hierarchy", "file"), subject.base, t.hierarchy.file)
    if not subject.shaped.sound(*at, "distance"):
        return
    if t.order is not None and t.distance != "ordered":
        yield Finding((*at, "order"), "an order is for distance ordered")
    if t.order is not None and len(set(t.order)) < len(t.order):
        yield Finding((*at, "order"), "expected every value once")
    if t.hierarchy is not None and t.distance != "hierarchical":
        yield Finding((*at, "hierarchy"), "a hierarchy is for distance hierarchical")
    if t.distance == "hierarchical" and t.hierarchy is None and subject.shaped.sound(*at, "hierarchy"):
        yield Finding((*at, "hierarchy"), "required for distance hierarchical: a mapping {file}")


def _guarantee(subject: Subject) -> Iterator[Finding]:
    missing = subject.shape.guarantee is None and subject.shaped.sound("guarantee")
    if missing and "quasi" in subject.roles.values():
        yield Finding(("guarantee",), "required where there are quasi columns, such as {k: 10}")


def _keys(subject: Subject) -> Iterator[Finding]:
    for at, column in subject.of(PseudonymShape, SurrogateShape, ShiftShape):
        name = (column.key or "").partition(":")[2]
        if len(name) >= PASTED and not {".", "/", "_"} & set(name):
            yield Finding((*at, "key"), "expected a name after env: or file:; this looks like a key itself")
    yield from _shared_domains(subject)
    for at, column in subject.of(ShiftShape):
        if subject.shape.unit is None and subject.shaped.sound("unit"):
            yield Finding((*at, "action"), "needs a unit: dates move by one offset per unit")
        if column.scope == "project" and column.key is None:
            yield Finding((*at, "key"), "required for scope project: without a key the offsets are new every time")


def _shared_domains(subject: Subject) -> Iterator[Finding]:
    """Columns of one domain are to have the same token for the same value, which takes one key."""
    first: dict[tuple[type, str], str] = {}
    for at, column in subject.of(PseudonymShape, SurrogateShape):
        domain = column.domain or at[-1]
        key = first.setdefault((type(column), str(domain)), column.key)
        if key != column.key:
            expected = f"expected one key for all columns of domain {domain}: tokens of two keys never match"
            yield Finding((*at, "key"), expected)


def _names(subject: Subject) -> Iterator[Finding]:
    shape = subject.shape
    if not subject.columns:
        return
    mentions: list[tuple[At, str]] = [(("input", "types", name), name) for name in shape.input.types]
    if isinstance(shape.text.also_from, list):
        mentions += [(("text", "also_from", index), name) for index, name in enumerate(shape.text.also_from)]
    if shape.attacks is not None and shape.attacks.linkage is not None:
        mentions += [(("attacks", "linkage", "match", name), name) for name in shape.attacks.linkage.match]
    if shape.unit is not None and shape.unlisted == "refuse":
        mentions.append((("unit",), shape.unit))
    for name in shape.input.flatten:
        if name in subject.columns:
            yield Finding(("columns", name), f"is taken apart by input.flatten: list its fields, such as {name}.city")
    unknown = 0
    for at, name in mentions:
        if not subject.entries_of(name):
            unknown += 1
            near = meant(name, list(subject.columns)) if unknown <= MANY and len(subject.columns) <= MANY else ""
            yield Finding(at, f"expected a column that is listed under columns{near}")
        elif at[0] in ("text", "unit") and "text" in {subject.roles[entry] for entry in subject.entries_of(name)}:
            yield Finding(at, "expected a column that is not of role text")


def _globs(subject: Subject) -> Iterator[Finding]:
    told: set[str] = set()
    if len(subject.globs) > MAX_GLOBS:
        yield Finding(("columns",), f"expected at most {MAX_GLOBS} entries with *, ? or [")
        return
    for wide, narrow in permutations(subject.globs, 2):
        if narrow not in told and wide not in told and contains(wide, narrow):
            told.add(narrow)
            yield Finding(
                ("columns", narrow), f"overlaps {wide}, which matches every such name too; name the columns out"
            )


def _encoding(subject: Subject) -> Iterator[Finding]:
    try:
        codecs.lookup(subject.shape.input.encoding)
    except LookupError:
        yield Finding(
            ("input", "encoding"), "expected the name of an encoding that Python knows, such as utf-8 or cp1252"
        )


def _patterns(subject: Subject) -> Iterator[Finding]:
    for entity, pattern in subject.shape.text.patterns.items():
        if text := pattern_fault(pattern):
            yield Finding(("text", "patterns", entity), text)


def pattern_fault(pattern: str) -> str | None:
    """Why a pattern is refused: it must run in time linear in the text, as Rust's regex engine guarantees."""
    import polars as pl

    try:
        pl.Series([""]).str.contains(pattern)
    except pl.exceptions.PolarsError:
        if LOOK_AROUND.search(pattern):
            return "look-around, such as (?=...) or (?<!...), is refused: it may need exponential time"
        if BACK_REFERENCE.search(pattern):
            return "a back-reference is refused: it may need exponential time"
        return "expected a regular expression in the syntax of Rust's regex crate"
    return None


def _text_key(subject: Subject) -> Iterator[Finding]:
    text = subject.shape.text
    if text.replace == "pseudonym" and text.key is None and subject.shaped.sound("text"):
        yield Finding(("text", "key"), "required for replace: pseudonym: env:NAME or file:PATH of a key of 32 bytes")
    if text.key is not None and text.replace in ("tag", "mask"):
        yield Finding(("text", "key"), f"no use with replace: {text.replace}")


def _packs(subject: Subject) -> Iterator[Finding]:
    packs = subject.shape.text.packs
    if set(packs) <= {"default"}:
        return
    from anonym.text.recognisers import pack_names

    for index, name in enumerate(packs):
        if name not in pack_names():
            listed = ", ".join(pack_names())
            yield Finding(("text", "packs", index), f"expected one of {listed}{meant(name, pack_names())}")


def _exposure(subject: Subject) -> Iterator[Finding]:
    training = subject.shape.training
    if training is not None and subject.shaped.sound("training", "epsilon"):
        exposure = training.exposure
        if getattr(training.epsilon, exposure) is None:
            yield Finding(
                ("training", "epsilon", exposure), f"required for training.exposure {exposure}: a number above 0"
            )


def _attacks(subject: Subject) -> Iterator[Finding]:
    attacks = subject.shape.attacks
    if attacks is None or not subject.shaped.sound("attacks"):
        return
    if attacks.linkage is not None:
        yield from _file(("attacks", "linkage", "auxiliary"), subject.base, attacks.linkage.auxiliary)
        for name in attacks.linkage.match:
            roles = {subject.roles[entry] for entry in subject.entries_of(name)}
            if roles and not roles & {"quasi", None}:
                yield Finding(("attacks", "linkage", "match", name), "expected a column of role quasi")
    if attacks.control is not None:
        yield from _file(("attacks", "control"), subject.base, attacks.control)
        if attacks.hold_out:
            yield Finding(("attacks", "control"), "people are either held out or a file is the control: leave out one")
    if attacks.inference is not None and not set(subject.roles.values()) & {"sensitive", None}:
        yield Finding(("attacks", "inference"), "there is no sensitive column that could be inferred")


def _union(subject: Subject) -> Iterator[Finding]:
    """A union counts classes over files of several runs: their labels, and the tokens of their units, must be alike."""
    shape = subject.shape
    if shape.batch != "union":
        return
    for at, quasi in subject.of(QuasiShape):
        if quasi.form != "label":
            yield Finding((*at, "form"), "expected label with batch: union: other forms differ from batch to batch")
    for at, sensitive in subject.of(SensitiveShape):
        if sensitive.bins is not None:
            yield Finding((*at, "bins"), "not with batch: union: bins are not counted over several files")
    if shape.unit is None or not subject.shaped.sound("unit"):
        return
    tokens = [column for at, column in subject.of(PseudonymShape) if at[-1] == shape.unit and column.scope == "project"]
    if not tokens:
        yield Finding(
            ("unit",),
            "with batch: union a unit is counted once over all files, so its column must be released as a pseudonym of "
            "scope project",
        )
    if shape.guarantee is not None and shape.guarantee.linkable is None:
        yield Finding(
            ("guarantee", "linkable"),
            "required with batch: union and a unit: a reason to join its rows over batches: no profiles are counted",
        )


CHECKS: tuple[Callable[[Subject], Iterator[Finding]], ...] = (
    _quasi,
    _sensitive,
    _guarantee,
    _keys,
    _names,
    _globs,
    _encoding,
    _patterns,
    _text_key,
    _packs,
    _exposure,
    _attacks,
    _union,
)


def findings(subject: Subject) -> Iterator[Finding]:
    """Everything that is wrong beyond the shape."""
    for check in CHECKS:
        yield from check(subject)
