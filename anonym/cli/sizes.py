"""A number of bytes in words."""

from __future__ import annotations

import re

import click

UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)B?", re.IGNORECASE)


class Size(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.4 on only
    """Bytes, such as 500MB or 1.5GB (decimal)."""

    name = "size"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        found = _SIZE.fullmatch(str(value).strip())
        if found is None:
            self.fail("expected a number of bytes, such as 500MB or 2GB", param, ctx)
        return int(float(found[1]) * UNITS[found[2].upper()])


SIZE = Size()
