"""Tables in: files by their ending, or frames that are already here. Lazy, and watched for changes."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

import polars as pl

from anonym.errors import InputError
from anonym.io.delta import only_table, open_delta, refuse_inside
from anonym.io.flatten import flattened
from anonym.io.formats import KINDS, kind_of
from anonym.io.guard import guarded
from anonym.io.hive import partition_of, scan_partitions
from anonym.io.lines import scan_json
from anonym.io.options import TYPES, ReadOptions
from anonym.io.private import PrivateFolder
from anonym.io.release import refuse_unwritable, written
from anonym.io.remote import only_url, scan_url
from anonym.io.separated import scan_csv

__all__ = [
    "KINDS",
    "TYPES",
    "Fingerprint",
    "ReadOptions",
    "Source",
    "as_lazy",
    "at_hand",
    "file_sha256",
    "open_frame",
    "open_paths",
    "refuse_unwritable",
    "same_file",
    "written",
]


@dataclass(frozen=True)
class Fingerprint:
    """What tells whether a file is still the one that was read first."""

    path: Path
    size: int
    modified_ns: int
    inode: int

    @staticmethod
    def of(path: Path) -> Fingerprint:
        state = path.stat()
        return Fingerprint(path, state.st_size, state.st_mtime_ns, state.st_ino)


@dataclass(frozen=True)
class Source:
    """A table to be read several times. `files` is empty for a frame in memory."""

    frame: pl.LazyFrame
    schema: Mapping[str, pl.DataType]
    files: tuple[Fingerprint, ...] = ()
    url: str | None = None  # of objects in a store

    @property
    def paths(self) -> list[Path]:
        """Of the files or, where it is one, of the URL."""
        return [mark.path for mark in self.files] if self.url is None else [Path(self.url)]

    def refuse_change(self) -> None:
        """Raise InputError if a file is no longer the one that was opened."""
        for was in self.files:
            if not was.path.exists() or Fingerprint.of(was.path) != was:
                raise InputError(f"the input changed during the run ({was.path.name}): nothing was released, run again")


def as_lazy(table: Any) -> pl.LazyFrame:
    """A Polars lazy frame from a Polars, pandas or Arrow table (anything with the Arrow C stream interface)."""
    if isinstance(table, pl.LazyFrame):
        return table
    if isinstance(table, pl.DataFrame):
        return table.lazy()
    if hasattr(table, "__arrow_c_stream__"):
        return pl.DataFrame(table).lazy()
    if type(table).__module__.split(".")[0] == "pandas":
        return pl.from_pandas(table).lazy()
    raise InputError(
        f"a table is expected: a Polars frame, a pandas DataFrame or an Arrow table; found {type(table).__name__}"
    )


def open_frame(table: Any, flatten: Sequence[str] = ()) -> Source:
    """A table in memory as a source, the structs `flatten` as one column a field."""
    with guarded("reading the table's schema"):
        frame = flattened(as_lazy(table), flatten)
        return Source(frame, dict(frame.collect_schema()))


def open_paths(paths: Sequence[str | Path], options: ReadOptions | None = None) -> Source:
    """Files, folders and globs of one format, or one Delta table, or one URL, as a source.

    Of Parquet and Arrow files only the schemas are read here; CSV and JSON lines are read once to their end, to be sure
    of their columns. Raises InputError for what is missing, empty, mixed, unreadable, or has a column name twice,
    PolicyError for a separator or encoding that cannot be.
    """
    options = options or ReadOptions()
    source = _opened(paths, options)
    if not options.flatten:
        return source
    with guarded("opening the input"):
        frame = flattened(source.frame, options.flatten)
        return replace(source, frame=frame, schema=dict(frame.collect_schema()))


def _opened(paths: Sequence[str | Path], options: ReadOptions) -> Source:
    if (table := only_table(paths)) is not None:
        frame, files = open_delta(table)
        with guarded("opening the input"):
            return Source(frame, dict(frame.collect_schema()), tuple(Fingerprint.of(file) for file in files))
    if (url := only_url(paths)) is not None:
        frame = scan_url(url)
        return Source(frame, dict(frame.collect_schema()), url=url)
    files = _expand(paths)
    refuse_inside(files)
    kinds = {kind_of(file) for file in files}
    if len(kinds) > 1:
        raise InputError(f"the inputs are of several formats ({', '.join(sorted(kinds))}): give one format per run")
    kind = kinds.pop()
    as_it_is = options.hive_ok and not any(Path(path).is_dir() for path in paths)
    is_partitioned = not as_it_is and any(partition_of(file) for file in files)
    if is_partitioned and kind not in ("parquet", "arrow"):
        raise InputError(f"hive partitions (folders name=value) of {kind} files are not read: convert them to Parquet")
    with guarded("opening the input"):
        marks = tuple(Fingerprint.of(file) for file in files)
        if is_partitioned:
            frame = scan_partitions(files, lambda group: _SCANS[kind](group, options), options)
        else:
            frame = _SCANS[kind](files, options)
        return Source(frame, dict(frame.collect_schema()), marks)


def at_hand(source: Source, private: PrivateFolder) -> Source:
    """The source itself, or a copy of remote objects, made once: every pass must read the same rows."""
    if source.url is None:
        return source
    file = private.file("input.parquet")
    with guarded("copying the objects of the store to the private folder"):
        source.frame.sink_parquet(file, compression="lz4", statistics=False)
        copy = pl.scan_parquet(file, glob=False, hive_partitioning=False)
    return replace(source, frame=copy, files=(Fingerprint.of(file),))


def _expand(paths: Sequence[str | Path]) -> list[Path]:
    files: list[Path] = []
    for given in paths:
        path = Path(given)
        if path.is_dir():
            found = _inside(path)
        elif path.exists():
            found = [path]
        elif glob.has_magic(str(path)):
            places = (Path(place) for place in sorted(glob.glob(str(path), recursive=True)))
            seen = [place for place in places if not place.name.startswith(".")]
            found = [file for place in seen for file in (_inside(place) if place.is_dir() else [place])]
        else:
            raise InputError(f"no such file or folder: {path}")
        if not found:
            raise InputError(f"{path} holds no file that can be read ({', '.join(sorted(KINDS))})")
        files += found
    if streams := [file.name for file in files if not file.is_file()]:
        raise InputError(
            f"{streams[0]} is no regular file but a pipe, a device or a broken link: an input is read several times, "
            "so write it to a file first"
        )
    return list(dict.fromkeys(files))


def _inside(folder: Path) -> list[Path]:
    """The files of a folder that can be read, also those of folders in it, such as a partitioned table's."""
    return sorted(
        file
        for file in folder.rglob("*")
        if file.is_file() and not _hidden(file, folder) and file.suffix.lower() in KINDS
    )


