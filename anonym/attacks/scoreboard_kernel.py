"""Scores of everybody against what is known of one person: loops over arrays, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonym.criteria.jit import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@kernel
def likeness(
    value: float, day: float, known_value: float, known_day: float, value_off: float, days_off: float
) -> float:
    """exp(-|difference| / scale) of value and date, multiplied; what is missing on a side says nothing. 0 beyond ten
    scales of a date."""
    off = 0.0
    if not np.isnan(day) and not np.isnan(known_day):
        off += abs(day - known_day) / days_off
        if off > 10.0:
            return 0.0
    if not np.isnan(value) and not np.isnan(known_value):
        off += abs(value - known_value) / value_off
    return float(np.exp(-off))


@kernel
def add_item(
    first: int,
    last: int,
    people: Any,
    values: Any,
    days: Any,
    known_value: float,
    known_day: float,
    value_off: float,
    days_off: float,
    weight: float,
    score: Floats,
    touched: Any,
    count: int,
) -> int:
    """Add one known event to the scores of all who have its item; the best of several events of a person counts.
    Events of an item stand together by person. Returns how many people are touched."""
    e = first
    while e < last:
        person, best = people[e], 0.0
        while e < last and people[e] == person:
            best = max(best, likeness(values[e], days[e], known_value, known_day, value_off, days_off))
            e += 1
        if score[person] == 0.0 and best > 0.0:
            touched[count] = person
            count += 1
        score[person] += weight * best
    return count


@kernel
def stand_out(score: Floats, touched: Any, count: int) -> tuple[int, float]:
    """Who of the first `count` of `touched` has the highest score, and how far it is above the second, in standard
    deviations over everybody. Sets the scores back to 0."""
    who, best, second, total, squares = -1, 0.0, 0.0, 0.0, 0.0
    for person in touched[:count]:
        found = score[person]
        total += found
        squares += found * found
        if found > best:
            best, second, who = found, best, person
        elif found > second:
            second = found
        score[person] = 0.0
    spread = squares / len(score) - (total / len(score)) ** 2
    return who, (best - second) / np.sqrt(spread) if spread > 0.0 else 0.0


@kernel
def scores(
    start: Ints,
    people: Any,
    values: Any,
    days: Any,
    weight: Floats,
    persons: int,
    known_start: Ints,
    known_items: Any,
    known_values: Any,
    known_days: Any,
    value_off: float,
    days_off: float,
) -> tuple[Any, Any]:
    """(targets,) the person with the highest score, and its eccentricity (max - second) / standard deviation.

    Events by item: start (items + 1,), people, values, days (events,). Known: known_start (targets + 1,) and its
    items (-1: an item that nobody has), values and days. Nobody touched: person -1, eccentricity 0.
    """
    targets = len(known_start) - 1
    who, eccentricity = np.full(targets, -1, np.int64), np.zeros(targets)
    score, touched = np.zeros(persons), np.empty(persons, np.int64)
    for t in range(targets):
        count = 0
        for a in range(known_start[t], known_start[t + 1]):
            i = known_items[a]
            if i >= 0:
                count = add_item(
                    start[i],
                    start[i + 1],
                    people,
                    values,
                    days,
                    known_values[a],
                    known_days[a],
                    value_off,
                    days_off,
                    weight[i],
                    score,
                    touched,
                    count,
                )
        who[t], eccentricity[t] = stand_out(score, touched, count)
    return who, eccentricity
