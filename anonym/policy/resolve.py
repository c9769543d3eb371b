"""From a policy and the schema of an input to what becomes of each column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from anonym.columns.actions import name_of
from anonym.columns.identifiers import Pseudonym
from anonym.columns.shift import Shift
from anonym.columns.surrogate import Surrogate
from anonym.errors import Fault, InputError, PolicyError, type_name
from anonym.hierarchy.clock import kind_of, measure_of
from anonym.hierarchy.model import Breaks, Dates, FileHierarchy, Interval, Networks, Prefix, Rounded
from anonym.hierarchy.suits import how, needs, suits
from anonym.policy.faults import path
from anonym.policy.globs import entries_of, is_glob, matches
from anonym.policy.model import Drop, Identifier, Keep, Policy, Quasi, Role, Sensitive, Text

SHOWN = 3  # fields of a struct, as examples
_NESTED = (pl.List, pl.Array, pl.Struct, pl.Object, pl.Binary)
_TEXTUAL = (pl.String, pl.Categorical, pl.Enum)
_DATED = (pl.Date, pl.Datetime)
_WORDS = {"number": "number", "date": "date", "clock": "time of day", "length": "length of time"}


@dataclass(frozen=True)
class ResolvedColumn:
    """One column of an input: its role, and the entry of the policy that gave it (None: `unlisted` did)."""

    name: str
    dtype: pl.DataType
    role: Role
    pattern: str | None


def resolve(policy: Policy, schema: Mapping[str, pl.DataType]) -> tuple[ResolvedColumn, ...]:
    """What becomes of each column of `schema`, in its order.

    Raises PolicyError where globs overlap on a column, else InputError with everything that does not fit: columns that
    are not listed, or listed and not there, and types that a role or hierarchy cannot read. Names and types only.
    """
    globs = tuple(entry for entry in policy.columns if is_glob(entry))
    speaking = {name: entries_of(name, policy.columns, globs) for name in schema}
    _refuse_overlaps(speaking)
    misfits = [
        *_absent(policy, schema, globs),
        *_not_flat(policy, schema),
        *_unlisted(policy, speaking),
        *_unusable(schema),
    ]
    columns = tuple(
        ResolvedColumn(name, schema[name], policy.columns[entries[0]] if entries else Drop(), next(iter(entries), None))
        for name, entries in speaking.items()
    )
    misfits += [f"column {column.name}: {misfit}" for column in columns if (misfit := _misfit(column))]
    misfits += [*_clashes(columns), *_unit_misfit(policy, schema)]
    if policy.guarantee is not None and policy.guarantee.action == "mask" and "suppressed" in schema:
        misfits.append("column suppressed: action mask would write a column of this name; rename the input's")
    if misfits:
        raise InputError("the input does not fit the policy\n" + "\n".join(f"  {misfit}" for misfit in misfits))
    return columns


def _refuse_overlaps(speaking: Mapping[str, Sequence[str]]) -> None:
    faults = [
        Fault(path(("columns", entries[1])), f"overlaps {entries[0]} on column {name}; name the column out")
        for name, entries in speaking.items()
        if len(entries) > 1
    ]
    if faults:
        raise PolicyError(faults)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


def _unusable(schema: Mapping[str, pl.DataType]) -> Iterator[str]:
    """Names that the engine would read as patterns of several columns, or that are kept for our own columns."""
    for place, name in enumerate(schema):
        if name in ("*", "") or (name.startswith("^") and name.endswith("$")) or "\0" in name:
            yield f"column {place + 1} has a name that cannot be used (`*`, `^…$`, empty, or with a NUL): rename it"


def _absent(policy: Policy, schema: Mapping[str, pl.DataType], globs: Sequence[str]) -> Iterator[str]:
    names = [entry for entry in policy.columns if entry not in globs and entry not in schema]
    if names:
        plural = "columns" if len(names) > 1 else "column"
        yield f"the policy lists {len(names)} {plural} that the input lacks: {_listed(names)}"
    idle = [glob for glob in globs if glob not in schema and not any(matches(glob, name) for name in schema)]
    if idle:
        yield f"no column of the input matches {_listed(idle)}; take such entries out of the policy or correct them"
    mentioned = {
        "unit": [policy.unit] if policy.unit is not None else [],
        "text.also_from": policy.text.also_from or (),
    }
    for where, columns in mentioned.items():
        missing = [name for name in columns if name not in schema and name not in names]
        if missing:
            yield f"{where} names {_listed(missing)}, which the input lacks"


def _not_flat(policy: Policy, schema: Mapping[str, pl.DataType]) -> Iterator[str]:
    """What `input.flatten` names and does not take apart."""
    for name in policy.input.flatten:
        if name in schema:
            yield f"input.flatten names {name}, which is {type_name(schema[name])} and has no fields; take it out"
        elif not any(column.startswith(f"{name}.") for column in schema):
            yield f"input.flatten names {name}, which the input lacks"


def _unlisted(policy: Policy, speaking: Mapping[str, Sequence[str]]) -> Iterator[str]:
    names = [name for name, entries in speaking.items() if not entries]
    if names and policy.unlisted == "refuse":
        count = f"{len(names)} columns of the input are" if len(names) > 1 else "1 column of the input is"
        yield (
            f"{count} not listed in the policy: {_listed(names)}; give each a role under columns "
            "(quasi, sensitive, identifier, text, keep, drop), or set `unlisted: drop`"
        )


def _misfit(column: ResolvedColumn) -> str | None:
    """Why the column's type does not fit its role, or None."""
    dtype, role = column.dtype, column.role
    if isinstance(dtype, _NESTED) and (refused := _nested(role)):
        return f"{refused} cannot be of type {type_name(dtype)}; {_unnested(column)}, or give it the role drop"
    if isinstance(role, Keep) and dtype.is_nested() and any(word in str(dtype) for word in ("Enum", "Categorical")):
        return "its nested categories would be released whether rows hold them or not; cast them to text first"
    if isinstance(role, Text) and not isinstance(dtype, _TEXTUAL):
        return f"role text needs text, found {type_name(dtype)}"
    if isinstance(role, Identifier) and isinstance(role.action, Shift) and not isinstance(dtype, (*_DATED, pl.String)):
        return f"action shift moves dates, timestamps or ISO text, found {type_name(dtype)}"
    if isinstance(role, Sensitive) and role.bins is not None and not suits(role.bins, dtype):
        hint = "derive a column of its years or months" if isinstance(dtype, _DATED) else how(role.bins, dtype)
        return f"bins need {needs(role.bins)}, found {type_name(dtype)}; {hint}"
    return _quasi_misfit(role, dtype) if isinstance(role, Quasi) else None