def _hidden(path: Path, root: Path) -> bool:
    return any(part.startswith((".", "_")) for part in path.relative_to(root).parts)


def _scan_parquet(files: list[Path], _options: ReadOptions) -> pl.LazyFrame:
    _refuse_drift(files, pl.read_parquet_schema)
    return pl.scan_parquet(files, glob=False, hive_partitioning=False)


def _refuse_drift(files: list[Path], schema_of: Callable[[IO[bytes]], Mapping[str, pl.DataType]]) -> None:
    """All files must have the first one's columns and types; their order may differ."""
    first = _schema(files[0], schema_of)
    for file in files[1:]:
        other = _schema(file, schema_of)
        differ = sorted(name for name in first.keys() | other.keys() if first.get(name) != other.get(name))
        if differ:
            raise InputError(
                f"the files do not share one schema: {file.name} differs from {files[0].name} in {', '.join(differ)}"
            )


def _schema(file: Path, schema_of: Callable[[IO[bytes]], Mapping[str, pl.DataType]]) -> dict[str, pl.DataType]:
    """The schema of one file, handed over open: a name with brackets would be taken for a pattern."""
    with open(file, "rb") as opened:
        return dict(schema_of(opened))


def _scan_ipc(files: list[Path], _options: ReadOptions) -> pl.LazyFrame:
    _refuse_drift(files, pl.read_ipc_schema)
    return pl.scan_ipc(files, glob=False, hive_partitioning=False)


_SCANS: Mapping[str, Callable[[list[Path], ReadOptions], pl.LazyFrame]] = {
    "parquet": _scan_parquet,
    "csv": scan_csv,
    "jsonl": scan_json,
    "arrow": _scan_ipc,
}


def file_sha256(path: Path) -> str:
    """SHA-256, in hexadecimal, of a file's bytes; of a folder's names and hashes of its files, sorted.

    In the names line feeds are escaped, as `sha256sum` does: a name must not pass for the lines of other files.
    """
    import hashlib

    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.is_file())
        lines = "".join(f"{file_sha256(file)}  {_one_line(file.relative_to(path).as_posix())}\n" for file in files)
        return hashlib.sha256(lines.encode(errors="surrogateescape")).hexdigest()
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _one_line(name: str) -> str:
    return name.replace("\\", "\\\\").replace("\n", "\\n")


def same_file(a: Path, b: Path) -> bool:
    """Whether both names stand for one existing file, or the first lies in the second."""
    return a.exists() and b.exists() and (os.path.samefile(a, b) or b.resolve() in a.resolve().parents)
