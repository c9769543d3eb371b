"""Models of other libraries behind our protocol: GLiNER, Presidio's NLP engines and recognisers.

Each is read from what is installed or lies in a local folder. Nothing is downloaded.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from anonym.errors import CallError
from anonym.text.labels import entity_of
from anonym.text.ner import NerBackend, chunks, missing, model_folder
from anonym.text.spans import Span


class Gliner:
    """GLiNER from a local folder, asked for `labels`. Raises CallError where the library or the folder is missing."""

    cased = False
    CHARACTERS, OVERLAP, THRESHOLD = 1_000, 200, 0.5
    LABELS = ("person", "organization", "location", "address", "phone number", "email", "date", "identification number")

    def __init__(self, folder: str, labels: Sequence[str] = ()) -> None:
        try:
            from gliner import GLiNER
        except ImportError as absent:
            raise missing("a GLiNER model", absent.name, "gliner") from None
        path = model_folder(folder, "a GLiNER model", "gliner_config.json")
        self._model: Any = GLiNER.from_pretrained(folder, local_files_only=True)
        self._labels = list(labels or self.LABELS)
        self.name, self.version = f"gliner:{path.name}", importlib.metadata.version("gliner")

    def entities(self, texts: Sequence[str]) -> Iterator[list[Span]]:
        """As the protocol says."""
        pieces = [
            (index, start, piece)
            for index, text in enumerate(texts)
            for start, piece in chunks(text, self.CHARACTERS, self.OVERLAP)
            if piece.strip()
        ]
        found: list[list[Span]] = [[] for _ in texts]
        given = [piece for _, _, piece in pieces]
        results = self._model.inference(given, self._labels, threshold=self.THRESHOLD) if given else []
        for (index, base, _), entities in zip(pieces, results, strict=True):
            found[index] += [
                Span(base + each["start"], base + each["end"], entity_of(each["label"]), each["score"], "gliner", False)
                for each in entities
            ]
        yield from found


def presidio_backend(source: str, language: str) -> NerBackend:
    """Presidio's NLP engine of a YAML file, or the recogniser called `module.Class`."""
    if importlib.util.find_spec("presidio_analyzer") is None:
        raise CallError("text.ner: presidio needs presidio-analyzer, which is not installed; install anonym again")
    if Path(source).suffix in (".yaml", ".yml"):
        return PresidioEngine(Path(source), language)
    return PresidioOwn(source, language)


class PresidioEngine:
    """An NLP engine of Presidio, as its configuration file declares it. Models must be installed or local folders:
    Presidio would download them.
    """

    cased = True

    def __init__(self, configuration: Path, language: str) -> None:
        from presidio_analyzer.nlp_engine import NlpEngineProvider

        if not configuration.is_file():
            raise CallError("text.ner: expected Presidio's NLP configuration file, found no such file")
        declared = yaml.safe_load(configuration.read_text(encoding="utf-8"))
        _refuse_downloads(declared)
        try:
            self._engine: Any = NlpEngineProvider(nlp_configuration=declared).create_engine()
        except (ImportError, ValueError, KeyError, OSError, TypeError) as unread:
            raise CallError(
                f"text.ner: Presidio could not make an engine of its configuration ({type(unread).__name__}); "
                "check it with NlpEngineProvider(conf_file=…).create_engine()"
            ) from None
        if language not in self._engine.get_supported_languages():
            raise CallError(f"text.ner: expected an engine of Presidio for language {language}, found one for others")
        self._language = language
        self.name = f"presidio:{self._engine.engine_name}"
        self.version = importlib.metadata.version("presidio-analyzer")

    def entities(self, texts: Sequence[str]) -> Iterator[list[Span]]:
        """As the protocol says."""
        pieces = [(index, start, piece) for index, text in enumerate(texts) for start, piece in chunks(text)]
        found: list[list[Span]] = [[] for _ in texts]
        read = self._engine.process_batch([piece for _, _, piece in pieces], self._language, batch_size=64)
        for (index, base, _), (_, artifacts) in zip(pieces, read, strict=True):
            for each, score in zip(artifacts.entities, artifacts.scores, strict=True):
                start, end, kind = base + each.start_char, base + each.end_char, entity_of(each.label_)
                found[index].append(Span(start, end, kind, float(score), "presidio", False))
        yield from found


def _refuse_downloads(declared: Any) -> None:
    models = declared.get("models", ()) if isinstance(declared, Mapping) else ()
    engine = declared.get("nlp_engine_name") if isinstance(declared, Mapping) else None
    if engine not in ("spacy", "transformers") or not models:
        raise CallError("text.ner: expected a Presidio NLP configuration with nlp_engine_name spacy or transformers")
    for model in models:
        named = model.get("model_name") if isinstance(model, Mapping) else None
        parts = named.values() if isinstance(named, Mapping) else (named,)
        for part in map(str, parts):
            if importlib.util.find_spec(part.split("/")[0]) is None and not Path(part).is_dir():
                raise CallError(
                    "text.ner: expected a model of Presidio's configuration that is installed or a local folder, "
                    "found another; install it first (python -m spacy download …)"
                )


class PresidioOwn:
    """A recogniser of Presidio's kind, `module.Class`, that can be made without arguments and needs no NLP engine."""

    cased = False

    def __init__(self, source: str, language: str) -> None:
        from presidio_analyzer import EntityRecognizer

        module, _, name = source.rpartition(".")
        try:
            kind = getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError, ValueError):
            raise CallError(
                "text.ner: expected a recogniser of Presidio as `module.Class`, found none there; install its package"
            ) from None
        if not (isinstance(kind, type) and issubclass(kind, EntityRecognizer)):
            raise CallError("text.ner: expected a class derived from presidio_analyzer.EntityRecognizer")
        try:
            self._recogniser: Any = kind()
        except TypeError:
            raise CallError("text.ner: expected a recogniser of Presidio that needs no arguments") from None
        if self._recogniser.supported_language != language:
            raise CallError(f"text.ner: expected a recogniser for language {language}, found one for another")
        self.name, self.version = f"presidio:{name}", importlib.metadata.version("presidio-analyzer")

    def entities(self, texts: Sequence[str]) -> Iterator[list[Span]]:
        """As the protocol says."""
        for text in texts:
            found: list[Span] = []
            for base, piece in chunks(text):
                for result in self._recogniser.analyze(piece, self._recogniser.supported_entities, None):
                    start, end = base + result.start, base + result.end
                    kind = entity_of(result.entity_type)
                    found.append(Span(start, end, kind, float(result.score), "presidio", False))
            yield found
