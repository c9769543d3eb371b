"""What the policy promises, told to verification as plain values: the only thing the two have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal

import polars as pl

from anonym.columns.actions import name_of
from anonym.columns.identifiers import DropColumn
from anonym.criteria import DistinctL, EntropyL, LDiversity, RecursiveL, TCloseness
from anonym.errors import InputError
from anonym.hierarchy.bins import Bins
from anonym.hierarchy.clock import End, Seconds
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
from anonym.policy.globs import entries_of, is_glob
from anonym.policy.model import Drop, Identifier, Keep, Policy, Quasi, Sensitive, Text
from anonym.policy.resolve import ResolvedColumn
from anonym.verify import facts as verify_facts
from anonym.verify.facts import (
    Closeness,
    Diversity,
    Facts,
    IdentifierFact,
    IdentifierKind,
    KeepFact,
    Kind,
    QuasiFact,
    SensitiveFact,
)
from anonym.verify.rows import MARK


def facts_of(
    policy: Policy,
    columns: Sequence[ResolvedColumn],
    *,
    limit_rows: int | None = None,
    text_from: tuple[str, ...] | None = None,
    by_class: bool = False,
) -> Facts:
    """The promises of `policy` over `columns`. `by_class`: cells differ between classes (local recoding)."""
    return Facts(
        quasi=tuple(replace(_quasi(c.name, c.role), by_class=by_class) for c in columns if isinstance(c.role, Quasi)),
        sensitive=tuple(_sensitive(c.name, c.role) for c in columns if isinstance(c.role, Sensitive)),
        keep=tuple(KeepFact(c.name, c.role.allow_unique is not None) for c in columns if isinstance(c.role, Keep)),
        identifiers=tuple(_identifier(c.name, c.role) for c in columns if isinstance(c.role, Identifier)),
        text=tuple(c.name for c in columns if isinstance(c.role, Text)),
        dropped=tuple(c.name for c in columns if isinstance(c.role, Drop)),
        unit=policy.unit,
        linkable=policy.guarantee is not None and policy.guarantee.linkable is not None,
        k=policy.guarantee.k if policy.guarantee else None,
        suppression_limit_rows=limit_rows,
        text_from=text_from,
        quoted=policy.formulas == "quote",
    )


def promised_columns(policy: Policy, schema: Mapping[str, pl.DataType]) -> tuple[ResolvedColumn, ...]:
    """The columns of a released table by the policy. Raises InputError for what is missing or unknown there."""
    roles = {name: role for name, role in policy.columns.items() if not is_glob(name) or name in schema}
    known = {part: name for name, role in roles.items() for part in _released(name, role)}
    globs = tuple(name for name in policy.columns if is_glob(name))
    masks = policy.guarantee is not None and policy.guarantee.action == "mask"
    ours = {MARK} if masks and schema.get(MARK) == pl.Boolean else set()
    extra = [name for name in schema if name not in {*known, *ours} and not entries_of(name, roles, globs)]
    missing = [part for part, name in known.items() if part not in schema and _is_released(roles[name])]
    if extra or missing:
        said = [f"{len(extra)} columns that the policy does not know: {', '.join(extra)}"] if extra else []
        said += [f"not the columns {', '.join(missing)}"] if missing else []
        raise InputError("the table is not a release of this policy: it has " + ", and ".join(said))
    columns = [
        ResolvedColumn(
            name, next((schema[part] for part in _released(name, role) if part in schema), pl.Null()), role, name
        )
        for name, role in roles.items()
    ]
    for name in schema:
        if name not in known and name not in ours:
            pattern = entries_of(name, roles, globs)[0]
            columns.append(ResolvedColumn(name, schema[name], policy.columns[pattern], pattern))
    places = {name: place for place, name in enumerate(schema)}
    return tuple(sorted(columns, key=lambda column: _place(column, places)))


def _place(column: ResolvedColumn, places: Mapping[str, int]) -> int:
    """Where a column stands in the table, as digests go by that order; last where it was not released."""
    return min((places[part] for part in _released(column.name, column.role) if part in places), default=len(places))


def _is_released(role: object) -> bool:
    return not isinstance(role, Drop) and not (isinstance(role, Identifier) and isinstance(role.action, DropColumn))


def _released(name: str, role: object) -> tuple[str, ...]:
    if isinstance(role, Quasi) and role.form == "bounds":
        return (f"{name}_low", f"{name}_high")
    return (name,)


def _quasi(name: str, quasi: Quasi) -> QuasiFact:
    kind, parameters = declared(quasi.hierarchy)
    return QuasiFact(
        name,
        _released(name, quasi),
        form=quasi.form,
        kind=kind,
        parameters=parameters,
        top=_told(quasi.top),
        bottom=_told(quasi.bottom),
        uncovered_top=quasi.uncovered == "top",
        normalise=quasi.normalise,
    )


def _told(end: End | None) -> Decimal | date | str | None:
    return str(end) if isinstance(end, Seconds) else end


def declared(declaration: Declaration) -> tuple[Kind, tuple[object, ...]]:
    """The kind of a hierarchy and what it was given: widths, cuts, lengths, units, decimals, the path of its file."""
    match declaration:
        case Interval(widths):
            return "interval", widths
        case Breaks(levels):
            return "breaks", levels
        case Prefix(lengths):
            return "prefix", lengths
        case Dates(units):
            return "date", units
        case Rounded(decimals):
            return "round", decimals
        case FileHierarchy(path, _, by_prefix):
            return "codes" if by_prefix else "file", (path,)
        case Networks(lengths):
            return "ip", lengths
        case Groups() | Auto():
            return "auto", ()
        case Suppress():
            return "suppress", ()
        case Identity():
            return "none", ()


def _sensitive(name: str, sensitive: Sensitive) -> SensitiveFact:
    return SensitiveFact(
        name,
        _diversity(sensitive.l) if sensitive.l is not None else None,
        _closeness(sensitive.t) if sensitive.t is not None else None,
        _bins(sensitive.bins) if sensitive.bins is not None else None,
    )


def _bins(bins: Bins) -> verify_facts.Bins:
    return ("interval", bins.widths[:1]) if isinstance(bins, Interval) else ("breaks", bins.levels[0])


def _diversity(diversity: LDiversity) -> Diversity:
    match diversity:
        case DistinctL(l):
            return ("distinct", l)
        case EntropyL(l):
            return ("entropy", l)
        case RecursiveL(c, l):
            return ("recursive", c, l)


def _closeness(t: TCloseness) -> Closeness:
    return Closeness(t.max, t.distance, t.order, t.hierarchy.path if t.hierarchy else None)


_KINDS: dict[str, IdentifierKind] = {
    "drop": "dropped",
    "redact": "redacted",
    "pseudonym": "pseudonym",
    "surrogate": "surrogate",
    "shift": "shifted",
}


def _identifier(name: str, identifier: Identifier) -> IdentifierFact:
    kind = _KINDS[name_of(identifier.action)]
    return IdentifierFact(name, kind != "dropped", kind)
