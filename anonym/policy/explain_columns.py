"""What a policy will do to each column, in plain words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

from anonym.columns.actions import Action
from anonym.columns.identifiers import DropColumn, Pseudonym, Redact
from anonym.columns.shift import Shift
from anonym.columns.surrogate import Surrogate
from anonym.criteria import DistinctL, EntropyL, LDiversity, RecursiveL, TCloseness
from anonym.hierarchy.clock import Of, Seconds
from anonym.hierarchy.model import (
    Auto,
    Breaks,
    Dates,
    Declaration,
    FileHierarchy,
    Groups,
    Identity,
    Interval,
    Networks,
    Prefix,
    Rounded,
    Suppress,
)
from anonym.hierarchy.packs import pack
from anonym.policy.model import Drop, Identifier, Keep, Quasi, Role, Sensitive, Text

_MANY_CUTS = 8
_FORMS = {
    "label": "as text labels",
    "bounds": "as two columns, the lowest and the highest value of the class",
    "set": "as the set of values in the class",
    "representative": "as one value for the whole class",
}
_UNCOVERED = {
    "refuse": "the run stops (status 4)",
    "suppress": "its row is suppressed",
    "top": "it is released as `*`",
}


def column(name: str, role: Role) -> Iterator[str]:
    """What becomes of a column with a role: a line, then its particulars, indented."""
    match role:
        case Quasi():
            yield f"{name}: quasi-identifier, generalised and released {_FORMS[role.form]}"
            yield from (f"  {said}" for said in _quasi(role))
        case Sensitive():
            yield f"{name}: sensitive, released as it is"
            if role.bins is not None:
                yield f"  l and t count values of one bin as one: {levels(role.bins)[1]}"
            yield from (f"  in every class: {promise}" for promise in _promises(role))
        case Identifier(action=action):
            yield f"{name}: identifier, {_action(name, action)}"
        case Text():
            yield f"{name}: free text, scrubbed (see Text)"
        case Keep(allow_unique=reason):
            rare = "refused (status 3)" if reason is None else f"allowed, because: {line(reason)}"
            yield f"{name}: released as it is; values that fewer than k units hold are {rare}"
        case Drop():
            yield f"{name}: not released"


def _action(name: str, action: Action) -> str:
    match action:
        case DropColumn():
            return "not released"
        case Redact():
            return "every value becomes the same mark"
        case Pseudonym():
            scope = "in this release only" if action.scope == "release" else "in every release under this key"
            return (
                f"replaced by a keyed token (HMAC-SHA256, key from {action.key.source}, "
                f"domain {action.domain or name}); the same value gets the same token {scope}"
            )
        case Surrogate():
            again = "in this release" if action.scope == "release" else "in every release under this key"
            kind = f"{action.kind.replace('_', ' ')} ({action.locale}"
            return (
                f"replaced by an invented {kind}, key from {action.key.source}, "
                f"domain {action.domain or name}); the same value gets the same one {again}"
            )
        case Shift():
            source = f"key from {action.key.source}" if action.key else "a key of this release alone"
            return f"dates moved by one secret offset per unit, 1 to {action.days} days ({source})"


def _quasi(quasi: Quasi) -> Iterator[str]:
    listed = levels(quasi.hierarchy)
    if isinstance(quasi.hierarchy, Auto):
        yield "levels: drawn up from the data, then `*`"
        yield "  round intervals with open ends for numbers, calendar periods for dates, networks for IP addresses,"
        yield "  beginnings for codes, the most frequent values for categories"
    elif isinstance(quasi.hierarchy, FileHierarchy) and quasi.hierarchy.taxonomy is None:
        yield f"levels: 0: the value as it is, then the columns of {quasi.hierarchy.path.name}, the last one as `*`"
    else:
        yield "levels: " + ", ".join(f"{level}: {words}" for level, words in enumerate(listed))
    if isinstance(quasi.hierarchy, FileHierarchy) and quasi.hierarchy.taxonomy is not None:
        found = pack(quasi.hierarchy.taxonomy)
        yield f"taxonomy {found.name}: {found.title}"
        yield f"  reads {found.values}"
    if quasi.finest or quasi.coarsest is not None:
        upper = "on" if quasi.coarsest is None else f"to {quasi.coarsest}"
        yield f"a release uses levels from {quasi.finest} {upper} only"
    if quasi.top is not None:
        yield f"values from {quasi.top} on become one, `>={quasi.top}`, before anything else"
    if quasi.bottom is not None:
        yield f"values up to {quasi.bottom} become one, `<={quasi.bottom}`, before anything else"
    if isinstance(quasi.hierarchy, FileHierarchy | Networks):
        lacks = "that is no IP address" if isinstance(quasi.hierarchy, Networks) else _lacking(quasi.hierarchy)
        yield f"a value {lacks}: {_UNCOVERED[quasi.uncovered]}"
    if quasi.normalise:
        yield f"spellings count as one value after {', '.join(quasi.normalise)}"
    if quasi.weight != 1:
        yield f"the search spares it with weight {quasi.weight:g}; the loss that is printed ignores weights"


def _lacking(declared: FileHierarchy) -> str:
    return "that the file lacks" if declared.taxonomy is None else f"that the taxonomy {declared.taxonomy} lacks"


def levels(hierarchy: Declaration) -> list[str]:
    """What each level of a hierarchy does, from level 0 on. For a file and for `auto` only level 0 is known."""
    steps: list[str]
    match hierarchy:
        case Interval(widths=widths, of=of):
            steps = [f"widths of {_written(width, of)}" for width in widths]
        case Breaks(levels=cuts, of=of):
            steps = [_cuts([_written(cut, of) for cut in level]) for level in cuts]
        case Prefix(lengths=lengths):
            steps = [f"the first {length} character{'s' if length > 1 else ''}" for length in lengths]
        case Dates(units=units):
            steps = [f"the {unit}" for unit in units]
        case Rounded(decimals=decimals):
            steps = [f"rounded to {_decimals(places)}" for places in decimals]
        case Networks(lengths=lengths):
            steps = [f"the network of {length} bits" for length in lengths]
        case Groups(kept=kept):
            steps = [f"the {len(names)} most frequent values, the others as one" for names in kept]
        case FileHierarchy(taxonomy=str(name)):
            steps = list(pack(name).levels)
        case Suppress():
            steps = []
        case Identity() | FileHierarchy() | Auto():
            return ["the value as it is"]
    return ["the value as it is", *steps, "`*`"]


def _cuts(cuts: Sequence[str]) -> str:
    if len(cuts) > _MANY_CUTS:
        return f"intervals between {len(cuts)} cuts from {cuts[0]} to {cuts[-1]}"
    return f"intervals cut at {', '.join(cuts)}"


def _written(value: Decimal, of: Of) -> str:
    return number(value) if of == "number" else str(Seconds(value, of))


def number(value: Decimal) -> str:
    """As a person writes it, but for exponents that would fill the line."""
    value = value.normalize()
    return f"{value:f}" if -10 < value.adjusted() < 20 else str(value)


def _decimals(places: int) -> str:
    if places > 0:
        return f"{places} decimal{'s' if places > 1 else ''}"
    return "whole numbers" if places == 0 else f"multiples of 1{'0' * -places}"


def _promises(role: Sensitive) -> Iterator[str]:
    if role.l is not None:
        yield _diversity(role.l)
    if role.t is not None:
        yield _closeness(role.t)


def _diversity(promise: LDiversity) -> str:
    match promise:
        case DistinctL(l=l):
            return f"at least {l} distinct values (l-diversity)"
        case EntropyL(l=l):
            return f"values as varied as {l:g} equally frequent ones (entropy l-diversity)"
        case RecursiveL(c=c, l=l):
            return f"the most frequent value is rarer than {c:g} times those from rank {l} on (recursive l-diversity)"


def _closeness(promise: TCloseness) -> str:
    ground = {
        "equal": "all values equally far apart",
        "ordered": "values as far apart as their ranks",
        "hierarchical": "values as far apart as in their hierarchy",
    }
    return f"values distributed within {promise.max:g} of all released rows, {ground[promise.distance]} (t-closeness)"


def line(words: str) -> str:
    """Free words of the policy as one line, without characters that steer a terminal."""
    return " ".join("".join(c if c.isprintable() else " " for c in words).split())
