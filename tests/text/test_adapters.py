"""Presidio's engines and recognisers, and GLiNER, behind our protocol."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from anonym.errors import CallError
from anonym.text.backends import backend
from anonym.text.ner import CHUNK, NerBackend
from anonym.text.options import LocalModel
from anonym.text.spacy_ner import spacy_package

FILLER = "The rain fell on the roof of the house and nobody came. "


def presidio(source: str | Path) -> NerBackend:
    return backend(LocalModel("presidio", str(source)), "en")


def test_a_recogniser_of_presidio_finds_at_its_offsets_also_far_into_a_text() -> None:
    model = presidio("presidio_analyzer.predefined_recognizers.CreditCardRecognizer")
    far = FILLER * (CHUNK // len(FILLER) + 5)
    for text, spans in zip(
        texts := ["😀 card 4111111111111111.", far + "4111 1111 1111 1111", ""], model.entities(texts), strict=True
    ):
        assert {text[span.start : span.end].replace(" ", "") for span in spans} == set(
            ["4111111111111111"] if "4111" in text else []
        )
    assert model.name == "presidio:CreditCardRecognizer"


def test_an_engine_of_presidio_runs_as_its_file_declares_it(tmp_path: Path) -> None:
    file = tmp_path / "nlp.yaml"
    file.write_text(
        f"nlp_engine_name: spacy\nmodels: [{{lang_code: en, model_name: {spacy_package('en')}}}]\n"
        "ner_model_configuration:\n  model_to_presidio_entity_mapping: {PERSON: PERSON, GPE: LOCATION}\n"
    )
    model = presidio(file)
    text = "😀 Then Angela Merkel came to Paris."
    (spans,) = model.entities([text])
    assert {(text[span.start : span.end], span.entity) for span in spans} >= {("Angela Merkel", "PERSON")}
    assert model.name == "presidio:spacy"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("nlp_engine_name: spacy\nmodels: [{lang_code: en, model_name: en_core_web_nowhere}]", "install it first"),
        ("nlp_engine_name: stanza\nmodels: [{lang_code: en, model_name: en}]", "spacy or transformers"),
        ("[]", "spacy or transformers"),
        ("nlp_engine_name: spacy\nmodels: [{model_name: spacy}]", "could not make an engine"),
    ],
)
def test_an_engine_that_would_download_or_does_not_exist_is_refused(tmp_path: Path, content: str, said: str) -> None:
    file = tmp_path / "nlp.yaml"
    file.write_text(content)
    with pytest.raises(CallError, match=said):
        presidio(file)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("nowhere.yaml", "no such file"),
        ("no_such_package.Recogniser", "install its package"),
        ("Recogniser", "install its package"),
        ("pathlib.Path", "derived from"),
        ("presidio_analyzer.PatternRecognizer", "no arguments"),
        ("presidio_analyzer.predefined_recognizers.ItFiscalCodeRecognizer", "for language en"),
    ],
)
def test_a_source_that_is_no_recogniser_is_refused(source: str, said: str) -> None:
    with pytest.raises(CallError, match=said):
        presidio(source)


def test_a_missing_gliner_is_named_with_how_to_install_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "gliner", None)
    with pytest.raises(CallError, match="pip install gliner"):
        backend(LocalModel("gliner", str(tmp_path)), "en")
