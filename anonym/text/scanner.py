"""Where in a column an expression may match: one pass for all expressions, and no match left out.

Python's engine takes 5 to 400 ns to find out that a match of one expression does not begin at a character, and there
are hundreds of expressions. What every match of an expression begins with and holds is read off its syntax (see
`syntax`); one pass over the characters asks it of all of them at once, and only where it holds an expression is tried:
at one character in 5,000 (prose). The expressions are tried in the order of the text, each behind its last match, so
that what is found is what `finditer` finds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.text.characters import CLASSES, PLANES, class_table, plain
from anonym.text.kernels import anywhere, before_literals, classed, ends_of_literals
from anonym.text.syntax import LEADS, Held, openings

_BETWEEN = 0x110000
"""What stands for no character, between texts."""

_ENDLESS = 1 << 40
_BYTES = -(-CLASSES // 8)

Regex = re.Pattern[str]


class Scanner:
    """Expressions to look for in columns, made ready once."""

    def __init__(self, expressions: Iterable[Regex]) -> None:
        self.number = {regex: number for number, regex in enumerate(dict.fromkeys(expressions))}
        of_number = [(number, opening) for regex, number in self.number.items() for opening in openings(regex)]
        self._expressions = np.array([number for number, _ in of_number], np.int64)
        ways = [opening for _, opening in of_number]
        self._sets = {
            literals: number
            for number, literals in enumerate(dict.fromkeys(way.held.literals for way in ways if way.held))
        }
        self._automaton = _automaton(self._sets)
        leads = np.stack([_members([way.leads[lead] for way in ways]) for lead in range(LEADS)])
        before = _members([way.before for way in ways])
        inside = _members([way.held.inside if way.held else 0 for way in ways])
        self._leads = np.packbits(leads, axis=0, bitorder="little")[0]
        self._around = (before | inside << 1).astype(np.uint8)
        self._ahead = np.array([self._row(way.held) for way in ways], np.int64).reshape(-1, 4)
        unbound = np.flatnonzero(self._ahead[:, 0] < 0)
        self._words = [
            (members, _words(before[members]), np.stack([_words(lead[members]) for lead in leads]))
            for members in np.split(unbound, range(64, len(unbound), 64))
        ]

    def _row(self, held: Held | None) -> tuple[int, int, int, int]:
        if held is None:
            return -1, 0, 0, 0
        return self._sets[held.literals], held.nearest, min(held.farthest, _ENDLESS), held.longest

    def beginnings(self, texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Expressions by number, and the texts and the places in them where they may begin, in that order."""
        starts = np.cumsum([1, *(len(text) + 1 for text in texts)])
        codes = _codes(texts, starts)
        classes, symbols = classed(codes, class_table(), self._automaton.symbols)
        del codes
        parts = [before_literals(classes, self._leads, self._around, self._ahead, *self._ends(symbols))]
        parts += (part for word in self._words for part in _members_of(word[0], *anywhere(classes, *word[1:])))
        ways, places = (np.concatenate(each) for each in zip(*parts, strict=True))
        found, places = np.divmod(np.unique(self._expressions[ways] * starts[-1] + places), starts[-1])
        rows = np.searchsorted(starts, places, side="right") - 1
        return found, rows, places - starts[rows]

    def _ends(self, symbols: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The places where literals of each set end, set by set, and where those of each begin and end."""
        automaton = self._automaton
        sets, ends = ends_of_literals(symbols, automaton.step, automaton.first, automaton.ending)
        order = np.argsort(sets, kind="stable")
        return ends[order], np.searchsorted(sets[order], np.arange(len(self._sets) + 1))


@cache
def scanner(expressions: tuple[Regex, ...]) -> Scanner:
    """The scanner for some expressions, made once: it takes half a second."""
    return Scanner(expressions)


def _codes(texts: Sequence[str], starts: NDArray[np.int64]) -> NDArray[np.uint32]:
    """The characters of texts, `_BETWEEN` before each and behind the last, so often that no opening reads beyond."""
    joined = bytearray("\0".join(["", *texts, *[""] * (LEADS + 1)]).encode("utf-32-le", "surrogatepass"))
    codes = np.frombuffer(joined, np.uint32)
    codes[starts - 1] = _BETWEEN
    codes[starts[-1] :] = _BETWEEN
    return codes


def _members(sets: Sequence[int]) -> NDArray[np.uint8]:
    """By set, 1 for each class that it holds."""
    packed = np.frombuffer(b"".join(each.to_bytes(_BYTES, "little") for each in sets), np.uint8)
    return np.unpackbits(packed.reshape(-1, _BYTES), axis=1, bitorder="little")


def _words(members: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """By class, one bit for each of at most 64 openings."""
    full = np.zeros((64, members.shape[1]), np.uint8)
    full[: len(members)] = members
    return np.ascontiguousarray(np.packbits(full, axis=0, bitorder="little").T).view(np.uint64)[:, 0]


def _members_of(
    numbers: NDArray[np.int64], bits: NDArray[np.uint64], places: NDArray[np.int64]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """The openings whose bits are set, each with its places."""
    for bit, opening in enumerate(numbers):
        chosen = places[bits >> np.uint64(bit) & np.uint64(1) == 1]
        yield np.full(len(chosen), opening), chosen


@dataclass(frozen=True)
class _Automaton:
    """Of Aho and Corasick: see `ends_of_literals`. `symbols` are those of the characters of the first planes."""

    step: NDArray[np.unsignedinteger]
    first: NDArray[np.int32]
    ending: NDArray[np.int32]
    symbols: NDArray[np.uint8]


def _automaton(sets: Mapping[frozenset[str], int]) -> _Automaton:
    alphabet = sorted({letter for literals in sets for literal in literals for letter in literal})
    symbol = {ord(letter): number for number, letter in enumerate(alphabet, 1)}
    children: list[dict[int, int]] = [{}]
    ending: list[set[int]] = [set()]
    for literals, number in sets.items():
        for literal in literals:
            state = 0
            for letter in map(ord, literal):
                state = children[state].setdefault(symbol[letter], len(children))
                if state == len(children):
                    children.append({})
                    ending.append(set())
            ending[state].add(number)
    step = _steps(children, ending, len(alphabet) + 1)
    first = np.cumsum([0, *map(len, ending)], dtype=np.int32)
    flat = np.array([number for numbers in ending for number in sorted(numbers)], np.int32)
    marks = np.fromiter((symbol.get(plain()[code], 0) for code in range(PLANES)), np.uint8, PLANES)
    return _Automaton(step, first, flat, marks)


def _steps(
    children: Sequence[Mapping[int, int]], ending: Sequence[set[int]], symbols: int
) -> NDArray[np.unsignedinteger]:
    """All transitions, nearest states first; what ends in a state's longest proper suffix ends in it too."""
    step = np.zeros((len(children), symbols), np.min_scalar_type(len(children)))
    suffix = [0] * len(children)
    level = [0]
    while level:
        below = []
        for state in level:
            step[state] = step[suffix[state]] if state else 0
            for letter, child in children[state].items():
                suffix[child] = int(step[state, letter])
                step[state, letter] = child
                ending[child].update(ending[suffix[child]])
                below.append(child)
        level = below
    return step


class Column:
    """Texts (no nulls) with the places in which the expressions of a scanner may match."""

    def __init__(self, texts: Sequence[str], scanner: Scanner) -> None:
        self.texts = list(texts)
        self._scanner = scanner

    @cached_property
    def _places(self) -> list[tuple[list[int], list[int]]]:
        found, rows, places = self._scanner.beginnings(self.texts)
        bounds = np.searchsorted(found, np.arange(len(self._scanner.number) + 1))
        of_all = rows.tolist(), places.tolist()
        return [(of_all[0][left:right], of_all[1][left:right]) for left, right in pairwise(bounds)]

    def matches(self, regex: Regex) -> Iterator[tuple[int, re.Match[str]]]:
        """What `regex.finditer` finds in each text, with its row; an empty match is none."""
        match, texts = regex.match, self.texts
        at, end = -1, 0
        for row, place in zip(*self._places[self._scanner.number[regex]], strict=True):
            if row != at:
                at, end = row, 0
            if place >= end and (found := match(texts[row], place)):
                end = found.end()
                if end > place:
                    yield row, found

    def fired(self, regex: Regex) -> Iterator[tuple[int, re.Match[str]]]:
        """The match of `regex` at every place that has one, overlapping ones too, with its row."""
        for row, place in zip(*self._places[self._scanner.number[regex]], strict=True):
            if found := regex.match(self.texts[row], place):
                yield row, found

    def holding(self, regex: str) -> list[int]:
        """Rows in which `regex` (Rust syntax) matches."""
        rows: list[int] = pl.Series(self.texts, dtype=pl.String).str.contains(regex).arg_true().to_list()
        return rows
