"""A hierarchy for a quasi-identifier, built from its values: nice steps where there is an order, groups by frequency
where there is none. Steps are written into the policy; groupings name values, so they go to a file of their own."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal

import polars as pl

from anonym.hierarchy.files import read_hierarchy
from anonym.hierarchy.labels import leaf_text
from anonym.hierarchy.packs import taxonomy
from anonym.policy.infer import shapes
from anonym.policy.infer.facts import Facts
from anonym.policy.infer.ordered import READS, Read, compact_day

MANY = 200_000
"""Leaves of the largest grouping that is written to a file."""

BINS = 24
"""About how many intervals the finest step makes of a column."""

Line = tuple[str, ...]


@dataclass(frozen=True)
class Recode:
    """The keys of a quasi-identifier in the policy; `lines` are its hierarchy file, if it needs one."""

    hierarchy: str
    why: str
    options: dict[str, str] = field(default_factory=dict)
    lines: tuple[Line, ...] = ()


def recode(facts: Facts, concept: str) -> Recode:
    """The hierarchy of one column; it ends in `*`, so that a release can always be found."""
    if facts.is_date:
        return _dates(facts, concept)
    if isinstance(facts.dtype, pl.Time | pl.Duration):
        return Recode("auto", "round spans of minutes, hours or days")
    if facts.dtype == pl.Boolean or facts.distinct <= 2:
        return Recode("suppress", "two values: shown or not")
    if facts.is_number:
        if facts.distinct <= MANY and shapes.compact_days(facts) and (days := _ordered_lines(facts, compact_day)):
            return Recode("", "months, years and decades", lines=days)
        return _coded(facts, concept) or _numbers(facts, concept)
    return _texts(facts, concept)


def _dates(facts: Facts, concept: str) -> Recode:
    day = facts.known["value"].cast(pl.Date).to_physical().to_numpy()  # Python has no date after the year 9999
    days = int(day.max()) - int(day.min())
    if concept in ("birth", "death"):
        units = ["month", "quarter", "year", "decade"] if concept == "birth" else ["month", "quarter", "year"]
    elif days <= 92:
        units = ["day", "month"] if isinstance(facts.dtype, pl.Datetime) else ["month"]
    else:
        units = ["day"] if isinstance(facts.dtype, pl.Datetime) else []
        units += ["month", "quarter", "year"] + (["decade"] if days > 3653 else [])
    return Recode(f"{{date: [{', '.join(units)}]}}", "calendar periods")


CODES = frozenset(
    {"place", "country", "employer", "occupation", "ethnicity", "marital", "education", "language", "sex"}
)


def _coded(facts: Facts, concept: str) -> Recode | None:
    """Whole numbers that stand for something: near ones are not alike, so they are grouped by frequency."""
    if concept == "postcode" and facts.is_whole and facts.dtype.is_integer():
        return _prefixes(facts)
    if concept in CODES and facts.dtype.is_integer() and facts.distinct <= 1_000:
        return _groups(facts)
    return None


def _numbers(facts: Facts, concept: str) -> Recode:
    if concept in ("latitude", "longitude") and not facts.is_whole:
        return Recode("{round: [2, 1, 0]}", "about 1, 10 and 100 km")
    if concept == "age" and facts.high - facts.low >= 10:
        return Recode("{interval: [5, 10, 20, 40]}", "spans of years", {"top": "90"} if facts.high > 90 else {})
    if concept in ("birth", "year") and facts.low > 1_500 and facts.high - facts.low >= 5:
        return Recode("{interval: [5, 10, 20, 40]}", "spans of years")
    low, middle, high = (_quantile(facts, q) for q in (0.02, 0.5, 0.98))
    if facts.low >= 0 and middle > 0 and high > 8 * middle:
        return Recode(f"{{breaks: [{', '.join(_breaks(high))}]}}", "cuts that widen, as most values are small")
    return _intervals(facts, max(high - low, (facts.high - facts.low) / 10))


def _quantile(facts: Facts, share: float) -> float:
    """The value below which a share of the filled rows lies."""
    counted = facts.known.sort("value")
    place = (counted["rows"].cum_sum() >= share * facts.filled).arg_max() or 0
    return float(counted["value"][place])


def _breaks(high: float) -> Iterator[str]:
    """Cuts 0, 1, 2, 5, 10, … over three decades up to the high end; a coarser step takes 1, 10, 100, …"""
    top = math.ceil(math.log10(high)) if high > 0 else 0
    fine = [0.0] + [step * 10.0**power for power in range(top - 3, top + 1) for step in (1, 2, 5)]
    middle = [0.0] + [10.0**power for power in range(top - 3, top + 1)]
    coarse = [0.0, 10.0 ** (top - 1)]
    yield from (f"[{', '.join(map(_plain, sorted(set(cuts))))}]" for cuts in (fine, middle, coarse))


def _plain(number: float) -> str:
    """Without an exponent: the policy's reader takes both, people only one."""
    return f"{Decimal(f'{number:.12g}'):f}"


