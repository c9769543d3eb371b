"""Delta tables: a folder whose log says which of its files are rows of the table, and which were removed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path

import polars as pl

from anonym.errors import InputError
from anonym.io.guard import guarded

LOG = "_delta_log"


def is_delta(path: Path) -> bool:
    """Whether a folder is a Delta table."""
    return (path / LOG).is_dir()


def open_delta(path: Path) -> tuple[pl.LazyFrame, list[Path]]:
    """The table as it is now, whatever is written to it later, and the files that hold its rows.

    Raises InputError without the package `deltalake`, and for a table that it cannot read or whose path it escapes:
    its files would be sought under a name like `My%20data`.
    """
    if find_spec("deltalake") is None:
        raise InputError(f'{path} is a Delta table: install its reader with pip install "anonym[delta]"')
    from deltalake import DeltaTable
    from deltalake.exceptions import DeltaError

    try:
        with guarded("reading the Delta table's log"):
            table = DeltaTable(path)
            if "%" in table.table_uri:
                raise InputError(
                    "the path of a Delta table may hold no blanks, accents or other signs that URLs escape: give its "
                    "folder, and those above it, other names"
                )
            return pl.scan_delta(table, version=table.version()), [Path(file) for file in table.file_uris()]
    except DeltaError as error:
        raise InputError(f"the Delta table {path} cannot be read ({type(error).__name__})") from None


def refuse_inside(files: Iterable[Path]) -> None:
    """Raise InputError for single files of a Delta table: some may have been removed, with the people in them."""
    for folder in {path.parent for file in files for path in (file.absolute(), file.resolve())}:
        table = next((place for place in (folder, *folder.parents) if is_delta(place)), None)
        if table is not None:
            raise InputError(f"the files lie in a Delta table, which may have removed some of them: name {table}")


def only_table(paths: Sequence[str | Path]) -> Path | None:
    """The Delta table among `paths`, or None. Raises InputError where there is anything beside it."""
    tables = [path for path in map(Path, paths) if is_delta(path)]
    if tables and len(paths) > 1:
        raise InputError(f"{tables[0]} is a Delta table: give one table per run, with nothing beside it")
    return tables[0] if tables else None
