"""GLiNER2, the real package with a tiny model of random weights: what it finds, at the right places."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import polars as pl
import pytest

from anonym.errors import CallError
from anonym.text.adapters import Gliner2, gliner_backend
from anonym.text.backends import backend
from anonym.text.options import LocalModel, TextOptions
from anonym.text.scrub import Scrubber

needs_gliner2 = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("gliner2", "transformers", "torch")),
    reason="gliner2[local] is not installed",
)
PROBE = "Anna Bell wrote to us."
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A GLiNER2 model with one layer of 32 dimensions, saved as the library saves it: the first random weights that
    find anything, since one layer decides how often a label occurs, and may say never.
    """
    import torch
    from gliner2 import ExtractorConfig, GLiNER2
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece
    from tokenizers.pre_tokenizers import Whitespace
    from transformers import BertConfig, PreTrainedTokenizerFast

    words = ["[PAD]", "[UNK]", *LETTERS, *(f"##{letter}" for letter in LETTERS)]
    pieces = Tokenizer(WordPiece({word: number for number, word in enumerate(words)}, unk_token="[UNK]"))
    pieces.pre_tokenizer = Whitespace()
    encoder = BertConfig(
        vocab_size=200,
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=4_096,
    )
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=pieces, unk_token="[UNK]", pad_token="[PAD]")
    path = tmp_path_factory.mktemp("models") / "tiny"
    for seed in range(50):
        torch.manual_seed(seed)
        config = ExtractorConfig(model_name="tiny", max_width=4)
        model = GLiNER2(config, encoder_config=encoder, tokenizer=tokenizer).eval()
        if all(model.extract_entities(PROBE, ["person", "city name"])["entities"].values()):
            model.save_pretrained(path)
            return path
    raise AssertionError("none of 50 models finds anything")


@needs_gliner2
def test_it_says_what_the_library_says_at_its_places(folder: Path) -> None:
    from gliner2 import AutoExtractor

    texts = ["Anna Bell wrote 😀 to Rene\u0301e in Leeds.\r\nHe came.", "", "   ", "no full stop"]
    labels = ["person", "city name"]
    spans = list(Gliner2(str(folder), labels).entities(texts))
    assert spans[1] == spans[2] == []
    said = AutoExtractor.from_pretrained(str(folder), map_location="cpu").eval()
    for text, found in zip(texts, spans, strict=True):
        if not text.strip():
            continue
        answer = said.extract_entities(text, labels, include_confidence=True, include_spans=True)["entities"]
        expected = {
            (each["start"], each["text"], {"person": "PERSON", "city name": "CITY_NAME"}[label])
            for label, named in answer.items()
            for each in named
            if each["start"] < len(text)
        }
        assert expected
        assert {(span.start, text[span.start : span.end], span.entity) for span in found} == {
            (start, named[: len(text) - start], entity) for start, named, entity in expected
        }


@needs_gliner2
def test_a_long_text_is_read_in_pieces_and_no_span_leaves_it(folder: Path) -> None:
    text = "Anna Bell of Leeds wrote on " * 100
    model = Gliner2(str(folder))
    [found] = model.entities([text])
    assert {span.start // 1_000 for span in found} == {0, 1, 2}
    assert all(0 <= span.start < span.end <= len(text) for span in found)
    assert {span.entity for span in found} <= {
        *("PERSON", "ORGANIZATION", "LOCATION", "STREET_ADDRESS", "PHONE_NUMBER", "EMAIL_ADDRESS", "DATE_TIME"),
        "IDENTIFICATION_NUMBER",
    }


@needs_gliner2
def test_the_folder_tells_which_library_reads_it_and_the_evidence_names_it(folder: Path) -> None:
    scrubber = Scrubber(TextOptions(packs=("health",), ner=(LocalModel("gliner", str(folder), ("person",)),)))
    assert scrubber.ner[0]["name"] == "gliner2:tiny"
    assert scrubber.ner[0]["version"][0].isdigit()
    assert "<PERSON>" in scrubber.scrub(pl.Series(["Anna Bell wrote to Leeds"])).text[0]


@needs_gliner2
def test_a_folder_of_another_model_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "encoder_config").mkdir()
    with pytest.raises(CallError, match=r"none with a config\.json"):
        gliner_backend(str(tmp_path))
    (tmp_path / "config.json").write_text((folder / "config.json").read_text())
    with pytest.raises(CallError, match="gliner2 could not read"):
        gliner_backend(str(tmp_path))


def test_a_missing_gliner2_is_named_with_how_to_install_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "encoder_config").mkdir()
    monkeypatch.setitem(sys.modules, "gliner2", None)
    with pytest.raises(CallError, match=r"pip install 'gliner2\[local\]'"):
        backend(LocalModel("gliner", str(tmp_path)), "en")
