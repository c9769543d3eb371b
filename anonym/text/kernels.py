"""Passes over the characters of a column: where literals end, and where expressions may begin."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anonym.criteria.jit import kernel
from anonym.text.characters import BEYOND, EDGE, PLANES
from anonym.text.syntax import LEADS

_NO_CHARACTER = 0x110000


@kernel
def classed(
    codes: NDArray[np.uint32], table: NDArray[np.uint8], marks: NDArray[np.uint8]
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The class and the symbol (0: none) of each character."""
    size = codes.shape[0]
    classes, symbols = np.empty(size, np.uint8), np.zeros(size, np.uint8)
    for place in range(size):
        code = codes[place]
        if code < PLANES:
            classes[place], symbols[place] = table[code], marks[code]
        else:
            classes[place] = EDGE if code == _NO_CHARACTER else BEYOND
    return classes, symbols


@kernel
def ends_of_literals(
    symbols: NDArray[np.uint8],
    step: NDArray[np.unsignedinteger],
    first: NDArray[np.int32],
    ending: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The sets of which a literal ends, and behind which character, in the order of the text: Aho-Corasick's automaton.
    `step[state, symbol]` is the next state, `ending[first[state]:first[state + 1]]` the sets that end in it.
    """
    sets, ends, count = np.empty(1 << 12, np.int32), np.empty(1 << 12, np.int64), 0
    state = 0
    for place in range(symbols.shape[0]):
        state = step[state, symbols[place]]
        for index in range(first[state], first[state + 1]):
            if count == sets.shape[0]:
                sets, ends = np.append(sets, np.empty_like(sets)), np.append(ends, np.empty_like(ends))
            sets[count], ends[count] = ending[index], place + 1
            count += 1
    return sets[:count], ends[:count]


@kernel
def before_literals(
    classes: NDArray[np.uint8],
    leads: NDArray[np.uint8],
    around: NDArray[np.uint8],
    ahead: NDArray[np.int64],
    ends: NDArray[np.int64],
    bounds: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which openings with a literal ahead hold where; by opening, in no order of places.

    Bit i of `leads[opening, class]` says whether the class may stand at place i of a match, bits 0 and 1 of `around`
    whether it may stand before a match, and between its beginning and the literal. `ahead[opening]` is (set, nearest,
    farthest, longest): how far ahead a literal of the set ends, which is of at most so many characters; no set: −1.
    `ends[bounds[set]:bounds[set + 1]]` are the ends of its literals, in order. From each, places are read backward as
    far as none was before and what lies between may.
    """
    found, places, count = np.empty(1 << 12, np.int64), np.empty(1 << 12, np.int64), 0
    for opening in range(ahead.shape[0]):
        number, nearest, farthest, longest = ahead[opening]
        own, near, covered = leads[opening], around[opening], 0
        for index in range(bounds[number], bounds[number + 1]) if number >= 0 else range(0):
            end = ends[index]
            lowest = max(end - farthest, covered + 1)
            for place in range(end - min(nearest, longest), lowest - 1, -1):
                if place < end - longest and not near[classes[place]] & 2:
                    break
                if place > end - nearest or not own[classes[place]] & 1 or not near[classes[place - 1]] & 1:
                    continue
                lead = 1
                while lead < LEADS and own[classes[place + lead]] >> lead & 1:
                    lead += 1
                if lead == LEADS:
                    if count == places.shape[0]:
                        found, places = np.append(found, np.empty_like(found)), np.append(places, np.empty_like(places))
                    found[count], places[count] = opening, place
                    count += 1
            covered = max(covered, end - nearest)
    return found[:count], places[:count]


@kernel
def anywhere(
    classes: NDArray[np.uint8], before: NDArray[np.uint64], leads: NDArray[np.uint64]
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Where some of 64 openings hold, and which, one bit each: set in `before[class]` if the class may stand before a
    match, in `leads[i, class]` if it may at place i of one.
    """
    found, places, count = np.empty(1 << 12, np.uint64), np.empty(1 << 12, np.int64), 0
    for place in range(1, classes.shape[0] - LEADS):
        bits = leads[0, classes[place]]
        bits &= leads[LEADS - 1, classes[place + LEADS - 1]] & leads[LEADS - 2, classes[place + LEADS - 2]]
        if bits == 0 or bits & before[classes[place - 1]] == 0:
            continue
        bits &= before[classes[place - 1]]
        for lead in range(1, LEADS - 2):
            bits &= leads[lead, classes[place + lead]]
        if bits != 0:
            if count == places.shape[0]:
                found, places = np.append(found, np.empty_like(found)), np.append(places, np.empty_like(places))
            found[count], places[count] = bits, place
            count += 1
    return found[:count], places[:count]
