"""What the scrubber's rules still find in a released text: the policy's packs, patterns and secrets, without models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import polars as pl

from anonym.text.options import TextOptions, UserPattern

if TYPE_CHECKING:
    from anonym.text.scrub import Scrubber

Told = Mapping[str, Any]


def told(options: TextOptions) -> dict[str, Any]:
    """The part of a policy's text options that rules go by, as JSON."""
    return {
        "language": options.language,
        "packs": list(options.packs),
        "secrets": list(options.secrets),
        "patterns": {pattern.entity: pattern.regex for pattern in options.patterns},
    }


@lru_cache(4)
def _scrubber(options: TextOptions) -> Scrubber:
    """Kept, since reading the rules takes longer than a thousand texts."""
    from anonym.text.scrub import Scrubber

    return Scrubber(options)


def left_in(batches: Iterable[Sequence[str]], given: Told) -> dict[str, int]:
    """Texts by the entity that rules find in them; `unread` counts those that could not be processed."""
    patterns = tuple(UserPattern(entity.lower(), regex, entity) for entity, regex in given["patterns"].items())
    options = TextOptions(given["language"], tuple(given["packs"]), None, tuple(given["secrets"]), patterns=patterns)
    scrubber, found = _scrubber(options), Counter[str]()
    for texts in batches:
        result = scrubber.scrub(pl.Series(texts, dtype=pl.String))
        found.update(dict(result.spans.group_by("entity").agg(pl.col("row").n_unique()).iter_rows()))
        found["unread"] += result.withheld
    return {entity: number for entity, number in sorted(found.items()) if number}
