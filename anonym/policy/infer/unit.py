"""Whom to protect: the column whose values stand for persons with several rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anonym.policy.infer.concepts import Guess
from anonym.policy.infer.facts import Facts
from anonym.policy.infer.lists import listed
from anonym.policy.infer.vocabulary import tokens

CONCEPTS = {
    "person_id": 3.0,
    "national_id": 2.5,
    "email": 2.0,
    "phone": 2.0,
    "username": 2.0,
    "account": 1.5,
    "device_id": 1.0,
    "record_id": 0.5,
}
FEWEST = 20
"""Units below which a column says which of a few things a row is about, not which person."""


@dataclass(frozen=True)
class Unit:
    """The column, why, and the other columns that it could have been."""

    column: str
    why: str
    rivals: tuple[str, ...] = ()


def unit(columns: Sequence[Facts], guesses: Mapping[str, Guess]) -> Unit | None:
    """The unit, or None where every row seems to be a person of its own."""
    found = [(_weight(facts, guesses[facts.name]), facts) for facts in columns if _repeats(facts, guesses[facts.name])]
    found.sort(key=lambda pair: (-pair[0], -pair[1].distinct))
    if not found:
        return None
    best, facts = found[0]
    if _is_one_a_row(columns, guesses):
        return None
    rivals = tuple(other.name for weight, other in found[1:] if weight > best - 0.5)
    why = (
        f"{facts.rows / max(facts.distinct, 1):.1f} rows for each value on average, so that k counts them and not rows"
    )
    return Unit(facts.name, why, rivals)


def _repeats(facts: Facts, guess: Guess) -> bool:
    return (
        guess.role == "identifier"
        and guess.concept in CONCEPTS
        and not any(word in listed("serving") for word in tokens(facts.name))
        and facts.distinct >= FEWEST
        and facts.filled >= 0.5 * facts.rows
        and facts.uniqueness < (0.5 if guess.concept == "record_id" else 0.999)
    )


def _weight(facts: Facts, guess: Guess) -> float:
    words, subjects = tokens(facts.name), listed("subjects")
    weight = CONCEPTS[guess.concept]
    if any(word in subjects or any(word.startswith(noun) for noun in subjects if len(noun) > 5) for word in words):
        weight += 1
    return weight


def _is_one_a_row(columns: Sequence[Facts], guesses: Mapping[str, Guess]) -> bool:
    """A subject's own number that never repeats: the rows are the persons, whatever else repeats."""
    return any(
        guesses[facts.name].concept in ("person_id", "national_id")
        and facts.uniqueness >= 0.999
        and facts.filled == facts.rows
        and not any(word in listed("serving") for word in tokens(facts.name))
        for facts in columns
    )
