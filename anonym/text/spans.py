"""Where something was found: one value object, and the columnar form in which spans leave the package."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import polars as pl

SECRET = "SECRET"
"""The entity of a credential, whoever found it."""

SCHEMA: dict[str, type[pl.DataType]] = {
    "row": pl.UInt32,
    "start": pl.UInt32,
    "end": pl.UInt32,
    "entity": pl.String,
    "score": pl.Float64,
    "rule": pl.String,
}


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one text, in code points, `end` exclusive.

    `firm` spans have a shape of their own (a checksum, a syntax, a value known beforehand) and keep their ends when
    they meet others; the rest are a model's opinion and are cut around firm ones. `score` is in [0, 1].
    """

    start: int
    end: int
    entity: str
    score: float
    rule: str
    firm: bool = True

    def at(self, start: int, end: int) -> Span:
        """The same finding with other ends."""
        return Span(start, end, self.entity, self.score, self.rule, self.firm)


def frame(spans: Iterable[tuple[int, Sequence[Span]]]) -> pl.DataFrame:
    """Rows with their spans as one table of `SCHEMA`, in the order given."""
    flat = [(row, span) for row, found in spans for span in found]
    return pl.DataFrame(
        {
            "row": [row for row, _ in flat],
            "start": [span.start for _, span in flat],
            "end": [span.end for _, span in flat],
            "entity": [span.entity for _, span in flat],
            "score": [span.score for _, span in flat],
            "rule": [span.rule for _, span in flat],
        },
        schema=SCHEMA,
    )
