"""The one place of local recoding that asks Numba to compile.

A function costs about 0.15 s to compile, however small, and a call with many arrays 15 ns. So `inlined` functions
become part of each kernel that calls them; `inner` functions, called from several places, go without what only Python
needs to call them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numba

from anonym.criteria.jit import kernel

Kernel = TypeVar("Kernel", bound=Callable[..., object])

__all__ = ["inlined", "inner", "kernel"]


def inlined(function: Kernel) -> Kernel:
    """Compiled into each kernel that calls it."""
    return cast(Kernel, numba.njit(inline="always", nogil=True)(function))


def inner(function: Kernel) -> Kernel:
    """Compiled once, for kernels to call."""
    return cast(Kernel, numba.njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False)(function))
