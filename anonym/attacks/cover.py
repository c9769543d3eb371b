"""Whether a released cell covers a value that an attacker knows, for each pair of the two columns' distinct values.

| released cell | covers |
|---|---|
| `*` | everything, null too: it says nothing |
| null | nothing: a missing value is no match (as a bound, an open end; both bounds null say nothing, like `*`) |
| a value | itself: numbers as numbers, dates as dates, else the same text |
| `30-39`, `[30, 40)`, `>=90`, `<=5`, `<5`, `>5` | the numbers in it |
| `2024-01-31`, `2024-01`, `2024-Q1`, `2024`, `2020s`, `>=2024-01-31` | the dates in it, in local time |
| `112**` (kind `prefix`) | texts that begin so |
| a node (kind `file`) | the leaves under it in the file |
| a node (kind `codes`) | the values that begin with a leaf under it, and with no longer leaf |
| `192.0.2.0/24` (kind `ip`) | the addresses in it |
| `other than top 12` (kind `auto`) | what is not released under its own name |
| a rounded number (kind `round`) | the numbers that some level rounds to it |
| a list | `[low, high]` of numbers or dates: what lies between; else its members |

Where the attacker's values may be off, a cell covers what some value nearby would be covered by: `tolerance` widens
the ends of numbers and dates (in days), `edits` takes texts for each other, for members of a file and for beginnings
that are so many insertions, deletions or changes apart.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Decimal
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.attacks import spelled
from anonym.attacks.edits import near
from anonym.attacks.line import Line, line_of
from anonym.hierarchy.clock import End
from anonym.hierarchy.files import read_hierarchy

Kind = Literal["interval", "breaks", "prefix", "date", "round", "file", "codes", "ip", "auto", "suppress", "none"]
STAR = "*"
SCHEMA = {"cell": pl.UInt32(), "value": pl.UInt32()}


@dataclass(frozen=True)
class Known:
    """A released column that the attacker knows too, and what is public about how it was generalised.

    `cells` names the released column, or the two of the form `bounds`; `auxiliary` the attacker's column.
    """

    name: str
    cells: tuple[str, ...]
    auxiliary: str
    kind: Kind = "none"
    decimals: tuple[int, ...] = ()  # of `round`
    file: Path | None = None
    top: End | None = None
    bottom: End | None = None
    normalise: tuple[str, ...] = ()
    tolerance: float = 0.0
    edits: int = 0

    def before(self, column: str) -> Known:
        """The same in a table where `column` holds it as it was before the release: cells are values."""
        return Known(self.name, (column,), self.auxiliary, tolerance=self.tolerance, edits=self.edits)

    def among(self, frame: pl.DataFrame) -> Known:
        """The same where `frame`, people like the original's, is looked up: by their own name of the column, unless
        they have the attacker's."""
        return self if self.auxiliary in frame.columns else replace(self, auxiliary=self.name)


def covers(known: Known, cells: pl.DataFrame, values: pl.Series) -> pl.DataFrame:
    """The pairs [cell, value] of row numbers in `cells` (one or two columns) and `values` where the cell covers.

    Both hold distinct values; each pair stands once.
    """
    values = _normalised(values, known)
    if cells.width == 2:
        pairs = _bounds(known, cells, values)
    elif isinstance(cells.dtypes[0], pl.List):
        pairs = _lists(known, cells.to_series(), values)
    else:
        pairs = _labels(known, cells.to_series(), values)
    return pairs.unique(maintain_order=True)


def _labels(known: Known, cells: pl.Series, values: pl.Series) -> pl.DataFrame:
    line = line_of(cells.dtype, values.dtype, known.kind)
    stars = _everything(_stars(cells), len(values))
    if line is None:
        return pl.concat([stars, _texts(known, cells, values)])
    inside = _on_line(known, line, cells, values)
    return pl.concat([stars, _coded_ends(known, line, cells, values, inside)])


def _stars(cells: pl.Series) -> pl.Series:
    if cells.dtype != pl.String:
        return pl.Series(dtype=pl.UInt32)
    return (cells == STAR).fill_null(False).arg_true()


def _everything(cells: pl.Series, values: int) -> pl.DataFrame:
    numbers = pl.DataFrame({"value": pl.Series(range(values), dtype=pl.UInt32)})
    return pl.DataFrame({"cell": cells.cast(pl.UInt32)}).join(numbers, how="cross")


def _none() -> pl.DataFrame:
    return pl.DataFrame(schema=SCHEMA)


# numbers and dates ---------------------------------------------------------------------------------------------------


def _on_line(known: Known, line: Line, cells: pl.Series, values: pl.Series) -> pl.DataFrame:
    if known.kind == "round" and cells.dtype == pl.String:
        is_sign = cells.str.contains("^[<>]").fill_null(False)
        spans = line.spans(cells.zip_with(is_sign, pl.Series([None], dtype=pl.String)))
        return pl.concat(
            [_within(line.widened(spans, known.tolerance), line.codes(values)), _rounded(known, cells, values)]
        )
    return _within(line.widened(line.spans(cells), known.tolerance), line.codes(values))


