"""A file's columns as integer codes, learnt batch by batch: one pass for several columns, a few bytes a row held.

What is looked up is compared with what was found, so that no two values can share a code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.io import guarded
from anonym.verify.codes import Coded, coded

FEW = 50_000  # distinct values that are learnt on the way; a column of more is coded as a whole
HELD = 64_000_000  # codes held at once while several columns are read in one pass
SLOTS = 17  # bits
_NONE = 2**16 - 1  # no code
_ODD = np.uint64(0x9E3779B97F4A7C15)

Short = NDArray[np.uint16]


def collected(frame: pl.LazyFrame, doing: str) -> pl.DataFrame:
    """Collect; an engine's error is re-raised as InputError without the values it prints."""
    with guarded(doing):
        return frame.collect()


def schema_of(frame: pl.LazyFrame) -> Mapping[str, pl.DataType]:
    with guarded("reading the release's schema"):
        return frame.collect_schema()


def is_text(dtype: pl.DataType) -> bool:
    return dtype == pl.String or isinstance(dtype, pl.Categorical | pl.Enum)


def canonical(name: str, dtype: pl.DataType) -> pl.Expr:
    """The column with NaN as null, -0.0 as 0.0 and dictionary values as String; nulls stay a value of their own."""
    column = pl.col(name)
    if dtype.is_float():
        return pl.when(column == 0).then(pl.lit(0, dtype)).when(column.is_not_nan()).then(column).alias(name)
    return column.cast(pl.String) if isinstance(dtype, pl.Categorical | pl.Enum) else column


def read_column(frame: pl.LazyFrame, name: str) -> pl.Series:
    """One column in canonical form."""
    value = canonical(name, schema_of(frame)[name]).alias(name)
    return collected(frame.select(value), f"reading column {name}")[name]


