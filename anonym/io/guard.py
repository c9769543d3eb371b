"""Errors of the engines below us, without the cell values they print."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

import polars as pl

from anonym.errors import AnonymError, InputError

# What may be passed on of an engine's message: how a cast failed, in types and in the column's name, never in values.
_CAST = re.compile(r"conversion from `?([\w\[\], μ]+)`? to `?([\w\[\], μ]+)`? failed in column '([^'\n]*)'")
_SYSTEM = re.compile(r"\(os error (\d{1,3})\)")
_PARSE = re.compile(r"could not parse `.*` as dtype `?(\w+)`? at column '([^'\n]*)'", re.DOTALL)


@contextmanager
def guarded(doing: str, raising: type[AnonymError] = InputError) -> Iterator[None]:
    """Run a block in which Polars, Arrow or the file system may fail; re-raise as ours, naming no value of the data.

    `doing` completes "while …". Our own errors pass through, also when Polars has wrapped them.
    """
    try:
        yield
    except AnonymError:
        raise
    except FileNotFoundError as error:
        raise raising(f"a file is missing while {doing}: {error.filename or 'it was there before'}") from None
    except PermissionError as error:
        raise raising(f"permission denied while {doing}: {error.filename or ''}".rstrip(": ")) from None
    except OSError as error:
        raise raising(f"the system reports “{_system_reason(error)}” while {doing}") from None
    except UnicodeDecodeError:
        raise raising(
            f"text is not in the declared encoding (while {doing}); set input.encoding in the policy"
        ) from None
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        ours = _ours_inside(error)
        raise (ours if ours is not None else raising(f"{explain(error)} (while {doing})")) from None


def _system_reason(error: OSError) -> str:
    """The system's own words; Polars gives them as text that may go on, so only the error number is taken from it."""
    if error.strerror:
        return error.strerror
    number = _SYSTEM.search(str(error))
    return os.strerror(int(number[1])) if number else "an I/O error"


def _ours_inside(error: BaseException) -> AnonymError | None:
    """An error of ours that a Python callback raised inside an engine."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, AnonymError):
            return seen
        seen = seen.__cause__ or seen.__context__
    return None


def explain(error: BaseException) -> str:
    """One sentence about an engine's error that holds no value of the data."""
    text = str(error)
    if found := _CAST.search(text):
        return f"column {found[3]}: values of type {found[1]} do not convert to {found[2]}"
    if found := _PARSE.search(text):
        return f"column {found[2]}: a value cannot be read as {found[1]}; declare its type under input.types"
    if isinstance(error, pl.exceptions.DuplicateError):
        found = re.search(r"column with name '([^'\n]*)'", text)
        return f"duplicate column name {found[1] if found else ''} (2 times or more): rename them first"
    if isinstance(error, (pl.exceptions.SchemaError, pl.exceptions.SchemaFieldNotFoundError)):
        return "the files do not share one schema: a column is missing, extra or of another type in one of them"
    if isinstance(error, pl.exceptions.ColumnNotFoundError):
        return "a column is missing in one of the files"
    if isinstance(error, pl.exceptions.NoDataError):
        return "the file is empty: it has no header and no schema"
    if "found more fields than defined" in text:
        return "a row has more fields than the header"
    if found := _SYSTEM.search(text):  # a full disk is told as a fault of the format
        return f"the system reports “{os.strerror(int(found[1]))}”"
    if "json" in text.lower():
        return "a line is not JSON of one shape: a column's values must be of one type, or declared under input.types"
    if "parquet" in text.lower() or "thrift" in text.lower():
        return "the file is not readable as Parquet: truncated, damaged or of another format"
    return f"the engine refused the data ({type(error).__name__})"
