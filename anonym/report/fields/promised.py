"""Fields on what was promised and what the written file has: guarantee, classes, loss, risk, suppression."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from anonym.report.fields.kinds import Amount, Count, Counted, Share


class SuppressedGroup(TypedDict):
    """Suppressed rows of one group, as `counts.protect` returns it: withheld counts are null, all three at once."""

    column: str
    group: Annotated[str | None, "label at the released level that at least k units share; null: the null value"]
    rows: Count | None
    rate: Annotated[Share | None, "rows / of"]
    of: NotRequired[Annotated[Count | None, "input rows of the group"]]
    rest: NotRequired[
        Annotated[bool, "the group is all labels that fewer than k units share, or beyond the 500 most frequent"]
    ]


class Suppression(TypedDict):
    """What was given up, and who bears it."""

    rows: Annotated[Count | None, "input rows that are not in the release, exact; null if no recoding was found"]
    rate: Annotated[Share | None, "rows / input rows"]
    units_rate: Annotated[Share | None, "units without a single released row / input units; null without a unit"]
    limit: Annotated[Share | None, "the share of input rows that the policy allows"]
    groups: list[SuppressedGroup]
    units: NotRequired[Count | None]
    limit_rows: NotRequired[Annotated[Count | None, "floor(limit x input rows)"]]
    uncovered: NotRequired[Annotated[Count, "rows of these lost because a hierarchy lacks one of their values"]]
    unlisted: NotRequired[Annotated[Count, "rows of these whose combination a secret plan does not list"]]
    action: NotRequired[Annotated[Literal["drop", "mask"], "mask: an empty row stays"]]


class K(TypedDict):
    """k-anonymity, recomputed from the written file."""

    required: Count
    achieved: Annotated[Count | None, "the smallest class, counted as `counted` says; null: there is no class"]
    rows: Annotated[Count | None, "the smallest class in rows"]
    units: Annotated[Count | None, "the smallest class in distinct units; null: no unit, or not counted"]
    profiles: Annotated[Count | None, "the fewest units that share a profile; null: not counted"]
    counted: NotRequired[Counted]
    linkable: NotRequired[Annotated[str | None, "why the policy accepts that rows of one unit can be joined"]]
    classes_failing: NotRequired[Count | None]
    holds: NotRequired[bool | None]


class RecursiveBound(TypedDict):
    """Recursive (c, l)-diversity: r1 < c (r_l + ... + r_m). Achieved: c is the largest r1 / (r_l + ... + r_m)."""

    c: Amount | None
    l: Count  # noqa: E741 - the field's own symbol


class L(TypedDict):
    """l-diversity of one sensitive column, recomputed from the written file."""

    kind: Literal["distinct", "entropy", "recursive"]
    required: Amount | RecursiveBound
    achieved: Annotated[Amount | RecursiveBound | None, "the worst class"]
    classes_failing: NotRequired[Count | None]
    holds: NotRequired[bool | None]


class T(TypedDict):
    """t-closeness of one sensitive column, recomputed from the written file."""

    distance: Literal["equal", "ordered", "hierarchical"]
    required: Share
    achieved: Annotated[Share | None, "the largest distance of a class from all released rows"]
    against_input: Annotated[Share | None, "the largest distance of a class from all input rows"]
    moved: NotRequired[Annotated[Share | None, "distance of the released rows from the input rows"]]
    classes_failing: NotRequired[Count | None]
    holds: NotRequired[bool | None]


class Guarantee(TypedDict):
    """What was promised and what the written file has."""

    k: Annotated[K | None, "null: the policy has no quasi-identifier"]
    l: Annotated[dict[str, L], "by sensitive column"]  # noqa: E741
    t: Annotated[dict[str, T], "by sensitive column"]


SizeBin = TypedDict("SizeBin", {"from": Count, "to": Count, "classes": Count, "rows": Count})
SizeBin.__doc__ = "Classes with `from` to `to` members, both included, and the rows in them."


class Classes(TypedDict):
    """The equivalence classes of the release."""

    count: Count | None
    average: Annotated[Amount | None, "released rows / classes"]
    sizes: Annotated[list[SizeBin], "as `counts.class_histogram` bins them: doubling from k on"]
    counted: NotRequired[Annotated[Literal["rows", "units"], "what a size counts"]]


class Loss(TypedDict):
    """What the release costs in detail."""

    ncp: Annotated[Share | None, "normalised certainty penalty: 0 untouched, 1 nothing left"]
    discernibility: Annotated[Amount | None, "sum of class size squared, plus the input rows for each suppressed row"]
    average_class_size: Annotated[Amount | None, "C_AVG = released rows / classes / k"]


class Risk(TypedDict):
    """Re-identification risk that follows from class sizes alone, in members as k counts them."""

    prosecutor_max: Annotated[Share | None, "1 / smallest class: the target is known to be in the release"]
    prosecutor_mean: Annotated[Share | None, "mean of 1 / class size over the released rows, a size being in members"]
    journalist: Annotated[Share | None, "against a population table; null: none given"]
    marketer: Annotated[Share | None, "expected share of members re-identified by linking all"]


class Threshold(TypedDict):
    """A limit of the policy on something measured beyond its guarantee."""

    limit: Amount
    found: NotRequired[Annotated[float | None, "null: not measured"]]
    holds: NotRequired[bool | None]
