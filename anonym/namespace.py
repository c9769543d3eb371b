"""`lf.anonym`: releasing and checking as methods of Polars frames. Importing this module registers the name.

import anonym.namespace
release = pl.scan_parquet("in.parquet").anonym.apply("policy.yaml")
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from anonym.pipeline import Release, Verdict, apply, check
from anonym.policy import Policy

Policies = Policy | Mapping[str, Any] | str | Path


@pl.api.register_lazyframe_namespace("anonym")
@pl.api.register_dataframe_namespace("anonym")
class AnonymFrame:
    """The methods of `frame.anonym`. They raise what the functions of the same name raise."""

    def __init__(self, frame: pl.LazyFrame | pl.DataFrame) -> None:
        self._frame = frame

    def apply(self, policy: Policies) -> pl.LazyFrame:
        """The released rows, verified. For the evidence or a file see `release`."""
        return self.release(policy).data

    def release(self, policy: Policies) -> Release:
        """The release with its plan and evidence, as `anonym.apply` gives it."""
        return apply(policy, self._frame)

    def check(self, policy: Policies) -> Verdict:
        """The guarantee recomputed from this table, as `anonym.check` gives it."""
        return check(policy, self._frame)
