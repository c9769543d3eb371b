"""The leaf codes of a table's rows, kept packed by the pass that counts them: applying a plan need not look them up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.hierarchy.encode import changed_rows, picker

_WORD = "\x00word"


@dataclass(frozen=True)
class RowCodes:
    """Of each row one exact word, in the order in which the table is read: 8 bytes a row."""

    words: NDArray[np.uint64]  # (rows,)
    sizes: tuple[int, ...]  # of the columns packed in a word, quasi-identifiers first

    def onto(self, frame: pl.LazyFrame, row: str, names: Sequence[str]) -> pl.LazyFrame:
        """The frame with the codes of the first columns under `names` (Int32), by the row numbers in `row`.

        Raises ChangedInputError while it runs if there are more rows than were counted.
        """
        word = pl.col(row).map_batches(self._of, return_dtype=pl.UInt64, is_elementwise=True).alias(_WORD)
        picked = [
            pl.col(_WORD).map_batches(_coder(picker(self.sizes, column)), return_dtype=pl.Int32, is_elementwise=True)
            for column in range(len(names))
        ]
        return frame.with_columns(word).with_columns(code.alias(name) for code, name in zip(picked, names, strict=True))

    def _of(self, rows: pl.Series) -> pl.Series:
        if len(rows) and rows.max() >= len(self.words):  # type: ignore[operator]
            raise changed_rows(len(self.words))
        return pl.Series(self.words[rows.to_numpy()])


def _coder(pick: Callable[[NDArray[np.uint64]], NDArray[np.int32]]) -> Callable[[pl.Series], pl.Series]:
    return lambda words: pl.Series(pick(words.to_numpy()))


class WordsKept:
    """Batches of words, taken up on their way. Raises ChangedInputError where there are other rows than was said."""

    def __init__(self, rows: int) -> None:
        self._words = np.empty(rows, np.uint64)
        self._filled = 0

    def add(self, words: NDArray[np.uint64]) -> NDArray[np.uint64]:
        end = self._filled + len(words)
        if end > len(self._words):
            raise changed_rows(len(self._words))
        self._words[self._filled : end] = words
        self._filled = end
        return words

    def all(self) -> NDArray[np.uint64]:
        if self._filled < len(self._words):
            raise changed_rows(len(self._words))
        return self._words
