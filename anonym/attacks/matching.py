"""Candidate sets: for every distinct released tuple the distinct tuples of an attacker that it covers.

Both tables are coded column by column once. A subset of the columns is then joined over distinct tuples, column by
column along the prefixes of the released ones: exact, and never larger than what is still possible. Rows and people
come in only when candidates are counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from anonym.attacks.cover import Known, covers

_SHARING = pl.col("sharing")
_CHUNK = 20_000  # distinct attacker's tuples joined at a time: bounds the memory of what does not survive the join


@dataclass(frozen=True)
class Columns:
    """Both tables, coded. Column i of `released` and `auxiliary` holds the number of a cell, or of a value."""

    known: tuple[Known, ...]
    released: pl.DataFrame  # UInt32, a row each
    auxiliary: pl.DataFrame
    covers: tuple[pl.DataFrame, ...]  # [cell, value] of each column
    null_cells: tuple[pl.Series, ...]  # the number of the null cell, if there is one
    null_values: tuple[pl.Series, ...]


@dataclass(frozen=True)
class Linked:
    """Rows by distinct tuple, and the pairs of tuples that fit."""

    released: pl.Series  # UInt32, the tuple of each released row
    auxiliary: pl.Series
    pairs: pl.DataFrame  # [released, auxiliary], distinct


def encode(released: pl.DataFrame, auxiliary: pl.DataFrame, known: Sequence[Known]) -> Columns:
    """Code the known columns of both tables and find what covers what."""
    coded_r, coded_a, tables, nulls_r, nulls_a = [], [], [], [], []
    for i, column in enumerate(known):
        codes, cells = coded(clean(released, column.cells))
        coded_r.append(codes.alias(str(i)))
        codes, values = coded(clean(auxiliary, (column.auxiliary,)))
        coded_a.append(codes.alias(str(i)))
        tables.append(covers(column, cells, values.to_series()))
        nulls_r.append(cells.select(pl.all_horizontal(pl.all().is_null())).to_series().arg_true().cast(pl.UInt32))
        nulls_a.append(values.to_series().is_null().arg_true().cast(pl.UInt32))
    return Columns(
        tuple(known), pl.DataFrame(coded_r), pl.DataFrame(coded_a), tuple(tables), tuple(nulls_r), tuple(nulls_a)
    )


def clean(frame: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """NaN is null, -0.0 is 0.0, categories are texts."""
    columns = []
    for name in names:
        column, dtype = pl.col(name), frame.schema[name]
        if dtype.is_float():
            column = column.fill_nan(None) + 0.0
        elif isinstance(dtype, pl.Categorical | pl.Enum):
            column = column.cast(pl.String)
        columns.append(column)
    return frame.select(columns)


def coded(frame: pl.DataFrame) -> tuple[pl.Series, pl.DataFrame]:
    """The number of each row's distinct tuple, in order of appearance, and the tuples."""
    distinct = frame.unique(maintain_order=True)
    numbered = distinct.with_row_index("#")
    codes = frame.join(numbered, on=frame.columns, how="left", nulls_equal=True, maintain_order="left")["#"]
    return codes, distinct


def link(columns: Columns, subset: Sequence[int], *, wild: bool = False) -> Linked:
    """Join on the columns of `subset`. `wild`: a null on either side fits everything, else nothing."""
    names = [str(i) for i in subset]
    of_released, left = coded(columns.released.select(names))
    of_auxiliary, right = coded(columns.auxiliary.select(names))
    tables = {str(i): _wild(columns, i) if wild else columns.covers[i] for i in subset}
    pairs = joined(left.with_row_index("released"), right.with_row_index("auxiliary"), tables)
    return Linked(of_released, of_auxiliary, pairs)


