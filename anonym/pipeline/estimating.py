"""How much memory a release will take, told before anything is done."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from anonym.errors import InputError
from anonym.hierarchy.encode import canonical
from anonym.io import Source, guarded
from anonym.pipeline.profile import MOST_CELLS
from anonym.pipeline.verifying import released_schema
from anonym.pipeline.write import WAITING
from anonym.policy.model import Policy, Quasi, Text

# Megabytes, and bytes a row or combination, fitted to the peaks of runs of 50,000 to 900,000 rows with 2 and 5
# quasi-identifiers and 4,800 to 900,000 combinations, one thread, meant to be above rather than below: 3,000,000 rows
# with as many combinations took 776 MB (estimated 1,009), shuffled 1,099 (1,373).
BASE, MODELS = 300, 350
ROW, ROW_AND_QUASI, ROW_OF_UNIT = 61, 12.4, 160
CELL, CELL_AND_QUASI = 17, 33
SHUFFLED = 26  # a row and released column, of the rows that wait for their place


@dataclass(frozen=True)
class Estimate:
    """`combinations` is the number of distinct tuples of quasi-identifiers, by HyperLogLog: within about a tenth."""

    rows: int
    combinations: int
    quasi: int
    megabytes: int

    def __str__(self) -> str:
        return (
            f"at most about {self.megabytes:,} MB, for {self.rows:,} rows and about {self.combinations:,} distinct "
            f"combinations of {self.quasi} quasi-identifiers"
        )


def estimate(policy: Policy, source: Source) -> Estimate:
    """The peak memory of releasing the source, in one pass over its quasi-identifiers.

    Long texts and local recoding, which keeps every distinct record, come on top.
    """
    columns = policy.resolve(source.schema)
    quasi = [column for column in columns if isinstance(column.role, Quasi)]
    values = [canonical(column.name, column.dtype) for column in quasi]
    distinct = pl.struct(values).hash().approx_n_unique() if values else pl.lit(0)
    with guarded("estimating memory"):
        rows, cells = source.frame.select(pl.len(), distinct.alias("cells")).collect(engine="streaming").row(0)
    n, by_unit = len(quasi), policy.unit is not None
    counted = cells if by_unit or policy.search.strategy == "local" else min(cells, MOST_CELLS)
    size = rows * (ROW + ROW_AND_QUASI * n + ROW_OF_UNIT * by_unit) + counted * (CELL + CELL_AND_QUASI * n)
    if policy.order == "shuffle":
        size += min(rows, WAITING) * SHUFFLED * len(released_schema(columns))
    models = MODELS if any(isinstance(column.role, Text) for column in columns) else 0
    return Estimate(rows, min(cells, rows), n, BASE + models + int(size / 1e6))


def within(limit: int, found: Estimate) -> Estimate:
    """The estimate. Raises InputError where it is of more than `limit` bytes."""
    if found.megabytes * 1_000_000 > limit:
        raise InputError(
            f"the release would take {found}, and --memory-limit is {limit // 1_000_000:,} MB: raise it, or release "
            "the table in batches under one plan (--plan); nothing was done"
        )
    return found
