"""Kernels of tables that say where a 64-bit key stands among the known ones: open addressing, a few slots a key.

A look-up takes 1 to 5 ns, depending on whether the table fits the cache; by passes of NumPy it took 12 to 25.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anonym.criteria.jit import kernel

Keys = NDArray[np.uint64]
Slots = NDArray[np.int32]  # a power of two of them; what is no place among the keys is free

FREE = -1
_ODD = np.uint64(0x9E3779B97F4A7C15)
_OTHER = np.uint64(0xC2B2AE3D27D4EB4F)
_ONE = np.uint64(1)
_HALF = np.uint64(32)


def free_slots(keys: int, each: int) -> Slots:
    """At least `each` free slots for every key, and two at the least."""
    return np.full(1 << max(each * keys - 1, 1).bit_length(), FREE, dtype=np.int32)


@kernel
def _bits_left(slots: Slots) -> np.uint64:
    """How many bits a mixed key loses to become the number of a slot."""
    left = np.uint64(64)
    while _ONE << (np.uint64(64) - left) < np.uint64(len(slots)):
        left -= _ONE
    return left


@kernel
def _slot(key: np.uint64, left: np.uint64) -> np.uint64:
    """Two rounds: after one, numbers at some equal distances would still lie side by side."""
    once = (key ^ (key >> _HALF)) * _ODD
    return ((once ^ (once >> _HALF)) * _OTHER) >> left


@kernel
def enter(
    wanted: Keys, slots: Slots, keys: Keys, known: int, entries: NDArray[np.uint32], first: NDArray[np.int64]
) -> int:
    """Find or enter each wanted key; returns how many are known then.

    Fills `entries` (rows,), `keys` from `known` on and, for each that was new, `first` (new,) with the row that brought
    it. There must be a free slot for each new key, and one more.
    """
    mask, left, before = np.uint64(len(slots) - 1), _bits_left(slots), known
    for row in range(len(wanted)):
        key = wanted[row]
        slot = _slot(key, left)
        while slots[slot] >= 0 and keys[slots[slot]] != key:
            slot = (slot + _ONE) & mask
        if slots[slot] < 0:
            slots[slot] = known
            keys[known] = key
            first[known - before] = row
            known += 1
        entries[row] = slots[slot]
    return known


@kernel
def find(wanted: Keys, slots: Slots, keys: Keys, places: NDArray[np.int32]) -> None:
    """Fills `places` (rows,) with the place of each wanted key among the keys; of strangers it is their number."""
    mask, left = np.uint64(len(slots) - 1), _bits_left(slots)
    for row in range(len(wanted)):
        key = wanted[row]
        slot = _slot(key, left)
        while slots[slot] >= 0 and keys[slots[slot]] != key:
            slot = (slot + _ONE) & mask
        places[row] = slots[slot] if slots[slot] >= 0 else len(keys)
