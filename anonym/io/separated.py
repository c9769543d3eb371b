"""CSV and TSV files: one header, every row as long as it, quotes as RFC 4180 has them."""

from __future__ import annotations

import csv
import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import polars as pl

from anonym.errors import InputError
from anonym.io.formulas import texts_of, unquoted
from anonym.io.options import ReadOptions, codec, refuse_separator


def separator_of(file: Path, separator: str = ",") -> str:
    """The separator of a file: a tab in .tsv unless another one is declared."""
    return "\t" if file.suffix.lower() == ".tsv" and separator == "," else separator


def csv_names(file: Path, options: ReadOptions) -> list[str]:
    """The header. Raises InputError if there is none, or if it has a name twice."""
    refuse_separator(options.separator)
    with _text(file, options) as text, _plain_words(file):
        names: list[str] | None = next(_reader(file, text, options), None)
    if names is None:
        raise InputError(f"{file.name} is empty: it has no header")
    if not names:
        raise InputError(f"{file.name}, line 1 is empty: expected the header; remove the empty line")
    twice = [f"{name} ({n} times)" for name, n in Counter(names).items() if n > 1]
    if twice:
        raise InputError(
            f"{file.name}: duplicate column name {', '.join(twice)}: rename them before releasing anything"
        )
    return names


def scan_csv(files: list[Path], options: ReadOptions) -> pl.LazyFrame:
    """Files of one header as a frame, after a full pass over each that refuses what would not line up."""
    headers = [csv_names(file, options) for file in files]
    for file, header in zip(files, headers, strict=True):
        if separator_of(file, options.separator) != separator_of(files[0], options.separator):
            raise InputError(".csv and .tsv files cannot be read together: give one of them per run")
        if header != headers[0]:
            raise InputError(
                f"the headers differ: {file.name} does not have the columns of {files[0].name} in the same order"
            )
    places: list[Any] = [_checked(file, options) for file in files]
    arguments = _arguments(files[0], headers[0], options)
    arguments["schema_overrides"] |= _zero_led(places, arguments, options)
    frame = pl.scan_csv(places, **arguments)
    return frame.with_columns(map(unquoted, texts_of(frame.collect_schema()))) if options.quoted else frame


def _checked(file: Path, options: ReadOptions) -> Path | bytes:
    """The file, or its text as UTF-8 where it is in another encoding, once its rows are known to line up."""
    rows = _count_rows(file, options)
    recoded = codec(options.encoding) != "utf-8-sig"  # decoded in memory: Polars streams UTF-8 only
    place = file.read_bytes().decode(codec(options.encoding)).encode() if recoded else file
    separator = separator_of(file, options.separator)
    _refuse_other_rows(file, pl.scan_csv(place, separator=separator, infer_schema=False, glob=False), rows)
    return place


def _count_rows(file: Path, options: ReadOptions) -> int:
    """Rows below the header. Raises InputError at the first that is not as long as the header, or empty.

    Polars takes short rows, and where a column is not asked for long ones too; a bare quote (`5" pipe`) makes it join
    or split rows: all would move values. An empty line is a row (null) only where there is one column. 3 s for a
    million rows of ten columns.
    """
    with _text(file, options) as text, _plain_words(file):
        lines: list[str] = []
        reader = csv.reader(_kept(text, lines), delimiter=separator_of(file, options.separator), strict=True)
        well_quoted = _well_quoted(separator_of(file, options.separator))
        width, count, line = 0, -1, 0
        for row in reader:
            width = width or len(row)
            if len(row) != width and (row or width > 1):
                raise InputError(_misfit(file, line + 1, width, len(row)))
            if '"' in "".join(row) and not well_quoted.fullmatch("".join(lines).rstrip("\r\n")):
                raise InputError(f"{file.name}, line {line + 1}: {_BARE_QUOTE}")
            count, line = count + 1, reader.line_num
            lines.clear()
    return count


