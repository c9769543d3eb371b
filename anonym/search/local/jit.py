"""The one place of local recoding that asks Numba to compile.

A function costs about 0.15 s to compile, however small, and a call with many arrays 15 ns. So `inner` functions go
without what only Python needs to call them, and `inlined` ones become part of each kernel that calls them. None
allocates: without reference counting a move takes 10 instead of 18 microseconds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Kernel = TypeVar("Kernel", bound=Callable[..., object])
LEAN: dict[str, Any] = {"nogil": True, "_nrt": False}


def kernel(function: Kernel) -> Kernel:
    """Compiled on first use, kept on disk where a folder for it can be written (else compiled once a process)."""
    try:
        return cast(Kernel, numba.njit(cache=True, **LEAN)(function))
    except RuntimeError:  # Numba found no writable cache folder
        return cast(Kernel, numba.njit(**LEAN)(function))


def inner(function: Kernel) -> Kernel:
    """Compiled once, for kernels to call."""
    return cast(Kernel, numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **LEAN)(function))


def inlined(function: Kernel) -> Kernel:
    """Compiled into each kernel that calls it."""
    return cast(Kernel, numba.njit(inline="always", **LEAN)(function))
