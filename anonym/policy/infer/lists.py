"""The word lists of `rules/roles`, as they are looked up."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import yaml

from anonym.policy.infer.abbreviations import Abbreviations
from anonym.rules import rules_folder

APART = ("generic", "links", "subjects", "serving")
"""Lists that are no concepts."""


@cache
def listed(name: str) -> frozenset[str]:
    """The words of one of the lists APART."""
    return frozenset(_read("names")[name])


@cache
def phrases() -> Mapping[str, list[str]]:
    """Phrases, their words joined by `_` or by nothing, with their concepts."""
    found: dict[str, list[str]] = {}
    for concept, words in _concepts():
        for word in words:
            for key in {word, word.replace("_", "")} if not word.startswith("~") else ():
                found.setdefault(key, []).append(concept)
    return found


@cache
def stems() -> list[tuple[str, str]]:
    """Beginnings and ends of words, with their concepts."""
    return [(word[1:], concept) for concept, words in _concepts() for word in words if word.startswith("~")]


@cache
def abbreviations() -> Abbreviations:
    """Of the words of every concept, and of nouns for persons, which then mean nothing by themselves."""
    found: dict[str, set[str]] = {}
    for concept, words in _concepts():
        for word in filter(str.isalpha, words):
            found.setdefault(word, set()).add(concept)
    return Abbreviations.of(found)


def _concepts() -> list[tuple[str, list[str]]]:
    return [(name, words) for name, words in _read("names").items() if name not in APART]


@cache
def _read(name: str) -> Mapping[str, list[str]]:
    content = (rules_folder() / "roles" / f"{name}.yaml").read_text(encoding="utf-8")
    entries: dict[str, str] = yaml.load(content, Loader=yaml.CBaseLoader)
    return {entry: words.split() for entry, words in entries.items()}


@cache
def values(concept: str) -> frozenset[str]:
    """The folded values by which `rules/roles/values.yaml` knows a concept."""
    return frozenset(_read("values")[concept])
