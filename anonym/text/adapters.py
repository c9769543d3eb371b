"""Models of other libraries behind our protocol: GLiNER and GLiNER2, Presidio's NLP engines and recognisers.

Each is read from what is installed or lies in a local folder. Nothing is downloaded.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from anonym.errors import CallError
from anonym.text.labels import entity_of
from anonym.text.ner import NerBackend, chunks, missing, model_folder
from anonym.text.spans import Span

Entity = tuple[int, int, str, float]
"""Start and end in a piece of text, label and score."""


def gliner_backend(folder: str, labels: Sequence[str] = ()) -> NerBackend:
    """GLiNER or GLiNER2, whichever the folder holds."""
    return Gliner2(folder, labels) if (Path(folder) / "encoder_config").is_dir() else Gliner(folder, labels)


class _Asked:
    """A model that is asked for labels, piece by piece."""

    cased = False
    rule: str
    CHARACTERS, OVERLAP, THRESHOLD = 1_000, 200, 0.5
    LABELS = ("person", "organization", "location", "address", "phone number", "email", "date", "identification number")

    def __init__(self, folder: Path, labels: Sequence[str]) -> None:
        self._labels = list(labels or self.LABELS)
        self.name, self.version = f"{self.rule}:{folder.name}", importlib.metadata.version(self.rule)

    def _answers(self, pieces: Sequence[str]) -> Iterator[Iterable[Entity]]:
        """The entities of each piece."""
        raise NotImplementedError

    def entities(self, texts: Sequence[str]) -> Iterator[list[Span]]:
        """As the protocol says."""
        pieces = [
            (index, start, piece)
            for index, text in enumerate(texts)
            for start, piece in chunks(text, self.CHARACTERS, self.OVERLAP)
            if piece.strip()
        ]
        found: list[list[Span]] = [[] for _ in texts]
        answers = self._answers([piece for _, _, piece in pieces]) if pieces else iter(())
        for (index, base, piece), entities in zip(pieces, answers, strict=True):
            for start, end, label, score in entities:
                until = min(end, len(piece))
                if start < until:
                    span = Span(base + start, base + until, entity_of(label), score, self.rule, False)
                    found[index].append(span)
        yield from found


class Gliner(_Asked):
    """GLiNER from a local folder, asked for `labels`. Raises CallError where the library or the folder is missing."""

    rule = "gliner"

    def __init__(self, folder: str, labels: Sequence[str] = ()) -> None:
        try:
            from gliner import GLiNER
        except ImportError as absent:
            raise missing("a GLiNER model", absent.name, "gliner") from None
        path = model_folder(folder, "a GLiNER model", "gliner_config.json")
        self._model: Any = GLiNER.from_pretrained(folder, local_files_only=True)
        super().__init__(path, labels)

    def _answers(self, pieces: Sequence[str]) -> Iterator[Iterable[Entity]]:
        for entities in self._model.inference(list(pieces), self._labels, threshold=self.THRESHOLD):
            yield [(each["start"], each["end"], each["label"], each["score"]) for each in entities]


class Gliner2(_Asked):
    """GLiNER2 (GLiNER2-PII, too) from a local folder, asked for `labels`, of span or boundary architecture.

    The library reads a text that has no full stop as if it had one, and may find that: what lies behind the text's end
    is cut off. Raises CallError where the library or the folder is missing, or the folder holds another model.
    """

    rule = "gliner2"

    def __init__(self, folder: str, labels: Sequence[str] = ()) -> None:
        try:
            from gliner2 import AutoExtractor
        except ImportError as absent:
            raise missing("a GLiNER2 model", absent.name, "'gliner2[local]'") from None
        path = model_folder(folder, "a GLiNER2 model", "config.json")
        try:
            self._model: Any = AutoExtractor.from_pretrained(folder, map_location="cpu").eval()
        except (OSError, ValueError, KeyError, RuntimeError) as unread:
            raise CallError(
                f"text.ner: expected a GLiNER2 model in the folder, which gliner2 could not read "
                f"({type(unread).__name__}); check it with AutoExtractor.from_pretrained"
            ) from None
        super().__init__(path, labels)

    def _answers(self, pieces: Sequence[str]) -> Iterator[Iterable[Entity]]:
        results = self._model.batch_extract_entities(
            list(pieces), self._labels, threshold=self.THRESHOLD, include_confidence=True, include_spans=True
        )
        for result in results:
            yield [
                (each["start"], each["end"], label, each["confidence"])
                for label, named in result["entities"].items()
                for each in named
            ]


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