def _unnested(column: ResolvedColumn) -> str:
    """How a column of a nested type becomes one that can be read."""
    if isinstance(column.dtype, pl.Struct) and column.dtype.fields:
        fields = _listed([f"{column.name}.{field.name}" for field in column.dtype.fields[:SHOWN]])
        return f"list it under input.flatten, which makes columns of its fields ({fields})"
    return "unnest or cast it first"


def _nested(role: Role) -> str | None:
    match role:
        case Quasi():
            return "role quasi"
        case Sensitive():
            return "role sensitive"
        case Text():
            return "role text"
        case Identifier(action=Pseudonym() | Surrogate() | Shift()):
            return f"action {name_of(role.action)}"
        case Keep(allow_unique=None):
            return "role keep without allow_unique"
    return None


def _quasi_misfit(quasi: Quasi, dtype: pl.DataType) -> str | None:
    declared = quasi.hierarchy
    match declared:
        case Interval() | Breaks() | Rounded() | Dates() if not suits(declared, dtype):
            return f"its hierarchy reads {needs(declared)}, found {type_name(dtype)}; {how(declared, dtype)}"
        case FileHierarchy(by_prefix=True) | Networks() if not suits(declared, dtype):
            return f"its hierarchy reads text, found {type_name(dtype)}; cast the column, with leading zeros, to text"
        case Prefix() if not isinstance(dtype, _TEXTUAL):
            return (
                f"prefix reads text, found {type_name(dtype)}; cast the column to text, "
                "with its leading zeros, or set its input.types to str"
            )
    for key, end in (("top", quasi.top), ("bottom", quasi.bottom)):
        kind = None if end is None else kind_of(end)
        if kind is not None and kind != (measure_of(dtype) or ("date" if isinstance(dtype, _DATED) else None)):
            return f"its {key} is a {_WORDS[kind]}, found {type_name(dtype)}"
    if quasi.form == "bounds" and not dtype.is_numeric() and not dtype.is_temporal():
        return f"form bounds needs numbers or dates, found {type_name(dtype)}"
    ends = quasi.top is not None or quasi.bottom is not None
    if quasi.form != "label" and ends and isinstance(quasi.hierarchy, FileHierarchy):
        return (
            f"form {quasi.form} with top or bottom needs a hierarchy that knows what lies between two values "
            "(interval, breaks, round, date, suppress): use one, or form label"
        )
    if quasi.normalise and not isinstance(dtype, _TEXTUAL):
        return f"normalise needs text, found {type_name(dtype)}"
    return None


def _unit_misfit(policy: Policy, schema: Mapping[str, pl.DataType]) -> Iterator[str]:
    dtype = schema.get(policy.unit) if policy.unit is not None else None
    if isinstance(dtype, _NESTED):
        yield f"unit {policy.unit} cannot be of type {type_name(dtype)}; give a column with one value a unit"


def _clashes(columns: Sequence[ResolvedColumn]) -> Iterator[str]:
    """Columns that form bounds would write under a name that is taken."""
    added = [
        (f"{column.name}{end}", column.name)
        for column in columns
        if isinstance(column.role, Quasi) and column.role.form == "bounds"
        for end in ("_low", "_high")
    ]
    taken = Counter([column.name for column in columns] + [name for name, _ in added])
    for name, source in added:
        if taken[name] > 1:
            yield f"column {source}: form bounds would write {name}, which is there already; rename one of them"
