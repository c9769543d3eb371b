"""Kingfisher's detectors (package kingfisher-secret-scanner, Apache-2.0) over a column of texts, one text at a time.

Only its scanner is called: nothing is validated or revoked, and no network is used. Kingfisher compiles its rules at
its first use on a machine (5 CPU seconds) and keeps them, which hold no data, in the user's cache folder
(`KF_RULE_CACHE_DIR` moves it); from then on it starts in half a second.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator
from functools import cache
from typing import Any

from anonym.errors import CallError
from anonym.text.scanner import Column, Regex
from anonym.text.spans import SECRET, Span

_DISTRIBUTION = "kingfisher-secret-scanner"
_SCORES = {"high": 0.95, "medium": 0.85, "low": 0.75}


@cache
def _native() -> Any:
    """Kingfisher's scanner, made once per process. Raises CallError where the package is missing."""
    try:
        from kingfisher_sdk import Scanner
    except ImportError:
        raise CallError(
            f"text.secrets: kingfisher needs {_DISTRIBUTION}, which is not installed; install it "
            "(pip install 'anonym[kingfisher]') or take kingfisher out of `secrets`"
        ) from None
    return Scanner()


class Kingfisher:
    """Kingfisher behind the protocol of secret scanners; what is encoded in base64 is found as the whole encoded run.

    Parts that Kingfisher itself does not report without their other half (an AWS secret key without its id) count too:
    they are keys all the same.
    """

    expressions: tuple[Regex, ...] = ()
    """It reads every text: at 71 MB per CPU second a gate before it costs more than it saves."""

    def __init__(self) -> None:
        self._scanner = _native()
        self.version = importlib.metadata.version(_DISTRIBUTION)

    def detect(self, column: Column) -> Iterator[tuple[int, Span]]:
        """Every finding in a column with its row."""
        for row, text in enumerate(column.texts):
            data = text.encode()
            for found in self._scanner.scan(data):
                where = found.location
                start = len(data[: where["start_offset"]].decode(errors="ignore"))  # bytes to code points; of a
                end = len(data[: where["end_offset"]].decode(errors="replace"))  # character cut in two, the whole
                score = _SCORES.get(found.confidence, _SCORES["low"])
                yield row, Span(start, end, SECRET, score, f"kingfisher:{found.rule_id}")
