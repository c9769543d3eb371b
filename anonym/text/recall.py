"""How much of what was labelled the scrubber masks: counts, rates with intervals, no rate where nothing was labelled.

The view is the leak's: a labelled span counts as found when the union of all masks covers every word of it, whatever
the masks are called and however many they are; function words and titles inside a longer span do not count, as in the
Text Anonymization Benchmark. Every labelled span is one trial, nested or not; characters and tokens are counted once,
however many spans hold them.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import polars as pl

from anonym.text.labelled import Labelled, read
from anonym.text.labels import meaning
from anonym.text.scrub import Scrubber
from anonym.text.words import words

__all__ = ["Labelled", "Missed", "Proportion", "Recall", "measure", "read", "recall"]

Z = 1.959963984540054  # 95 %
_TOKEN = re.compile(r"\w+")


@dataclass(frozen=True)
class Proportion:
    """`found` of `of` trials, with Wilson's 95 % interval (Wilson 1927); no trials, no rate.

    Trials of one text resemble each other: `effect` is the design effect (Kish 1965) by which the interval's trials
    shrink. Of a sample drawn with weights, `share` is the weighted rate.
    """

    found: int
    of: int
    share: float | None = None
    effect: float = 1.0

    @property
    def rate(self) -> float | None:
        """The share, or None without a trial."""
        if not self.of:
            return None
        return self.found / self.of if self.share is None else self.share

    @property
    def low(self) -> float | None:
        """The interval's lower end."""
        return self._end(-1)

    @property
    def high(self) -> float | None:
        """The interval's upper end."""
        return self._end(1)

    def _end(self, side: int) -> float | None:
        p = self.rate
        if p is None:
            return None
        n = self.of / self.effect
        middle = p + Z * Z / (2 * n)
        spread = Z * math.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
        end = (middle + side * spread) / (1 + Z * Z / n)
        return min(1.0, max(p, end)) if side > 0 else max(0.0, min(p, end))  # rounding may pass the rate

    def evidence(self) -> dict[str, Any]:
        """As the report prints it."""
        facts = {"found": self.found, "of": self.of, "rate": self.rate, "low": self.low, "high": self.high}
        return facts if self.share is None else facts | {"weighted": True}


def f2(recall: float | None, precision: float | None) -> float | None:
    """van Rijsbergen's F with recall weighing twice; None where either was not measured."""
    if recall is None or precision is None:
        return None
    return 5 * precision * recall / (4 * precision + recall) if precision + recall else 0.0


@dataclass(frozen=True, order=True)
class Missed:
    """A labelled span that is not masked whole: where it lies (code points), and which rules masked a part of it."""

    document: int
    start: int
    end: int
    entity: str
    rules: tuple[str, ...] = ()


@dataclass(frozen=True)
class Recall:
    """What was measured. `whole`: labelled spans masked entirely; `touched`: at least one character; `exact`: same ends
    and same type; `characters`, `tokens`: of those labelled, masked (a token in all its labelled characters); the
    precisions: of those masked, labelled (a token in any character);
    `clean`: documents with labels in which nothing was missed; `direct`, `quasi`: TAB's entities of which every mention
    is masked; `entities`: `whole` by labelled type, `precisions`: spans masked as that type that meet a label of it;
    `rules`: spans of each rule that meet any label; `withheld`: texts that could not be processed, which hides all in
    them.
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
    direct: Proportion
    quasi: Proportion
    entities: Mapping[str, Proportion]
    precisions: Mapping[str, Proportion]
    rules: Mapping[str, Proportion]
    missed: tuple[Missed, ...]  # positions, no text
    ner: tuple[str, ...] = ()
    withheld: int = 0

    @property
    def f2(self) -> float | None:
        """F2 over tokens."""
        return f2(self.tokens.rate, self.token_precision.rate)

    def holds(self, least: float, entities: Sequence[str] = ()) -> bool | None:
        """Whether the lower bound reaches `least`, overall and for each of `entities`: False where even the upper bound
        does not, None where the sample cannot tell or holds no label.
        """
        parts = [self.whole, *(self.entities.get(entity, Proportion(0, 0)) for entity in entities)]
        if any(part.high is not None and part.high < least for part in parts):
            return False
        return None if any(part.low is None or part.low < least for part in parts) else True

    def evidence(self) -> dict[str, Any]:
        """As the report prints it: counts and rates, no position and no text."""
        return {
            "documents": self.documents,
            "withheld": self.withheld,
            "overall": self.whole.evidence(),
            "entities": {entity: part.evidence() for entity, part in sorted(self.entities.items())},
            "f2": {
                entity: f2(part.rate, self.precisions[entity].rate) for entity, part in sorted(self.entities.items())
            },
            "touched": self.touched.evidence(),
            "tokens": self.tokens.evidence(),
            "token_precision": self.token_precision.evidence(),
            "token_f2": self.f2,
            "clean": self.clean.evidence(),
            "direct": self.direct.evidence(),
            "quasi": self.quasi.evidence(),
        }


def recall(scrubber: Scrubber, labelled: Sequence[Labelled], entities: Iterable[str] = ()) -> Recall:
    """The scrubber's recall on a labelled sample. A withheld text hides everything in it."""
    result = scrubber.scrub(
        pl.Series("text", [document.text for document in labelled], dtype=pl.String), _known_values(labelled)
    )
    masks: list[list[Mask]] = [[] for _ in labelled]
    for row, start, end, entity, rule in result.spans.select("row", "start", "end", "entity", "rule").iter_rows():
        masks[row].append((start, end, entity, rule))
    for row, text in enumerate(result.text):
        if text is None:
            masks[row] = [(0, len(labelled[row].text), "WITHHELD", "withheld")]
    ner = tuple(f"{each['name']} {each['version']}" for each in scrubber.ner)
    return measure(labelled, masks, entities, ner, result.withheld)


