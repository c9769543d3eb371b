"""The formats of table files, told by the ending of their names."""

from __future__ import annotations

from pathlib import Path

from anonym.errors import InputError

KINDS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".arrow": "arrow",
    ".ipc": "arrow",
    ".feather": "arrow",
}


def kind_of(path: Path) -> str:
    """The format of a file. Raises InputError for an ending that is not known."""
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise InputError(f"{path.name}: unknown kind of file; known endings: {', '.join(sorted(KINDS))}")
    return kind
