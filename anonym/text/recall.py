"""How much of what was labelled the scrubber masks: counts, rates with intervals, no rate where nothing was labelled.

The view is the leak's: a labelled span counts as found when the union of all masks covers every letter and digit of it,
whatever the masks are called and however many they are. Every labelled span is one trial, nested or not; characters
and tokens are counted once, however many spans hold them.
"""

from __future__ import annotations

import gzip
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from anonym.errors import InputError
from anonym.text.scrub import Scrubber

Z = 1.959963984540054  # 95 %
_TOKEN = re.compile(r"\w+")


@dataclass(frozen=True)
class Proportion:
    """`found` of `of` trials, with Wilson's 95 % interval (Wilson 1927); no trials, no rate."""

    found: int
    of: int

    @property
    def rate(self) -> float | None:
        """The share, or None without a trial."""
        return self.found / self.of if self.of else None

    @property
    def low(self) -> float | None:
        """The interval's lower end."""
        return self._end(-1)

    @property
    def high(self) -> float | None:
        """The interval's upper end."""
        return self._end(1)

    def _end(self, side: int) -> float | None:
        if not self.of:
            return None
        n, p = self.of, self.found / self.of
        middle = p + Z * Z / (2 * n)
        spread = Z * math.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
        end = (middle + side * spread) / (1 + Z * Z / n)
        return min(1.0, max(p, end)) if side > 0 else max(0.0, min(p, end))  # rounding may pass the rate

    def evidence(self) -> dict[str, Any]:
        """As the report prints it."""
        return {"found": self.found, "of": self.of, "rate": self.rate, "low": self.low, "high": self.high}


@dataclass(frozen=True)
class Labelled:
    """One text with what a person marked in it: start, end (code points, end exclusive) and type."""

    text: str
    spans: tuple[tuple[int, int, str], ...]


@dataclass(frozen=True)
class Recall:
    """What was measured. `whole`: labelled spans masked entirely; `touched`: at least one character; `exact`: same ends
    and same type; `characters`, `tokens`: of those labelled, masked; the precisions: of those masked, labelled;
    `clean`: documents with labels in which nothing was missed; `entities`: `whole` by labelled type.
    """

    documents: int
    whole: Proportion
    touched: Proportion
    exact: Proportion
    characters: Proportion
    character_precision: Proportion
    tokens: Proportion
    token_precision: Proportion
    clean: Proportion
    entities: Mapping[str, Proportion]
    missed: tuple[tuple[int, int, int, str], ...]  # document, start, end, type: positions, no text

    def holds(self, least: float, entities: Sequence[str] = ()) -> bool | None:
        """Whether the lower bound reaches `least`, overall and for each of `entities`; None without a label."""
        parts = [self.whole, *(self.entities.get(entity, Proportion(0, 0)) for entity in entities)]
        if any(part.low is not None and part.low < least for part in parts):
            return False
        return None if any(part.low is None for part in parts) else True

    def evidence(self) -> dict[str, Any]:
        """As the report prints it."""
        return {
            "documents": self.documents,
            "overall": self.whole.evidence(),
            "entities": {entity: part.evidence() for entity, part in sorted(self.entities.items())},
        }


def read(path: Path) -> list[Labelled]:
    """A labelled sample: JSON lines of `text` and `spans` (or `gold`), each span with `start`, `end` (code points) and
    `label` (or `type`); gzipped or not. Raises InputError that names the line.
    """
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    lines = content.decode("utf-8").split("\n")
    return [_document(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]


def _document(path: Path, number: int, line: str) -> Labelled:
    try:
        content = json.loads(line)
        text = content["text"]
        marked = content["spans"] if "spans" in content else content["gold"]
        spans = tuple((int(s["start"]), int(s["end"]), str(s.get("label", s.get("type", "ANY")))) for s in marked)
    except (ValueError, KeyError, TypeError):
        raise InputError(
            f"{path.name}, line {number}: expected an object with text and spans, each with start, end and label"
        ) from None
    if not all(0 <= start < end <= len(text) for start, end, _ in spans):
        raise InputError(
            f"{path.name}, line {number}: a span lies outside its text; offsets are code points, end exclusive"
        )
    return Labelled(text, spans)


def recall(scrubber: Scrubber, labelled: Sequence[Labelled], entities: Iterable[str] = ()) -> Recall:
    """The scrubber's recall on a labelled sample. A withheld text hides everything in it."""
    result = scrubber.scrub(pl.Series("text", [document.text for document in labelled], dtype=pl.String))
    masks: list[list[tuple[int, int, str]]] = [[] for _ in labelled]
    for row, start, end, entity in result.spans.select("row", "start", "end", "entity").iter_rows():
        masks[row].append((start, end, entity))
    for row, text in enumerate(result.text):
        if text is None:
            masks[row] = [(0, len(labelled[row].text), "WITHHELD")]
    return measure(labelled, masks, entities)


class _Tally:
    """Found and tried, by name."""

    def __init__(self) -> None:
        self._counts: dict[str, list[int]] = {}

    def add(self, name: str, found: int, of: int = 1) -> None:
        counts = self._counts.setdefault(name, [0, 0])
        counts[0] += found
        counts[1] += of

    def __getitem__(self, name: str) -> Proportion:
        return Proportion(*self._counts.get(name, (0, 0)))


def measure(
    labelled: Sequence[Labelled], masks: Sequence[Sequence[tuple[int, int, str]]], entities: Iterable[str] = ()
) -> Recall:
    """Labels against masks, document by document. `entities` are reported even where none was labelled."""
    tally, types = _Tally(), _Tally()
    named = set(entities)
    missed: list[tuple[int, int, int, str]] = []
    for row, (document, masked) in enumerate(zip(labelled, masks, strict=True)):
        covered = _covered(len(document.text), masked)
        before = len(missed)
        for start, end, entity in document.spans:
            named.add(entity)
            whole = _whole(document.text, covered, start, end)
            tally.add("whole", whole)
            types.add(entity, whole)
            tally.add("touched", any(covered[start:end]))
            tally.add("exact", (start, end, entity) in set(masked))
            if not whole:
                missed.append((row, start, end, entity))
        if document.spans:
            tally.add("clean", len(missed) == before)
        _count_units(tally, document, covered)
    names = ("whole", "touched", "exact", "characters", "character_precision", "tokens", "token_precision", "clean")
    parts = {name: tally[name] for name in names}
    by_type = {entity: types[entity] for entity in sorted(named)}
    return Recall(documents=len(labelled), entities=by_type, missed=tuple(missed), **parts)


def _covered(length: int, spans: Iterable[tuple[int, int, str]]) -> bytearray:
    marks = bytearray(length)
    for start, end, _ in spans:
        marks[start:end] = b"\1" * (end - start)
    return marks


def _whole(text: str, covered: bytearray, start: int, end: int) -> bool:
    places = [i for i in range(start, end) if text[i].isalnum()] or range(start, end)
    return all(covered[i] for i in places)


def _count_units(tally: _Tally, document: Labelled, covered: bytearray) -> None:
    gold = _covered(len(document.text), document.spans)
    both = sum(1 for marked, hidden in zip(gold, covered, strict=True) if marked and hidden)
    tally.add("characters", both, sum(gold))
    tally.add("character_precision", both, sum(covered))
    for start, end in _tokens(document.text):
        marked, hidden = any(gold[start:end]), any(covered[start:end])
        if marked:
            tally.add("tokens", hidden)
        if hidden:
            tally.add("token_precision", marked)


def _tokens(text: str) -> Iterator[tuple[int, int]]:
    return (match.span() for match in _TOKEN.finditer(text))
