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

from anonym.verify.codes import FEW, Coded, ordered_values, places
from anonym.verify.kernels import number, take
from anonym.verify.reading import canonical
from anonym.verify.words import SHORT, Words, words

NONE = 2**16 - 1  # no code
ANY = 2**32 - 1  # no line is longer

_ODD = np.array([secrets.randbits(64) | 1 for _ in range(2)], np.uint64)  # of a hash that no file can be made to fit

Short = NDArray[np.uint16]


class Learner(ABC):
    """A column's codes so far. Times are handed over as numbers; values that are canonically one may have two codes."""

    def __init__(self, dtype: pl.DataType) -> None:
        self.dtype = dtype
        self.known = pl.Series([], dtype=dtype).to_physical()
        self.codes: list[Short] = []
        self.nulls = 0

    def add(self, batch: pl.Series) -> bool:
        """Take a batch. False once there are too many values."""
        nulls = batch.null_count()
        found = self.found(batch.drop_nulls() if nulls else batch)
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
        """Renumbered: positions in the sorted canonical values, null last."""
        null = pl.Series([None] if self.nulls else [], dtype=self.dtype)
        raw = pl.concat([self.known.cast(self.dtype), null]).alias("value").to_frame()
        known = raw.select(canonical("value", self.dtype)).to_series()
        values = ordered_values(known)
        position = np.zeros(NONE + 1, np.min_scalar_type(len(values)))
        position[: len(known)] = places(known, values)
        if self.nulls:
            position[NONE] = position[len(known) - 1]
        codes: NDArray[Any] = np.empty(sum(map(len, self.codes)), position.dtype)
        at = 0
        for batch in self.codes:
            take(position, batch, codes[at : at + len(batch)])
            at += len(batch)
        return Coded(values, codes)


class Texts(Learner):
    """Short texts are their words, and numbered over all batches. Longer ones are so within a chunk, whose distinct
    texts are looked up by the engine, in an Enum of the texts known.
    """

    def __init__(self, dtype: pl.DataType) -> None:
        super().__init__(dtype)
        self.enum = pl.Enum([])
        self.short = _Numbered(2, FEW, SHORT)
        self.code = np.empty(0, np.uint16)  # of each number of a short text

    def found(self, batch: pl.Series) -> Short | None:
        chunks = words(batch)
        if chunks is None:
            return self.looked_up(batch)
        codes, at = np.empty(len(batch), np.uint16), 0
        for lines in chunks:
            end = at + len(lines)
            if not self._found(batch, lines, at, codes[at:end]):
                return None
            at = end
        return codes

    def _found(self, batch: pl.Series, lines: Words, start: int, codes: Short) -> bool:
        """Fill in the codes of a chunk, whose first text is at `start` of the batch. False where they are too many."""
        numbers = self.short.add(lines)
        if len(numbers) < len(lines) and self.short.is_full:
            return False
        if len(self.code) < self.short.held:
            new = self.looked_up(batch.gather(self.short.first[len(self.code) : self.short.held] + start))
            if new is None:
                return False
            self.code = np.concatenate([self.code, new])
        take(self.code, numbers, codes[: len(numbers)])
        rest = len(numbers)
        return rest == len(lines) or self._found_long(batch, lines[rest:], start + rest, codes[rest:])

    def _found_long(self, batch: pl.Series, lines: Words, start: int, codes: Short) -> bool:
        """The same for texts of any length."""
        numbered = _Numbered(2, len(lines))
        numbers = numbered.add(lines)
        found = self.looked_up(batch.gather(numbered.first[: numbered.held] + start))
        if found is not None:
            take(found, numbers, codes)
        return found is not None

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
        batch, before = batch.rechunk(), self.numbered.held
        numbers = self.numbered.add(_bits(batch))
        new = self.numbered.first[before : self.numbered.held]
        if len(numbers) < len(batch) or (len(new) and not self.learn(batch.gather(new))):
            return None
        return numbers.astype(np.uint16)


class _Numbered:
    """Distinct lines of words, numbered as they appear; `first` tells in which line of its batch each did."""

    def __init__(self, width: int, most: int, longest: int = ANY) -> None:
        self.known = np.empty((most, width), np.uint64)
        self.first = np.empty(most, np.int64)
        self.slot = np.full(1 << max(1, 2 * most - 1).bit_length(), -1, np.int32)
        self.numbers = np.empty(0, np.int32)  # of the lines added last
        self.longest = np.uint64(longest)
        self.held = 0

    @property
    def is_full(self) -> bool:
        return self.held == len(self.known)

    def add(self, lines: Words) -> NDArray[np.int32]:
        """The number of each line, as far as the first that is new and too long, or more than were to be known; to be
        read before more are added.
        """
        if len(self.numbers) < len(lines):
            self.numbers = np.empty(len(lines), np.int32)
        done, held = number(lines, _ODD, self.longest, self.slot, self.known, self.first, self.held, self.numbers)
        self.held = int(held)
        return self.numbers[:done]


def _bits(values: pl.Series) -> Words:
    """(n, 1) numbers as words that are equal where the numbers are."""
    numbers: NDArray[Any] = values.to_numpy()
    if numbers.dtype.kind == "f":
        numbers = numbers.view(f"u{numbers.itemsize}")
    return numbers.astype(np.uint64).reshape(-1, 1)
