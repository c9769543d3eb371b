"""The shapes of hierarchies in a policy: one key says which kind, or one word."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag

from anonym.hierarchy.clock import Seconds
from anonym.policy.shape import Shape
from anonym.policy.terms import Measured, Number, Text, Word, by_key

Cut = Annotated[Decimal | Seconds, Measured()]
Width = Annotated[Decimal | Seconds, Measured(clock=False, positive=True)]
Count = Annotated[int, Number(ge=1, whole=True)]
Decimals = Annotated[int, Number(ge=-60, le=60, whole=True)]
FilePath = Annotated[str, Text("the path of a file, relative to the policy", r"[^\x00\r\n]+", 4096)]
DateWord = Annotated[Literal["day", "month", "quarter", "year", "decade"], Word()]

Cuts = Annotated[list[Cut], Field(min_length=1)]
CutLevels = Annotated[list[Cuts], Field(min_length=1)]


def _levels_of(value: object) -> str:
    """Cuts of one level, or of several: what the first entry is decides, the others are then reported."""
    return "\0nested" if isinstance(value, list) and value and isinstance(value[0], list) else "\0flat"


def _one_or_list(value: object) -> str:
    return "\0list" if isinstance(value, list) else "\0one"


class IntervalShape(Shape):
    """Half-open intervals anchored at 0: level 1 has the first width, level 2 the second, and so on; then `*`."""

    interval: list[Width] = Field(
        min_length=1,
        description="widths, each a multiple of the one before: [5, 10, 20], or [15m, 1h] of times and durations",
    )


class BreaksShape(Shape):
    """Half-open intervals between declared cuts: one list is one level, a list of lists several; then `*`."""

    breaks: Annotated[
        Annotated[Cuts, Tag("\0flat")] | Annotated[CutLevels, Tag("\0nested")],
        Discriminator(_levels_of),
    ] = Field(description="cuts, such as [18, 30, 65], [08:00, 18:00] or [1h, 1d], or a list of cuts a level")


class PrefixShape(Shape):
    """The first characters of the text, the rest as `*`."""

    prefix: list[Count] = Field(min_length=1, description="lengths, decreasing, such as [5, 3, 1]")


class DateShape(Shape):
    """Calendar periods; then `*`."""

    date: list[DateWord] = Field(
        min_length=1, description="periods from fine to coarse, out of day, month, quarter, year, decade"
    )


class RoundShape(Shape):
    """Numbers rounded to fewer and fewer decimals; then `*`."""

    round: Annotated[
        Annotated[Decimals, Tag("\0one")] | Annotated[list[Decimals], Field(min_length=1), Tag("\0list")],
        Discriminator(_one_or_list),
    ] = Field(description="decimals, decreasing, such as [1, 0, -1] (-1: to tens); one step may stand alone")


class FileShape(Shape):
    """A table without header, UTF-8: leaf, parent, ..., root on each line. The last column is released as `*`."""

    file: FilePath = Field(description="the file's path, relative to the policy")


class TaxonomyShape(Shape):
    """A hierarchy that ships with anonym."""

    taxonomy: Annotated[str, Text("the name of a shipped hierarchy", r"[a-z][a-z0-9_-]*", 100)] = Field(
        description="one of countries, icd10-cm, isced-2011, isco-08, nace, naics, nuts, soc-2018, us-states, us-zip3"
    )


class IpShape(Shape):
    """Network prefixes of IP addresses; then `*`."""

    ip: list[Annotated[int, Number(ge=0, le=128, whole=True)]] = Field(
        min_length=1, description="prefix lengths in bits, decreasing, such as [24, 16, 8]"
    )


HIERARCHY_KINDS = ("interval", "breaks", "prefix", "date", "round", "file", "taxonomy", "ip")
HIERARCHY_WORDS = ("suppress", "none", "auto")
HIERARCHY = (
    "a hierarchy: a mapping with one of the keys "
    f"{', '.join(HIERARCHY_KINDS)}, or one of the words {', '.join(HIERARCHY_WORDS)}"
)
HierarchyWord = Annotated[Literal["suppress", "none", "auto"], Word((*HIERARCHY_WORDS, *HIERARCHY_KINDS))]

HierarchyShape = Annotated[
    Annotated[HierarchyWord, Tag("\0word")]
    | Annotated[IntervalShape, Tag("\0interval")]
    | Annotated[BreaksShape, Tag("\0breaks")]
    | Annotated[PrefixShape, Tag("\0prefix")]
    | Annotated[DateShape, Tag("\0date")]
    | Annotated[RoundShape, Tag("\0round")]
    | Annotated[FileShape, Tag("\0file")]
    | Annotated[TaxonomyShape, Tag("\0taxonomy")]
    | Annotated[IpShape, Tag("\0ip")],
    by_key(HIERARCHY, *HIERARCHY_KINDS),
]

BinsShape = Annotated[
    Annotated[IntervalShape, Tag("\0interval")] | Annotated[BreaksShape, Tag("\0breaks")],
    by_key("bins: a mapping with one of the keys interval, breaks", "interval", "breaks"),
]
