"""The back ends by their names in a policy, each imported where it is used and loaded once per process."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from anonym.errors import Fault, PolicyError
from anonym.text.ner import NerBackend
from anonym.text.options import LocalModel
from anonym.text.spacy_ner import SpacyNer


def _spacy(language: str) -> NerBackend:
    return SpacyNer(language)


def _rampart(_language: str) -> NerBackend:
    from anonym.text.classifiers import Rampart

    return Rampart()


BACKENDS: dict[str, Callable[[str], NerBackend]] = {"spacy": _spacy, "rampart": _rampart}


def _transformers(model: LocalModel, _language: str) -> NerBackend:
    from anonym.text.classifiers import Transformers

    return Transformers(model.source)


def _gliner(model: LocalModel, _language: str) -> NerBackend:
    from anonym.text.adapters import gliner_backend

    return gliner_backend(model.source, model.labels)


def _presidio(model: LocalModel, language: str) -> NerBackend:
    from anonym.text.adapters import presidio_backend

    return presidio_backend(model.source, language)


OWN_MODELS: dict[str, Callable[[LocalModel, str], NerBackend]] = {
    "transformers": _transformers,
    "gliner": _gliner,
    "presidio": _presidio,
}


@cache
def backend(model: str | LocalModel, language: str) -> NerBackend:
    """The back end for a model, loaded once per process. Raises PolicyError for unknown names, CallError if missing."""
    if isinstance(model, LocalModel):
        return OWN_MODELS[model.kind](model, language)
    if model not in BACKENDS:
        raise PolicyError([Fault("text.ner", f"expected none or some of {', '.join(BACKENDS)}")])
    return BACKENDS[model](language)
