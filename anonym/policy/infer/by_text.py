"""The role of a column of texts: sentences, names of people, and codes that hardly repeat."""

from __future__ import annotations

import polars as pl

from anonym.policy.infer import shapes
from anonym.policy.infer.concepts import CONCEPTS, Guess
from anonym.policy.infer.facts import Facts
from anonym.policy.infer.vocabulary import agreement
from anonym.text.options import TextOptions


def texts(f: Facts) -> Guess | None:
    """Sentences, names and codes that hardly repeat."""
    if not f.is_text:
        return None
    if is_prose(f):
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


def too_telling(f: Facts) -> Guess | None:
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
    if f.is_text and is_prose(f):
        return Guess("text", "text", 0.8, "values are sentences that hardly repeat")
    if f.distinct > 20 and shapes.is_name_like(f) and shapes.names(f) > 0.5:
        return Guess("identifier", "person_name", 0.7, "values hold names of people")
    for concept in ("sex", "ethnicity", "marital", "education"):
        if f.is_text and f.distinct >= 3 and agreement(f.sample, concept) > 0.8:
            return Guess("quasi", concept, 0.8, f"values say {CONCEPTS[concept].words}")
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


def is_prose(f: Facts) -> bool:
    """Several words, and hardly a value twice; or texts too long for a category."""
    if not f.is_text or f.distinct <= 5:
        return False
    if f.length > 60 and f.distinct > 20:
        return True
    return f.words >= 4 and (f.uniqueness > 0.3 or f.distinct > 300) and f.share(shapes.STREET) < 0.7
