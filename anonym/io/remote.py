"""Objects of a store by their URL: Parquet, read by Polars with what the environment says of the store and its keys."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from anonym.errors import AnonymError, InputError
from anonym.io.formats import KINDS
from anonym.io.guard import guarded

SCHEMES = ("s3", "gs", "az", "abfss")

_URL = re.compile(r"(?P<scheme>[a-z][a-z\d+.-]*):/+(?P<rest>.+)", re.DOTALL)  # a path has lost one of two slashes


def only_url(paths: Sequence[str | Path]) -> str | None:
    """The URL among `paths`, or None. Raises InputError for one that is not read, or that has anything beside it."""
    found = [url for url in map(_url, paths) if url is not None]
    if found and len(paths) > 1:
        raise InputError("give one URL per run, with nothing beside it; it may be a folder or end in a pattern")
    return found[0] if found else None


def _url(given: str | Path) -> str | None:
    match = _URL.fullmatch(str(given))
    if match is None or Path(given).exists():
        return None
    if match["scheme"] not in SCHEMES:
        raise InputError(
            f"URLs of {match['scheme']} are not read (only {', '.join(SCHEMES)}): copy the files to a folder"
        )
    if "?" in match["rest"]:
        raise InputError("the URL has a query, which may be a signature: give the keys of the store in the environment")
    kind = KINDS.get(Path(match["rest"]).suffix.lower())
    if kind not in (None, "parquet"):
        raise InputError("of object stores only Parquet is read: copy other files to a folder")
    is_folder = kind is None and "*" not in match["rest"]
    return f"{match['scheme']}://{match['rest']}".rstrip("/") + ("/" if is_folder else "")


def scan_url(url: str) -> pl.LazyFrame:
    """The objects at `url` (one, all in a folder, or those of a pattern) as one frame. Only the first is asked here.

    Raises InputError, in whose message nothing of the store's answer stands.
    """
    try:
        with guarded("reading the object store"):
            frame = pl.scan_parquet(url)
            frame.collect_schema()
    except AnonymError:
        raise InputError(
            "the objects of the URL cannot be read: are they there, and does the environment name the store's keys "
            "(for S3: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, and AWS_ENDPOINT_URL of another store)?"
        ) from None
    return frame
