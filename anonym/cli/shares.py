"""A share, as an exact decimal."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

import click


class Share(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.4 on only
    """A decimal from 0 up to 1, and 1 itself only if it is `whole`."""

    name = "fraction"

    def __init__(self, *, whole: bool = False) -> None:
        self._whole = whole

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Decimal:
        try:
            share = Decimal(str(value))
        except InvalidOperation:
            share = Decimal(-1)
        if not share.is_finite() or not 0 <= share <= 1 or (share == 1 and not self._whole):
            end = "1, such as 0.9" if self._whole else "below 1, such as 0.1"
            self.fail(f"expected a fraction from 0 to {end}", param, ctx)
        return share


SHARE = Share()
