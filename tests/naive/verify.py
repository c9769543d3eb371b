"""The measures of a release in plain Python: dictionaries, fractions, and the formulas as the papers print them."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any

Row = Mapping[str, Any]
Weights = dict[Any, Fraction]


def clean(value: Any) -> Hashable:
    """NaN is null, both zeros are one."""
    if isinstance(value, float):
        return None if math.isnan(value) else 0.0 if value == 0 else value
    return value


def classes(rows: Sequence[Row], quasi: Sequence[str]) -> dict[tuple[Any, ...], list[int]]:
    """Row numbers by class."""
    found: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        found[tuple(clean(row[name]) for name in quasi)].append(number)
    return found


def members(numbers: Sequence[int], units: Sequence[Any] | None) -> int:
    return len(numbers) if units is None else len({units[n] for n in numbers})


def k(rows: Sequence[Row], quasi: Sequence[str], units: Sequence[Any] | None = None) -> int | None:
    return min((members(numbers, units) for numbers in classes(rows, quasi).values()), default=None)


def k_profiles(rows: Sequence[Row], quasi: Sequence[str], units: Sequence[Any]) -> int | None:
    tuples: dict[Any, Counter[tuple[Any, ...]]] = defaultdict(Counter)
    for row, unit in zip(rows, units, strict=True):
        tuples[unit][tuple(clean(row[name]) for name in quasi)] += 1
    profiles = Counter(frozenset(profile.items()) for profile in tuples.values())
    return min(profiles.values(), default=None)


def k_if_known(rows: Sequence[Row], quasi: Sequence[str], column: str, units: Sequence[Any] | None) -> int | None:
    return k(rows, [*quasi, column], units)


def weights(numbers: Sequence[int], values: Sequence[Any], units: Sequence[Any] | None) -> Weights:
    """How a class's members spread over its values: a row weighs 1, or a unit 1 shared over its distinct values."""
    found: Weights = defaultdict(Fraction)
    if units is None:
        for number in numbers:
            found[values[number]] += 1
        return dict(found)
    held: dict[Any, set[Any]] = defaultdict(set)
    for number in numbers:
        held[units[number]].add(values[number])
    for own in held.values():
        for value in own:
            found[value] += Fraction(1, len(own))
    return dict(found)


def spelling(text: str) -> str:
    """Folded again and again until nothing changes."""
    again = unicodedata.normalize("NFKC", text.strip().casefold())
    return text if again == text else spelling(again)


def folded(found: Weights) -> Weights:
    """Without null, and spellings that differ in blanks, case and compatibility forms taken together."""
    together: Weights = defaultdict(Fraction)
    for value, weight in found.items():
        if value is not None:
            together[spelling(value) if isinstance(value, str) else value] += weight
    return dict(together)


def distinct_l(found: Weights, members: int) -> int:
    return min(len(folded(found)), members)


def entropy_l(found: Weights) -> float:
    counts = folded(found).values()
    total = sum(counts)
    return math.exp(-sum(float(c / total) * math.log(c / total) for c in counts)) if total else 0.0


def recursive_c(found: Weights, l: int) -> float:  # noqa: E741
    """The least c for which r1 < c (r_l + ... + r_m) fails to be ruled out: their ratio."""
    counts = sorted(folded(found).values(), reverse=True)
    tail = sum(counts[l - 1 :])
    return float(counts[0] / tail) if tail else math.inf


def shares(found: Weights) -> dict[Any, Fraction]:
    total = sum(found.values())
    return {value: weight / total for value, weight in found.items()}


def t_equal(part: Weights, whole: Weights) -> float:
    p, q = shares(part), shares(whole)
    return float(sum(abs(p.get(v, Fraction(0)) - q.get(v, Fraction(0))) for v in {*p, *q}) / 2)


def t_ordered(part: Weights, whole: Weights, order: Sequence[Any]) -> float:
    """1/(m-1) times the sum over i of |(p1 - q1) + ... + (pi - qi)|."""
    p, q, carried, moved = shares(part), shares(whole), Fraction(0), Fraction(0)
    for value in order:
        carried += p.get(value, Fraction(0)) - q.get(value, Fraction(0))
        moved += abs(carried)
    return float(moved / (len(order) - 1)) if len(order) > 1 else 0.0


def t_hierarchical(part: Weights, whole: Weights, lines: Mapping[Any, Sequence[Any]]) -> float:
    """The sum over inner nodes N of height(N)/H x min(positive, negative extra of its children)."""
    p, q = shares(part), shares(whole)
    height = len(next(iter(lines.values()))) - 1
    extra: dict[tuple[int, Any], Fraction] = defaultdict(Fraction)
    children: dict[tuple[int, Any], set[tuple[int, Any]]] = defaultdict(set)
    for value in {*p, *q}:
        for level, node in enumerate(lines[value]):
            extra[level, node] += p.get(value, Fraction(0)) - q.get(value, Fraction(0))
            if level:
                children[level, node].add((level - 1, lines[value][level - 1]))
    cost = Fraction(0)
    for (level, _), below in children.items():
        positive = sum((extra[c] for c in below if extra[c] > 0), Fraction(0))
        negative = sum((-extra[c] for c in below if extra[c] < 0), Fraction(0))
        cost += Fraction(level, height) * min(positive, negative)
    return float(cost)


def pooled(parts: Sequence[Weights]) -> Weights:
    whole: Weights = defaultdict(Fraction)
    for part in parts:
        for value, weight in part.items():
            whole[value] += weight
    return dict(whole)


def natural(values: Sequence[Any]) -> list[Any]:
    """Distinct values in natural order, null last."""
    present = sorted({v for v in values if v is not None})
    return present + [None] * (None in values)
