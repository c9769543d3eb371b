"""From what is wrong with a policy's shape to faults with paths, and to the part of the policy that is sound."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import ValidationError

from anonym.errors import Fault
from anonym.policy.column_shapes import ACTIONS, ROLES
from anonym.policy.plain import At, Finding
from anonym.policy.saying import close_to, shown_key
from anonym.policy.schema import PolicyShape
from anonym.policy.terms import TAG

_BARE = re.compile(r"[^\s.\[\]\"']+")
_ROUNDS = 24  # each round cuts a level or more, and no shape is a third as deep
_SOUND: Mapping[str, Any] = {"anonym": 1, "columns": {"*": {"role": "drop"}}}
"""What stands in for required keys that are missing, so that the rest can be looked at."""


@dataclass(frozen=True)
class Shaped:
    """The shape of a policy as far as it is sound, with the places that are not."""

    shape: PolicyShape
    findings: tuple[Finding, ...]
    broken: frozenset[At]

    @cached_property
    def _above(self) -> frozenset[At]:
        return frozenset(place[:depth] for place in self.broken for depth in range(len(place)))

    def sound(self, *at: str | int) -> bool:
        """Whether nothing at this place, below it or above it was left out."""
        return at not in self._above and not any(at[:depth] in self.broken for depth in range(len(at) + 1))


def shaped(raw: Mapping[str, Any], unread: Iterable[At] = ()) -> Shaped:
    """Look at `raw` as a policy. Of the places in `unread`, whose value is not known, nothing is said.

    What is reported is cut out and the rest looked at again, until all that remains is sound. Only the first look
    reports: the later ones meet the holes that were cut.
    """
    broken = set(unread)
    rest: dict[str, Any] = copy.deepcopy(dict(raw))
    first: tuple[Finding, ...] | None = None
    for _ in range(_ROUNDS):
        try:
            return Shaped(PolicyShape.model_validate(rest), first or (), frozenset(broken))
        except ValidationError as error:
            found = tuple(_findings(error))
        if first is None:
            unknown = frozenset(broken)
            first = tuple(f for f in found if not any(f.at[:depth] in unknown for depth in range(len(f.at) + 1)))
        for finding in found:
            broken.add(finding.at)
            if not _mended(rest, finding.at):
                broken.add(_cut(rest, finding.at))
    return Shaped(PolicyShape.model_validate(_SOUND), first or (), frozenset({()}))


def _findings(error: ValidationError) -> Iterator[Finding]:
    for item in error.errors(include_url=False, include_input=False):
        at = tuple(part for part in item["loc"] if not (isinstance(part, str) and part.startswith(TAG)))
        yield Finding(tuple(part for part in at if part != "[key]"), str(item["ctx"]["expected"]))


def _mended(rest: dict[str, Any], at: At) -> bool:
    """Put the role or action that was meant in the place of a misspelt one, so that the column can be looked at."""
    words = {"role": ROLES, "action": ACTIONS}.get(str(at[-1])) if len(at) == 3 and at[0] == "columns" else None
    column = rest["columns"].get(at[1]) if words else None
    word = close_to(column.get(at[-1]), words) if words and isinstance(column, dict) else None
    if word is None or column is None or column[at[-1]] == word:
        return False
    column[at[-1]] = word
    return True


def _cut(rest: dict[str, Any], at: At) -> At:
    """Take out the value at `at`, with the list it is an entry of, or the mapping that lacks it. What was cut."""
    parent: Any = rest
    for depth, part in enumerate(at[:-1]):
        if not isinstance(parent, dict) or part not in parent:
            return at[:depth]  # cut already
        if isinstance(parent[part], list):
            del parent[part]
            return at[: depth + 1]
        parent = parent[part]
    if at and isinstance(parent, dict) and at[-1] in parent:
        del parent[at[-1]]
        return at
    if len(at) == 1:
        rest.update({key: value for key, value in _SOUND.items() if key == at[0]})
        return at
    return _cut(rest, at[:-1]) if at else at


def line_of(finding: Finding, lines: Mapping[At, int]) -> int | None:
    """The line of the finding, or of the nearest place above it that has one; None in a mapping."""
    places = (finding.at[:depth] for depth in range(len(finding.at), 0, -1))
    return finding.line or next((lines[place] for place in places if place in lines), None)


def faults(findings: Iterable[Finding], lines: Mapping[At, int]) -> tuple[Fault, ...]:
    """The findings in words, each once, in the order of the file's lines."""
    with_lines = sorted(((line_of(finding, lines), finding) for finding in findings), key=lambda pair: pair[0] or 0)
    return tuple(dict.fromkeys(_fault(finding, line) for line, finding in with_lines))


def _fault(finding: Finding, line: int | None) -> Fault:
    return Fault(path(finding.at), finding.expected + (f" (line {line})" if line else ""))


def path(at: At) -> str:
    """`columns.zip.hierarchy.prefix[1]`; a name with dots or blanks in quotes."""
    text = ""
    for depth, part in enumerate(at):
        if isinstance(part, int):
            text += f"[{part}]"
            continue
        name = part if depth == 1 and at[0] == "columns" else shown_key(part)
        bare = _BARE.fullmatch(name) or name != part
        text += ("." if text else "") + (name if bare else f'"{name}"')
    return text
