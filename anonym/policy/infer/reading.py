"""How a CSV file of unknown make is to be read: separator, encoding, words for null, types."""

from __future__ import annotations

import codecs
import csv
import glob
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from anonym.io import guarded, open_paths
from anonym.io.formats import KINDS
from anonym.io.source import ReadOptions, Source

SEPARATORS = (",", ";", "\t", "|")
NULLS = ("NA", "N/A", "n/a", "NULL", "null", "None", "none", "nan", "NaN", "-", "?", "#N/A", ".")
HEAD = 1 << 16
FEW = 2_000


@dataclass(frozen=True)
class Reading:
    """The section `input` of a policy; empty for formats that carry their types."""

    separator: str = ","
    encoding: str = "utf-8"
    null_values: tuple[str, ...] = ()
    types: Mapping[str, str] = field(default_factory=dict)

    def options(self, texts: frozenset[str] = frozenset()) -> ReadOptions:
        """As the reader wants them; the columns `texts` stay text."""
        return ReadOptions(self.separator, self.encoding, self.null_values, self.types, texts.__contains__)


def sniff(paths: Sequence[str | Path]) -> Reading:
    """How the files are to be read. Raises InputError where they cannot be read at all."""
    file = next((found for path in paths for found in _files(Path(path))), None)
    if file is None or KINDS.get(file.suffix.lower()) != "csv":
        return Reading()
    with guarded("opening the input"):
        with open(file, "rb") as opened:
            head = opened.read(HEAD)
        encoding = _encoding(file)
    reading = Reading(_separator(head.decode(encoding, errors="ignore"), file), encoding)
    everything_text = ReadOptions(reading.separator, encoding, as_text=lambda _name: True)
    texts = open_paths(paths, everything_text)
    guessed = open_paths(paths, replace(reading.options(), as_number=lambda _name: True))
    nulls, types = _types(texts, guessed.schema)
    return Reading(reading.separator, encoding, nulls, types)


def _files(path: Path) -> Iterator[Path]:
    """The table files that a path, a folder or a glob stands for."""
    if path.is_dir():
        yield from (file for file in sorted(path.rglob("*")) if file.suffix.lower() in KINDS and file.is_file())
    elif path.exists():
        yield path
    else:
        yield from (Path(name) for name in sorted(glob.glob(str(path), recursive=True)))


def _encoding(file: Path) -> str:
    """UTF-16 by its mark, UTF-8 if the whole file is (read piece by piece), else Windows-1252."""
    with open(file, "rb") as opened:
        if opened.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            return "utf-16"
        opened.seek(0)
        decoder = codecs.getincrementaldecoder("utf-8")()
        try:
            while piece := opened.read(HEAD):
                decoder.decode(piece)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return "cp1252"
    return "utf-8"


def _separator(head: str, file: Path) -> str:
    """The separator under which the first lines have the same number of fields, the most of them."""
    lines = head.splitlines()[:200]
    if len(head) >= HEAD // 2 and len(lines) > 1:
        lines = lines[:-1]
    found = {mark: _fields(lines, mark) for mark in SEPARATORS}
    best = max(SEPARATORS, key=lambda mark: found[mark])
    if found[best] < 2 or (best == "\t" and file.suffix.lower() == ".tsv"):
        return ","
    return best


def _fields(lines: list[str], mark: str) -> int:
    """Fields of the header, if nine in ten rows have as many; else 0."""
    try:
        widths = [len(row) for row in csv.reader(io.StringIO("\n".join(lines)), delimiter=mark) if row]
    except csv.Error:
        return 0
    if not widths or sum(width == widths[0] for width in widths) < 0.9 * len(widths):
        return 0
    return widths[0]


def _types(texts: Source, guessed: Mapping[str, pl.DataType]) -> tuple[tuple[str, ...], dict[str, str]]:
    """Words for null that stand in columns of numbers or dates, and the type of every column that is not text."""
    nulls: set[str] = set()
    types: dict[str, str] = {}
    for name, dtype in texts.schema.items():
        if dtype != pl.String:
            continue
        with guarded(f"reading the values of column {name}"):
            values = texts.frame.select(pl.col(name).unique()).collect().to_series().drop_nulls()
        kind = _kind(values.filter(~values.is_in(list(NULLS))))
        if kind != "str":
            nulls |= set(values.filter(values.is_in(list(NULLS))).to_list())
        if kind != _GUESSED.get(guessed[name], "str"):
            types[name] = kind
    return tuple(sorted(nulls)), types


_GUESSED: dict[pl.DataType, str] = {
    pl.Int64(): "int",
    pl.Float64(): "float",
    pl.Boolean(): "bool",
    pl.Date(): "date",
    pl.Datetime("us"): "datetime",
}


def _kind(values: pl.Series) -> str:
    """The narrowest type that every value has: numbers must not begin with a zero, or they are codes."""
    if not len(values):
        return "str"
    if set(values.str.to_lowercase().unique()) <= {"true", "false"}:
        return "bool" if set(values) <= {"true", "false"} else "str"
    if bool(values.str.contains(r"^-?(0|[1-9]\d{0,17})$").all()):
        return "int"
    if (
        bool(values.str.contains(r"^-?(0|[1-9]\d*)?(\.\d+|\.)?([eE][-+]?\d+)?$").all())
        and not values.str.contains(r"^[-.]*$").any()
    ):
        return "float" if _reads(values, pl.Float64()) else "str"
    if bool(values.str.contains(r"^\d{4}-\d{2}-\d{2}$|^\d{2}[./]\d{2}[./]\d{4}$").all()) and _reads(values, pl.Date()):
        return "date"
    if bool(values.str.contains(r"^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?Z?$").all()) and _reads(
        values, pl.Datetime("us")
    ):
        return "datetime"
    return "str"


def _reads(values: pl.Series, dtype: pl.DataType) -> bool:
    """Whether the CSV reader itself takes every value as that type."""
    content = ("value\n" + "\n".join(values) + "\n").encode()
    try:
        read = pl.read_csv(content, schema_overrides={"value": dtype})["value"]
    except pl.exceptions.PolarsError:
        return False
    return len(read) == len(values) and read.null_count() == 0
