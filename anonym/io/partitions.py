"""Releases of many files: folders `name=value` of a released column, written whole and put in place at once."""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

import polars as pl

from anonym.errors import CallError, InputError, OutputError
from anonym.io.hive import NULL, partition_of, scan_partitions
from anonym.io.options import TYPES, ReadOptions

FILE = "part-0.parquet"
_AT_CWD, _EXCHANGE = -100, 2  # of renameat2, linux/fcntl.h and linux/fs.h


def refuse_name(folder: Path) -> None:
    """Raise CallError for a name that a partitioned release cannot have."""
    if folder.suffix.lower() != ".parquet" or "=" in folder.name:
        raise CallError(f"{folder.name}: a partitioned release is a folder whose name ends in .parquet, without `=`")


def refuse_unsuited(columns: Sequence[str], schema: Mapping[str, pl.DataType]) -> None:
    """Raise CallError where a release of `schema` cannot be partitioned by `columns`."""
    if unknown := [name for name in columns if name not in schema]:
        raise CallError(f"partition columns that are not released: {', '.join(unknown)}")
    if len(set(columns)) < len(columns) or len(columns) == len(schema):
        raise CallError("name each partition column once, and leave at least one column that is none")
    if wrong := [name for name in columns if not _is_suited(schema[name])]:
        raise CallError(f"partition columns are text, whole numbers, dates or true/false; not {', '.join(wrong)}")


def _is_suited(dtype: pl.DataType) -> bool:
    return dtype.is_integer() or isinstance(dtype, pl.String | pl.Date | pl.Boolean)


def place_of(values: Mapping[str, object]) -> str:
    """The file of a partition, relative to the release. Names and values are escaped: none can leave the folder.

    Raises InputError for a text that is spelt like the mark of null.
    """
    if NULL in values.values():
        raise InputError(f"a value of a partition column is spelt {NULL}, which stands for null: clean it first")
    parts = [
        f"{quote(name, safe='')}={NULL if value is None else quote(str(value), safe='')}"
        for name, value in values.items()
    ]
    return "/".join([*parts, FILE])


def parquet_files(release: Path) -> list[Path]:
    """The files of a Parquet release, in the order in which its rows are read: one, or those of all partitions."""
    return sorted(file for file in release.rglob("*.parquet") if file.is_file()) if release.is_dir() else [release]


def read_partitions(release: Path, columns: Mapping[str, pl.DataType] | None) -> pl.LazyFrame:
    """A partitioned release as one frame, in the order and with the types of `columns` where given."""
    files = parquet_files(release)
    if not files and columns is not None:
        return pl.LazyFrame(schema=columns)
    kinds = {name: _kind(dtype) for name, dtype in (columns or {}).items() if _is_suited(dtype)}
    frame = scan_partitions(
        files,
        lambda group: pl.scan_parquet(group, glob=False, hive_partitioning=False),
        ReadOptions(types=kinds, hive_ok=True),
    )
    return frame if columns is None else frame.select(pl.col(name).cast(dtype) for name, dtype in columns.items())


def _kind(dtype: pl.DataType) -> str:
    """Whole numbers as texts first: they may be too large for Int64."""
    return next(kind for kind, of in TYPES.items() if of == (pl.String() if dtype.is_integer() else dtype))


def refuse_foreign(folder: Path) -> None:
    """Raise CallError for a folder that is to be replaced and holds more than the files of a partitioned release."""
    others = [
        path
        for path in folder.rglob("*")
        if path.is_symlink() or not (path.is_dir() or (path.name == FILE and partition_of(path)))
    ]
    if others:
        raise CallError(f"{folder} holds {len(others)} files that are no partitions of a release: it is not replaced")


def exchange(part: Path, final: Path) -> None:
    """Give two folders each other's name, in one step: no reader finds neither. Raises OSError."""
    library = ctypes.CDLL(None, use_errno=True)
    swap = getattr(library, "renameat2", None)
    if swap is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    if swap(_AT_CWD, os.fsencode(part), _AT_CWD, os.fsencode(final), _EXCHANGE):
        raise OSError(number := ctypes.get_errno(), os.strerror(number))


def refuse_unexchangeable(folder: Path) -> None:
    """Raise OutputError where the file system cannot exchange folders in one step, tried on two empty ones inside."""
    tried = (folder / "one", folder / "other")
    for place in tried:
        place.mkdir()
    try:
        exchange(*tried)
    except OSError:
        raise OutputError(
            "this file system cannot replace a folder in one step: choose another name, or remove the old release first"
        ) from None
    finally:
        for place in tried:
            place.rmdir()
