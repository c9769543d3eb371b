"""YAML by the 1.2 core schema, from PyYAML's events: words stay words, decimals stay exact, nothing is executed.

Refused with their line: anchors, aliases, tags, keys given twice, keys that are not text, a second document. Building
from events, and not from PyYAML's tree, means that no alias is ever expanded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

import yaml

from anonym.policy.plain import NUMBER_RANGE, At, Bounds, Finding, TooMuch

MAX_BYTES = 1 << 20
MAX_FINDINGS = 20
"""A file with more faults of form than these is read no further."""

_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INT = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o[0-7]+")
_HEX = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_SPECIAL = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")


@dataclass
class Document:
    """What one YAML document holds: plain data, the line of each place (from 1), and what is wrong with its form.

    `unread` are the places whose value is not known (an alias, a number out of range): nothing more is said of them.
    """

    value: Any = None
    lines: dict[At, int] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    unread: set[At] = field(default_factory=set)
    whole: bool = True  # False: reading stopped before the end


def read(content: bytes) -> Document:
    """The one document in `content`. Never raises for what the content is: faults are in `findings`."""
    document = Document()
    try:
        events = yaml.parse(_decoded(content), Loader=yaml.SafeLoader)
        _Builder(document, events).build()
    except TooMuch as stop:
        document.findings.append(stop.finding)
        document.whole = False
    except yaml.MarkedYAMLError as error:
        _stop(document, error.problem, error.problem_mark)
    except (yaml.YAMLError, ValueError, OverflowError):
        # PyYAML's own scanner raises ValueError for escapes and version numbers that are out of range
        _stop(document, None, None)
    return document


def _decoded(content: bytes) -> str:
    if len(content) > MAX_BYTES:
        raise TooMuch((), f"expected a policy of at most {MAX_BYTES // 1024} KiB")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TooMuch((), f"expected UTF-8 text; byte {error.start} is not (save the file as UTF-8)") from None


def _stop(document: Document, problem: str | None, mark: Any) -> None:
    line = mark.line + 1 if mark else None
    # what PyYAML quotes may be text of the file: only token names and punctuation are let through
    clear = problem if problem and all(_is_token(part) for part in re.findall(r"'([^']*)'", problem)) else None
    document.findings.append(Finding((), "expected valid YAML" + (f": {clear}" if clear else ""), line))
    document.whole = False


def _is_token(quoted: str) -> bool:
    return not quoted or quoted.startswith("<") or not any(c.isalnum() for c in quoted)


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


class _Builder:
    """Plain data from parsing events, one method a kind of node."""

    def __init__(self, document: Document, events: Iterator[yaml.Event]) -> None:
        self._document, self._events, self._bounds = document, events, Bounds()

    def build(self) -> None:
        documents = 0
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self._find((), event, "expected one document, found a second")
                    self._document.whole = False
                    return
                self._document.value = self._node(next(self._events), ())
        if not documents:
            raise TooMuch((), "expected a policy, found an empty file")

    def _find(self, at: At, event: yaml.Event, expected: str) -> None:
        line = _line(event)
        self._document.lines.setdefault(at, line)
        self._document.findings.append(Finding(at, expected, line))
        if len(self._document.findings) >= MAX_FINDINGS:
            raise TooMuch(at, f"at least {MAX_FINDINGS} faults of form; the file is read no further")

    def _node(self, event: yaml.Event, at: At) -> Any:
        self._bounds.enter(at)
        self._document.lines.setdefault(at, _line(event))
        if isinstance(event, yaml.AliasEvent):
            self._find(at, event, "an alias (`*name`) is refused; write the value out")
            self._document.unread.add(at)
            return None
        if isinstance(event, yaml.ScalarEvent):
            self._plain_only(event, at)
            return self._scalar(event, at)
        if isinstance(event, yaml.CollectionStartEvent):
            self._plain_only(event, at)
        return self._mapping(at) if isinstance(event, yaml.MappingStartEvent) else self._sequence(at)

    def _plain_only(self, event: yaml.ScalarEvent | yaml.CollectionStartEvent, at: At) -> None:
        if event.anchor is not None:
            self._find(at, event, "an anchor (`&name`) is refused")
        if event.tag is not None:
            self._find(at, event, "a tag (`!name`) is refused")

    def _mapping(self, at: At) -> dict[str, Any]:
        found: dict[str, Any] = {}
        first: dict[str, int] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key = self._key(event, at)
            line = _line(event)
            if key is None:
                self._skip(at)
            elif key in first:
                self._find((*at, key), event, f"this key stands here twice, first on line {first[key]}")
                self._skip(at)
            else:
                first[key] = self._document.lines[(*at, key)] = line
                found[key] = self._node(next(self._events), (*at, key))
        return found

    def _key(self, event: yaml.Event, at: At) -> str | None:
        """A key is text, whatever it looks like: `no`, `2020` and `1.0` name columns."""
        self._bounds.enter(at)
        if isinstance(event, yaml.ScalarEvent):
            self._plain_only(event, at)
            return str(event.value)
        is_alias = isinstance(event, yaml.AliasEvent)
        self._find(
            at, event, "an alias (`*name`) is refused; write the key out" if is_alias else "expected a key of text"
        )
        if not is_alias:
            self._skip(at, event)
        return None

    def _skip(self, at: At, opening: yaml.Event | None = None) -> None:
        """Pass over one node, whose first event may have been taken already."""
        depth = 0
        event = opening or next(self._events)
        while True:
            self._bounds.enter((*at, *range(depth)))
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth == 0:
                return
            event = next(self._events)

    def _sequence(self, at: At) -> list[Any]:
        found: list[Any] = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            found.append(self._node(event, (*at, len(found))))
        return found

    def _scalar(self, event: yaml.ScalarEvent, at: At) -> Any:
        text = str(event.value)
        if event.style or not event.implicit[0]:
            return text
        try:
            return resolve(text)
        except (ValueError, InvalidOperation):
            self._find(at, event, f"expected {NUMBER_RANGE}")
            self._document.unread.add(at)
            return None


def resolve(text: str) -> str | int | Decimal | bool | None:
    """A plain scalar by the core schema of YAML 1.2 (section 10.3.2). Raises ValueError for `.inf` and `.nan`."""
    if text in _WORDS:
        return _WORDS[text]
    if _SPECIAL.fullmatch(text):
        raise ValueError
    if _INT.fullmatch(text):
        return int(text)
    if _OCTAL.fullmatch(text) or _HEX.fullmatch(text):
        return int(text, 0)
    return Decimal(text) if _FLOAT.fullmatch(text) else text
