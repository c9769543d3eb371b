"""Whether two tables hold the same rows, whatever their order and the layout of their files."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

import polars as pl

from anonym.io import guarded


def same_rows(one: pl.LazyFrame, other: pl.LazyFrame, columns: Sequence[str]) -> bool:
    """Whether both have the same rows over `columns`, each as often; -0.0 counts as 0.0.

    Sums of two 64-bit hashes of every row are compared, under seeds that nobody knows beforehand: other rows pass with
    a chance of about 2^-128, also those of somebody who builds them to. Memory does not grow with the tables. Columns
    of other types are other rows.
    """
    seeds = [secrets.randbits(64) for _ in range(2)]
    return _sums(one, columns, seeds) == _sums(other, columns, seeds)


def _sums(frame: pl.LazyFrame, columns: Sequence[str], seeds: Sequence[int]) -> tuple[object, ...]:
    row = pl.struct(*columns) if columns else pl.lit(0)
    sums = [row.hash(seed).cast(pl.Int128).sum().alias(f"sum {place}") for place, seed in enumerate(seeds)]
    with guarded("adding up the rows of the release"):
        schema = frame.select(*columns).collect_schema()
        return schema, frame.select(pl.len().alias("rows"), *sums).collect(engine="streaming").row(0)
