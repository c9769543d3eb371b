"""Loops over the rows of large tables. Compiled where they are used, so that small tables need no compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

_FREE = -1
_LOW = np.uint64(2**32 - 1)

Whole = NDArray[np.signedinteger[Any]] | NDArray[np.unsignedinteger[Any]]  # of any width
Loop = TypeVar("Loop", bound=Callable[..., Any])


def _compiled(loop: Loop) -> Loop:
    """Compile on first use, kept on disk where a folder for it can be written."""
    try:
        return cast(Loop, numba.njit(cache=True, nogil=True)(loop))
    except RuntimeError:  # there is no such folder
        return cast(Loop, numba.njit(nogil=True)(loop))


@_compiled
def number(
    words: NDArray[np.uint64],
    odd: NDArray[np.uint64],
    longest: np.uint64,
    slot: NDArray[np.int32],
    known: NDArray[np.uint64],
    first: NDArray[np.int64],
    held: int,
    numbers: NDArray[np.int32],
) -> tuple[int, int]:
    """Number each line of words in `numbers`, as lines appear; (how many lines are, how many numbers are given now).

    `known` has the `held` lines that are numbered already, `first` the line at which each was new, and `slot` (a power
    of two, at least twice as many as lines are ever known, -1 where free) their numbers by a multiplicative hash with
    the two factors `odd`. What is looked up is compared, so that no two lines share a number. All three are filled up.
    Lines after one that is new are not numbered where `known` is full, or where the line's low 32 bits, of a text its
    length, are beyond `longest`.
    """
    is_wide = words.shape[1] > 1
    last = np.uint64(slot.size - 1)
    low = np.uint64(64 - np.log2(slot.size))  # of the hash's bits the last ones, which tell least of a line
    for i in range(words.shape[0]):
        one = words[i, 0]
        two = words[i, 1] if is_wide else np.uint64(0)
        place = (one * odd[0] + two * odd[1]) >> low
        while slot[place] != _FREE and not (
            known[slot[place], 0] == one and (not is_wide or known[slot[place], 1] == two)
        ):
            place = (place + np.uint64(1)) & last
        if slot[place] == _FREE:
            if held == known.shape[0] or one & _LOW > longest:
                return i, held
            slot[place] = held
            known[held, 0] = one
            if is_wide:
                known[held, 1] = two
            first[held] = i
            held += 1
        numbers[i] = slot[place]
    return words.shape[0], held


@_compiled
def take(table: Whole, at: Whole, taken: Whole) -> None:
    """table[at] into `taken`: in a third of NumPy's time, which widens narrow places first."""
    for i in range(at.size):
        taken[i] = table[at[i]]


@_compiled
def tally(codes: Whole, counts: NDArray[np.int64]) -> None:
    """Add to `counts` how often each code occurs."""
    for i in range(codes.size):
        counts[codes[i]] += 1


@_compiled
def tally_pairs(one: Whole, other: Whole, counts: NDArray[np.int64]) -> None:
    """Add to `counts` (codes, codes) how often each pair occurs."""
    for i in range(one.size):
        counts[one[i], other[i]] += 1