def _known_values(labelled: Sequence[Labelled]) -> pl.DataFrame | None:
    names = list(dict.fromkeys(name for document in labelled for name in document.known))
    if not names:
        return None
    return pl.DataFrame(
        {name: [document.known.get(name) for document in labelled] for name in names},
        schema=dict.fromkeys(names, pl.String),
    )


Mask = tuple[int, int, str] | tuple[int, int, str, str]
"""Start, end, entity, and perhaps the rule."""


class _Tally:
    """Found and tried, by name, document by document, so that weights can be taken into account."""

    def __init__(self, labelled: Sequence[Labelled]) -> None:
        self._counts: dict[str, dict[int, list[int]]] = defaultdict(dict)
        self._labelled = labelled
        self._weighted = any(document.weight != 1.0 for document in labelled)
        self._sizes: dict[str, list[int]] = defaultdict(list)
        for row, document in enumerate(labelled):
            self._sizes[document.stratum].append(row)

    def add(self, name: str, row: int, found: int, of: int = 1) -> None:
        counts = self._counts[name].setdefault(row, [0, 0])
        counts[0] += found
        counts[1] += of

    def names(self) -> Iterator[str]:
        yield from self._counts

    def __getitem__(self, name: str) -> Proportion:
        rows = self._counts.get(name, {})
        found, of = (sum(counts[i] for counts in rows.values()) for i in (0, 1))
        if not of:
            return Proportion(found, of)
        share, effect = self._weighed(rows, of)
        return Proportion(found, of, share if self._weighted else None, effect)

    def _weighed(self, rows: Mapping[int, Sequence[int]], of: int) -> tuple[float, float]:
        """The weighted ratio and its design effect, texts being the clusters, by linearisation within strata (Cochran
        1977, section 6.11). Of one text alone there is no telling, and the effect is 1.
        """
        weight = [document.weight for document in self._labelled]
        total = sum(weight[row] * tried for row, (_, tried) in rows.items())
        share = sum(weight[row] * found for row, (found, _) in rows.items()) / total
        variance = 0.0
        for members in self._sizes.values():
            scores = [
                weight[row] * (rows[row][0] - share * rows[row][1]) / total if row in rows else 0.0 for row in members
            ]
            if len(scores) > 1:
                mean = sum(scores) / len(scores)
                variance += len(scores) / (len(scores) - 1) * sum((score - mean) ** 2 for score in scores)
        simple = share * (1 - share) / of
        # At a rate of 0 or 1 nothing varies; then what unequal weights alone cost is taken (Kish 1965, section 11.7).
        unequal = of * sum(weight[row] ** 2 * tried for row, (_, tried) in rows.items()) / total**2
        return share, max(variance / simple, 1.0) if simple > 0 else max(unequal, 1.0)


