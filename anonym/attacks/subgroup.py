"""The subgroup that fares worst: a mean over everybody can hide that one group is found out throughout."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

SUBGROUP = 20  # people that a subgroup needs to be named the worst


def worst_of(success: pl.DataFrame, groups: Mapping[str, pl.DataFrame]) -> dict[str, Any] | None:
    """The column and rate of the worst group, its value unnamed; None where no group has enough people.

    `success` is [person, success], `groups` by column [person, group]; someone of several groups counts in each.
    """
    found: dict[str, Any] | None = None
    for column, members in groups.items():
        scored = members.unique().join(success, on="person")
        shares = scored.group_by("group").agg(pl.len().alias("targets"), pl.col("success").mean())
        top = shares.filter(pl.col("targets") >= SUBGROUP).sort("success", "targets", "group").tail(1)
        if top.height and (found is None or top["success"].item() > found["rate"]):
            found = {"column": column, "targets": top["targets"].item(), "rate": float(top["success"].item())}
    return found
