"""The styles of replacement by their names in a policy."""

from __future__ import annotations

from anonym.text.replace import Pseudonym, Replacement, Style, mask, tag
from anonym.text.surrogates import Surrogate


def replacement(style: Style, key: bytes, language: str) -> Replacement:
    """The replacement called `style`, keyed where that matters."""
    if style == "surrogate":
        return Surrogate(key, language)
    if style == "pseudonym":
        return Pseudonym(key)
    return mask if style == "mask" else tag