def _within(spans: tuple[NDArray[Any], NDArray[Any], NDArray[np.bool_]], codes: pl.Series) -> pl.DataFrame:
    """Pairs where low <= code <= high: each span is one run of the sorted codes."""
    low, high, is_read = spans
    order = codes.arg_sort(nulls_last=True).to_numpy()[: len(codes) - codes.null_count()]
    ordered = codes.drop_nulls().sort().to_numpy()
    number = np.flatnonzero(is_read)
    first = np.searchsorted(ordered, low[number], side="left")
    length = np.maximum(np.searchsorted(ordered, high[number], side="right") - first, 0)
    start = np.repeat(first - np.concatenate(([0], np.cumsum(length)[:-1])), length) if len(length) else first
    at = (np.arange(length.sum()) + start).astype(np.int64)
    found = {"cell": np.repeat(number, length), "value": order[at]}
    return pl.DataFrame(found).cast(SCHEMA)  # type: ignore[arg-type]


def _rounded(known: Known, cells: pl.Series, values: pl.Series) -> pl.DataFrame:
    """Half up, every level rounding the one before; level 0 is the number itself. A tolerance tries both ends of it
    too, and so may miss a cell between them where it is wider than the rounding."""
    shifts = sorted({Decimal(0), Decimal(str(known.tolerance)), -Decimal(str(known.tolerance))})
    named = {_decimal(text): i for i, text in enumerate(cells) if text is not None and _decimal(text) is not None}
    pairs = []
    for i, value in enumerate(values.cast(pl.String)):
        given = _decimal(value) if value is not None else None
        for shift in shifts if given is not None else ():
            number = (given or Decimal(0)) + shift
            for places in (None, *known.decimals):
                number = number if places is None else _half_up(number, places)
                if number in named:
                    pairs.append((named[number], i))
    return pl.DataFrame(pairs, schema=SCHEMA, orient="row")


def _decimal(text: str) -> Decimal | None:
    try:
        number = Decimal(text)
    except ArithmeticError:
        return None
    return number if number.is_finite() else None


def _half_up(number: Decimal, places: int) -> Decimal:
    unit = Decimal((0, (1,), -places))
    return (number / unit + Decimal("0.5")).to_integral_value(rounding=ROUND_FLOOR) * unit


def _coded_ends(known: Known, line: Line, cells: pl.Series, values: pl.Series, pairs: pl.DataFrame) -> pl.DataFrame:
    """Values beyond a declared end stand under its coded label only, whatever another label seems to span."""
    if cells.dtype != pl.String:
        return pairs
    for sign, end in ((">=", known.top), ("<=", known.bottom)):
        if end is None:
            continue
        low, high, _ = line.widened(line.spans(pl.Series([f"{sign}{end}"])), -known.tolerance)
        codes = line.codes(values)
        beyond = (codes >= low[0]) & (codes <= high[0])
        beyond = pl.DataFrame({"value": beyond.fill_null(False).arg_true().cast(pl.UInt32)})
        coded = pl.DataFrame({"cell": cells.str.starts_with(sign).fill_null(False).arg_true().cast(pl.UInt32)})
        told = pairs.join(beyond, on="value", how="semi").join(coded, on="cell", how="semi")
        pairs = pl.concat([pairs.join(beyond, on="value", how="anti"), told])
    return pairs


def _bounds(known: Known, cells: pl.DataFrame, values: pl.Series) -> pl.DataFrame:
    """Two inclusive columns. One null bound is an open end."""
    low, high = cells.to_series(0), cells.to_series(1)
    line = line_of(low.dtype, values.dtype, "none")
    blank = (low.is_null() & high.is_null()).arg_true()
    if line is None:
        return _everything(blank, len(values))
    spans = line.widened(line.between(low, high), known.tolerance)
    return pl.concat([_everything(blank, len(values)), _within(spans, line.codes(values))])


def _lists(known: Known, cells: pl.Series, values: pl.Series) -> pl.DataFrame:
    """The form `set`: null is the top; numbers and dates are `[low, high]`, other lists their members."""
    blank = _everything(cells.is_null().arg_true(), len(values))
    line = line_of(cells.dtype.inner, values.dtype, "none")  # type: ignore[attr-defined]
    if line is not None and bool((cells.list.len().drop_nulls() <= 2).all()):
        spans = line.between(cells.list.get(0, null_on_oob=True), cells.list.get(-1, null_on_oob=True))
        return pl.concat([blank, _within(line.widened(spans, known.tolerance), line.codes(values))])
    members = pl.DataFrame({"cell": pl.Series(range(len(cells)), dtype=pl.UInt32), "text": cells})
    exploded = members.explode("text", empty_as_null=True).with_columns(pl.col("text").cast(pl.String)).drop_nulls()
    return pl.concat([blank, exploded.join(_numbered(values), on="text").select("cell", "value")])


