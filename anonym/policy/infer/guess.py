"""The role of a column, from its values first, its name second, and caution where neither tells."""

from __future__ import annotations

import polars as pl

from anonym.policy.infer import by_name, by_text, by_values
from anonym.policy.infer.concepts import NESTED, Guess
from anonym.policy.infer.facts import Facts


def guess(facts: Facts) -> Guess:
    """The role of one column. Never `keep` unless name or values say that it is about no person."""
    return next(found for look in _LOOKS if (found := look(facts)) is not None)


def _unreadable(f: Facts) -> Guess | None:
    """Types that no rule covers."""
    if isinstance(f.dtype, NESTED):
        return Guess("drop", "nested", 0.7, "nested values are not read; input.flatten makes columns of a struct")
    if not f.distinct:
        return Guess("drop", "empty", 0.9, "no value in any row")
    if isinstance(f.dtype, pl.Time | pl.Duration):
        return Guess("quasi", "clock", 0.85, "times of day and durations, which others may have noted too")
    if f.is_number and f.dtype.is_float() and f.known["value"].is_infinite().any():
        return Guess(
            "drop", "infinite", 0.6, "holds infinite numbers, which no range covers; replace them to release it"
        )
    return None


def _constant(f: Facts) -> Guess | None:
    if f.distinct == 1 and f.filled == f.rows:
        return Guess("keep", "constant", 0.8, "one value throughout tells nothing of anybody")
    return None


def _cautious(_facts: Facts) -> Guess:
    """Nothing is known: others might know it, so it is generalised."""
    return Guess("quasi", "unknown", 0.4, "neither name nor values say what it is, so others might know it")


_LOOKS = (
    _unreadable,
    by_values.shaped,
    by_values.dated,
    by_name.numbered,
    by_name.counting,
    by_name.named,
    by_name.item,
    by_values.answer,
    by_values.listed,
    by_text.texts,
    by_values.numbering,
    _constant,
    by_values.measured,
    _cautious,
)
