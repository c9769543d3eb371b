"""The role of a column, from its values first, its name second, and caution where neither tells."""

from __future__ import annotations

import re
from dataclasses import dataclass

import polars as pl

from anonym.policy.infer import shapes
from anonym.policy.infer.concepts import CONCEPTS, NESTED, RoleName
from anonym.policy.infer.facts import Facts
from anonym.policy.infer.vocabulary import agreement, concepts, heads, tokens
from anonym.text.options import TextOptions


@dataclass(frozen=True)
class Guess:
    """A role with its reason and how sure it is, from 0 to 1. `concept` is what the column is about."""

    role: RoleName
    concept: str
    confidence: float
    why: str


def guess(facts: Facts) -> Guess:
    """The role of one column. Never `keep` unless name or values say that it is about no person."""
    return next(found for look in _LOOKS if (found := look(facts)) is not None)


def _unreadable(f: Facts) -> Guess | None:
    """Types that no rule covers."""
    if isinstance(f.dtype, NESTED):
        return Guess("drop", "nested", 0.7, "nested values are not read; unnest them into columns to release them")
    if isinstance(f.dtype, pl.Time | pl.Duration):
        return Guess(
            "drop", "clock", 0.6, "times of day and durations have no hierarchy; convert to whole minutes first"
        )
    if not f.distinct:
        return Guess("drop", "empty", 0.9, "no value in any row")
    if f.is_number and f.dtype.is_float() and f.known["value"].is_infinite().any():
        return Guess(
            "drop", "infinite", 0.6, "holds infinite numbers, which no range covers; replace them to release it"
        )
    return None


def _by_shape(f: Facts) -> Guess | None:
    """Values whose shape tells, whatever the column is called."""
    if found := shapes.identifier(f):
        return Guess("identifier", _who(f) or found[0], 0.97, found[1])
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


def _who(f: Facts) -> str | None:
    """Whose number it is, where the name says so."""
    first = [concept for concept, _ in concepts(f.name)[:1]]
    return first[0] if first and first[0] in ("person_id", "national_id", "device_id") else None


def _by_number(f: Facts) -> Guess | None:
    """A different value in every row, and a name that says number, id or key: what it numbers does not matter."""
    words = tokens(f.name)
    if not any(word in NUMBERS for word in words) or f.distinct <= 20:
        return None
    if f.uniqueness > 0.98 and (f.is_whole or (f.is_text and f.words < 2)):
        return Guess("identifier", _who(f) or "record_id", 0.9, "its name says a number, and no two rows share one")
    told = any(weight >= 1 for _, weight in concepts(f.name))
    if words[-1] in NUMBERS and not told and (f.is_whole or f.share(shapes.CODE) > shapes.MOST):
        return Guess("identifier", "record_id", 0.6, "its name says a number of many, and the values can be that")
    return None


def _by_counting(f: Facts) -> Guess | None:
    """`number_of_reviews`, `claims_count`: how many of what does not matter, unless others know it."""
    words = tokens(f.name)
    counted = len(words) > 1 and (words[0] in COUNTS or words[-1] in ("count", "cnt", "counts"))
    if not (counted and f.is_whole and not f.is_flag and f.low in (0, 1) and f.high <= 10_000):
        return None
    fitting = [CONCEPTS[concept] for concept, _ in concepts(f.name) if CONCEPTS[concept].fits(f)]
    if fitting and fitting[0].role in ("quasi", "keep", "sensitive"):
        return None
    return Guess("sensitive", "usage", 0.6, "its name says how many, and the values can be that")


COUNTS = frozenset(["n", "num", "number", "no", "nb", "nr", "anz", "anzahl", "count", "total", "nombre", "numero"])


NUMBERS = frozenset(["id", "no", "nr", "num", "number", "key", "numero", "nummer", "uuid", "ref"])