# texts ---------------------------------------------------------------------------------------------------------------


def _texts(known: Known, cells: pl.Series, values: pl.Series) -> pl.DataFrame:
    texts = cells.cast(pl.String)
    texts = texts.set(texts == STAR, None) if STAR in texts else texts
    labels = _numbered(texts).rename({"value": "cell"})
    leaves = _numbered(values)
    same = labels.join(leaves, on="text").select("cell", "value")
    typed = [_mistyped(labels, leaves, known.edits)] if known.edits else []
    return pl.concat([same, *typed, _RULES.get(known.kind, _no_rule)(known, labels, leaves)])


def _mistyped(labels: pl.DataFrame, leaves: pl.DataFrame, edits: int) -> pl.DataFrame:
    """[cell, value] of the texts that are at most `edits` apart."""
    pairs = near(labels["text"].to_list(), leaves["text"].to_list(), edits)
    return pl.DataFrame({"cell": labels["cell"].gather(pairs["left"]), "value": leaves["value"].gather(pairs["right"])})


def _numbered(values: pl.Series) -> pl.DataFrame:
    """[value, text] of the values that are there, by row number."""
    return pl.DataFrame(
        {"value": pl.Series(range(len(values)), dtype=pl.UInt32), "text": values.cast(pl.String)}
    ).drop_nulls()


def _no_rule(_known: Known, _labels: pl.DataFrame, _leaves: pl.DataFrame) -> pl.DataFrame:
    return _none()


def _prefixes(known: Known, labels: pl.DataFrame, leaves: pl.DataFrame) -> pl.DataFrame:
    """Joined on the first characters, once for each length of what stands before the stars."""
    cut = labels.filter(pl.col("text").str.ends_with(STAR)).with_columns(pl.col("text").str.strip_chars_end(STAR))
    parts = [_none()]
    for length in cut["text"].str.len_chars().unique().sort():
        stems = cut.filter(pl.col("text").str.len_chars() == length)
        heads = leaves.with_columns(pl.col("text").str.head(length))
        parts.append(stems.join(heads, on="text").select("cell", "value"))
        for cut_off in range(length - known.edits, length + known.edits + 1) if known.edits else ():
            heads = leaves.with_columns(pl.col("text").str.head(max(cut_off, 0)))
            parts.append(_mistyped(stems, heads, known.edits))
    return pl.concat(parts)


def _file(known: Known, labels: pl.DataFrame, leaves: pl.DataFrame) -> pl.DataFrame:
    assert known.file is not None
    lines = read_hierarchy(known.file).rows
    above = pl.concat([lines.select(text=lines.columns[0], node=level) for level in lines.columns]).unique()
    bare = leaves.with_columns(pl.col("text").str.replace(r"^(-?\d+)\.0+$", "$1"))  # a float's 31 is listed as 31
    if known.edits:
        names = above["text"].unique(maintain_order=True)
        pairs = near(names.to_list(), bare["text"].to_list(), known.edits)
        text = names.gather(pairs["left"])
        bare = pl.DataFrame({"value": bare["value"].gather(pairs["right"]), "text": text})
    return bare.join(above, on="text").join(labels, left_on="node", right_on="text").select("cell", "value")


def _codes(known: Known, labels: pl.DataFrame, leaves: pl.DataFrame) -> pl.DataFrame:
    assert known.file is not None
    return spelled.codes(known.file, labels, leaves)


def _networks(_known: Known, labels: pl.DataFrame, leaves: pl.DataFrame) -> pl.DataFrame:
    return spelled.networks(labels, leaves)


def _auto(known: Known, labels: pl.DataFrame, leaves: pl.DataFrame) -> pl.DataFrame:
    """Whatever `auto` may have become."""
    found = [_prefixes(known, labels, leaves), spelled.networks(labels, leaves), spelled.rest(labels, leaves)]
    return pl.concat(found)


_RULES: Mapping[str, Callable[[Known, pl.DataFrame, pl.DataFrame], pl.DataFrame]] = {
    "prefix": _prefixes,
    "file": _file,
    "codes": _codes,
    "ip": _networks,
    "auto": _auto,
}

_FOLDS: Mapping[str, Callable[[str], str]] = {
    "nfkc": lambda text: unicodedata.normalize("NFKC", text),
    "casefold": str.casefold,
    "trim": str.strip,
}
_ORDER = ("nfkc", "casefold", "nfkc", "trim")


def _normalised(values: pl.Series, known: Known) -> pl.Series:
    if isinstance(values.dtype, pl.Categorical | pl.Enum):
        values = values.cast(pl.String)
    if values.dtype != pl.String or not known.normalise:
        return values
    texts = values.to_list()
    for step in (step for step in _ORDER if step in known.normalise):
        texts = [None if text is None else _FOLDS[step](text) for text in texts]
    return pl.Series(values.name, texts, dtype=pl.String)
