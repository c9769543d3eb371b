"""A number of bytes in words."""

from __future__ import annotations

import re

import click

POWERS = ("", "K", "M", "G", "T")

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(I?)B?", re.IGNORECASE)


class Size(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.4 on only
    """Bytes, such as 500MB or 1.5GB (decimal), or 2GiB (binary)."""

    name = "size"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        found = _SIZE.fullmatch(str(value).strip())
        if found is None:
            self.fail("expected a number of bytes, such as 500MB or 2GB", param, ctx)
        return int(float(found[1]) * (1024 if found[3] else 1000) ** POWERS.index(found[2].upper()))


SIZE = Size()
