"""The one place of local recoding that asks Numba to compile.

A function costs about 0.15 s to compile, however small, and a call with many arrays 15 ns. So `inner` functions go
without what only Python needs to call them, and `inlined` ones become part of each kernel that calls them. None
allocates: without reference counting a move takes 10 instead of 18 microseconds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

Kernel = TypeVar("Kernel", bound=Callable[..., object])
LEAN: dict[str, Any] = {"nogil": True, "_nrt": False}


def _sources() -> str:
    """A digest of the files here that hold kernels, and of the constants that these compile in."""
    texts = [path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))]
    return hashlib.sha256(b"".join(t for t in texts if b"local.jit import" in t or b"NamedTuple" in t)).hexdigest()


SOURCES = _sources()


def kernel(function: Kernel) -> Kernel:
    """Compiled on first use, kept on disk where a folder for it can be written (else compiled once a process).

    Numba compiles again when the file of the kernel has changed, and would keep old code of functions that it calls
    from other files: what is kept is stamped with all their sources. Where Numba has no such stamp nothing is kept.
    """
    try:
        compiled = numba.njit(cache=True, **LEAN)(function)
        file = compiled._cache._cache_file
        file._source_stamp = (file._source_stamp, SOURCES)
    except (RuntimeError, AttributeError):  # RuntimeError: no writable cache folder
        compiled = numba.njit(**LEAN)(function)
    return cast(Kernel, compiled)


def inner(function: Kernel) -> Kernel:
    """Compiled once, for kernels to call."""
    return cast(Kernel, numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **LEAN)(function))


def inlined(function: Kernel) -> Kernel:
    """Compiled into each kernel that calls it."""
    return cast(Kernel, numba.njit(inline="always", **LEAN)(function))
