"""The kinds of numbers and words that fields hold."""

from __future__ import annotations

from typing import Annotated, Literal

from anonym.report.schema import Pattern, Within

Count = Annotated[int, Within(0)]
Share = Annotated[float, Within(0, 1)]
Amount = Annotated[float, Within(0)]
Digest = Annotated[str, Pattern("[0-9a-f]{64}")]
Level = Annotated[int, Within(0)]
Counted = Literal["rows", "units", "profiles"]
