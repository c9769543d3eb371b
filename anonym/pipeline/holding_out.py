"""People held out: split off by unit before anything is anonymised, never released, and kept for the attacks only."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import polars as pl

from anonym.errors import CallError, InputError, OutputError
from anonym.io import PrivateFolder, Source, guarded, private_file
from anonym.io.target import refuse_long_name
from anonym.policy.model import Policy

_ROW = "\x00held"


@dataclass(frozen=True)
class HeldOut:
    """What is left to be released, and the people who are not: a Parquet file of mode 0600 in the private folder."""

    source: Source
    file: Path | None = None
    rows: int = 0
    units: int | None = None
    given: pl.LazyFrame | None = None  # a control of the caller's, where nobody is held out

    def control(self) -> pl.DataFrame | None:
        """The people held out, or the control that was given, or None."""
        if self.file is None:
            with guarded("reading the control"):
                return None if self.given is None else self.given.collect()
        with guarded("reading the people held out"):
            return pl.read_parquet(self.file)


def hold_out(policy: Policy, source: Source, private: PrivateFolder, control: pl.LazyFrame | None = None) -> HeldOut:
    """Split the share `attacks.hold_out` of the units (rows without a unit) off, drawn by the policy's seed.

    The draw depends on the set of units alone, not on the order of the rows. Rows of no unit are never held out.
    `control` are people like these from elsewhere, in the place of a hold-out. Raises CallError where both are asked
    for, InputError where there are too few people to hold any out.
    """
    if not policy.attacks.hold_out:
        return HeldOut(source, given=control)
    if control is not None:
        raise CallError("people are either held out or given as a control: leave out one of the two")
    share, seed = policy.attacks.hold_out, policy.seed
    unit = policy.unit
    with guarded("holding people out"):
        if unit is None:
            number, chosen = _rows(source, share, seed)
            held, rest = _split(source.frame.with_row_index(_ROW), pl.col(_ROW).is_in(chosen.implode()))
            held, rest = held.drop(_ROW), rest.drop(_ROW)
        else:
            number, chosen = _units(source, unit, share, seed)
            held, rest = _split(source.frame, pl.col(unit).is_in(chosen.implode()).fill_null(False))
    if not number:
        raise InputError(f"attacks.hold_out of {share} is nobody here: give a larger share, or --control a file")
    file = private.file("held-out.parquet")
    with guarded("writing the people held out", OutputError):
        held.sink_parquet(file)
        rows = int(pl.scan_parquet(file, glob=False).select(pl.len()).collect().item())
    return HeldOut(replace(source, frame=rest), file, rows, number if unit is not None else None)


def _split(frame: pl.LazyFrame, is_held: pl.Expr) -> tuple[pl.LazyFrame, pl.LazyFrame]:
    return frame.filter(is_held), frame.filter(~is_held)


def _rows(source: Source, share: Decimal, seed: int) -> tuple[int, pl.Series]:
    rows = int(source.frame.select(pl.len()).collect().item())
    chosen = _draw(rows, share, seed)
    return len(chosen), pl.Series(chosen, dtype=pl.get_index_type())


def _units(source: Source, unit: str, share: Decimal, seed: int) -> tuple[int, pl.Series]:
    units = source.frame.select(pl.col(unit).drop_nulls().unique().sort()).collect().to_series()
    chosen = units.gather(_draw(len(units), share, seed))
    return len(chosen), chosen


def _draw(people: int, share: Decimal, seed: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Sorted numbers of the share of `people`, rounded down."""
    generator = np.random.default_rng([seed, 0x401D])
    return np.sort(generator.permutation(people)[: int(share * people)]).astype(np.int64)


def refuse_existing(path: Path | None, *, force: bool) -> None:
    """Raise CallError where the hold-out is to be kept in a file that is already there."""
    if path is None:
        return
    if path.suffix.lower() not in (".parquet", ".pq"):
        raise CallError(f"{path.name}: people held out are kept as Parquet; give a name that ends in .parquet")
    refuse_long_name(path)
    if path.exists() and not force:
        raise CallError(f"{path.name} exists: --keep-hold-out replaces it only with --force")


def keep(held: HeldOut, path: Path) -> None:
    """Copy the people held out, who are raw data, to `path`, readable by its owner only. Raises OutputError."""
    if held.file is None:
        raise CallError("--keep-hold-out needs people held out: give --hold-out, or attacks.hold_out in the policy")
    with (
        guarded("keeping the people held out", OutputError),
        private_file(path) as kept,
        open(held.file, "rb") as of,
    ):
        shutil.copyfileobj(of, kept)
