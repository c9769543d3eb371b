"""What to say where the optional part `dp` is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from anonym.errors import CallError


@contextmanager
def needed() -> Iterator[None]:
    """Raises CallError where a package that the block imports is missing; a missing module of ours is a fault."""
    try:
        yield
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] == "anonym":
            raise
        raise CallError(f"{missing.name} is missing, of the extra `dp`: pip install 'anonym[dp]'") from None
