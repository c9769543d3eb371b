"""The protocol of models that find named entities, and what all of them need. Which there are is in backends.py.

A back end that is declared and not installed is an error that names what to install; no model is ever downloaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from anonym.errors import CallError
from anonym.text.spans import Span

CHUNK = 20_000
"""Characters of the longest text spaCy is given. It refuses 1,000,000 (E088); a batch's memory grows with length."""

OVERLAP = 500


class NerBackend(Protocol):
    """A model that finds entities."""

    name: str
    version: str
    cased: bool
    """Whether it needs capitals: rows without any are then not shown to it."""

    def entities(self, texts: Sequence[str]) -> Iterator[list[Span]]:
        """The spans of each text, in order. Texts may be of any length."""
        ...


def chunks(text: str, longest: int = CHUNK, overlap: int = OVERLAP) -> Iterator[tuple[int, str]]:
    """Pieces of at most `longest` characters with their offsets, overlapping by `overlap`, cut at a blank."""
    start = 0
    while len(text) - start > longest:
        end = text.rfind(" ", start + longest // 2, start + longest)
        end = start + longest if end < 0 else end
        yield start, text[start:end]
        start = end - overlap
    yield start, text[start:]


def missing(model: str, package: str | None, install: str) -> CallError:
    """What to say where a model needs a package that is not installed."""
    return CallError(
        f"text.ner: {model} needs {package}, which is not installed; install it (pip install {install}) "
        "or take the model out of `ner`"
    )


def model_folder(folder: str, model: str, file: str) -> Path:
    """The folder of a `model` of the user's own. Raises CallError where it does not hold `file`, as all such do."""
    if not (Path(folder) / file).is_file():
        raise CallError(f"text.ner: expected the folder of {model}, found none with a {file}")
    return Path(folder)
