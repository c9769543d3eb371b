"""Lists of words that judge findings, kept as data in `rules/recognisers/words/`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import yaml

from anonym.rules import rules_folder


def folder() -> Path:
    """`rules/recognisers/words`."""
    return rules_folder() / "recognisers" / "words"


@cache
def _lists() -> dict[str, str]:
    lists: dict[str, str] = yaml.load((folder() / "lists.yaml").read_text(encoding="utf-8"), Loader=yaml.CBaseLoader)
    return lists


@cache
def words(name: str) -> frozenset[str]:
    """The folded words of the list `name`. Raises KeyError for an unknown one."""
    return frozenset(_lists()[name].split())


@cache
def dictionary(language: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """Words written in lower case, and words only written with a capital, folded; None where there is no list.

    Source: SCOWL, as its file says.
    """
    path = folder() / f"{language}.txt"
    if not path.is_file():
        return None
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    lower = frozenset(line for line in lines if line.islower())
    return lower, frozenset(line.casefold() for line in lines if not line.islower()) - lower
