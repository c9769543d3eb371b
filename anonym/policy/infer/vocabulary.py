"""What the name of a column says, and what a small set of values says: the word lists of `rules/roles`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache

import yaml

from anonym.rules import rules_folder

FAINT = 0.4
"""The weight of a word that says little beside another one: `diagnosis_date` is a date where its values are."""

HEAD = 3.5
"""What the last word that says something weighs more: `household_income` is an income."""

FAINTEST = 2.0
"""Too little for `keep`: in `service_affecte`, the service is a department."""

APART = ("generic", "links", "subjects", "serving")
"""Lists that are no concepts."""

PHRASE = 4
"""The longest phrase of the lists, in words."""

_CAMEL = re.compile(r"(?<=[a-zà-ÿ0-9])(?=[A-ZÀ-Þ])|(?<=[A-Z])(?=[A-Z][a-z])")
_SPECIAL = str.maketrans({"ß": "ss", "ø": "o", "ł": "l", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th", "ı": "i"})
_GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


def folded(text: str) -> str:
    """Lower case without accents: `Straße` is `strasse`, `Año` is `ano`."""
    plain = unicodedata.normalize("NFKD", text.casefold().translate(_SPECIAL))
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def tokens(name: str) -> list[str]:
    """The words of a column name: `PatDOB` is pat, dob; `cust_ID2` is cust, id."""
    words = re.split(r"[^0-9a-z]+", folded(_CAMEL.sub(" ", name)))
    phrases, _ = _lists()
    return [word if word in phrases else bare for word in words if (bare := word.strip("0123456789"))]


def concepts(name: str) -> list[tuple[str, float]]:
    """The concepts that a column name mentions, the weightiest first, with their weights."""
    weights: dict[str, float] = {}
    for concept, weight, _ in _mentions(name):
        weights[concept] = max(weight, weights.get(concept, 0.0))
    return sorted(weights.items(), key=lambda pair: -pair[1])


def heads(name: str) -> frozenset[str]:
    """The concepts of the word that the name is about; a word that qualifies another says nothing of that one."""
    return frozenset(concept for concept, _, is_head in _mentions(name) if is_head)


def _mentions(name: str) -> Iterator[tuple[str, float, bool]]:
    """Concept, weight, and whether the word that the name is about says so."""
    for spelling in {name, unicodedata.normalize("NFC", name).casefold().translate(_GERMAN)}:
        words = tokens(spelling)
        for mention in [*_mentioned(words), *_combined(words)]:
            if mention[0] not in ("person", "identity"):
                yield mention


def values(concept: str) -> frozenset[str]:
    """The folded values by which `rules/roles/values.yaml` knows a concept."""
    return _values()[concept]


def agreement(found: Iterable[str], concept: str) -> float:
    """The share of `found` (distinct texts) that the list of the concept holds."""
    members = values(concept)
    keys = [re.sub(r"\s+", "_", folded(text.strip())) for text in found]
    return sum(key in members or key.replace("_", "-") in members for key in keys) / len(keys) if keys else 0.0


def _mentioned(words: list[str]) -> Iterator[tuple[str, float, bool]]:
    phrases, stems = _lists()
    head = _head(words)
    for first in range(len(words)):
        for last in range(first + 1, min(first + PHRASE, len(words)) + 1):
            part, is_head = words[first:last], first <= head < last
            phrase = "_".join(part)
            if len(part) == 1 and phrase in listed("generic") and len(words) > 1:
                weight = min(FAINT * len(phrase), FAINTEST)
            else:
                weight = len(phrase) + HEAD * is_head
            for key in (phrase, phrase.removesuffix("s")):
                yield from ((concept, weight, is_head) for concept in phrases.get(key, ()))
    for place, word in enumerate(words):
        for stem, concept in stems:
            if word != stem and (word.startswith(stem) or word.endswith(stem)):
                yield concept, len(stem) - 0.5, place == head


def _head(words: list[str]) -> int:
    """The place of the last word that says something, alone or in a phrase, before `at`, `of` and the like if there."""
    links = listed("links")
    idle = listed("generic") | links
    phrased = _phrased(words)
    telling = [place for place, word in enumerate(words) if place in phrased or (word not in idle and len(word) > 1)]
    link = next((place for place, word in enumerate(words) if word in links), len(words))
    before = [place for place in telling if place < link]
    return max(before or telling, default=len(words) - 1)


def _phrased(words: list[str]) -> set[int]:
    """The places of words that are part of a phrase of the lists."""
    phrases, _ = _lists()
    return {
        place
        for first in range(len(words))
        for last in range(first + 2, min(first + PHRASE, len(words)) + 1)
        if "_".join(words[first:last]) in phrases
        for place in range(first, last)
    }


def _combined(words: list[str]) -> Iterator[tuple[str, float, bool]]:
    """A person's noun with a word for an identity, or with `name`; in `customer_zip_code` the code is not hers."""
    phrases, _ = _lists()
    person = any("person" in phrases.get(word, ()) for word in words)
    pairs = zip(["", *words], words, strict=False)
    own = [word for before, word in pairs if set(phrases.get(f"{before}_{word}", ())) <= {"person_id"}]
    if person and any("identity" in phrases.get(word, ()) for word in own):
        yield "person_id", 12.0, True
    if len(words) == 1 and person:
        yield "person_id", 5.0, True
    if person and words[-1] in ("name", "nom", "nome", "nombre", "naam"):
        yield "person_name", 12.0, True


def listed(name: str) -> frozenset[str]:
    """The words of one of the lists APART."""
    return _apart()[name]


@cache
def _apart() -> dict[str, frozenset[str]]:
    return {name: frozenset(_names()[name].split()) for name in APART}


@cache
def _names() -> dict[str, str]:
    content = (rules_folder() / "roles" / "names.yaml").read_text(encoding="utf-8")
    entries: dict[str, str] = yaml.load(content, Loader=yaml.CBaseLoader)
    return entries


@cache
def _lists() -> tuple[dict[str, list[str]], list[tuple[str, str]]]:
    """Phrases, words joined by `_` or by nothing, with their concepts; and stems with theirs."""
    phrases: dict[str, list[str]] = {}
    stems = []
    for concept, words in _names().items():
        if concept in APART:
            continue
        for word in words.split():
            if word.startswith("~"):
                stems.append((word[1:], concept))
            else:
                for key in {word, word.replace("_", "")}:
                    phrases.setdefault(key, []).append(concept)
    return phrases, stems


@cache
def _values() -> dict[str, frozenset[str]]:
    content = (rules_folder() / "roles" / "values.yaml").read_text(encoding="utf-8")
    listed: dict[str, str] = yaml.load(content, Loader=yaml.CBaseLoader)
    return {concept: frozenset(words.split()) for concept, words in listed.items()}
