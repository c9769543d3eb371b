"""A share of the people, as an exact decimal."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

import click


class Share(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.4 on only
    """A decimal from 0 up to, not including, 1."""

    name = "fraction"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Decimal:
        try:
            share = Decimal(str(value))
        except InvalidOperation:
            share = Decimal(-1)
        if not 0 <= share < 1:
            self.fail("expected a fraction from 0 to below 1, such as 0.1", param, ctx)
        return share


SHARE = Share()
