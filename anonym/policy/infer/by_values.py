"""The role of a column from the shape, the range or the list of its values, whatever it is called."""

from __future__ import annotations

from anonym.policy.infer import shapes
from anonym.policy.infer.by_name import whose
from anonym.policy.infer.concepts import CONCEPTS, Guess
from anonym.policy.infer.facts import Facts
from anonym.policy.infer.vocabulary import agreement, concepts


def shaped(f: Facts) -> Guess | None:
    """Values whose shape tells, whatever the column is called."""
    if found := shapes.identifier(f):
        return Guess("identifier", whose(f) or found[0], 0.97, found[1])
    named = [concept for concept, weight in concepts(f.name) if weight >= 3 and CONCEPTS[concept].fits(f)]
    if f.is_text and shapes.telephone(f) and named[:1] not in (["record_id"], ["person_id"], ["account"]):
        return Guess("identifier", "phone", 0.93, "values are telephone numbers")
    if f.is_text and f.share(shapes.JSON) > shapes.MOST:
        return _json(f)
    if f.is_text and f.share(shapes.CLOCK) > shapes.MOST:
        return Guess("quasi", "clock", 0.85, "values are times of day, which others may have noted too")
    if f.is_text and f.share(shapes.PAIR) > shapes.MOST:
        return Guess("quasi", "position", 0.9, "values are positions on the map")
    if f.is_text and f.holding(shapes.AGENT) > 0.5:
        return Guess("quasi", "device", 0.95, "values are user agents")
    if shapes.streets(f):
        return Guess("identifier", "address", 0.9, "values are street addresses")
    return None


def _json(f: Facts) -> Guess:
    """Sentences in JSON are scrubbed as they stand there; what else it may hold, nobody has named."""
    if f.words >= 12:
        return Guess("text", "text", 0.5, "values are JSON with sentences in it, scrubbed as they stand")
    return Guess(
        "drop", "nested", 0.6, "values are JSON, which may hold anything; unpack it into columns to release it"
    )


def dated(f: Facts) -> Guess | None:
    """Dates are quasi-identifiers, whoever else the column's name may be about."""
    forms = (shapes.DAY, shapes.MOMENT, shapes.PERIOD)
    dated = f.is_date or (f.is_text and any(f.share(form) > shapes.MOST for form in forms))
    timed = any(concept == "date" for concept, _ in concepts(f.name)) and shapes.ticks(f)
    if any(concept == "year" for concept, _ in concepts(f.name)) and shapes.years(f):
        return Guess("quasi", "year", 0.9, "its name says a year, and the values are years")
    if not (dated or timed or shapes.compact_days(f)):
        return None
    for concept, _ in concepts(f.name):
        if concept in ("birth", "death"):
            return Guess("quasi", concept, 0.97, f"name and values say {CONCEPTS[concept].words}")
    return Guess("quasi", "date", 0.9, "values are dates or times, which others may have noted too")


def listed(f: Facts) -> Guess | None:
    """A few different values of a known kind."""
    if not (f.is_text and f.distinct >= 2 and f.distinct <= 300):
        return None
    for concept, kind, least in _KINDS:
        if agreement(f.sample, kind) >= least and (kind != "sex" or f.distinct <= 8):
            entry = CONCEPTS[concept]
            return Guess(entry.role, concept, 0.8, f"values say {entry.words}")
    return None


_KINDS = (
    ("sex", "sex", 0.99),
    ("marital", "marital", 0.6),
    ("education", "education", 0.6),
    ("ethnicity", "ethnicity", 0.6),
    ("judgement", "religion", 0.7),
    ("health", "health", 0.5),
    ("health", "blood", 1.0),
    ("country", "country", 0.6),
    ("employer", "employment", 0.6),
    ("language", "language", 0.6),
    ("offer", "currency", 0.9),
    ("technical", "http", 0.9),
    ("technical", "level", 0.9),
    ("date", "weekday", 0.9),
)


def numbering(f: Facts) -> Guess | None:
    """Whole numbers that number the rows."""
    if f.is_whole and f.distinct > 20 and f.uniqueness > 0.95 and f.low >= 0:
        dense = f.high - f.low < 20 * f.distinct or f.high >= 10**7
        if dense and not f.is_flag:
            return Guess("identifier", "record_id", 0.7, "whole numbers, a different one in nearly every row")
    if f.is_whole and f.distinct > 20 and f.low >= 100_000 and len(str(int(f.low))) == len(str(int(f.high))):
        return Guess("identifier", "record_id", 0.55, "long numbers of one length, as codes of persons or things have")
    return None


def answer(f: Facts) -> Guess | None:
    """Yes or no to what nobody has named: rarely known of others, and little would be left of it if generalised."""
    if shapes.answers(f):
        return Guess("sensitive", "answer", 0.4, "yes or no, to what is unknown; make it quasi if others know it")
    return None


def measured(f: Facts) -> Guess | None:
    """Fractions of many values, counts from nothing upwards and amounts of several sizes are measured or reckoned:
    others rarely know them to the digit."""
    if not f.is_number or f.distinct <= 2:
        return None
    if f.is_whole and f.distinct == 24 and (f.low, f.high) == (0, 23):
        return Guess("quasi", "date", 0.6, "values can be the hours of a day, which others may have noted too")
    if not f.is_whole and f.distinct > 50 and f.uniqueness > 0.02:
        return Guess("sensitive", "usage", 0.4, "fractions, as a measurement has; make it quasi if others know it")
    can_be_ages = f.low < 20 and 60 <= f.high <= 120 and f.distinct > 30
    spread = (f.low == 0 and f.high > 3) or (f.low >= 0 and f.high > max(130, 10 * f.low))
    if f.is_whole and spread and not can_be_ages:
        return Guess("sensitive", "amount", 0.4, "amounts, as a count or a price has; make it quasi if others know it")
    return None
