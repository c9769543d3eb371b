"""The attacks by brute force: every released row against every row of the attacker, one label at a time."""

from __future__ import annotations

import calendar
import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction
from itertools import accumulate, combinations, pairwise, permutations
from typing import Any

Row = Mapping[str, Any]

# the interval --------------------------------------------------------------------------------------------------------


def at_least(successes: int, trials: int, p: Fraction) -> Fraction:
    """The binomial tail, added up term by term in fractions."""
    return sum(
        (math.comb(trials, i) * p**i * (1 - p) ** (trials - i) for i in range(successes, trials + 1)), Fraction(0)
    )


# what a cell covers --------------------------------------------------------------------------------------------------


def covers_number(label: str | None, value: float | None) -> bool:
    if label is None:
        return False
    if label == "*":
        return True
    if value is None:
        return False
    if found := re.fullmatch(r"\[(\S+), (\S+)\)", label):
        return float(found[1]) <= value < float(found[2])
    if found := re.fullmatch(r"(\d+)-(\d+)", label):
        return int(found[1]) <= value <= int(found[2])
    if label.startswith(">="):
        return value >= float(label[2:])
    if label.startswith("<="):
        return value <= float(label[2:])
    return value == float(label)


def covers_prefix(label: str | None, value: str | None) -> bool:
    if label is None or value is None:
        return label == "*"
    return label == "*" or label == value or (label.endswith("*") and value.startswith(label.rstrip("*")))


def covers_date(label: str | None, value: date | None) -> bool:
    if label is None or value is None:
        return label == "*"
    if label == "*":
        return True
    if label.startswith(">="):
        return value >= date.fromisoformat(label[2:])
    if label.endswith("s"):
        return value.year // 10 * 10 == int(label[:-1])
    if "Q" in label:
        return label == f"{value.year}-Q{(value.month + 2) // 3}"
    return value.isoformat().startswith(label)


def covers_file(lines: Sequence[Sequence[str]], label: str | None, value: str | None) -> bool:
    if label is None or value is None:
        return label == "*"
    return label in ("*", value) or any(line[0] == value and label in line for line in lines)


def last_day(year: int, month: int) -> date:
    return date(year, month, calendar.monthrange(year, month)[1])


# linking -------------------------------------------------------------------------------------------------------------


def candidate_rows(released: Sequence[Row], auxiliary: Sequence[Row], rules: Mapping[str, Any]) -> list[set[int]]:
    """For every released row the attacker's rows that it covers in every column of `rules`."""
    return [
        {j for j, theirs in enumerate(auxiliary) if all(rule(row[name], theirs[name]) for name, rule in rules.items())}
        for row in released
    ]


def candidate_people(
    sets: Sequence[set[int]], released_units: Sequence[Any], auxiliary_units: Sequence[Any]
) -> dict[Any, set[Any]]:
    """For every released person whoever fits all of the person's rows that fit anyone."""
    found: dict[Any, set[Any]] = {}
    for unit, rows in zip(released_units, sets, strict=True):
        people = {auxiliary_units[j] for j in rows}
        if people:
            found[unit] = found[unit] & people if unit in found else people
    return {unit: found.get(unit, set()) for unit in released_units}


def expected_correct(released: Sequence[Row], sets: Sequence[set[int]], names: Sequence[str]) -> Fraction:
    """Sum of 1 / n, but no more right links in a class than it has candidates."""
    classes: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for number, row in enumerate(released):
        classes[tuple(row[name] for name in names)].append(number)
    total = Fraction(0)
    for rows in classes.values():
        size = len(sets[rows[0]])
        total += Fraction(min(len(rows), size), size) if size else 0
    return total


def truly_correct(sets: Sequence[set[int]], truth: Sequence[Any], theirs: Sequence[Any]) -> Fraction:
    return sum(
        (Fraction(1, len(rows)) for rows, one in zip(sets, truth, strict=True) if one in {theirs[j] for j in rows}),
        Fraction(0),
    )


# the others ----------------------------------------------------------------------------------------------------------


def guessed(sets: Sequence[set[int]], values: Sequence[Any], truths: Sequence[Any]) -> tuple[Fraction, Fraction]:
    """Right guesses of the mode among each target's released rows, and of the mode of the release. Ties share."""
    usual, right, guess = _modes(values), Fraction(0), Fraction(0)
    for rows, truth in zip(sets, truths, strict=True):
        if truth is None:
            continue
        modes = _modes([values[j] for j in rows]) or usual
        right += Fraction(int(truth in modes), len(modes)) if modes else 0
        guess += Fraction(int(truth in usual), len(usual)) if usual else 0
    return right, guess


def _modes(values: Sequence[Any]) -> list[Any]:
    counts = Counter(value for value in values if value is not None)
    return [value for value, count in counts.items() if count == max(counts.values())]


def under(*releases: Sequence[Any], k: int) -> int:
    """How many people share the classes of all releases with fewer than k, themselves included."""
    pairs = list(zip(*releases, strict=True))
    return sum(sum(other == pair for other in pairs) < k for pair in pairs)


# nearest neighbours --------------------------------------------------------------------------------------------------


def spread(values: Sequence[Any]) -> float | None:
    """1 / range of numbers and dates, None for texts and truth values."""
    held = [value for value in values if value is not None]
    if any(isinstance(value, str | bool) for value in held):
        return None
    numbers = [_number(value) for value in held]
    wide = max(numbers) - min(numbers) if numbers else 0
    return 1 / wide if wide else 1.0


def _number(value: Any) -> float:
    return float(value.toordinal() if isinstance(value, date) else value)


