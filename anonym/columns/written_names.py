"""How a name is written, so that an invented one can be written the same way."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import takewhile

from anonym.columns.draws import Draws
from anonym.columns.faker_lists import GENDERS, Gender, Lists

TITLES: dict[str, Gender | None] = {
    **dict.fromkeys(("mr", "mister", "sir", "herr", "monsieur", "sr", "señor", "sig", "pan", "dhr"), "male"),
    **dict.fromkeys(("mrs", "ms", "miss", "madam", "frau", "mme", "mlle", "madame", "sra", "srta", "señora"), "female"),
    **dict.fromkeys(("sig.ra", "signora", "pani", "mevr"), "female"),
    **dict.fromkeys(("dr", "prof", "rev", "ing", "dipl", "mag", "lic", "judge", "capt"), None),
}
SUFFIXES = frozenset(("jr", "sr", "ii", "iii", "iv", "phd", "md", "esq", "dds", "jnr", "snr"))
PARTICLES = frozenset(
    (
        "van",
        "von",
        "de",
        "del",
        "della",
        "di",
        "da",
        "dos",
        "das",
        "du",
        "der",
        "den",
        "la",
        "le",
        "bin",
        "al",
        "el",
        "ten",
        "zu",
        "y",
    )
)

FAMILY_FIRST = ("ja", "zh", "ko", "hu", "vi")  # languages
TITLES_OF: dict[str, dict[str, Gender | None]] = {"fr": {"m": "male"}}  # elsewhere an initial

RICHER = 8  # attempts after which a name gets a second family name, because the plain ones are all taken

_WORD = re.compile(r"[^\s,]+")


def person_name(text: str, draws: Draws, lists: Lists) -> str:
    """A name with the same parts in the same order: titles, initials, given names, family name, comma, case.

    The gender is that of the title or of the given name, where the lists know it; else it is drawn.
    """
    titles = TITLES | TITLES_OF.get(lists.locale[:2], {})
    roles = _roles(text, titles, is_family_first=lists.locale[:2] in FAMILY_FIRST)
    given = [word for word, role in roles if role == "given"]
    known = _gender([titles[_bare(word)] for word, role in roles if role == "title"], given, lists)
    gender = draws.pick(GENDERS) if known is None else known
    family = draws.pick(lists.last[gender])
    if draws.attempt >= RICHER:
        family += "-" + draws.pick(lists.last[gender])
    if _is_unspaced(text):
        return family + draws.pick(lists.first[gender])
    words = iter([_invented(word, role, family, gender, draws, lists) for word, role in roles])
    name = " ".join(_WORD.sub(lambda _: next(words), text).split()).replace(" ,", ",").rstrip(", ")
    has_family = any(role == "family" for _, role in roles)
    return name if has_family or draws.attempt < RICHER else f"{name} {same_case(family, text)}"


def _is_unspaced(text: str) -> bool:
    """Family and given name in one word, as in Chinese and Japanese: letters without case, two to four of them."""
    return 2 <= len(text) <= 4 and all("\u3040" <= c <= "\u9fff" or "\uac00" <= c <= "\ud7a3" for c in text)


def _roles(text: str, titles: Mapping[str, Gender | None], *, is_family_first: bool) -> list[tuple[str, str]]:
    """Each word as title, suffix, given, family, or gone (particles and further words of a family name)."""
    words = _WORD.findall(text)
    roles = ["given"] * len(words)
    for i, word in enumerate(words):
        if _bare(word) in titles and (i == 0 or roles[i - 1] == "title") and len(words) > 1:
            roles[i] = "title"
        elif i > 0 and _bare(word) in SUFFIXES:
            roles[i] = "suffix"
    named = [i for i, role in enumerate(roles) if role == "given"]
    leading = _before_comma(text) or _leading(words, named, is_family_first)
    for i in _family(words, named, leading):
        roles[i] = "gone"
    if "gone" in roles:
        roles[len(roles) - 1 - roles[::-1].index("gone")] = "family"
    return list(zip(words, roles, strict=True))


def _before_comma(text: str) -> int:
    """Words before a comma that sets the family name apart, as in `Smith, John`, not in `Smith, Jr.`"""
    family, comma, rest = text.partition(",")
    return len(_WORD.findall(family)) if comma and rest.strip(" ,") and not _all_suffixes(rest) else 0


def _leading(words: list[str], named: list[int], is_family_first: bool) -> int:
    """Words up to the end of a family name that stands first: where the language has it so, or in capitals alone."""
    capitals = list(takewhile(lambda i: words[i].isupper() and len(words[i].rstrip(".")) > 1, named))
    if 0 < len(capitals) < len(named) and not any(
        words[i].isupper() and len(words[i]) > 2 for i in named[len(capitals) :]
    ):
        return capitals[-1] + 1
    return named[0] + 1 if is_family_first and len(named) > 1 else 0


def _family(words: list[str], named: list[int], leading: int) -> list[int]:
    """The places of the family name: the leading words, or the last word and the particles before it."""
    if leading:
        return [i for i in named if i < leading]
    last = named[-1:] if len(named) > 1 or (words and len(named) < len(words)) else []
    while last and len(named) > len(last) + 1 and words[named[-len(last) - 1]].casefold() in PARTICLES:
        last = named[-len(last) - 1 :]
    return last


def _gender(titles: list[Gender | None], given: list[str], lists: Lists) -> Gender | None:
    """What the titles say, else the first given name."""
    return next(filter(None, (*titles, *(lists.gender_of(name) for name in given[:1]))), None)


def _invented(word: str, role: str, family: str, gender: Gender, draws: Draws, lists: Lists) -> str:
    if role in ("title", "suffix"):
        return word
    if role == "gone":
        return ""
    name = family if role == "family" else draws.pick(lists.first[gender])
    if len(word.rstrip(".")) == 1 and word.upper() != word.lower():  # an initial, where letters have case
        return same_case(name[0], word) + word[1:]
    return same_case(name, word)


def same_case(name: str, word: str) -> str:
    """Capitals for capitals, lower case for lower case; else as the lists have it."""
    change: Callable[[str], str] = str.upper if word.isupper() else str.lower if word.islower() else str
    return change(name)


def _all_suffixes(text: str) -> bool:
    return all(_bare(word) in SUFFIXES for word in _WORD.findall(text))


def _bare(word: str) -> str:
    return word.casefold().rstrip(".")
