"""Whether each released cell covers its row's original, judged over the distinct pairs of both."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path

import polars as pl

from anonym.errors import InternalError, type_name
from anonym.hierarchy.files import read_hierarchy
from anonym.verify.codes import Codes, Integers
from anonym.verify.facts import QuasiFact
from anonym.verify.labels import codes, has_line, reader, readings
from anonym.verify.printed import leaf_text, printed
from anonym.verify.reading import canonical
from anonym.verify.rows import STAR
from anonym.verify.spelled import by_code, in_network, is_address, is_rest, leaf_of

_NORMAL: Mapping[str, Callable[[str], str]] = {
    "nfkc": lambda text: unicodedata.normalize("NFKC", text),
    "casefold": str.casefold,
    "trim": str.strip,
}
_ORDER = ("nfkc", "casefold", "nfkc", "trim")  # folding case can undo NFKC, NFKC can bring blanks to the ends


def uncovered_rows(original: pl.Series, released: pl.DataFrame, fact: QuasiFact, rows: Integers | None = None) -> int:
    """How many rows have a cell that does not cover their original. Both are aligned; `rows` are those of each line.

    Raises InternalError for a form that is not understood: it could not be vouched for.
    """
    names = ["low", "high"] if fact.form == "bounds" else ["label"]
    if fact.form == "representative" or len(names) != released.width:
        raise InternalError(f"column {fact.name}: the form {fact.form} in {released.width} columns cannot be verified")
    released = released.rename(dict(zip(released.columns, names, strict=True)))
    table = released.with_columns(original.alias("original"))
    table = table.select(canonical(name, dtype).alias(name) for name, dtype in table.schema.items())
    table = table.with_columns(rows=pl.lit(1) if rows is None else pl.Series(rows))
    pairs = table.group_by("original", *names).agg(pl.col("rows").sum())
    covered = {"bounds": _bounds, "set": _sets}.get(fact.form, _labels)(pairs, fact)
    return int(pairs["rows"].filter(~covered.fill_null(False)).sum())


def _bounds(pairs: pl.DataFrame, fact: QuasiFact) -> pl.Series:
    """low <= original <= high; one null bound is an open end; both null stand for null, or for `*`.

    Values beyond the declared top have no upper bound, those beyond the bottom no lower one.
    """
    original, low, high = pairs["original"], pairs["low"], pairs["high"]
    within = (low.is_null() | (low <= original)) & (high.is_null() | (original <= high)) & original.is_not_null()
    return (within & ~_told(original, low, high, fact)) | (low.is_null() & high.is_null())


def _told(original: pl.Series, low: pl.Series, high: pl.Series, fact: QuasiFact) -> pl.Series:
    """Whether an end is printed that coding should have opened."""
    return (_beyond(original, fact, ">=") & high.is_not_null()) | (_beyond(original, fact, "<=") & low.is_not_null())


def _sets(pairs: pl.DataFrame, fact: QuasiFact) -> pl.Series:
    """A null list covers everything, `[null]` null alone; numbers and dates lie between the two ends, a null end being
    open; anything else is a member.
    """
    original, cell = _normalised(pairs["original"], fact), pairs["label"]
    if cell.dtype != pl.List(original.dtype):
        kinds = f"sets of {type_name(cell.dtype)} cannot be verified against {type_name(original.dtype)}"
        raise InternalError(f"column {fact.name}: {kinds}")
    inside = _between(original, cell, fact) if has_line(original.dtype) else _member(original, cell)
    return cell.is_null() | inside


def _between(original: pl.Series, cell: pl.Series, fact: QuasiFact) -> pl.Series:
    low, high = cell.list.get(0, null_on_oob=True), cell.list.get(1, null_on_oob=True)
    within = (low.is_null() | (low <= original)) & (high.is_null() | (original <= high))
    ends = (cell.list.len() == 2) & ~(low.is_null() & high.is_null()) & original.is_not_null()
    is_null = (cell.list.len() == 1) & low.is_null() & original.is_null()
    return (within & ends & ~_told(original, low, high, fact)).fill_null(False) | is_null


def _member(original: pl.Series, cell: pl.Series) -> pl.Series:
    return (
        pl.DataFrame([original.alias("original"), cell.alias("cell")])
        .select(pl.col("cell").list.contains(pl.col("original")))
        .to_series()
    )


def misplaced_rows(original: pl.Series, released: pl.Series, group: Codes, fact: QuasiFact) -> int:
    """Form `representative`: how many rows have a value that is not of their group. All are row-aligned.

    The released value must lie between the least and the largest original of its group (coded ends count as their
    cut), or for other types be one of the group's originals. Null stands for null or for `*`: it covers everything.
    Raises InternalError for a value of another type.
    """
    table = pl.DataFrame([_normalised(original, fact).alias("original"), released.alias("released")])
    table = table.select(canonical(name, dtype).alias(name) for name, dtype in table.schema.items())
    if table["original"].dtype != table["released"].dtype:
        kinds = f"{type_name(released.dtype)} cannot stand for {type_name(original.dtype)}"
        raise InternalError(f"column {fact.name}: {kinds}")
    if has_line(table["original"].dtype):
        table = pl.DataFrame([_coded(table["original"], fact), codes(table["released"])])
    own = pl.col("original")
    inside = pl.col("released").is_between(own.min().over("group"), own.max().over("group")) & own.is_not_null()
    if not has_line(original.dtype):
        inside = (own == pl.col("released")).any().over("group", "released")
    wrong = pl.col("released").is_not_null() & ~inside.fill_null(False)
    return int(table.with_columns(pl.Series("group", group)).select(wrong.sum()).item())


def _coded(original: pl.Series, fact: QuasiFact) -> pl.Series:
    """Values on their line, those beyond a declared end at its cut."""
    line, read = codes(original), reader(original.dtype, fact)
    if fact.top is not None and (reading := read(f">={fact.top}")) is not None:
        line = line.clip(upper_bound=pl.lit(reading[0], line.dtype))
    if fact.bottom is not None and (reading := read(f"<={fact.bottom}")) is not None:
        line = line.clip(lower_bound=pl.lit(reading[1], line.dtype))
    return line


def _labels(pairs: pl.DataFrame, fact: QuasiFact) -> pl.Series:
    original, label = _normalised(pairs["original"], fact), pairs["label"]
    star = (label == STAR).fill_null(False)
    lacking = _lacking(original, fact)
    covered = _same(original, label) | _RULES.get(fact.kind, _by_line)(original, label, fact).fill_null(False)
    for sign in _SIGNS:  # beyond a declared end only the coded label will do, whatever the hierarchy
        beyond = _beyond(original, fact, sign)
        if beyond.any():
            coded = label.str.starts_with(sign).fill_null(False) & _by_line(original, label, fact)
            covered = (covered & ~beyond) | (beyond & coded)
    return (star & ~lacking) | (label.is_null() & original.is_null()) | covered


def _normalised(original: pl.Series, fact: QuasiFact) -> pl.Series:
    if original.dtype == pl.Null or isinstance(original.dtype, pl.Categorical | pl.Enum):
        original = original.cast(pl.String)
    if original.dtype != pl.String or not fact.normalise:
        return original
    texts = original.to_list()
    for step in (step for step in _ORDER if step in fact.normalise):
        texts = [None if text is None else _NORMAL[step](text) for text in texts]
    return pl.Series(original.name, texts, dtype=pl.String)


def _same(original: pl.Series, label: pl.Series) -> pl.Series:
    return (printed(original) == label).fill_null(False)


def _by_line(original: pl.Series, label: pl.Series, fact: QuasiFact) -> pl.Series:
    """Numbers, dates and timestamps: the range that the label says. Other types have no labels but their values."""
    if not has_line(original.dtype):
        return pl.Series([False]).new_from_index(0, len(original))
    unread = label.filter(~_same(original, label)).unique().drop_nulls()
    table = readings(unread, original.dtype, fact)
    read = pl.DataFrame([label.alias("label")]).join(table, on="label", how="left", maintain_order="left")
    code, low, high = codes(original), read["low"], read["high"]
    inside = (low.is_null() | (low <= code)) & (high.is_null() | (code <= high))
    return read["read"].fill_null(False) & inside


def _by_prefix(original: pl.Series, label: pl.Series, _fact: QuasiFact) -> pl.Series:
    """`112**`: the value begins with what stands before the stars."""
    pairs = pl.DataFrame([printed(original).alias("text"), label.alias("label")])
    stem = pl.col("label").str.strip_chars_end(STAR)
    cut = pl.col("label").str.ends_with(STAR) & (pl.col("label") != STAR)
    return pairs.select((cut & pl.col("text").str.starts_with(stem)).alias("covered"))["covered"]


def _by_file(original: pl.Series, label: pl.Series, fact: QuasiFact) -> pl.Series:
    """The label stands on the value's line of the file."""
    lines = read_hierarchy(_file(fact)).rows
    above = pl.concat([lines.select(leaf=lines.columns[0], label=level) for level in lines.columns]).unique()
    pairs = pl.DataFrame([leaf_text(original).alias("leaf"), label.alias("label")])
    known = pairs.join(above.with_columns(known=True), on=["leaf", "label"], how="left", maintain_order="left")
    return known["known"].fill_null(False)


