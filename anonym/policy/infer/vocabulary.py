"""What the name of a column says, and what a small set of values says: the word lists of `rules/roles`."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from anonym.policy.infer.lists import abbreviations, listed, phrases, stems, values

FAINT = 0.4
"""The weight of a word that says little beside another one: `diagnosis_date` is a date where its values are."""

HEAD = 3.5
"""What the last word that says something weighs more: `household_income` is an income."""

FAINTEST = 2.0
"""Too little for `keep`: in `service_affecte`, the service is a department."""

SHORTENED, QUALIFYING = 1.8, 1.2
"""The weights of a shortened word that is what the name is about, and of one that qualifies it: less than FAINTEST, so
that it yields to every word that is written out, and keeps no column."""

PHRASE = 4
"""The longest phrase of the lists, in words."""

FIELD = 20.0
"""What the name of a field of HL7 weighs: it says all."""

_NUMBER = ("no", "nr", "num", "number", "nbr", "numero", "nummer")
_SPELLINGS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_NUMBER, _NUMBER),
    **{short: (long,) for short, long in (("cd", "code"), ("typ", "type"), ("nm", "name"), ("nme", "name"))},
    **{short: (long,) for short, long in (("dt", "date"), ("dte", "date"), ("stat", "status"), ("sts", "status"))},
    **{short: (long,) for short, long in (("acct", "account"), ("acc", "account"), ("cust", "customer"))},
    **{short: (long,) for short, long in (("emp", "employee"), ("prod", "product"), ("svc", "service"))},
}
"""Short words of phrases that stand for one another."""

_FIELD = re.compile(
    r"(pid|pv1|nk1|dg1|obx|obr|in1|nte|al1|gt1)[\W_]*(\d{1,2})(?:[\W_]+(\d{1,2})(?!\d))?(?!\d)[\W_]*(.*)"
)

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
    return [word if word in phrases() else bare for word in words if (bare := word.strip("0123456789"))]


def concepts(name: str) -> list[tuple[str, float]]:
    """The concepts that a column name mentions, the weightiest first, with their weights."""
    weights: dict[str, float] = {}
    for concept, weight, _ in _mentions(name):
        weights[concept] = max(weight, weights.get(concept, 0.0))
    return sorted(weights.items(), key=lambda pair: -pair[1])


def heads(name: str) -> frozenset[str]:
    """The concepts of the word that the name is about; a word that qualifies another says nothing of that one."""
    return frozenset(concept for concept, _, is_head in _mentions(name) if is_head)


def qualifiers(name: str, concept: str) -> frozenset[str]:
    """What the words say that no phrase for `concept` holds: in `marital_status` marital qualifies the status."""
    words = tokens(name)
    idle = listed("generic") | listed("links")
    held = {
        place
        for first in range(len(words))
        for last in range(first + 1, min(first + PHRASE, len(words)) + 1)
        if concept in _said(words[first:last])
        for place in range(first, last)
    }
    rest = [word for place, word in enumerate(words) if place not in held and word not in idle]
    said = (_said([word]) if word in phrases() else abbreviations().meanings(word) for word in rest)
    return frozenset(itertools.chain.from_iterable(said))


def _mentions(name: str) -> Iterator[tuple[str, float, bool]]:
    """Concept, weight, and whether the word that the name is about says so."""
    if field := _FIELD.fullmatch(folded(name)):
        found = _phrases_of_field(*field.groups()[:3])
        yield from ((concept, FIELD, True) for concept in found)
        name = field[4]
    for spelling in {name, unicodedata.normalize("NFC", name).casefold().translate(_GERMAN)}:
        words = tokens(spelling)
        for mention in [*_mentioned(words), *_combined(words)]:
            if mention[0] not in ("person", "identity"):
                yield mention


def _phrases_of_field(segment: str, field: str, part: str | None) -> list[str]:
    """The concepts of a component of a field, else of the field."""
    whole = f"{segment}_{int(field)}"
    return (part and phrases().get(f"{whole}_{int(part)}")) or phrases().get(whole, [])


def agreement(found: Iterable[str], concept: str) -> float:
    """The share of `found` (distinct texts) that the list of the concept holds."""
    members = values(concept)
    keys = [re.sub(r"\s+", "_", folded(text.strip())) for text in found]
    return sum(key in members or key.replace("_", "-") in members for key in keys) / len(keys) if keys else 0.0


def _mentioned(words: list[str]) -> Iterator[tuple[str, float, bool]]:
    head, idle = _head(words), listed("generic") | listed("links")
    for first in range(len(words)):
        for last in range(first + 1, min(first + PHRASE, len(words)) + 1):
            part, is_head = words[first:last], first <= head < last
            phrase = "_".join(part)
            if len(part) == 1 and phrase in listed("generic") and len(words) > 1:
                weight = min(FAINT * len(phrase), FAINTEST)
            else:
                weight = len(phrase) + HEAD * is_head
            yield from ((concept, weight, is_head) for concept in _said(part))
    for place, word in enumerate(words):
        if word not in phrases() and word not in idle:
            weight = SHORTENED if place == head else QUALIFYING
            yield from ((concept, weight, place == head) for concept in sorted(abbreviations().meanings(word)))
        for stem, concept in stems():
            if word != stem and (word.startswith(stem) or word.endswith(stem)):
                yield concept, len(stem) - 0.5, place == head


def _said(part: Sequence[str]) -> Iterator[str]:
    """The concepts of a phrase, in its own spelling, in the singular, or with its short words in another."""
    phrase = "_".join(part)
    yield from phrases().get(phrase, ())
    if phrase.endswith("s"):  # `days` are how many, not which one
        yield from (concept for concept in phrases().get(phrase[:-1], ()) if concept != "date")
    if len(part) > 1:
        spellings = itertools.product(*({word, *_SPELLINGS.get(word, ())} for word in part))
        others = ("_".join(spelling) for spelling in spellings)
        yield from (concept for other in others if other != phrase for concept in phrases().get(other, ()))


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
    return {
        place
        for first in range(len(words))
        for last in range(first + 2, min(first + PHRASE, len(words)) + 1)
        if "_".join(words[first:last]) in phrases()
        for place in range(first, last)
    }


def _combined(words: list[str]) -> Iterator[tuple[str, float, bool]]:
    """A person's noun with a word for an identity, or with `name`; in `customer_zip_code` the code is not hers."""
    person = any("person" in phrases().get(word, ()) or "person" in abbreviations().meanings(word) for word in words)
    pairs = zip(["", *words], words, strict=False)
    own = [word for before, word in pairs if set(phrases().get(f"{before}_{word}", ())) <= {"person_id"}]
    if person and any("identity" in phrases().get(word, ()) for word in own):
        yield "person_id", 12.0, True
    if person and "person" in phrases().get(words[-1], ()):  # `user`, `remote_user`
        yield "person_id", 5.0 if len(words) == 1 else 4.5, True
    if person and words[-1] in ("name", "nom", "nome", "nombre", "naam", "nm"):
        yield "person_name", 12.0, True
