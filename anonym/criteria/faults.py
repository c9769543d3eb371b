"""How a declaration refuses its own fields."""

from __future__ import annotations

import math
from typing import Any

from anonym.errors import Fault, PolicyError


def refuse(field: str, expected: str, *, unless: bool) -> None:
    """Raise `PolicyError` with the field's name and what was expected there."""
    if not unless:
        raise PolicyError([Fault(field, f"expected {expected}")])


def whole(value: Any) -> bool:
    """An int that is no bool."""
    return isinstance(value, int) and not isinstance(value, bool)


def real(value: Any) -> bool:
    """A finite int or float that is no bool."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
