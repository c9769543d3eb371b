"""The one place that asks Numba to keep what it compiles; local recoding compiles leaner by the same way."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

Kernel = TypeVar("Kernel", bound=Callable[..., object])


def digest_of(files: Iterable[Path], marks: Sequence[bytes]) -> str:
    """A digest of those files that hold one of the marks."""
    texts = [path.read_bytes() for path in sorted(files)]
    return hashlib.sha256(b"".join(text for text in texts if any(mark in text for mark in marks))).hexdigest()


@cache
def sources() -> str:
    """A digest of all files that hold kernels compiled here."""
    return digest_of(Path(__file__).parent.parent.glob("*/*.py"), [b"criteria.jit import"])


def kernel(function: Kernel) -> Kernel:
    """Compile on first use, kept on disk where a folder for it can be written (else compiled once a process)."""
    return stamped(function, sources(), nogil=True)


def stamped(function: Kernel, stamp: str, **options: Any) -> Kernel:
    """As `kernel`, with options of Numba and a digest of all sources that end up in what is compiled.

    Numba compiles again when the kernel's own file has changed, and would keep old code of functions that it calls from
    other files: what is kept is stamped with all their sources. Where Numba has no such stamp nothing is kept.
    """
    try:
        compiled = numba.njit(cache=True, **options)(function)
        file = compiled._cache._cache_file
        file._source_stamp = (file._source_stamp, stamp)
    except (RuntimeError, AttributeError):  # RuntimeError: no writable cache folder
        compiled = numba.njit(**options)(function)
    return cast(Kernel, compiled)