def gower(row: Sequence[Any], target: Sequence[Any], spreads: Sequence[float | None]) -> float:
    parts = []
    for one, other, scale in zip(row, target, spreads, strict=True):
        if one is None or other is None:
            parts.append(float(one is not other))
        elif scale is None or isinstance(one, str | bool):
            parts.append(float(one != other))
        else:
            parts.append(min(1.0, abs(_number(one) - _number(other)) * scale))
    return sum(parts) / len(parts)


def nearest(space: Any, t: int) -> tuple[float, float, int]:
    """The nearest and second nearest row of an encoded target, and how many are nearest: every row in turn."""
    by = 1.0 / (space.codes.shape[1] + space.low.shape[1])
    distances = []
    for codes, low, high in zip(space.codes, space.low, space.high, strict=True):
        total = by * sum(int(one != other) for one, other in zip(codes, space.target_codes[t], strict=True))
        for d, value in enumerate(space.values[t]):
            gap = low[d] - value if value < low[d] else value - high[d] if value > high[d] else 0.0
            total += by * min(1.0, gap * space.scale[d])
        distances.append(total)
    best, second = sorted(distances)[:2]
    return best, second, distances.count(best)


# structure -----------------------------------------------------------------------------------------------------------


def minimal_uniques(rows: Sequence[Sequence[Any]], largest: int) -> set[tuple[int, tuple[int, ...]]]:
    """(row, columns): unique on them, and on no part of them."""
    columns = range(len(rows[0])) if rows else range(0)
    sets = [names for size in range(1, largest + 1) for names in combinations(columns, size)]
    unique = {
        (number, names)
        for names in sets
        for number, row in enumerate(rows)
        if sum(all(row[i] == other[i] for i in names) for other in rows) == 1
    }
    return {(row, names) for row, names in unique if not any((row, s) in unique for s in sets if set(s) < set(names))}


def zayatz(histogram: Mapping[int, int], people: int) -> Fraction:
    sample, groups = sum(size * number for size, number in histogram.items()), sum(histogram.values())
    once = {
        size: Fraction(size * math.comb(people - size, sample - 1), math.comb(people, sample)) for size in histogram
    }
    seen = sum((Fraction(number, groups) * once[size] for size, number in histogram.items()), Fraction(0))
    if not histogram.get(1, 0) or not seen:
        return Fraction(0)
    return histogram[1] * (Fraction(histogram[1], groups) * once[1] / seen) * Fraction(people, sample)


def pitman_partition(theta: float, alpha: float, people: int, draw: Any) -> dict[int, int]:
    """Class sizes to classes of a random partition: each next person joins a class or opens one."""
    sizes = [1]
    for n in range(1, people):
        if draw.random() * (theta + n) < theta + alpha * len(sizes):
            sizes.append(1)
            continue
        while True:  # a class by its size less alpha: a member at random, refused with the chance alpha / size
            at = _member(sizes, draw, n)
            if draw.random() * sizes[at] >= alpha:
                sizes[at] += 1
                break
    return dict(Counter(sizes))


def _member(sizes: Sequence[int], draw: Any, people: int) -> int:
    left = int(draw.integers(0, people))
    for at, size in enumerate(sizes):
        left -= size
        if left < 0:
            return at
    raise AssertionError


def narrowed(
    released: Sequence[Any], people: Sequence[Any], rules: Sequence[Any]
) -> tuple[int, list[int], list[Fraction]]:
    """Cells that cover several values, by column those of which a finer class inside leaves fewer, and for each row
    that has such cells the share that is narrowed, rightly at most as often as there is somebody left for its class."""
    values = [sorted({row[j] for row in people}) for j in range(len(rules))]
    spans = [[{v for v in values[j] if rule(row[j], v)} for j, rule in enumerate(rules)] for row in released]
    covered = [
        {
            i
            for i, row in enumerate(people)
            if all(rule(cell, v) for rule, cell, v in zip(rules, label, row, strict=True))
        }
        for label in released
    ]
    targets, found, shares = 0, [0] * len(rules), []
    for c in range(len(released)):
        inner = [
            i
            for i in range(len(released))
            if all(spans[i]) and all(a <= b for a, b in zip(spans[i], spans[c], strict=True)) and spans[i] != spans[c]
        ]
        left = covered[c] - set().union(*(covered[i] for i in inner))
        cells = claims = 0
        for j in range(len(rules)):
            whole, rest = ({people[i][j] for i in rows} for rows in (covered[c], left))
            cells += bool(left) and len(whole) > 1
            claims += 0 < len(rest) < len(whole)
            found[j] += 0 < len(rest) < len(whole)
        targets += cells
        if cells:
            shares.append(Fraction(claims, cells) * min(1, Fraction(len(left), released.count(released[c]))))
    return targets, found, shares


def dealt_out(sizes: Sequence[int], values: Sequence[int], l: int) -> list[list[float]]:  # noqa: E741
    """The chance of each value in each part, over all deals in which some part has fewer than l distinct values."""
    ends = [0, *accumulate(sizes)]
    counts = [[0] * (max(values) + 1) for _ in sizes]
    deals = 0
    for deal in permutations(values):
        parts = [deal[first:last] for first, last in pairwise(ends)]
        if any(len(set(part)) < l for part in parts):
            deals += 1
            for i, part in enumerate(parts):
                for value in part:
                    counts[i][value] += 1
    return [[count / deals / size for count in row] for row, size in zip(counts, sizes, strict=True)]


def levenshtein(one: str, other: str) -> int:
    if not one or not other:
        return len(one) + len(other)
    same = levenshtein(one[1:], other[1:])
    if one[0] == other[0]:
        return same
    return 1 + min(same, levenshtein(one[1:], other), levenshtein(one, other[1:]))
