"""Passes over the characters of a column: where literals end, and where expressions may begin; and over the tokens of
documents: which entities a network of transitions makes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anonym.criteria.jit import kernel
from anonym.text.characters import BEYOND, EDGE, PLANES
from anonym.text.syntax import LEADS

_NO_CHARACTER = 0x110000
BEGIN, UNIT, OUT = range(3)
"""Transitions outside of an entity: one of several tokens begins, one of one token is made, none is."""


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


@kernel
def recognised(
    table: NDArray[np.float32],
    bounds: NDArray[np.int64],
    blank: NDArray[np.bool_],
    bias: NDArray[np.float32],
    outside: NDArray[np.float32],
    outside_bias: NDArray[np.float32],
    kinds: NDArray[np.int64],
    labels: NDArray[np.int64],
    inside: NDArray[np.float32],
    inside_bias: NDArray[np.float32],
) -> NDArray[np.int64]:
    """The entities of documents, each as its first token, the token behind its last, and its label. Document i has the
    tokens `bounds[i]:bounds[i + 1]`.

    `table[1 + token]` is what a token adds to a state, by feature, hidden unit and piece, as the next token, as the
    first of the open entity, and as its last; `table[0]` stands for none. The largest piece is the unit's value. For
    the other arrays see `transitions.Scores`. The best transition that is allowed is made, the first of equal ones.
    """
    hidden, scores = np.empty(bias.shape[0], np.float32), np.empty(kinds.shape[0], np.float32)
    found, count = np.empty((1 << 8, 3), np.int64), 0
    for document in range(bounds.shape[0] - 1):
        start, label = -1, -1
        for token in range(bounds[document], bounds[document + 1]):
            last = token + 1 == bounds[document + 1]
            first, behind = (start + 1, token) if start >= 0 else (0, 0)
            _hidden_units(table[token + 1, 0], table[first, 1], table[behind, 2], bias, hidden)
            if start < 0:
                _opening_scores(hidden, outside, outside_bias, scores)
                chosen = _best(scores, kinds, blank[token], last)
                label = labels[chosen]
                start = -1 if kinds[chosen] == OUT else token
                ended = kinds[chosen] == UNIT
            else:
                ended = last or _ends(hidden, inside[0, label], inside[1, label], inside_bias[:, label])
            if ended:
                if count == found.shape[0]:
                    found = np.concatenate((found, np.empty_like(found)))
                found[count] = start, token + 1, label
                start, count = -1, count + 1
    return found[:count]


@kernel
def _hidden_units(
    following: NDArray[np.float32],
    first: NDArray[np.float32],
    behind: NDArray[np.float32],
    bias: NDArray[np.float32],
    hidden: NDArray[np.float32],
) -> None:
    """The units of the hidden layer, each the largest of its pieces."""
    for unit in range(bias.shape[0]):
        largest = np.float32(-np.inf)
        for piece in range(bias.shape[1]):
            added = following[unit, piece] + first[unit, piece] + behind[unit, piece] + bias[unit, piece]
            largest = max(largest, added)
        hidden[unit] = largest


@kernel
def _opening_scores(
    hidden: NDArray[np.float32], weights: NDArray[np.float32], bias: NDArray[np.float32], scores: NDArray[np.float32]
) -> None:
    scores[:] = bias
    for unit in range(hidden.shape[0]):
        for transition in range(scores.shape[0]):  # the inner loop, for it is done in vectors
            scores[transition] += hidden[unit] * weights[unit, transition]


@kernel
def _best(scores: NDArray[np.float32], kinds: NDArray[np.int64], blank: bool, last: bool) -> int:
    """The best transition outside of an entity: none begins on a blank, or goes on behind the last token."""
    best = -1
    for transition in range(scores.shape[0]):
        kind = kinds[transition]
        allowed = kind == OUT or not (blank or (last and kind == BEGIN))
        if allowed and (best < 0 or scores[transition] > scores[best]):
            best = transition
    return best


@kernel
def _ends(
    hidden: NDArray[np.float32], on: NDArray[np.float32], end: NDArray[np.float32], bias: NDArray[np.float32]
) -> bool:
    """Whether the open entity ends with a token rather than to go on."""
    going_on, ending = bias[0], bias[1]
    for unit in range(hidden.shape[0]):
        going_on += hidden[unit] * on[unit]
        ending += hidden[unit] * end[unit]
    return bool(ending > going_on)
