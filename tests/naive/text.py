"""Slow and obvious twins of what anonym.text does to texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from anonym.text.recognisers import Rule, find
from anonym.text.spans import Span


def mask_of(length: int, spans: Sequence[Span]) -> list[bool]:
    """For each character, whether a span covers it."""
    return [any(span.start <= i < span.end for span in spans) for i in range(length)]


def spliced(text: str, spans: Sequence[Span], new: Sequence[str]) -> str:
    """From the end to the beginning, so that earlier offsets stay valid."""
    for span, each in sorted(zip(spans, new, strict=True), key=lambda pair: -pair[0].start):
        text = text[: span.start] + each + text[span.end :]
    return text


def found(rules: Sequence[Rule], texts: Sequence[str]) -> set[tuple[int, Span]]:
    """Every rule on every text by itself."""
    return {(row, span) for row, text in enumerate(texts) for rule in rules for span in find(rule, text)}


def matched(regex: re.Pattern[str], texts: Sequence[str]) -> list[tuple[int, int, int]]:
    """Where Python's engine finds an expression by itself."""
    return [(row, *match.span()) for row, text in enumerate(texts) for match in regex.finditer(text)]


def words_of_a_list(words: Sequence[str], text: str) -> list[tuple[int, int]]:
    """The longest word at each place, blanks in it standing for any, none inside another word."""
    longest_first = sorted(words, key=len, reverse=True)
    either = "|".join(r"\s+".join(map(re.escape, re.split(" +", word))) for word in longest_first)
    return [match.span() for match in re.finditer(rf"(?<!\w)(?:{either})(?!\w)", text)]


def luhn(digits: str) -> bool:
    """Double every second digit from the right, sum the digits of all of it."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 if place % 2 else 1)
        total += value // 10 + value % 10
    return total % 10 == 0 and len(set(digits)) > 1 and len(digits) > 1


def matches(regex: str, text: str) -> list[tuple[int, int]]:
    """Where Python's engine finds a simple pattern."""
    return [match.span() for match in re.finditer(regex, text) if match.group()]


def jaccard(a: Iterable[str], b: Iterable[str]) -> float:
    """What two sets share, of what either has."""
    left, right = set(a), set(b)
    return len(left & right) / len(left | right) if left | right else 1.0


def recall_counts(
    text: str, labels: Sequence[tuple[int, int, str]], masks: Sequence[tuple[int, int, str]], small: frozenset[str]
) -> dict[str, tuple[int, int]]:
    """(found, tried) of each measure of recall on one labelled text, by sets of positions."""
    masked = {i for start, end, _ in masks for i in range(start, end)}
    gold = {i for start, end, _ in labels for i in range(start, end)}
    tokens = [set(range(*match.span())) for match in re.finditer(r"\w+", text)]

    def whole(start: int, end: int) -> bool:
        inside = [match.span() for match in re.finditer(r"\w+", text[start:end])]
        said = [(a, b) for a, b in inside if text[start + a : start + b].casefold() not in small] or [(0, end - start)]
        wanted = {start + i for a, b in said for i in range(a, b)}
        return ({i for i in wanted if text[i].isalnum()} or set(range(start, end))) <= masked

    wholes = [whole(start, end) for start, end, _ in labels]
    return {
        "whole": (sum(wholes), len(labels)),
        "touched": (sum(bool(set(range(start, end)) & masked) for start, end, _ in labels), len(labels)),
        "exact": (sum(label in masks for label in labels), len(labels)),
        "characters": (len(gold & masked), len(gold)),
        "character_precision": (len(gold & masked), len(masked)),
        "tokens": (sum(t & gold <= masked for t in tokens if t & gold), sum(bool(t & gold) for t in tokens)),
        "token_precision": (
            sum(bool(t & gold) for t in tokens if t & masked),
            sum(bool(t & masked) for t in tokens),
        ),
        "clean": (int(all(wholes)), 1),
    }
