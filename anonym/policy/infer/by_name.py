"""The role of a column from its name, where its values can be what the name says."""

from __future__ import annotations

import re

from anonym.policy.infer import shapes
from anonym.policy.infer.by_text import is_prose, too_telling
from anonym.policy.infer.concepts import CONCEPTS, Guess
from anonym.policy.infer.facts import Facts
from anonym.policy.infer.vocabulary import concepts, heads, qualifiers, tokens

NUMBERS = frozenset(["id", "no", "nr", "num", "number", "key", "numero", "nummer", "uuid", "ref"])


COUNTS = frozenset(["n", "num", "number", "no", "nb", "nr", "anz", "anzahl", "count", "total", "nombre", "numero"])


def numbered(f: Facts) -> Guess | None:
    """A different value in every row, and a name that says number, id or key: what it numbers does not matter."""
    words = tokens(f.name)
    if not any(word in NUMBERS for word in words) or f.distinct <= 20:
        return None
    if f.uniqueness > 0.98 and (f.is_whole or (f.is_text and f.words < 2)):
        return Guess("identifier", whose(f) or "record_id", 0.9, "its name says a number, and no two rows share one")
    told = any(weight >= 1 for _, weight in concepts(f.name))
    if words[-1] in NUMBERS and not told and (f.is_whole or f.share(shapes.CODE) > shapes.MOST):
        return Guess("identifier", "record_id", 0.6, "its name says a number of many, and the values can be that")
    return None


def whose(f: Facts) -> str | None:
    """Whose number it is, where the name says so."""
    first = [concept for concept, _ in concepts(f.name)[:1]]
    return first[0] if first and first[0] in ("person_id", "national_id", "device_id") else None


def counting(f: Facts) -> Guess | None:
    """`number_of_reviews`, `claims_count`: how many of what does not matter, unless others know it."""
    words = tokens(f.name)
    counted = len(words) > 1 and (words[0] in COUNTS or words[-1] in ("count", "cnt", "counts"))
    if not (counted and f.is_whole and not f.is_flag and f.low in (0, 1) and f.high <= 10_000):
        return None
    fitting = [CONCEPTS[concept] for concept, _ in concepts(f.name) if CONCEPTS[concept].fits(f)]
    if fitting and fitting[0].role in ("quasi", "keep", "sensitive"):
        return None
    return Guess("sensitive", "usage", 0.6, "its name says how many, and the values can be that")


def named(f: Facts) -> Guess | None:
    """The weightiest concept of the name that the values can be."""
    for concept, weight in concepts(f.name):
        entry = CONCEPTS[concept]
        if weight < 1 or not entry.fits(f):
            continue
        if entry.role == "text" and not is_prose(f):
            continue
        if entry.role in ("keep", "sensitive") and (caution := too_telling(f)):
            return caution
        if entry.role == "keep" and (weight < 2.5 or concept not in heads(f.name) or _about_a_person(f.name, concept)):
            continue
        if concept == "person_id" and weight <= 5 and (_no_key(f) or (weight < 5 and f.is_number)):
            continue  # `guests` may count them, and so may `active_users`
        if concept == "record_id" and _qualifies(f.name):
            continue
        confidence = 0.9 if weight >= 4 else 0.8 if weight >= 2.5 else 0.6
        return Guess(entry.role, concept, confidence, f"its name says {entry.words}, and the values can be that")
    return None


def _about_a_person(name: str, concept: str) -> bool:
    """`mrtl_sts` is no status of an order, nor `skin_color` the colour of an article."""
    told = (CONCEPTS[one].role for one in qualifiers(name, concept) if one in CONCEPTS)
    return any(role in ("quasi", "identifier", "sensitive") for role in told)


def _qualifies(name: str) -> bool:
    """`session_length` is a length, not the number of a session."""
    about = heads(name)
    return bool(about) and "record_id" not in about and tokens(name)[-1] not in NUMBERS


def _no_key(f: Facts) -> bool:
    return (f.is_number and f.distinct <= 20) or f.words >= 1.5


def item(f: Facts) -> Guess | None:
    """Numbered answers, q1 to q40, on a short scale."""
    if re.fullmatch(r"(?i)(?:q|item|frage|question|pregunta|v|i|a|f|var)_?\d+[a-z]?", f.name) and (
        f.is_whole and f.distinct <= 11 and f.low >= 0 and f.high <= 11
    ):
        return Guess("keep", "rating", 0.7, "an answer on a short scale")
    return None
