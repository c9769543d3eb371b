"""A large column's codes learnt batch by batch, while it has few values: a few nanoseconds and bytes a row.

Values are numbered as they appear. What is looked up is compared with what was found, so that no two share a code.
"""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.verify.codes import FEW, Coded
from anonym.verify.kernels import number, take
from anonym.verify.words import Words, words

NONE = 2**16 - 1  # no code

_ODD = np.array([secrets.randbits(64) | 1 for _ in range(2)], np.uint64)  # of a hash that no file can be made to fit

Short = NDArray[np.uint16]


class Learner(ABC):
    """A column's codes so far. Times are handed over as numbers."""

    def __init__(self, dtype: pl.DataType) -> None:
        self.dtype = dtype
        self.known = pl.Series([], dtype=dtype).to_physical()
        self.codes: list[Short] = []
        self.nulls = 0

    def add(self, batch: pl.Series) -> bool:
        """Take a batch. False once there are too many values."""
        nulls = batch.null_count()
        found = self.found((batch.drop_nulls() if nulls else batch).rechunk())
        if found is None:
            return False
        if nulls:
            codes = np.full(len(batch), NONE, np.uint16)
            codes[batch.is_not_null().to_numpy()] = found
            found, self.nulls = codes, self.nulls + nulls
        self.codes.append(found)
        return True

    @abstractmethod
    def found(self, batch: pl.Series) -> Short | None:
        """(n,) codes of values, new ones learnt; None where they are too many. There are no nulls among them."""

    def learn(self, new: pl.Series) -> bool:
        """Number distinct values that were not known. False where they are too many."""
        if len(self.known) + len(new) > FEW:
            return False
        self.known = pl.concat([self.known, new], rechunk=True)
        return True

    def coded(self) -> Coded:
        """Renumbered: positions in the sorted values, null last."""
        values = self.known.cast(self.dtype)
        order = values.arg_sort()
        position: NDArray[Any] = np.full(NONE + 1, len(order), np.min_scalar_type(len(order)))
        position[order.to_numpy()] = np.arange(len(order), dtype=position.dtype)
        null = pl.Series([None] if self.nulls else [], dtype=self.dtype)
        codes: NDArray[Any] = np.empty(sum(map(len, self.codes)), position.dtype)
        at = 0
        for batch in self.codes:
            take(position, batch, codes[at : at + len(batch)])
            at += len(batch)
        return Coded(pl.concat([values.gather(order), null]), codes)


class Texts(Learner):
    """Each batch's distinct words are looked up by the engine, in an Enum of the texts known."""

    def __init__(self, dtype: pl.DataType) -> None:
        super().__init__(dtype)
        self.enum = pl.Enum([])

    def found(self, batch: pl.Series) -> Short | None:
        lines = words(batch)
        if lines is None:
            return self.looked_up(batch)
        numbered = _Numbered(2, len(batch))
        numbers = numbered.add(lines)
        assert numbers is not None, "there are no more distinct texts than texts"
        codes = self.looked_up(batch.gather(numbered.first[: numbered.held]))
        if codes is None:
            return None
        found = np.empty(len(numbers), np.uint16)
        take(codes, numbers, found)
        return found

    def looked_up(self, texts: pl.Series) -> Short | None:
        codes = texts.cast(self.enum, strict=False).to_physical()
        if codes.null_count():
            if not self.learn(texts.filter(codes.is_null()).unique()):
                return None
            self.enum = pl.Enum(self.known)
            codes = texts.cast(self.enum).to_physical()
        found: Short = codes.to_numpy().astype(np.uint16)
        return found


class Numbers(Learner):
    """Numbers are their bits, and numbered over all batches."""

    def __init__(self, dtype: pl.DataType) -> None:
        super().__init__(dtype)
        self.numbered = _Numbered(1, FEW)

    def found(self, batch: pl.Series) -> Short | None:
        before = self.numbered.held
        numbers = self.numbered.add(_bits(batch))
        if numbers is None or not self.learn(batch.gather(self.numbered.first[before : self.numbered.held])):
            return None
        return numbers.astype(np.uint16)


class _Numbered:
    """Distinct lines of words, numbered as they appear; `first` tells in which line of its batch each did."""

    def __init__(self, width: int, most: int) -> None:
        self.known = np.empty((most, width), np.uint64)
        self.first = np.empty(most, np.int64)
        self.slot = np.full(1 << max(1, 2 * most - 1).bit_length(), -1, np.int32)
        self.held = 0

    def add(self, lines: Words) -> NDArray[np.int32] | None:
        """The number of each line, or None where there are more than were to be known."""
        numbers, held = number(lines, _ODD, self.slot, self.known, self.first, self.held)
        self.held = int(held)
        return None if held < 0 else numbers


def _bits(values: pl.Series) -> Words:
    """(n, 1) numbers as words that are equal where the numbers are."""
    numbers: NDArray[Any] = values.to_numpy()
    if numbers.dtype.kind == "f":
        numbers = numbers.view(f"u{numbers.itemsize}")
    return numbers.astype(np.uint64).reshape(-1, 1)