def measure(
    labelled: Sequence[Labelled],
    masks: Sequence[Sequence[Mask]],
    entities: Iterable[str] = (),
    ner: tuple[str, ...] = (),
    withheld: int = 0,
) -> Recall:
    """Labels against masks, document by document. `entities` are reported even where none was labelled."""
    tally, types, precisions, rules = (_Tally(labelled) for _ in range(4))
    named = set(entities)
    missed: list[Missed] = []
    labels = any(document.spans or document.allowed for document in labelled)  # none: nobody has labelled it yet
    for row, (document, masked) in enumerate(zip(labelled, masks, strict=True)):
        covered = _covered(len(document.text), masked)
        before = len(missed)
        for start, end, entity in document.spans:
            named.add(entity)
            whole = _whole(document.text, covered, start, end)
            tally.add("whole", row, whole)
            types.add(entity, row, whole)
            tally.add("touched", row, any(covered[start:end]))
            tally.add("exact", row, (start, end, entity) in {mask[:3] for mask in masked})
            if not whole:
                missed.append(Missed(row, start, end, entity, _touching(masked, start, end)))
        if document.spans:
            tally.add("clean", row, len(missed) == before)
        _count_mentions(tally, row, document, covered)
        if labels:
            right = _covered(len(document.text), [*document.spans, *document.allowed])
            _count_units(tally, row, document, covered, right)
            _count_masks(rules, precisions, row, document, masked, right)
    return Recall(
        documents=len(labelled),
        entities={entity: types[entity] for entity in sorted(named)},
        precisions={entity: precisions[meaning(entity)] for entity in sorted(named)},
        rules={name: rules[name] for name in sorted(rules.names())},
        missed=tuple(missed),
        ner=ner,
        withheld=withheld,
        **{name: tally[name] for name in _MEASURES},
    )


_Measure = Literal[
    "whole",
    "touched",
    "exact",
    "characters",
    "character_precision",
    "tokens",
    "token_precision",
    "clean",
    "direct",
    "quasi",
]
_MEASURES: tuple[_Measure, ...] = get_args(_Measure)


def _covered(length: int, spans: Iterable[Sequence[Any]]) -> bytearray:
    marks = bytearray(length)
    for start, end, *_ in spans:
        marks[start:end] = b"\1" * (end - start)
    return marks


def _touching(masked: Sequence[Mask], start: int, end: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(mask[3] for mask in masked if len(mask) > 3 and mask[0] < end and start < mask[1]))


def _whole(text: str, covered: bytearray, start: int, end: int) -> bool:
    """Whether every word that says something is covered; of a span of small words alone, every one."""
    said = [
        match.span() for match in _TOKEN.finditer(text, start, end) if match.group().casefold() not in words("small")
    ]
    letters = [i for left, right in said or [(start, end)] for i in range(left, right) if text[i].isalnum()]
    return all(covered[i] for i in letters or range(start, end))


def _count_mentions(tally: _Tally, row: int, document: Labelled, covered: bytearray) -> None:
    """An entity is found when all its mentions are (Pilán et al. 2022, section 5.2)."""
    found: dict[tuple[str, str], bool] = {}
    for mention in document.mentions:
        key = mention.kind, mention.entity
        found[key] = found.get(key, True) and _whole(document.text, covered, mention.start, mention.end)
    for (kind, _), whole in found.items():
        tally.add(kind, row, whole)


def _count_units(tally: _Tally, row: int, document: Labelled, covered: bytearray, right: bytearray) -> None:
    gold = _covered(len(document.text), document.spans)
    tally.add("characters", row, _common(gold, covered), sum(gold))
    tally.add("character_precision", row, _common(right, covered), sum(covered))
    for match in _TOKEN.finditer(document.text):
        inside = slice(*match.span())
        marked = sum(gold[inside])
        if marked:
            tally.add("tokens", row, _common(gold[inside], covered[inside]) == marked)
        if any(covered[inside]):
            tally.add("token_precision", row, any(right[inside]))


def _common(left: bytearray, right: bytearray) -> int:
    return sum(1 for one, other in zip(left, right, strict=True) if one and other)


def _count_masks(
    rules: _Tally, precisions: _Tally, row: int, document: Labelled, masked: Sequence[Mask], right: bytearray
) -> None:
    """A mask on nothing but what may be masked and need not be says nothing of its type: that has no label."""
    for start, end, entity, *rule in masked:
        hit = any(right[start:end])
        for name in rule:
            rules.add(name, row, hit)
        kind = meaning(entity)
        met = [meaning(label) for left, until, label in document.spans if left < end and start < until]
        if met or not hit:
            precisions.add(kind, row, kind in met)