def _by_date(f: Facts) -> Guess | None:
    """Dates are quasi-identifiers, whoever else the column's name may be about."""
    dated = f.is_date or (f.is_text and (f.share(shapes.DAY) > shapes.MOST or f.share(shapes.MOMENT) > shapes.MOST))
    timed = any(concept == "date" for concept, _ in concepts(f.name)) and shapes.ticks(f)
    if not (dated or timed or shapes.compact_days(f)):
        return None
    for concept, _ in concepts(f.name):
        if concept in ("birth", "death"):
            return Guess("quasi", concept, 0.97, f"name and values say {CONCEPTS[concept].words}")
    return Guess("quasi", "date", 0.9, "values are dates or times, which others may have noted too")


def _by_name(f: Facts) -> Guess | None:
    """The weightiest concept of the name that the values can be."""
    for concept, weight in concepts(f.name):
        entry = CONCEPTS[concept]
        if weight < 1 or not entry.fits(f):
            continue
        if entry.role == "text" and not _is_prose(f):
            continue
        if entry.role in ("keep", "sensitive") and (caution := _too_telling(f)):
            return caution
        if entry.role == "keep" and (weight < 2.5 or concept not in heads(f.name)):
            continue
        if concept == "person_id" and weight == 5 and _no_key(f):  # `guests` may count them
            continue
        confidence = 0.9 if weight >= 4 else 0.8 if weight >= 2.5 else 0.6
        return Guess(entry.role, concept, confidence, f"its name says {entry.words}, and the values can be that")
    return None


def _no_key(f: Facts) -> bool:
    return (f.is_number and f.distinct <= 20) or f.words >= 1.5


def _too_telling(f: Facts) -> Guess | None:
    """Values that tell more of a person than the name of the column promised."""
    if (
        f.is_text
        and f.distinct > 20
        and f.uniqueness > 0.6
        and f.words < 2
        and f.holding(shapes.DIGITS) > 0.5
        and f.share(shapes.MONEY) < shapes.MOST
    ):
        return Guess("identifier", "record_id", 0.7, "values are codes that hardly repeat")
    if f.is_text and _is_prose(f):
        return Guess("text", "text", 0.8, "values are sentences that hardly repeat")
    if f.distinct > 20 and shapes.is_name_like(f) and shapes.names(f) > 0.5:
        return Guess("identifier", "person_name", 0.7, "values hold names of people")
    for concept in ("sex", "ethnicity", "marital", "education"):
        if f.is_text and f.distinct >= 3 and agreement(f.sample, concept) > 0.8:
            return Guess("quasi", concept, 0.8, f"values say {CONCEPTS[concept].words}")
    return None


def _by_values(f: Facts) -> Guess | None:
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


def _by_text(f: Facts) -> Guess | None:
    """Sentences, names and codes that hardly repeat."""
    if not f.is_text:
        return None
    if _is_prose(f):
        return Guess("text", "text", 0.85, "values are sentences that hardly repeat")
    if f.distinct > 20 and shapes.is_name_like(f) and shapes.names(f) > 0.5:
        return Guess("identifier", "person_name", 0.85, "values hold given names")
    if codes := shapes.diagnoses(f):
        return Guess("sensitive", "health", 0.75, f"values have the form of {codes}")
    if _postcodes(f):
        return Guess("quasi", "postcode", 0.7, "values have the form of postcodes")
    if f.share(shapes.MONEY) >= shapes.MOST:
        return Guess("sensitive", "money", 0.6, "values are amounts")
    if f.distinct > 20 and f.uniqueness > 0.5:
        return _scarce(f)
    if f.distinct > 20 and f.share(shapes.CODE) > shapes.MOST and f.length >= 5 and _numbers_many(f):
        return Guess("identifier", "record_id", 0.6, "values are codes of which each has few rows")
    return None


def _postcodes(f: Facts) -> bool:
    """Where hardly one repeats, letters must tell them from numbers of rows."""
    form = shapes.LETTERED if f.uniqueness > 0.5 else shapes.POSTCODES
    return f.distinct > 20 and f.share(form) > shapes.MOST


