"""Credentials in text: our own rules, and the scanners that a policy names beside them.

Comments that ask scanners to look away (`pragma: allowlist secret`) are data here and have no effect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from anonym.text.kingfisher import Kingfisher
from anonym.text.plugins import Plugins
from anonym.text.recognisers import RuleSet, load
from anonym.text.scanner import Column, Regex
from anonym.text.spans import Span


class SecretScanner(Protocol):
    """A scanner of another project. Making one raises CallError where its package is not installed."""

    version: str

    @property
    def expressions(self) -> tuple[Regex, ...]:
        """What a column must have been scanned for before `detect`."""
        ...

    def detect(self, column: Column) -> Iterator[tuple[int, Span]]:
        """Every finding in a column with its row."""
        ...


PROVIDERS: dict[str, Callable[[], SecretScanner]] = {"detect-secrets": Plugins, "kingfisher": Kingfisher}
"""Scanners by their names in a policy."""


class Secrets:
    """Credentials over a column of texts: by our rules, and by each of `providers`."""

    def __init__(self, language: str, providers: Sequence[str] = ("detect-secrets",)) -> None:
        self._rules = RuleSet(load("secrets").rules, language)
        self._scanners = {name: PROVIDERS[name]() for name in providers}

    @property
    def ran(self) -> tuple[str, ...]:
        """What looks for credentials, with versions, for the evidence."""
        return ("rules", *(f"{name} {scanner.version}" for name, scanner in self._scanners.items()))

    @property
    def expressions(self) -> tuple[Regex, ...]:
        """What a column must have been scanned for before `detect`."""
        others = (regex for scanner in self._scanners.values() for regex in scanner.expressions)
        return (*self._rules.expressions, *others)

    def detect(self, column: Column) -> Iterator[tuple[int, Span]]:
        """Every finding in a column with its row."""
        yield from self._rules.detect(column)
        for scanner in self._scanners.values():
            yield from scanner.detect(column)
