"""Numbers and names as they are printed: one way for all pages.

A figure never looks better than it is: what must be at least something is rounded down, what may be at most something
is rounded up, and a share is printed as 0 % or 100 % only if it is exactly that.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

NOT_MEASURED = "not measured"
NOT_APPLICABLE = "not applicable"

# Control characters, bidirectional overrides, invisible spaces, lone surrogates: two names must not look the same.
UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def visible(text: str) -> str:
    """The text with characters that cannot be seen, or that reorder others, as escapes."""
    return UNSEEN.sub(lambda match: ESCAPES.get(match[0], f"\\u{ord(match[0]):04x}"), text)


def shortened(text: str, width: int) -> str:
    """At most `width` characters, the middle left out."""
    if len(text) <= width:
        return text
    head = (width - 1) // 2
    return f"{text[: width - 1 - head]}…{text[len(text) - head :]}"


def count(number: float | None, absent: str = NOT_MEASURED) -> str:
    """A count with its thousands marked; fractions (shared weights) to two decimals."""
    if number is None:
        return absent
    return f"{number:,.0f}" if float(number).is_integer() else f"{number:,.2f}"


def plural(number: float | None, noun: str) -> str:
    """`1 row`, `2 rows`, `3 classes`, `2 entries`."""
    if number == 1:
        return f"1 {noun}"
    many = noun[:-1] + "ies" if re.search("[^aeiou]y$", noun) else noun + ("es" if noun.endswith("s") else "s")
    return f"{count(number)} {many}"


def share(value: float | None, absent: str = NOT_MEASURED, aligned: bool = False) -> str:
    """Per cent: two decimals below 10 %, else one; fewer where they would be zeros, unless it stands in a column."""
    if value is None:
        return absent
    if value in (0, 1):
        return f"{value * 100:.0f} %"
    if value < 0.0001:
        return "< 0.01 %"
    if value > 0.999:
        return "> 99.9 %"
    text = f"{value * 100:.{2 if value < 0.1 else 1}f}"
    exact = abs(value * 100 - float(text)) < 1e-7 and not aligned
    return f"{text.rstrip('0').rstrip('.')} %" if exact else f"{text} %"


def number(value: float | None, absent: str = NOT_MEASURED) -> str:
    """Four significant digits."""
    if value is None:
        return absent
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def decimal(value: float | None, absent: str = NOT_MEASURED) -> str:
    """Four decimals, for figures in [0, 1] that stand below each other."""
    return absent if value is None else f"{value:.4f}"


def at_least(value: float | None, absent: str = NOT_MEASURED) -> str:
    """A figure that should be large: rounded down to four significant digits."""
    return absent if value is None else _rounded(value, math.floor)


def at_most(value: float | None, absent: str = NOT_MEASURED) -> str:
    """A figure that should be small: rounded up to four significant digits."""
    return absent if value is None else _rounded(value, math.ceil)


def epsilon(training: Mapping[str, Any]) -> str:
    """An ε with what it means nothing without."""
    how = f"{training['adjacency']}; {training['sampler']}; {training['accountant']}"
    return f"ε {at_most(training['epsilon'])} per {training['unit']} at δ {training['delta']:g} ({how})"


def _rounded(value: float, towards: Callable[[float], int]) -> str:
    if float(value).is_integer():
        return f"{int(value):,}"
    digits = max(0, 3 - math.floor(math.log10(abs(value))))
    scaled = value * 10.0**digits
    # Evidence is kept to nine significant digits: what is nearer to a round figure than that is the round figure.
    kept = round(scaled) if abs(scaled - round(scaled)) < 1e-8 * abs(scaled) else towards(scaled)
    text = f"{kept / 10.0**digits:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if digits else text


def listed(names: Iterable[str], most: int | None = None) -> str:
    """`a, b and c`; with `most`, `a, b and 58 more`."""
    shown = list(names)
    if most is not None and len(shown) > most:
        shown = [*shown[: most - 1], f"{len(shown) - most + 1} more"]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def compact(number: int) -> str:
    """At most five characters: `980`, `1.3k`, `21k`, `5.2M`."""
    for unit, suffix in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if number >= unit:
            scaled = number / unit
            return f"{scaled:.1f}".removesuffix(".0") + suffix if scaled < 10 else f"{scaled:.0f}{suffix}"
    return str(number)


def rounded_share(value: float) -> str:
    """Per cent without decimals for a drawing, where the exact figure stands elsewhere."""
    return "<1%" if 0 < value < 0.01 else ">99%" if 0.99 < value < 1 else f"{value * 100:.0f}%"
