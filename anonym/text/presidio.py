"""Presidio's own recognisers, run where a trigger fired and nowhere else.

Their patterns are Python's and some are quadratic, so they are never given a document: only windows around what the
trigger matched. Nothing here touches the network; the public suffix list is the one that ships with tldextract.
"""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any

from anonym.errors import CallError
from anonym.text.phones import gated
from anonym.text.recognisers import CONTEXT_BOOST, THRESHOLD, Predefined, named_near
from anonym.text.scanner import Column
from anonym.text.spans import Span

WINDOW_LIMIT = 1_000
"""Characters of the longest window a recogniser sees; a run of triggers beyond it is cut with overlap."""

RECENT = 4_096
"""Windows whose findings are remembered: a text that is read again, because something in it was replaced, has most of
them still, and a window with a number takes phonenumbers 2 ms."""


@cache
def _classes() -> dict[str, Any]:
    import presidio_analyzer.predefined_recognizers as predefined

    own = {
        "EmailRecognizer": _offline_email(predefined.EmailRecognizer),
        "PhoneRecognizer": gated(predefined.PhoneRecognizer),
    }
    return {**vars(predefined), **own}


def _offline_email(base: Any) -> Any:
    """Presidio's e-mail recogniser with a suffix list that is never fetched."""
    import tldextract

    extract = tldextract.TLDExtract(cache_dir=None, suffix_list_urls=(), fallback_to_snapshot=True)

    class OfflineEmailRecognizer(base):  # type: ignore[misc]
        def validate_result(self, pattern_text: str) -> bool:
            return bool(extract(pattern_text).fqdn)

    return OfflineEmailRecognizer


def _made(class_name: str) -> Any:
    try:
        return _classes()[class_name]()
    except (ImportError, AttributeError, KeyError):
        found = _version()
        raise CallError(
            f"text.packs: expected presidio-analyzer with its recogniser {class_name}, found "
            f"{f'version {found}, which does not have it' if found else 'no such package'}; install a newer one "
            "(pip install --upgrade presidio-analyzer)"
        ) from None


def _version() -> str | None:
    try:
        return importlib.metadata.version("presidio-analyzer")
    except importlib.metadata.PackageNotFoundError:
        return None


class PresidioRecogniser:
    """One predefined recogniser with its trigger, made at once. Raises CallError where Presidio has none such."""

    def __init__(self, declared: Predefined) -> None:
        self.declared = declared
        self.trigger = declared.trigger
        self._recogniser = _made(declared.class_name)
        words = "|".join(map(re.escape, sorted(self._recogniser.context or (), key=len, reverse=True)))
        self._context = re.compile(rf"(?i)(?<![^\W_])(?:{words})(?![^\W_])") if words else None
        self._read = lru_cache(RECENT)(self._reading)

    def detect(self, column: Column, found: Sequence[Sequence[Span]]) -> Iterator[tuple[int, Span]]:
        """Every finding in a column with its row. What lies inside a firm span of `found` is not looked at again."""
        for row, fired in self._fired(column):
            covered = sorted((span.start, span.end) for span in found[row] if span.firm)
            for span in dict.fromkeys(self._find(column.texts[row], fired, covered)):
                yield row, span

    def _fired(self, column: Column) -> Iterator[tuple[int, list[tuple[int, int]]]]:
        """The rows in which the trigger fires, and where; all rows, whole, if there is none."""
        if self.trigger is None:
            yield from ((row, [(0, len(text))]) for row, text in enumerate(column.texts))
            return
        for row, matches in groupby(column.matches(self.trigger), key=itemgetter(0)):
            yield row, [match.span() for _, match in matches]

    def _find(self, text: str, fired: Iterable[tuple[int, int]], covered: Sequence[tuple[int, int]]) -> Iterator[Span]:
        for start, end in windows(len(text), fired, self.declared.window, covered):
            for span in self._read(text[start:end]):
                yield span.at(start + span.start, start + span.end)

    def _reading(self, part: str) -> tuple[Span, ...]:
        """What a window holds."""
        results = self._recogniser.analyze(part, self._recogniser.supported_entities, None)
        scored = ((result, self._score(part, result)) for result in results)
        rule = f"presidio:{self.declared.class_name}"
        return tuple(
            Span(result.start, result.end, self.declared.entity or result.entity_type, score, rule)
            for result, score in scored
            if score >= THRESHOLD
        )

    def _score(self, part: str, result: Any) -> float:
        score = float(result.score)
        if self.declared.validator is not None and not self.declared.validator(part[result.start : result.end]):
            return 0.0
        if self._context is None:
            return score
        if not named_near(self._context, part, result.start, result.end):
            return 0.0 if self.declared.needs_context else score
        return min(1.0, score + CONTEXT_BOOST)


def windows(
    length: int, fired: Iterable[tuple[int, int]], margin: int, covered: Sequence[tuple[int, int]] = ()
) -> Iterator[tuple[int, int]]:
    """Stretches of at most `WINDOW_LIMIT` characters around what `fired` and no `covered` stretch holds, of a text so
    long; overlapping ones joined.
    """
    start = end = -1
    for first, last in fired:
        if any(left <= first and last <= right for left, right in covered):
            continue
        left, right = max(0, first - margin), min(length, last + margin)
        if start >= 0 and left <= end:
            end = right
            continue
        if start >= 0:
            yield from _cut(start, end, margin)
        start, end = left, right
    if start >= 0:
        yield from _cut(start, end, margin)


def _cut(start: int, end: int, margin: int) -> Iterator[tuple[int, int]]:
    step = max(1, WINDOW_LIMIT - 2 * margin)
    while end - start > WINDOW_LIMIT:
        yield start, start + WINDOW_LIMIT
        start += step
    yield start, end


def recognisers(declared: Iterable[Predefined], language: str) -> tuple[PresidioRecogniser, ...]:
    """The recognisers for `language`. Raises CallError where the installed Presidio lacks one."""
    return tuple(PresidioRecogniser(entry) for entry in declared if not entry.languages or language in entry.languages)
