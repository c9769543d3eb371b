"""The shapes of a policy's columns, one a role, and for identifiers one an action."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal, get_args

from pydantic import Discriminator, Field, Tag
from pydantic_core import ErrorDetails

from anonym.columns.surrogate import Kind
from anonym.hierarchy.clock import Seconds
from anonym.policy.hierarchy_shapes import BinsShape, FileShape, HierarchyShape
from anonym.policy.saying import close_to
from anonym.policy.shape import Shape
from anonym.policy.terms import TAG, Given, Measured, Number, Text, Word, by_key

ROLES = ("quasi", "sensitive", "identifier", "text", "keep", "drop")
ROLE = f"one of {', '.join(ROLES)}"
ACTIONS = ("drop", "redact", "pseudonym", "surrogate", "shift")

Reason = Annotated[str, Text("the reason, in words")]
AnyText = Annotated[str, Text("text", r"[\s\S]*")]
Level = Annotated[int, Number(ge=0, whole=True)]
Share = Annotated[Decimal, Number(ge=0, le=1)]
Edge = Annotated[Decimal | date | Seconds, Measured(day=True)]
KEY = r"env:[A-Za-z_][A-Za-z0-9_]*|file:[^\x00\r\n]+"
KeySource = Annotated[
    str, Text("where the key is found, env:NAME or file:PATH; a key itself is never written into a policy", KEY, 4096)
]
KEY_DESCRIPTION = "where the secret key of at least 32 bytes is found: env:NAME or file:PATH"


class ColumnShape(Shape):
    """What becomes of one column, or of all columns that a glob matches."""

    @classmethod
    def _text(cls, error: ErrorDetails, missing: list[str], data: Any) -> str | None:
        if error["type"] == "missing" and error["loc"] != ("role",) and not _is_meant(data):
            return None
        return super()._text(error, missing, data)

    @classmethod
    def _unknown(cls, key: str, missing: list[str], data: Any) -> str | None:
        places = {name: where for name, where in _places().items() if name not in cls.model_fields}
        if key in places and close_to(key, missing) is None:
            role = data.get("role")
            known = role in ROLES and (role != "identifier" or data.get("action", "drop") in ACTIONS)
            return f"no such key here; it belongs to {places[key]}" if known else None
        return super()._unknown(key, missing, data)


class QuasiShape(ColumnShape):
    """A quasi-identifier: others may know it, so it is generalised until every class has k members."""

    role: Annotated[Literal["quasi"], Word(ROLES)] = Field(description=ROLE)
    hierarchy: HierarchyShape = Field(
        default="none",
        description="how values become coarser: levels 1, 2, ... are the listed steps, then comes `*`; none: never",
    )
    finest: Level = Field(default=0, description="lowest level that a release may use (0: the value as it is)")
    coarsest: Given[Level] = Field(default=None, description="highest level that a release may use; absent: up to `*`")
    top: Given[Edge] = Field(default=None, description="values from here on become one, such as `>=90`")
    bottom: Given[Edge] = Field(default=None, description="values up to here become one, such as `<=5`")
    uncovered: Annotated[Literal["refuse", "suppress", "top"], Word()] = Field(
        default="refuse",
        description="a value that the hierarchy lacks: stop, suppress the row, or release the cell as `*`",
    )
    form: Annotated[Literal["label", "set", "bounds", "representative"], Word()] = Field(
        default="label",
        description="how generalised values are written: see the table of forms in the policy reference",
    )
    weight: Annotated[Decimal, Number(gt=0)] = Field(
        default=Decimal(1), description="how much the search spares this column; the loss that is printed ignores it"
    )
    normalise: list[Annotated[Literal["trim", "casefold", "nfkc"], Word()]] = Field(
        default=[], description="spellings that count as one value, out of trim, casefold, nfkc"
    )


class DistinctShape(Shape):
    """Distinct l-diversity."""

    distinct: Annotated[int, Number(ge=1, whole=True)] = Field(description="distinct sensitive values in every class")


class EntropyShape(Shape):
    """Entropy l-diversity."""

    entropy: Annotated[Decimal, Number(ge=1)] = Field(description="exp of the entropy of every class, at least")


class RecursiveParts(Shape):
    """The two numbers of recursive (c, l)-diversity."""

    c: Annotated[Decimal, Number(gt=0)] = Field(description="c: the most frequent value is rarer than c times the tail")
    l: Annotated[int, Number(ge=1, whole=True)] = Field(  # noqa: E741 - the field's own letter
        description="l: the tail begins at the l-th most frequent value"
    )


class RecursiveShape(Shape):
    """Recursive (c, l)-diversity."""

    recursive: RecursiveParts = Field(description="a mapping {c, l}")


class ClosenessShape(Shape):
    """t-closeness: the distance of every class from all released rows."""

    max: Share = Field(description="t, the largest distance allowed, from 0 to 1")
    distance: Annotated[Literal["equal", "ordered", "hierarchical"], Word()] = Field(
        default="equal", description="how far two values are apart: equally, by rank, or by a hierarchy"
    )
    order: Given[Annotated[list[AnyText], Field(min_length=1)]] = Field(
        default=None, description="the values from low to high, for distance ordered; absent: natural order"
    )
    hierarchy: Given[FileShape] = Field(default=None, description="a mapping {file}, for distance hierarchical")


DiversityShape = Annotated[
    Annotated[DistinctShape, Tag("\0distinct")]
    | Annotated[EntropyShape, Tag("\0entropy")]
    | Annotated[RecursiveShape, Tag("\0recursive")],
    by_key(
        "l-diversity: a mapping with one of the keys distinct, entropy, recursive, such as {distinct: 3}",
        "distinct",
        "entropy",
        "recursive",
    ),
]


class SensitiveShape(ColumnShape):
    """A sensitive column: released as it is, and varied enough in every class."""

    role: Annotated[Literal["sensitive"], Word(ROLES)] = Field(description=ROLE)
    l: Given[DiversityShape] = Field(  # noqa: E741
        default=None, description="l-diversity, such as {distinct: 3}"
    )
    t: Given[ClosenessShape] = Field(default=None, description="t-closeness, such as {max: 0.2}")
    bins: Given[BinsShape] = Field(
        default=None, description="intervals in which numbers, times of day or durations count as one value for l and t"
    )


class DropIdentifierShape(ColumnShape):
    """An identifier that is not released."""

    role: Annotated[Literal["identifier"], Word(ROLES)] = Field(description=ROLE)
    action: Annotated[Literal["drop"], Word(ACTIONS)] = Field(default="drop", description="not released")


class RedactShape(ColumnShape):
    """An identifier whose every value becomes the same mark."""

    role: Annotated[Literal["identifier"], Word(ROLES)] = Field(description=ROLE)
    action: Annotated[Literal["redact"], Word(ACTIONS)] = Field(description="every value becomes [REDACTED]")


class PseudonymShape(ColumnShape):
    """An identifier replaced by a keyed token (HMAC-SHA256)."""

    role: Annotated[Literal["identifier"], Word(ROLES)] = Field(description=ROLE)
    action: Annotated[Literal["pseudonym"], Word(ACTIONS)] = Field(description="replaced by a keyed token")
    key: KeySource = Field(description=KEY_DESCRIPTION)
    domain: Given[Annotated[str, Text()]] = Field(
        default=None,
        description="columns of one domain get the same token for the same value; absent: the column's name",
    )
    scope: Annotated[Literal["release", "project"], Word()] = Field(
        default="release", description="release: new tokens every time; project: the same token across releases"
    )


class SurrogateShape(ColumnShape):
    """An identifier replaced by an invented value of the same kind."""

    role: Annotated[Literal["identifier"], Word(ROLES)] = Field(description=ROLE)
    action: Annotated[Literal["surrogate"], Word(ACTIONS)] = Field(description="replaced by an invented value")
    kind: Annotated[Kind, Word()] = Field(description=f"the kind of value: {', '.join(get_args(Kind))}")
    key: KeySource = Field(description=KEY_DESCRIPTION)
    domain: Given[Annotated[str, Text()]] = Field(
        default=None, description="columns of one domain get the same surrogate for the same value"
    )
    scope: Annotated[Literal["release", "project"], Word()] = Field(
        default="release", description="release: new surrogates every time; project: the same across releases"
    )
    locale: Annotated[str, Text("a locale such as en_US", r"[a-z]{2,3}_[A-Z]{2}", 10)] = Field(
        default="en_US", description="the locale of names, places, telephone and national numbers"
    )


class ShiftShape(ColumnShape):
    """Dates moved by one keyed offset per unit."""

    role: Annotated[Literal["identifier"], Word(ROLES)] = Field(description=ROLE)
    action: Annotated[Literal["shift"], Word(ACTIONS)] = Field(description="dates moved by one offset per unit")
    days: Annotated[int, Number(ge=1, whole=True)] = Field(description="the largest offset, in days")
    key: Given[KeySource] = Field(default=None, description=KEY_DESCRIPTION)
    scope: Annotated[Literal["release", "project"], Word()] = Field(
        default="release", description="release: new offsets every time; project: the same across releases (needs key)"
    )


class TextShape(ColumnShape):
    """Free text, scrubbed as the section `text` says."""

    role: Annotated[Literal["text"], Word(ROLES)] = Field(description=ROLE)


class KeepShape(ColumnShape):
    """Released as it is."""

    role: Annotated[Literal["keep"], Word(ROLES)] = Field(description=ROLE)
    allow_unique: Given[Reason] = Field(
        default=None, description="why values that fewer than k units hold may be released; absent: they are refused"
    )


class DropShape(ColumnShape):
    """Not released."""

    role: Annotated[Literal["drop"], Word(ROLES)] = Field(description=ROLE)


_BY_NAME: Mapping[str, type[ColumnShape]] = {
    "quasi": QuasiShape,
    "sensitive": SensitiveShape,
    "identifier drop": DropIdentifierShape,
    "identifier redact": RedactShape,
    "identifier pseudonym": PseudonymShape,
    "identifier surrogate": SurrogateShape,
    "identifier shift": ShiftShape,
    "text": TextShape,
    "keep": KeepShape,
    "drop": DropShape,
}


def _places() -> dict[str, str]:
    """Every key of a column, and whose it is."""
    owners: dict[str, list[str]] = {}
    for name, shape in _BY_NAME.items():
        for key in shape.model_fields.keys() - {"role"}:
            role, _, action = name.partition(" ")
            owners.setdefault(key, []).append(f"action {action}" if action and key != "action" else f"role {role}")
    return {key: ", ".join(dict.fromkeys(names)) for key, names in owners.items()}


def _action(data: Mapping[str, Any]) -> str | None:
    action = data.get("action", "drop")
    return action if action in ACTIONS else close_to(action, ACTIONS)


def _is_meant(data: Mapping[str, Any]) -> bool:
    """Whether role and action are known or nearly so, and with them what the column requires."""
    role = data.get("role") if data.get("role") in ROLES else close_to(data.get("role"), ROLES)
    return role is not None and (role != "identifier" or _action(data) is not None)


def _shape_of(data: Any) -> str | None:
    """The shape that a column is meant to have. Where the role is missing or misspelt, the likeliest: the fault in it
    is reported by that shape, and the column's other faults with it."""
    if not isinstance(data, Mapping):
        return None
    given = data.get("role")
    role = given if isinstance(given, str) and given in ROLES else close_to(given, ROLES)
    action = _action(data)
    if role == "identifier" and action:
        return f"{TAG}identifier {action}"
    if role and role != "identifier":
        return TAG + role
    among = [name for name in _BY_NAME if not role or name.startswith(role)]
    return TAG + max(reversed(among), key=lambda name: len(_BY_NAME[name].model_fields.keys() & data.keys()))


Column = Annotated[
    Annotated[QuasiShape, Tag("\0quasi")]
    | Annotated[SensitiveShape, Tag("\0sensitive")]
    | Annotated[DropIdentifierShape, Tag("\0identifier drop")]
    | Annotated[RedactShape, Tag("\0identifier redact")]
    | Annotated[PseudonymShape, Tag("\0identifier pseudonym")]
    | Annotated[SurrogateShape, Tag("\0identifier surrogate")]
    | Annotated[ShiftShape, Tag("\0identifier shift")]
    | Annotated[TextShape, Tag("\0text")]
    | Annotated[KeepShape, Tag("\0keep")]
    | Annotated[DropShape, Tag("\0drop")],
    Discriminator(_shape_of, "fault", "expected a mapping with a role, such as {role: keep}"),
]