_BARE_QUOTE = "a quote stands in a field that is not in quotes: put the field in quotes, and double the quote in it"


def _kept(text: IO[str], lines: list[str]) -> Iterator[str]:
    """The lines of a text, each also added to `lines`."""
    for line in text:
        lines.append(line)
        yield line


def _well_quoted(separator: str) -> re.Pattern[str]:
    """A row whose fields are either in quotes, with their own doubled, or have none."""
    mark = re.escape(separator)
    field = f'(?:"(?:[^"]++|"")*+"|[^"{mark}]*+)'
    return re.compile(f"{field}(?:{mark}{field})*+")


def _misfit(file: Path, line: int, expected: int, found: int) -> str:
    if not found:
        return f"{file.name}, line {line} is empty: remove it"
    return (
        f"{file.name}, line {line}: expected {expected} fields as in the header, found {found}; "
        "put a field that holds the separator in quotes, or set input.separator in the policy"
    )


def _refuse_other_rows(file: Path, frame: pl.LazyFrame, rows: int) -> None:
    """Raise InputError unless Polars, made to split every field, finds the same rows."""
    names = frame.collect_schema().names()
    nulls = [pl.nth(i).null_count().alias(f"{i}") for i in range(len(names))]
    try:
        found = frame.select(pl.len().alias("rows"), *nulls).collect(engine="streaming")["rows"][0]
    except (pl.exceptions.ComputeError, pl.exceptions.ShapeError):
        found = None
    if found != rows:
        raise InputError(
            f"{file.name}: its rows are not separated beyond doubt; expected fields that hold a quote or the end of a "
            "line to be in quotes, with their own quotes doubled, and no bare carriage return"
        )


def _arguments(file: Path, names: list[str], options: ReadOptions) -> dict[str, Any]:
    overrides = options.typed(names)
    overrides |= {name: pl.String() for name in names if name not in overrides and options.as_text(name)}
    return {
        "separator": separator_of(file, options.separator),
        "null_values": list(options.null_values) or None,
        "schema_overrides": overrides,
        "infer_schema_length": 10_000,
        "glob": False,
    }


def _zero_led(places: list[Any], arguments: dict[str, Any], options: ReadOptions) -> dict[str, pl.DataType]:
    """Text for the columns that would be read as numbers and have a value like 007: numbers have no zeros before them,
    codes do, and 007 is not 7.
    """
    inferred = pl.scan_csv(places, **arguments).collect_schema()
    numbers = [
        name
        for name, dtype in inferred.items()
        if dtype.is_numeric() and name not in arguments["schema_overrides"] and not options.as_number(name)
    ]
    if not numbers:
        return {}
    texts = pl.scan_csv(places, **arguments | {"schema_overrides": dict.fromkeys(numbers, pl.String())})
    found = texts.select(pl.col(numbers).str.contains("^[+-]?0[0-9]").any()).collect(engine="streaming")
    return {name: pl.String() for name in numbers if found[name][0]}


def _text(file: Path, options: ReadOptions) -> IO[str]:
    return open(file, encoding=codec(options.encoding), newline="\n")


def _reader(file: Path, text: IO[str], options: ReadOptions) -> Any:
    return csv.reader(text, delimiter=separator_of(file, options.separator), strict=True)


@contextmanager
def _plain_words(file: Path) -> Iterator[None]:
    """Python's CSV reader without its limit of 128 KiB a field, and its errors in our words."""
    limit = csv.field_size_limit(sys.maxsize)
    try:
        yield
    except csv.Error as error:
        raise InputError(f"{file.name}: {_reason(str(error))}") from None
    finally:
        csv.field_size_limit(limit)


def _reason(text: str) -> str:
    if "unexpected end" in text:
        return "a quote is opened and never closed: close it, or double a quote that belongs to the text"
    if "new-line" in text:
        return "a bare carriage return stands outside quotes: expected lines that end in LF or CR LF"
    return "text follows a closing quote: double the quotes that belong to the text"