def _by_network(original: pl.Series, label: pl.Series, _fact: QuasiFact) -> pl.Series:
    return in_network(original, label)


def _by_type(original: pl.Series, label: pl.Series, fact: QuasiFact) -> pl.Series:
    """`auto`: a range for what lies on a line; for text a prefix, a network, or the rest of the frequent ones."""
    if original.dtype != pl.String:
        return _by_line(original, label, fact)
    return _by_prefix(original, label, fact) | in_network(original, label) | (is_rest(label) & original.is_not_null())


_RULES: Mapping[str, Callable[[pl.Series, pl.Series, QuasiFact], pl.Series]] = {
    "file": _by_file,
    "codes": by_code,
    "ip": _by_network,
    "auto": _by_type,
    "prefix": _by_prefix,
}


_SIGNS = (">=", "<=")


def _file(fact: QuasiFact) -> Path:
    if len(fact.parameters) != 1:
        raise InternalError(f"column {fact.name}: expected the path of one hierarchy file")
    return Path(str(fact.parameters[0]))


def _lacking(original: pl.Series, fact: QuasiFact) -> pl.Series:
    """Values that the hierarchy lacks and that the policy does not send to `*`: no cell may cover them."""
    if fact.uncovered_top or fact.kind not in ("file", "codes", "ip"):
        return pl.Series([False]).new_from_index(0, len(original))
    if fact.kind != "file":
        unread = ~is_address(original) if fact.kind == "ip" else leaf_of(original, fact).is_null()
        return (original.is_not_null() & unread).fill_null(False)
    leaves = read_hierarchy(_file(fact)).rows.to_series(0)
    unlisted = original.is_not_null() & ~leaf_text(original).is_in(leaves.implode())
    return (unlisted & ~_beyond(original, fact, ">=") & ~_beyond(original, fact, "<=")).fill_null(False)


def _beyond(original: pl.Series, fact: QuasiFact, sign: str) -> pl.Series:
    """Values at or beyond the declared top (`>=`) or bottom (`<=`)."""
    end: Decimal | date | str | None = fact.top if sign == ">=" else fact.bottom
    if end is None:
        return pl.Series([False]).new_from_index(0, len(original))
    reading = reader(original.dtype, fact)(f"{sign}{end}") if has_line(original.dtype) else None
    if reading is None:
        raise InternalError(f"column {fact.name}: its top or bottom does not fit its type {type_name(original.dtype)}")
    code = codes(original)
    beyond: pl.Series = (code >= reading[0]) if sign == ">=" else (code <= reading[1])
    return beyond.fill_null(False)