def _numbers_many(f: Facts) -> bool:
    """Codes with enough digits to number many, or of which each has few rows."""
    return f.uniqueness > 0.05 or sum(letter.isdigit() for text in f.sample for letter in text) >= 4.5 * len(f.sample)


def _scarce(f: Facts) -> Guess:
    """Text that is nearly different in every row, and too short for prose."""
    if entity := scrubbed(f):
        return Guess("identifier", "record_id", 0.8, f"the scrubber finds {entity} in most of a sample")
    if f.words >= 2.5 and f.length > 25:
        return Guess("text", "text", 0.6, "several words that hardly repeat")
    return Guess("identifier", "record_id", 0.75, "nearly every row has a value of its own")


def scrubbed(f: Facts, most: int = 200) -> str | None:
    """What the scrubber's rules find in more than half of a sample, if it covers the values."""
    from anonym.text.scrub import Scrubber

    texts = pl.Series(f.sample[:: max(1, len(f.sample) // most)], dtype=pl.String)
    spans = Scrubber(TextOptions(ner=None)).scrub(texts).spans
    lengths = pl.DataFrame({"row": pl.int_range(len(texts), dtype=pl.UInt32, eager=True), "n": texts.str.len_chars()})
    whole = spans.join(lengths, on="row").filter(pl.col("end") - pl.col("start") >= pl.col("n") * 0.7)
    if whole["row"].n_unique() <= len(texts) / 2:
        return None
    return str(whole["entity"].mode()[0])


def _is_prose(f: Facts) -> bool:
    """Several words, and hardly a value twice; or texts too long for a category."""
    if not f.is_text or f.distinct <= 5:
        return False
    if f.length > 60 and f.distinct > 20:
        return True
    return f.words >= 4 and (f.uniqueness > 0.3 or f.distinct > 300) and f.share(shapes.STREET) < 0.7


def _by_count(f: Facts) -> Guess | None:
    """Whole numbers that number the rows."""
    if f.is_whole and f.distinct > 20 and f.uniqueness > 0.95 and f.low >= 0:
        dense = f.high - f.low < 20 * f.distinct or f.high >= 10**7
        if dense and not f.is_flag:
            return Guess("identifier", "record_id", 0.7, "whole numbers, a different one in nearly every row")
    if f.is_whole and f.distinct > 20 and f.low >= 100_000 and len(str(int(f.low))) == len(str(int(f.high))):
        return Guess("identifier", "record_id", 0.55, "long numbers of one length, as codes of persons or things have")
    return None


def _constant(f: Facts) -> Guess | None:
    if f.distinct == 1 and f.filled == f.rows:
        return Guess("keep", "constant", 0.8, "one value throughout tells nothing of anybody")
    return None


def _item(f: Facts) -> Guess | None:
    """Numbered answers, q1 to q40, on a short scale."""
    if re.fullmatch(r"(?i)(?:q|item|frage|question|pregunta|v|i|a|f|var)_?\d+[a-z]?", f.name) and (
        f.is_whole and f.distinct <= 11 and f.low >= 0 and f.high <= 11
    ):
        return Guess("keep", "rating", 0.7, "an answer on a short scale")
    return None


def _answer(f: Facts) -> Guess | None:
    """Yes or no to what nobody has named: rarely known of others, and little would be left of it if generalised."""
    if shapes.answers(f):
        return Guess("sensitive", "answer", 0.4, "yes or no, to what is unknown; make it quasi if others know it")
    return None


def _measured(f: Facts) -> Guess | None:
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


def _cautious(_facts: Facts) -> Guess:
    """Nothing is known: others might know it, so it is generalised."""
    return Guess("quasi", "unknown", 0.4, "neither name nor values say what it is, so others might know it")


_LOOKS = (
    _unreadable,
    _by_shape,
    _by_date,
    _by_number,
    _by_counting,
    _by_name,
    _item,
    _answer,
    _by_values,
    _by_text,
    _by_count,
    _constant,
    _measured,
    _cautious,
)
