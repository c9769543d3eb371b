"""The one place of local recoding that asks Numba to compile.

A function costs about 0.15 s to compile, however small, and a call with many arrays 15 ns. So `inner` functions go
without what only Python needs to call them, and `inlined` ones become part of each kernel that calls them. None
allocates: without reference counting a move takes 10 instead of 18 microseconds.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

from anonym.criteria.jit import digest_of, stamped

Kernel = TypeVar("Kernel", bound=Callable[..., object])
LEAN: dict[str, Any] = {"nogil": True, "_nrt": False}


# The files here that hold kernels, and the constants that these compile in.
SOURCES = digest_of(Path(__file__).parent.glob("*.py"), [b"local.jit import", b"NamedTuple"])


def kernel(function: Kernel) -> Kernel:
    """Compiled on first use and kept on disk, as `criteria.jit.stamped` says."""
    return stamped(function, SOURCES, **LEAN)


def inner(function: Kernel) -> Kernel:
    """Compiled once, for kernels to call."""
    return cast(Kernel, numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **LEAN)(function))


def inlined(function: Kernel) -> Kernel:
    """Compiled into each kernel that calls it."""
    return cast(Kernel, numba.njit(inline="always", **LEAN)(function))