def _intervals(facts: Facts, extent: float) -> Recode:
    if facts.is_whole and facts.high - facts.low <= 3:
        return Recode("suppress", "few values: shown or not")
    width = _nice(extent / BINS)
    if facts.is_whole:
        width = max(width, 2.0)
    widths = [width]
    while widths[-1] * 2 <= extent * 0.7 and len(widths) < 5:
        widths.append(widths[-1] * 2)
    return Recode(f"{{interval: [{', '.join(map(_plain, widths))}]}}", "round widths, doubling")


def _nice(width: float) -> float:
    """The next of 1, 2, 5, 10, … times a power of ten."""
    if width <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(width))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= width * 0.999)


def _texts(facts: Facts, concept: str) -> Recode:
    if facts.share(shapes.ISO) == 1 and len({len(text) for text in facts.sample}) <= 2:
        return Recode("{prefix: [10, 7, 4]}", "day, month and year of ISO dates")
    if concept == "postcode":
        return _prefixes(facts)
    if found := _shipped(facts, concept):
        return found
    if facts.distinct <= MANY:
        for read, why in READS:
            if concept not in CODES and (lines := _ordered_lines(facts, read)):
                return Recode("", why, lines=lines)
    return _groups(facts)


SHIPPED = {"country": ("countries",), "place": ("us-states", "countries")}
"""Taxonomies that are tried for a concept. Those of codes are not: a code of three digits is one in several of them."""


def _shipped(facts: Facts, concept: str) -> Recode | None:
    """A shipped taxonomy that has every value of the column, in its spelling."""
    for name in SHIPPED.get(concept, ()):
        leaves = read_hierarchy(taxonomy(name).path).rows["level_0"]
        if facts.distinct > 2 and leaf_text(facts.known["value"]).is_in(leaves.implode()).all():
            return Recode(f"{{taxonomy: {name}}}", "the shipped taxonomy has every value")
    return None


def _prefixes(facts: Facts) -> Recode:
    longest = max(map(len, facts.sample), default=1)
    if longest == 1:
        return Recode("suppress", "codes of one character")
    lengths = sorted({length for length in (min(longest - 1, 4), min(longest - 1, 3), 2, 1) if 0 < length < longest})
    return Recode(f"{{prefix: [{', '.join(map(str, lengths[::-1]))}]}}", "the first characters of the code")


def _groups(facts: Facts) -> Recode:
    """Rare values together, ever more of them: under 1 %, 3 % and 10 % of the rows."""
    if facts.distinct > MANY:
        return Recode("suppress", "too many values to group: shown or not")
    if facts.distinct <= 3:
        return Recode("suppress", "few values: shown or not")
    texts = leaf_text(facts.known["value"]).to_list()
    counts = dict(zip(texts, facts.known["rows"].to_list(), strict=True))
    other = _unused("other", set(texts))
    steps = [dict(_merged(counts, share * facts.rows, other)) for share in (0.01, 0.03, 0.1)]
    kept: list[dict[str, str]] = []
    for step in steps:
        merged = sum(label == other for label in step.values())
        if merged > 1 and (not kept or step != kept[-1]):
            kept.append(step)
    if not kept:
        return Recode("suppress", "every value is frequent: shown or not")
    lines = tuple((text, *(step[text] for step in kept), "*") for text in texts)
    return Recode("", "rare values grouped by frequency", lines=lines)


def _merged(counts: dict[str, int], least: float, other: str) -> Iterator[tuple[str, str]]:
    yield from ((text, text if rows >= least else other) for text, rows in counts.items())


def _unused(word: str, taken: set[str]) -> str:
    while word in taken:
        word = f"({word})"
    return word


def _ordered_lines(facts: Facts, read: Read) -> tuple[Line, ...]:
    """Leaf, labels, `*` of every value, if `read` understands all of them."""
    lines = []
    for text in leaf_text(facts.known["value"]):
        labels = read(text)
        if labels is None:
            return ()
        lines.append((text, *labels, "*"))
    return tuple(lines)
