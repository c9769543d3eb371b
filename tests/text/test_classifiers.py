"""A transformers token classifier from a folder: a BERT small enough to be made here, whose weights know two names."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from anonym.errors import CallError
from anonym.text.backends import backend
from anonym.text.labels import entity_of
from anonym.text.options import LocalModel, TextOptions
from anonym.text.scrub import Scrubber

HAS_LIBRARIES = all(importlib.util.find_spec(name) for name in ("torch", "transformers"))
needs_libraries = pytest.mark.skipif(not HAS_LIBRARIES, reason="torch and transformers are not installed")

PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "rain", "fell", "and", ".", "ode", "##lys", "jorik", "utrecht"]
LABELS = ["O", "B-PER", "I-PER", "B-private_address"]
SAYS = {"ode": 1, "jorik": 2, "utrecht": 3}
TOKENS = 16  # of one window, so that any sentence needs several


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT of no layers: what a token is embedded as, the classifier reads directly."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertForTokenClassification, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("tiny-bert")
    tokenizer = Tokenizer(models.WordPiece({piece: i for i, piece in enumerate(PIECES)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    special = {"unk_token": "[UNK]", "pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=512, **special).save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(PIECES),
        hidden_size=len(LABELS),
        num_hidden_layers=0,
        num_attention_heads=1,
        intermediate_size=4,
        max_position_embeddings=TOKENS,
        id2label=dict(enumerate(LABELS)),
        label2id={label: i for i, label in enumerate(LABELS)},
    )
    model = BertForTokenClassification(config)
    with torch.no_grad():
        for table in (model.bert.embeddings.position_embeddings, model.bert.embeddings.token_type_embeddings):
            table.weight.zero_()
        said = torch.tensor([SAYS.get(piece, 0) for piece in PIECES])
        model.bert.embeddings.word_embeddings.weight.copy_(torch.nn.functional.one_hot(said, len(LABELS)))
        model.classifier.weight.copy_(4 * torch.eye(len(LABELS)))
        model.classifier.bias.zero_()
    model.save_pretrained(folder)
    return folder


def found(folder: Path, text: str) -> list[tuple[str, str]]:
    (spans,) = backend(LocalModel("transformers", str(folder)), "en").entities([text])
    assert [span.start for span in spans] == sorted(span.start for span in spans)
    return [(text[span.start : span.end], span.entity) for span in spans if span.score >= 0.5]


@needs_libraries
def test_offsets_are_code_points_and_words_are_whole(folder: Path) -> None:
    text = "😀 e\u0301 Odelys Jorik fell. The rain, Utrecht\r\nfell"
    assert found(folder, text) == [("Odelys Jorik", "PERSON"), ("Utrecht", "STREET_ADDRESS")]
    assert found(folder, "") == []


@needs_libraries
@pytest.mark.parametrize("before", range(0, 40, 3))
def test_names_are_found_once_wherever_windows_meet(folder: Path, before: int) -> None:
    text = "rain " * before + "Odelys " + "the rain fell " * 8 + "Jorik " + "and " * before + "Utrecht"
    assert found(folder, text) == [("Odelys", "PERSON"), ("Jorik", "PERSON"), ("Utrecht", "STREET_ADDRESS")]


@needs_libraries
def test_texts_of_many_lengths_in_one_batch_keep_their_own(folder: Path) -> None:
    texts = ["Odelys", "rain " * 3_000 + "Jorik " + "rain " * 6_000 + "Utrecht", "the rain", "", "and Jorik."] * 5
    model = backend(LocalModel("transformers", str(folder)), "en")
    for text, spans in zip(texts, model.entities(texts), strict=True):
        names = [match.span() for match in re.finditer("Odelys|Jorik|Utrecht", text)]
        assert [(span.start, span.end) for span in spans if span.score >= 0.5] == names


@needs_libraries
def test_a_scrubber_runs_it_and_says_so(folder: Path) -> None:
    scrubber = Scrubber(TextOptions(ner=(LocalModel("transformers", str(folder)),)))
    assert scrubber.scrub(pl.Series(["then odelys came"])).text.to_list() == ["then <PERSON> came"]
    assert scrubber.ner[0]["name"] == f"transformers:{folder.name}"


@needs_libraries
def test_a_folder_that_holds_none_is_refused(tmp_path: Path, folder: Path) -> None:
    def load(where: Path) -> Any:
        return backend(LocalModel("transformers", str(where)), "en")

    with pytest.raises(CallError, match=r"config\.json"):
        load(tmp_path / "nowhere")
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(CallError, match="could not read"):
        load(tmp_path)


def test_a_missing_library_is_named_with_how_to_install_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(CallError, match="pip install torch transformers"):
        backend(LocalModel("transformers", str(tmp_path)), "en")


@pytest.mark.parametrize(
    ("label", "entity"),
    [
        ("PER", "PERSON"),
        ("private_email", "EMAIL_ADDRESS"),
        ("phone number", "PHONE_NUMBER"),
        ("Straße 1", "STRASSE_1"),
        ("1st", "ENTITY_1ST"),
        ("!", "ENTITY"),
    ],
)
def test_labels_become_entities_that_a_tag_can_name(label: str, entity: str) -> None:
    assert entity_of(label) == entity
    assert re.fullmatch("[A-Z][A-Z0-9_]{1,48}", entity)
