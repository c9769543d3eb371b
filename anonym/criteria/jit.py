"""The one place that asks Numba to compile, but for local recoding, which compiles leaner."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeVar, cast

import numba

Kernel = TypeVar("Kernel", bound=Callable[..., object])


@cache
def sources() -> str:
    """A digest of all files that hold kernels compiled here."""
    texts = [path.read_bytes() for path in sorted(Path(__file__).parent.parent.glob("*/*.py"))]
    return hashlib.sha256(b"".join(text for text in texts if b"criteria.jit import" in text)).hexdigest()


def kernel(function: Kernel) -> Kernel:
    """Compile on first use, kept on disk where a folder for it can be written (else compiled once a process).

    Numba compiles again when the kernel's own file has changed, and would keep old code of functions that it calls from
    other files: what is kept is stamped with all their sources. Where Numba has no such stamp nothing is kept.
    """
    try:
        compiled = numba.njit(cache=True, nogil=True)(function)
        file = compiled._cache._cache_file
        file._source_stamp = (file._source_stamp, sources())
    except (RuntimeError, AttributeError):  # RuntimeError: no writable cache folder
        compiled = numba.njit(nogil=True)(function)
    return cast(Kernel, compiled)