def _wild(columns: Columns, i: int) -> pl.DataFrame:
    cells = pl.DataFrame({"cell": columns.released[str(i)].unique(maintain_order=True)})
    values = pl.DataFrame({"value": columns.auxiliary[str(i)].unique(maintain_order=True)})
    no_cell, no_value = columns.null_cells[i].to_frame("cell"), columns.null_values[i].to_frame("value")
    found = [columns.covers[i], no_cell.join(values, how="cross"), cells.join(no_value, how="cross")]
    return pl.concat(found).unique(maintain_order=True)


def joined(left: pl.DataFrame, right: pl.DataFrame, tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """All (released, auxiliary) where every column's table has the pair of their codes."""
    order = sorted(tables, key=lambda name: _density(left[name], right[name], tables[name]))
    steps = _prefixes(left, order)
    parts = [_walk(right.slice(at, _CHUNK), tables, steps) for at in range(0, max(right.height, 1), _CHUNK)]
    return pl.concat(parts)


def _density(cells: pl.Series, values: pl.Series, table: pl.DataFrame) -> float:
    """The share of all pairs that a column lets through: the smallest goes first."""
    return table.height / max(1, cells.n_unique() * values.n_unique())


def _prefixes(left: pl.DataFrame, order: Sequence[str]) -> list[tuple[str, pl.DataFrame]]:
    """For each column [prefix, cell, next]: how the released tuples go on. The last `next` is the tuple's number."""
    steps = []
    rows = left.with_columns(prefix=pl.lit(0, dtype=pl.UInt32))
    for name in order[:-1]:
        following = rows.select("prefix", cell=name).unique(maintain_order=True).with_row_index("next")
        steps.append((name, following))
        rows = rows.join(following, left_on=["prefix", name], right_on=["prefix", "cell"])
        rows = rows.drop("prefix").rename({"next": "prefix"})
    steps.append((order[-1], rows.select("prefix", cell=order[-1], next="released")))
    return steps


def _walk(
    right: pl.DataFrame, tables: dict[str, pl.DataFrame], steps: Sequence[tuple[str, pl.DataFrame]]
) -> pl.DataFrame:
    state = right.with_columns(prefix=pl.lit(0, dtype=pl.UInt32))
    for name, following in steps:
        wide = state.join(tables[name], left_on=name, right_on="value")
        state = wide.join(following, on=["prefix", "cell"]).drop("prefix", "cell").rename({"next": "prefix"})
    return state.select(released="prefix", auxiliary="auxiliary")


def classes(frame: pl.DataFrame, cells: Sequence[str]) -> pl.Series:
    """The number of each row's class: rows of equal cells, where a null is a value of its own."""
    return coded(clean(frame, cells))[0]


# people --------------------------------------------------------------------------------------------------------------


def persons(frame: pl.DataFrame, unit: str | None) -> pl.Series | None:
    """The unit of each row, or None where the table has no such column."""
    return frame[unit] if unit is not None and unit in frame.columns else None


def people(tuples: pl.Series, person: pl.Series | None) -> pl.DataFrame:
    """Distinct [tuple, person]: people are rows where no unit is known, and rows of no unit are together one."""
    if person is None:
        return pl.DataFrame({"tuple": tuples}).with_row_index("person")
    return pl.DataFrame({"tuple": tuples, "person": coded(person.to_frame("person"))[0]}).unique(maintain_order=True)


def numbered(frame: pl.DataFrame, unit: str | None) -> pl.Series:
    """The number of each row's person, UInt32, as `people` counts them."""
    held = persons(frame, unit)
    return pl.Series(range(frame.height), dtype=pl.UInt32) if held is None else coded(held.to_frame())[0]


def groups(frame: pl.DataFrame, columns: Mapping[str, Sequence[str]], unit: str | None) -> dict[str, pl.DataFrame]:
    """By name of a column [person, group]: the people who share a value of its cells."""
    who = numbered(frame, unit)
    return {name: pl.DataFrame({"person": who, "group": classes(frame, cells)}) for name, cells in columns.items()}


def profiles(frame: pl.DataFrame, cells: Sequence[str], unit: str | None) -> pl.DataFrame:
    """[person, class]: everyone once, in the class of those whose rows are in the same classes."""
    members = people(classes(frame, cells), persons(frame, unit)).select("person", pl.col("tuple").alias("class"))
    if members["person"].is_unique().all():
        return members
    return members.group_by("person", maintain_order=True).agg(pl.col("class").unique().sort())


def candidates(targets: pl.DataFrame, pairs: pl.DataFrame, others: pl.DataFrame) -> pl.DataFrame:
    """How many of `others` each target may be: [person, tuples, candidates, sharing], people in order, 0 for nobody.

    `pairs` is [target, other] of tuples. Someone with several tuples is whoever fits all of them that fit anyone.
    `tuples` is how many of the target's fit anyone, `sharing` how many targets have the same ones, so the same set.
    """
    sets = _sets(pairs, others)
    matched = targets.join(sets, left_on="tuple", right_on="target").with_columns(tuples=pl.len().over("person"))
    lone = matched.filter(pl.col("tuples") == 1)
    counts = lone.select("person", "tuples", candidates="size", sharing=pl.len().over("tuple"))
    several = matched.filter(pl.col("tuples") > 1)
    if several.height:
        counts = pl.concat([counts, _in_all(several.select("person", "tuple", "tuples"), pairs, others)])
    everyone = targets.select(pl.col("person").unique().sort())
    found = everyone.join(counts, on="person", how="left", maintain_order="left")
    return found.with_columns(pl.col("tuples", "candidates").fill_null(0), pl.col("sharing").fill_null(1))


def expected(found: pl.DataFrame, *, is_known: bool = False) -> float:
    """Right guesses to expect of candidate sets that cover their targets, exact but for one rounding a size.

    A guess among n is right once in n times. Of the targets that share a set no more than n can be in it: five
    released people and one candidate are one right link, not five. `is_known`: those in `found` are in their sets.
    """
    held = found.filter(pl.col("candidates") > 0)
    inside = pl.col("people") if is_known else pl.col("people") * pl.min_horizontal(1, pl.col("candidates") / _SHARING)
    sizes = held.group_by("candidates", "sharing").agg(people=pl.len()).sort("candidates", "sharing")
    return float(sizes.select((inside / pl.col("candidates")).sum()).item())


def _sets(pairs: pl.DataFrame, others: pl.DataFrame) -> pl.DataFrame:
    """[target, size]: the people behind each target tuple's candidates."""
    if others["person"].is_unique().all():
        sizes = others.group_by("tuple").agg(size=pl.len())
        joined = pairs.join(sizes, left_on="other", right_on="tuple")
        return joined.group_by("target", maintain_order=True).agg(pl.col("size").sum())
    joined = pairs.join(others, left_on="other", right_on="tuple")
    return joined.group_by("target", maintain_order=True).agg(size=pl.col("person").n_unique())


def _in_all(several: pl.DataFrame, pairs: pl.DataFrame, others: pl.DataFrame) -> pl.DataFrame:
    """[person, tuples, candidates, sharing] of those with several tuples: who is in the sets of all of them."""
    wanted = several.select("person", "tuples").unique(maintain_order=True)
    reach = pairs.join(others, left_on="other", right_on="tuple").select("target", candidate="person").unique()
    met = several.join(reach, left_on="tuple", right_on="target").group_by("person", "candidate").agg(met=pl.len())
    fits = met.join(wanted, on="person").filter(pl.col("met") == pl.col("tuples"))
    counts = wanted.join(fits.group_by("person").agg(candidates=pl.len()), on="person", how="left")
    profile = several.group_by("person").agg(pl.col("tuple").sort())
    shared = counts.join(profile, on="person").with_columns(sharing=pl.len().over("tuple"))
    return shared.select("person", "tuples", pl.col("candidates").fill_null(0), "sharing")