class Columns:
    """The columns of a file as codes, each read once."""

    def __init__(self, frame: pl.LazyFrame, rows: int) -> None:
        self.frame, self.rows = frame, rows
        self._read: dict[str, Coded] = {}

    def coded(self, name: str) -> Coded:
        self.read([name])
        return self._read[name]

    def read(self, names: Sequence[str]) -> None:
        """Read what has not been read, in as few passes as fit the memory set aside."""
        new = [name for name in dict.fromkeys(names) if name not in self._read]
        for group in self.passes(new):
            self._read |= read_codes(self.frame, group)

    def passes(self, names: Sequence[str]) -> list[Sequence[str]]:
        """The columns in groups that may be held at once."""
        size = max(1, HELD // max(1, self.rows))
        return [names[at : at + size] for at in range(0, len(names), size)]

    def forget(self, name: str) -> None:
        self._read.pop(name, None)

    def is_read(self, name: str) -> bool:
        return name in self._read


def read_codes(frame: pl.LazyFrame, names: Sequence[str]) -> dict[str, Coded]:
    """Columns in canonical form as codes, in one pass; those of many values, or nested ones, in a pass of their own."""
    schema = schema_of(frame)
    plain = frame.select(canonical(name, schema[name]).alias(name) for name in names)
    kinds = {name: _learner(dtype) for name, dtype in schema_of(plain).items()}
    learners = {name: kind for name, kind in kinds.items() if kind is not None}
    for batch in _batches(plain.select(pl.col(list(learners)).to_physical())):
        if not learners:
            break
        found = batch.select(learner.look_up(name) for name, learner in learners.items())  # one plan for all
        for name in found.columns:
            if not learners[name].add(batch[name], found[name]):
                del learners[name]
    return {name: learners[name].coded() if name in learners else coded(read_column(frame, name)) for name in names}


def _batches(frame: pl.LazyFrame) -> Iterator[pl.DataFrame]:
    with guarded("reading columns"):
        yield from frame.collect_batches(maintain_order=True)


class _Learner:
    """A column's codes so far, values numbered as they appear. Times are handed over as numbers."""

    def __init__(self, dtype: pl.DataType) -> None:
        self.dtype = dtype
        self.known = pl.Series([], dtype=dtype).to_physical()
        self.codes: list[Short] = []
        self.nulls = 0

    def add(self, batch: pl.Series, looked_up: pl.Series) -> bool:
        """Take a batch and what `look_up` gave for it. False once there are too many values."""
        codes, nulls = self.found(looked_up), batch.null_count()
        unknown = codes == _NONE
        if nulls:
            is_null = batch.is_null().to_numpy()
            codes[is_null], unknown[is_null] = _NONE, False
            self.nulls += nulls
        if unknown.any():
            rest = batch.filter(pl.Series(unknown))
            new = rest.unique()
            if len(self.known) + len(new) > FEW:
                return False
            self.learn(new)
            codes[unknown] = self.found(rest.to_frame().select(self.look_up(rest.name)).to_series())
        self.codes.append(codes)
        return True

    def learn(self, new: pl.Series) -> None:
        self.known = pl.concat([self.known, new], rechunk=True)

    def look_up(self, name: str) -> pl.Expr:
        """What the engine does of `found`, without nulls."""
        raise NotImplementedError

    def found(self, looked_up: pl.Series) -> Short:
        """The code of each value; _NONE for what is not known, anything for null."""
        raise NotImplementedError

    def coded(self) -> Coded:
        """Renumbered: positions in the sorted values, null last."""
        values = self.known.cast(self.dtype)
        order = values.arg_sort()
        position = np.full(_NONE + 1, len(order), np.min_scalar_type(len(order)))
        position[order.to_numpy()] = np.arange(len(order), dtype=position.dtype)
        null = pl.Series([None] if self.nulls else [], dtype=self.dtype)
        codes = [position[:0], *(position[codes] for codes in self.codes)]
        return Coded(pl.concat([values.gather(order), null]), np.concatenate(codes))


class _Texts(_Learner):
    """Looked up by the engine, in an Enum of the texts known."""

    enum = pl.Enum([])

    def learn(self, new: pl.Series) -> None:
        super().learn(new)
        self.enum = pl.Enum(self.known)

    def look_up(self, name: str) -> pl.Expr:
        return pl.col(name).cast(self.enum, strict=False).to_physical().cast(pl.UInt16).fill_null(_NONE)

    def found(self, looked_up: pl.Series) -> Short:
        codes: Short = looked_up.to_numpy(writable=True)
        return codes


class _Numbers(_Learner):
    """Looked up by their bits: in a table by a multiplicative hash, and by bisection where two share a slot."""

    def __init__(self, dtype: pl.DataType) -> None:
        super().__init__(dtype)
        self.slot = np.full(2**SLOTS, _NONE, np.uint16)
        self.learn(self.known)

    def learn(self, new: pl.Series) -> None:
        first = len(self.known)
        super().learn(new)
        self.bits = np.zeros(_NONE + 1, np.uint64)  # by code: what has none compares unequal, or is refused below
        self.bits[: len(self.known)] = _bits(self.known)
        self.order = np.argsort(self.bits[: len(self.known)])
        self.slot[_slots(self.bits[first : len(self.known)])] = np.arange(first, len(self.known))

    def look_up(self, name: str) -> pl.Expr:
        return pl.col(name).fill_null(0)

    def found(self, looked_up: pl.Series) -> Short:
        bits = _bits(looked_up)
        codes: Short = self.slot[_slots(bits)]
        rest = np.flatnonzero(self.bits[codes] != bits)
        if len(rest):
            codes[rest] = self._bisected(bits[rest])
        return codes

    def _bisected(self, bits: NDArray[np.uint64]) -> Short:
        if not len(self.known):
            return np.full(len(bits), _NONE, np.uint16)
        place = np.searchsorted(self.bits[: len(self.known)], bits, sorter=self.order)
        codes: Short = self.order[place.clip(max=len(self.order) - 1)].astype(np.uint16)
        codes[self.bits[codes] != bits] = _NONE
        return codes


def _bits(values: pl.Series) -> NDArray[np.uint64]:
    numbers: NDArray[Any] = values.to_numpy()
    if numbers.dtype.kind == "f":
        numbers = numbers.view(f"u{numbers.itemsize}")
    bits: NDArray[np.uint64] = numbers.astype(np.uint64)
    return bits


def _slots(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    slots: NDArray[np.uint64] = (bits * _ODD) >> np.uint64(64 - SLOTS)
    return slots


def _learner(dtype: pl.DataType) -> _Learner | None:
    """None for types that are coded as a whole."""
    if dtype == pl.String:
        return _Texts(dtype)
    is_wide = dtype in (pl.Int128, pl.UInt128) or dtype.is_decimal()
    return _Numbers(dtype) if dtype.is_temporal() or (dtype.is_numeric() and not is_wide) else None
