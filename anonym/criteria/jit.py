"""The one place that asks Numba to compile."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numba

Kernel = TypeVar("Kernel", bound=Callable[..., object])


def kernel(function: Kernel) -> Kernel:
    """Compile on first use, kept on disk where a folder for it can be written (else compiled once a process)."""
    try:
        return cast(Kernel, numba.njit(cache=True, nogil=True)(function))
    except RuntimeError:  # Numba found no writable cache folder
        return cast(Kernel, numba.njit(nogil=True)(function))
